"""The conditions that a question sets: which rows of a table its values, numbers and dates let through."""

from collections.abc import Sequence
from datetime import date, timedelta

from docqa.formats.columns import Value
from docqa.store.table_plan import Filter, Operator, StoredTable
from docqa.tables.parse import Item

_IN_TIME: dict[str, Operator] = {"before": "<", "until": "<=", "after": ">", "since": ">="}
_OPERATORS: dict[str, Operator] = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", **_IN_TIME}


def filtered(parts: Sequence[Item], table: StoredTable) -> tuple[tuple[Filter, ...], list[Item]] | None:
    """(conditions, what is left of the question); None where a number or date has no column that it fits."""
    left = list(parts)
    values: dict[int, list[str | int | float]] = {}
    compared: list[Filter] = []
    at = 0
    while at < len(left):
        part = left[at]
        if part.kind == "value":
            values.setdefault(part.place, []).extend(value for value in part.values if value is not None)
            at = _drop(left, at, part.place)
        elif part.kind in ("number", "date") and not _is_limit(left, at):
            if (condition := _comparison(left, at, table)) is None:
                return None
            filters, first, last = condition
            compared += filters
            del left[first:last]
            at = first
        else:
            at += 1
    if any(part.kind == "or" for part in left) and (compared or len(values) != 1):
        return None
    conditions = (*(Filter(place, "=", tuple(dict.fromkeys(some))) for place, some in values.items()), *compared)
    return conditions, [part for part in left if part.kind not in ("=", "or", "filler")]


def _drop(left: list[Item], at: int, place: int) -> int:
    """Remove the item, and its column beside it, which only says where it stands; the index of what follows."""
    first, last = _before(left, at), at + 1
    if first is not None and left[first] == Item("column", place):
        del left[first:last]
        return first
    if last < len(left) and left[last] == Item("column", place):
        last += 1
    del left[at:last]
    return at


def _before(left: Sequence[Item], at: int) -> int | None:
    """Where the last thing before this one stands, with nothing but small words between."""
    return next((index for index in range(at - 1, -1, -1) if left[index].kind not in ("=", "filler")), None)


def _is_limit(left: Sequence[Item], at: int) -> bool:
    """Whether a number says how many: the top 5, the 3 largest."""
    before = _before(left, at)
    beside = [left[near].kind for near in (before, at + 1) if near is not None and near < len(left)]
    number = left[at].values[0] if left[at].kind == "number" else 0
    return (
        isinstance(number, int) and 0 < number <= 1000 and any(kind in ("top", "highest", "lowest") for kind in beside)
    )


def _comparison(left: Sequence[Item], at: int, table: StoredTable) -> tuple[list[Filter], int, int] | None:
    """(conditions, start, end in `left`) of a number or date with its comparison and its column; None where they do not
    fit."""
    [amount] = left[at].values
    first, last, word = at, at + 1, "="
    if first and left[first - 1].kind in _OPERATORS:
        first, word = first - 1, left[first - 1].kind
    elif last < len(left) and left[last].kind in _OPERATORS:
        last, word = last + 1, left[last].kind
    operator = _OPERATORS.get(word, "=")
    before = _before(left, first)
    if (
        before is not None
        and left[before].kind == "column"
        and (word != "=" or all(item.kind == "=" for item in left[before + 1 : first]))
    ):
        if filters := _conditions(left[before].place, operator, amount, table):
            return filters, before, last
    elif (
        last < len(left)
        and left[last].kind == "column"
        and word != "="
        and (filters := _conditions(left[last].place, operator, amount, table))
    ):
        return filters, first, last + 1
    dated = _dated(amount, table) if word == "=" or word in _IN_TIME or isinstance(amount, str) else []
    filters = _conditions(dated[0], operator, amount, table) if len(dated) == 1 else []
    return (filters, first, last) if filters else None


def _is_year(amount: Value) -> bool:
    return isinstance(amount, int) and 1800 <= amount < 2200


def _dated(amount: Value, table: StoredTable) -> list[int]:
    """The columns that a year or a day can belong to where the question names none."""
    if not _is_year(amount) and not isinstance(amount, str):
        return []
    return [
        place
        for place, column in enumerate(table.columns)
        if column.kind == "date" or (_is_year(amount) and column.is_year)
    ]


def _conditions(place: int, operator: Operator, amount: Value, table: StoredTable) -> list[Filter]:
    """The conditions that compare a column with an amount; [] where it does not fit. Identifiers are not more or less
    than others."""
    column = table.columns[place]
    if (
        column.kind == "number"
        and isinstance(amount, int | float)
        and (column.is_amount or column.is_year or operator == "=")
    ):
        return [Filter(place, operator, (amount,))]
    if column.kind == "date" and (_is_year(amount) or isinstance(amount, str)):
        return _within(place, operator, str(amount))
    return []


def _within(place: int, operator: Operator, period: str) -> list[Filter]:
    """A date against a year, a month or a day: what is after one is not within it, at whatever hour."""
    after = _next(*map(int, period.split("-")))
    bounds: dict[Operator, list[tuple[Operator, str]]] = {
        "=": [(">=", period), ("<", after)],
        "<": [("<", period)],
        "<=": [("<", after)],
        ">": [(">=", after)],
        ">=": [(">=", period)],
    }
    return [Filter(place, bound, (value,)) for bound, value in bounds[operator]]


def _next(year: int, month: int | None = None, day: int | None = None) -> str:
    """The period after this one, as ISO 8601 writes it."""
    if month is None:
        return str(year + 1)
    if day is None:
        return f"{year + month // 12:04}-{month % 12 + 1:02}"
    return (date(year, month, day) + timedelta(1)).isoformat()
