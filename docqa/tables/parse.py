"""The words of a question find their places in a table: its columns, its values, conditions on them, and the words of
docqa/tables/words.py.

It does not guess: a word without a place makes it no question for the table, and so does one with two. It knows no
negation and no ranges.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from docqa.formats.columns import IDENTIFIERS, Value, key, parse_date, parse_number, tokens
from docqa.languages import entry
from docqa.store.table_plan import Filter, Operator, StoredTable
from docqa.tables.words import NUMBERS, UNANSWERABLE, VOCABULARY
from docqa.text.detect import is_function_word

LONGEST_PHRASE = 8  # tokens of the question that one name may take
LONGEST_QUESTION = 60  # tokens; what is longer tells a story
# fmt: off
_ENDINGS = (
    "s", "es", "e", "n", "en", "er", "i", "y", "a", "и", "ы", "а", "у", "ов", "ам", "lar", "ler", "lari", "leri",
)
# fmt: on
_VOWELS = frozenset("aeiouyаеиоуыюя")

_IN_TIME: dict[str, Operator] = {"before": "<", "until": "<=", "after": ">", "since": ">="}
_OPERATORS: dict[str, Operator] = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", **_IN_TIME}
Found = Mapping[str, Mapping[int, Sequence[str]]]  # key → place of a column → its values with that key


@dataclass(frozen=True)
class Item:
    """A part of the question that has its place: a kind of docqa/tables/words.py, or `column`, `value`, `number`,
    `date`."""

    kind: str
    place: int = -1
    values: tuple[Value, ...] = ()


def phrases(question: str) -> set[str]:
    """Every key that a value named in the question can have."""
    words = tokens(question)[:LONGEST_QUESTION]
    runs = (
        words[at : at + count]
        for at in range(len(words))
        for count in range(1, LONGEST_PHRASE + 1)
        if at + count <= len(words)
    )
    return {form for run in runs for form in _forms(run)}


def items(question: str, language: str, table: StoredTable, found: Found) -> list[Item] | None:
    """The parts of the question in order, the longest names first; None where a word has no place. `found` are the
    table's values among its phrases."""
    words = tokens(question)
    if not words or len(words) > LONGEST_QUESTION:
        return None
    placed: list[Item] = []
    at = 0
    while at < len(words):
        for count in range(min(LONGEST_PHRASE, len(words) - at), 0, -1):
            if item := _item(words[at : at + count], language, table, found, placed):
                placed.append(item)
                at += count
                break
        else:
            return None
    return placed


def _item(run: Sequence[str], language: str, table: StoredTable, found: Found, before: Sequence[Item]) -> Item | None:
    phrase = " ".join(run)
    listed = VOCABULARY.get(phrase) or ("filler" if is_function_word(phrase) and phrase not in UNANSWERABLE else None)
    if column := _column(run, table, exactly=True):
        return column
    if (value := _value(run, found, before)) and (listed is None or value.place == _last_column(before)):
        return value
    if listed:
        return Item(listed)
    if phrase == key(table.name):
        return Item("filler")
    if phrase == table.key:  # "orders" for the rows of orders.csv
        return Item("rows")
    if column := _column(run, table, exactly=False):
        return column
    return _amount(run[0], language) if len(run) == 1 else None


def _amount(word: str, language: str) -> Item | None:
    if (number := parse_number(word, entry("decimal_mark", language) or ".")) is not None:
        return Item("number", values=(number,))
    if day := parse_date(word, day_first=True):
        return Item("date", values=(day,))
    return Item("number", values=(NUMBERS[word],)) if word in NUMBERS else None


# --- names and values -------------------------------------------------------------------------------------------------


def _column(run: Sequence[str], table: StoredTable, *, exactly: bool) -> Item | None:
    """The one column of this name; not exactly: in another form, by the end of its name, or by what it identifies."""
    if exactly:
        fits = {place for place, name in enumerate(table.names) if name == list(run)}
    else:
        fits = {place for place, name in enumerate(table.names) if _are_forms(run, name)}
        fits = fits or {
            place for place, name in enumerate(table.names) for part in _parts(name) if _are_forms(run, part)
        }
    return Item("column", fits.pop()) if len(fits) == 1 else None


def _parts(name: Sequence[str]) -> Iterator[Sequence[str]]:
    """Shorter names: "orders" for Order ID, "price" for Unit Price. Not in scripts where a character is a token."""
    if len(name) > 1 and all(len(word) > 1 for word in name):
        if name[-1] in IDENTIFIERS:
            yield name[:-1]
        else:
            yield from (name[start:] for start in range(1, len(name)) if len(name[start]) > 2)


def _are_forms(run: Sequence[str], name: Sequence[str]) -> bool:
    return len(run) == len(name) and all(map(is_form, run, name))


def is_form(word: str, other: str) -> bool:
    """Whether two words are the same but for an ending of number or case."""
    short, long = sorted((word, other), key=len)
    if short == long or (len(short) > 2 and long.startswith(short) and long[len(short) :] in _ENDINGS):
        return True
    if long.endswith("ies") and short == long[:-3] + "y":
        return True
    return len(short) == len(long) > 4 and short[:-1] == long[:-1] and {short[-1], long[-1]} <= _VOWELS


def _forms(run: Sequence[str]) -> Iterator[str]:
    """The keys of values that a run of words can name: itself, and its last word with another ending."""
    *others, last = run
    yield " ".join(run)
    if last.isalpha():
        yield " ".join([*others, last + "s"])
        yield from (
            " ".join([*others, last[: -len(end)]])
            for end in _ENDINGS
            if last.endswith(end) and len(last) - len(end) > 3
        )


def _value(run: Sequence[str], found: Found, before: Sequence[Item]) -> Item | None:
    """The value of this name, in the column just named if that has it; None where it could be in several."""
    own = _last_column(before)
    places = next((found[form] for form in _forms(run) if form in found), {})
    place = own if own in places else next(iter(places)) if len(places) == 1 else None
    return None if place is None else Item("value", place, tuple(places[place]))


def _last_column(before: Sequence[Item]) -> int | None:
    """The column that was named last, with nothing but "is" and "=" after it."""
    last = next((item for item in reversed(before) if item.kind != "="), None)
    return last.place if last and last.kind == "column" else None


# --- conditions -------------------------------------------------------------------------------------------------------


def filtered(parts: Sequence[Item], table: StoredTable) -> tuple[tuple[Filter, ...], list[Item]] | None:
    """(conditions, what is left of the question); None where one cannot be told."""
    left = list(parts)
    values: dict[int, list[str | int | float]] = {}
    compared: list[Filter] = []
    at = 0
    while at < len(left):
        part = left[at]
        if part.kind == "value":
            values.setdefault(part.place, []).extend(one for one in part.values if one is not None)
            at = _drop(left, at, part.place)
        elif part.kind in ("number", "date") and not _is_limit(left, at):
            if (condition := _comparison(left, at, table)) is None:
                return None
            found, first, last = condition
            compared += found
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
        if found := _conditions(left[before].place, operator, amount, table):
            return found, before, last
    elif (
        last < len(left)
        and left[last].kind == "column"
        and word != "="
        and (found := _conditions(left[last].place, operator, amount, table))
    ):
        return found, first, last + 1
    dated = _dated(amount, table) if word == "=" or word in _IN_TIME or isinstance(amount, str) else []
    found = _conditions(dated[0], operator, amount, table) if len(dated) == 1 else []
    return (found, first, last) if found else None


def _is_year(amount: Value) -> bool:
    return isinstance(amount, int) and 1800 <= amount < 2200


def _dated(amount: Value, table: StoredTable) -> list[int]:
    """The columns that a year or a day can be meant of where none is named."""
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
    """A date against a year or a day: what is after one is not within it, at whatever hour."""
    after = str(int(period) + 1) if period.isdigit() else (date.fromisoformat(period) + timedelta(1)).isoformat()
    bounds: dict[Operator, list[tuple[Operator, str]]] = {
        "=": [(">=", period), ("<", after)],
        "<": [("<", period)],
        "<=": [("<", after)],
        ">": [(">=", after)],
        ">=": [(">=", period)],
    }
    return [Filter(place, bound, (value,)) for bound, value in bounds[operator]]
