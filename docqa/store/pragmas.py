"""How connections are set: each setting by a statement of its own, and read back."""

from docqa.errors import CannotStart
from docqa.store.sql import Connection

INCREMENTAL = 2  # of auto_vacuum
# Bytes. A page of text takes some 3.4 kB, as much as the rows of two passages: of SQLite's own 4,096 bytes a fifth
# stayed empty. With 16,384 a file is smaller by another tenth, but each small change writes twice as much.
PAGE_SIZE = 8_192
PRAGMAS = (
    ("busy_timeout", 10_000),
    ("journal_mode", "wal"),
    ("synchronous", 2),
    ("foreign_keys", 1),
    ("secure_delete", 1),
    ("temp_store", 2),
    ("wal_autocheckpoint", (4 << 20) // PAGE_SIZE),
)


async def set_pragmas(conn: Connection) -> None:
    """Set a new connection. Raises CannotStart where this SQLite does not take a setting."""
    [(freeing,)] = await conn.execute_fetchall("PRAGMA auto_vacuum")
    if freeing != INCREMENTAL:  # setting it again would wait for whoever writes
        # Decided with the first table: a file keeps the size of its pages.
        await conn.execute_fetchall(f"PRAGMA page_size = {PAGE_SIZE}")
        await conn.execute_fetchall(f"PRAGMA auto_vacuum = {INCREMENTAL}")
    for name, wanted in PRAGMAS:
        await conn.execute_fetchall(f"PRAGMA {name} = {wanted}")
        actual = [row[0] for row in await conn.execute_fetchall(f"PRAGMA {name}")]
        if actual != [wanted]:
            [(version,)] = await conn.execute_fetchall("SELECT sqlite_version()")
            raise CannotStart(f"SQLite {version} does not accept PRAGMA {name} = {wanted}: it is {actual}.")


async def only_reading(conn: Connection) -> None:
    """Set a new connection that writes nothing. Raises CannotStart."""
    await set_pragmas(conn)
    await conn.execute_fetchall("PRAGMA query_only = 1")


async def forget_pages(conn: Connection) -> None:
    """Give back the memory of the pages that a connection has read: up to 2 MB, which the system keeps as well."""
    await conn.execute_fetchall("PRAGMA shrink_memory")
