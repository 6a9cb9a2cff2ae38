"""What the database file is full of."""

from typing import NamedTuple

from docqa.store.sql import Connection, fetch_all


class Space(NamedTuple):
    """Bytes: the `originals` of all documents, as they were uploaded, and the pages of the file that are `unused`."""

    originals: int
    unused: int


async def space(conn: Connection) -> Space:
    """How the file is used, by what is counted quickly."""
    [(originals,)] = await fetch_all(conn, "SELECT total(size) FROM original")
    [(pages,)] = await fetch_all(conn, "PRAGMA freelist_count")
    [(size,)] = await fetch_all(conn, "PRAGMA page_size")
    return Space(int(originals), int(pages) * int(size))
