"""What is done for a document after its upload was answered: text recognition of scanned pages, vectors, a summary.

After a restart it continues where it stopped. Documents that somebody asks come first, text recognition, which is slow,
last, and small documents before large ones; work on a large one is laid aside for what is more urgent.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from docqa import store
from docqa.errors import ChildDied, Unavailable, Unreadable
from docqa.formats.names import OF_ROWS
from docqa.formats.pictures.data import languages as recognition_languages
from docqa.ingest.erasure import compact, erase_forever
from docqa.ingest.gist import PARTS_NAMED, Gist
from docqa.ingest.queue import Intake
from docqa.ingest.scans import lack_of_data, recognise_page, recognise_pictures, watch_languages
from docqa.ingest.stored_outline import outline
from docqa.ingest.tables import store_missing_tables, store_tables
from docqa.ingest.terms import rebuild_terms
from docqa.ingest.vectors import PAUSE, embed_document, improve_vectors, load_models, load_optional_forever
from docqa.models.embedder import Embedder
from docqa.models.encoders import Encoders, stored_model
from docqa.store.documents import StoredDocument

log = logging.getLogger(__name__)

Result = TypeVar("Result")
READ = 2_000_000  # characters of a document that its summary is made of: of a longer one chunks from all over it


async def work_forever(intake: Intake, encoders: Encoders) -> None:
    """The background work, until it is cancelled: keep the models loaded, finish one document after the other.

    Beside it what was deleted is erased, and passages are made smaller, the full-text index is rebuilt and tables are
    stored, where an upgrade asks for that.
    """
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_retried(lambda: erase_forever(intake)), name="erasure")
        tasks.create_task(_retried(lambda: compact(intake.db)), name="compaction")
        tasks.create_task(_retried(lambda: rebuild_terms(intake.db)), name="full-text index")
        tasks.create_task(_retried(lambda: load_optional_forever(encoders)), name="models")
        tasks.create_task(_retried(lambda: store_missing_tables(intake)), name="tables")
        tasks.create_task(_retried(lambda: _finish_documents(intake, encoders)), name="documents")
        tasks.create_task(_retried(lambda: watch_languages(intake)), name="languages of text recognition")


async def _retried(job: Callable[[], Awaitable[None]]) -> None:
    """Run the job until it returns, again after every failure."""
    while True:
        try:
            return await job()
        except Exception:
            # The last resort for the unforeseen, a full disk for example: the work waits in the database for a retry.
            log.exception("the background work failed and continues in %d s", PAUSE)
            await asyncio.sleep(PAUSE)


async def _finish_documents(intake: Intake, encoders: Encoders) -> None:
    async with asyncio.TaskGroup() as tasks:
        loading: asyncio.Task[Embedder | None] | None = None
        while True:
            intake.work.clear()
            if loading is None:
                loading = tasks.create_task(load_models(intake, encoders))
            async with intake.db.read() as conn:
                document = await store.jobs.next_indexing(conn, intake.wanted)
                scan = await store.jobs.next_scan(conn, document.id) if document else None
                pictures = await store.jobs.next_pictures(conn) if not document else None
            # Folders are looked through for languages, for a millisecond, only where something waits for one.
            can_recognise = (scan is not None or pictures is not None) and bool(recognition_languages())
            recognised = scan if can_recognise else None
            if document is not None and recognised is None:
                with intake.in_hand():
                    await _finish(intake, encoders, loading, document)
            elif not loading.done():
                async with _meanwhile(intake.work.wait()) as called:
                    await asyncio.wait((loading, called), return_when=asyncio.FIRST_COMPLETED)
                continue
            elif document is not None and recognised is not None:
                await recognise_page(intake, document, recognised)
            elif pictures is not None and can_recognise:
                await recognise_pictures(intake, *pictures)
            else:
                await improve_vectors(intake, encoders)
            loading = None


async def _finish(
    intake: Intake, encoders: Encoders, loading: asyncio.Task[Embedder | None], document: StoredDocument
) -> None:
    """Everything left to do for one document, which another process describes meanwhile: a summary need not wait for
    the `loading` of models, which a first start measures. If embedding keeps failing, the status says that it is
    searched by words."""
    state, message = "ready", ""
    await store_tables(intake, document.id)
    async with _meanwhile(_described(intake, document)) as describing:
        embedder = await loading
        if embedder is not None:
            try:
                if not await embed_document(intake, embedder, document):
                    return
            except Unavailable as error:
                log.error("document %s has no vectors: %s", document.doc_id, error)
                state, message = "failed", f"Found by full text only: {error}"
        async with intake.db.read() as conn:
            unread = await store.jobs.count_scans(conn, document.id)
        language = await describing
    if encoders.needs_beside(language) and not encoders.beside_begun:
        return encoders.want_beside()  # it comes again when vectors can be made by that model
    if encoders.beside is not None and encoders.beside_begun and state == "ready":
        try:
            with_units = encoders.needs_beside(language)  # of the others few are asked in another language
            if not await _embed_beside(intake, encoders.beside, document, with_units):
                return
        except Unavailable as error:
            log.error("document %s has no vectors for other languages: %s", document.doc_id, error)
            message = f"Found by full text only in other languages: {error}"
    lack = await lack_of_data(intake, document, unread, language)
    message = f"{message} {lack}".strip()
    async with intake.db.write() as conn:
        await store.jobs.finish_document(conn, document.id, state, message)


@asynccontextmanager
async def _meanwhile(work: Coroutine[Any, Any, Result]) -> AsyncIterator[asyncio.Task[Result]]:
    """Work that goes on beside the block, and is given up with it."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait((task,))


async def _described(intake: Intake, document: StoredDocument) -> str:
    """The language of a document, after that and its summary are stored."""
    if document.summary and document.language:
        return document.language
    gist = await _gist(intake, document)
    async with intake.db.write() as conn:
        if gist.notes:
            await store.notes.replace_notes(conn, document.id, gist.notes)
        await store.jobs.describe_document(conn, document.id, gist.summary, gist.language)
    return gist.language


async def _embed_beside(intake: Intake, beside: Embedder, document: StoredDocument, with_units: bool) -> bool:
    async with intake.db.read() as conn:
        if not await store.vectors.chunks_to_embed(conn, document.id, 1, by=stored_model(beside)):
            return True  # without loading it
    if not beside.ready:
        await beside.load()
    return await embed_document(intake, beside, document, with_units=with_units)


async def _gist(intake: Intake, document: StoredDocument) -> Gist:
    """The language and summary of a document, made by a child process; "" where it fails."""
    async with intake.db.read() as conn:
        chunks = await store.chunks.spread(conn, document.id, READ)
        pages = await store.documents.first_pages(conn, document.id, READ)
        parts = (
            await outline(conn, document, document.language or "en", PARTS_NAMED) if document.kind in OF_ROWS else ""
        )
    try:
        return await intake.reading.gist(document, chunks, pages, parts)
    except (Unreadable, ChildDied) as error:
        log.warning("document %s has no summary: %s", document.doc_id, error)
        return Gist(document.language, document.summary)
