"""A file or link becomes a document: read in a child process, chunked, written in one transaction. The rest is
background.py's."""

import asyncio
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aiosqlite import Connection

from docqa import store
from docqa.formats.pages import Extracted, ExtractedPage
from docqa.ingest.attachments import read_attachments
from docqa.ingest.chunking import chunks
from docqa.ingest.properties import sensible
from docqa.ingest.queue import Intake
from docqa.ingest.quotas import Quotas
from docqa.ingest.spool import Spool
from docqa.ingest.tables import Tables, tables_of
from docqa.ingest.terms import chunk_terms
from docqa.store.chunks import Chunk
from docqa.text.detect import detect


@dataclass(frozen=True)
class _Source:
    """A file that becomes a document, and what is known of it; `name` is the document's, `file` its own."""

    name: str
    file: str
    content: Spool
    media_type: str
    url: str | None


class _Prepared(NamedTuple):
    """What is stored of a document beside its pages: chunks with their terms, the main language, tables."""

    chunks: list[tuple[Chunk, str]]
    language: str
    tables: Tables


async def add_file(
    intake: Intake,
    account: int,
    content: Spool,
    name: str,
    media_type: str,
    loc: tuple[str, ...],
    url: str | None = None,
) -> str:
    """The doc_id of the new document, or of the account's document with the same bytes.

    What a message carries becomes documents of its own, together with it. Raises Unreadable at `loc`, and TooLarge
    where the account may not keep so much.
    """
    until = asyncio.get_running_loop().time() + intake.reading.seconds
    async with intake.db.read() as conn:
        if known := await store.documents.document_with_bytes(conn, account, content.sha256):
            return known
        await intake.quotas.check_documents(conn, account, content.size)
    # A link may be a web page and its server says so; what a client says of an upload decides nothing.
    extracted = await intake.reading.read(account, content, name, media_type if url else "", loc)
    title = (url is not None and extracted.title) or name
    attached, notes = await read_attachments(intake.reading, account, extracted, title, until)
    extracted.notes.extend(notes)
    files = [(_Source(title, name, content, media_type, url), extracted)]
    for part in attached:
        file = part.file
        attachment = await asyncio.to_thread(Spool.of, file.data)
        source = _Source(part.name, file.name, attachment, file.media_type, None)
        files.append((source, part.extracted))
    documents = [(source, whole, await asyncio.to_thread(_prepared, whole)) for source, whole in files]
    async with intake.db.write() as conn:
        doc_ids = [await _store(conn, intake.quotas, account, *document) for document in documents]
    intake.work.set()
    return doc_ids[0]


async def _store(
    conn: Connection, quotas: Quotas, account: int, source: _Source, extracted: Extracted, prepared: _Prepared
) -> str:
    """The doc_id of a new document, or of the account's one with the same bytes: a file may be uploaded twice at the
    same time, and attached to several messages."""
    if known := await store.documents.document_with_bytes(conn, account, source.content.sha256):
        return known
    await quotas.check_documents(conn, account, source.content.size)
    doc_id, about = secrets.token_hex(12), sensible(extracted.properties, source.file)
    document = await store.documents.add_document(
        conn,
        account,
        doc_id=doc_id,
        name=source.name,
        kind=extracted.kind,
        sha256=source.content.sha256,
        language=prepared.language,
        pages=len(extracted.pages),
        notes=" ".join(extracted.notes),
        title=about.title,
        author=about.author,
        dated=about.date,
    )
    data = await asyncio.to_thread(source.content.read)  # of one document at a time: there is one writer
    await store.documents.add_original(conn, document, source.media_type, source.url, data)
    await store.documents.add_pages(conn, document, extracted.pages)
    await store.chunks.add_chunks(conn, document, prepared.chunks)
    await store.document_tables.replace_tables(conn, document, *prepared.tables)
    return doc_id


def _prepared(extracted: Extracted) -> _Prepared:
    pieces = [chunk for number, page in enumerate(extracted.pages, 1) for chunk in page_chunks(number, page)]
    return _Prepared(with_terms(pieces), main_language(chunk.text for chunk in pieces), tables_of(extracted))


def page_chunks(page_number: int, page: ExtractedPage) -> list[Chunk]:
    """The chunks of an extracted page."""
    return chunks(page_number, page.text, page.section, page.headings, page.tables, page.blocks or None)


def with_terms(pieces: Sequence[Chunk]) -> list[tuple[Chunk, str]]:
    """Each chunk with its search terms."""
    return [(chunk, chunk_terms(chunk.section, chunk.columns, chunk.text)) for chunk in pieces]


def main_language(texts: Iterable[str]) -> str:
    """The ISO 639-1 code of the language that most of the texts are in; "" if that is unclear."""
    return detect("\n".join(texts))
