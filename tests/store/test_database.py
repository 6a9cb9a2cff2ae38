"""The one file: schema, transactions, and what a deletion leaves behind."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from docqa.errors import CannotStart
from docqa.store import database as module
from docqa.store import pragmas
from docqa.store.backup import back_up
from docqa.store.checked_files import schema
from docqa.store.database import DRIVER, Database, connect, migrations
from docqa.store.glances import at_once

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """A connection that is not closed has a thread that keeps the whole process from ending."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join(2)
        assert not thread.is_alive(), thread


SCHEMA = Path(__file__).parent / "schema.sql"


async def count(db: Database) -> int:
    async with db.read() as conn:
        [(count,)] = await conn.execute_fetchall("SELECT count(*) FROM account")
    return int(count)


async def add(db: Database, name: str) -> None:
    async with db.write() as conn:
        await conn.execute_fetchall("INSERT INTO account (name, created) VALUES (?, '')", (name,))


async def test_schema_sql_is_todays_schema(tmp_path: Path) -> None:
    """After a migration: python run.py test tests/store, then take over what it shows."""
    db = await Database.open(tmp_path / "a.sqlite")
    await db.close()
    conn = module.connect(tmp_path / "a.sqlite")
    built = schema(conn)
    conn.close()
    assert built == SCHEMA.read_text(), f"tests/store/schema.sql should be:\n{built}"


async def test_a_second_start_changes_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        db = await Database.open(tmp_path / "a.sqlite")
        async with db.read() as conn:
            assert list(await conn.execute_fetchall("PRAGMA user_version")) == [(migrations()[-1][0],)]
        await db.close()


async def test_data_of_a_newer_program_are_refused(tmp_path: Path) -> None:
    conn = DRIVER.connect(str(tmp_path / "a.sqlite"))
    conn.execute("PRAGMA user_version = 9999")
    conn.close()
    with pytest.raises(CannotStart, match="newer"):
        await Database.open(tmp_path / "a.sqlite")


async def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"My diary. " * 1000)
    with pytest.raises(CannotStart, match="cannot be used"):
        await Database.open(path)
    assert path.read_bytes() == b"My diary. " * 1000


async def test_a_broken_migration_leaves_the_old_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await (await Database.open(tmp_path / "a.sqlite")).close()
    known = migrations()
    monkeypatch.setattr(
        module, "migrations", lambda: [*known, (known[-1][0] + 1, "CREATE TABLE half (a); CREATE TABLE half (a);")]
    )
    with pytest.raises(CannotStart, match="Migration"):
        await Database.open(tmp_path / "a.sqlite")
    monkeypatch.undo()
    db = await Database.open(tmp_path / "a.sqlite")
    async with db.read() as conn:
        assert not list(await conn.execute_fetchall("SELECT 1 FROM sqlite_master WHERE name = 'half'"))
    await db.close()


async def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "a.sqlite")
    assert (tmp_path / "a.sqlite").stat().st_mode & 0o077 == 0
    await db.close()


async def test_an_exception_rolls_the_write_back(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "a.sqlite")
    with pytest.raises(ZeroDivisionError):
        async with db.write() as conn:
            await conn.execute_fetchall("INSERT INTO account (name, created) VALUES ('a', '')")
            raise ZeroDivisionError
    assert await count(db) == 0
    await add(db, "b")
    assert await count(db) == 1
    await db.close()


async def test_a_write_that_is_cancelled_anywhere_leaves_the_writer_usable(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "a.sqlite")
    done = 0
    for step in range(40):
        task = asyncio.create_task(add(db, f"name {step}"))
        for _ in range(step % 20):
            await asyncio.sleep(0)
        await asyncio.sleep(0.0002 * (step % 7))
        task.cancel()
        await asyncio.wait((task,))
        done += not task.cancelled()
    await add(db, "last")
    assert done + 1 <= await count(db) <= 41
    await db.close()


async def test_readers_do_not_wait_for_the_writer(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "a.sqlite")
    async with db.write() as conn:
        await conn.execute_fetchall("INSERT INTO account (name, created) VALUES ('a', '')")
        assert await asyncio.wait_for(count(db), 2) == 0
    assert await count(db) == 1
    await db.close()


async def test_a_log_that_a_reader_keeps_alive_is_emptied_by_the_next_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pragmas, "PRAGMAS", (("busy_timeout", 50), *pragmas.PRAGMAS[1:]))
    db = await Database.open(tmp_path / "a.sqlite")
    log = tmp_path / "a.sqlite-wal"
    await add(db, "Xylophonquartett")
    async with db.read() as conn:
        await conn.execute_fetchall("SELECT * FROM account")
        await add(db, "other")
        await db.forget()
        assert b"Xylophonquartett" in log.read_bytes()
    await add(db, "third")
    assert log.read_bytes() == b""
    await db.close()


async def test_many_readers_share_the_connections(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "a.sqlite")
    assert await asyncio.gather(*(count(db) for _ in range(50))) == [0] * 50
    await db.close()


async def test_a_reading_connection_does_not_wait_for_whoever_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    await (await Database.open(path)).close()
    with closing(connect(path)) as writing, closing(connect(path)) as reading:
        reading.execute("PRAGMA busy_timeout = 0")
        writing.execute("BEGIN IMMEDIATE")
        at_once(reading, pragmas.only_reading)
        assert reading.execute("SELECT count(*) FROM document").fetchone() == (0,)


async def test_the_pragmas_hold_on_every_connection(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "a.sqlite")
    async with db.read() as first, db.read() as second, db.write() as writer:
        for conn in (first, second, writer):
            for name, value in pragmas.PRAGMAS:
                assert list(await conn.execute_fetchall(f"PRAGMA {name}")) == [(value,)]
    await db.close()


async def test_a_file_with_small_pages_keeps_them_and_its_backup_has_those_of_a_new_file(tmp_path: Path) -> None:
    former, new = tmp_path / "former.sqlite", tmp_path / "new.sqlite"
    with closing(connect(former)) as conn:
        conn.execute("PRAGMA page_size = 4096")
        conn.execute("PRAGMA auto_vacuum = INCREMENTAL")
        conn.execute("VACUUM")
    for path in (former, new):
        await (await Database.open(path)).close()
    back_up(former, copy := tmp_path / "copy.sqlite")
    sizes = []
    for path in (former, new, copy):
        with closing(connect(path)) as conn:
            sizes += conn.execute("PRAGMA page_size").fetchone()
    assert sizes == [4096, pragmas.PAGE_SIZE, pragmas.PAGE_SIZE]
