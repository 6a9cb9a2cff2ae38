"""The words of questions about tables besides the names of columns and values, in all languages together.

Each stands in the languages' files as it is written and is found here by its key (`formats.columns.key`). Inflections
that are not listed there are not known.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from docqa.languages import entry, every_word, words
from docqa.text.detect import is_function_word
from docqa.text.keys import key

# In this order: a word that two lists have is taken as of the first.
KINDS = {
    "count": "count",
    "sum": "sum",
    "mean": "mean",
    "median": "median",
    "highest": "highest",
    "lowest": "lowest",
    "top": "top",
    "group": "group",
    "rows": "rows",
    "list": "list",
    "different": "different",
    ">": "more",
    "<": "less",
    ">=": "at_least",
    "<=": "at_most",
    "after": "after",
    "before": "before",
    "since": "since",
    "until": "until",
    "=": "equal",
    "or": "or",
    "filler": "filler",
}
# Kinds of words besides these, in the same order of preference.
WORDS = (
    "share",
    "missing",
    "negation",
    "including",
    "best",
    "worst",
    "busiest",
    "quietest",
    "fastest",
    "slowest",
    "cheapest",
    "dearest",
    "youngest",
    "duration",
    "year",
    "quarter",
    "month",
    "week",
    "weekday",
    "day",
)


@cache
def vocabulary(language: str) -> Mapping[str, str]:
    """The words of a language's lists by their keys → kind; those of English too, as the language of a few words is
    often unclear."""
    known = dict(_vocabulary("en"))
    if language != "en" and entry("tables.count", language):
        known.update(_vocabulary(language))
    return known


def _vocabulary(code: str) -> dict[str, str]:
    known: dict[str, str] = {}
    for word in words("tables.light", code) | words("tables.filler", code):
        known[key(word)] = "filler"
    for kind, name in [*reversed(KINDS.items()), *((name, name) for name in reversed(WORDS))]:
        if kind == "filler":
            continue
        for word in words(f"tables.{name}", code):
            known[key(word) or word] = kind
    for kind, name in ((">=", "or_more"), ("<=", "or_less")):
        for word in map(key, words(f"tables.{name}", code)):
            known |= {word: kind} if " " in word else {}  # "from" and "until" say it of days too
    for word in words("tables.how_much", code):
        known[key(word)] = "how_much"
    for kind in ("person", "time"):
        known.update({key(word): kind for word in words(f"questions.words.{kind}", code)})
    return known


def is_small(word: str, language: str) -> bool:
    """Whether a word names nothing by itself: a function word, or one of two letters that says nothing of tables."""
    return is_function_word(word) or len(word) < 3 and vocabulary(language).get(word) == "filler"


@cache
def listed(name: str, language: str) -> frozenset[str]:
    """The keys of a list of words about tables, of this language and of English."""
    return frozenset(key(word) for code in ("en", language) for word in words(f"tables.{name}", code))


def spoken(name: str, tokens: Sequence[str], language: str) -> set[str]:
    """The tokens of a question that are of a list, alone or in a phrase of it."""
    text = f" {' '.join(tokens)} "
    return {word for run in listed(name, language) if f" {run} " in text for word in run.split()}


@cache
def codes_of(place: Literal["currency_names", "unit_names"], language: str) -> Mapping[str, str]:
    """The keys of what currencies or units are called, in this language and in English → their codes, in small letters:
    those of ISO 4217, km."""
    return {
        key(name): code
        for of in ("en", language)
        for code, names in (entry(f"tables.{place}", of) or {}).items()
        for name in names
    }


@cache
def totals() -> frozenset[str]:
    """The words that rows of sums are labelled with."""
    return frozenset(word for name in every_word("tables.totals") for word in key(name).split())


@cache
def weekdays(language: str) -> dict[str, int]:
    """The keys of the weekdays, of this language and of English, one or several of them, with their numbers from Sunday
    on."""
    names = {
        key(name): number
        for code in ("en", language)
        for number, name in enumerate(entry("tables.weekday_names", code) or ())
    }
    return names | {name + "s": number for name, number in names.items() if " " not in name}
