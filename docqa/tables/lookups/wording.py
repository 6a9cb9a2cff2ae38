"""The words by which names in tables are found, and those that say less than others: units, scales, polite phrases."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise

from docqa.languages import every, every_word
from docqa.text.detect import is_function_word
from docqa.text.keys import key
from docqa.text.words import terms

_CAPITAL = re.compile(r"(?<![^\W\d_])[A-Z](?![\w'’.])")
_LETTERED = re.compile(r"([^\W_]+?)[ -]?(?<![^\W\d_])([A-Z])(?![\w'’.])")
_ORDINAL = re.compile(r"\.?[ºª] ?")
_ARABIC = re.compile(r"[\u0620-\u064a]{2,}")
_SHORTEST_STEM = 3
_BRACKETS = re.compile(r"[(\[（][^)\]）]*[)\]）]")


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


@lru_cache(50_000)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text by which it is found, all of them if it has only small ones. What stands in brackets does not
    count: a unit, an explanation."""
    own = key(_BRACKETS.sub(" ", text)).split() or key(text).split()
    letters = {letter for _, letter in lettered(text)} if has_letter(text) else ()
    return tuple(word for word in own if word in letters or not is_function_word(word)) or tuple(own)


def has_letter(text: str) -> bool:
    """Whether a capital letter stands alone in it."""
    return bool(_CAPITAL.search(text))


@lru_cache(50_000)
def lettered(text: str) -> frozenset[tuple[str, str]]:
    """The capital letters of a name that stand alone behind a word or number, with that: Tier A, 2B. They tell it from
    others, though "a" is an article elsewhere."""
    if not has_letter(text) or text.isupper() and any(len(word) > 2 and word.isalpha() for word in text.split()):
        return frozenset()
    text = _ORDINAL.sub(" ", text)
    pairs = ((key(match[1]).split(), match[2].casefold()) for match in _LETTERED.finditer(text))
    return frozenset((before[-1], letter) for before, letter in pairs if before)


@lru_cache(50_000)
def stem_behind_prefixes(word: str) -> str:
    """What is left of an Arabic word without what is written together with it, such as its article; "" of any other.

    A feminine ending becomes a t before a pronoun: my grade.
    """
    if not _ARABIC.match(word):
        return ""
    stem = next(iter(terms(word)), "")
    return stem.removesuffix("ت") if len(stem) > _SHORTEST_STEM else stem
