"""A file or link becomes a document: read in a child process, chunked, written in one transaction; vectors and summary after it.

A restart goes on where the background work stopped.
"""

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Sequence

from docqa.chunking import Chunk, chunks
from docqa.embedding import Embedder
from docqa.errors import Busy, Unavailable
from docqa.extract import Extracted, extract
from docqa.language import detect
from docqa.queries import chunk_rows, document_rows, work_rows
from docqa.queries.document_rows import StoredDocument
from docqa.services import Services
from docqa.summary import key_sentences
from docqa.text import terms

log = logging.getLogger(__name__)

BATCH = 16  # chunks embedded and committed together: what a crash may cost, and what a question waits for at most
SUMMARY_SENTENCES = 4
RETRIES = 3
PAUSE = 10  # seconds


async def add_file(services: Services, account: int, data: bytes, name: str, media_type: str, loc: tuple[str, ...], url: str | None = None) -> str:
    """The doc_id of the new document, or of the account's document with the same bytes.

    Raises Unreadable at `loc`, and Busy when too many files wait to be read.
    """
    sha256 = await asyncio.to_thread(lambda: hashlib.sha256(data).digest())
    async with services.db.read() as conn:
        if known := await document_rows.document_with_bytes(conn, account, sha256):
            return known
    # A link may be a web page and its server says so; what a client says of an upload decides nothing.
    extracted = await _read(services, data, name, media_type if url else "", loc)
    pieces, language = await asyncio.to_thread(_cut, extracted)
    doc_id = secrets.token_hex(12)
    async with services.db.write() as conn:
        if known := await document_rows.document_with_bytes(conn, account, sha256):  # uploaded twice at the same time
            return known
        title = (url is not None and extracted.title) or name
        pages = len(extracted.pages)
        document = await document_rows.add_document(
            conn, account, doc_id=doc_id, name=title, kind=extracted.kind, sha256=sha256, language=language, pages=pages, notes=" ".join(extracted.notes)
        )
        await document_rows.add_original(conn, document, media_type, url, data)
        await document_rows.add_pages(conn, document, [(number, page.section, page.text) for number, page in enumerate(extracted.pages, 1)])
        await chunk_rows.add_chunks(conn, document, pieces)
    services.work.set()
    return doc_id


async def _read(services: Services, data: bytes, name: str, media_type: str, loc: tuple[str, ...]) -> Extracted:
    settings = services.settings
    if services.readers_waiting >= settings.extract_queue:
        raise Busy("Too many files are waiting to be read. Try again in a moment.", retry_after=10)
    services.readers_waiting += 1
    try:
        async with services.reading:
            return await extract(data, name, media_type, seconds=settings.extract_seconds, memory_mb=settings.extract_memory_mb, loc=loc)
    finally:
        services.readers_waiting -= 1


def _cut(extracted: Extracted) -> tuple[list[tuple[Chunk, str]], str]:
    """(chunks with their terms, main language)."""
    found = [chunk for number, page in enumerate(extracted.pages, 1) for chunk in chunks(number, page.text, page.section, page.headings, page.running)]
    language = detect("\n".join(chunk.text for chunk in found[:: max(1, len(found) // 20)]))
    return [(chunk, " ".join(terms(f"{chunk.section}\n{chunk.text}"))) for chunk in found], language


async def work_forever(services: Services) -> None:
    """The background work: the embedder kept running, vectors and summary of one document after the other."""
    while True:
        try:
            await _work(services)
        except Exception:
            # The last resort for what nobody foresaw, a full disk say: the work waits in the database and is tried again.
            log.exception("the background work stopped and goes on in %d s", PAUSE)
            await asyncio.sleep(PAUSE)


async def _work(services: Services) -> None:
    while True:
        services.work.clear()
        if services.embedder is not None and not services.embedder.ready:
            await _load(services, services.embedder)
        async with services.db.read() as conn:
            document = await work_rows.next_indexing(conn)
        if document is None:
            await services.work.wait()
        else:
            await _finish(services, document)


async def _load(services: Services, embedder: Embedder) -> None:
    """Load the embedder and note which model makes the vectors from now on."""
    try:
        await embedder.load()
    except Unavailable as error:
        log.warning("no vectors: %s", error)
        return
    async with services.db.write() as conn:
        if await work_rows.use_embedding_model(conn, embedder.name, embedder.sha256, embedder.dimension):
            log.info("the embedding model is another one than before: all vectors are made anew")


async def _finish(services: Services, document: StoredDocument) -> None:
    """All that is left to do for one document. What fails again and again leaves it searchable, with a message in its status."""
    state, message = "ready", ""
    if services.embedder is not None:
        try:
            await _embed(services, services.embedder, document)
        except Unavailable as error:
            log.error("document %s has no vectors: %s", document.doc_id, error)
            state, message = "failed", f"Found by full text only: {error}"
    summary = document.summary
    if not summary:
        async with services.db.read() as conn:
            texts = [chunk.text for chunk in await chunk_rows.chunks(conn, document.id)]
        summary = await asyncio.to_thread(summarise, texts)
    async with services.db.write() as conn:
        await work_rows.finish_document(conn, document.id, state, summary, message)


async def _embed(services: Services, embedder: Embedder, document: StoredDocument) -> None:
    failures = 0
    while True:
        async with services.db.read() as conn:
            batch = await work_rows.chunks_to_embed(conn, document.id, BATCH)
        if not batch:
            return
        try:
            vectors = await embedder.encode([text for _, text in batch])
        except Unavailable:
            failures += 1
            if failures == RETRIES:
                raise
            continue
        async with services.db.write() as conn:
            await work_rows.set_embeddings(conn, [(chunk, vector) for (chunk, _), vector in zip(batch, vectors, strict=True)])


def summarise(texts: Sequence[str]) -> str:
    """The stored summary: the most telling sentences, verbatim but for line breaks."""
    return " ".join(" ".join(sentence.split()) for _, sentence in key_sentences(texts, SUMMARY_SENTENCES))
