"""The numbers, dates and names that a text states, compared by what they mean and not by how they are written.

Names are told by their capitals: not at the start of a sentence, in German only two in a row. In scripts that have
none, only a line of descent is one. Number words are known up to twelve. Units and currencies are not looked at.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from docqa.languages import every
from docqa.text.words import fold, is_dense, terms

Date = tuple[int | None, int, int | None]  # year, month, day; None where the text leaves it out
Counts = tuple[list[list[Date]], list[set[Decimal]]]  # what each date and each number may mean

_SPACE = "[ \u00a0\u2009\u202f]"
_NUMBER = re.compile(rf"\d{{1,3}}(?:{_SPACE}\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:[.,'’]\d{2,3})*[.,'’]\d{3}")
_ARABIC_SIGNS = str.maketrans({"٫": ".", "٬": ","})
_SCALE = {
    fold(word): Decimal(10) ** int(power)
    for scales in every("text.scales").values()
    for power, words in scales.items()
    for word in words
}
_SCALE_WORD = re.compile(rf"{_SPACE}?(百万|[万萬亿億千억만천]|[^\W\d_]+)")
_NUMBER_WORDS = {
    code: {fold(word): Decimal(value) for value, word in enumerate(words, 1)}
    for code, words in every("text.numbers").items()
}
_SYMBOL = re.compile(r"[一二三四五六七八九十]|[^\W\d_]+")
_ALONE = re.compile(r"(?<![\d.,'’])\d+(?![.,'’]*\d)")
_MONTH = {
    fold(word): number
    for names in (*every("text.short_months").values(), *every("text.months").values())
    for number, words in enumerate(names, 1)
    for word in words.split("|")
}
_MONTH_WORD = "|".join(sorted(map(re.escape, _MONTH), key=len, reverse=True))
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"(?<!\w)(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|o|[.°])?,? (?:de |of |ב)?(?P<month>{_MONTH_WORD})(?!\w)"
            r"\.?(?:,? (?:de |del |of )?(?P<year>\d{4})(?!\w))?"
        ),
        rf"(?<!\w)(?P<month>{_MONTH_WORD})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\w)(?:,? (?P<year>\d{{4}})(?!\w))?",
        rf"(?<!\w)(?P<month>{_MONTH_WORD})\.?,? (?:de |del |of )?(?P<year>\d{{4}})(?!\w)",
        r"(?P<year>\d{4}) ?[年년] ?(?P<month>\d{1,2}) ?[月월](?: ?(?P<day>\d{1,2}) ?[日号일])?",
        r"(?<!\w)(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?!\w)",
        r"(?<!\w)(?P<day>\d{1,2})(?P<sign>[./])(?P<month>\d{1,2})(?P=sign)(?P<year>\d{4})(?!\w)",
    )
)
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
        counted = _NUMBER_WORDS.get(language, {})
        numbers: set[Decimal] = set()
        dates: set[Date] = set()
        words: set[str] = set()
        for text in texts:
            folded = _fold(text)
            numbers.update(value for readings in _numbers(folded) for value in readings)
            numbers.update(Decimal(digits) for digits in _ALONE.findall(folded))
            numbers.update(counted[word] for word in _SYMBOL.findall(folded) if word in counted)
            dates.update(date for _, readings in _dates(folded) for date in readings)
            words.update(terms(text))
        return cls(frozenset(numbers), frozenset(dates), frozenset(words))

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

    def _agree(self, asked: int | None, known: int | None) -> bool:
        return asked is None or asked == known or (known is None and asked in self.numbers)

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
    folded = _fold(_plain(sentence))
    dates, rest = [], list(folded)
    for (start, end), readings in _dates(folded):
        dates.append(readings)
        rest[start:end] = " " * (end - start)
    return dates, list(_numbers("".join(rest)))


def _plain(sentence: str) -> str:
    return _DECORATION.sub("", _LIST_MARK.sub("", sentence)).strip()


def names(sentence: str, language: str) -> list[str]:
    """Words with a capital inside a sentence; in German, where all nouns have one, only those that follow such a word.
    Arabic lines of descent, whole."""
    found = [(match.start(), match.end()) for match in _NAME.finditer(sentence) if match.group()[0].isupper()]
    ends = {end for _, end in found}
    capital = [sentence[start:end] for start, end in found if language not in _NOUNS_HAVE_CAPITALS or start - 1 in ends]
    return capital + _DESCENT.findall(sentence)


def quoted(sentence: str) -> list[str]:
    """What stands in quotation marks, in those of any language but single ones, which are apostrophes too."""
    return ["".join(groups) for groups in _QUOTED.findall(sentence)]


def _fold(text: str) -> str:
    return fold(text).translate(_ARABIC_SIGNS)


def _numbers(folded: str) -> Iterator[set[Decimal]]:
    """The values that each number may mean: 1.577 is one and a half in English and more than a thousand in German."""
    for match in _NUMBER.finditer(folded):
        readings = _readings(re.sub(_SPACE, "", match.group()))
        word = _SCALE_WORD.match(folded, match.end())
        scale = _SCALE.get(word[1]) if word else None
        yield from (values | {value * scale for value in values} if scale else values for values in readings)


def _readings(digits: str) -> list[set[Decimal]]:
    """One set of values, or, where this is no number but a version or a reference, one for each part."""
    signs = re.findall(r"\D", digits)
    values = set()
    if _GROUPED.fullmatch(digits) and len(set(signs)) == 1:
        values.add(Decimal(re.sub(r"\D", "", digits)))
    if signs and signs.count(signs[-1]) == 1 and signs[-1] in ".,":
        whole, _, part = digits.rpartition(signs[-1])
        values.add(Decimal(re.sub(r"\D", "", whole) + "." + part))
    return [values] if values else [{Decimal(part)} for part in re.findall(r"\d+", digits)]


def _dates(folded: str) -> list[tuple[tuple[int, int], list[Date]]]:
    """Where each date stands and what it may mean; of patterns that overlap the first one counts."""
    found: list[tuple[tuple[int, int], list[Date]]] = []
    taken = bytearray(len(folded))
    for pattern in _DATES:
        for match in pattern.finditer(folded):
            start, end = match.span()
            if not any(taken[start:end]) and (readings := _date_readings(match.groupdict())):
                found.append(((start, end), readings))
                taken[start:end] = bytes([1]) * (end - start)
    return found


def _date_readings(parts: dict[str, str | None]) -> list[Date]:
    month_text, year, day = parts["month"] or "", parts.get("year"), parts.get("day")
    month = int(month_text) if month_text.isdecimal() else _MONTH[month_text]
    readings = [(month, int(day) if day else None)]
    if parts.get("sign") == "/" and day:
        readings.append((int(day), month))
    return [(int(year) if year else None, m, d) for m, d in readings if 1 <= m <= 12 and (d is None or 1 <= d <= 31)]
