"""What a page, a slide, a chapter or a section says: its heading, then all of it where it is short, else its beginning
and its most telling sentences."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docqa import store
from docqa.answering.by_model import Chat
from docqa.answering.evidence import CandidateUnit, Evidence, Provider
from docqa.answering.model_summary import written_summary
from docqa.answering.quoting import row_of
from docqa.answering.sections import LEAST_COMMON, Span, begins_lines, notes_on, spans_in
from docqa.answering.summary_length import length_of
from docqa.answering.whole_text import Overview, passage_of, pieces_of, stated
from docqa.ingest.headings import after_headings
from docqa.ingest.outline import SLIDES
from docqa.ingest.selection import choose
from docqa.languages import phrase
from docqa.questions.question import Question
from docqa.questions.wanted import Place
from docqa.search.passages import Passage
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.store.notes import StoredNote
from docqa.store.sql import quoted
from docqa.text.block import Block
from docqa.text.numerals import HAN_DIGITS
from docqa.text.sentences import sentences
from docqa.text.units import units as units_of
from docqa.text.words import is_dense

BEGINNING = 0.5  # of the words of a summary are the first sentences of the place
LONGEST_TITLE = 100  # characters
_MARK = re.compile(r"^\s*(?:[-–•*▪◦‣·>\uf0b7\uf0a7]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+")


_NUMBER = re.compile(
    rf"^(?:(?:\w+ )?(?:\d+(?:\.\d+)*|[IVXLC]+)(?!\w)\s*[.:—–-]?\s*|第?[{HAN_DIGITS}]{{1,3}}[章节節]?[、.．：:\s]\s*)"
)
_WORD = re.compile(r"[^\W\d_]{3,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class _Unit:
    """A sentence, or an item of a list, of a place: `span.chunk.text[start:end]`; a row of a table is `as_row`, each
    cell with its column's name."""

    span: Span
    start: int
    end: int
    is_item: bool
    as_row: str = ""

    @property
    def text(self) -> str:
        """On one line, without the mark of an item."""
        return self.as_row or _MARK.sub("", " ".join(self.span.chunk.text[self.start : self.end].split()))

    def holds(self, place: tuple[int, int]) -> bool:
        """Whether a place, a chunk's id and an offset in it, lies within."""
        chunk, offset = place
        return chunk == self.span.chunk.id and self.start <= offset < self.end


@dataclass(frozen=True)
class NamedPlace:
    """A place that the question names, where it stands in a document; `blocks` are those of its chunks, by id."""

    document: StoredDocument
    place: Place
    spans: list[Span]
    blocks: Mapping[int, Sequence[Block]]


def not_recognised(places: Sequence[Place], language: str) -> Overview:
    """An answer saying that no such pages, chapters or sections are known."""
    labels = ", ".join(dict.fromkeys(place.label for place in places))
    text = phrase("phrases.no_such_place", language).format(place=labels)
    return stated(text[0].upper() + text[1:])


async def gist_of_places(
    db: Database, documents: Sequence[StoredDocument], question: Question, provider: Provider
) -> Overview:
    """A summary of the pages, chapters or sections that the question names, one after the other."""
    named = await _named(db, documents, question.scope.places)
    return (
        await gist_of(named, question, provider)
        if named
        else not_recognised(question.scope.places, question.answer_language)
    )


async def labelled(db: Database, documents: Sequence[StoredDocument], labels: Sequence[Place]) -> list[NamedPlace]:
    """Where something stands under these labels: more than a line, which a table or a list tells as well."""
    named: list[NamedPlace] = []
    by_id = {document.id: document for document in documents}
    for label in labels:
        async with db.read() as conn:
            scope = await store.scopes.scope_of(conn, list(by_id))
            numbers = " OR ".join(map(quoted, {str(label.first[0]), *re.findall(r"[IVXLC]+(?!\w)|\d+", label.label)}))
            match = f"{quoted(label.word[:LEAST_COMMON])}* AND ({numbers})"
            holding = await store.full_text.holding(conn, scope, match)
        held = {chunk.document for chunk in holding if begins_lines(label.word, chunk.text)}
        named += await _named(db, [document for id_, document in by_id.items() if id_ in held], [label])
    return [place for place in named if any("\n" in span.text.strip() for span in place.spans)]


async def _named(db: Database, documents: Sequence[StoredDocument], places: Sequence[Place]) -> list[NamedPlace]:
    named: list[NamedPlace] = []
    for document in documents:
        for place in places:
            if spans := await spans_in(db, document, place):
                async with db.read() as conn:
                    blocks = await store.chunks.blocks(conn, {span.chunk.id: span.chunk.text for span in spans})
                named.append(NamedPlace(document, place, spans, blocks))
    return named


async def gist_of(named: Sequence[NamedPlace], question: Question, provider: Provider) -> Overview:
    """A summary of these places, one after the other."""
    if isinstance(provider, Chat):
        noted = await asyncio.to_thread(_noted, named)
        if any(of_document for _, of_document in noted):
            return written_summary(noted, question, provider, "")
    return await asyncio.to_thread(_shown, named, question)


def _noted(named: Sequence[NamedPlace]) -> list[tuple[StoredDocument, list[StoredNote]]]:
    """The telling sentences of the places, by document."""
    by_document: dict[StoredDocument, list[StoredNote]] = {}
    for place in named:
        within = by_document.setdefault(place.document, [])
        within += notes_on(place.spans, within[-1].part + 1 if within else 0)
    return list(by_document.items())


def _shown(named: Sequence[NamedPlace], question: Question) -> Overview:
    passages: list[Passage] = []
    lines: list[tuple[str, int]] = []
    several_documents = len({part.document.id for part in named}) > 1
    for part in named:
        document, spans = part.document, part.spans
        title = _title(document, spans, part.place)
        units = _units(part, title)
        name = f"{document.name}: " if several_documents else ""
        start = len(lines)
        if title:
            label = part.place.label[0].upper() + part.place.label[1:]
            text = phrase("phrases.about.headed", question.answer_language).format(place=label, title=title)
            passages.append(passage_of(spans[0].chunk, document))
            lines.append((f"{name}{text}", len(passages) - 1))
        was_item = False
        words = length_of(question, len(named)).words - len(title.split())
        for unit in _within(units, spans, words):
            first = len(lines) == start
            gap = "\n" if unit.is_item or was_item else "" if is_dense(unit.text) else " "
            text = f"- {unit.text}" if unit.is_item else unit.text
            if not passages or passages[-1].chunk != unit.span.chunk:
                passages.append(passage_of(unit.span.chunk, document))
            lines.append((f"{name}{text}" if first else f"{gap}{text}", len(passages) - 1))
            was_item = unit.is_item
        if len(lines) > start and start:
            lines[start] = (f"\n\n{lines[start][0]}", lines[start][1])
    return Overview("", passages, pieces_of(lines), "", by_provider=True)


def _title(document: StoredDocument, spans: Sequence[Span], place: Place) -> str:
    """The heading of the place, without the number that names it; "" for a page of running text."""
    first = spans[0]
    if place.kind == "page":
        return first.chunk.section if document.kind in SLIDES else ""
    line = first.text.partition("\n")[0].strip()
    title = first.chunk.section if not line or len(line) > LONGEST_TITLE else line
    title = " ".join(title.split()).strip(" .:")
    bare = _NUMBER.sub("", title)
    return bare if any(map(str.isalpha, bare)) else title


def _units(named: NamedPlace, title: str) -> list[_Unit]:
    """The sentences, items and rows of a place in order, without its heading and those inside it."""
    document, units = named.document, list[_Unit]()
    for number, span in enumerate(named.spans):
        blocks = named.blocks.get(span.chunk.id, ())
        units += (rows := _rows(span, blocks))
        text = _without_tables(span.chunk.text, blocks) if rows else span.chunk.text
        first = span.start
        if number == 0 and title:  # behind the heading
            line = text[first : span.end].partition("\n")[0]
            first += len(line) if " ".join(line.split()).strip(" .:").endswith(title) else 0
        for paragraph in re.finditer(r"(?:[^\n]+\n?)+", text[first : span.end]):
            begin, end = first + paragraph.start(), first + paragraph.end()
            lines = [(begin + m.start(), begin + m.end()) for m in re.finditer(r"[^\n]+", text[begin:end])]
            marked = sum(bool(_MARK.match(text[start:stop])) for start, stop in lines)
            if document.kind in SLIDES or marked > 1 or marked == len(lines):
                units += [
                    _Unit(span, start, stop, is_item=document.kind in SLIDES or bool(_MARK.match(text[start:stop])))
                    for start, stop in _items(text, lines)
                ]
                continue
            for start, stop in sentences(text[begin:end]):
                start, _ = after_headings(text, begin + start, begin + stop, span.chunk.section)
                if start < begin + stop:
                    units.append(_Unit(span, start, begin + stop, is_item=False))
    heading, order = " ".join(title.split()), [span.chunk.id for span in named.spans]
    units.sort(key=lambda unit: (order.index(unit.span.chunk.id), unit.start))
    return [unit for unit in units if unit.text != heading and _WORD.search(unit.text)]


def _rows(span: Span, blocks: Sequence[Block]) -> list[_Unit]:
    """The rows of the tables in a span."""
    text = span.chunk.text
    every = units_of(text, blocks)
    evidence = Evidence(text, tuple(CandidateUnit(unit, 0.0) for unit in every), columns=span.chunk.columns)
    return [
        _Unit(span, unit.start, unit.end, is_item=True, as_row=row_of(evidence, unit))
        for unit in every
        if unit.kind == "row" and span.start <= unit.start < span.end
    ]


def _without_tables(text: str, blocks: Sequence[Block]) -> str:
    """The text with empty lines in the place of its tables."""
    for block in blocks:
        if block.kind == "row":
            text = text[: block.start] + "\n" * (block.end - block.start) + text[block.end :]
    return text


def _items(text: str, lines: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Items of a list: a line with what is continued on the lines after it, which begin small."""
    items: list[tuple[int, int]] = []
    for start, stop in lines:
        line = text[start:stop].strip()
        if items and line and line[0].islower() and not _MARK.match(line):
            items[-1] = (items[-1][0], stop)
        elif line:
            items.append((start, stop))
    return items


def _within(units: Sequence[_Unit], spans: Sequence[Span], words: int) -> list[_Unit]:
    """All of a short place; of a longer one its first units, and the most telling ones of the rest."""
    if sum(map(_length, units)) <= words:
        return list(units)
    kept: list[_Unit] = []
    left = words
    for unit in units:
        if left - _length(unit) < (1 - BEGINNING) * words and kept:
            break
        kept.append(unit)
        left -= _length(unit)
    weighed = notes_on(spans, 0)
    chosen = choose(weighed, [note.text for note in weighed], len(units), left)
    places = [(weighed[index].chunk.id, weighed[index].start) for index in chosen]
    rest = [unit for unit in units if unit not in kept and any(map(unit.holds, places))]
    for unit in rest:
        if _length(unit) <= left:
            kept.append(unit)
            left -= _length(unit)
    return sorted(kept, key=units.index)


def _length(unit: _Unit) -> int:
    return len(unit.text) // 2 if is_dense(unit.text) else len(unit.text.split())
