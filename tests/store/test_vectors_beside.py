"""Another model's vectors beside those of the serving one: for languages that this does not know."""

import struct
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiosqlite import Connection

from docqa import store
from docqa.store.chunks import Chunk
from docqa.store.database import Database
from docqa.store.vector_index import StoredModel

pytestmark = pytest.mark.anyio

CHOSEN, BESIDE = StoredModel("chosen", "abc", 384), StoredModel("beside", "def", 8)


@pytest.fixture
async def conn(tmp_path: Path) -> AsyncIterator[Connection]:
    db = await Database.open(tmp_path / "a.sqlite")
    async with db.write() as conn:
        yield conn
    await db.close()


async def document_of(conn: Connection, name: str, count: int, *, done: bool = True) -> int:
    account = await store.accounts.account_named(conn, "alice")
    document = await store.documents.add_document(
        conn, account, doc_id=name, name=name, kind="txt", sha256=name.encode(), language="de", pages=1, notes=""
    )
    await store.chunks.add_chunks(conn, document, [(Chunk(1, n, f"{name} {n}", ""), name) for n in range(count)])
    if done:
        await store.jobs.finish_document(conn, document, "ready", "")
    return document


async def embed(conn: Connection, document: int, model: StoredModel, count: int) -> list[int]:
    """Vectors of the next chunks, which differ by the model; the chunks."""
    waiting = await store.vectors.chunks_to_embed(conn, document, count, by=model)
    number = float(model.dimension)
    vector = struct.pack(f"<{model.dimension}f", number, *[0.0] * (model.dimension - 1))
    await store.vectors.set_embeddings(conn, [(chunk, vector) for chunk, _ in waiting], model)
    return [chunk for chunk, _ in waiting]


async def test_each_model_has_its_own_work_and_its_own_vectors(conn: Connection) -> None:
    document = await document_of(conn, "one", 3)
    assert await store.vectors.use_model(conn, CHOSEN) and await store.vectors.use_beside(conn, BESIDE)
    assert await store.vectors.documents_to_embed(conn, BESIDE) == [document]
    chunks = await embed(conn, document, BESIDE, 3)
    assert await store.vectors.documents_to_embed(conn, BESIDE) == []
    assert await store.vectors.documents_to_embed(conn) == [document], "of the serving one there are none"
    await store.vectors.set_sentences(conn, [(chunks[0], b"units")], BESIDE)
    assert await store.vectors.sentence_vectors(conn, chunks, BESIDE) == {chunks[0]: b"units"}
    assert await store.vectors.sentence_vectors(conn, chunks, CHOSEN) == {}
    assert await store.vectors.serving_model(conn) == CHOSEN


async def test_a_document_is_embedded_when_its_last_chunk_is(conn: Connection) -> None:
    await store.vectors.use_beside(conn, BESIDE)
    whole, half = [await document_of(conn, name, 3, done=False) for name in ("whole", "half")]
    await embed(conn, whole, BESIDE, 3)
    await embed(conn, half, BESIDE, 2)
    assert await store.vectors.embedded(conn, [whole, half], BESIDE) == {whole}
    assert await store.vectors.embedded(conn, [whole, half], CHOSEN) == set()


async def test_a_document_in_whose_pictures_text_is_found_later_stays_embedded(conn: Connection) -> None:
    await store.vectors.use_beside(conn, BESIDE)
    document, other = await document_of(conn, "read", 3), await document_of(conn, "older", 3)
    await embed(conn, document, BESIDE, 3)
    await store.chunks.add_chunks(conn, document, [(Chunk(1, 3, "in a picture", ""), "in a picture")])
    assert set(await store.vectors.documents_to_embed(conn, BESIDE)) == {document, other}
    assert await store.vectors.embedded(conn, [document, other], BESIDE) == {document}


async def test_a_model_that_was_chosen_before_serves_beside_the_next_with_the_vectors_it_has(conn: Connection) -> None:
    document = await document_of(conn, "one", 3)
    await store.vectors.use_model(conn, BESIDE)
    await embed(conn, document, BESIDE, 3)
    await store.vectors.use_model(conn, CHOSEN)
    assert await store.vectors.use_beside(conn, BESIDE), "it still serves"
    assert (await store.vectors.serving_model(conn), await store.vectors.model_beside(conn)) == (BESIDE, None)
    await store.vectors.take_over(conn)
    assert await store.vectors.use_beside(conn, BESIDE)
    assert (await store.vectors.serving_model(conn), await store.vectors.model_beside(conn)) == (CHOSEN, BESIDE)
    assert await store.vectors.embedded(conn, [document], BESIDE) == {document}
    assert not await store.vectors.empty_retired(conn, 9)


async def test_a_model_beside_that_is_chosen_keeps_its_vectors(conn: Connection) -> None:
    document = await document_of(conn, "one", 3)
    await store.vectors.use_model(conn, CHOSEN)
    await embed(conn, document, CHOSEN, 3)
    await store.vectors.use_beside(conn, BESIDE)
    await embed(conn, document, BESIDE, 3)
    assert await store.vectors.use_model(conn, BESIDE)
    assert await store.vectors.pending_model(conn) == BESIDE
    assert await store.vectors.embedded(conn, [document], BESIDE) == {document}


async def test_another_model_beside_takes_the_place_of_the_one_before(conn: Connection) -> None:
    document = await document_of(conn, "one", 3)
    await store.vectors.use_model(conn, CHOSEN)
    await store.vectors.use_beside(conn, BESIDE)
    await embed(conn, document, BESIDE, 3)
    other = StoredModel("other", "ghi", 16)
    assert await store.vectors.use_beside(conn, other)
    assert await store.vectors.documents_to_embed(conn, other) == [document]
    while await store.vectors.empty_retired(conn, 2):
        pass
    assert await store.vectors.embedded(conn, [document], BESIDE) == set()
    assert len(await store.vectors.chunks_to_embed(conn, document, 9, by=BESIDE)) == 3
    with pytest.raises(LookupError, match="beside makes no vectors here"):
        await store.vectors.set_embeddings(conn, [], BESIDE)


async def test_vectors_of_a_deleted_document_are_gone_from_each_slot(conn: Connection) -> None:
    document = await document_of(conn, "one", 3)
    await store.vectors.use_model(conn, CHOSEN)
    await embed(conn, document, CHOSEN, 3)
    await store.vectors.use_model(conn, StoredModel("coming", "mno", 16))
    await store.vectors.use_beside(conn, BESIDE)
    await embed(conn, document, BESIDE, 3)
    await conn.execute_fetchall("DELETE FROM stored_chunk WHERE document = ?", (document,))
    models = list(await conn.execute_fetchall("SELECT slot, name FROM embedding_model"))
    assert models == [(0, "chosen"), (1, "coming"), (2, "beside")]
    for table in ("embedding_0", "chunk_vec", "embedding_2", "chunk_vec2", "sentence_embedding_2"):
        assert list(await conn.execute_fetchall(f"SELECT count(*) FROM {table}")) == [(0,)], table
