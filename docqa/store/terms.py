"""Which version of the tokeniser made the terms of full-text search, and how they are rebuilt for another one."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from docqa.store.sql import Connection, change, fetch_all, fetch_one
from docqa.text.packed_terms import packed


@dataclass(frozen=True)
class ChunkText:
    """What the terms of a chunk are computed from."""

    id: int
    section: str
    columns: str
    text: str


async def is_current(conn: Connection, version: int) -> bool:
    """Whether every chunk's terms were made by this version of the tokeniser."""
    sql = "SELECT 1 FROM full_text WHERE version = ? AND pending_version IS NULL"
    return await fetch_one(conn, sql, version) is not None


async def begin_rebuild(conn: Connection, version: int) -> None:
    """Rebuild all terms there are by this version, unless that has begun already; new chunks must be made by it."""
    await change(
        conn,
        """UPDATE full_text SET pending_version = ?1, rebuilt_chunk = 0,
                                last_chunk = (SELECT coalesce(max(id), 0) FROM chunk)
           WHERE pending_version IS NOT ?1""",
        version,
    )


async def chunks_to_rebuild(conn: Connection, limit: int) -> list[ChunkText]:
    """The first chunks whose terms are still those of another version."""
    sql = """SELECT c.id, c.section, c.columns, c.text FROM full_text f JOIN chunk c
             ON c.id > f.rebuilt_chunk AND c.id <= f.last_chunk ORDER BY c.id LIMIT ?"""
    return [ChunkText(*row) for row in await fetch_all(conn, sql, limit)]


async def set_terms(conn: Connection, terms: Sequence[tuple[int, str]]) -> None:
    """New terms by chunk id, in the order of `chunks_to_rebuild`; a chunk that has been deleted is skipped."""
    # By one statement: before each the full-text index writes down what it has, a segment of its own.
    sql = """UPDATE stored_chunk SET terms = made.terms
             FROM (SELECT value ->> 0 AS chunk, value ->> 1 AS terms FROM json_each(?)) made
             WHERE id = made.chunk AND stored_chunk.terms != made.terms"""
    await change(conn, sql, json.dumps([(chunk, packed(made)) for chunk, made in terms]))
    await change(conn, "UPDATE full_text SET rebuilt_chunk = ?", terms[-1][0])


async def finish_rebuild(conn: Connection) -> None:
    """All terms have been rebuilt."""
    await change(conn, "UPDATE full_text SET version = pending_version, pending_version = NULL")
