"""Short reads that go to their thread together."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiosqlite import Connection

from docqa.errors import NotFound, Unavailable
from docqa.store.database import DRIVER, Database
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


async def names(conn: Connection) -> list[str]:
    return [name for (name,) in await fetch_all(conn, "SELECT name FROM account ORDER BY id")]


class Held:
    """A read that keeps the thread until it is let go, and notes how many statements ran before."""

    def __init__(self) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()

    async def read(self, conn: Connection) -> list[str]:
        self.begun.set()
        assert self.let_go.wait(10)
        return await names(conn)


async def test_a_glance_sees_what_was_committed_before_it_was_asked_for(db: Database) -> None:
    for count in range(1, 6):
        await add(db, str(count))
        assert len(await db.glances.look(names)) == count


async def test_glances_that_come_while_others_are_at_work_are_answered_each(db: Database) -> None:
    held = Held()
    first = asyncio.create_task(db.glances.look(held.read))
    await asyncio.to_thread(held.begun.wait, 10)

    async def number(conn: Connection, wanted: int) -> int:
        [(number,)] = await fetch_all(conn, "SELECT ?", wanted)
        return int(number)

    others = [asyncio.create_task(db.glances.look(lambda conn, n=n: number(conn, n))) for n in range(100)]  # type: ignore[misc]
    await add(db, "committed after they were asked for, before they are at work")
    held.let_go.set()
    assert await asyncio.gather(*others) == list(range(100))
    await first


async def test_one_that_fails_fails_for_who_asked_only(db: Database) -> None:
    held = Held()
    first = asyncio.create_task(db.glances.look(held.read))
    await asyncio.to_thread(held.begun.wait, 10)

    async def missing(conn: Connection) -> None:
        raise NotFound("Document not found")

    async def wrong(conn: Connection) -> None:
        await fetch_all(conn, "SELECT nothing")

    results = asyncio.gather(*map(db.glances.look, (missing, wrong, names)), return_exceptions=True)
    held.let_go.set()
    not_found, error, known = await results
    assert isinstance(not_found, NotFound) and isinstance(error, DRIVER.Error) and known == []
    await first


async def test_one_whose_client_has_left_keeps_nobody_from_the_others(db: Database) -> None:
    held = Held()
    first = asyncio.create_task(db.glances.look(held.read))
    await asyncio.to_thread(held.begun.wait, 10)
    left, stays = (asyncio.create_task(db.glances.look(names)) for _ in range(2))
    await asyncio.sleep(0)
    left.cancel()
    first.cancel()
    held.let_go.set()
    assert await stays == []
    assert await db.glances.look(names) == []


async def test_the_statements_of_one_glance_see_one_state(db: Database) -> None:
    between, goes_on = threading.Event(), threading.Event()

    async def twice(conn: Connection) -> tuple[list[str], list[str]]:
        before = await names(conn)
        between.set()
        assert goes_on.wait(10)
        return before, await names(conn)

    look = asyncio.create_task(db.glances.look(twice))
    await asyncio.to_thread(between.wait, 10)
    await add(db, "new")
    goes_on.set()
    assert await look == ([], [])
    assert await db.glances.look(names) == ["new"]


async def test_a_list_that_takes_long_keeps_nobody_from_the_keys(db: Database) -> None:
    held = Held()
    long = asyncio.create_task(db.lists.look(held.read))
    await asyncio.to_thread(held.begun.wait, 10)
    assert await asyncio.wait_for(db.glances.look(names), 5) == []
    held.let_go.set()
    await long


async def test_a_glance_cannot_write(db: Database) -> None:
    async def write(conn: Connection) -> None:
        await conn.execute_fetchall("INSERT INTO account (name, created) VALUES ('a', '')")

    with pytest.raises(DRIVER.Error, match="readonly"):
        await db.glances.look(write)


async def test_what_awaits_something_else_is_refused(db: Database) -> None:
    async def sleepy(conn: Connection) -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="awaited something else"):
        await db.glances.look(sleepy)
    assert await db.glances.look(names) == []


async def test_what_is_at_work_is_answered_before_the_end_and_nothing_behind_it(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "a.sqlite")
    held = Held()
    first = asyncio.create_task(db.glances.look(held.read))
    await asyncio.to_thread(held.begun.wait, 10)
    waiting = asyncio.create_task(db.glances.look(names))
    await asyncio.sleep(0)
    closing = asyncio.create_task(db.close())
    await asyncio.sleep(0)
    held.let_go.set()
    assert await asyncio.wait_for(first, 5) == []
    for late in (waiting, db.glances.look(names)):
        with pytest.raises(Unavailable):
            await asyncio.wait_for(late, 5)
    await closing
