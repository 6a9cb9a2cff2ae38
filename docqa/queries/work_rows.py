"""The background work that is left."""

from collections.abc import Iterable

from aiosqlite import Connection

from docqa.queries import change, change_many, fetch_all, fetch_one, insert
from docqa.queries.document_rows import STORED, StoredDocument


async def indexing(conn: Connection) -> int:
    """How many documents have background work left."""
    [(count,)] = await fetch_all(conn, "SELECT count(*) FROM document WHERE state = 'indexing'")
    return int(count)


async def next_indexing(conn: Connection) -> StoredDocument | None:
    """The next document with work left; those with scanned pages come last."""
    scans = "EXISTS (SELECT 1 FROM page WHERE document = document.id AND scan = 'waiting')"
    row = await fetch_one(conn, f"SELECT {STORED} FROM document WHERE state = 'indexing' ORDER BY {scans}, id LIMIT 1")
    return StoredDocument(*row) if row else None


async def next_scan(conn: Connection, document: int) -> tuple[int, bytes] | None:
    """(page_number, the file) of the first scanned page that waits for text recognition."""
    sql = """SELECT page_number, bytes FROM page JOIN original USING (document)
             WHERE document = ? AND scan = 'waiting' ORDER BY page_number LIMIT 1"""
    row = await fetch_one(conn, sql, document)
    return (row[0], row[1]) if row else None


async def set_scan(conn: Connection, document: int, page_number: int, text: str) -> bool:
    """What was read on a scanned page; its document's summary is made anew. False if the document was deleted meanwhile."""
    found = await change(conn, "UPDATE page SET text = ?, scan = '' WHERE document = ? AND page_number = ?", text, document, page_number)
    await change(conn, "UPDATE document SET summary = '' WHERE id = ?", document)
    return bool(found)


async def give_up_scan(conn: Connection, document: int, page_number: int) -> None:
    await change(conn, "UPDATE page SET scan = 'failed' WHERE document = ? AND page_number = ?", document, page_number)


async def count_scans(conn: Connection, document: int) -> int:
    """How many scanned pages of a document have not been read."""
    [(count,)] = await fetch_all(conn, "SELECT count(*) FROM page WHERE document = ? AND scan != ''", document)
    return int(count)


async def finish_document(conn: Connection, document: int, state: str, summary: str, language: str, message: str) -> None:
    sql = "UPDATE document SET state = ?, summary = ?, language = ?, message = ?, examined = 0 WHERE id = ?"
    await change(conn, sql, state, summary, language, message, document)


async def resume_failed(conn: Connection) -> None:
    """What failed in an earlier run is tried again in this one."""
    await change(conn, "UPDATE document SET state = 'indexing', message = '' WHERE state = 'failed'")


async def resume_scans(conn: Connection) -> None:
    """Scanned pages that came while there was no text recognition are read now."""
    await change(conn, "UPDATE document SET state = 'indexing', message = '' WHERE id IN (SELECT document FROM page WHERE scan = 'waiting')")


async def chunks_to_embed(conn: Connection, document: int, limit: int) -> list[tuple[int, str]]:
    """(chunk id, text) of the first chunks without a vector."""
    sql = "SELECT id, text FROM chunk WHERE document = ? AND embedding IS NULL ORDER BY id LIMIT ?"
    return [(row[0], row[1]) for row in await fetch_all(conn, sql, document, limit)]


async def set_embeddings(conn: Connection, embeddings: Iterable[tuple[int, bytes]]) -> None:
    """Vectors by chunk id; a chunk that was deleted meanwhile is passed over."""
    rows = [(vector, chunk) for chunk, vector in embeddings]
    await change_many(conn, "UPDATE chunk SET embedding = ? WHERE id = ?", rows)
    index = "INSERT OR REPLACE INTO chunk_vec (rowid, embedding, document) SELECT id, vec_quantize_binary(embedding), document FROM chunk WHERE id = ?"
    await change_many(conn, index, [(chunk,) for _, chunk in rows])


async def next_unexamined(conn: Connection) -> int | None:
    """The newest document with vectors whose sentences have none; a CSV is asked by SQL and needs none."""
    row = await fetch_one(conn, "SELECT id FROM document WHERE NOT examined AND state = 'ready' AND kind != 'csv' ORDER BY id DESC LIMIT 1")
    return int(row[0]) if row else None


async def chunks_to_examine(conn: Connection, document: int, after: int, limit: int) -> list[tuple[int, str]]:
    """(chunk id, text) of the first chunks beyond the id `after` whose sentences have no vectors."""
    sql = """SELECT c.id, c.text FROM chunk c LEFT JOIN chunk_sentences s ON s.chunk = c.id
             WHERE c.document = ? AND c.id > ? AND s.chunk IS NULL ORDER BY c.id LIMIT ?"""
    return [(row[0], row[1]) for row in await fetch_all(conn, sql, document, after, limit)]


async def set_examined(conn: Connection, document: int) -> None:
    await change(conn, "UPDATE document SET examined = 1 WHERE id = ?", document)


async def set_sentences(conn: Connection, vectors: Iterable[tuple[int, bytes]]) -> None:
    """The vectors of the sentences by chunk id; a chunk that was deleted meanwhile is passed over."""
    await change_many(conn, "INSERT OR IGNORE INTO chunk_sentences (chunk, vectors) SELECT id, ?2 FROM chunk WHERE id = ?1", list(vectors))


async def use_embedding_model(conn: Connection, name: str, sha256: str, dimension: int) -> bool:
    """Note the model that makes the vectors; when it is another than before, all of them are dropped and made anew. True if so."""
    before = await fetch_one(conn, "SELECT name, sha256, dimension FROM embedding_model")
    if before == (name, sha256, dimension):
        changed = False
    else:
        sql = "INSERT OR REPLACE INTO embedding_model (id, name, sha256, dimension) VALUES (1, ?, ?, ?)"
        await insert(conn, sql, name, sha256, dimension)
        await change(conn, "UPDATE chunk SET embedding = NULL WHERE embedding IS NOT NULL")
        await change(conn, "DELETE FROM chunk_sentences")
        await change(conn, "UPDATE document SET examined = 0 WHERE examined")
        await change(conn, "DROP TABLE chunk_vec")
        await change(conn, f"CREATE VIRTUAL TABLE chunk_vec USING vec0 (embedding bit[{dimension}], document integer)")
        changed = before is not None
    # Documents that came while there was no model have chunks without vectors too.
    await change(conn, "UPDATE document SET state = 'indexing' WHERE id IN (SELECT document FROM chunk WHERE embedding IS NULL)")
    return changed
