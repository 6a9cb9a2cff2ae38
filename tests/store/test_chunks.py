"""Chunks are added many at a time, in their order, and the full-text index is written once for them; their blocks come
from those of their pages."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from docqa import store
from docqa.formats.pages import ExtractedPage
from docqa.store.chunks import AT_ONCE, Chunk
from docqa.store.database import Database
from docqa.store.documents import page_row
from docqa.store.sql import Connection, fetch_all
from docqa.text.block import Block

pytestmark = pytest.mark.anyio

SEGMENTS = "SELECT count(DISTINCT segid) FROM chunk_fts_idx"
TEXT = "Rent\n\nIt is due in May.\n\nIt is 12 euros."
BLOCKS = (Block("heading", 0, 4, 1), Block("paragraph", 6, 23), Block("item", 25, 40))


async def add(conn: Connection, pages: Sequence[ExtractedPage], chunks: Iterable[tuple[Chunk, str]]) -> int:
    """The row id of a new document with these pages and chunks."""
    account = await store.accounts.account_named(conn, "alice")
    document = await store.documents.add_document(
        conn, account, doc_id="a", name="a", kind="txt", sha256=b"1", language="en", pages=len(pages), notes=""
    )
    await store.documents.add_pages(conn, document, [page_row(number, page) for number, page in enumerate(pages, 1)])
    await store.chunks.add_chunks(conn, document, chunks)
    return document


@pytest.mark.parametrize("count", [0, 1, 12, AT_ONCE, 2 * AT_ONCE + 1])
async def test_all_chunks_are_stored_and_found(tmp_path: Path, count: int) -> None:
    lines = [f"Line {number}." for number in range(count)]
    text = "\n".join(lines)
    starts = [text.index(line) for line in lines]
    chunks = [
        (Chunk(1, start, line, "A section", "a\tb"), f"line {number}")
        for number, (line, start) in enumerate(zip(lines, starts, strict=True))
    ]
    if count:
        chunks[-1] = Chunk(1, 3, "not on the page"), "line elsewhere"
    db = await Database.open(tmp_path / "docqa.sqlite3")
    async with db.write() as conn:
        document = await add(conn, [ExtractedPage(text)], iter(chunks))
    async with db.read() as conn:
        stored = await store.chunks.chunks(conn, document)
        by_word = await fetch_all(conn, "SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH 'line' ORDER BY rowid")
        counted = await fetch_all(conn, "SELECT chunks FROM any_document")
        [(segments,)] = await fetch_all(conn, SEGMENTS)
    await db.close()
    assert [
        (c.page_number, c.start, c.text, c.section, c.columns, c.terms) for c in sorted(stored, key=lambda c: c.id)
    ] == [(c.page_number, c.start, c.text, c.section, c.columns, terms) for c, terms in chunks]
    assert by_word == [(chunk.id,) for chunk in sorted(stored, key=lambda c: c.id)]
    assert counted == [(count,)]
    assert segments == -(-count // AT_ONCE)


async def test_new_terms_of_many_chunks_are_written_once_to_the_index(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "docqa.sqlite3")
    async with db.write() as conn:
        chunks = [(Chunk(1, 0, "Line."), f"old {number}") for number in range(12)]
        document = await add(conn, [ExtractedPage("Line.")], chunks)
    async with db.write() as conn:
        ids = [chunk.id for chunk in await store.chunks.chunks(conn, document)]
        await store.terms.set_terms(conn, [(id_, f"new {id_}") for id_ in ids] + [(99, "deleted")])
    async with db.read() as conn:
        rows = [
            await fetch_all(conn, "SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ? ORDER BY rowid", word)
            for word in ("old", "new")
        ]
        [(segments,)] = await fetch_all(conn, SEGMENTS)
    await db.close()
    assert rows == [[], [(id_,) for id_ in sorted(ids)]]
    assert segments <= 2  # the old one and a new one


@pytest.mark.parametrize("before_blocks", [False, True], ids=["stored", "stored before there were blocks"])
async def test_each_chunk_has_its_own_blocks(tmp_path: Path, before_blocks: bool) -> None:
    db = await Database.open(tmp_path / "docqa.sqlite3")
    async with db.write() as conn:
        cut = [Chunk(number, start, TEXT[start:end]) for number in (1, 2) for start, end in ((0, 23), (25, 40))]
        await add(conn, [ExtractedPage(TEXT, blocks=BLOCKS)] * 2, [(chunk, "") for chunk in cut])
        if before_blocks:
            await conn.execute("UPDATE page SET blocks = NULL")
    async with db.read() as conn:
        blocks = await store.chunks.blocks(conn, {id_: chunk.text for id_, chunk in enumerate(cut, 1)})
    await db.close()
    if before_blocks:
        assert [[(block.start, block.end) for block in blocks[id_]] for id_ in (1, 2)] == [[(0, 4), (6, 23)], [(0, 15)]]
    else:
        assert blocks == {1: BLOCKS[:2], 2: (Block("item", 0, 15),), 3: BLOCKS[:2], 4: (Block("item", 0, 15),)}
