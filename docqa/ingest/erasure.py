"""What was deleted is erased: its rows in small transactions, its space given back, the write-ahead log emptied."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from docqa import store
from docqa.ingest.queue import Intake
from docqa.store.database import Database
from docqa.store.sql import Connection

COMPACTED = 64  # passages in one transaction: some 20 ms of the only writer
PAUSE = 0.5  # seconds until the log is tried again, which a reader keeps alive


async def erase_forever(intake: Intake) -> None:
    """Erase what is marked as deleted, at the start what a kill left, until this is cancelled."""
    db = intake.db
    while True:
        intake.deleted.clear()
        db.ballast.release()
        await erase(db)
        await asyncio.to_thread(db.ballast.hold)
        await intake.deleted.wait()


async def compact(db: Database) -> None:
    """Make what an earlier version stored as small as what this one stores, and give the space back."""
    await _repeated(db, lambda conn: store.compaction.compact_some(conn, COMPACTED))
    await _repeated(db, store.deletion.give_back_some)


async def erase(db: Database) -> None:
    """Erase what is marked as deleted, and give its space back; returns when no byte of it is in the files."""
    await _repeated(db, store.deletion.erase_some)
    await _repeated(db, store.deletion.give_back_some)
    while not await db.forget():
        await asyncio.sleep(PAUSE)


async def _repeated(db: Database, step: Callable[[Connection], Awaitable[bool]]) -> None:
    """Do small steps, each in a transaction, until there is nothing left to do."""
    more = True
    while more:
        started = time.monotonic()
        async with db.write() as conn:
            more = await step(conn)
        if not db.ballast.kept:
            await db.forget()  # on a full disk the log must not grow
        await asyncio.sleep(time.monotonic() - started)  # leaves half of the time to uploads and questions
