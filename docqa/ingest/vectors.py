"""Vectors of chunks and sentences: the models that make them are loaded, and all of them made, in the background."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from docqa import store
from docqa.errors import Unavailable
from docqa.ingest.queue import Intake
from docqa.models.embedder import Embedder, Encoded
from docqa.models.encoders import Encoders, stored_model
from docqa.models.verifier import Verifier
from docqa.store.documents import StoredDocument
from docqa.store.sql import Connection
from docqa.store.vector_index import StoredModel
from docqa.text.blocks import Block
from docqa.text.units import Unit, units

log = logging.getLogger(__name__)

BATCH = 32  # chunks, sorted by length, committed together: what a crash may cost
UNITS = 200  # of these chunks, where a model reads each by itself: some seconds on busy cores
EMPTIED = 128  # chunks whose old vectors are deleted in one transaction
HELD_BACK = 10.0  # seconds that a batch waits for files that are read, and can then be found by words
RETRIES = 3
PAUSE = 10  # seconds
REMOTE_PAUSE = 30  # seconds after which a server that makes vectors is tried again


async def load_models(intake: Intake, encoders: Encoders) -> Embedder | None:
    """Load the models that make vectors, where they are not loaded; one that cannot be is logged. Then have the others
    loaded, which takes long and is not waited for. The embedder of the documents is returned: another may have been
    chosen meanwhile, that is not loaded."""
    embedder, serving = encoders.embedder, encoders.serving
    if embedder is not None and not (embedder.ready and (serving is None or serving.ready)):
        await _load_embedder(intake, encoders, embedder)
    if encoders.beside is not None:
        await _begin_beside(intake, encoders, encoders.beside)
    encoders.unloaded.set()
    return embedder


async def _begin_beside(intake: Intake, encoders: Encoders, beside: Embedder) -> None:
    """Have vectors made by the model beside once it is wanted, or was in an earlier run."""
    model = stored_model(beside)
    async with intake.db.read() as conn:
        making = await store.vectors.makes_vectors(conn, model)
        languages = [] if making or encoders.beside_wanted else list(await store.documents.languages(conn))
    if making and encoders.beside_begun:
        return
    if making or encoders.beside_wanted or any(map(encoders.needs_beside, languages)):
        await _use(intake, store.vectors.use_beside, model)
        encoders.beside_wanted = encoders.beside_begun = True


async def load_optional_forever(encoders: Encoders) -> None:
    """Load reader and verifier whenever one of them is wanted and not loaded, until this is cancelled.

    One that cannot be is logged with what users lose by it.
    """
    while True:
        await encoders.unloaded.wait()
        encoders.unloaded.clear()
        reader, verifier = encoders.reader, encoders.verifier
        if reader is not None and reader is not encoders.embedder and not reader.ready:
            await _load_optional(reader, "answers are whole sentences")
        if verifier is not None and not verifier.ready:
            await _load_optional(verifier, "answers are not verified")
        encoders.begun.set()


async def _load_embedder(intake: Intake, encoders: Encoders, embedder: Embedder) -> None:
    """Load the model that makes vectors from now on, and the former one while its vectors are still searched."""
    try:
        await embedder.load()
    except Unavailable as error:
        log.warning("no vectors: %s", error)
        return
    chosen = stored_model(embedder)
    await _use(intake, store.vectors.use_model, chosen)
    async with intake.db.read() as conn:
        serving = await store.vectors.serving_model(conn)
    if serving is None or serving == chosen:
        encoders.serving = embedder
        return
    log.info("re-embedding all documents with %s; the vectors of %s serve until then", chosen.name, serving.name)
    former = encoders.serving or encoders.former(serving)
    if former is None:
        return
    try:
        await former.load()
    except Unavailable as error:
        log.warning("full-text search only until then: %s", error)
        return
    if stored_model(former) == serving:  # a server may have another model under the same name by now
        encoders.serving = former


async def _use(intake: Intake, use: Callable[[Connection, StoredModel], Awaitable[bool]], model: StoredModel) -> None:
    """Make vectors by this model from now on; documents that lack some have work left."""
    while True:
        async with intake.db.write() as conn:
            if await use(conn, model):
                break
            await store.vectors.empty_retired(conn, EMPTIED)  # a second change of model before the first was cleared up
    async with intake.db.read() as conn:
        lacking = await store.vectors.documents_to_embed(conn, model)
    async with intake.db.write() as conn:
        await store.jobs.resume_documents(conn, lacking)


async def _load_optional(model: Embedder | Verifier, otherwise: str) -> None:
    """Load a model that a server can do without; `otherwise` says what users lose, and is logged."""
    try:
        await model.load()
    except Unavailable as error:
        log.warning("%s: %s", otherwise, error)


async def embed_document(
    intake: Intake, embedder: Embedder, document: StoredDocument, *, with_units: bool = True
) -> bool:
    """Vectors by a model for all chunks of a document, and their units, that lack them; False where something more
    urgent came up before the end.

    Raises Unavailable after RETRIES failures.
    """
    failures, model = 0, stored_model(embedder)
    # The model waits for the disk neither before a batch nor after it.
    coming: asyncio.Task[_Batch] | None = None
    storing: asyncio.Task[None] | None = None
    batch = await _next_batch(intake, document, model, 0, with_units)
    try:
        while batch.chunks:
            if coming is None:
                coming = asyncio.create_task(_next_batch(intake, document, model, batch.chunks[-1], with_units))
            await intake.files_first(document.id, HELD_BACK)
            try:
                encoded = await embedder.encode_passages(batch.passages)
            except Unavailable:
                failures += 1
                if failures == RETRIES:
                    raise
                continue
            if storing:
                await storing
            storing = asyncio.create_task(_store(intake, model, batch.chunks, encoded, with_units))
            if intake.work.is_set():  # not before the first batch: however much goes on, each call gets on
                return False
            batch, coming = await coming, None
        return True
    finally:
        if coming:
            coming.cancel()
        if storing:
            await storing


class _Batch(NamedTuple):
    """Chunks to embed, by id: their texts, each with its units."""

    chunks: list[int]
    passages: list[tuple[str, list[Unit]]]


async def _next_batch(
    intake: Intake, document: StoredDocument, model: StoredModel, after: int, with_units: bool
) -> _Batch:
    """The first chunks beyond the id `after` that lack vectors by a model."""
    async with intake.db.read() as conn:
        waiting = await store.vectors.chunks_to_embed(conn, document.id, BATCH, after, model)
        blocks = await store.chunks.blocks(conn, dict(waiting)) if with_units else {}
    passages = (
        await asyncio.to_thread(_with_units, document, waiting, blocks)
        if with_units
        else [(text, []) for _, text in waiting]
    )
    return _Batch([chunk for chunk, _ in waiting[: len(passages)]], passages)


async def _store(
    intake: Intake, model: StoredModel, chunks: Sequence[int], encoded: Sequence[Encoded], with_units: bool
) -> None:
    """Store the vectors of chunks, and of their units, by a model."""
    vectors = [(id_, made.vector) for id_, made in zip(chunks, encoded, strict=True)]
    units = [(id_, made.units) for id_, made in zip(chunks, encoded, strict=True)]
    async with intake.db.write() as conn:
        await store.vectors.set_embeddings(conn, vectors, model)
        if with_units:
            await store.vectors.set_sentences(conn, units, model)


async def improve_vectors(intake: Intake, encoders: Encoders) -> None:
    """What is left when no document waits: the new model takes over, what the former one left is deleted, then wait
    for work."""
    embedder = encoders.embedder
    if embedder is not None and not embedder.ready:
        with suppress(TimeoutError):  # a server may come back without anybody's telling
            async with asyncio.timeout(REMOTE_PAUSE if embedder.is_remote else None):
                await intake.work.wait()
    elif embedder is not None and encoders.serving is not embedder:
        await _take_over(intake, encoders, embedder)
    elif embedder is None or not await empty_retired(intake):
        await intake.rest()


async def _take_over(intake: Intake, encoders: Encoders, embedder: Embedder) -> None:
    async with intake.db.write() as conn:
        if await store.vectors.pending_model(conn):
            await store.vectors.take_over(conn)
    await encoders.close_former()
    encoders.serving = embedder
    log.info("all documents are embedded with %s, which serves from now on", embedder.name)


async def empty_retired(intake: Intake) -> bool:
    """Delete vectors of a former model until none are left or a document waits; whether there were any."""
    emptied = False
    while not intake.work.is_set():
        async with intake.db.write() as conn:
            if not await store.vectors.empty_retired(conn, EMPTIED):
                break
        emptied = True
    return emptied


def _with_units(
    document: StoredDocument, batch: Sequence[tuple[int, str]], blocks: Mapping[int, Sequence[Block]]
) -> list[tuple[str, list[Unit]]]:
    """The texts of the first chunks, (id, text), with their units: UNITS of them at most, or those of the first chunk.
    A CSV is asked by SQL, its rows need no vectors."""
    passages: list[tuple[str, list[Unit]]] = []
    count = 0
    for chunk, text in batch:
        parts = [] if document.kind == "csv" else units(text, blocks[chunk])
        count += len(parts)
        if passages and count > UNITS:
            break
        passages.append((text, parts))
    return passages
