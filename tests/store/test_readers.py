"""Reads of many statements that go to a thread once."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiosqlite import Connection

from docqa.store.database import READERS, Database
from docqa.store.sql import fetch_all

pytestmark = pytest.mark.anyio


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    db = await Database.open(tmp_path / "a.sqlite")
    yield db
    await db.close()


async def add(db: Database, name: str) -> None:
    async with db.write() as conn:
        await conn.execute_fetchall("INSERT INTO account (name, created) VALUES (?, '')", (name,))


async def count(conn: Connection) -> int:
    [(number,)] = await fetch_all(conn, "SELECT count(*) FROM account")
    return int(number)


class Held:
    """A read that stays in its thread until it is let go, and counts before and after."""

    def __init__(self) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()

    async def read(self, conn: Connection) -> tuple[int, int]:
        before = await count(conn)
        self.begun.set()
        assert self.let_go.wait(10)
        return before, await count(conn)


async def test_all_statements_of_a_read_see_one_state_and_the_next_read_the_next(db: Database) -> None:
    held = Held()
    reading = asyncio.create_task(db.at_once(held.read))
    await asyncio.to_thread(held.begun.wait, 10)
    await add(db, "alice")
    held.let_go.set()
    assert await reading == (0, 0)
    assert await db.at_once(count) == 1


async def test_what_a_read_raises_is_raised_and_the_connection_serves_on(db: Database) -> None:
    async def wrong(conn: Connection) -> None:
        await fetch_all(conn, "SELECT nothing")

    for _ in range(READERS + 1):
        with pytest.raises(Exception, match="nothing"):
            await db.at_once(wrong)
    assert await db.at_once(count) == 0


async def test_a_connection_whose_reader_has_left_is_free_when_its_thread_is_done(db: Database) -> None:
    held = [Held() for _ in range(READERS)]
    for each in held:
        reading = asyncio.create_task(db.at_once(each.read))
        await asyncio.to_thread(each.begun.wait, 10)
        reading.cancel()
    waiting = asyncio.create_task(db.at_once(count))
    await asyncio.sleep(0.05)
    assert not waiting.done(), "every connection is in use"
    held[0].let_go.set()
    assert await asyncio.wait_for(waiting, 10) == 0
    for each in held:
        each.let_go.set()


async def test_closing_waits_for_what_a_thread_reads(tmp_path: Path) -> None:
    db, held = await Database.open(tmp_path / "b.sqlite"), Held()
    reading = asyncio.create_task(db.at_once(held.read))
    await asyncio.to_thread(held.begun.wait, 10)
    closing = asyncio.create_task(db.close())
    await asyncio.sleep(0.05)
    assert not closing.done()
    held.let_go.set()
    await closing
    assert await reading == (0, 0)
