"""The cells of a table as it stands in a passage, and its lines of column headings."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from docqa.formats.grid_headings import joined
from docqa.ingest.chunking import CELL_GAP
from docqa.text.marks import is_rule
from docqa.text.units import Unit

GAP = re.compile(r"(?<![ \t])[ \t]*(?:\t| \| )(?:[ \t]|\| )*")  # between two cells that are filled
_SPACES = re.compile(r" {3,}")
_BLANK = re.compile(r"\n[ \t]*\n")
_CELL = re.compile(r"\S+(?: {1,2}\S+)*")
_ASIDE = 2  # characters by which the lines of one cell may be out of line


def cells_of(row: str) -> list[str]:
    """The cells of a row or of a line of column headings, each on one line; where runs of spaces part them, what stands
    in a further line belongs to the cell above it."""
    first, *others = row.strip("\n").split("\n")
    if GAP.search(row) or not _SPACES.search(first):
        return [" ".join(cell.split()) for cell in GAP.split(row.strip("\n"))]
    starts, cells = [0, *(gap.end() for gap in _SPACES.finditer(first))], _SPACES.split(first)
    for line in others:
        for further in _CELL.finditer(line):
            cells[bisect_right(starts, further.start() + _ASIDE) - 1] += f" {further.group()}"
    return [" ".join(cell.split()) for cell in cells]


def named_cells(row: str, headings: Sequence[str]) -> tuple[list[str], list[str]]:
    """(the full name of each column, the cells of a row); no names where it cannot be told which belong together.

    Cells are one by one under their headings, empty ones too; in a text that somebody laid out with tabs, several of
    them may be one gap.
    """
    merged, last = cells_of(row), cells_of(headings[-1]) if headings else []
    if not headings or not GAP.search(row):
        return last if len(merged) == len(last) else [], merged
    cells, *heads = ([" ".join(cell.split()) for cell in CELL_GAP.split(line.strip("\n"))] for line in (row, *headings))
    width = len(heads[-1])
    if len(cells) != width and len(merged) == len(last):
        return last, merged
    if len(cells) == width or len(cells) < width and all(heads[-1][1:]):
        missing = [""] * width
        return list(joined([[*head, *missing][:width] for head in heads], width)), [*cells, *missing][:width]
    return [], merged


def line_of(text: str, unit: Unit) -> str:
    """The row with the empty cells that it begins with."""
    start = text.rfind("\n", 0, unit.start) + 1
    return text[unit.start if text[start : unit.start].strip() else start : unit.end]


def headings_of(text: str, columns: str, unit: Unit, units: Sequence[Unit]) -> list[str]:
    """The lines of column headings of the table of a row in this text: above its first row, else those stored with the
    passage, its `columns`, which are those of the table in the middle of which it begins."""
    first = min((other.start for other in units if other.group == unit.group), default=unit.start)
    start = text.rfind("\n", 0, unit.group_start) + 1  # the column of the labels may have no heading: a tab
    goes_on = not _BLANK.search(text, 0, unit.group_start)
    return _lines(text[start:first]) or (_lines(columns) if goes_on else [])


def _lines(headings: str) -> list[str]:
    return [line for line in headings.splitlines() if line.strip() and not is_rule(line)]


def markdown(headings: Sequence[str], rows: Sequence[str]) -> str:
    """A table in Markdown; of several lines of headings the last ones are the table's, the others stand above it."""
    cells = [cells_of(row) for row in rows]
    width = max(map(len, cells))
    *above, head = [cells_of(line) for line in headings] or [[""] * width]
    head = [""] * (width - len(head)) + head if len(head) < width else head
    width = max(width, len(head))
    lines = [head, ["---"] * width, *(row + [""] * (width - len(row)) for row in cells)]
    return "\n".join(
        [*(" ".join(filter(None, line)) for line in above), *(f"| {' | '.join(line)} |" for line in lines)]
    )
