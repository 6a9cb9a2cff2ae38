"""Rows and columns that are named by a range of numbers: under 1 year, 1 to 3 years, 10 or more."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from docqa.languages import every_word
from docqa.text.keys import key

_LEAST = 1e-9  # between a bound and what is just beyond it
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_BELOW = "|".join(sorted(map(re.escape, every_word("tables.less")), key=len, reverse=True))
_BETWEEN = re.compile(
    r"(?P<first>\d+(?:[.,]\d+)?)\s?(?:[-–—~]|to|bis|à|a|至|到|und|and|y|et)\s?"
    rf"(?P<below>(?:{_BELOW})\s?)?(?P<last>\d+(?:[.,]\d+)?)"
)
_BRACKETS = re.compile(r"[(\[][^)\]]*[)\]]")
_LONGEST = 40  # characters of a label that is a range

Range = tuple[float, float]  # both ends belong to it


@lru_cache(4096)
def ranges_of(headings: tuple[str, ...]) -> Mapping[int, Range]:
    """The columns whose headings are ranges, which what stands in brackets does not tell; none where only one is."""
    ranges = {
        place: own for place, name in enumerate(headings) if place and (own := range_of(_BRACKETS.sub(" ", name)))
    }
    return ranges if len(ranges) > 1 else {}


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(key(word) for word in every_word(f"tables.{name}"))


def range_of(label: str) -> Range | None:
    """The numbers that a label stands for; None where it is no range."""
    if len(label) > _LONGEST or not (numbers := _NUMBER.findall(label)):
        return None
    first = float(numbers[0].replace(",", "."))
    if between := _BETWEEN.search(label.casefold()):
        last = float(between["last"].replace(",", "."))
        return first, last - _LEAST if between["below"] else last
    if len(numbers) > 1:
        return None
    spoken = f" {key(label)} "
    for name, bounds in (
        ("at_least", (first, float("inf"))),
        ("at_most", (float("-inf"), first)),
        ("or_more", (first, float("inf"))),
        ("less", (float("-inf"), first - _LEAST)),
        ("more", (first + _LEAST, float("inf"))),
    ):
        if any(f" {word} " in spoken for word in _words(name)):
            return bounds
    return (first, float("inf")) if label.rstrip().endswith("+") else None
