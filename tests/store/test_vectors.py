"""Vectors in the database: kept with their index, searched exactly, made anew for another model."""

import math
import random
import struct
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from docqa import store
from docqa.store.chunks import Chunk
from docqa.store.database import Database
from docqa.store.vectors import StoredModel

pytestmark = pytest.mark.anyio

ONE, TWO = StoredModel("one", "abc", 384), StoredModel("two", "def", 8)


def vector(seed: int, dimension: int = 384) -> bytes:
    chance = random.Random(seed)
    numbers = [chance.gauss(0, 1) for _ in range(dimension)]
    length = math.sqrt(sum(number * number for number in numbers))
    return struct.pack(f"<{dimension}f", *(number / length for number in numbers))


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    db = await Database.open(tmp_path / "a.sqlite")
    yield db
    await db.close()


async def add(db: Database, name: str, count: int) -> int:
    """The row of a document of `count` chunks, whose vectors are those of the seeds from 0 on."""
    async with db.write() as conn:
        await store.vectors.use_model(conn, ONE)
        account = await store.accounts.account_named(conn, "alice")
        document = await store.documents.add_document(
            conn, account, doc_id=name, name=name, kind="txt", sha256=name.encode(), language="en", pages=1, notes=""
        )
        await store.chunks.add_chunks(
            conn, document, [(Chunk(1, n, f"{name} {n}", ""), f"{name} {n}") for n in range(count)]
        )
        waiting = await store.vectors.chunks_to_embed(conn, document, count)
        await store.vectors.set_embeddings(conn, [(chunk, vector(n)) for n, (chunk, _) in enumerate(waiting)])
    return document


@pytest.mark.parametrize("scanned", [20_000, 0], ids=["by a scan", "by signs"])
async def test_the_nearest_chunk_of_the_asked_documents_is_found(
    db: Database, monkeypatch: pytest.MonkeyPatch, scanned: int
) -> None:
    monkeypatch.setattr(store.chunks, "SCANNED", scanned)
    one, other = await add(db, "one", 300), await add(db, "other", 300)
    async with db.read() as conn:
        for seed in (0, 17, 299):
            [first, *_] = await store.chunks.nearest_chunks(conn, [other], vector(seed), 5)
            assert (first.document, first.text) == (other, f"other {seed}")
        assert {chunk.document for chunk in await store.chunks.nearest_chunks(conn, [one, other], vector(3), 2)} == {
            one,
            other,
        }
        assert await store.chunks.nearest_chunks(conn, [], vector(3), 2) == []


async def test_a_deleted_document_leaves_the_index(db: Database) -> None:
    await add(db, "one", 5)
    async with db.write() as conn:
        await store.documents.delete_document(conn, await store.accounts.account_named(conn, "alice"), "one")
    async with db.read() as conn:
        for table in ("chunk", "chunk_vec", "chunk_fts", "page", "original"):
            assert list(await conn.execute_fetchall(f"SELECT count(*) FROM {table}")) == [(0,)], table


async def test_another_model_makes_all_vectors_anew_while_the_old_ones_serve(db: Database) -> None:
    document = await add(db, "one", 5)
    async with db.write() as conn:
        account = await store.accounts.account_named(conn, "alice")
        await store.jobs.finish_document(conn, document, "ready", "A summary.", "en", "")
        await store.vectors.use_model(conn, ONE)
        assert await store.jobs.indexing(conn) == 0
        await store.vectors.use_model(conn, TWO)
        assert await store.jobs.indexing(conn) == 1
        waiting = await store.vectors.chunks_to_embed(conn, document, 10)
        assert len(waiting) == 5
        await store.vectors.set_embeddings(conn, [(chunk, vector(n, 8)) for n, (chunk, _) in enumerate(waiting[:3])])
        assert (await store.documents.document_status(conn, account, "one")).chunks_done == 3
        [first, *_] = await store.chunks.nearest_chunks(conn, [document], vector(2), 1)
        assert first.text == "one 2", "the old vectors are searched"
        await store.vectors.use_model(conn, TWO)
        assert len(await store.vectors.chunks_to_embed(conn, document, 10)) == 2, "a restart goes on where it stopped"
        await store.vectors.set_embeddings(
            conn, [(chunk, vector(n + 3, 8)) for n, (chunk, _) in enumerate(waiting[3:])]
        )
        await store.vectors.take_over(conn)
        assert (await store.vectors.serving_model(conn), await store.vectors.coming_model(conn)) == (TWO, None)
        assert (await store.documents.document_status(conn, account, "one")).chunks_done == 5
        [first, *_] = await store.chunks.nearest_chunks(conn, [document], vector(2, 8), 1)
        assert first.text == "one 2"


async def test_going_back_to_the_old_model_keeps_its_vectors(db: Database) -> None:
    document = await add(db, "one", 5)
    async with db.write() as conn:
        await store.jobs.finish_document(conn, document, "ready", "A summary.", "en", "")
        await store.vectors.use_model(conn, TWO)
        waiting = await store.vectors.chunks_to_embed(conn, document, 10)
        await store.vectors.set_embeddings(conn, [(chunk, vector(n, 8)) for n, (chunk, _) in enumerate(waiting)])
        await store.vectors.use_model(conn, ONE)
        assert await store.vectors.coming_model(conn) is None
        assert await store.vectors.chunks_to_embed(conn, document, 10) == []
        [first, *_] = await store.chunks.nearest_chunks(conn, [document], vector(2), 1)
        assert first.text == "one 2"
