"""The numbers, dates and names that a text states, compared by what they mean and not by how they are written.

Names are recognised by their capitals: not at the start of a sentence, in German only two in a row. In scripts that
have none, only a line of descent is one. Units and currencies are ignored.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from docqa.text.values import Date, dates, dates_and_numbers, every_number
from docqa.text.words import is_dense, terms

Counts = tuple[list[list[Date]], list[set[Decimal]]]  # what each date and each number may mean

_LIST_MARK = re.compile(r"^\s*\(?\d{1,3}[.)](?=\s|$)")
_DECORATION = re.compile(r"[*_`#>]+")
_NAME = re.compile(r"(?<=[^\W_][\w,] )[^\W\d_](?:[^\W\d_]|['’-](?!\d))+(?!\w)")
_NAME_PART = re.compile(r"[^\W\d_]{2,}")
_NOUNS_HAVE_CAPITALS = {"de", "lb"}
_DESCENT = re.compile(
    r"(?<![^\W\d_])[^\W\d_]{2,}+(?:\s+(?:بن|ابن|بنت)\s+(?:(?:عبد|أب[يوى])\s+)?[^\W\d_]{2,})+"
)  # "Omar son of Khattab"
_QUOTED = re.compile(r"""["“”„]([^"“”„]+)["“”]|[«»]([^«»]+)[«»]|「([^「」]+)」|『([^『』]+)』|《([^《》]+)》""")


@dataclass(frozen=True)
class Facts:
    """What some texts state: the values of numbers, the dates, and all search terms, among which names are looked
    up."""

    numbers: frozenset[Decimal]
    dates: frozenset[Date]
    terms: frozenset[str]

    @classmethod
    def of(cls, texts: Iterable[str], language: str) -> "Facts":
        """Every reading of every number and date counts, number words of the language and the parts of spaced numbers
        too."""
        texts = list(texts)
        return cls(
            every_number(texts, language),
            frozenset(date for text in texts for readings in dates(text) for date in readings),
            frozenset(word for text in texts for word in terms(text)),
        )

    def have(self, counts: Counts) -> list[bool]:
        """For each of the dates and then of the numbers whether it stands here."""
        dates, numbers = counts
        return [any(map(self.has_date, readings)) for readings in dates] + [
            not self.numbers.isdisjoint(readings) for readings in numbers
        ]

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
        return all(
            self.terms.issuperset(terms(part)) if is_dense(part) else not self.terms.isdisjoint(terms(part))
            for part in _NAME_PART.findall(text)
        )


def stated(sentence: str, language: str, held: Facts) -> list[bool]:
    """For each date, number and name of the sentence whether `held` has it. The number of a list item is not one."""
    return held.have(counts(sentence)) + [held.has_words(name) for name in names(_plain(sentence), language)]


def counts(sentence: str) -> Counts:
    """The dates and numbers of the sentence."""
    return dates_and_numbers(_plain(sentence))


def _plain(sentence: str) -> str:
    return _DECORATION.sub("", _LIST_MARK.sub("", sentence)).strip()


def names(sentence: str, language: str) -> list[str]:
    """Words with a capital inside a sentence; in German, where all nouns have one, only those that follow such a word.
    Arabic lines of descent, whole."""
    capitalised = [match.span() for match in _NAME.finditer(sentence) if match.group()[0].isupper()]
    ends = {end for _, end in capitalised}
    if language in _NOUNS_HAVE_CAPITALS:
        capitalised = [(start, end) for start, end in capitalised if start - 1 in ends]
    return [sentence[start:end] for start, end in capitalised] + _DESCENT.findall(sentence)


def quoted(sentence: str) -> list[str]:
    """What stands in quotation marks, in those of any language but single ones, which are apostrophes too."""
    return ["".join(groups) for groups in _QUOTED.findall(sentence)]
