"""What the columns of a table hold: numbers, dates or words. A column is of one kind throughout, else its cells stay as
they are written.

It does not know dates with the names of months or years of two digits; a date whose day could be its month stays as it
is written.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from docqa.languages import every_word
from docqa.text.words import fold, is_dense

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
_SYMBOL = "$€£¥₹₽₩₪₺"
_NUMBER = re.compile(
    rf"(?P<open>\()?(?P<sign>[-−–+])? ?(?P<before>[A-Z]{{0,3}}[{_SYMBOL}]|[A-Z]{{3}} )? ?(?P<inner>[-−–])?"
    r"(?P<digits>\d(?:[\d.,'’ ]*\d)?|[.,]\d+)(?P<power>[eE][-+]?\d\d?)?"
    rf"(?P<after> ?[%‰°{_SYMBOL}]| [^\W\d_]{{1,5}})?(?P<close>\))?"
)
_PLAIN = re.compile(r"\d+")
_DECIMAL = re.compile(r"(\d*)([.,])(\d+)")
_GROUPED = re.compile(r"\d{1,3}([.,'’ ])\d{3}(?:\1\d{3})*(?:(?!\1)([.,])\d+)?")
_INDIAN = re.compile(r"\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?")
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")
_ISO = re.compile(r"(\d{4})([-/])(\d\d?)(?:\2(\d\d?))?(?:[T ]+(\d\d?:\d\d\S*))?")
_LOCAL = re.compile(r"(\d\d?)([./-])(\d\d?)\2(\d{4})(?:,? +(\d\d?:\d\d\S*))?")
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"
_TOKEN = re.compile(
    rf"\d{{4}}-\d\d-\d\d|\d\d?\.\d\d?\.\d{{4}}|\d+(?:[.,'’]\d+)*|[<>]=?|[=≥≤]|[^\W\d_][^\W\d_{_MARKS}]*(?:[{_MARKS}]+[^\W\d_]*)*"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


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
    def is_amount(self) -> bool:
        """Whether its numbers say how much and not which one: neither years nor identifiers."""
        return self.kind == "number" and not self.is_year and key(self.name).rpartition(" ")[2] not in IDENTIFIERS


@dataclass(frozen=True)
class Table:
    """The columns of a table, and (place of the column, key, value) of the values that a question may name."""

    columns: tuple[Column, ...]
    values: tuple[tuple[int, str, str], ...]


def tokens(text: str) -> list[str]:
    """Folded words, numbers and signs of comparison; in scripts without spaces each character is one."""
    return [part for found in _TOKEN.findall(fold(text)) for part in (found if is_dense(found) else (found,))]


def key(text: str) -> str:
    """What a name or a value is found by: its tokens, parted by spaces."""
    return " ".join(tokens(spaced(text)))


def spaced(name: str) -> str:
    """A name such as orderDate or order_date as words."""
    return _CAMEL.sub(" ", name).replace("_", " ")


# --- numbers and dates ---


def _decimal_of(digits: str) -> str | None:
    """The decimal mark that these digits show, "" where they show none, "?" and the mark where it may be one; None
    where they are no number."""
    if _PLAIN.fullmatch(digits):
        return "" if len(digits) == 1 or digits[0] != "0" else None
    if found := _DECIMAL.fullmatch(digits):
        whole, mark, rest = found.groups()
        return mark if len(rest) != 3 or not 1 <= len(whole) <= 3 or whole[0] == "0" else "?" + mark
    if found := _GROUPED.fullmatch(digits):
        return found[2] or {".": ",", ",": "."}.get(found[1], "")
    return "." if _INDIAN.fullmatch(digits) else None


def _number(digits: str, decimal: str) -> int | float:
    plain = "".join(char for char in digits if char.isdigit() or char == decimal).replace(decimal, ".")
    value = float(plain) if "." in plain else int(plain)
    return float(value) if value >= BIG else value


def parse_number(text: str, decimal: str) -> int | float | None:
    """A number as a question writes it, without a unit; `decimal` decides where it may be either."""
    shown = _decimal_of(text)
    return None if shown is None else _number(text, shown if shown in (".", ",") else decimal)


def parse_date(text: str, day_first: bool) -> str | None:
    """A date as ISO 8601, its time as it is written; None where it is none."""
    if found := _ISO.fullmatch(text):
        year, _, month, day, time = found.groups()
    elif found := _LOCAL.fullmatch(text):
        first, mark, second, year, time = found.groups()
        day, month = (first, second) if day_first or mark == "." else (second, first)
    else:
        return None
    try:
        iso = date(int(year), int(month), int(day or 1)).isoformat()
    except ValueError:
        return None
    return (iso if day else iso[:7]) + (f" {time}" if time else "")


def value(cell: str, column: Column) -> Value:
    """What a cell of the column holds; None where nothing stands."""
    if column.kind == "text":
        return cell or None
    if cell.casefold() in _MISSING:
        return None
    if column.kind == "date":
        return parse_date(cell, column.day_first)
    found = _NUMBER.fullmatch(cell)
    assert found, "a column of numbers holds nothing else"
    number = _number(found["digits"], column.decimal)
    number = float(f"{number}{found['power']}") if found["power"] else number
    return -number if found["open"] or found["sign"] in ("-", "−", "–") or found["inner"] else number


# --- columns ---


@dataclass
class _Seen:
    """What the cells of one column have in common so far."""

    cells: int = 0
    may_be_number: bool = True
    may_be_date: bool = True
    years: int = 0
    marks: set[str] = field(default_factory=set)
    units: set[str] = field(default_factory=set)
    decimals: Counter[str] = field(default_factory=Counter)  # the most digits after each mark
    orders: set[bool] = field(
        default_factory=lambda: {True, False}
    )  # whether the day may come first, whether the month may
    is_doubtful: bool = False  # a date would be another one the other way round

    def add(self, cell: str) -> None:
        if not (self.may_be_number or self.may_be_date) or cell.casefold() in _MISSING:
            return
        self.cells += 1
        if self.may_be_number:
            self.may_be_number = self._add_number(cell)
        if self.may_be_date:
            self.may_be_date = self._add_date(cell)

    def _add_number(self, cell: str) -> bool:
        found = _NUMBER.fullmatch(cell)
        shown = _decimal_of(found["digits"]) if found and bool(found["open"]) == bool(found["close"]) else None
        if found is None or shown is None or sum(map(str.isdigit, found["digits"])) > MOST_DIGITS:
            return False
        if unit := (found["before"] or found["after"] or "").strip():
            self.units.add(unit)
        for mark in ".,":
            if mark in found["digits"]:
                self.decimals[mark] = max(self.decimals[mark], len(found["digits"].rpartition(mark)[2]))
        self.marks.add(shown)
        self.years += _YEAR.fullmatch(cell) is not None
        return len(self.units) <= 1 and not {".", ","} <= self.marks

    def _add_date(self, cell: str) -> bool:
        day_first = parse_date(cell, True)
        month_first = parse_date(cell, False) if _LOCAL.fullmatch(cell) else day_first
        self.orders &= {order for order, found in ((True, day_first), (False, month_first)) if found}
        self.is_doubtful = self.is_doubtful or day_first != month_first
        return bool(self.orders)

    def column(self, name: str, usual_decimal: str) -> Column:
        """`usual_decimal` decides for numbers such as 1.234 where no cell of the column shows which mark is the decimal
        one."""
        if self.cells and self.may_be_number:
            decimal = next((mark for mark in ".," if mark in self.marks), usual_decimal)
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
        for one, cell in zip(seen, cells, strict=False):
            one.add(cell)
    marks = Counter(mark for one in seen if one.may_be_number for mark in one.marks & {".", ","})
    usual = "," if marks[","] > marks["."] else "."
    taken: Counter[str] = Counter()
    found = []
    for place, (name, one) in enumerate(zip(names, seen, strict=True), 1):
        name = name or f"column {place}"
        taken[name.casefold()] += 1
        found.append(one.column(name if taken[name.casefold()] == 1 else f"{name} {taken[name.casefold()]}", usual))
    return tuple(found)


class Values:
    """The different values of the columns of words, gathered row by row."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._seen: dict[int, set[str]] = {
            place: set() for place, column in enumerate(columns) if column.kind == "text"
        }

    def add(self, cells: Sequence[Value]) -> None:
        for place in list(self._seen):
            if place < len(cells) and isinstance(cell := cells[place], str) and len(cell) <= LONGEST_KEY:
                self._seen[place].add(cell)
                if len(self._seen[place]) > MOST_VALUES:
                    del self._seen[place]

    def keyed(self) -> tuple[tuple[int, str, str], ...]:
        """(place of the column, key, value) of each."""
        return tuple(
            (place, found, value) for place, values in self._seen.items() for value in values if (found := key(value))
        )
