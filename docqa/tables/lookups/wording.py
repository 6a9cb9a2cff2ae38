"""The words of a question and of names in tables that say less than others: units, scales, phrases of asking."""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise

from docqa.languages import every, every_word
from docqa.text.keys import key


@cache
def units() -> frozenset[str]:
    """The keys of all units."""
    return frozenset(key(unit) for name in ("units", "units_of_time") for unit in every_word(f"tables.{name}"))


@cache
def times() -> frozenset[str]:
    """The keys of the units of time."""
    names = ("units_of_time", "year", "month", "week", "day")
    return frozenset(key(unit) for name in names for unit in every_word(f"tables.{name}"))


@cache
def scales() -> frozenset[str]:
    """The words by which one says what a figure is wanted in: USD millions."""
    words = {word for known in every("text.scales").values() for said in known.values() for word in said}
    return frozenset(key(word) for word in words | every_word("tables.currencies"))


@lru_cache(50_000)
def measures_in(name: tuple[str, ...]) -> frozenset[str]:
    """The words of a name that are a number with its unit, which one leaves out: Rye flour 5 kg."""
    pairs = ((word, unit) for word, unit in pairwise(name) if word.isdecimal() and unit in units())
    return frozenset(word for pair in pairs for word in pair)


def is_letter(word: str) -> bool:
    """Whether a token is what an apostrophe leaves of a word, c of c'est: no digit, and no character of Chinese."""
    return len(word) == 1 and word.isascii() and word.isalpha()


def without_phrases(tokens: Sequence[str], plain: frozenset[str]) -> list[str]:
    """The tokens without those of a listed phrase of several."""
    left: list[str] = []
    at = 0
    while at < len(tokens):
        size = next((n for n in (4, 3, 2) if " ".join(tokens[at : at + n]) in plain and at + n <= len(tokens)), 0)
        left += tokens[at : at + 1] if not size else []
        at += size or 1
    return left
