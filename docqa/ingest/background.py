"""What is done for a document after its upload was answered: text recognition of scanned pages, vectors, a summary.

A restart goes on where it stopped. Documents whose pages are all read come before text recognition, which is slow.
"""

import asyncio
import logging
from collections.abc import Sequence

from docqa import store
from docqa.errors import ChildDied, Unavailable, Unreadable
from docqa.formats.extraction import recognise
from docqa.formats.pdf.ocr import INSTALL
from docqa.formats.pdf.ocr import languages as recognition_languages
from docqa.ingest.add import main_language, page_chunks, with_terms
from docqa.ingest.key_sentences import choose, notes
from docqa.models.embedder import Embedder, pack
from docqa.models.verifier import Verifier
from docqa.services import Services
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.store.notes import Note
from docqa.store.vectors import StoredModel
from docqa.text.words import sentences

log = logging.getLogger(__name__)

BATCH = 16  # chunks embedded and committed together: what a crash may cost, and what a question waits for at most
SENTENCE_BATCH = 16  # chunks, some hundred sentences: a quarter more of them a second than with four
SUMMARY_SENTENCES = 4
RETRIES = 3
PAUSE = 10  # seconds


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
        if services.embedder is not None and not (
            services.embedder.ready and (services.index_embedder is None or services.index_embedder.ready)
        ):
            await _load(services, services.embedder)
        if services.reader not in (None, services.embedder) and not services.reader.ready:
            await _load_if_possible(services.reader, "answers are whole sentences")
        if services.verifier is not None and not services.verifier.ready:
            await _load_if_possible(services.verifier, "nothing doubts the reader's answers")
        async with services.db.read() as conn:
            document = await store.jobs.next_indexing(conn)
            scan = await store.jobs.next_scan(conn, document.id) if document and recognition_languages() else None
        if document is None:
            await _look_after_vectors(services)
        elif scan is not None:
            await _recognise(services, document, *scan)
        else:
            await _finish(services, document)


async def _look_after_vectors(services: Services) -> None:
    """What is left when no document waits: another model takes over, sentences get their vectors; then wait."""
    embedder = services.embedder
    if embedder is None or not embedder.ready:
        await services.work.wait()
    elif services.index_embedder is not embedder:
        await _take_over(services, embedder)
    else:
        async with services.db.read() as conn:
            document = await store.vectors.next_unexamined(conn)
        try:
            await (services.work.wait() if document is None else _examine(services, embedder, document))
        except Unavailable as error:
            log.warning("sentences have no vectors yet: %s", error)
            await asyncio.sleep(PAUSE)


async def _examine(services: Services, embedder: Embedder, document: int) -> None:
    """Vectors for the sentences of a document, until all have them or another document waits."""
    after = 0
    while not services.work.is_set():
        async with services.db.read() as conn:
            batch = await store.vectors.chunks_to_examine(conn, document, SENTENCE_BATCH, after)
        if not batch:
            async with services.db.write() as conn:
                await store.vectors.set_examined(conn, document)
            return
        spans = [sentences(text) for _, text in batch]
        vectors = iter(
            await embedder.encode(
                [text[start:end] for (_, text), found in zip(batch, spans, strict=True) for start, end in found]
            )
        )
        packed = [await asyncio.to_thread(pack, [next(vectors) for _ in found]) for found in spans]
        async with services.db.write() as conn:
            await store.vectors.set_sentences(
                conn, [(chunk, blob) for (chunk, _), blob in zip(batch, packed, strict=True)]
            )
        after = batch[-1][0]


async def _load(services: Services, embedder: Embedder) -> None:
    """Load the embedder, which makes the vectors from now on; while those of another model are still searched, that one too."""
    try:
        await embedder.load()
    except Unavailable as error:
        log.warning("no vectors: %s", error)
        return
    mine = StoredModel(embedder.name, embedder.sha256, embedder.dimension)
    async with services.db.write() as conn:
        await store.vectors.use_model(conn, mine)
        serving = await store.vectors.serving_model(conn)
    if serving in (None, mine):
        services.index_embedder = embedder
        return
    log.info(
        "the vectors are made anew by %s; those of %s serve until then",
        mine.name,
        serving.name if serving else "no model",
    )
    former = services.index_embedder or services.former_embedder(serving)
    if former is None:
        return
    try:
        await former.load()
        services.index_embedder = former
    except Unavailable as error:
        log.warning("until then by words only: %s", error)


async def _load_if_possible(model: Embedder | Verifier, otherwise: str) -> None:
    """Load what a server can go without, a verifier, or a reader that is not the chosen embedder; what is so `otherwise` goes into the log."""
    try:
        await model.load()
    except Unavailable as error:
        log.warning("%s: %s", otherwise, error)


async def _take_over(services: Services, embedder: Embedder) -> None:
    async with services.db.write() as conn:
        if await store.vectors.coming_model(conn):
            await store.vectors.take_over(conn)
    await services.close_former()
    services.index_embedder = embedder
    log.info("%s has taken over: all vectors are its own", embedder.name)


async def _recognise(services: Services, document: StoredDocument, page_number: int, data: bytes) -> None:
    """Read one scanned page; what cannot be read is left as it is, and counted in the document's status."""
    settings = services.settings
    page = None
    wanted = settings.ocr_languages or "+".join(recognition_languages())
    try:
        async with services.reading:
            page = await recognise(
                data, page_number, wanted, seconds=settings.extract_seconds, memory_mb=settings.extract_memory_mb
            )
    except (Unreadable, ChildDied) as error:
        log.warning("page %d of document %s was not recognised: %s", page_number, document.doc_id, error)
    if page is None or not page.text.strip():
        async with services.db.write() as conn:
            await store.jobs.give_up_scan(conn, document.id, page_number)
        return
    found = await asyncio.to_thread(with_terms, page_chunks(page_number, page))
    async with services.db.write() as conn:
        if await store.jobs.set_scan(conn, document.id, page_number, page.text):
            await store.chunks.replace_page(conn, document.id, page_number, found)


async def _finish(services: Services, document: StoredDocument) -> None:
    """All that is left to do for one document. What fails again and again leaves it searchable, with a message in its status."""
    state, message = "ready", ""
    if services.embedder is not None:
        try:
            await _embed(services, services.embedder, document)
        except Unavailable as error:
            log.error("document %s has no vectors: %s", document.doc_id, error)
            state, message = "failed", f"Found by full text only: {error}"
    summary, language = document.summary, document.language
    async with services.db.read() as conn:
        unread = await store.jobs.count_scans(conn, document.id)
        chunks = [] if summary and language else await store.chunks.chunks(conn, document.id)
    if unread:
        why = (
            "text recognition found nothing on them"
            if recognition_languages()
            else INSTALL + " and start the server again"
        )
        message = f"{message} Pages shown as pictures that were not read: {unread}; {why}.".strip()
    found = [] if summary else await asyncio.to_thread(notes, chunks)
    summary = summary or await asyncio.to_thread(summarise, chunks, found)
    language = language or await asyncio.to_thread(main_language, [chunk.text for chunk in chunks])
    async with services.db.write() as conn:
        if found:
            await store.notes.replace_notes(conn, document.id, chunks, found)
        await store.jobs.finish_document(conn, document.id, state, summary, language, message)


async def _embed(services: Services, embedder: Embedder, document: StoredDocument) -> None:
    failures, after = 0, 0
    while True:
        async with services.db.read() as conn:
            batch = await store.vectors.chunks_to_embed(conn, document.id, BATCH, after)
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
            await store.vectors.set_embeddings(
                conn, [(chunk, vector) for (chunk, _), vector in zip(batch, vectors, strict=True)]
            )
        after = batch[-1][0]


def summarise(chunks: Sequence[StoredChunk], found: Sequence[Note]) -> str:
    """The stored summary: the notes that sum the document up, verbatim but for line breaks."""
    texts = [chunks[note.chunk].text[note.start : note.end] for note in found]
    return " ".join(" ".join(texts[index].split()) for index in choose(found, texts, SUMMARY_SENTENCES))
