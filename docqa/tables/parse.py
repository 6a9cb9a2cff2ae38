"""The words of a question find their places in a table: its columns, its values, numbers and dates, and the words of
docqa/tables/words.py.

It does not guess: a word without a place makes it no question for the table, and so does one with two. It knows no
negation and no ranges.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from docqa.formats.columns import IDENTIFIERS, Value, plain
from docqa.languages import entry, every_word
from docqa.store.table_plan import StoredTable
from docqa.tables.words import UNANSWERABLE, VOCABULARY
from docqa.text.detect import is_function_word
from docqa.text.keys import key
from docqa.text.values import decimal_marks, in_words, iso_date, number

LONGEST_PHRASE = 8  # tokens of the question that one name may take
LONGEST_QUESTION = 60  # tokens; what is longer tells a story
_ENDINGS = every_word("tables.endings")  # of number and case
_VOWELS = frozenset("aeiouyаеиоуыюя")

NamedValues = Mapping[str, Mapping[int, Sequence[str]]]  # key → place of a column → its values with that key


@dataclass(frozen=True)
class Item:
    """A part of the question that has its place: a kind of docqa/tables/words.py, or `column`, `value`, `number`,
    `date`."""

    kind: str
    place: int = -1
    values: tuple[Value, ...] = ()


def phrases(words: Sequence[str]) -> set[str]:
    """Every key that a value named in a question of these words can have."""
    words = words[:LONGEST_QUESTION]
    runs = (
        words[at : at + count]
        for at in range(len(words))
        for count in range(1, LONGEST_PHRASE + 1)
        if at + count <= len(words)
    )
    return {form for run in runs for form in _forms(run)}


def items(words: Sequence[str], language: str, table: StoredTable, values: NamedValues) -> list[Item] | None:
    """The parts of the question in order, the longest names first; None where a word has no place. `values` are those
    of the table among its phrases."""
    if not words or len(words) > LONGEST_QUESTION:
        return None
    placed: list[Item] = []
    at = 0
    while at < len(words):
        for count in range(min(LONGEST_PHRASE, len(words) - at), 0, -1):
            if item := _item(words[at : at + count], language, table, values, placed):
                placed.append(item)
                at += count
                break
        else:
            return None
    return placed


def _item(
    run: Sequence[str], language: str, table: StoredTable, values: NamedValues, before: Sequence[Item]
) -> Item | None:
    phrase = " ".join(run)
    listed = VOCABULARY.get(phrase) or ("filler" if is_function_word(phrase) and phrase not in UNANSWERABLE else None)
    if column := _column(run, table, exactly=True):
        return column
    if (value := _value(run, values, before)) and (listed is None or value.place == _last_column(before)):
        return value
    if listed:
        return Item(listed)
    if phrase == key(table.name):
        return Item("filler")
    if phrase == table.key:  # "orders" for the rows of orders.csv
        return Item("rows")
    if column := _column(run, table, exactly=False):
        return column
    return _amount(run, language)


def amount_of(run: Sequence[str], language: str) -> Value:
    """The number or the date that these tokens are and nothing else; None for any other."""
    item = _amount(run, language)
    return item.values[0] if item else None


def _amount(run: Sequence[str], language: str) -> Item | None:
    """A number in digits or in words, or a date. "One" is no number: in most languages it is an article too."""
    phrase = " ".join(run)
    if marks := decimal_marks(phrase):
        usual = entry("decimal_mark", language)
        return Item("number", values=(plain(number(phrase, usual if usual in marks else min(marks))),))
    if day := iso_date(phrase, day_first=True):
        return Item("date", values=(day,))
    count = in_words(phrase, language)
    return Item("number", values=(count,)) if count and count > 1 else None


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


def _value(run: Sequence[str], values: NamedValues, before: Sequence[Item]) -> Item | None:
    """The value of this name, in the column just named if that has it; None where it could be in several."""
    own = _last_column(before)
    places = next((values[form] for form in _forms(run) if form in values), {})
    place = own if own in places else next(iter(places)) if len(places) == 1 else None
    return None if place is None else Item("value", place, tuple(places[place]))


def _last_column(before: Sequence[Item]) -> int | None:
    """The column that was named last, with nothing but "is" and "=" after it."""
    last = next((item for item in reversed(before) if item.kind != "="), None)
    return last.place if last and last.kind == "column" else None
