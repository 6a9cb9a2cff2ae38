"""Which documents are meant: by language, kind, their own date or that they were added, and tag."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiosqlite import Connection

from docqa import store
from docqa.store.database import Database
from docqa.store.filters import Filters
from docqa.store.sql import change

pytestmark = pytest.mark.anyio


async def add(conn: Connection, account: int, name: str, *tags: str, **about: Any) -> None:
    known = {"kind": "pdf", "language": "en", "dated": ""} | about
    await store.documents.add_document(
        conn, account, doc_id=name, name=name, sha256=name.encode(), pages=1, notes="", **known
    )
    await store.library.update_document(conn, account, name, None, tags)


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    """Four documents of an account, added on 25 November 2026."""
    db = await Database.open(tmp_path / "a.sqlite")
    async with db.write() as conn:
        account = await store.accounts.account_named(conn, "alice")
        await add(conn, account, "lease", "Rent", "Straße", dated="2024-05-03")
        await add(conn, account, "book", kind="epub", dated="2019")
        await add(conn, account, "vertrag", "rent", language="de", dated="2024-06")
        await add(conn, account, "note", 'say "hi"', kind="txt")
        await change(conn, "UPDATE any_document SET created = '2026-11-25T10:00:00.000Z'")
    yield db
    await db.close()


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        (Filters(), ["lease", "book", "vertrag", "note"]),
        (Filters(language="de"), ["vertrag"]),
        (Filters(kind="epub"), ["book"]),
        (Filters(date_from="2024-05-03"), ["lease", "vertrag", "note"]),
        (Filters(date_from="2024-05-04", date_to="2024-12-31"), ["vertrag"]),
        (Filters(date_to="2019-03-01"), ["book"]),
        (Filters(date_from="2024-06-15", date_to="2024-06-15"), ["vertrag"]),
        (Filters(date_from="2026-11-25"), ["note"]),
        (Filters(kind="pdf", language="en", date_to="2024-05-02"), []),
        (Filters(tag="RENT"), ["lease", "vertrag"]),
        (Filters(tag="STRASSE"), ["lease"]),
        (Filters(tag="ren"), []),
        (Filters(tag='say "HI"'), ["note"]),
        (Filters(tag="rent", language="en"), ["lease"]),
    ],
)
async def test_documents_are_chosen_and_listed_alike(db: Database, filters: Filters, names: list[str]) -> None:
    async with db.read() as conn:
        every = await store.documents.stored_documents(conn, 1, ["lease", "book", "vertrag", "note"])
        assert [document.name for document in await store.documents.fitting(conn, every, filters)] == names
        newest_first = names[::-1]
        assert [document.name for document in await store.askable.newest_documents(conn, 1, filters)] == newest_first
        listed = await store.library.documents(conn, 1, 1, 1, filters)
        assert [document.name for document in listed.documents] == newest_first[:1]
        assert listed.total_pages == len(names)
