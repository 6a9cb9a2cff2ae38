"""The rows of a PDF page that are a table: those with aligned cells.

Columns come from the positions of cells; tables within ruled lines are `ruled.py`'s. A cell of several lines becomes
several rows, except for column headings, wrapped labels and the lines below a cell that stands behind a label.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from statistics import median

from docqa.formats.grid_headings import MOST_HEADINGS, heads, is_form
from docqa.formats.pdf.columns import Columns, columns_of, headings, place_of, placed
from docqa.formats.pdf.rows import Cell, Row

_CURRENCY = re.compile(r"(?:US|CA|A|R|HK)?[$€£¥₹]|EUR|USD|CHF|GBP")
_SIGN_OF_NEXT = re.compile(rf"(?P<value>.*\S)\s+(?P<sign>{_CURRENCY.pattern})")
_SIGN_AT_END = re.compile(rf"\S\s?(?:{_CURRENCY.pattern})$")
_SUFFIX = re.compile(r"[%)]+|\)\s*%|pts|bps")
_AMOUNT = re.compile(r"[$€£¥<>≤≥~±+−–-]?\s?\d(?!\d{3}\b)")  # a year heads a column
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
    """The end of a run of closely spaced rows from `start` on, of which only few have a single cell.

    One of the headings may come in the file after those of all columns, beside them. What a sentence across the columns
    parts from the rows above, and begins with headings of its own, is another table.
    """
    if len(rows[start].cells) < 2:
        return start
    end = start + 1
    height = rows[start].bottom - rows[start].top
    valued = _Extent()
    goes_back = is_parted = False
    for index in range(start, len(rows)):
        above, row = rows[max(start, index - 1)], rows[index]
        if row.is_placeholder or row.top - above.bottom > 3 * height or index - end >= 5:
            break
        if row.top < above.top:
            is_above = rows[start].top - 4 * height <= row.top and row.bottom <= above.top + height / 4
            if valued.values < inf or goes_back or not is_above:
                break
            goes_back = True
        if row.has_values():
            valued.add(row)
            is_parted = False
        else:
            is_parted = is_parted or valued.is_left_by(row, above)
        if len(row.cells) == 1:
            continue
        if is_parted:
            break
        if valued.values < inf or not goes_back:
            end = index + 1
    return end


@dataclass(slots=True)
class _Extent:
    """Where rows with values begin, where their values do, and where they end, from left to right."""

    left: float = inf
    values: float = inf
    right: float = -inf

    def add(self, row: Row) -> None:
        self.left, self.right = min(self.left, row.left), max(self.right, row.right)
        self.values = min(self.values, *(cell.left for cell in row.cells[1:]))

    def is_left_by(self, row: Row, above: Row) -> bool:
        """Whether a row without values, below, begins above columns, not labels, is a sentence across them, or has
        several cells below a gap."""
        is_sentence = len(row.cells) == 1 and 2 * (row.right - row.left) > self.right - self.left
        is_apart = len(row.cells) > 1 and row.top - above.bottom > row.bottom - row.top
        return self.values < inf and (is_sentence or is_apart or row.left >= self.values)


def _is_table(rows: Sequence[Row]) -> bool:
    full = [row for row in rows if len(row.cells) > 1]
    above = next((at for at, row in enumerate(full) if row.has_values()), 0)
    if above > MOST_HEADINGS or any(len(cell.text) > _LONG for row in full[:above] for cell in row.cells):
        above = 0  # so much above the values is no headings
    if sum(row.has_values() for row in full) * 2 >= len(full) - above:
        return len(full) > 1
    lefts = [round(cell.left) for row in full for cell in row.cells[1:]]
    aligned = sum(
        any(abs(left - other) <= 2 for other in lefts[:i] + lefts[i + 1 :]) for i, left in enumerate(lefts[:200])
    )
    return len(full) > 2 and aligned > 0.7 * min(len(lefts), 200)


def _first_heading(rows: Sequence[Row], floor: int, start: int, end: int) -> int:
    """The first of the rows above a table that are its headings: they are above its columns, not above its labels."""
    values = [row for row in rows[start:end] if row.has_values()]
    if not values:
        return start
    left = min(cell.left for row in values for cell in row.cells[1:])
    top = min(row.top for row in values)
    height = rows[start].bottom - rows[start].top
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
    first = next((i for i, row in enumerate(rows) if row.has_values()), len(rows))
    columns = columns_of(rows[first:] if any(len(row.cells) > 1 for row in rows[first:]) else rows)
    rows = [*sorted(rows[:first], key=lambda row: row.top), *rows[first:]]
    first = _heads(rows, first, columns)
    top = list(headings(rows[:first], columns))
    body: list[list[str]] = []
    label, above, bottom = "", None, 0.0
    for row, following in zip(rows[first:], [*rows[first + 1 :], None], strict=True):
        if len(row.cells) == 1 and following is not None and _goes_on(row, following):
            label = f"{label}{row.text} "
            continue
        places = placed(row.cells, columns)
        if above and _is_wrapped(row, above, bottom):
            place = next(place for place, text in enumerate(places) if text)
            body[-1][place] = f"{body[-1][place]} {row.text}".strip()
            bottom = row.bottom
            continue
        places[0] = label + places[0]
        body.append(places)
        label, above, bottom = "", row, row.bottom
    return Table(top + ["\t".join(places).rstrip("\t") for places in body], len(top))


def _heads(rows: Sequence[Row], first: int, columns: Columns) -> int:
    """How many rows are column headings, where the `first` with values is known, or that there is none."""
    if is_form([[cell.text for cell in row.cells] for row in rows]):
        return 0
    full = [place for place, row in enumerate(rows[:first]) if len(row.cells) > 1]
    # Below a row that may be one of headings: 4 m, 06:12, 2 - 22 W.
    with_amounts = next((place for place in full[1:] if _has_amount(rows[place], columns)), None)
    if with_amounts is None and first == len(rows):  # of words only
        return int(heads([placed(row.cells, columns) for row in rows], [len(row.cells) > 1 for row in rows]) == 1)
    first = first if with_amounts is None else with_amounts
    while first and all(place_of(cell, columns) == (0, False) for cell in rows[first - 1].cells):
        first -= 1
    return first


def _has_amount(row: Row, columns: Columns) -> bool:
    """Whether a row has a label and a short cell behind it that begins with a number."""
    label, *others = row.cells
    is_amount = any(_AMOUNT.match(cell.text) and len(cell.text) <= _SHORT for cell in others)
    return is_amount and place_of(label, columns) == (0, False)


def _is_wrapped(row: Row, above: Row, bottom: float) -> bool:
    """Whether a row is a further line of a cell behind the label of the one above, which ends at `bottom` so far."""
    [cell, *others] = row.cells
    return (
        not others
        and not cell.is_value
        and above.has_values()
        and row.top - bottom < (row.bottom - row.top) / 2
        and any(
            abs(other.left - cell.left) < 2
            and (other.size, other.bold, other.text.isupper()) == (cell.size, cell.bold, cell.text.isupper())
            for other in above.cells[1:]
        )
    )


def _whole(cells: list[Cell]) -> list[Cell]:
    """Join currency signs to the number after them, per cent signs and closing brackets to the number before them.

    A currency sign may stand far from its number, whose place is that of the column.
    """
    whole: list[Cell] = []
    stands_before = any(_CURRENCY.match(cell.text) for cell in cells) or not _SIGN_AT_END.search(cells[-1].text)
    for cell in chain.from_iterable(map(_parted, cells)) if stands_before else cells:
        before = whole[-1] if whole else None
        if before and _CURRENCY.fullmatch(before.text) and cell.is_value:
            whole[-1] = replace(cell, text=f"{before.text} {cell.text}")
        elif before and before.is_value and _SUFFIX.fullmatch(cell.text):
            before.text = f"{before.text} {cell.text}"
            before.left, before.right = min(before.left, cell.left), max(before.right, cell.right)
        else:
            whole.append(cell)
    if _CURRENCY.fullmatch(whole[-1].text) and any(cell.text.startswith(whole[-1].text) for cell in whole[:-1]):
        del whole[-1]  # of a column that is not there
    return whole


def _parted(cell: Cell) -> list[Cell]:
    """A number and the currency sign of the next column, which the file may hold as one text, as two cells."""
    both = _SIGN_OF_NEXT.fullmatch(cell.text)
    if both is None:
        return [cell]
    width = (cell.right - cell.left) / len(cell.text)
    value = replace(cell, text=both["value"], right=cell.left + width * len(both["value"]))
    return [value, replace(cell, text=both["sign"], left=cell.right - width)] if value.is_value else [cell]


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
    columns = columns_of(rows)
    if len(columns) < 2:
        return []
    separated: list[list[Row]] = [[] for _ in columns]
    for row in rows:
        for cell in row.cells:
            separated[place_of(cell, columns)[0]].append(Row(cell))
    return separated


def is_narrow(rows: Sequence[Row]) -> bool:
    """Whether these rows look like cells of a table's column rather than lines of a column of text."""
    return all(len(row.cells) > 1 or row.cells[0].is_value or len(row.text) <= _SHORT for row in rows)
