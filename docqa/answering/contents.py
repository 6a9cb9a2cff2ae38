"""Which chapters there are, and on which page one begins: by the document's own table of contents, else by its
headings."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise

from docqa import store
from docqa.answering.mentions import speaks_of
from docqa.answering.sections import pages_in
from docqa.answering.whole_text import Overview, passage_of, pieces_of
from docqa.formats.names import OF_ROWS
from docqa.ingest.chapters import Chapter, chapters, main_label
from docqa.ingest.outline import SLIDES
from docqa.languages import phrase
from docqa.questions.question import Question
from docqa.questions.wanted import Scope
from docqa.search.passages import Passage
from docqa.store.chunks import StoredChunk
from docqa.store.database import Database
from docqa.store.documents import StoredDocument, StoredPage
from docqa.text.keys import key

LISTED = {"SHORT": 30, "LONG": 180}  # headings
MOST_PLACED = 5  # chapters whose pages are said; where more fit, the question means something else
AROUND = 3000  # characters of a source


async def contents(db: Database, documents: Sequence[StoredDocument], question: Question) -> Overview | None:
    """The chapters with their pages; where a document has none that are known, its headings; None where no document
    has any."""
    lines: list[tuple[str, int]] = []
    passages: list[Passage] = []
    openings: list[str] = []
    language = question.answer_language
    for document in documents:
        pages, known = await _known(db, document)
        if not known or document.kind in SLIDES:
            continue
        label, _ = main_label(known)
        numbered = [chapter for chapter in known if chapter.number and chapter.label == label]
        counted = numbered or known
        opening = phrase("phrases.chapters", language).format(count=len(counted))
        name = f"{document.name}: " if len(documents) > 1 else ""
        shown = counted[: LISTED[question.options.length]]
        openings.append(name + listing(opening, len(shown), len(counted), language))
        first = len(lines)
        for chapter in shown:
            index = _source(passages, chapter, known, document, pages)
            gap = f"\n\n{openings[-1]}" if first == len(lines) and first else ""
            lines.append((f"{gap}\n- {chapter.title}, {_page(chapter, language)}", index))
        also = [chapter.title for chapter in known if chapter not in counted]
        if also:
            text = phrase("phrases.also_listed", language).format(titles="; ".join(also))
            lines.append((f"\n{text}", _source(passages, known[0], known, document, pages)))
    if lines:
        return Overview(openings[0], passages, pieces_of(lines), "")
    return await _headings(db, documents, question)


async def placement(
    db: Database, documents: Sequence[StoredDocument], question: Question, scope: Scope
) -> Overview | None:
    """On which page the chapters begin whose titles have all the topic's words, or that the question numbers; None
    where there are none."""
    lines: list[tuple[str, int]] = []
    passages: list[Passage] = []
    language = question.answer_language
    for document in documents:
        pages, known = await _known(db, document)
        for chapter in _meant(known, question, scope):
            name = f"{document.name}: " if len(documents) > 1 else ""
            index = _source(passages, chapter, known, document, pages)
            lines.append((f"{chr(10) if lines else ''}{name}{_begins(chapter, language)}", index))
    if not lines and scope.places and not scope.topic:
        return await _by_number(db, documents, question, scope)
    return Overview("", passages, pieces_of(lines), "") if 0 < len(lines) <= MOST_PLACED else None


def _meant(known: Sequence[Chapter], question: Question, scope: Scope) -> list[Chapter]:
    pairs = set(pairwise(question.words))
    labelled = [
        chapter
        for chapter in known
        if chapter.label and len(chapter.number) == 1 and (key(chapter.label), str(chapter.number[0])) in pairs
    ]
    if labelled:  # "Item 7"
        return labelled
    if scope.topic:
        return [chapter for chapter in known if speaks_of(scope.topic_words, chapter.title)]
    numbers = {place.first for place in scope.places if place.kind != "page"}
    return [chapter for chapter in known if chapter.number in numbers]


async def _by_number(
    db: Database, documents: Sequence[StoredDocument], question: Question, scope: Scope
) -> Overview | None:
    """Where a numbered section begins that is none of the chapters."""
    lines = []
    for document in documents:
        for label, numbers in (await pages_in(db, document, scope.places)).items():
            name = f"{document.name}: " if len(documents) > 1 else ""
            text = phrase("phrases.begins", question.answer_language).format(title=label, page=min(numbers))
            lines.append(name + text)
    return Overview("\n".join(lines), [], pieces_of([]), "") if lines else None


async def _known(db: Database, document: StoredDocument) -> tuple[dict[int, StoredPage], list[Chapter]]:
    if document.kind in OF_ROWS:
        return {}, []
    async with db.read() as conn:
        pages = await store.documents.pages(conn, document.id)
    return {page.number: page for page in pages}, await asyncio.to_thread(chapters, pages)


def _source(
    passages: list[Passage],
    chapter: Chapter,
    known: Sequence[Chapter],
    document: StoredDocument,
    pages: dict[int, StoredPage],
) -> int:
    """The index of the passage that names the chapter, which is added where it is new. The table of contents is in no
    chunk: its passage is made here, from its first entry on."""
    for index, passage in enumerate(passages):
        chunk = passage.chunk
        is_same = passage.document is document and chunk.page_number == chapter.source
        if is_same and chunk.start <= chapter.start and chapter.end <= chunk.start + len(chunk.text):
            return index
    text = pages[chapter.source].text
    entries = [entry.start for entry in known if entry.printed and entry.source == chapter.source]
    start = min((at for at in entries if chapter.end - at <= AROUND), default=chapter.start)
    end = max(chapter.end, text.rfind("\n", 0, start + AROUND)) if len(text) > start + AROUND else len(text)
    part = text[start:end].rstrip()
    passages.append(passage_of(StoredChunk(0, document.id, chapter.source, "", "", part, "", start), document))
    return len(passages) - 1


def _page(chapter: Chapter, language: str) -> str:
    """Its page as the document gives it, and that of the file where it is another."""
    page = phrase("phrases.page", language)
    if chapter.printed in ("", str(chapter.page)):
        return f"{page} {chapter.page}"
    printed = f"{page} {chapter.printed}"
    in_file = phrase("phrases.in_file", language).format(page=chapter.page)
    return f"{printed} ({in_file})" if chapter.page else printed


def _begins(chapter: Chapter, language: str) -> str:
    if chapter.printed in ("", str(chapter.page)):
        return phrase("phrases.begins", language).format(title=f"“{chapter.title}”", page=chapter.page)
    text = phrase("phrases.begins_printed", language).format(title=f"“{chapter.title}”", page=chapter.printed)
    if not chapter.page:
        return text
    bare, stop = text.rstrip(".。"), text[len(text.rstrip(".。")) :]
    return f"{bare} ({phrase('phrases.in_file', language).format(page=chapter.page)}){stop}"


async def _headings(db: Database, documents: Sequence[StoredDocument], question: Question) -> Overview | None:
    async with db.read() as conn:
        headed = [
            (document, chunk) for document in documents for chunk in await store.notes.headed_chunks(conn, document.id)
        ]
    if not headed:
        return None
    language = question.answer_language
    opening = phrase("phrases.headings", language).format(count=len(headed))
    shown = headed[: LISTED[question.options.length]]
    lines = [
        listed_line(document, chunk.page_number, chunk.section, len(documents), language) for document, chunk in shown
    ]
    passages = [passage_of(chunk, document) for document, chunk in shown]
    return Overview(
        listing(opening, len(shown), len(headed), language),
        passages,
        pieces_of(list(zip(lines, range(len(lines)), strict=True))),
        "",
    )


def listed_line(document: StoredDocument, page_number: int, text: str, documents: int, language: str) -> str:
    """A line of a list with its page, and its document where there are several."""
    name = f"{document.name}, " if documents > 1 else ""
    return f"\n- {name}{phrase('phrases.page', language)} {page_number}: {' '.join(text.split())}"


def listing(opening: str, shown: int, count: int, language: str) -> str:
    """The line above a list, which says where not all of it is shown."""
    return opening if shown == count else f"{opening} {phrase('phrases.shown', language).format(shown=shown)}"
