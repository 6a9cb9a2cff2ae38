"""Deletion: a document is gone at once, what was made from it is erased in small transactions, its space is given back.

`docqa/ingest/erasure.py` calls this in the background. What a kill interrupts is resumed, for the document stays marked
until nothing else of it is left.
"""

from docqa.store.access import refuse
from docqa.store.chats import forget_document
from docqa.store.sql import Connection, change, fetch_all, fetch_one

CHUNKS = 16  # in one transaction: some 50 ms of the only writer, nearly all of it in the full-text index
ROWS = 500
GIVEN_BACK = 250  # pages of the file in one transaction
INCREMENTAL = 2  # PRAGMA auto_vacuum

# In this order; the rows that hang on these go with them.
_STEPS = (
    ("DELETE FROM stored_chunk WHERE id IN (SELECT id FROM stored_chunk WHERE document = ? LIMIT ?)", CHUNKS),
    (
        """DELETE FROM table_row WHERE (in_table, row) IN (
               SELECT r.in_table, r.row FROM document_table t JOIN table_row r ON r.in_table = t.id
               WHERE t.document = ? LIMIT ?)""",
        ROWS,
    ),
    (
        """DELETE FROM table_value WHERE (in_table, key, place, value) IN (
               SELECT v.in_table, v.key, v.place, v.value FROM document_table t JOIN table_value v ON v.in_table = t.id
               WHERE t.document = ? LIMIT ?)""",
        ROWS,
    ),
    ("DELETE FROM document_table WHERE id IN (SELECT id FROM document_table WHERE document = ? LIMIT ?)", ROWS),
    ("DELETE FROM page WHERE rowid IN (SELECT rowid FROM page WHERE document = ? LIMIT ?)", ROWS // 10),
)


async def delete_document(conn: Connection, account: int, doc_id: str) -> None:
    """Make a document gone for every reader, and its bytes addable again. Raises NotFound, Forbidden."""
    row = await fetch_one(conn, "SELECT id FROM document WHERE account = ? AND doc_id = ?", account, doc_id)
    if row is None:
        await refuse(conn, account, doc_id)
    sql = """UPDATE any_document SET deleted = 1, sha256 = randomblob(32), name = '', summary = '', notes = '',
             message = '', title = '', author = '', dated = '', language = '', recurring_names = '[]', tags = '{}',
             questions = NULL WHERE id = ?"""
    await change(conn, sql, row[0])
    await change(conn, "DELETE FROM member WHERE document = ?", row[0])
    await forget_document(conn, row[0])


async def count_deleted(conn: Connection) -> int:
    """How many deleted documents are not yet erased."""
    [(count,)] = await fetch_all(conn, "SELECT count(*) FROM any_document WHERE deleted")
    return int(count)


async def erase_some(conn: Connection) -> bool:
    """Erase a little of a deleted document; False where there was none."""
    row = await fetch_one(conn, "SELECT id FROM any_document WHERE deleted LIMIT 1")
    if row is None:
        return False
    document = row[0]
    for sql, limit in _STEPS:
        if await change(conn, sql, document, limit):
            return True
    await _erase_original(conn, document)
    await change(conn, "DELETE FROM any_document WHERE id = ?", document)
    return True


async def _erase_original(conn: Connection, document: int) -> None:
    """The file as it was uploaded, of perhaps 200 MB: were its pages overwritten, as much would be written to the log.

    Where free pages are given back, none that holds it is left afterwards, and that is cheaper.
    """
    if await gives_back(conn):
        await fetch_all(conn, "PRAGMA secure_delete = FAST")
    try:
        await change(conn, "DELETE FROM original WHERE document = ?", document)
    finally:
        await fetch_all(conn, "PRAGMA secure_delete = 1")


async def gives_back(conn: Connection) -> bool:
    """Whether the file gets smaller; one that was made by an earlier version does after a VACUUM."""
    [(mode,)] = await fetch_all(conn, "PRAGMA auto_vacuum")
    return bool(mode == INCREMENTAL)


async def give_back_some(conn: Connection) -> bool:
    """Give some free pages back to the disk; False where there were none to give."""
    [(before,)] = await fetch_all(conn, "PRAGMA freelist_count")
    if not before or not await gives_back(conn):
        return False
    await fetch_all(conn, f"PRAGMA incremental_vacuum({GIVEN_BACK})")
    [(after,)] = await fetch_all(conn, "PRAGMA freelist_count")
    return bool(after < before)
