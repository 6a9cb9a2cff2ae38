"""What the columns of a table hold: numbers, dates or words. A column is of one kind throughout, else its cells stay as
they are written.

A date whose day could be its month stays as it is written.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, NamedTuple

from docqa.languages import every_word
from docqa.text.keys import key
from docqa.text.values import decimal_marks, iso_date, quantity

Value = str | int | float | None
Kind = Literal["text", "number", "date"]

MOST_COLUMNS = 200  # of a table that questions are asked of; a wider one is text only
LONGEST_KEY = 80  # characters of a value that a question may name
# Different values of a column that questions may name; a column with more of them holds names of single rows
MOST_VALUES = 20_000
MOST_DIGITS = 15  # what a float holds exactly; longer ones are identifiers
BIG = 10**12  # from here on as a float, so that no sum of integers overflows

# What ends the name of a column that tells rows apart.
IDENTIFIERS = every_word("tables.identifiers")
_MISSING = frozenset(("", "-", "–", "—", ".", "?", "n/a", "na", "#n/a", "null", "none", "nan"))
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")
_UNNAMED = "column "  # with its place: what a column is called that has no name


@dataclass(frozen=True)
class Column:
    """A column of a table. `decimals` is the greatest number of them in a cell, `unit` what stands at all its numbers;
    of a column of years, `is_year`.

    `decimal` is its decimal mark, `day_first` the order of its dates: how it is written in the file.
    """

    name: str
    kind: Kind = "text"
    unit: str = ""
    decimals: int = 0
    is_year: bool = False
    decimal: str = "."
    day_first: bool = True

    @property
    def is_named(self) -> bool:
        """Whether the document gives it a name."""
        return not self.name.removeprefix(_UNNAMED).isdecimal()

    @property
    def is_amount(self) -> bool:
        """Whether its numbers say how much and not which one: neither years nor identifiers."""
        return self.kind == "number" and not self.is_year and key(self.name).rpartition(" ")[2] not in IDENTIFIERS


@dataclass(frozen=True)
class Table:
    """A table of a document, without its rows, which stand with their pages.

    `columns` are those that its rows are counted by, none where they are not; `values` are (place of the column, key,
    value) of those that a question may name. `name` is that of its sheet or "". `headings` are the full headings of its
    columns as they stand, "" where there is none, `title` the line or paragraph above it, `before` the one above that,
    `scale` what its numbers are in.
    """

    columns: tuple[Column, ...] = ()
    values: tuple[tuple[int, str, str], ...] = ()
    name: str = ""
    headings: tuple[str, ...] = ()
    title: str = ""
    before: str = ""
    scale: str = ""


class Row(NamedTuple):
    """A row of the table with this number, counted from 0: its line [start, end) in the text of its page.

    `values` are its cells as a JSON array for counting, "" where it is not counted: a row of totals. `cells` are those
    as they stand, as a JSON array too, "" where no look-up is made. `above` is the label of the rows that it stands
    under.
    """

    table: int
    start: int
    end: int
    values: str
    cells: str = ""
    above: str = ""


# --- cells ---


def _is_missing(cell: str) -> bool:
    """Whether nothing stands in a cell, be it with a unit: "$ —"."""
    return cell.casefold() in _MISSING or cell.strip("$€£¥% ") in ("-", "–", "—")


def value(cell: str, column: Column) -> Value:
    """What a cell of the column holds; None where nothing stands."""
    if column.kind == "text":
        return cell or None
    if _is_missing(cell):
        return None
    if column.kind == "date":
        return iso_date(cell, day_first=column.day_first)
    amount = quantity(cell)
    assert amount, "a column of numbers holds nothing else"
    return plain(amount.value(column.decimal))


def plain(number: Decimal) -> int | float:
    """A number as SQLite stores it."""
    return int(number) if number == number.to_integral_value() and abs(number) < BIG else float(number)


# --- columns ---


@dataclass
class _Seen:
    """What the cells of one column have in common so far."""

    cells: int = 0
    may_be_number: bool = True
    may_be_date: bool = True
    years: int = 0
    marks: frozenset[str] = frozenset(".,")  # the decimal marks that fit all numbers so far
    units: set[str] = field(default_factory=set)
    decimals: Counter[str] = field(default_factory=Counter)  # the most digits after each mark
    # Whether all dates so far can have the day first, and whether they can have the month first
    orders: set[bool] = field(default_factory=lambda: {True, False})
    is_doubtful: bool = False  # a date would be another one the other way round

    def add(self, cell: str) -> None:
        if not (self.may_be_number or self.may_be_date) or _is_missing(cell):
            return
        self.cells += 1
        if self.may_be_number:
            self.may_be_number = self._add_number(cell)
        if self.may_be_date:
            self.may_be_date = self._add_date(cell)

    def _add_number(self, cell: str) -> bool:
        amount = quantity(cell)
        if amount is None or sum(map(str.isdigit, amount.digits)) > MOST_DIGITS:
            return False
        if amount.unit:
            self.units.add(amount.unit)
        for mark in ".,":
            if mark in amount.digits:
                self.decimals[mark] = max(self.decimals[mark], len(amount.digits.rpartition(mark)[2]))
        self.marks &= decimal_marks(amount.digits)
        self.years += _YEAR.fullmatch(cell) is not None
        return len(self.units) <= 1 and bool(self.marks)

    def _add_date(self, cell: str) -> bool:
        dates = {day_first: iso_date(cell, day_first=day_first) for day_first in (True, False)}
        self.orders &= {day_first for day_first, written in dates.items() if written}
        self.is_doubtful = self.is_doubtful or len(set(dates.values())) > 1
        return bool(self.orders)

    def column(self, name: str, usual_decimal: str) -> Column:
        """`usual_decimal` decides for numbers such as 1.234 where no cell of the column shows which mark is the decimal
        one."""
        if self.cells and self.may_be_number:
            decimal = usual_decimal if len(self.marks) > 1 else next(iter(self.marks))
            return Column(
                name, "number", next(iter(self.units), ""), self.decimals[decimal], self.years == self.cells, decimal
            )
        if self.cells and self.may_be_date and not (self.is_doubtful and len(self.orders) > 1):
            return Column(name, "date", day_first=True in self.orders)
        return Column(name)


def columns(names: Sequence[str], rows: Iterable[Sequence[str]]) -> tuple[Column, ...]:
    """The columns of these rows; none where they are too many, or a row has a cell beyond the names, so that some do
    not stand under their own."""
    if len(names) > MOST_COLUMNS:
        return ()
    seen = [_Seen() for _ in names]
    for cells in rows:
        if any(cells[len(names) :]):
            return ()
        for column, cell in zip(seen, cells, strict=False):
            column.add(cell)
    marks = Counter(mark for column in seen if column.may_be_number and len(column.marks) == 1 for mark in column.marks)
    usual = "," if marks[","] > marks["."] else "."
    uses: Counter[str] = Counter()
    named = []
    for place, (name, column) in enumerate(zip(names, seen, strict=True), 1):
        name = name or f"{_UNNAMED}{place}"
        uses[name.casefold()] += 1
        count = uses[name.casefold()]
        named.append(column.column(name if count == 1 else f"{name} {count}", usual))
    return tuple(named)


class Values:
    """The different values of the columns of words, gathered row by row."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._seen: dict[int, set[str]] = {
            place: set() for place, column in enumerate(columns) if column.kind == "text"
        }

    def add(self, cells: Sequence[Value]) -> None:
        """Take the values of a further row; a column with more than MOST_VALUES is dropped."""
        for place in list(self._seen):
            if place < len(cells) and isinstance(cell := cells[place], str) and len(cell) <= LONGEST_KEY:
                self._seen[place].add(cell)
                if len(self._seen[place]) > MOST_VALUES:
                    del self._seen[place]

    def keyed(self) -> tuple[tuple[int, str, str], ...]:
        """(place of the column, key, value) of each."""
        return tuple(
            (place, name, value) for place, values in self._seen.items() for value in values if (name := key(value))
        )
