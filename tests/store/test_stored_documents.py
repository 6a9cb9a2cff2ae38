"""Pages in the database, with their blocks."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from docqa import store
from docqa.formats.pages import ExtractedPage
from docqa.store.database import Database
from docqa.store.documents import page_row
from docqa.store.sql import change
from docqa.text.blocks import Block, blocks_of

pytestmark = pytest.mark.anyio

PAGES = [ExtractedPage(text).cleaned() for text in ("TITLE\n\n• one\n• two", "", "The last page.")]


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    db = await Database.open(tmp_path / "a.sqlite")
    yield db
    await db.close()


async def add(db: Database) -> int:
    async with db.write() as conn:
        account = await store.accounts.account_named(conn, "alice")
        document = await store.documents.add_document(
            conn, account, doc_id="a", name="a", kind="txt", sha256=b"a", language="en", pages=3, notes=""
        )
        await store.documents.add_pages(conn, document, map(page_row, range(1, 4), PAGES))
    return document


async def test_pages_keep_their_blocks(db: Database) -> None:
    document = await add(db)
    async with db.read() as conn:
        known = await store.documents.page_blocks(conn, document, [1, 2, 7])
    assert known == {1: PAGES[0].blocks, 2: ()}
    assert [block.kind for block in known[1]] == ["heading", "item", "item"]


async def test_pages_stored_before_there_were_blocks_get_those_of_their_text(db: Database) -> None:
    document = await add(db)
    async with db.write() as conn:
        await change(conn, "UPDATE page SET blocks = NULL")
    async with db.read() as conn:
        known = await store.documents.page_blocks(conn, document, [1, 3])
    assert known == {1: blocks_of(PAGES[0].text), 3: (Block("paragraph", 0, 14),)}


async def test_a_page_that_was_read_again_has_the_blocks_of_that_text(db: Database) -> None:
    document = await add(db)
    page = ExtractedPage("• three").cleaned()
    async with db.write() as conn:
        await store.jobs.set_scan(conn, document, 2, page.text, page.blocks)
    async with db.read() as conn:
        assert await store.documents.page_blocks(conn, document, [2]) == {2: (Block("item", 0, 7, 1),)}
