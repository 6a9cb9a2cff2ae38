"""What a question asks of a table: what is measured, over which rows, in which groups. `table_sql.py` turns it into
SQL."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from docqa.formats.columns import Column
from docqa.text.keys import key

_NUMBERED = re.compile(r"[^\W\d_]{3,12}\s?\d{1,3}")  # Sheet1, Tabelle 2
Measure = Literal["rows", "different", "sum", "mean", "median", "highest", "lowest", "share"]
Operator = Literal["=", "<", "<=", ">", ">=", "!=", "missing", "present"]
Period = Literal["year", "quarter", "month", "week", "weekday", "day"]


@dataclass(frozen=True)
class StoredTable:
    """A table of a document whose rows are counted; `columns` are in the order of their places.

    `document_name` is the document's name, `sheet` that of its sheet, "" where it stands on none.
    """

    document: int
    document_name: str
    columns: tuple[Column, ...]
    id: int = 0
    sheet: str = ""

    @cached_property
    def name(self) -> str:
        """What it is called: as its sheet, unless that is only numbered, else as its document."""
        return self.sheet if self.sheet and not _NUMBERED.fullmatch(self.sheet) else self.document_name

    @cached_property
    def key(self) -> str:
        """The key by which a question names the table."""
        return key(self.name if self.name == self.sheet else self.name.rpartition(".")[0] or self.name)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of its sheet, its name and its document, from the narrowest to the widest."""
        document = key(self.document_name.rpartition(".")[0] or self.document_name)
        return tuple(dict.fromkeys(filter(None, (key(self.sheet), self.key, document))))

    @cached_property
    def names(self) -> list[list[str]]:
        """The tokens of each column's name."""
        return [key(column.name).split() for column in self.columns]


@dataclass(frozen=True)
class Filter:
    """Rows whose value in the column at `place` compares so with one of `values`; several values only with "=". Without
    values it is the row's value in the column at `than` that it compares with.

    `missing` and `present` take neither. With a `period` it is the day, month, quarter or weekday of a date that is
    compared, whatever the year.
    """

    place: int
    operator: Operator
    values: tuple[str | int | float, ...] = ()
    period: Period | None = None
    than: int | None = None


@dataclass(frozen=True)
class Plan:
    """`measure` of the column at `place` over the rows that pass all filters, for each value of the column at `group`.

    `rows` without a place counts rows, or lists them where `is_list`; `different` counts or lists the values of a
    column. `highest` and `lowest` are the `limit` rows at that end, and with `limit` 1 all that tie for it; of groups,
    the first `limit` are taken, from the lowest up where `ascending`. `share` is the part of the rows, or of the
    sum of the column at `place`, that pass `counted` too.

    What is measured is the column's value times that at `times`, or, of two dates, the days from the one at `since`
    to it. `period` groups dates by month, quarter and so on.
    """

    measure: Measure
    place: int | None = None
    group: int | None = None
    filters: tuple[Filter, ...] = ()
    limit: int | None = None
    ascending: bool = False
    is_list: bool = False
    times: int | None = None
    since: int | None = None
    period: Period | None = None
    counted: tuple[Filter, ...] = ()

    @property
    def is_first(self) -> bool:
        """Whether the answer is the first of the groups."""
        return self.group is not None and self.limit == 1

    @property
    def gives_rows(self) -> bool:
        """Whether the answer is rows of the table."""
        return self.group is None and (
            self.measure in ("highest", "lowest") or (self.measure == "rows" and self.is_list)
        )

    @property
    def places(self) -> list[int]:
        """The columns that it reads."""
        named = (self.place, self.group, self.times, self.since)
        tests = (*self.filters, *self.counted)
        compared = (place for test in tests for place in (test.place, test.than))
        return sorted({place for place in (*named, *compared) if place is not None})
