"""A table of a sheet as it is stored: its rows typed for counting, and as they stand for look-ups."""

import json
from collections.abc import Sequence

from docqa.formats.columns import Table
from docqa.formats.counted_rows import counted
from docqa.formats.grid_cells import clean_label, scale_of
from docqa.formats.grid_headings import joined
from docqa.formats.sheets.cells import Cell
from docqa.formats.sheets.regions import Region

MOST_LOOKED_UP = 5_000  # rows of a table in which look-ups are made; those of a longer one are counted only
LONGEST_TITLE = 300  # characters


def stored_table(region: Region, sheet: str) -> tuple[Table, list[tuple[str, str, str]]]:
    """The table, and (values, cells, label above) of each of its rows, as `columns.Row` has them.

    A row with nothing but its first cell is a label for those below it.
    """
    width = len(region.columns)
    heads = [[cell.shown for cell in row] for row in region.rows[: region.heads]]
    headings = joined(heads, width) if heads else ("",) * width
    title, before = (" ".join(region.above[-1:]), " ".join(region.above[-2:-1]))
    body = region.rows[region.heads :]
    is_label = [not any(cell.shown for cell in row[1:]) for row in body]
    rows = [row for row, label in zip(body, is_label, strict=True) if not label]
    shown = [[cell.shown for cell in row] for row in rows]
    scale = scale_of(" ".join(" ".join(row) for row in heads)) or scale_of(title) or scale_of(before)
    own = counted(headings if heads else (), shown, [[cell.exact for cell in row] for row in rows], scale)
    values = iter(own.rows)
    above, stored = "", []
    for row, label in zip(body, is_label, strict=True):
        if label:
            above = clean_label(row[0].shown).rstrip(":")
            stored.append(("", "", ""))
            continue
        cells = _written(row) if len(rows) <= MOST_LOOKED_UP else ""
        stored.append((next(values), cells, above))
    about = (title[-LONGEST_TITLE:], before[-LONGEST_TITLE:], scale)
    return Table(own.columns, own.values, sheet, headings, *about), stored


def _written(row: Sequence[Cell]) -> str:
    first, *others = (cell.shown for cell in row)
    return json.dumps([clean_label(first), *others], ensure_ascii=False)
