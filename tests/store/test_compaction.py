"""Passages that an earlier version stored become as small as new ones, and read and search as before."""

import struct
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from docqa import store
from docqa.ingest.erasure import compact
from docqa.store.chunks import Chunk
from docqa.store.database import Database
from docqa.store.documents import PageRow
from docqa.store.sql import change, fetch_all
from docqa.store.vector_index import StoredModel

pytestmark = pytest.mark.anyio

MODEL = StoredModel("a model", "abc", 8)
PAGES = [
    f"The {word} pump of well {number} was repaired in {1900 + number}.\n\nIt failed twice — naïvely used — since."
    for number, word in enumerate(("northern", "southern", "eastern", "western") * 30)
]


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    db = await Database.open(tmp_path / "a.sqlite")
    yield db
    await db.close()


def vector(number: int) -> bytes:
    return struct.pack("<8f", *(0.1 * ((number * 7 + place * 3) % 11) - 0.45 for place in range(8)))


async def add(db: Database) -> int:
    """The row of a document of two passages a page, with vectors."""
    async with db.write() as conn:
        await store.vectors.use_model(conn, MODEL)
        account = await store.accounts.account_named(conn, "alice")
        document = await store.documents.add_document(
            conn, account, doc_id="d", name="d", kind="txt", sha256=b"d", language="en", pages=len(PAGES), notes=""
        )
        await store.documents.add_pages(
            conn, document, [PageRow(n, "", text, "", "[]", 0) for n, text in enumerate(PAGES, 1)]
        )
        pieces = []
        for number, page in enumerate(PAGES, 1):
            first, second = page.split("\n\n")
            pieces += [
                (Chunk(number, 0, first), "pump~ repai~"),
                (Chunk(number, len(first) + 2, second), "it failed faile~"),
            ]
        await store.chunks.add_chunks(conn, document, pieces)
        waiting = await store.vectors.chunks_to_embed(conn, document, 1000)
        await store.vectors.set_embeddings(conn, [(chunk, vector(n)) for n, (chunk, _) in enumerate(waiting)])
    return document


async def as_before(db: Database) -> None:
    """Store all passages as the schema before did, twice the text and whole vectors."""
    async with db.read() as conn:
        chunks = await fetch_all(conn, "SELECT id, text, terms FROM chunk")
    async with db.write() as conn:
        for number, (id_, text, terms) in enumerate(chunks):
            sql = "UPDATE stored_chunk SET text = ?, terms = ?, length = 0 WHERE id = ?"
            await change(conn, sql, text, terms, id_)
            await change(conn, "UPDATE embedding_0 SET vector = ? WHERE chunk = ?", vector(number), id_)
        await change(conn, "INSERT INTO compaction SELECT 0, max(id) FROM stored_chunk")


async def state(db: Database, document: int) -> tuple[object, ...]:
    """All that is read of the passages, and what finds them."""
    async with db.read() as conn:
        scope = await store.scopes.scope_of(conn, [document])
        near = await store.nearest.nearest_chunks(conn, scope, MODEL, vector(5), 9, db.vectors)
        similar = await store.nearest.similarities(conn, [hit.id for hit in near], MODEL, vector(5))
        return (
            [replace(chunk, stored_terms=chunk.terms) for chunk in await store.chunks.chunks(conn, document)],
            await store.full_text.occurrences(conn, scope, ["failed", "faile~", "pump~"]),
            {id_: round(cosine, 1) for id_, cosine in similar.items()},
            scope,
        )


async def stored(db: Database) -> tuple[int, int, int]:
    """Bytes of texts, terms and vectors."""
    sql = """SELECT (SELECT total(length(CAST(text AS BLOB))) FROM stored_chunk),
                    (SELECT total(length(terms)) FROM stored_chunk), (SELECT total(length(vector)) FROM embedding_0)"""
    async with db.read() as conn:
        [row] = await fetch_all(conn, sql)
    return int(row[0]), int(row[1]), int(row[2])


async def test_a_passage_is_read_from_its_page(db: Database) -> None:
    document = await add(db)
    assert (await stored(db))[0] == 0
    async with db.read() as conn:
        chunks = await store.chunks.chunks(conn, document)
    assert [chunk.text for chunk in chunks] == [part for page in PAGES for part in page.split("\n\n")]
    assert {chunk.terms for chunk in chunks} == {"pump~ repai~", "it failed faile~"}


async def test_a_passage_that_is_not_verbatim_from_its_page_keeps_its_text(db: Database) -> None:
    document = await add(db)
    async with db.write() as conn:
        await store.chunks.add_chunks(conn, document, [(Chunk(1, 3, "something else"), "else")])
    async with db.read() as conn:
        chunks = await store.chunks.chunks(conn, document)
    assert "something else" in [chunk.text for chunk in chunks]


async def test_what_was_stored_twice_is_stored_once_and_found_as_before(db: Database) -> None:
    document = await add(db)
    await as_before(db)
    before, large = await state(db, document), await stored(db)
    await compact(db)
    assert await state(db, document) == before
    small = await stored(db)
    assert (small[0], small[2]) == (0, large[2] // 4)
    assert small[1] <= large[1]
    async with db.read() as conn:
        assert await fetch_all(conn, "SELECT * FROM compaction") == []
        assert await fetch_all(conn, "PRAGMA foreign_key_check") == []
    async with db.write() as conn:
        await change(conn, "INSERT INTO chunk_fts (chunk_fts, rank) VALUES ('integrity-check', 1)")


async def test_an_interrupted_compaction_goes_on_where_it_ended(db: Database) -> None:
    document = await add(db)
    await as_before(db)
    before = await state(db, document)
    async with db.write() as conn:
        assert await store.compaction.compact_some(conn, 7)
    assert await state(db, document) == before, "of both forms at once"
    async with db.read() as conn:
        assert await fetch_all(conn, "SELECT reached FROM compaction") == [(7,)]
    await compact(db)
    assert await state(db, document) == before


async def test_what_was_made_compact_can_be_deleted(db: Database) -> None:
    await add(db)
    await as_before(db)
    await compact(db)
    async with db.write() as conn:
        await store.deletion.delete_document(conn, 1, "d")
        while await store.deletion.erase_some(conn):
            pass
        await change(conn, "INSERT INTO chunk_fts (chunk_fts, rank) VALUES ('integrity-check', 1)")
    async with db.read() as conn:
        for table in ("stored_chunk", "embedding_0", "chunk_vec", "chunk_fts_docsize", "page"):
            assert await fetch_all(conn, f"SELECT count(*) FROM {table}") == [(0,)], table
