"""Rows and columns that are named by a range of numbers: under 1 year, 1 to 3 years, 10 or more."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from docqa.languages import every_pattern, every_word
from docqa.tables.lookups.numbers import value_written
from docqa.text.keys import key

_LEAST = 1e-9  # between a bound and what is just beyond it
_NUMBER = re.compile(r"\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d\d)(?!\d)")
# What may stand between two numbers that are the ends of a range: the unit of the first, a currency before the second.
_TO = re.compile(
    rf"\W{{0,2}}(?:[^\W\d_]{{1,12}}\.?\s?|[€$£¥%°]\s?)?\s?(?:[-–—~〜]|to|bis|à|a|至|到|und|and|y|et"
    rf"|{every_pattern('questions.patterns.range_to')})\s?[€$£¥]?"
)
_BRACKETS = re.compile(r"[(\[][^)\]]*[)\]]")
_LONGEST = 60  # characters of a label that is a range

_LOWER, _UPPER = ("at_least", "or_more", "more"), ("at_most", "or_less", "less")  # lists of words
BOUNDING = (*_LOWER, *_UPPER)

Range = tuple[float, float]  # both ends belong to it


@lru_cache(4096)
def ranges_of(headings: tuple[str, ...]) -> Mapping[int, Range]:
    """The columns whose headings are ranges, which what stands in brackets does not tell; none where only one is."""
    ranges = {
        place: own for place, name in enumerate(headings) if place and (own := range_of(_BRACKETS.sub(" ", name)))
    }
    return ranges if len(ranges) > 1 else {}


def in_brackets(name: str) -> list[str]:
    """What stands in the brackets of a name."""
    return [bracket[1:-1] for bracket in _BRACKETS.findall(name)]


def apart_by_ranges(rows: Sequence[Sequence[str]]) -> dict[int, tuple[int, Range]]:
    """The rows, by their place, that others have the same label as, each with the column that tells them apart by
    ranges, and its own: tier C under 50, tier C from 50 on."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        places[row[0]].append(at)
    apart: dict[int, tuple[int, Range]] = {}
    for label, own in places.items():
        for column in range(1, len(rows[0])) if label and len(own) > 1 else ():
            ranges = [range_of(rows[at][column]) for at in own]
            if None not in ranges and len(set(ranges)) == len(ranges):
                apart |= {at: (column, bounds) for at, bounds in zip(own, ranges, strict=True) if bounds}
                break
    return apart


@cache
def _bounding() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """What finds the words that make a bound of a number, in all languages, and the list that each is of."""
    names = {key(word): name for name in reversed(BOUNDING) for word in every_word(f"tables.{name}")}
    words = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(rf"(?<!\S)(?:{words})(?!\S)"), names


@lru_cache(50_000)
def range_of(label: str) -> Range | None:
    """The numbers that a label stands for; None where it is no range."""
    text = _CLOCK.sub(_hours, label.casefold())
    numbers = list(_NUMBER.finditer(text)) if len(text) <= _LONGEST else []
    if not 0 < len(numbers) < 3:
        return None
    values = [value_written(number.group()) for number in numbers]
    before, *between, after = _parts(text, numbers)
    if len(numbers) == 1:
        bounds = _bounds(before, values[0]) or _bounds(after, values[0])
        return bounds or ((values[0], float("inf")) if after.strip() == "+" else None)
    least, most = values
    if least > most:
        return None
    if _TO.fullmatch(between[0]):
        return least, most
    last = _bounds(after, most, *_UPPER) or _bounds(between[0], most, *_UPPER)
    first = _bounds(before, least, *_LOWER) or _bounds(between[0], least, *_LOWER)
    if last and not first and _TO.match(between[0]):
        first = least, float("inf")  # 5 to under 10
    return (first[0], last[1]) if first and last else None


def _hours(clock: re.Match[str]) -> str:
    return f"{int(clock[1]) + int(clock[2]) / 60:g}"


def _parts(text: str, numbers: list[re.Match[str]]) -> list[str]:
    """What stands before, between and behind the numbers."""
    ends = [0, *(end for number in numbers for end in number.span()), len(text)]
    return [text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True)]


def _bounds(beside: str, number: float, *names: str) -> Range | None:
    """What the words beside a number make of it, those of these lists only: all that is less, or more, or no less."""
    bounding, names_of = _bounding()
    # No more than is not more than: the longest word at each place.
    said = [(word, name) for word in bounding.findall(key(beside)) if (name := names_of[word]) in (names or BOUNDING)]
    name = max(said, key=lambda own: len(own[0]), default=("", ""))[1]  # bis unter
    return {
        "at_least": (number, float("inf")),
        "or_more": (number, float("inf")),
        "more": (number + _LEAST, float("inf")),
        "at_most": (float("-inf"), number),
        "or_less": (float("-inf"), number),
        "less": (float("-inf"), number - _LEAST),
    }.get(name)
