"""The numbers of a question with the words beside them, which say what they are of: 88 kg, a clearance of 22."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from docqa.text.detect import is_function_word
from docqa.text.values import decimal_marks, in_words, number

_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"\d+(?:[.,'’]\d+)*")
_MOST_BEFORE = 2  # words that say what a number is of


@dataclass(frozen=True)
class Spoken:
    """A number as a question writes it; `unit` is the word behind it, `beside` that and those before it."""

    word: str
    value: float
    unit: str
    beside: frozenset[str]


def _tells(word: str) -> bool:
    return not is_function_word(word)


def value_written(digits: str) -> float:
    """A number as it is written, whose first mark groups thousands where it may: 10,000 and 10.000 are ten thousand.
    Zero where it is none, such as 1.2.3."""
    marks = decimal_marks(digits)
    if not marks:
        return 0.0
    is_open = len(marks) > 1
    return float(number(digits, ("." if "," in digits else ",") if is_open else next(iter(marks))))


def _value(word: str, language: str) -> float | None:
    """The number that a token is, in digits or in words; none is "one", which is an article too."""
    if _NUMBER.fullmatch(word):
        return value_written(word)
    count = in_words(word, language) if word.isalpha() else None
    return float(count) if count and count > 1 else None


def numbers_in(tokens: Sequence[str], language: str) -> list[Spoken]:
    """The numbers of a question's tokens but years, in order."""
    numbers: list[Spoken] = []
    before: list[str] = []  # words since the unit of the last number
    for at, word in enumerate(tokens):
        value = _value(word, language)
        if value is None:
            is_unit = at > 0 and _NUMBER.fullmatch(tokens[at - 1])
            before = [] if is_unit else [*before, word]
            continue
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        unit = "" if _NUMBER.fullmatch(following) or is_function_word(following) else following
        own = dropwhile(is_function_word, reversed(before))
        telling = list(takewhile(_tells, own))[:_MOST_BEFORE]
        if not _YEAR.fullmatch(word):
            numbers.append(Spoken(word, value, unit, frozenset({unit, *telling} - {""})))
        before = []
    return numbers
