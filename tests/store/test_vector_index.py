"""The index of vectors in memory: the same passages as by comparing all of them, whatever has changed since it was made."""

import builtins
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from deleting import delete
from docqa import store
from docqa.store.chunks import Chunk, Hit
from docqa.store.database import Database
from docqa.store.vector_index import StoredModel

np = pytest.importorskip("numpy")
pytest.importorskip("turbovec")
pytestmark = pytest.mark.anyio

MODEL, OTHER = StoredModel("a model", "abc", 64), StoredModel("another", "def", 64)


@pytest.fixture
async def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    monkeypatch.setattr(store.nearest, "EXACT", 50)
    monkeypatch.setattr(store.nearest, "TOGETHER", 0)
    monkeypatch.setattr(store.nearest, "SCANNED", 200)
    db = await Database.open(tmp_path / "a.sqlite")
    async with db.write() as conn:
        await store.vectors.use_model(conn, MODEL)
    yield db
    await db.close()


def vectors(seed: int, size: int) -> Any:
    chance = np.random.default_rng(seed)
    made = chance.standard_normal((size // 20 + 1, 64)).repeat(20, axis=0)[:size] + chance.standard_normal((size, 64))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype("<f4")


async def add(db: Database, seed: int, size: int, account: str = "alice", *, embedded: bool = True) -> int:
    """The row of a document with vectors of this seed, or still without."""
    async with db.write() as conn:
        owner = await store.accounts.account_named(conn, account)
        name = f"{account}{seed}"
        document = await store.documents.add_document(
            conn, owner, doc_id=name, name=name, kind="txt", sha256=name.encode(), language="en", pages=1, notes=""
        )
        await store.chunks.add_chunks(conn, document, [(Chunk(1, n, f"passage {n}"), "passage") for n in range(size)])
        if embedded:
            await embed(conn, document, seed, size)
    return document


async def embed(conn: Any, document: int, seed: int, size: int) -> None:
    waiting = await store.vectors.chunks_to_embed(conn, document, size)
    rows = [(chunk, row.tobytes()) for (chunk, _), row in zip(waiting, vectors(seed, size), strict=True)]
    await store.vectors.set_embeddings(conn, rows)


async def near(
    db: Database, documents: list[int], wanted: Any, limit: int = 20, model: StoredModel = MODEL
) -> list[Hit]:
    async with db.read() as conn:
        scope = await store.scopes.scope_of(conn, documents)
        return await store.nearest.nearest_chunks(conn, scope, model, wanted.tobytes(), limit, db.vectors)


async def exact(db: Database, documents: list[int], wanted: Any, monkeypatch: pytest.MonkeyPatch) -> list[Hit]:
    with monkeypatch.context() as patch:
        patch.setattr(store.nearest, "EXACT", 10**9)
        patch.setattr(store.nearest, "TOGETHER", 0)
        patch.setattr(store.nearest, "SCANNED", 10**9)
        return await near(db, documents, wanted)


async def indexed(db: Database, documents: list[int]) -> None:
    """Have the index made, as a search does that wants it."""
    await near(db, documents, vectors(1, 1)[0])
    await db.vectors.ready()


async def test_it_finds_what_comparing_all_vectors_finds(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [await add(db, seed, 400) for seed in range(5)]
    await indexed(db, documents)
    shares = []
    for wanted in vectors(2, 400)[::20]:
        true = await exact(db, documents, wanted, monkeypatch)
        shares.append(len(set(true) & set(await near(db, documents, wanted))) / 20)
    assert sum(shares) / len(shares) >= 0.98


async def test_it_is_made_for_more_than_are_compared_at_once(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.nearest, "TOGETHER", 100)
    monkeypatch.setattr(store.nearest, "SCANNED", 10**9)
    few, many = await add(db, 1, 100), await add(db, 2, 101)
    await indexed(db, [few])
    assert not db.vectors.is_made(MODEL)
    await indexed(db, [many])
    assert db.vectors.is_made(MODEL)


async def test_passages_that_still_lack_vectors_do_not_have_it_made_anew(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [await add(db, 1, 400)]
    await indexed(db, documents)
    wanted: list[str] = []
    monkeypatch.setattr(db.vectors, "want", lambda _, table: wanted.append(table))
    documents.append(await add(db, 2, 400, embedded=False))
    await near(db, documents, vectors(1, 1)[0])
    assert wanted == []
    async with db.write() as conn:
        await embed(conn, documents[1], 2, 400)
    await near(db, documents, vectors(1, 1)[0])
    assert len(wanted) == 1


async def test_few_vectors_are_all_compared(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [await add(db, seed, 400) for seed in range(3)]
    await indexed(db, documents)
    later = await add(db, 9, 60)
    async with db.write() as conn:
        whole = vectors(9, 60)[5]  # a row of an earlier version, which the same question is nearest to
        await conn.execute_fetchall(
            "UPDATE embedding_0 SET vector = ? WHERE chunk = (SELECT min(id) + 5 FROM chunk WHERE document = ?)",
            (whole.tobytes(), later),
        )
    monkeypatch.setattr(store.nearest, "TOGETHER", 10**9)
    for wanted in (whole, *vectors(2, 400)[::40]):
        true = await exact(db, [documents[1], later], wanted, monkeypatch)
        assert await near(db, [documents[1], later], wanted) == true
    async with db.write() as conn:
        await conn.execute_fetchall("UPDATE embedding_0 SET vector = zeroblob(64) WHERE chunk = ?", (true[0].id,))
    assert true[0] not in await near(db, [documents[1]], wanted, 500), "it is no vector"


async def test_another_document_in_the_index_is_not_seen(db: Database) -> None:
    mine, others = await add(db, 1, 300), await add(db, 2, 300, "bob")
    await indexed(db, [mine, others])
    assert {hit.document for hit in await near(db, [mine], vectors(2, 1)[0], 50)} == {mine}
    assert {hit.document for hit in await near(db, [others], vectors(2, 1)[0], 50)} == {others}


async def test_what_came_after_it_was_made_is_found(db: Database) -> None:
    first = await add(db, 1, 300)
    await indexed(db, [first])
    later = await add(db, 7, 60)
    hits = await near(db, [first, later], vectors(7, 60)[3], 1)
    assert hits[0].document == later


async def test_a_passage_that_got_its_vector_later_than_those_after_it_is_found(db: Database) -> None:
    early = await add(db, 7, 60)
    async with db.write() as conn:
        for table in ("embedding_0", "chunk_vec"):
            await conn.execute_fetchall(f"DELETE FROM {table}")
    late = await add(db, 1, 300)
    await indexed(db, [early, late])
    async with db.write() as conn:
        await embed(conn, early, 7, 60)
    assert (await near(db, [early, late], vectors(7, 60)[3], 1))[0].document == early


async def test_what_was_deleted_is_not_found(db: Database) -> None:
    kept, deleted = await add(db, 1, 300), await add(db, 2, 300)
    await indexed(db, [kept, deleted])
    await delete(db, "alice2")
    assert {hit.document for hit in await near(db, [kept, deleted], vectors(2, 300)[5], 20)} == {kept}


async def test_what_was_deleted_takes_no_place_among_the_nearest(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.nearest, "INDEX_CANDIDATES", 20)
    first, _, last = [await add(db, number, 300) for number in (1, 2, 3)]
    await indexed(db, [first, last])
    await delete(db, "alice2")
    hits = await near(db, [first, last], vectors(2, 300)[5], 20)
    assert (len(hits), {hit.document for hit in hits}) == (20, {first, last})


async def test_another_model_is_searched_by_its_own_vectors(db: Database) -> None:
    document = await add(db, 1, 300)
    await indexed(db, [document])
    async with db.write() as conn:
        await store.vectors.use_model(conn, OTHER)
        await embed(conn, document, 9, 300)
        await store.vectors.take_over(conn)
    wanted = vectors(9, 300)[17]
    [before] = await near(db, [document], wanted, 1, OTHER)
    await db.vectors.ready()
    assert await near(db, [document], wanted, 1, OTHER) == [before]
    async with db.read() as conn:
        chunks = await store.chunks.chunks(conn, document)
    assert before.id == chunks[17].id


async def test_vectors_of_an_earlier_version_are_in_it_too(db: Database) -> None:
    document = await add(db, 1, 300)
    async with db.write() as conn:
        for chunk, row in enumerate(vectors(1, 300)[:150], 1):
            await conn.execute_fetchall("UPDATE embedding_0 SET vector = ? WHERE chunk = ?", (row.tobytes(), chunk))
    await indexed(db, [document])
    for place in (10, 290):
        [hit] = await near(db, [document], vectors(1, 300)[place], 1)
        assert hit.id == place + 1


async def test_without_the_library_the_signs_tell_candidates(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def lacking(name: str, *args: Any) -> Any:
        if name == "turbovec":
            raise ImportError(name)
        return imported(name, *args)

    monkeypatch.setattr(builtins, "__import__", lacking)
    document = await add(db, 1, 400)
    await indexed(db, [document])
    [hit] = await near(db, [document], vectors(1, 400)[123], 1)
    assert hit.id == 124
