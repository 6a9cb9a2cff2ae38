"""What a question names: pages, chapters and sections by number, documents by words of their file names.

"On page 4", "the last slide", "Kapitel 3", "pages 3-5", "第3页"; "the notice period in the Hartmann lease" names
Lease_Hartmann_2021.pdf. A word that most names share distinguishes none of them and does not count. A name is not
understood: "the contract" names no lease.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import PurePath
from typing import Literal

from docqa.languages import entry, every, pattern
from docqa.questions.question import Place
from docqa.questions.wording import unspaced_codes
from docqa.text.detect import is_function_word
from docqa.text.values import HAN_DIGITS, heading_number
from docqa.text.words import terms

MOST_PAGES = 20  # of one range that are searched
_COMMON = 0.5  # of the names
_KINDS: tuple[Literal["page", "chapter", "section"], ...] = ("page", "chapter", "section")
_NUMBER = r"(?:\d{1,5}(?:\.\d{1,3}){0,4}|(?-i:[IVXLC]{1,7})(?!\w))"


def places_named(question: str) -> list[Place]:
    """The pages, chapters and sections that a question names by number, in its order."""
    named = [(match.start(), place) for kind in _KINDS for match, place in _places(kind, question)]
    return [place for _, place in sorted(named, key=lambda at: at[0])]


def _places(kind: Literal["page", "chapter", "section"], question: str) -> Iterator[tuple[re.Match[str], Place]]:
    numbered, counted, dense = _compiled(kind)
    for match in numbered.finditer(question):
        first = heading_number(match["first"])
        last = heading_number(match["last"]) if match["last"] else first
        if first:
            yield match, Place(kind, first, max(first, last), match[0].strip())
    for match in dense.finditer(question):
        first = heading_number(match["first"])
        yield (
            match,
            Place(kind, first, max(first, heading_number(match["last"]) if match["last"] else first), match[0].strip()),
        )
    for number, ordinal in counted:
        for match in ordinal.finditer(question):
            yield match, Place(kind, (number,), (number,), match[0].strip())


@cache
def _compiled(kind: str) -> tuple[re.Pattern[str], list[tuple[int, re.Pattern[str]]], re.Pattern[str]]:
    """Patterns for a place with its number, by ordinal, and in scripts where the number stands before the word."""
    place = f"questions.patterns.{kind}"
    unspaced = (*unspaced_codes(), "ko")
    names = "|".join(pattern(place, code) for code in every(place) if code not in unspaced)
    dense = "|".join(pattern(place, code) for code in unspaced if entry(place, code))
    numbered = (
        rf"(?<!\w)(?:{names})\s*(?P<first>{_NUMBER})(?:\s*(?:[-–—]|to|bis|à|al)\s*(?P<last>{_NUMBER}))?(?![\w%]|[.,]\d)"
    )
    counted = [
        (number if number < 6 else -1, re.compile(rf"(?<!\w)(?:{ordinals})\s+(?:{names})(?!\w)", re.IGNORECASE))
        for number, ordinals in enumerate(_ordinals(), 1)
    ]
    number = rf"\d{{1,5}}|[{HAN_DIGITS}]{{1,3}}"
    before = rf"(?<!\d)第?\s*(?P<first>{number})\s*(?:[-–—~～至到から]+\s*第?(?P<last>{number})\s*)?(?:{dense})"
    return re.compile(numbered, re.IGNORECASE), counted, re.compile(before)


def _ordinals() -> list[str]:
    """First to fifth, then last, each in all languages."""
    lists = every("questions.patterns.ordinals").values()
    return ["|".join(alternatives) for alternatives in zip(*lists, strict=True)]


def pages_of(places: Sequence[Place], pages: int) -> frozenset[int]:
    """The 1-based page numbers that are named, that a document of so many pages has."""
    numbers: set[int] = set()
    for place in places:
        if place.kind == "page":
            first = pages if place.first == (-1,) else place.first[0]
            numbers.update(range(first, min(max(first, place.last[0]), first + MOST_PAGES) + 1))
    return frozenset(number for number in numbers if 1 <= number <= pages)


def named_by(question_terms: Collection[str], names: Mapping[int, str]) -> dict[int, frozenset[str]]:
    """The search terms by which a question names some of the documents, whose file names are given by row id."""
    shared = {id_: _name_terms(name).intersection(question_terms) for id_, name in names.items()}
    often = len(names) * _COMMON
    telling = {
        term for term in question_terms if len(names) == 1 or sum(term in held for held in shared.values()) <= often
    }
    return {id_: held & telling for id_, held in shared.items() if held & telling}


@lru_cache(4096)
def _name_terms(name: str) -> frozenset[str]:
    return frozenset(term for term in terms(PurePath(name).stem) if len(term) > 1 and not is_function_word(term))
