"""How a value of a document's table is said: with its label, the column's heading and its unit."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from docqa.formats.grid_cells import DIGITS, is_number
from docqa.formats.grid_headings import without_shared
from docqa.formats.grids import Grid
from docqa.languages import phrase
from docqa.tables.headings import unit_of
from docqa.tables.lookups.lookup import Cell
from docqa.tables.lookups.query import YEAR

_BRACKETS = re.compile(r"\s*[(（\[][^)）\]]*[)）\]]")
_CURRENCY = re.compile(r"[$€£¥₹]|\b(?:EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN)\b")
_SPACED_SIGN = re.compile(r"([$£¥₹])\s+(?=\d)")
_UNIT_AFTER = re.compile(r"\s?[^\W\d_][^\d()*†]*|\s?[%€$£¥]")
_LONGEST_HEADING = 60
_PAIR = 2  # columns: a name and its value


def sentence(cell: Cell, language: str) -> str:
    """The value of a cell as a sentence: Net revenue, 2022: $86,392 million."""
    if cell.also:
        each = [replace(cell, column=place, also=()) for place in (cell.column, *cell.also)]
        values = "; ".join(f"{column_name(part)} {value_of(part)}".strip() for part in each)
        return f"{name_of(cell, with_column=False)}: {values}{_stop(values, language)}"
    name = name_of(cell)
    return f"{name}{'' if name.endswith(('?', '？')) else ':'} {value_of(cell)}{_stop(value_of(cell), language)}"


def said_of_each(cells: Sequence[Cell], language: str) -> str:
    """The values of one column with the names of their rows."""
    values = "; ".join(f"{name_of(cell, with_column=False)}: {value_of(cell)}" for cell in cells)
    name = column_name(cells[0])
    return f"{name} – {values}{_stop(values, language)}" if name else f"{values}{_stop(values, language)}"


def name_of(cell: Cell, *, with_column: bool = True) -> str:
    """The label of the row and the heading of the column."""
    label = _without_unit(cell.placed.row.cells[cell.named_by], cell)
    label += f", {cell.placed.row.cells[cell.apart]}" if cell.apart >= 0 else ""
    columns, title = cell.placed.grid.columns, cell.placed.grid.title
    if len(columns) > _PAIR and not any(columns) and 0 < len(title) <= _LONGEST_HEADING:
        label = f"{label}, {title.rstrip(':')}"  # which says what its values are
    column = column_name(cell) if with_column and _is_told_apart(cell) else ""
    return f"{label}, {column}" if column else label


def column_name(cell: Cell) -> str:
    """The heading of a column; of one that goes on too long its date."""
    columns = cell.placed.grid.columns
    name = _without_unit(without_shared(columns[1:])[cell.column - 1] if cell.column else columns[0], cell)
    if len(name) > _LONGEST_HEADING and (years := YEAR.findall(name)):
        return str(years[-1])
    return name


def _is_told_apart(cell: Cell) -> bool:
    """Whether the row has other columns, or the heading says something."""
    return bool(cell.heading)


def _without_unit(name: str, cell: Cell) -> str:
    """A name without the unit in its brackets, which stands at the value."""
    return (_BRACKETS.sub("", name).strip() or name) if unit_of(name) and is_number(cell.value) else name


def value_of(cell: Cell) -> str:
    """The value with its unit and scale, where the cell does not write them."""
    return with_unit(_SPACED_SIGN.sub(r"\1", cell.value), cell)


def with_unit(value: str, cell: Cell) -> str:
    """A value as the cell's row, column and table have it."""
    grid = cell.placed.grid
    if not is_number(value) or not _has_digit(value) or any(char.isalpha() for char in value) or "%" in value:
        return value
    unit = unit_of(cell.heading) or unit_of(cell.placed.row.label)
    if unit == "%" and _CURRENCY.search(value):
        return value
    if unit == "%":
        return f"{value} %"
    if unit and unit not in value:
        return f"{unit}{value}" if unit in "$£¥₹" else f"{value} {unit}"
    if any(map(_has_digit, grid.columns)) and cell.heading and not _has_digit(cell.heading):
        return value  # the scale is that of the periods: a column of customers beside them is none of money
    scale, currency = _scale(grid)
    if not scale or "per" in cell.placed.row.label.casefold().split():
        return value
    sign = _CURRENCY.search(value)
    if currency and not sign:
        value = f"{currency}{value}" if currency in "$£¥₹" else value
        scale = f"{scale} {currency}" if currency not in "$£¥₹" else scale
    return f"{value} {scale}"


def is_of_money(cell: Cell) -> bool:
    """Whether a number without a unit is a sum of money: its table gives all in millions or the like, and the first
    number of its column has the currency, as in accounts."""
    grid = cell.placed.grid
    if not grid.scale or not is_number(cell.value):
        return False
    first = next((row.cells[cell.column] for row in grid.rows if _has_digit(row.cells[cell.column])), "")
    return bool(_CURRENCY.search(first)) and with_unit(cell.value, cell) != cell.value


def _has_digit(heading: str) -> bool:
    return any(map(str.isdigit, heading))


def _scale(grid: Grid) -> tuple[str, str]:
    """(what the numbers of a table are in, as one says it after a number; its currency)."""
    currency = _CURRENCY.search(grid.scale.upper())
    word = _CURRENCY.sub("", grid.scale.upper()).strip().casefold()
    return (word[:-1] if word in ("millions", "thousands", "billions", "trillions") else word), (
        currency.group() if currency else ""
    )


def _stop(value: str, language: str) -> str:
    return "" if value.endswith((".", "!", "?", "。")) else phrase("full_stop", language)


def computed(value: Decimal, cell: Cell) -> str:
    """A computed figure written as the value it came of: with its marks, decimals, currency and unit."""
    like, point = cell.value, cell.placed.grid.decimal_mark
    digits = DIGITS.search(like)
    own = digits.group() if digits else ""
    decimals = len(own) - own.rindex(point) - 1 if point in own else 0
    text = f"{abs(value):,.{decimals}f}"
    if point == ",":
        text = text.translate(str.maketrans(",.", ".,"))
    sign = re.match(r"\s*\(?\s*([$€£¥])", like)
    unit = _UNIT_AFTER.match(like, digits.end()) if digits else None
    return f"{'-' if value < 0 else ''}{sign[1] if sign else ''}{text}{unit.group().rstrip() if unit else ''}"
