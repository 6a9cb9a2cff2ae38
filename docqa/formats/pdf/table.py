"""The rows of a PDF page that are a table: those with aligned cells.

Columns come from the positions of cells; tables within ruled lines are `ruled.py`'s. A cell of several lines becomes
several rows, except for column headings and wrapped labels.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from docqa.formats.pdf.rows import Cell, Row, runs_right_to_left

_CURRENCY = re.compile(r"(?:US|CA|A|R|HK)?[$€£¥₹]|EUR|USD|CHF|GBP")
_SUFFIX = re.compile(r"[%)]+|\)\s*%|pts|bps")
_LONG = 28  # characters: cells of prose, and labels, are longer
_SHORT = 24


@dataclass(slots=True)
class Table:
    """`lines` of cells separated by tabs; the first `head` of them are column headings."""

    lines: list[str]
    head: int


def tables(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """(start, end) of each run of rows that is a table, or columns of prose."""
    done = start = 0
    while start < len(rows):
        end = _run(rows, start)
        if end - start > 1 and (_is_table(rows[start:end]) or columns_of_prose(rows[start:end])):
            yield _first_heading(rows, done, start, end), end
            done = start = end
        else:
            start = max(end, start + 1)


def _run(rows: Sequence[Row], start: int) -> int:
    """The end of a run of closely spaced rows from `start` on, of which only few have a single cell."""
    if len(rows[start].cells) < 2:
        return start
    end = start + 1
    height = rows[start].bottom - rows[start].top
    for index in range(start + 1, len(rows)):
        above, row = rows[index - 1], rows[index]
        if row.is_placeholder or row.top < above.top or row.top - above.bottom > 3 * height or index - end >= 5:
            break
        if len(row.cells) > 1:
            end = index + 1
    return end


def _is_table(rows: Sequence[Row]) -> bool:
    full = [row for row in rows if len(row.cells) > 1]
    if sum(row.has_values() for row in full) * 2 >= len(full):
        return len(full) > 1
    lefts = [round(cell.left) for row in full for cell in row.cells[1:]]
    aligned = sum(
        any(abs(left - other) <= 2 for other in lefts[:i] + lefts[i + 1 :]) for i, left in enumerate(lefts[:200])
    )
    return len(full) > 2 and aligned > 0.7 * min(len(lefts), 200)


def _first_heading(rows: Sequence[Row], floor: int, start: int, end: int) -> int:
    """The first of the rows above a table that are its headings: they are above its columns, not above its labels."""
    left = min((cell.left for row in rows[start:end] if row.has_values() for cell in row.cells[1:]), default=None)
    if left is None:
        return start
    height = rows[start].bottom - rows[start].top
    top = min(row.top for row in rows[start:end])
    first = start
    while first > floor and start - first < 60:
        row = rows[first - 1]
        if row.is_placeholder:
            break
        over = (
            all(cell.left >= left - 6 * height or cell.right > left for cell in row.cells[-1:])
            and row.left >= left - 2 * height
            or len(row.cells) > 1
        )
        if not over or row.bottom > top + height or row.top < top - 14 * height or len(row.text) > 160:
            break
        first -= 1
    return first


def table(rows: Sequence[Row]) -> Table:
    """The rows with their cells in columns, empty where a row has none; stacked column headings are joined."""
    for row in rows:
        row.cells = _whole(row.cells)
    first = next((i for i, row in enumerate(rows) if row.has_values()), 0)
    columns = _columns(rows[first:] if any(len(row.cells) > 1 for row in rows[first:]) else rows)
    rows = [*sorted(rows[:first], key=lambda row: row.top), *rows[first:]]
    while first and all(_place(cell, columns) == (0, False) for cell in rows[first - 1].cells):
        first -= 1
    heads = list(_headings(rows[:first], columns))
    lines, label = list(heads), ""
    for row, following in zip(rows[first:], [*rows[first + 1 :], None], strict=True):
        places = _placed(row.cells, columns)
        if len(row.cells) == 1 and following is not None and _goes_on(row, following):
            label = f"{label}{row.text} "
            continue
        places[0] = label + places[0]
        lines.append("\t".join(places).rstrip("\t"))
        label = ""
    return Table(lines, len(heads))


def _whole(cells: list[Cell]) -> list[Cell]:
    """Join currency signs to the number after them, per cent signs and closing brackets to the number before them."""
    whole: list[Cell] = []
    for cell in cells:
        before = whole[-1] if whole else None
        if before and (
            _CURRENCY.fullmatch(before.text) and cell.is_value or _SUFFIX.fullmatch(cell.text) and before.is_value
        ):
            before.text = f"{before.text} {cell.text}"
            before.left, before.right = min(before.left, cell.left), max(before.right, cell.right)
        else:
            whole.append(cell)
    return whole


def _columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """(left, right) of the columns in reading order, at least one: those of values, and of other cells beside them."""
    full = [row for row in rows if len(row.cells) > 1]
    values = _merged((cell.left, cell.right) for row in full for cell in row.cells if cell.is_value)
    others = [
        (cell.left, cell.right)
        for row in full
        for cell in row.cells
        if all(cell.right <= left or right <= cell.left for left, right in values)
    ]
    if not values:
        narrow = median(right - left for left, right in others)
        others = [(left, right) for left, right in others if right - left <= 2 * narrow] or others
    return sorted([*values, *_merged(others)], reverse=runs_right_to_left(" ".join(row.text for row in rows)))


def _merged(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for left, right in sorted(spans):
        if merged and left < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def _place(cell: Cell, columns: Sequence[tuple[float, float]]) -> tuple[int, bool]:
    """The column of a cell, and whether it spans further ones."""
    left, right = cell.left, cell.right
    shares = [min(right, last) - max(left, first) for first, last in columns]
    best = max(shares)
    if best < right - left:  # it extends beyond its column
        covered = [index for index, column in enumerate(columns) if shares[index] > 0.5 * (column[1] - column[0])]
        if len(covered) > 1:
            return covered[0], True
    return shares.index(best), False


def _placed(cells: Iterable[Cell], columns: Sequence[tuple[float, float]]) -> list[str]:
    """The texts of a row by column."""
    places = [""] * len(columns)
    for cell in cells:
        index, _ = _place(cell, columns)
        places[index] = f"{places[index]} {cell.text}".strip()
    return places


def _headings(rows: Sequence[Row], columns: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Lines of headings: first those that span columns, then one line with each column's own heading, top to bottom."""
    own: list[Cell] = []
    for row in rows:
        wide = [cell for cell in row.cells if _place(cell, columns)[1]]
        if wide:
            yield "\t".join(_placed(wide, columns)).rstrip("\t")
        own += [cell for cell in row.cells if cell not in wide]
    if own:
        yield "\t".join(_placed(sorted(own, key=lambda cell: cell.top), columns)).rstrip("\t")


def _goes_on(label: Row, following: Row) -> bool:
    """Whether a row without values is the beginning of the next row's label."""
    return (
        not label.text.endswith(":")
        and following.cells[0].text[:1].islower()
        and following.top - label.bottom < label.bottom - label.top
    )


def columns_of_prose(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each column, if these are columns of running text that the file holds line by line; [] if a table."""
    full = [row for row in rows if len(row.cells) > 1]
    if (
        len(full) < 5
        or len(full) * 5 < len(rows) * 4
        or median(len(cell.text) for row in full for cell in row.cells) < _LONG
    ):
        return []
    columns = _columns(rows)
    if len(columns) < 2:
        return []
    separated: list[list[Row]] = [[] for _ in columns]
    for row in rows:
        for cell in row.cells:
            separated[_place(cell, columns)[0]].append(Row(cell))
    return separated


def is_narrow(rows: Sequence[Row]) -> bool:
    """Whether these rows look like cells of a table's column rather than lines of a column of text."""
    return all(len(row.cells) > 1 or row.cells[0].is_value or len(row.text) <= _SHORT for row in rows)
