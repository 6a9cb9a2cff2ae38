"""Questions about documents as a whole, answered from all of their text and not from what a search finds.

A number in such an answer is one that was counted here, and the answer says what was counted.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from docqa import store
from docqa.answering.by_model import Chat
from docqa.answering.evidence import Piece, Provider
from docqa.answering.mentions import Place, match_of, places, speaks_of
from docqa.answering.model_summary import digest
from docqa.answering.sections import notes_on, pages_in, spans_in
from docqa.ingest.key_sentences import choose, notes
from docqa.languages import phrase
from docqa.questions.question import Place as NamedPlace
from docqa.questions.question import Question, Scope
from docqa.search.passages import Passage, Scores
from docqa.store.chunks import StoredChunk
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.store.notes import StoredNote
from docqa.text.words import is_dense

SENTENCES = {"SHORT": 3, "LONG": 12}  # that sum up one document
SENTENCES_EACH = {"SHORT": 1, "LONG": 3}  # that sum up each of several
LISTED = {"SHORT": 10, "LONG": 60}  # places and headings
LONGEST = 500  # characters of a place: a row can be very long
PARAGRAPH = 2  # sentences at least
DIGESTED = 400  # notes given to a model at most: more take longer to read than an answer may take

T = TypeVar("T")


@dataclass(frozen=True)
class Overview:
    """An answer in the making: `pieces` rest on `passages`; what stands around them is ours and needs no source.

    `by_provider` is whether the provider had a part in it: what is counted and listed needs none.
    """

    opening: str
    passages: list[Passage]
    pieces: AsyncGenerator[Piece, None]
    closing: str
    by_provider: bool = False


async def overview(
    db: Database, documents: Sequence[StoredDocument], question: Question, provider: Provider
) -> Overview | None:
    """The answer to a question about whole documents or a named part of them; None for any other question."""
    scope = question.scope
    if scope.wanted == "passages" or not documents:
        return None
    if scope.wanted == "page_count":
        return await _page_counts(db, documents, question)
    if scope.wanted == "contents":
        return await _contents(db, documents, question)
    if scope.wanted == "mentions":
        return await _mentions(db, documents, question, scope)
    return await _gist(db, documents, question, scope, provider)


async def _page_counts(db: Database, documents: Sequence[StoredDocument], question: Question) -> Overview:
    places, language = question.scope.places, question.answer_language
    if not places or places[0].kind == "page":
        lines = [phrase("phrases.page_count", language).format(pages=sum(document.pages for document in documents))]
        if len(documents) > 1:
            lines += [f"- {document.name}: {document.pages}" for document in documents]
        return Overview("\n".join(lines), [], _pieces([]), "")
    lines = []
    for document in documents:
        for label, pages in (await pages_in(db, document, places)).items():
            text = phrase("phrases.pages_of", language).format(
                place=label, first=min(pages), last=max(pages), count=len(pages)
            )
            lines.append(f"{document.name}: {text}" if len(documents) > 1 else text)
    return Overview("\n".join(lines), [], _pieces([]), "") if lines else _not_recognised(places, language)


def _not_recognised(places: Sequence[NamedPlace], language: str) -> Overview:
    labels = ", ".join(dict.fromkeys(place.label for place in places))
    text = phrase("phrases.no_such_place", language).format(place=labels)
    return Overview(text[0].upper() + text[1:], [], _pieces([]), "")


async def _contents(db: Database, documents: Sequence[StoredDocument], question: Question) -> Overview | None:
    """The headings with their pages; None where no document has any that were recognised."""
    async with db.read() as conn:
        headed = [
            (document, chunk) for document in documents for chunk in await store.notes.headed_chunks(conn, document.id)
        ]
    if not headed:
        return None
    opening = phrase("phrases.headings", question.answer_language).format(count=len(headed))
    shown = headed[: 3 * LISTED[question.options.length]]
    lines = [
        _line(document, chunk.page_number, chunk.section, len(documents), question.answer_language)
        for document, chunk in shown
    ]
    passages = [_passage(chunk, document, []) for document, chunk in shown]
    return Overview(
        _listing(opening, len(shown), len(headed), question.answer_language),
        passages,
        _pieces(list(zip(lines, range(len(lines)), strict=True))),
        "",
    )


async def _mentions(
    db: Database, documents: Sequence[StoredDocument], question: Question, scope: Scope
) -> Overview | None:
    """Where the topic is mentioned, counted and listed; None where no sentence has all its words."""
    by_id = {document.id: document for document in documents}
    async with db.read() as conn:
        chunks = await store.notes.holding(conn, list(by_id), match_of(scope.topic_words))
    mentions = await asyncio.to_thread(places, scope.topic_words, chunks)
    if not mentions:
        return None
    on = len({(place.chunk.document, place.chunk.page_number) for place in mentions})
    template = phrase("phrases.places", question.answer_language)
    opening = template.format(
        topic=" ".join(scope.topic), count=len(mentions), on=on, pages=sum(document.pages for document in documents)
    )
    shown = mentions[: LISTED[question.options.length]]
    held = list(dict.fromkeys(place.chunk for place in shown))
    passages = [
        _passage(chunk, by_id[chunk.document], [(p.start, p.end) for p in shown if p.chunk is chunk]) for chunk in held
    ]
    lines = [
        (
            _place_line(place, by_id[place.chunk.document], len(documents), question.answer_language),
            held.index(place.chunk),
        )
        for place in shown
    ]
    return Overview(
        _listing(opening, len(shown), len(mentions), question.answer_language), passages, _pieces(lines), ""
    )


def _place_line(place: Place, document: StoredDocument, documents: int, language: str) -> str:
    text = place.chunk.text[place.start : min(place.end, place.start + LONGEST)]
    return _line(document, place.chunk.page_number, text, documents, language)


def _line(document: StoredDocument, page_number: int, text: str, documents: int, language: str) -> str:
    name = f"{document.name}, " if documents > 1 else ""
    return f"\n- {name}{phrase('phrases.page', language)} {page_number}: {' '.join(text.split())}"


def _listing(opening: str, shown: int, count: int, language: str) -> str:
    return opening if shown == count else f"{opening} {phrase('phrases.shown', language).format(shown=shown)}"


async def _gist(
    db: Database, documents: Sequence[StoredDocument], question: Question, scope: Scope, provider: Provider
) -> Overview | None:
    """A summary of the documents, or of those or the sections that the question names; None if it names something
    else."""
    named = [document for document in documents if scope.topic and speaks_of(scope.topic_words, document.name)]
    documents = named or documents
    if scope.places:
        return await _gist_of_places(db, documents, question, provider)
    by_document = [(document, await _notes(db, document)) for document in documents]
    if scope.topic and not named:
        sections = [
            (document, [note for note in stored if speaks_of(scope.topic_words, note.chunk.section)])
            for document, stored in by_document
        ]
        if any(within for _, within in sections):
            by_document = [(document, within) for document, within in sections if within]
        elif await _stands(db, documents, scope):
            return None
    if not any(stored for _, stored in by_document):
        return None
    closing = await _scope_note(db, [document for document, _ in by_document], question.answer_language)
    if isinstance(provider, Chat):
        return _written(by_document, question, provider, closing)
    return await asyncio.to_thread(_picked, by_document, question, closing)


async def _gist_of_places(
    db: Database, documents: Sequence[StoredDocument], question: Question, provider: Provider
) -> Overview:
    """A summary of the pages, chapters or sections that the question names."""
    by_document, pages = [], 0
    for document in documents:
        within: list[StoredNote] = []
        read = set[int]()
        for place in question.scope.places:
            spans = await spans_in(db, document, place)
            within += await asyncio.to_thread(notes_on, spans, within[-1].part + 1 if within else 0)
            read.update(span.chunk.page_number for span in spans)
        if within:
            by_document.append((document, within))
            pages += len(read)
    if not by_document:
        return _not_recognised(question.scope.places, question.answer_language)
    closing = "\n\n" + phrase("phrases.pages_read", question.answer_language).format(read=pages, pages=pages)
    if isinstance(provider, Chat):
        return _written(by_document, question, provider, closing)
    return await asyncio.to_thread(_picked, by_document, question, closing)


async def _notes(db: Database, document: StoredDocument) -> list[StoredNote]:
    """The stored notes; before the background work has made them, the same made now."""
    async with db.read() as conn:
        stored = await store.notes.notes(conn, document.id)
        chunks = [] if stored else await store.chunks.chunks(conn, document.id)
    made = await asyncio.to_thread(notes, chunks)
    return stored or [StoredNote(chunks[note.chunk], note.start, note.end, note.part, note.weight) for note in made]


async def _stands(db: Database, documents: Sequence[StoredDocument], scope: Scope) -> bool:
    async with db.read() as conn:
        return bool(
            await store.chunks.match_chunks(
                conn, [document.id for document in documents], match_of(scope.topic_words), 1
            )
        )


async def _scope_note(db: Database, documents: Sequence[StoredDocument], language: str) -> str:
    """How many pages the answer is from."""
    async with db.read() as conn:
        unread = sum([await store.jobs.count_scans(conn, document.id) for document in documents])
    pages = sum(document.pages for document in documents)
    sentences = [phrase("phrases.documents", language).format(count=len(documents))] if len(documents) > 1 else []
    sentences.append(phrase("phrases.pages_read", language).format(read=pages - unread, pages=pages))
    if unread:
        sentences.append(phrase("phrases.pages_unread", language))
    return "\n\n" + ("" if is_dense(sentences[0]) else " ").join(sentences)


def _picked(
    by_document: Sequence[tuple[StoredDocument, list[StoredNote]]], question: Question, closing: str
) -> Overview:
    """The most telling sentences, verbatim: of one document in paragraphs by section, of several a paragraph each."""
    count = (SENTENCES if len(by_document) == 1 else SENTENCES_EACH)[question.options.length]
    passages: list[Passage] = []
    lines: list[tuple[str, int]] = []
    for document, of_document in by_document:
        chosen = [of_document[i] for i in choose(of_document, [note.text for note in of_document], count)]
        in_paragraph, place = 0, ""
        for note in chosen:
            # Where no sections were recognised, a page is one.
            before, place = place, note.chunk.section or str(note.chunk.page_number)
            new = (
                in_paragraph == 0
                or question.options.length == "LONG"
                and len(by_document) == 1
                and in_paragraph >= PARAGRAPH
                and place != before
            )
            gap = "" if not lines else "\n\n" if new else "" if is_dense(note.text) else " "
            name = f"{document.name}: " if in_paragraph == 0 and len(by_document) > 1 else ""
            if not passages or passages[-1].chunk != note.chunk:
                passages.append(_passage(note.chunk, document, []))
            lines.append((f"{gap}{name}{' '.join(note.text.split())}", len(passages) - 1))
            in_paragraph = 1 if new else in_paragraph + 1
    return Overview("", passages, _pieces(lines), closing, by_provider=True)


def _written(
    by_document: Sequence[tuple[StoredDocument, list[StoredNote]]], question: Question, chat: Chat, closing: str
) -> Overview:
    """What a model makes of the notes; of very many, of as many from each document as it can read in time."""
    each = max(1, DIGESTED // len(by_document))
    chosen = [(document, note) for document, of_document in by_document for note in _evenly(of_document, each)]
    passages = [
        _passage(chunk, document, []) for chunk, document in {note.chunk: document for document, note in chosen}.items()
    ]
    return Overview("", passages, digest(chat, question, [note.text for _, note in chosen]), closing, by_provider=True)


def _evenly(items: Sequence[T], count: int) -> Sequence[T]:
    return items[:: max(1, -(-len(items) // count))]


def _passage(chunk: StoredChunk, document: StoredDocument, spans: Sequence[tuple[int, int]]) -> Passage:
    return Passage(chunk=chunk, document=document, scores=Scores(coverage=1.0), score=1.0)


async def _pieces(lines: Sequence[tuple[str, int]]) -> AsyncGenerator[Piece, None]:
    for text, passage in lines:
        yield Piece(text, passage)
