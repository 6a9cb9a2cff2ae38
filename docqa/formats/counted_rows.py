"""The rows of a table as they are counted: typed by their columns, without those of totals."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from docqa.formats.columns import Column, Values, columns, value
from docqa.languages import every_word
from docqa.text.keys import key

TOTALS = frozenset(map(key, every_word("tables.totals")))
LEAST_ROWS = 3  # of a table that is worth counting
_SAMPLE = 1_000  # rows by which decimals are judged
_LONGEST_TOTAL = 40  # characters of a label


@dataclass(frozen=True)
class Counted:
    """The columns, the values that a question may name, and each row's values as a JSON array, "" where it is not
    counted; no columns where the table is not."""

    columns: tuple[Column, ...] = ()
    values: tuple[tuple[int, str, str], ...] = ()
    rows: tuple[str, ...] = ()


def counted(
    headings: Sequence[str], rows: Sequence[Sequence[str]], exact: Sequence[Sequence[str]] = (), scale: str = ""
) -> Counted:
    """The rows of a table with these headings. `exact` are their cells with all digits, where they show fewer; `scale`
    is what numbers are in that have no unit of their own."""
    is_total = [is_total_row(row) for row in rows]
    if sum(not total for total in is_total) < LEAST_ROWS or not any(headings):
        return Counted(rows=("",) * len(rows))
    exact = exact or rows
    own = [row for row, total in zip(exact, is_total, strict=True) if not total]
    typed_by = columns(headings, own)
    if exact is not rows:
        shown = columns(headings, [row for row, total in zip(rows, is_total, strict=True) if not total][:_SAMPLE])
        typed_by = tuple(
            replace(column, decimals=other.decimals) if other.kind == column.kind == "number" else column
            for column, other in zip(typed_by, shown, strict=True)
        )
    if not typed_by:
        return Counted(rows=("",) * len(rows))
    values, written = Values(typed_by), []
    for row, total in zip(exact, is_total, strict=True):
        typed = [] if total else [value(cell, column) for cell, column in zip(row, typed_by, strict=False)]
        values.add(typed)
        written.append("" if total else json.dumps(typed, ensure_ascii=False))
    return Counted(tuple(_scaled(column, scale) for column in typed_by), values.keyed(), tuple(written))


def is_total_row(cells: Sequence[str]) -> bool:
    """Whether a row adds up others: counted with them it would count everything twice."""
    label = next(filter(None, cells), "")
    return len(label) <= _LONGEST_TOTAL and key(label) in TOTALS


def _scaled(column: Column, scale: str) -> Column:
    return replace(column, unit=scale) if scale and column.is_amount and not column.unit else column
