"""The bounds that a text puts to a number: up to 10 kg, from 16 years on, no more than three, 8 to 19."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Literal, NamedTuple

from docqa.languages import entry, pattern
from docqa.text.detect import is_function_word
from docqa.text.values import date_places, in_words, numbers
from docqa.text.words import fold, is_dense, stem

Side = Literal["between", "most", "least", "below", "above"]
LONGEST_SYMBOL = 3  # letters of a unit: kg, min
SIDES: tuple[Side, ...] = ("between", "most", "least", "below", "above")  # the longer wordings first
_MINUTES = r"(?:(?::|h|時|时)[0-5]\d(?!\d))?"  # of a time: 22:30, 22h30
_DIGITS = rf"\d+(?:[.,'’]\d+)*{_MINUTES}"
# A word may stand between the number and what makes it a bound: 16 years or more.
_BOUND = rf"(?<![\w.,]){_DIGITS}(?:\s?(?!\d)\w+)??"
_DENSE_BOUND = rf"(?<![\d.,]){_DIGITS}(?:[^\W\d_]{{1,3}})??"
_NUMBER = re.compile(rf"(?<![\w.,])(?P<digits>{_DIGITS})(?:\s?(?P<unit>[^\W\d_]+))?")
_DENSE_NUMBER = re.compile(rf"(?<![\d.,])(?P<digits>{_DIGITS})(?P<unit>[^\W\d_])?")
_WORD = re.compile(r"[^\W\d_]+")


class Measured(NamedTuple):
    """A number that a text states, and the stem of the word behind it, its first letter in scripts without spaces; ""
    where there is none that may be its unit."""

    value: Decimal
    unit: str


class Bound(NamedTuple):
    """What a number may be: `text[start:end]` says so of `numbers`, two of what lies between."""

    side: Side
    numbers: tuple[Measured, ...]
    start: int
    end: int

    def admits(self, value: Decimal) -> bool:
        """Whether a number keeps to it; from 22 to 7 is the night."""
        first, last = self.numbers[0].value, self.numbers[-1].value
        match self.side:
            case "between":
                return first <= value <= last if first <= last else value >= first or value <= last
            case "most":
                return value <= first
            case "least":
                return value >= first
            case "below":
                return value < first
        return value > first


def in_digits(text: str, language: str) -> str:
    """The text with its number words from two on as digits, and without its dates."""
    for start, end in reversed(date_places(text)):
        text = f"{text[:start]} {text[end:]}"

    def digits(word: re.Match[str]) -> str:
        value = in_words(fold(word[0]), language)
        return str(value) if value and value > 1 else word[0]

    return _WORD.sub(digits, text)


def measured(text: str, language: str) -> list[Measured]:
    """The numbers of a text as `in_digits` makes it."""
    stating = _DENSE_NUMBER if is_dense(text) else _NUMBER
    return [
        Measured(value, _unit(match["unit"] or "", language))
        for match in stating.finditer(text)
        if (value := _value(match["digits"])) is not None
    ]


def bounds(text: str, language: str) -> list[Bound]:
    """The bounds of a text as `in_digits` makes it, none of them within another; none in languages whose words for them
    are not known."""
    stated: list[Bound] = []
    for bound in _bounds(text, language):
        if all(bound.end <= other.start or other.end <= bound.start for other in stated):
            stated.append(bound)
    return stated


def _bounds(text: str, language: str) -> Iterator[Bound]:
    for side in SIDES:
        for match in _compiled(side, language).finditer(text):
            if values := measured(text[match.start() : _end_of_word(text, match.end())], language):
                yield Bound(side, tuple(values), match.start(), match.end())


def _end_of_word(text: str, end: int) -> int:
    """The end of the word that stands behind a bound, which may be its unit."""
    behind = _WORD.match(text, end + 1 if text[end : end + 1].isspace() else end)
    return behind.end() if behind else end


def _value(digits: str) -> Decimal | None:
    """Of what may be one or thousands (1.200), the thousands; None for a version or a reference; of a time the hours
    with what part of one its minutes are."""
    stated = numbers(digits)
    if not stated or len(stated) > 2:
        return None
    minutes = max(stated[1]) / 60 if len(stated) == 2 else Decimal(0)
    return max(stated[0]) + minutes


def _unit(word: str, language: str) -> str:
    if is_dense(word):
        return word[0]
    is_verb = entry("text.nouns_have_capitals", language) and word.islower() and len(word) > LONGEST_SYMBOL
    return "" if is_verb or is_function_word(fold(word)) else stem(word.casefold())


@cache
def _compiled(side: Side, language: str) -> re.Pattern[str]:
    known = pattern(f"polarity.bounds.{side}", language)
    if not known:
        return re.compile("(?!)")
    is_unspaced = is_dense(known.replace("{n}", ""))
    alternatives = known.replace("{n}", _DENSE_BOUND if is_unspaced else _BOUND)
    edge = "" if is_unspaced else r"(?<!\w)"
    return re.compile(rf"{edge}(?:{alternatives})", re.IGNORECASE)
