"""Summaries: of whole documents, of those or the sections that a question names, of pages, chapters and sections."""

import asyncio
from collections.abc import Sequence
from typing import TypeVar

from docqa import store
from docqa.answering.by_model import Chat
from docqa.answering.evidence import Provider
from docqa.answering.mentions import match_of, speaks_of
from docqa.answering.model_summary import digest
from docqa.answering.sections import notes_on, spans_in
from docqa.answering.whole_text import Overview, passage_of, pieces_of, stated
from docqa.ingest.key_sentences import choose, notes
from docqa.languages import phrase
from docqa.questions.question import Place, Question, Scope
from docqa.search.passages import Passage
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.store.notes import StoredNote
from docqa.text.words import is_dense

SENTENCES = {"SHORT": 3, "LONG": 12}  # that sum up one document
SENTENCES_EACH = {"SHORT": 1, "LONG": 3}  # that sum up each of several
PARAGRAPH = 2  # sentences at least
DIGESTED = 400  # notes given to a model at most: more take longer to read than an answer may take

T = TypeVar("T")


def not_recognised(places: Sequence[Place], language: str) -> Overview:
    """An answer saying that no such pages, chapters or sections are known."""
    labels = ", ".join(dict.fromkeys(place.label for place in places))
    text = phrase("phrases.no_such_place", language).format(place=labels)
    return stated(text[0].upper() + text[1:])


async def gist(
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
        return not_recognised(question.scope.places, question.answer_language)
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
        ids = [document.id for document in documents]
        return bool(await store.chunks.match_chunks(conn, ids, match_of(scope.topic_words), 1))


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
                passages.append(passage_of(note.chunk, document))
            lines.append((f"{gap}{name}{' '.join(note.text.split())}", len(passages) - 1))
            in_paragraph = 1 if new else in_paragraph + 1
    return Overview("", passages, pieces_of(lines), closing, by_provider=True)


def _written(
    by_document: Sequence[tuple[StoredDocument, list[StoredNote]]], question: Question, chat: Chat, closing: str
) -> Overview:
    """What a model makes of the notes; of very many, of as many from each document as it can read in time."""
    each = max(1, DIGESTED // len(by_document))
    chosen = [(document, note) for document, of_document in by_document for note in _evenly(of_document, each)]
    passages = [
        passage_of(chunk, document) for chunk, document in {note.chunk: document for document, note in chosen}.items()
    ]
    return Overview("", passages, digest(chat, question, [note.text for _, note in chosen]), closing, by_provider=True)


def _evenly(items: Sequence[T], count: int) -> Sequence[T]:
    return items[:: max(1, -(-len(items) // count))]
