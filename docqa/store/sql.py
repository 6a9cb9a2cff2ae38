"""Every SELECT, INSERT, UPDATE and DELETE, by what it is about: one function each, `conn` first, then the account it serves.

Another account's ids are simply not found. Times are ISO 8601 with milliseconds and Z.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from aiosqlite import Connection

BIGGEST = 2**62  # offsets beyond what SQLite's integers hold are past the end anyway


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def fetch_all(conn: Connection, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await conn.execute_fetchall(sql, values)]


async def fetch_one(conn: Connection, sql: str, *values: Any) -> tuple[Any, ...] | None:
    rows = await fetch_all(conn, sql, *values)
    return rows[0] if rows else None


async def insert(conn: Connection, sql: str, *values: Any) -> int:
    cursor = await conn.execute(sql, values)
    row = cursor.lastrowid
    await cursor.close()
    assert row is not None
    return row


async def change(conn: Connection, sql: str, *values: Any) -> int:
    cursor = await conn.execute(sql, values)
    changed = cursor.rowcount
    await cursor.close()
    return changed


async def change_many(conn: Connection, sql: str, values: Iterable[tuple[Any, ...]]) -> None:
    await (await conn.executemany(sql, values)).close()


def quoted(name: str) -> str:
    """An identifier of SQL, or a string of an FTS5 query, that is read as nothing else."""
    return '"' + name.replace('"', '""') + '"'
