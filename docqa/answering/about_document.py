"""Questions about documents themselves: author, date, title, language, format; from their text, else from what the file
says of itself."""

import asyncio
from collections.abc import Callable, Sequence

from docqa import store
from docqa.answering.phrasing import language_name
from docqa.answering.signatures import signed
from docqa.answering.title_page import Stated, audience, author, date, first_line, in_head
from docqa.answering.whole_text import Overview, passage_of, pieces_of
from docqa.formats.names import MESSAGES, OF_ROWS
from docqa.languages import phrase
from docqa.questions.question import Question
from docqa.questions.wanted import Property
from docqa.search.passages import Passage
from docqa.store.chunks import StoredChunk
from docqa.store.database import Database
from docqa.store.documents import StoredDocument

PAGES = 8  # at the beginning: the imprint may follow covers and empty pages
CLOSING_PAGES = 2
FORMATS = {
    "pdf": "PDF",
    "txt": "TXT",
    "csv": "CSV",
    "ppt": "PowerPoint (.ppt)",
    "pptx": "PowerPoint (.pptx)",
    "odp": "OpenDocument (.odp)",
    "image": "PNG, JPEG, TIFF, WebP, GIF, BMP",
    "epub": "EPUB",
    "rtf": "RTF",
    "docx": "Word (.docx)",
    "odt": "OpenDocument (.odt)",
    "doc": "Word (.doc)",
    "html": "HTML",
    "md": "Markdown",
    "json": "JSON",
    "xml": "XML",
    "eml": "EML",
    "mbox": "MBOX",
    "msg": "Outlook (.msg)",
    "xlsx": "Excel (.xlsx)",
    "xls": "Excel (.xls)",
    "ods": "OpenDocument (.ods)",
}
_IN_TEXT: dict[Property, Callable[[Sequence[StoredChunk]], Stated | None]] = {
    "author": author,
    "written": date,
    "audience": audience,
}
_IN_HEAD: dict[Property, str] = {
    "author": "From",
    "sender": "From",
    "written": "Date",
    "sent": "Date",
    "audience": "To",
    "recipient": "To",
    "title": "Subject",
}
_OF_MESSAGES: tuple[Property, ...] = ("sender", "recipient", "sent")


async def about_document(db: Database, documents: Sequence[StoredDocument], question: Question) -> Overview | None:
    """What the documents say of themselves; None where "the book" names nothing of the kind, and may be another."""
    passages: list[Passage] = []
    lines: list[tuple[str, int]] = []
    unsourced: list[str] = []
    is_known = False
    for document in documents:
        async with db.read() as conn:
            pages = {*range(1, PAGES + 1), document.pages - 1, document.pages}
            # A row of a table says nothing of the table.
            chunks = [] if document.kind in OF_ROWS else await store.chunks.page_chunks(conn, document.id, pages)
        name = f"{document.name}: " if len(documents) > 1 else ""
        for prop in question.scope.properties:
            is_message = document.kind in MESSAGES
            if prop in _OF_MESSAGES and not is_message:
                continue
            stated = _stated(prop, chunks, is_message)
            if stated is None and prop == "author" and (stated := await asyncio.to_thread(signed, chunks)):
                lines.append((f"{' ' if lines else ''}{name}{_signed(stated, question)}", len(passages)))
                passages.append(passage_of(stated.chunk, document))
            elif stated is not None:
                if not passages or passages[-1].chunk != stated.chunk:
                    passages.append(passage_of(stated.chunk, document))
                lines.append((f"{' ' if lines else ''}{name}{_quoted(prop, stated, question)}", len(passages) - 1))
            elif prop not in ("audience", *_OF_MESSAGES):
                text, told_by_file = _by_file(prop, document, chunks, question.answer_language)
                unsourced.append(name + text)
                is_known = is_known or told_by_file
    if not lines and (not unsourced or not is_known and not question.points_at_document):
        return None
    closing = " ".join(unsourced)
    return Overview("" if lines else closing, passages, pieces_of(lines), f" {closing}" if lines and closing else "")


async def signature(db: Database, documents: Sequence[StoredDocument], question: Question) -> Overview | None:
    """Who signed the documents or the letters in front of them; None where no signature is recognised."""
    passages: list[Passage] = []
    lines: list[tuple[str, int]] = []
    for document in documents:
        async with db.read() as conn:
            pages = {*range(1, PAGES + 1), *range(document.pages - CLOSING_PAGES + 1, document.pages + 1)}
            chunks = [] if document.kind in OF_ROWS else await store.chunks.page_chunks(conn, document.id, pages)
        if stated := await asyncio.to_thread(signed, chunks):
            name = f"{document.name}: " if len(documents) > 1 else ""
            passages.append(passage_of(stated.chunk, document))
            lines.append((f"{' ' if lines else ''}{name}{_signed(stated, question)}", len(passages) - 1))
    return Overview("", passages, pieces_of(lines), "") if lines else None


def _stated(prop: Property, chunks: Sequence[StoredChunk], is_message: bool) -> Stated | None:
    """What the text says of it: in a message its head, elsewhere the title page."""
    if is_message:
        return in_head(_IN_HEAD[prop], chunks) if prop in _IN_HEAD else None
    return _IN_TEXT[prop](chunks) if prop in _IN_TEXT else None


def _signed(stated: Stated, question: Question) -> str:
    return phrase("phrases.about.signed", question.answer_language).format(value=stated.value)


def _quoted(prop: Property, stated: Stated, question: Question) -> str:
    if prop in ("audience", "recipient"):
        return phrase("phrases.about.audience", question.answer_language).format(line=stated.line)
    key = {"written": "date", "sent": "date", "title": "title"}.get(prop, "author")
    key += "_stated" if stated.says_more else ""
    template = phrase(f"phrases.about.{key}", question.answer_language)
    return template.format(value=stated.value, line=stated.line)


def _by_file(
    prop: Property, document: StoredDocument, chunks: Sequence[StoredChunk], language: str
) -> tuple[str, bool]:
    """(a sentence, whether it says what was asked) from what the file says of itself."""
    if prop == "title" and not document.title and (line := first_line(chunks)):
        return _say("title", line.value, language), True
    if prop == "tongue":
        value = language_name(document.language, language) or document.language
        return _say("language" if value else "language_unknown", value, language), True
    if prop == "format":
        return _say("format", FORMATS.get(document.kind, document.kind.upper()), language), True
    key, value = {
        "author": ("author", document.author),
        "written": ("date", document.dated),
        "title": ("title", document.title),
    }[prop]
    if value:
        return _say(key if key == "title" else f"{key}_file", value, language), True
    return _say(f"{key}_unknown", document.name, language), False


def _say(key: str, value: str, language: str) -> str:
    return phrase(f"phrases.about.{key}", language).format(value=value, line="")
