"""Passages that an earlier version stored are made as small as new ones, in small steps in the background."""

from docqa.store.chunks import is_verbatim
from docqa.store.sql import Connection, change, fetch_one
from docqa.store.vectors import SLOTS

_BATCH = "id > ?1 AND id <= ?2"


async def compact_some(conn: Connection, limit: int) -> bool:
    """Make so many passages compact; False where all are."""
    state = await fetch_one(conn, "SELECT reached, last FROM compaction")
    if state is None:
        return False
    reached, last = state
    sql = "SELECT max(id) FROM (SELECT id FROM stored_chunk WHERE id > ? AND id <= ? ORDER BY id LIMIT ?)"
    row = await fetch_one(conn, sql, reached, last, limit)
    until = row[0] if row else None
    if until is None:
        await change(conn, "DELETE FROM compaction")
        return False
    place = "stored_chunk.document", "stored_chunk.page_number", "stored_chunk.start"
    same = is_verbatim(*place, length="length(stored_chunk.text)", text="stored_chunk.text")
    # A row that only shrinks leaves its page as empty as it is; one that moves away and back fills another.
    await change(conn, "PRAGMA defer_foreign_keys = 1")
    sql = f"""UPDATE stored_chunk SET id = -id, length = length(text), text = iif({same}, '', text),
                                      terms = packed(terms) WHERE {_BATCH} AND length = 0"""
    await change(conn, sql, reached, until)
    await change(conn, "UPDATE stored_chunk SET id = -id WHERE id < 0")
    for slot in SLOTS:
        sql = f"""UPDATE {slot.vectors} SET chunk = -chunk, vector = small(vector)
                  WHERE chunk > ?1 AND chunk <= ?2 AND length(vector) =
                        (SELECT 4 * dimension FROM embedding_model WHERE slot = {slot.number})"""
        await change(conn, sql, reached, until)
        await change(conn, f"UPDATE {slot.vectors} SET chunk = -chunk WHERE chunk < 0")
    await change(conn, "UPDATE compaction SET reached = ?", until)
    return True
