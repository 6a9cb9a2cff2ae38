"""Vectors in the database: kept with their index, searched exactly, replaced by those of another model."""

import asyncio
import math
import random
import struct
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from deleting import delete
from docqa import store
from docqa.ingest import vectors
from docqa.ingest.queue import Intake, ReadingQueue
from docqa.settings import Settings
from docqa.store import database
from docqa.store.chunks import Chunk, StoredChunk
from docqa.store.database import Database
from docqa.store.sql import change
from docqa.store.vector_index import StoredModel
from waiting import until

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
        await store.vectors.set_sentences(conn, [(chunk, b"units") for chunk, _ in waiting])
    return document


async def near(
    db: Database, documents: Sequence[int], model: StoredModel, wanted: bytes, limit: int
) -> list[StoredChunk]:
    """The chunks of these documents that a search by vectors finds, best first."""
    async with db.read() as conn:
        scope = await store.scopes.scope_of(conn, documents)
        hits = await store.nearest.nearest_chunks(conn, scope, model, wanted, limit, db.vectors)
        chunks = await store.chunks.by_id(conn, [hit.id for hit in hits])
    return [chunks[hit.id] for hit in hits]


@pytest.mark.parametrize("scanned", [20_000, 0], ids=["by a scan", "by signs"])
async def test_the_nearest_chunk_of_the_asked_documents_is_found(
    db: Database, monkeypatch: pytest.MonkeyPatch, scanned: int
) -> None:
    monkeypatch.setattr(store.nearest, "SCANNED", scanned)
    first, other = await add(db, "one", 300), await add(db, "other", 300)
    for seed in (0, 17, 299):
        [nearest, *_] = await near(db, [other], ONE, vector(seed), 5)
        assert (nearest.document, nearest.text) == (other, f"other {seed}")
    assert {chunk.document for chunk in await near(db, [first, other], ONE, vector(3), 2)} == {first, other}
    assert await near(db, [], ONE, vector(3), 2) == []


async def test_a_deleted_document_leaves_the_index(db: Database) -> None:
    await add(db, "one", 5)
    await delete(db, "one")
    async with db.read() as conn:
        for table in ("chunk", "embedding_0", "chunk_vec", "chunk_fts", "page", "original", "original_piece"):
            assert list(await conn.execute_fetchall(f"SELECT count(*) FROM {table}")) == [(0,)], table


async def test_a_deleted_document_takes_no_place_among_the_nearest(db: Database) -> None:
    pytest.importorskip("numpy")
    first, deleted, last = [await add(db, name, 5) for name in ("one", "other", "third")]
    assert len(await near(db, [first, deleted, last], ONE, vector(3), 3)) == 3
    await delete(db, "other")
    assert [chunk.document for chunk in await near(db, [first, last], ONE, vector(3), 2)] == [first, last]


async def finished(db: Database, name: str, count: int) -> int:
    """The row of a document as `add` makes it that needs no more work."""
    document = await add(db, name, count)
    async with db.write() as conn:
        await store.jobs.finish_document(conn, document, "ready", "")
    return document


async def embed(db: Database, document: int, model: StoredModel, first: int, last: int) -> None:
    """Vectors by the model for the chunks of the document from `first` to before `last`, which are the next ones."""
    async with db.write() as conn:
        waiting = await store.vectors.chunks_to_embed(conn, document, last - first)
        rows = [(chunk, vector(first + n, model.dimension)) for n, (chunk, _) in enumerate(waiting)]
        await store.vectors.set_embeddings(conn, rows)
        await store.vectors.set_sentences(conn, [(chunk, b"units") for chunk, _ in rows])


async def nearest(db: Database, document: int, model: StoredModel, seed: int) -> str:
    """The text of the chunk that a search by this model puts first, "" where it finds none."""
    chunks = await near(db, [document], model, vector(seed, model.dimension), 1)
    return chunks[0].text if chunks else ""


async def use(db: Database, model: StoredModel) -> bool:
    """Whether there was a free slot for the model."""
    async with db.write() as conn:
        return await store.vectors.use_model(conn, model)


async def retired_vectors(db: Database) -> int:
    """How many vectors of a former model are left in the slot of the first one."""
    async with db.read() as conn:
        [(count,)] = await conn.execute_fetchall("SELECT count(*) FROM embedding_0")
    return int(count)


async def test_another_model_makes_all_vectors_anew_while_the_old_ones_serve(db: Database) -> None:
    document = await finished(db, "one", 5)
    assert await use(db, ONE)
    async with db.read() as conn:
        assert await store.vectors.documents_to_embed(conn) == []
    assert await use(db, TWO)
    async with db.read() as conn:
        assert await store.vectors.documents_to_embed(conn) == [document]
    await embed(db, document, TWO, 0, 3)
    async with db.write() as conn:
        account = await store.accounts.account_named(conn, "alice")
        assert (await store.documents.document_status(conn, account, "one")).chunks_done == 3
    assert await nearest(db, document, ONE, 2) == "one 2", "the old vectors are searched"
    assert await use(db, TWO)
    async with db.read() as conn:
        assert len(await store.vectors.chunks_to_embed(conn, document, 10)) == 2, "a restart resumes"
    await embed(db, document, TWO, 3, 5)
    async with db.write() as conn:
        await store.vectors.take_over(conn)
        assert (await store.vectors.serving_model(conn), await store.vectors.pending_model(conn)) == (TWO, None)
        assert (await store.documents.document_status(conn, account, "one")).chunks_done == 5
    assert await nearest(db, document, TWO, 2) == "one 2"


async def test_going_back_to_the_old_model_keeps_its_vectors(db: Database) -> None:
    document = await finished(db, "one", 5)
    await use(db, TWO)
    await embed(db, document, TWO, 0, 5)
    await use(db, ONE)
    async with db.read() as conn:
        assert await store.vectors.pending_model(conn) is None
        assert await store.vectors.chunks_to_embed(conn, document, 10) == []
    assert await nearest(db, document, ONE, 2) == "one 2"


async def test_taking_over_moves_no_vector_and_old_ones_are_deleted_in_batches(db: Database) -> None:
    document = await finished(db, "one", 5)
    async with db.write() as conn:
        chunks = [chunk.id for chunk in await store.chunks.chunks(conn, document)]
    await use(db, TWO)
    await embed(db, document, TWO, 0, 5)
    async with db.write() as conn:
        changes = conn.total_changes
        await store.vectors.take_over(conn)
        assert conn.total_changes - changes <= 2, "the two models, whatever the number of chunks"
        assert set((await store.vectors.sentence_vectors(conn, chunks, TWO)).values()) == {b"units"}
    batches = 0
    while True:
        async with db.write() as conn:
            if not await store.vectors.empty_retired(conn, 2):
                break
        batches += 1
        assert await nearest(db, document, TWO, 2) == "one 2"
    assert batches == 6, "three of sentences and three of chunks"
    async with db.read() as conn:
        for table in ("embedding_0", "sentence_embedding_0", "chunk_vec"):
            assert list(await conn.execute_fetchall(f"SELECT count(*) FROM {table}")) == [(0,)], table


async def test_other_writes_get_in_between_while_old_vectors_are_deleted(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await finished(db, "one", 60)
    await use(db, TWO)
    await embed(db, document, TWO, 0, 60)
    async with db.write() as conn:
        await store.vectors.take_over(conn)
    monkeypatch.setattr(vectors, "EMPTIED", 1)
    deletion = asyncio.create_task(vectors.empty_retired(Intake(db, ReadingQueue(Settings()), asyncio.Event())))

    async def begun() -> bool:
        return await retired_vectors(db) < 60

    await until(begun, "the first deletion", pause=0)
    async with db.write() as conn:
        await store.accounts.account_named(conn, "bob")
    assert 0 < await retired_vectors(db) < 60, "the write was done before the deletion had ended"
    assert await deletion
    assert await retired_vectors(db) == 0


async def test_a_kill_in_the_middle_loses_no_vector_and_the_deletion_goes_on(db: Database) -> None:
    document = await finished(db, "one", 5)
    await use(db, TWO)
    await embed(db, document, TWO, 0, 5)
    async with db.write() as conn:
        await store.vectors.take_over(conn)
        await store.vectors.empty_retired(conn, 5)  # those of units
        await store.vectors.empty_retired(conn, 2)
    with pytest.raises(ZeroDivisionError):
        async with db.write() as conn:
            await store.vectors.empty_retired(conn, 2)
            raise ZeroDivisionError("the process ends before this is committed")
    await db.close()
    db = await Database.open(db.path)
    assert await retired_vectors(db) == 3
    assert await use(db, TWO)
    for seed in range(5):
        assert await nearest(db, document, TWO, seed) == f"one {seed}"
    async with db.write() as conn:
        assert await store.vectors.empty_retired(conn, 99)
        assert not await store.vectors.empty_retired(conn, 99)
    assert await retired_vectors(db) == 0
    await db.close()


async def test_a_third_model_waits_until_the_first_is_deleted_where_another_serves_beside(db: Database) -> None:
    document = await finished(db, "one", 5)
    async with db.write() as conn:
        assert await store.vectors.use_beside(conn, StoredModel("beside", "jkl", 8))
    await use(db, TWO)
    await embed(db, document, TWO, 0, 5)
    async with db.write() as conn:
        await store.vectors.take_over(conn)
    three = StoredModel("three", "ghi", 16)
    assert not await use(db, three)
    async with db.write() as conn:
        while await store.vectors.empty_retired(conn, 99):
            pass
    assert await use(db, three)
    await embed(db, document, three, 0, 5)
    assert (await nearest(db, document, three, 2), await nearest(db, document, TWO, 2)) == ("one 2", "one 2")


async def test_vectors_of_the_first_schema_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = database.migrations()
    monkeypatch.setattr(database, "migrations", lambda: every[:2])
    db = await Database.open(tmp_path / "old.sqlite")
    async with db.write() as conn:
        await conn.executescript("""SAVEPOINT old;
            INSERT INTO embedding_model VALUES ('serving', 'one', 'abc', 384), ('coming', 'two', 'def', 8);
            INSERT INTO account VALUES (1, 'alice', '');
            INSERT INTO document (id, doc_id, account, name, kind, sha256, language, pages, created, state)
                VALUES (1, 'd', 1, 'n', 'txt', x'00', 'en', 1, '', 'ready');""")
        for n in range(5):
            sql = "INSERT INTO chunk VALUES (?1, 1, 1, ?1, '', '', 'one ' || (?1 - 1), 'one', ?2)"
            await change(conn, sql, n + 1, vector(n))
        await change(
            conn,
            "INSERT INTO chunk_vec (rowid, embedding, document) SELECT id, vec_quantize_binary(embedding), 1 FROM chunk",
        )
        await change(conn, "INSERT INTO coming_embedding VALUES (1, ?)", vector(0, 8))
        await change(conn, "INSERT INTO chunk_sentences VALUES (3, x'0102')")
    await db.close()
    monkeypatch.undo()
    db = await Database.open(tmp_path / "old.sqlite")
    for scanned in (20_000, 0):
        monkeypatch.setattr(store.nearest, "SCANNED", scanned)
        assert await nearest(db, 1, ONE, 2) == "one 2"
    async with db.read() as conn:
        assert await store.vectors.serving_model(conn) == ONE
        assert await store.vectors.pending_model(conn) is None, "it begins anew"
        assert await store.vectors.sentence_vectors(conn, [3], ONE) == {}, "units have taken the place of sentences"
    await db.close()
