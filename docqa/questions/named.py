"""What a question names: pages, chapters and sections by number, documents by words of their file names.

"On page 4", "the last slide", "Kapitel drei", "pages 3-5 and 8", "第3页"; "the notice period in the Hartmann lease"
names Lease_Hartmann_2021.pdf. A word that most names share distinguishes none of them and does not count. A name is not
understood: "the contract" names no lease.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import PurePath
from typing import Literal, NamedTuple

from docqa.languages import CODES, entry, every_word, pattern
from docqa.questions.wanted import Place
from docqa.questions.wording import dense_codes
from docqa.text.detect import is_function_word
from docqa.text.numerals import HAN_DIGITS, heading_number
from docqa.text.values import in_words
from docqa.text.words import fold, stem, terms

MOST_PAGES = 20  # of one range that are searched
MOST_PLACES = 100  # of one question
_COMMON = 0.5  # of the names
_Kind = Literal["page", "chapter", "section"]
_Find = Callable[[re.Pattern[str], str], Iterable[re.Match[str]]]  # everywhere in a text, or at its beginning
_KINDS: tuple[_Kind, ...] = ("page", "chapter", "section")
_LAST = (-1,)
_ROMAN = r"[IVXLC]{1,7}(?!\w)"
_DIGITS = re.compile(rf"\s*((?:\d{{1,5}}(?:\.\d{{1,3}}){{0,4}}|{_ROMAN})(?![\w%]|[.,]\d))")
_WORDS = re.compile(r"\s*([^\W\d_]+(?:-[^\W\d_]+)*)")
# Behind the mark of an item.
_LABEL = re.compile(rf"[^\w\n]{{0,4}}([^\W\d_]{{2,}})(?:\s?(\d{{1,3}})|\s({_ROMAN}))(?![\w%]|[.,:]\d)")
_WORD_BEFORE = re.compile(rf"(?<![^\W\d_])([^\W\d_]{{2,}}+)(?:\s?(?=\d)|\s(?=(?!I\b){_ROMAN}))")  # "I" is who asks
_LAST_LABEL = 999
_MOST_LISTED = 20  # before the last one, in front of a word: from each number of a longer list all would be read again
_COMMA = re.compile(r"\s*,")
_CLOSED = re.compile(r"\s*(?:[^\w\s]|$)")
_HAN = rf"\d{{1,5}}|[{HAN_DIGITS}]{{1,3}}"


class _Numbers(NamedTuple):
    """The numbers of one kind that a question names together, each `first` to `last`, and where it does so."""

    start: int
    end: int
    kind: _Kind
    ranges: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]


def places_named(question: str, language: str = "") -> list[Place]:
    """The pages, chapters and sections that a question names by number, in its order; those of one list have the same
    label.

    Numbers in words are those of its language: "dos" is none in Portuguese. Without a language, as in headings, they
    are those of any that has the word before them.
    """
    kinds = [kind for kind in _KINDS if _names(kind).search(question) or _dense_names(kind).search(question)]
    everywhere = [
        numbers
        for kind in kinds
        for read in (_listed, _dense, _counted, _leading)
        for numbers in read(kind, question, language, re.Pattern.finditer)
    ]
    return _places(question, everywhere)


def place_begun(line: str) -> Place | None:
    """The chapter or section that a line begins with, as headings do, in any language."""
    second = line.find(" ") + 1  # "Third chapter"
    kinds = [
        kind
        for kind in _KINDS[1:]
        if _names(kind).match(line) or _names(kind).match(line, second) or _dense_names(kind).search(line)
    ]  # none for most lines: to look for all ways of counting takes long
    begun = [
        numbers
        for kind in kinds
        for read in (_listed, _dense, _counted)
        for numbers in read(kind, line, "", _beginning)
    ]
    return next((place for place in _places(line, begun) if place.first == place.last), None)


def _beginning(pattern: re.Pattern[str], line: str) -> Iterator[re.Match[str]]:
    if match := pattern.match(line):
        yield match


def _places(text: str, named: Iterable[_Numbers]) -> list[Place]:
    """Each once; the first of those that begin together is the longest, and what overlaps it is none."""
    places: list[Place] = []
    end = 0
    for numbers in sorted(named, key=lambda numbers: (numbers.start, -numbers.end)):
        if numbers.start >= end:
            label, end = text[numbers.start : numbers.end].strip(), numbers.end
            places += [Place(numbers.kind, first, max(first, last), label) for first, last in numbers.ranges]
        if len(places) >= MOST_PLACES:
            break
    return list({(place.kind, place.first, place.last): place for place in places}.values())[:MOST_PLACES]


def labels_named(question: str, language: str) -> list[Place]:
    """The labels that a question names, "step 3", "Tage 4 und 5": whether a document has such, its lines tell."""
    labels: list[Place] = []
    for match in _WORD_BEFORE.finditer(question):
        word = fold(match[1])
        if not is_function_word(word):
            ranges, end = _ranges(question, match.end(), language, re.compile(re.escape(match[1])))
            label = question[match.start() : end].strip()
            labels += [
                Place("label", first, max(first, last), label, stem(word))
                for first, last in ranges
                if len(first) == len(last) == 1 and last[0] <= _LAST_LABEL
            ]
    return labels


def label_of(line: str) -> tuple[str, tuple[int, ...]] | None:
    """The label that a line begins with: its word, as a stem, and its number."""
    match = _LABEL.match(line)
    return (stem(fold(match[1])), heading_number(match[2] or match[3])) if match else None


def _listed(kind: _Kind, question: str, language: str, find: _Find) -> Iterator[_Numbers]:
    """ "Chapter 3", "pages 3-5", "from page 3 to page five", "pages 3, 5 and 7"."""
    for match in find(_names(kind), question):
        codes = [language] if language else [code for code in CODES if _names(kind, code).fullmatch(match[0])]
        for code in codes:
            ranges, end = _ranges(question, match.end(), code, _names(kind))
            if ranges:
                yield _Numbers(match.start(), end, kind, ranges)
                break


def _ranges(
    text: str, at: int, language: str, names: re.Pattern[str]
) -> tuple[list[tuple[tuple[int, ...], tuple[int, ...]]], int]:
    """The numbers that begin here, and where they end. "In chapter 3, 12 people die": what follows a comma belongs to
    the list only where the list is closed by "and" or by a mark."""
    ranges: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    known, end = 0, at
    comma = False
    while read := _number(text, at, language):
        first, at = read
        last = first
        if to := _separator("range_to", language).match(text, at):
            name = names.match(text, to.end())
            if upper := _number(text, name.end() if name else to.end(), language):
                last, at = upper
        ranges.append((first, last))
        if not comma or _CLOSED.match(text, at):
            known, end = len(ranges), at
        joined = _separator("list_and", language).match(text, at)
        following = joined or _COMMA.match(text, at)
        if following is None:
            break
        comma, at = joined is None, following.end()
    return ranges[:known], end


def _number(text: str, at: int, language: str) -> tuple[tuple[int, ...], int] | None:
    """The number that is written here, in digits or in words, and where it ends."""
    if match := _DIGITS.match(text, at):
        return heading_number(match[1]), match.end()
    match = _WORDS.match(text, at)
    known = in_words(fold(match[1]).replace("-", " "), language) if match else None
    return ((known,), match.end()) if match and known else None


def _dense(kind: _Kind, question: str, language: str, find: _Find) -> Iterator[_Numbers]:
    """Where the number stands before the word: "第3章", "3から5ページ", "第二、三章"."""
    for match in find(_before(kind), question):
        also = [heading_number(digits) for digits in re.findall(_HAN, match["also"])]
        first = heading_number(match["first"])
        last = heading_number(match["last"]) if match["last"] else first
        yield _Numbers(match.start(), match.end(), kind, [*((number, number) for number in also), (first, last)])


def _counted(kind: _Kind, question: str, language: str, find: _Find) -> Iterator[_Numbers]:
    """By an ordinal: "the third chapter", "the 3rd chapter", "the last page", "الفصل الثالث"."""
    for number, ordinal in _ordinals(kind):
        for match in find(ordinal, question):
            at = number or (int("".join(filter(str.isdecimal, match[0]))),)
            yield _Numbers(match.start(), match.end(), kind, [(at, at)])


def _leading(kind: _Kind, question: str, language: str, find: _Find) -> Iterator[_Numbers]:
    """Several from the beginning or the end: "the first three pages", "les trois premières pages"."""
    for match in find(_ends(language if entry("questions.patterns.last", language) else "en"), question):
        before = [word.start() for word in re.finditer(r"\w+", question[: match.start()])][-1:]
        after = _number(question, match.end(), language)
        counted = after or (_number(question, before[0], language) if before else None)
        rest = question[after[1] if after else match.end() :]
        name = _names(kind).match(rest.lstrip())
        if counted and name:
            many = counted[0][0]
            start = match.start() if after else before[0]
            end = len(question) - len(rest.lstrip()) + name.end()
            yield _Numbers(start, end, kind, [((-many,), _LAST) if match["last"] else ((1,), (many,))])


@cache
def _ends(language: str) -> re.Pattern[str]:
    """The ordinals for the first and the last ones."""
    [first, *_] = entry("questions.patterns.ordinals", language)
    last = pattern("questions.patterns.last", language)
    return re.compile(rf"(?<!\w)(?:(?:{first})|(?P<last>{last}))s?(?!\w)", re.IGNORECASE)


def _spaced_codes() -> list[str]:
    return [code for code in CODES if code not in dense_codes()]


def _any(codes: Sequence[str], place: str) -> str:
    return "|".join(filter(None, (pattern(f"questions.patterns.{place}", code) for code in codes)))


@cache
def _names(kind: _Kind, code: str = "") -> re.Pattern[str]:
    """The words for a page, chapter or section, in one language or in all that write spaces."""
    return re.compile(
        rf"(?<!\w)(?:{_any([code] if code else _spaced_codes(), kind) or '(?!)'})(?![^\W\d_])", re.IGNORECASE
    )


@cache
def _separator(name: str, language: str) -> re.Pattern[str]:
    """What stands between the numbers of a range or of a list. A short question may be in another language than it was
    taken for: the words of all count, those that mean the other thing in its own excepted."""
    other = {"range_to": "list_and", "list_and": "range_to"}[name]
    own = entry(f"questions.patterns.{other}", language) or ()
    alternatives = "|".join(word for word in every_word(f"questions.patterns.{name}") if word not in own)
    mark = {"range_to": "[-–—~]", "list_and": "&"}[name]
    return re.compile(rf"\s*+(?:{mark}|,?\s*+(?<!\w)(?:{alternatives})(?![^\W\d_]))[\s-]*+(?=\w)", re.IGNORECASE)


@cache
def _ordinals(kind: _Kind) -> list[tuple[tuple[int, ...], re.Pattern[str]]]:
    """Patterns by the number they mean, () for one in digits; in some languages the ordinal follows the noun."""
    alternatives: dict[tuple[int, ...], list[str]] = {}
    for code in _spaced_codes():
        names = _names(kind, code).pattern
        if endings := "|".join(entry("text.ordinal_endings", code) or ()):
            alternatives.setdefault((), []).append(rf"(?<![\w.,])\d{{1,3}}-?(?:{endings})\s*{names}(?!\s*\d)")
        lists = {(number,): text for number, text in enumerate(entry("questions.patterns.ordinals", code) or (), 1)}
        for number, text in [*lists.items(), (_LAST, _any([code], "last"))]:
            if text and entry(f"questions.patterns.{kind}", code):
                alternatives.setdefault(number, []).append(rf"(?<!\w)(?:{text})\s+{names}")
                if entry("questions.ordinal_follows", code):
                    alternatives[number].append(rf"{names}\s+(?:{text})(?!\w)")
    return [(number, re.compile("|".join(texts), re.IGNORECASE)) for number, texts in alternatives.items()]


@cache
def _dense_names(kind: _Kind) -> re.Pattern[str]:
    return re.compile(_any(dense_codes(), kind))


@cache
def _before(kind: _Kind) -> re.Pattern[str]:
    codes = dense_codes()
    names, prefix = _dense_names(kind).pattern, _any(codes, "number_prefix")
    to, joined = _any(codes, "range_to"), _any(codes, "list_and")
    return re.compile(
        rf"(?<!\d)(?P<also>(?:(?:{prefix})?\s*+(?:{_HAN})\s*+(?:{names})?\s*+(?:{joined})\s*+){{0,{_MOST_LISTED}}}+)"
        rf"(?:{prefix})?\s*+(?P<first>{_HAN})\s*+"
        rf"(?:(?:{names})?\s*+(?:[-–—~～]|{to})\s*+(?:{prefix})?\s*+(?P<last>{_HAN})\s*+)?(?:{names})"
    )


def pages_of(places: Sequence[Place], pages: int) -> frozenset[int]:
    """The 1-based page numbers that are named, that a document of so many pages has."""
    numbers: set[int] = set()
    for place in places:
        if place.kind == "page":
            first, last = (pages + 1 + number if number < 0 else number for number in (place.first[0], place.last[0]))
            numbers.update(range(first, min(max(first, last), first + MOST_PAGES) + 1))
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
