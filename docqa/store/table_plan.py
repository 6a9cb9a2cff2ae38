"""What a question asks of a table: what is measured, over which rows, in which groups. `tables.py` turns it into
SQL."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from docqa.formats.columns import Column
from docqa.text.keys import key

Measure = Literal["rows", "different", "sum", "mean", "median", "highest", "lowest"]
Operator = Literal["=", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class StoredTable:
    """A table of a document; `name` is the document's, `columns` are in the order of their places."""

    document: int
    name: str
    columns: tuple[Column, ...]

    @cached_property
    def key(self) -> str:
        """The key by which a question names the table."""
        return key(self.name.rpartition(".")[0] or self.name)

    @cached_property
    def names(self) -> list[list[str]]:
        """The tokens of each column's name."""
        return [key(column.name).split() for column in self.columns]


@dataclass(frozen=True)
class Filter:
    """Rows whose value in the column at `place` compares so with one of `values`; several values only with "="."""

    place: int
    operator: Operator
    values: tuple[str | int | float, ...]


@dataclass(frozen=True)
class Plan:
    """`measure` of the column at `place` over the rows that pass all filters, for each value of the column at `group`.

    `rows` without a place counts rows, or lists them where `is_list`; `different` counts or lists the values of a
    column. `highest` and `lowest` are the `limit` rows at that end, and with `limit` 1 all that tie for it; of groups,
    the first `limit` are taken, from the lowest up where `ascending`.
    """

    measure: Measure
    place: int | None = None
    group: int | None = None
    filters: tuple[Filter, ...] = ()
    limit: int | None = None
    ascending: bool = False
    is_list: bool = False

    @property
    def gives_rows(self) -> bool:
        """Whether the answer is rows of the table."""
        return self.group is None and (
            self.measure in ("highest", "lowest") or (self.measure == "rows" and self.is_list)
        )
