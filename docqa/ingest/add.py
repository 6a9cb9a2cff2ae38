"""A file or link becomes a document: read in a child process, chunked, written in one transaction. The rest is
background.py's."""

import asyncio
import hashlib
import secrets
from collections.abc import Iterable, Sequence

from docqa import store
from docqa.formats.pages import Extracted, ExtractedPage
from docqa.ingest.chunking import chunks
from docqa.ingest.properties import sensible
from docqa.ingest.queue import Intake
from docqa.ingest.tables import tables_of
from docqa.ingest.terms import chunk_terms
from docqa.store.chunks import Chunk
from docqa.text.detect import detect


async def add_file(
    intake: Intake,
    account: int,
    data: bytes,
    name: str,
    media_type: str,
    loc: tuple[str, ...],
    url: str | None = None,
) -> str:
    """The doc_id of the new document, or of the account's document with the same bytes.

    Raises Unreadable at `loc`, and Busy when too many files wait to be read.
    """
    sha256 = await asyncio.to_thread(lambda: hashlib.sha256(data).digest())
    async with intake.db.read() as conn:
        if known := await store.documents.document_with_bytes(conn, account, sha256):
            return known
    # A link may be a web page and its server says so; what a client says of an upload decides nothing.
    extracted = await intake.reading.read(data, name, media_type if url else "", loc)
    pieces, language = await asyncio.to_thread(_cut, extracted)
    tables = await asyncio.to_thread(tables_of, extracted)
    doc_id, about = secrets.token_hex(12), sensible(extracted.properties, name)
    async with intake.db.write() as conn:
        if known := await store.documents.document_with_bytes(conn, account, sha256):  # uploaded twice at the same time
            return known
        title = (url is not None and extracted.title) or name
        pages = len(extracted.pages)
        document = await store.documents.add_document(
            conn,
            account,
            doc_id=doc_id,
            name=title,
            kind=extracted.kind,
            sha256=sha256,
            language=language,
            pages=pages,
            notes=" ".join(extracted.notes),
            title=about.title,
            author=about.author,
            dated=about.date,
        )
        await store.documents.add_original(conn, document, media_type, url, data)
        await store.documents.add_pages(conn, document, extracted.pages)
        await store.chunks.add_chunks(conn, document, pieces)
        await store.document_tables.replace_tables(conn, document, *tables)
    intake.work.set()
    return doc_id


def _cut(extracted: Extracted) -> tuple[list[tuple[Chunk, str]], str]:
    """(chunks with their terms, main language)."""
    pieces = [chunk for number, page in enumerate(extracted.pages, 1) for chunk in page_chunks(number, page)]
    return with_terms(pieces), main_language(chunk.text for chunk in pieces)


def page_chunks(page_number: int, page: ExtractedPage) -> list[Chunk]:
    """The chunks of an extracted page."""
    return chunks(page_number, page.text, page.section, page.headings, page.tables, page.blocks or None)


def with_terms(pieces: Sequence[Chunk]) -> list[tuple[Chunk, str]]:
    """Each chunk with its search terms."""
    return [(chunk, chunk_terms(chunk.section, chunk.columns, chunk.text)) for chunk in pieces]


def main_language(texts: Iterable[str]) -> str:
    """The ISO 639-1 code of the language that most of the texts are in; "" if that is unclear."""
    return detect("\n".join(texts))
