"""Numbers and dates, as texts, the cells of tables and questions write them: the one place that reads either.

What a notation leaves open stays open: 1.234 has two decimal marks that fit, 3/5/2021 two orders of day and month, and
the caller decides. Not known: years of two digits, number words above twelve in languages without `text2num`.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Literal, NamedTuple

from docqa.languages import every, every_word
from docqa.text.numerals import HAN_DIGITS
from docqa.text.words import fold, is_dense

try:
    from text_to_num import alpha2digit  # type: ignore[import-untyped]
except ImportError:  # there are no wheels of it for Macs with Intel processors
    alpha2digit = None

# Spells out English, French, German ... numbers of any size. 69 of 70 phrases ("deux mille dix", "tweeënveertig") were
# read right, 0.1 ms for 800 characters; our lists end at twelve.
SPELLED_OUT = frozenset(("de", "en", "es", "fr", "it", "nl", "pt"))

# --- numbers ----------------------------------------------------------------------------------------------------------

_ANY, _POINT, _COMMA, _NEITHER = frozenset(".,"), frozenset("."), frozenset(","), frozenset[str]()
_PLAIN = re.compile(r"\d+")
_DECIMAL = re.compile(r"(\d*)([.,])(\d+)")
_GROUPED = re.compile(r"\d{1,3}([.,'’ ])\d{3}(?:\1\d{3})*(?:(?!\1)([.,])\d+)?")
_INDIAN = re.compile(r"\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?")

_SYMBOL = "$€£¥₹₽₩₪₺"
_QUANTITY = re.compile(
    rf"(?P<outer>[A-Z]{{0,3}}[{_SYMBOL}] ?(?=\())?(?P<open>\()?(?P<sign>[-−–+])? ?"
    rf"(?P<before>[A-Z]{{0,3}}[{_SYMBOL}]|[A-Z]{{3}} )? ?(?P<inner>[-−–])?"
    r"(?P<digits>\d(?:[\d.,'’ ]*\d)?|[.,]\d+)(?P<power>[eE][-+]?\d\d?)?"
    rf"(?P<after> ?[%‰°{_SYMBOL}]| [^\W\d_]{{1,5}})?(?P<close>\)(?P<behind> ?[%‰])?)?"
)
_LIKE_NUMBER = re.compile(
    r"([$€£¥]\s?(?=\())?[-+(]?[^\w\s]?\s?\d[\d\s.,:'’/+-]*(e[-+]?\d+)?\s?\)?\s?[%€$£¥]?", re.IGNORECASE
)
_LONGEST_NUMBER = 60  # characters; a list of numbers may be longer

_SPACE = "[ \u00a0\u2009\u202f]"
_NUMBER = re.compile(rf"\d{{1,3}}(?:{_SPACE}\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*")
_ALONE = re.compile(r"(?<![\d.,'’])\d+(?![.,'’]*\d)")
_ARABIC_SIGNS = str.maketrans({"٫": ".", "٬": ","})
_SCALE = {
    fold(word): Decimal(10) ** int(power)
    for scales in every("text.scales").values()
    for power, words in scales.items()
    for word in words
}
_DENSE_SCALES = sorted((word for word in _SCALE if is_dense(word)), key=lambda word: (-len(word), word))
_SCALE_WORD = re.compile(rf"{_SPACE}?({'|'.join(_DENSE_SCALES)}|[^\W\d_]+)")
_NUMBER_WORDS = {
    code: {fold(word): value for value, word in enumerate(words, 1)} for code, words in every("text.numbers").items()
}
_WORD = re.compile(rf"[{HAN_DIGITS}]|[^\W\d_]+")


class Quantity(NamedTuple):
    """A cell that is one number: its digits with their marks, and what stands around them."""

    digits: str
    power: str  # "e-3", or ""
    unit: str
    is_negative: bool

    def value(self, decimal: str) -> Decimal:
        """The number, where `decimal` is the decimal mark."""
        value = number(self.digits, decimal)
        value = Decimal(f"{value}{self.power}") if self.power else value
        return -value if self.is_negative else value


def decimal_marks(digits: str) -> frozenset[str]:
    """The decimal marks with which these digits are a number: both for 12, 1.234 and 1'000, the point for 1.5; neither
    for a reference such as 1.2.3 or 007."""
    if _PLAIN.fullmatch(digits):
        return _ANY if len(digits) == 1 or digits[0] != "0" else _NEITHER
    if match := _DECIMAL.fullmatch(digits):
        whole, mark, rest = match.groups()
        if len(rest) == 3 and 1 <= len(whole) <= 3 and whole[0] != "0":
            return _ANY
        return _POINT if mark == "." else _COMMA
    if match := _GROUPED.fullmatch(digits):
        decimal = match[2] or {".": ",", ",": "."}.get(match[1])
        return _ANY if decimal is None else _POINT if decimal == "." else _COMMA
    return _POINT if _INDIAN.fullmatch(digits) else _NEITHER


def number(digits: str, decimal: str) -> Decimal:
    """The value of digits, where `decimal` is their decimal mark and all others only group them."""
    return Decimal("".join(char for char in digits if char.isdecimal() or char == decimal).replace(decimal, "."))


def quantity(cell: str) -> Quantity | None:
    """A cell that holds one number with its sign and unit and nothing else; None for any other."""
    match = _QUANTITY.fullmatch(cell)
    if match is None or bool(match["open"]) != bool(match["close"]) or not decimal_marks(match["digits"]):
        return None
    is_negative = bool(match["open"] or match["inner"]) or match["sign"] in ("-", "−", "–")
    unit = match["outer"] or match["before"] or match["after"] or match["behind"] or ""
    return Quantity(match["digits"], match["power"] or "", unit.strip(), is_negative)


def numbers(text: str) -> list[set[Decimal]]:
    """The values that each number of a text may mean: 1.577 is one and a half in English and more than a thousand in
    German. Of a version or a reference each part is a number."""
    return list(_numbers(_folded(text)))


def _numbers(folded: str) -> Iterator[set[Decimal]]:
    for match in _NUMBER.finditer(folded):
        word = _SCALE_WORD.match(folded, match.end())
        scale = _SCALE.get(word[1]) if word else None
        for readings in _readings(re.sub(_SPACE, "", match.group())):
            yield readings | {value * scale for value in readings} if scale else readings


def _readings(digits: str) -> list[set[Decimal]]:
    if marks := decimal_marks(digits):
        return [{number(digits, mark) for mark in marks}]
    return [{Decimal(part)} for part in _PLAIN.findall(digits)]


def every_number(texts: Iterable[str], language: str) -> frozenset[Decimal]:
    """Every value that a number in these texts may have, written in digits, grouped by spaces, or in words."""
    values: set[Decimal] = set()
    for text in texts:
        folded = _folded(text)
        values.update(*_numbers(folded), plain_numbers(folded))
        values.update(Decimal(known) for word in _WORD.findall(folded) if (known := in_words(word, language)))
        if alpha2digit is not None and language in SPELLED_OUT:
            values.update(plain_numbers(alpha2digit(text, language)))
    return frozenset(values)


def plain_numbers(text: str) -> set[Decimal]:
    """The runs of digits without a mark: also the parts of what may be one number or several, 2 300."""
    return {Decimal(digits) for digits in _ALONE.findall(text)}


def in_words(text: str, language: str) -> int | None:
    """The whole number that this folded text writes in words and nothing else; None where it is none."""
    if known := _NUMBER_WORDS.get(language, {}).get(text):
        return known
    if alpha2digit is None or language not in SPELLED_OUT or not text.replace(" ", "").isalpha():
        return None
    digits = alpha2digit(text, language)
    return int(digits) if digits.isdecimal() else None


# --- dates ------------------------------------------------------------------------------------------------------------


class Date(NamedTuple):
    """A day, or a month where no day is written; a year may be left out."""

    year: int | None
    month: int
    day: int | None


@cache
def _months() -> dict[str, int]:
    return {
        fold(word): number
        for names in (*every("text.short_months").values(), *every("text.months").values())
        for number, words in enumerate(names, 1)
        for word in words.split("|")
    }


def names_of_month(word: str) -> frozenset[str]:
    """The names of the month that a folded word names, long and short, in all languages; none for any other word."""
    return frozenset(name for name, number in _months().items() if number == _months().get(word))


_MONTH = "|".join(sorted(map(re.escape, _months()), key=len, reverse=True))
_NUMERIC = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<!\w)(?P<year>\d{4})(?P<sign>[-/])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})(?!(?![Tt]\d)\w)",
        r"(?<!\w)(?P<day>\d{1,2})(?P<sign>[./-])(?P<month>\d{1,2})(?P=sign)(?P<year>\d{4})(?!\w)",
    )
)
# In running text these may be a range of years or a year and a page; a cell that is nothing else is a month.
_YEAR_AND_MONTH = re.compile(r"(?P<year>\d{4})[-/](?P<month>\d{1,2})(?!\d)")
_ENDING = "|".join(fold(ending) for endings in every("text.ordinal_endings").values() for ending in endings)
_JOINING = "|".join(sorted(every_word("text.before_month")))
_YEAR_MARK, _MONTH_MARK, _DAY_MARK = (
    f"(?:{'|'.join(dict.fromkeys(marks))})" for marks in zip(*every("text.date_marks").values(), strict=True)
)
_NAMED = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"(?<!\w)(?P<day>\d{{1,2}})(?:{_ENDING}|[.°])?,? (?:{_JOINING})?(?P<month>{_MONTH})(?!\w)"
            rf"\.?(?:,? (?:{_JOINING})?(?P<year>\d{{4}})(?!\w))?"
        ),
        rf"(?<!\w)(?P<month>{_MONTH})\.? (?P<day>\d{{1,2}})(?:{_ENDING})?(?!\w)(?:,? (?P<year>\d{{4}})(?!\w))?",
        rf"(?<!\w)(?P<month>{_MONTH})\.?,? (?:{_JOINING})?(?P<year>\d{{4}})(?!\w)",
        rf"(?P<year>\d{{4}}) ?{_YEAR_MARK} ?(?P<month>\d{{1,2}}) ?{_MONTH_MARK}(?: ?(?P<day>\d{{1,2}}) ?{_DAY_MARK})?",
    )
)
_TIME = re.compile(r"(?:[Tt]|,? +)(\d\d?:\d\d\S*)")
_LIKE_DATE = re.compile(r"(\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|(19|20)\d\d([./-]\d{1,2}){0,2})([ T]\d{1,2}:\d\d.*)?")


def dates(text: str) -> list[list[Date]]:
    """What each date of a text may mean."""
    return [readings for _, readings in _dates(_folded(text))]


def date_places(text: str) -> list[tuple[int, int]]:
    """(start, end) of each date that a text writes, in its order; none where folding changes the text's length."""
    folded = _folded(text.replace("ß", "s"))
    return sorted(place for place, _ in _dates(folded)) if len(folded) == len(text) else []


def dates_and_numbers(text: str) -> tuple[list[list[Date]], list[set[Decimal]]]:
    """What each date of a text may mean, and what each number that is no part of a date."""
    folded = _folded(text)
    readings, rest = [], list(folded)
    for (start, end), readings_of_one in _dates(folded):
        readings.append(readings_of_one)
        rest[start:end] = " " * (end - start)
    return readings, list(_numbers("".join(rest)))


def _dates(folded: str) -> list[tuple[tuple[int, int], list[Date]]]:
    """Where each date stands and what it may mean; of notations that overlap the first one counts."""
    places: list[tuple[tuple[int, int], list[Date]]] = []
    taken = bytearray(len(folded))
    for pattern in (*_NAMED, *_NUMERIC):
        for match in pattern.finditer(folded):
            start, end = match.span()
            if not any(taken[start:end]) and (readings := _both_orders(match)):
                places.append(((start, end), readings))
                taken[start:end] = bytes([1]) * (end - start)
    return places


def iso_date(cell: str, *, day_first: bool) -> str | None:
    """A cell that is nothing but a date of a year, as ISO 8601, its time as it is written; None for any other."""
    written = _iso(cell, (*_NUMERIC, _YEAR_AND_MONTH), day_first)
    # Most cells name no month, and are spared the search for one.
    return written or (_iso(fold(cell), _NAMED, day_first) if any(map(str.isalpha, cell)) else None)


def _iso(cell: str, patterns: Iterable[re.Pattern[str]], day_first: bool) -> str | None:
    for match in filter(None, (pattern.match(cell) for pattern in patterns)):
        time = _TIME.fullmatch(cell, match.end())
        if (time or match.end() == len(cell)) and (known := _date(match, day_first)) and known.year:
            day = "" if known.day is None else f"-{known.day:02}"
            return f"{known.year:04}-{known.month:02}{day}" + (f" {time[1]}" if time else "")
    return None


def _both_orders(match: re.Match[str]) -> list[Date]:
    readings = (_date(match, day_first) for day_first in (True, False))
    return list(dict.fromkeys(reading for reading in readings if reading))


def _date(match: re.Match[str], day_first: bool) -> Date | None:
    parts = match.groupdict()
    month = int(parts["month"]) if parts["month"].isdecimal() else _months()[parts["month"]]
    day = int(parts["day"]) if parts.get("day") else None
    is_open = parts.get("sign") in ("/", "-") and match.end("year") > match.end("month")
    if is_open and not day_first and day:
        day, month = month, day
    year = int(parts["year"]) if parts.get("year") else None
    return Date(year, month, day) if _exists(year, month, day) else None


def _exists(year: int | None, month: int, day: int | None) -> bool:
    try:
        date(2000 if year is None else year, month, day or 1)  # 2000 had a 29 February
    except ValueError:
        return False
    return day != 0


# --- cells ------------------------------------------------------------------------------------------------------------


def kind(cell: str) -> Literal["date", "number"] | None:
    """What a cell is by its look, ranges, telephone numbers and years of two digits too; None for words."""
    if _LIKE_DATE.fullmatch(cell):
        return "date"
    return "number" if len(cell) < _LONGEST_NUMBER and _LIKE_NUMBER.fullmatch(cell) else None


def _folded(text: str) -> str:
    return fold(text).translate(_ARABIC_SIGNS)
