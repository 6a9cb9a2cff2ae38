"""Running SQL. The modules beside this one have a function for each statement: `conn` first, then the account it
serves.

Another account's ids are simply not found. Times are ISO 8601 with milliseconds and Z.
"""

from collections.abc import Awaitable, Iterable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any, Protocol

BIGGEST = 2**62  # offsets beyond what SQLite's integers hold are past the end anyway


class Cursor(Protocol):
    """What is needed of an `aiosqlite.Cursor`."""

    @property
    def lastrowid(self) -> int | None: ...
    @property
    def rowcount(self) -> int: ...

    async def fetchone(self) -> Any:
        """The next row, None behind the last."""

    async def close(self) -> None:
        """Done with it."""


class Running(Awaitable[Cursor], AbstractAsyncContextManager[Cursor], Protocol):
    """A statement that is run once it is awaited."""


class Connection(Protocol):
    """What is needed of an `aiosqlite.Connection`. Only what opens one imports that package: a process that reads files
    knows the records of this one, and never opens the file."""

    def execute(self, sql: str, values: Iterable[Any] = ...) -> Running:
        """Run a statement."""

    def executemany(self, sql: str, values: Iterable[Iterable[Any]]) -> Running:
        """Run a statement once for each of the values."""

    def execute_fetchall(self, sql: str, values: Iterable[Any] = ...) -> Awaitable[Iterable[Any]]:
        """All rows of a statement."""

    async def interrupt(self) -> None:
        """Break off what is running."""


def now() -> str:
    """The time in UTC, as it is stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def fetch_all(conn: Connection, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """All rows of a SELECT."""
    return [tuple(row) for row in await conn.execute_fetchall(sql, values)]


async def fetch_one(conn: Connection, sql: str, *values: Any) -> tuple[Any, ...] | None:
    """The first row of a SELECT, None where it has none."""
    rows = await fetch_all(conn, sql, *values)
    return rows[0] if rows else None


async def insert(conn: Connection, sql: str, *values: Any) -> int:
    """Insert a row; its id."""
    cursor = await conn.execute(sql, values)
    row = cursor.lastrowid
    await cursor.close()
    assert row is not None
    return row


async def change(conn: Connection, sql: str, *values: Any) -> int:
    """Run a statement that changes data; the number of rows it changed."""
    cursor = await conn.execute(sql, values)
    changed = cursor.rowcount
    await cursor.close()
    return changed


async def change_many(conn: Connection, sql: str, values: Iterable[tuple[Any, ...]]) -> None:
    """Run a statement once for each tuple of values."""
    await (await conn.executemany(sql, values)).close()


def quoted(name: str) -> str:
    """`name` quoted as an identifier of SQL or a string of an FTS5 query."""
    return '"' + name.replace('"', '""') + '"'
