"""Where the pages, chapters and sections that a question names stand in a document.

Pages are counted. Chapters and sections are found by numbered headings: a line of the text or the title of a section
that begins with "Chapter 3", "Chapter Three", "第三章", "3.2 Notice". Lines of a table of contents, which end with a
page number, do not count. In a document without such headings the titles of its sections are counted, whatever their
level: none is stored.

Any other word with a number, "step 3", is a label where lines of the document begin with it and with the same word and
other numbers.
"""

import asyncio
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, zip_longest

from docqa import store
from docqa.ingest.key_sentences import notes
from docqa.questions.named import label_of, place_begun
from docqa.questions.wanted import Place
from docqa.store.chunks import StoredChunk
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.store.notes import StoredNote
from docqa.text.numerals import HAN_DIGITS, heading_number

LONGEST_HEADING = 120  # characters
LEAST_COMMON, LONGEST_ENDING = 3, 2  # letters of the forms of a word that numbers parts
_PAGE = re.compile(r"(?<!\d)\d+$")
_NUMBERED = re.compile(
    r"\s*(?:(?P<number>\d{1,2}(?:\.\d{1,3}){0,4})(?:\.?\s+|\s*[—–:]\s*)|(?P<roman>[IVX]{1,5})(?:\.\s+|\s*[—–:]\s*)"
    rf"|(?P<han>[{HAN_DIGITS}]{{1,3}})[、.．]\s*)(?=[^\W\d_])"
)
_SENTENCE_END = re.compile(r"[.!?。,;:]\s*$")


@dataclass(frozen=True)
class Span:
    """A part of a chunk: `chunk.text[start:end]`."""

    chunk: StoredChunk
    start: int
    end: int

    @property
    def text(self) -> str:
        """What stands there."""
        return self.chunk.text[self.start : self.end]


Blocks = Mapping[tuple[int, ...], list[list[Span]]]  # what stands under labels, by their numbers


@dataclass(frozen=True)
class _Heading:
    """A heading with a number: the index of its chunk and where it begins in it."""

    chunk: int
    start: int
    kind: str
    number: tuple[int, ...]
    is_title: bool  # it is the title of a section, as the reader of the format knows them


async def spans_in(db: Database, document: StoredDocument, place: Place) -> list[Span]:
    """The parts of a document that a question names; none where they are not recognised in it."""
    async with db.read() as conn:
        chunks = await store.chunks.chunks(conn, document.id)
    return await asyncio.to_thread(spans_of, place, chunks)


async def blocks_in(db: Database, document: StoredDocument, word: str) -> Blocks:
    """As `blocks`, of all of a document."""
    async with db.read() as conn:
        chunks = await store.chunks.chunks(conn, document.id)
    return await asyncio.to_thread(blocks, word, chunks)


async def pages_in(db: Database, document: StoredDocument, places: Sequence[Place]) -> dict[str, set[int]]:
    """The page numbers that places cover in a document, by the places' labels; none of what is not recognised in it."""
    pages: dict[str, set[int]] = {}
    for place in places:
        numbers = [span.chunk.page_number for span in await spans_in(db, document, place)]
        if numbers:
            pages.setdefault(place.label, set()).update(range(numbers[0], numbers[-1] + 1))
    return pages


def spans_of(place: Place, chunks: Sequence[StoredChunk]) -> list[Span]:
    """The parts of a document's chunks, given in order, that a named place covers; none where it is not recognised."""
    if place.kind == "page":
        count = chunks[-1].page_number if chunks else 0
        first, last = (count + 1 + number if number < 0 else number for number in (place.first[0], place.last[0]))
        pages = range(first, max(first, last) + 1)
        return [Span(chunk, 0, len(chunk.text)) for chunk in chunks if chunk.page_number in pages]
    if place.kind == "label":  # the longest, as there may be a table of contents
        under = blocks(place.word, chunks)
        return [span for number in numbers_between(place, under) for span in max(under[number], key=_length)]
    titles = frozenset(" ".join(chunk.section.split()) for chunk in chunks)
    headings = [heading for at, chunk in enumerate(chunks) for heading in _headings(at, chunk, titles)]
    for candidates in ([h for h in headings if h.kind == place.kind], [h for h in headings if h.kind == ""]):
        if spans := _between(place, candidates, chunks):
            return spans
    return [] if headings else _between(place, _titles(chunks), chunks)


def blocks(word: str, chunks: Sequence[StoredChunk]) -> Blocks:
    """What stands under each label of this word in a document's chunks, by the number: to the next label, under the
    last one to the end of its section. Nothing where there is one number only."""
    lines = [
        _Heading(at, start, word, number, is_title=False)
        for at, chunk in enumerate(chunks)
        for start, number in _labels(word, chunk.text)
    ]
    labels = [next(same) for _, same in groupby(lines, key=lambda label: label.number)]
    under: dict[tuple[int, ...], list[list[Span]]] = {}
    for label, end in zip_longest(labels, labels[1:]):
        stop = (end.chunk, end.start) if end else (_end_of_section(label.chunk, chunks), 0)
        under.setdefault(label.number, []).append(_from(label, stop, chunks))
    return under if len(under) > 1 else {}


def numbers_between(place: Place, under: Blocks) -> list[tuple[int, ...]]:
    """The numbers of the labels that the place names."""
    return sorted(number for number in under if place.first <= number <= place.last)


def _end_of_section(at: int, chunks: Sequence[StoredChunk]) -> int:
    """The first chunk after this one that is in another section, or how many there are."""
    return next((other for other in range(at, len(chunks)) if chunks[other].section != chunks[at].section), len(chunks))


def begins_lines(word: str, text: str) -> bool:
    """Whether lines of a text begin with this word and a number."""
    return any(True for _ in _labels(word, text))


def _labels(word: str, text: str) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Where lines begin with the word and a number."""
    start = 0
    for line in text.splitlines(keepends=True):
        label = label_of(line)
        if label and _is_form(label[0], word):
            yield start, label[1]
        start += len(line)


def _is_form(word: str, other: str) -> bool:
    """Whether one of both is the other with an ending: "days" of "day", "Tage" of "Tag"."""
    least, most = sorted((word, other), key=len)
    with_ending = most.startswith(least) and len(most) - len(least) <= LONGEST_ENDING
    return word == other or with_ending and len(least) >= LEAST_COMMON


def _length(spans: Sequence[Span]) -> int:
    return sum(span.end - span.start for span in spans)


def notes_on(spans: Sequence[Span], part: int) -> list[StoredNote]:
    """The most telling sentences of these parts alone, numbered from `part` on."""
    chunks = [replace(span.chunk, text=span.text) for span in spans]
    return [
        StoredNote(
            spans[note.chunk].chunk,
            note.start + spans[note.chunk].start,
            note.end + spans[note.chunk].start,
            note.part + part,
            note.weight,
        )
        for note in notes(chunks)
    ]


def _titles(chunks: Sequence[StoredChunk]) -> list[_Heading]:
    """The titles of the sections, counted from one in the order of the text."""
    begins = [
        at for at, chunk in enumerate(chunks) if chunk.section and (not at or chunk.section != chunks[at - 1].section)
    ]
    return [_Heading(at, 0, "", (number,), is_title=True) for number, at in enumerate(begins, 1)]


def _between(place: Place, headings: Sequence[_Heading], chunks: Sequence[StoredChunk]) -> list[Span]:
    """From the first heading of the place to the first one after it that is neither of the place nor within it."""
    if place.first < (0,):
        numbers = sorted({heading.number for heading in headings if len(heading.number) == 1})
        if len(numbers) < -place.first[0]:
            return []
        place = Place(place.kind, numbers[place.first[0]], numbers[place.last[0]], place.label)
    # The longest: a table of contents and cross-references name it too.
    begins = [at for at, heading in enumerate(headings) if heading.number == place.first]
    begins = [at for at in begins if headings[at].is_title] or begins
    last = place.last[: len(place.first)]
    ends = [at for at, heading in enumerate(headings) if heading.number[: len(last)] > last]
    longest: dict[int, int] = {}  # of those that end together the first
    for at in begins:
        longest.setdefault(bisect_right(ends, at), at)
    stops = [*((headings[at].chunk, headings[at].start) for at in ends), (len(chunks), 0)]
    return max((_from(headings[at], stops[end], chunks) for end, at in longest.items()), key=_length, default=[])


def _from(begin: _Heading, stop: tuple[int, int], chunks: Sequence[StoredChunk]) -> list[Span]:
    """From a heading to the chunk and the place in it where another one begins."""
    spans = []
    for index in range(begin.chunk, min(stop[0] + 1, len(chunks))):
        first = begin.start if index == begin.chunk else 0
        end_at = stop[1] if index == stop[0] else len(chunks[index].text)
        if first < end_at:
            spans.append(Span(chunks[index], first, end_at))
    return spans


def _is_of_contents(line: str) -> bool:
    """Whether a line ends with a page number behind dots or a gap."""
    text = line.rstrip()
    page = _PAGE.search(text)
    before = text[: page.start()] if page else ""
    title = before.rstrip()
    return title.endswith(("...", "…")) or "\t" in before[len(title) :] or before.endswith("  ")


def _headings(at: int, chunk: StoredChunk, titles: frozenset[str]) -> list[_Heading]:
    """The numbered headings among a chunk's lines, and its section's title where the text does not repeat it."""
    headings = []
    start = 0
    for line in chunk.text.splitlines(keepends=True):
        if len(line) <= LONGEST_HEADING and not _is_of_contents(line):
            is_title = " ".join(line.split()) in titles
            headings += [_Heading(at, start, kind, number, is_title) for kind, number in _numbers(line, chunk.section)]
        start += len(line)
    title = [_Heading(at, 0, kind, number, is_title=True) for kind, number in _numbers(chunk.section, chunk.section)]
    known = {(heading.kind, heading.number) for heading in headings}
    return [heading for heading in title if (heading.kind, heading.number) not in known] + headings


@lru_cache(4096)
def _numbers(line: str, section: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The (kind, number) that a line begins with, as headings do; a bare number only in a title or a line of its
    own."""
    text = line.strip()
    if place := place_begun(text):
        return ((place.kind, place.first),)
    match = _NUMBERED.match(text)
    # "6 tasks and 35 datasets" is the middle of a sentence.
    begins_anew = match and not text[match.end()].islower()
    if match and begins_anew and (text == section.strip() or not _SENTENCE_END.search(text)):
        return (("", heading_number(match["number"] or match["roman"] or match["han"])),)
    return ()
