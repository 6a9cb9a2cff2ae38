"""Files of the first days, whose number does not tell their schema.

0001 was edited after it had been used, and the numbers of later files were changed. So what a file of schema 1 to 8 has
had is read off its tables; from 9 on the number tells.
"""

import re

from docqa.store.sql import Connection, fetch_all, fetch_one

LAST = 8  # the last migration that a file may have had under another number
_ALWAYS = 6  # it only empties what is made anew

# By which table, and which of its columns, a migration is known to have been applied.
_MARKS = {
    2: ("full_text", ""),
    3: ("embedding_0", ""),
    4: ("document", "title"),
    5: ("page", "blocks"),
    7: ("document_table", ""),
    8: ("page", "recognised"),
}

# What 0001 has had added within a table: (table, column, statements that add it).
_COLUMNS = (
    ("document", "message", "ALTER TABLE document RENAME COLUMN failure TO message"),
    ("document", "examined", "ALTER TABLE document ADD COLUMN examined INTEGER NOT NULL DEFAULT 0"),
    (
        "page",
        "scan",
        "ALTER TABLE page ADD COLUMN scan TEXT NOT NULL DEFAULT '' CHECK (scan IN ('', 'waiting', 'failed'))",
    ),
    ("chunk", "columns", "ALTER TABLE chunk ADD COLUMN columns TEXT NOT NULL DEFAULT ''"),
    ("embedding_model", "state", "ALTER TABLE embedding_model RENAME TO first_embedding_model"),
)
_AFTERWARDS = {
    "first_embedding_model": """INSERT INTO embedding_model (state, name, sha256, dimension)
        SELECT 'serving', name, sha256, dimension FROM first_embedding_model;
        DROP TABLE first_embedding_model""",
}
_SIGNS = """INSERT INTO chunk_vec (rowid, embedding, document)
    SELECT id, vec_quantize_binary(embedding), document FROM chunk WHERE embedding IS NOT NULL"""
_CREATE = re.compile(r"(CREATE (?:VIRTUAL )?\w+ (\w+).*?;)(?=\s*(?:CREATE|INSERT|\Z))", re.DOTALL)


async def missing(conn: Connection, version: int) -> set[int]:
    """The numbers of the migrations up to LAST that a file of this user_version has not had; 0001 is always had."""
    if not version:
        return set(range(1, LAST + 1))
    absent = {number for number, mark in _MARKS.items() if not await _has(conn, *mark)}
    regular = all((number > version) == (number in absent) for number in _MARKS)
    return absent | ({_ALWAYS} if version < _ALWAYS or not regular else set())


async def _has(conn: Connection, table: str, column: str = "") -> bool:
    if column:
        return column in [row[0] for row in await fetch_all(conn, "SELECT name FROM pragma_table_info(?)", table)]
    return await fetch_one(conn, "SELECT 1 FROM sqlite_master WHERE name = ?", table) is not None


async def completion(conn: Connection, first: str) -> str:
    """The statements that a file of schema 1 still needs to be what `first`, the text of 0001, makes; "" for none."""
    columns = [
        (table, sql)
        for table, column, sql in _COLUMNS
        if await _has(conn, table) and not await _has(conn, table, column)
    ]
    statements = [sql for _, sql in columns]
    renamed = [sql.rsplit(" ", 1)[1] for sql in statements if " RENAME TO " in sql]
    moved = {table for table, sql in columns if " RENAME TO " in sql}
    lacks_signs = not await _has(conn, "chunk_vec")
    if lacks_signs:
        statements.append("DROP TRIGGER chunk_deleted")
    for sql, name in _statements(first):
        if name in moved or not await _has(conn, name) or (lacks_signs and name == "chunk_deleted"):
            statements.append(sql.rstrip(";"))
    statements += [_AFTERWARDS[name] for name in renamed]
    if lacks_signs:
        statements.append(_SIGNS)
    return ";\n".join(statements)


def _statements(script: str) -> list[tuple[str, str]]:
    """(statement, the name of what it creates) of each CREATE in a script."""
    return [(sql, name) for sql, name in _CREATE.findall(re.sub(r"--[^\n]*", "", script))]
