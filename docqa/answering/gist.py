"""Summaries: of whole documents, of those or the sections that a question names, of pages, chapters and sections."""

import asyncio
from collections.abc import Sequence

from docqa import store
from docqa.answering.by_model import Chat
from docqa.answering.evidence import Provider
from docqa.answering.focus import MOST_OF_IT, Focus, OfDocument, focused, notes_of
from docqa.answering.mentions import match_of, speaks_of
from docqa.answering.model_summary import written_summary
from docqa.answering.place_summary import gist_of_places
from docqa.answering.sections import LONGEST_HEADING
from docqa.answering.slide_summary import slide_lines
from docqa.answering.summary_length import Length, length_of
from docqa.answering.whole_text import Overview, passage_of, pieces_of
from docqa.formats.names import OF_ROWS
from docqa.ingest.outline import SLIDES, TITLED
from docqa.ingest.selection import choose
from docqa.ingest.sentence_worth import is_boilerplate
from docqa.ingest.stored_outline import outline
from docqa.ingest.subjects import names, tells_story
from docqa.languages import phrase
from docqa.questions.question import Question
from docqa.questions.wanted import Scope
from docqa.search.passages import Passage
from docqa.store.chunks import StoredChunk
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.store.notes import StoredNote
from docqa.text.sentences import sentences
from docqa.text.words import is_dense

PARAGRAPH = 2  # sentences at least
ENOUGH = 2  # sentences: with fewer, the headings say more
TITLES = {"SHORT": 12, "LONG": 30}  # of parts that are named
SLIDE_SENTENCES, SLIDE_TITLES = {"SHORT": 1, "LONG": 3}, 20  # of many slides: their titles say more
LONG_DOCUMENT = 10  # pages: a few sentences say too little of more
NAMED = 6  # of the names in a story
LONG_STORY = 60_000  # characters: names are counted in as many at least, which takes 0.2 s


async def gist(
    db: Database, documents: Sequence[StoredDocument], question: Question, scope: Scope, provider: Provider
) -> Overview | None:
    """A summary of the documents, or of those or the sections that the question names; None if it names something
    else, or asks for decisions and there are few."""
    named = await called(db, documents, scope)
    documents = named or documents
    if scope.places:
        return await gist_of_places(db, documents, question, provider)
    focus = Focus.of(question) if not named else None
    by_document, says_enough = (
        await focused(db, documents, focus) if focus else ([(document, []) for document in documents], False)
    )
    if scope.wanted == "outcome" and not says_enough:
        return None
    by_document = [(document, notes or await _notes(db, document)) for document, notes in by_document]
    if scope.topic and not named:
        sections = [
            (document, [note for note in stored if speaks_of(scope.topic_words, note.chunk.section)])
            for document, stored in by_document
        ]
        if any(within for _, within in sections):
            by_document = [(document, within) for document, within in sections if within]
        elif not says_enough and await _stands(db, documents, scope):
            return None
    closing = await _closing(db, [document for document, _ in by_document], question.answer_language)
    if isinstance(provider, Chat) and any(stored for _, stored in by_document):
        return written_summary(by_document, question, provider, closing)
    is_deck = len(documents) == 1 and documents[0].kind in SLIDES and not focus and not question.size.sentences
    if is_deck and (slides := await slide_lines(db, documents[0], question.options.length)):
        return _of_slides(documents[0], slides, question, closing)
    whole = [] if focus else documents
    made_of = {document.id: await _made_of(db, document, question) for document in whole}
    is_long = any(_is_long(document) and made_of.get(document.id) for document, _ in by_document)
    names_parts = is_long and question.options.length == "SHORT"
    length = length_of(question, len(by_document), names_parts=names_parts)
    return await asyncio.to_thread(
        _picked, by_document, made_of, question, length, closing, of_several=len(documents) > 1
    )


async def called(db: Database, documents: Sequence[StoredDocument], scope: Scope) -> list[StoredDocument]:
    """The documents whose name or title has all words of the topic, or the line that a single one begins with: it is
    what they are called."""
    if not scope.topic:
        return []
    heads = {document.id: f"{document.name} {document.title}" for document in documents}
    if len(documents) == 1:
        async with db.read() as conn:
            chunks = await store.chunks.page_chunks(conn, documents[0].id, [1])
        line = chunks[0].text.strip().partition("\n")[0] if chunks else ""
        heads[documents[0].id] += f" {line}" if len(line) <= LONGEST_HEADING else ""
    return [document for document in documents if speaks_of(scope.topic_words, heads[document.id])]


def speak_of(scope: Scope, passages: Sequence[Passage]) -> bool:
    """Whether most words of the topic stand in some of the passages."""
    held = [word for word in scope.topic_words if any(speaks_of((word,), passage.text) for passage in passages)]
    return len(held) >= MOST_OF_IT * len(scope.topic_words)


async def _made_of(db: Database, document: StoredDocument, question: Question) -> str:
    """What the parts of a document are and, of a story, whose names stand most often in it."""
    language = question.answer_language
    async with db.read() as conn:
        most = TITLES[question.options.length]
        most = max(most, SLIDE_TITLES) if document.kind in SLIDES else most
        parts = await outline(conn, document, language, most)
        chunks = [] if document.kind in OF_ROWS else await store.chunks.chunks(conn, document.id)
    cast = await asyncio.to_thread(_cast, [chunk.text for chunk in chunks])
    named = phrase("phrases.about.cast", language).format(names=", ".join(cast[:NAMED])) if cast else ""
    return " ".join(filter(None, (named, parts)))


def _cast(texts: Sequence[str]) -> list[str]:
    """The names in a story; of a long one, in pieces from all of it."""
    texts = texts[:: max(1, sum(map(len, texts)) // LONG_STORY)]
    if not tells_story(texts):
        return []
    said = (text[start:end] for text in texts for start, end in sentences(text))
    return names(sentence for sentence in said if not is_boilerplate(sentence))


async def _notes(db: Database, document: StoredDocument) -> list[StoredNote]:
    """The stored notes; before the background work has made them, the same made now."""
    async with db.read() as conn:
        stored = await store.notes.notes(conn, document.id)
        chunks = [] if stored else await store.chunks.chunks(conn, document.id)
    return stored or await asyncio.to_thread(notes_of, chunks)


async def _stands(db: Database, documents: Sequence[StoredDocument], scope: Scope) -> bool:
    async with db.read() as conn:
        within = await store.scopes.scope_of(conn, [document.id for document in documents])
        return await store.full_text.any_match(conn, within, match_of(scope.topic_words))


async def _closing(db: Database, documents: Sequence[StoredDocument], language: str) -> str:
    """How many pages the answer is from, where some could not be read; how many documents, where there are several."""
    async with db.read() as conn:
        unread = sum([await store.jobs.count_scans(conn, document.id) for document in documents])
    pages = sum(document.pages for document in documents)
    sentences = [phrase("phrases.documents", language).format(count=len(documents))] if len(documents) > 1 else []
    if unread:
        sentences.append(phrase("phrases.pages_read", language).format(read=pages - unread, pages=pages))
        sentences.append(phrase("phrases.pages_unread", language))
    return "\n\n" + ("" if is_dense(sentences[0]) else " ").join(sentences) if sentences else ""


def _picked(
    by_document: Sequence[OfDocument],
    made_of: dict[int, str],
    question: Question,
    length: Length,
    closing: str,
    *,
    of_several: bool,
) -> Overview | None:
    """The most telling sentences, verbatim: of one document in paragraphs by section, of several a paragraph each; and
    what there is of it, where sentences say little. Documents are named where they are some `of_several` that were
    asked. None where nothing is said."""
    passages: list[Passage] = []
    lines: list[tuple[str, int]] = []
    outlined: list[str] = []
    for document, of_document in by_document:
        texts = [note.text for note in of_document]
        is_deck = document.kind in SLIDES
        count = min(length.sentences, SLIDE_SENTENCES[question.options.length]) if is_deck else length.sentences
        chosen = [of_document[i] for i in choose(of_document, texts, count, length.words)]
        parts = made_of.get(document.id, "")
        if parts and (
            document.kind in OF_ROWS or len(by_document) == 1 and _says_little(document, chosen, question, length)
        ):
            outlined.append(f"{document.name}: {parts}" if of_several else parts)
            chosen = [] if document.kind in OF_ROWS else chosen
        in_paragraph, place = 0, ""
        for note in chosen:
            # Where no sections were recognised, a page is one.
            before, place = place, note.chunk.section or str(note.chunk.page_number)
            new = (
                in_paragraph == 0
                or length.paragraphs
                and len(by_document) == 1
                and in_paragraph >= PARAGRAPH
                and place != before
            )
            gap = "" if not lines else "\n\n" if new else "" if is_dense(note.text) else " "
            name = f"{document.name}: " if in_paragraph == 0 and of_several else ""
            if not passages or passages[-1].chunk != note.chunk:
                passages.append(passage_of(note.chunk, document))
            lines.append((f"{gap}{name}{' '.join(note.text.split())}", len(passages) - 1))
            in_paragraph = 1 if new else in_paragraph + 1
    if not lines and not outlined:
        return None
    parts = "\n\n".join(outlined)
    closing = f"\n\n{parts}{closing}" if lines and parts else closing
    return Overview(
        _titles(by_document, question) if lines else parts, passages, pieces_of(lines), closing, by_provider=True
    )


def _of_slides(
    document: StoredDocument, slides: Sequence[tuple[str, StoredChunk]], question: Question, closing: str
) -> Overview:
    passages = [passage_of(chunk, document) for _, chunk in slides]
    lines = [(f"{chr(10) if place else ''}- {text}", place) for place, (text, _) in enumerate(slides)]
    opening = phrase("phrases.about.slides", question.answer_language).format(pages=document.pages)
    title = _titles([(document, [])], question)
    return Overview(f"{title}{opening}\n", passages, pieces_of(lines), closing, by_provider=True)


def _titles(by_document: Sequence[OfDocument], question: Question) -> str:
    """The title of a single document, as a sentence, where more than a sentence or two is wanted."""
    [document] = {document for document, _ in by_document} if len(by_document) == 1 else {None}
    if document is None or not document.title or question.size.sentences or question.scope.topic:
        return ""
    text = phrase("phrases.about.title", question.answer_language).format(value=document.title)
    return text if is_dense(text) else f"{text} "


def _says_little(document: StoredDocument, chosen: Sequence[StoredNote], question: Question, length: Length) -> bool:
    """Whether the headings should be listed too: in a longer answer, and where there are too few sentences."""
    if question.size.sentences:
        return not chosen
    is_short = len(chosen) < min(ENOUGH, length.sentences)
    return is_short or question.options.length == "LONG" or _is_long(document) and not question.size.brief


def _is_long(document: StoredDocument) -> bool:
    return document.kind in TITLED or document.pages >= LONG_DOCUMENT
