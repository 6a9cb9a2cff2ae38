"""The numbers, dates and names that a text states, compared by what they mean and not by how they are written.

Names are recognised by their capitals: not at the start of a sentence, in German only two in a row. In scripts that
have none, only a line of descent is one. Units and currencies are ignored.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from docqa.languages import entry, every_pattern
from docqa.text.values import Date, dates, dates_and_numbers, every_number, plain_numbers
from docqa.text.words import has_word, terms

_LIST_MARK = re.compile(r"^\s*\(?\d{1,3}[.)](?=\s|$)")
_DECORATION = re.compile(r"[*_`#>]+")
_NAME = re.compile(r"(?<=[^\W_][\w,] )[^\W\d_](?:[^\W\d_]|['’-](?!\d))+(?!\w)")
_NAME_PART = re.compile(r"[^\W\d_]{2,}")
_NAMES_WITHOUT_CAPITALS = re.compile(every_pattern("text.names"))
_QUOTED = re.compile(r"""["“”„]([^"“”„]+)["“”]|[«»]([^«»]+)[«»]|「([^「」]+)」|『([^『』]+)』|《([^《》]+)》""")


class Claims(NamedTuple):
    """What a sentence states: what each of its dates and each of its numbers may mean, and its names."""

    dates: list[list[Date]]
    numbers: list[set[Decimal]]
    names: list[str]

    @classmethod
    def of(cls, sentence: str, language: str) -> "Claims":
        """All that the sentence states. The number of a list item is not one."""
        plain = _DECORATION.sub("", _LIST_MARK.sub("", sentence)).strip()
        return cls(*dates_and_numbers(plain), names(plain, language))


class Facts:
    """What some texts state: the values of numbers, the dates, and all search terms, among which names are looked up.
    Every reading of a number and a date counts, number words of the language and the parts of spaced numbers too.

    Each is made out when it is first needed.
    """

    def __init__(self, texts: Iterable[str], language: str) -> None:
        self._texts, self._language = list(texts), language

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """Their values."""
        return every_number(self._texts, self._language)

    @cached_property
    def _plain_numbers(self) -> frozenset[Decimal]:
        """Those that are written in digits alone, which are found in a tenth of the time."""
        return frozenset(value for text in self._texts for value in plain_numbers(text))

    @cached_property
    def dates(self) -> frozenset[Date]:
        """Days, and months of which no day is told."""
        return frozenset(date for text in self._texts for readings in dates(text) for date in readings)

    @cached_property
    def terms(self) -> frozenset[str]:
        """The search terms of all texts."""
        return frozenset(word for text in self._texts for word in terms(text))

    def have(self, claims: Claims) -> list[bool]:
        """For each of the dates, then of the numbers, then of the names whether it stands here."""
        return [
            *(any(map(self.has_date, readings)) for readings in claims.dates),
            *map(self._has_number, claims.numbers),
            *map(self.has_words, claims.names),
        ]

    def _has_number(self, readings: set[Decimal]) -> bool:
        return not (self._plain_numbers.isdisjoint(readings) and self.numbers.isdisjoint(readings))

    def has_date(self, date: Date) -> bool:
        """Whether it stands here; a day or year that the date here leaves out may stand elsewhere."""
        year, month, day = date
        return any(
            month == known_month and self._agree(year, known_year) and self._agree(day, known_day)
            for known_year, known_month, known_day in self.dates
        )

    def _agree(self, sought: int | None, known: int | None) -> bool:
        return sought is None or sought == known or (known is None and sought in self.numbers)

    def has_words(self, text: str) -> bool:
        """Whether every word of the text stands here, or one that begins as it does; of scripts without spaces every
        pair of characters."""
        return all(has_word(self.terms, part) for part in _NAME_PART.findall(text))


def names(sentence: str, language: str) -> list[str]:
    """Words with a capital inside a sentence; in German, where all nouns have one, only those that follow such a word.
    Of Arabic, lines of descent."""
    capitalised = [match.span() for match in _NAME.finditer(sentence) if match.group()[0].isupper()]
    ends = {end for _, end in capitalised}
    if entry("text.nouns_have_capitals", language):
        capitalised = [(start, end) for start, end in capitalised if start - 1 in ends]
    return [sentence[start:end] for start, end in capitalised] + _NAMES_WITHOUT_CAPITALS.findall(sentence)


def quoted(sentence: str) -> list[str]:
    """What stands in quotation marks, in those of any language but single ones, which are apostrophes too."""
    return ["".join(groups) for groups in _QUOTED.findall(sentence)]
