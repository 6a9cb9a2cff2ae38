"""The connections that only read: each serves one reader at a time, statement by statement or all at once."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiosqlite

from docqa.store.glances import Read, Result, at_once
from docqa.store.pragmas import forget_pages


class Readers:
    """`connections` with those of the driver that they are made of."""

    def __init__(self, connections: Mapping[aiosqlite.Connection, Any]) -> None:
        self._connections = connections
        self._at_work: set[asyncio.Future[Any]] = set()
        self._free: asyncio.Queue[aiosqlite.Connection] = asyncio.Queue()
        for conn in connections:
            self._free.put_nowait(conn)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[aiosqlite.Connection]:
        """A connection for SELECTs that all see the same state of the data."""
        conn = await self._free.get()
        try:
            await conn.execute_fetchall("BEGIN")
            yield conn
        finally:
            await asyncio.shield(self._give_back(conn))

    async def _give_back(self, conn: aiosqlite.Connection) -> None:
        await conn.rollback()
        self._free.put_nowait(conn)

    async def at_once(self, read: Read[Result]) -> Result:
        """What `read` makes of SELECTs that all see the same state of the data, and of what it reckons between them, in
        one go in a thread; it awaits nothing but its connection. Raises what `read` does."""
        conn = await self._free.get()
        work = asyncio.ensure_future(asyncio.to_thread(_in_one_go, self._connections[conn], read))
        self._at_work.add(work)

        def give_back(done: asyncio.Future[Result]) -> None:
            self._at_work.discard(done)
            self._free.put_nowait(conn)
            done.exception()  # whoever has left is not told

        work.add_done_callback(give_back)
        return await asyncio.shield(work)

    async def rest(self) -> None:
        """Have the connections that are free forget the pages that they have read."""
        for _ in range(self._free.qsize()):
            async with self.read() as conn:
                await forget_pages(conn)

    async def close(self) -> None:
        """Wait for what is done in threads, and close every connection, those in use included."""
        await asyncio.gather(*self._at_work, return_exceptions=True)
        for conn in self._connections:
            await conn.close()


def _in_one_go(conn: Any, read: Read[Result]) -> Result:
    conn.execute("BEGIN")
    try:
        return at_once(conn, read)
    finally:
        conn.rollback()
