"""The blocks of chunks come from those of their pages, each of which is unpacked once."""

from pathlib import Path

import pytest

from docqa import store
from docqa.formats.pages import ExtractedPage
from docqa.store import chunks
from docqa.store.chunks import Chunk
from docqa.store.database import Database
from docqa.store.documents import page_row
from docqa.text.block import Block

pytestmark = pytest.mark.anyio

TEXT = "Rent\n\nIt is due in May.\n\nIt is 12 euros."
BLOCKS = (Block("heading", 0, 4, 1), Block("paragraph", 6, 23), Block("item", 25, 40))


async def test_each_page_is_unpacked_once_however_many_chunks_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked: list[str] = []
    stored_blocks = chunks.stored_blocks

    def counted(text: str, stored: str | None) -> tuple[Block, ...]:
        unpacked.append(text)
        return stored_blocks(text, stored)

    monkeypatch.setattr(chunks, "stored_blocks", counted)
    db = await Database.open(tmp_path / "docqa.sqlite3")
    async with db.write() as conn:
        account = await store.accounts.account_named(conn, "alice")
        document = await store.documents.add_document(
            conn, account, doc_id="a", name="a", kind="txt", sha256=b"1", language="en", pages=2, notes=""
        )
        pages = [page_row(number, ExtractedPage(TEXT, blocks=BLOCKS)) for number in (1, 2)]
        await store.documents.add_pages(conn, document, pages)
        cut = [Chunk(number, start, TEXT[start:end]) for number in (1, 2) for start, end in ((0, 23), (25, 40))]
        await store.chunks.add_chunks(conn, document, [(chunk, "") for chunk in cut])
    async with db.read() as conn:
        blocks = await store.chunks.blocks(conn, [1, 2, 3, 4])
    await db.close()
    first, second = BLOCKS[:2], (Block("item", 0, 15),)
    assert blocks == {1: first, 2: second, 3: first, 4: second}
    assert unpacked == [TEXT, TEXT]
