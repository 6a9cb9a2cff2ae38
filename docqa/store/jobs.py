"""The queue of background work: documents with work left, and their scanned pages."""

import json
from collections.abc import Iterable, Sequence

from docqa.store.documents import StoredDocument, stored_columns
from docqa.store.sql import Connection, change, change_many, fetch_all, fetch_one
from docqa.text.blocks import Block, packed

# A page of a document that has not been deleted meanwhile.
_STORED_PAGE = "document = ? AND page_number = ? AND document IN (SELECT id FROM document)"
SMALL = 10  # pages: what is done in some seconds does not wait for what takes minutes


async def indexing(conn: Connection) -> int:
    """How many documents have background work left."""
    [(count,)] = await fetch_all(conn, "SELECT count(*) FROM document WHERE state = 'indexing'")
    return int(count)


async def in_work(conn: Connection, documents: Iterable[int]) -> frozenset[int]:
    """Those of the documents that have background work left."""
    sql = "SELECT id FROM document WHERE state = 'indexing' AND id IN (SELECT value FROM json_each(?))"
    return frozenset(row[0] for row in await fetch_all(conn, sql, json.dumps(list(documents))))


async def next_indexing(conn: Connection, wanted: Sequence[int] = ()) -> StoredDocument | None:
    """The next document with work left: of the `wanted` ones the first, else those without scanned pages before the
    others, of them small ones before large ones, and then the oldest."""
    scans = "EXISTS (SELECT 1 FROM page WHERE document = document.id AND scan = 'waiting')"
    sql = f"""SELECT {stored_columns()} FROM document LEFT JOIN (SELECT key AS place, value AS wanted FROM json_each(?))
              ON wanted = document.id WHERE state = 'indexing'
              ORDER BY place IS NULL, place, {scans}, pages > {SMALL}, document.id LIMIT 1"""
    row = await fetch_one(conn, sql, json.dumps(wanted))
    return StoredDocument(*row) if row else None


async def next_scan(conn: Connection, document: int) -> int | None:
    """The number of the first scanned page that waits for text recognition."""
    sql = "SELECT page_number FROM page WHERE document = ? AND scan = 'waiting' ORDER BY page_number LIMIT 1"
    row = await fetch_one(conn, sql, document)
    return row[0] if row else None


async def set_scan(conn: Connection, document: int, page_number: int, text: str, blocks: Sequence[Block]) -> bool:
    """Store what was read on a scanned page, and have the document summarised and its tables stored again. False if it
    has been deleted."""
    sql = f"UPDATE page SET text = ?, blocks = ?, scan = '', recognised = 1 WHERE {_STORED_PAGE}"
    updated = await change(conn, sql, text, packed(blocks), document, page_number)
    await change(conn, "UPDATE any_document SET summary = '', tables_stored = 0 WHERE id = ?", document)
    return bool(updated)


async def give_up_scan(conn: Connection, document: int, page_number: int) -> None:
    """Mark a scanned page on which nothing was read."""
    await change(conn, "UPDATE page SET scan = 'failed' WHERE document = ? AND page_number = ?", document, page_number)


async def count_scans(conn: Connection, document: int) -> int:
    """How many scanned pages of a document have not been read."""
    [(count,)] = await fetch_all(conn, "SELECT count(*) FROM page WHERE document = ? AND scan != ''", document)
    return int(count)


async def next_pictures(conn: Connection) -> tuple[StoredDocument, int] | None:
    """(document, page_number) of the first page whose pictures wait, of a document without other work."""
    sql = f"""SELECT {stored_columns("d")}, p.page_number FROM page p JOIN document d ON d.id = p.document
              WHERE p.pictures > 0 AND d.state = 'ready' ORDER BY p.document, p.page_number LIMIT 1"""
    row = await fetch_one(conn, sql)
    return (StoredDocument(*row[:-1]), row[-1]) if row else None


async def set_pictures(
    conn: Connection, document: int, page_number: int, text: str = "", blocks: Sequence[Block] = ()
) -> bool:
    """Store a page with what stands on its pictures, or only that they were read. False if it has been deleted.

    After the last page of a document it is queued again, for the vectors of the passages that came.
    """
    if text:
        sql = f"UPDATE page SET text = ?, blocks = ?, recognised = 1 WHERE {_STORED_PAGE}"
        await change(conn, sql, text, packed(blocks), document, page_number)
    sql = f"UPDATE page SET pictures = 0 WHERE {_STORED_PAGE}"
    updated = await change(conn, sql, document, page_number)
    if await fetch_one(conn, "SELECT 1 FROM page WHERE document = ? AND pictures > 0 LIMIT 1", document) is None:
        await resume_documents(conn, [document])
    return bool(updated)


async def has_recognised(conn: Connection, document: int) -> bool:
    """Whether text of a document was read by text recognition."""
    return bool(await fetch_one(conn, "SELECT 1 FROM page WHERE document = ? AND recognised LIMIT 1", document))


async def describe_document(conn: Connection, document: int, summary: str, language: str) -> None:
    """Store what the background work found a document to say, and in which language."""
    await change(conn, "UPDATE any_document SET summary = ?, language = ? WHERE id = ?", summary, language, document)


async def finish_document(conn: Connection, document: int, state: str, message: str) -> None:
    """Nothing is left to do for a document; `state` is `ready` or `failed`, with a message."""
    await change(conn, "UPDATE any_document SET state = ?, message = ? WHERE id = ?", state, message, document)


async def resume_failed(conn: Connection) -> None:
    """Queue the documents that failed in an earlier run."""
    await change(conn, "UPDATE any_document SET state = 'indexing', message = '' WHERE state = 'failed'")


async def resume_scans(conn: Connection) -> None:
    """Queue the documents with scanned pages that were added while there was no text recognition."""
    scanned = "SELECT document FROM page WHERE scan = 'waiting'"
    await change(conn, f"UPDATE any_document SET state = 'indexing', message = '' WHERE id IN ({scanned})")


async def retry_scans(conn: Connection) -> None:
    """Queue all scanned pages that were not read, as after data for a further language came."""
    await change(conn, "UPDATE page SET scan = 'waiting' WHERE scan = 'failed'")
    await resume_scans(conn)


async def resume_documents(conn: Connection, documents: Iterable[int]) -> None:
    """Queue documents again."""
    await change_many(conn, "UPDATE any_document SET state = 'indexing' WHERE id = ?", [(id_,) for id_ in documents])
