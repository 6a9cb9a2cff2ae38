"""How connections are set: each setting by a statement of its own, and read back."""

from aiosqlite import Connection

from docqa.errors import CannotStart

INCREMENTAL = 2  # of auto_vacuum
PRAGMAS = (
    ("busy_timeout", 10_000),
    ("journal_mode", "wal"),
    ("synchronous", 2),
    ("foreign_keys", 1),
    ("secure_delete", 1),
    ("temp_store", 2),
)


async def set_pragmas(conn: Connection) -> None:
    """Set a new connection. Raises CannotStart where this SQLite does not take a setting."""
    [(freeing,)] = await conn.execute_fetchall("PRAGMA auto_vacuum")
    if freeing != INCREMENTAL:  # setting it again would wait for whoever writes
        await conn.execute_fetchall(f"PRAGMA auto_vacuum = {INCREMENTAL}")  # decided with the first table
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
