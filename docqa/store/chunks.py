"""Chunks of documents and full-text search in them.

`documents` are row ids; the caller has checked whose they are.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aiosqlite import Connection

from docqa.store.sql import change, change_many, fetch_all, quoted
from docqa.text.blocks import Block, clipped, stored_blocks


@dataclass(frozen=True)
class Chunk:
    """A passage of a page, `page_text[start : start + len(text)]`.

    `columns` are the column headings of a table that was cut before this chunk.
    """

    page_number: int
    start: int
    text: str
    section: str = ""
    columns: str = ""


@dataclass(frozen=True)
class StoredChunk:
    """A chunk as it is stored; `document` is a row id, `terms` are separated by spaces, `start` is its offset in the
    text of the page."""

    id: int
    document: int
    page_number: int
    section: str
    columns: str
    text: str
    terms: str
    start: int = 0


@dataclass(frozen=True)
class Beside:
    """The texts before and after a chunk on its page, "" where there is none, and what separates them from it."""

    before: str
    gap_before: str
    gap_after: str
    after: str


CHUNK = "c.id, c.document, c.page_number, c.section, c.columns, c.text, c.terms, c.start"


async def add_chunks(conn: Connection, document: int, chunks: Iterable[tuple[Chunk, str]]) -> None:
    """Add chunks, each with its terms separated by spaces; they are read one by one."""
    sql = "INSERT INTO chunk (document, page_number, start, section, columns, text, terms) VALUES (?, ?, ?, ?, ?, ?, ?)"
    rows = (
        (document, chunk.page_number, chunk.start, chunk.section, chunk.columns, chunk.text, terms)
        for chunk, terms in chunks
    )
    await change_many(conn, sql, rows)


async def replace_page(conn: Connection, document: int, page_number: int, chunks: Sequence[tuple[Chunk, str]]) -> None:
    """Replace the chunks of a page that was read again."""
    await change(conn, "DELETE FROM chunk WHERE document = ? AND page_number = ?", document, page_number)
    await add_chunks(conn, document, chunks)


async def chunks(conn: Connection, document: int) -> list[StoredChunk]:
    """All chunks of a document, in its order."""
    return [
        StoredChunk(*row)
        for row in await fetch_all(
            conn, f"SELECT {CHUNK} FROM chunk c WHERE document = ? ORDER BY page_number, start", document
        )
    ]


async def spread(conn: Connection, document: int, characters: int) -> list[StoredChunk]:
    """All chunks of a document, in its order; of one of more than about so many characters every so many."""
    sql = f"""SELECT {CHUNK} FROM chunk c WHERE document = ?1
              AND c.id % max(1, (SELECT total(length(text)) FROM chunk WHERE document = ?1) / ?2) < 1
              ORDER BY page_number, start"""
    return [StoredChunk(*row) for row in await fetch_all(conn, sql, document, characters)]


async def page_chunks(conn: Connection, document: int, pages: Iterable[int]) -> list[StoredChunk]:
    """The chunks of these pages of a document, in its order."""
    sql = f"""SELECT {CHUNK} FROM chunk c WHERE document = ? AND page_number IN (SELECT value FROM json_each(?))
              ORDER BY page_number, start"""
    return [StoredChunk(*row) for row in await fetch_all(conn, sql, document, json.dumps(sorted(pages)))]


async def blocks(conn: Connection, chunks: Iterable[int]) -> dict[int, tuple[Block, ...]]:
    """The blocks of each of these chunks by id, in the coordinates of its text.

    Pages that were stored before there were blocks get those that their text shows.
    """
    sql = """SELECT c.id, c.start, length(c.text), p.text, p.blocks
             FROM chunk c JOIN page p ON p.document = c.document AND p.page_number = c.page_number
             WHERE c.id IN (SELECT value FROM json_each(?))"""
    rows = await fetch_all(conn, sql, json.dumps(list(chunks)))
    return {
        id_: clipped(page[start : start + length], stored_blocks(page, stored), start)
        for id_, start, length, page, stored in rows
    }


async def beside(conn: Connection, chunks: Iterable[int]) -> dict[int, Beside]:
    """The neighbours of each of these chunks by id. The chunks of a page have consecutive ids, in the page's order."""
    sql = """SELECT c.id,
                    coalesce(b.text, ''),
                    coalesce(substr(p.text, b.start + length(b.text) + 1, c.start - b.start - length(b.text)), ''),
                    coalesce(substr(p.text, c.start + length(c.text) + 1, a.start - c.start - length(c.text)), ''),
                    coalesce(a.text, '')
             FROM chunk c JOIN page p ON p.document = c.document AND p.page_number = c.page_number
             LEFT JOIN chunk b ON b.id = c.id - 1 AND b.document = c.document AND b.page_number = c.page_number
             LEFT JOIN chunk a ON a.id = c.id + 1 AND a.document = c.document AND a.page_number = c.page_number
             WHERE c.id IN (SELECT value FROM json_each(?))"""
    return {row[0]: Beside(*row[1:]) for row in await fetch_all(conn, sql, json.dumps(list(chunks)))}


async def count_chunks(conn: Connection) -> int:
    """The number of chunks in the whole file."""
    [(count,)] = await fetch_all(conn, "SELECT count(*) FROM chunk")
    return int(count)


async def vocabulary(conn: Connection, terms: Sequence[str]) -> dict[str, int]:
    """In how many chunks of the whole file each term occurs; terms in none are left out."""
    sql = "SELECT v.term, v.doc FROM json_each(?) AS j CROSS JOIN chunk_vocabulary v ON v.term = j.value"
    return {row[0]: row[1] for row in await fetch_all(conn, sql, json.dumps(terms))}


async def frequencies(
    conn: Connection, documents: Sequence[int], terms: Sequence[str], most: int
) -> tuple[dict[str, int], int] | None:
    """(in how many chunks of these documents each term occurs, the number of their chunks).

    None where they are spread over more than `most` rows of the file. Chunks of other documents that were added between
    these are counted with them.
    """
    sql = """SELECT min((SELECT min(id) FROM chunk WHERE document = j.value)),
                    max((SELECT max(id) FROM chunk WHERE document = j.value)) FROM json_each(?) AS j"""
    [(first, last)] = await fetch_all(conn, sql, json.dumps(documents))
    if first is None or last - first >= most:
        return None
    sql = """SELECT (SELECT count(*) FROM chunk_fts WHERE chunk_fts MATCH j.value AND rowid BETWEEN ? AND ?)
             FROM json_each(?) AS j"""
    counts = await fetch_all(conn, sql, first, last, json.dumps([quoted(term) for term in terms]))
    return {term: count for term, (count,) in zip(terms, counts, strict=True)}, last - first + 1


async def match_chunks(
    conn: Connection, documents: Sequence[int], match: str, limit: int
) -> list[tuple[StoredChunk, float]]:
    """The best matches of an FTS5 query in these documents with FTS5's BM25 score, best first."""
    sql = f"""SELECT {CHUNK}, -bm25(chunk_fts) AS score
             FROM chunk_fts JOIN chunk c ON c.id = chunk_fts.rowid
             WHERE chunk_fts MATCH ? AND c.document IN (SELECT value FROM json_each(?)) ORDER BY score DESC LIMIT ?"""
    return [
        (StoredChunk(*row[:-1]), row[-1]) for row in await fetch_all(conn, sql, match, json.dumps(documents), limit)
    ]
