"""The blocks of chunks come from those of their pages, of which only they are read."""

from pathlib import Path

import pytest

from docqa import store
from docqa.formats.pages import ExtractedPage
from docqa.store.chunks import Chunk
from docqa.store.database import Database
from docqa.store.documents import page_row
from docqa.text.block import Block

pytestmark = pytest.mark.anyio

TEXT = "Rent\n\nIt is due in May.\n\nIt is 12 euros."
BLOCKS = (Block("heading", 0, 4, 1), Block("paragraph", 6, 23), Block("item", 25, 40))


@pytest.mark.parametrize("before_blocks", [False, True], ids=["stored", "stored before there were blocks"])
async def test_each_chunk_has_its_own_blocks(tmp_path: Path, before_blocks: bool) -> None:
    db = await Database.open(tmp_path / "docqa.sqlite3")
    async with db.write() as conn:
        account = await store.accounts.account_named(conn, "alice")
        document = await store.documents.add_document(
            conn, account, doc_id="a", name="a", kind="txt", sha256=b"1", language="en", pages=2, notes=""
        )
        pages = [page_row(number, ExtractedPage(TEXT, blocks=BLOCKS)) for number in (1, 2)]
        await store.documents.add_pages(conn, document, pages)
        if before_blocks:
            await conn.execute("UPDATE page SET blocks = NULL")
        cut = [Chunk(number, start, TEXT[start:end]) for number in (1, 2) for start, end in ((0, 23), (25, 40))]
        await store.chunks.add_chunks(conn, document, [(chunk, "") for chunk in cut])
    async with db.read() as conn:
        blocks = await store.chunks.blocks(conn, [1, 2, 3, 4])
    await db.close()
    if before_blocks:
        assert [[(block.start, block.end) for block in blocks[id_]] for id_ in (1, 2)] == [[(0, 4), (6, 23)], [(0, 15)]]
    else:
        assert blocks == {1: BLOCKS[:2], 2: (Block("item", 0, 15),), 3: BLOCKS[:2], 4: (Block("item", 0, 15),)}
