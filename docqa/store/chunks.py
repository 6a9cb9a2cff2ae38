"""Chunks of documents.

`documents` are row ids; the caller has checked whose they are.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, NamedTuple

from docqa.store.sql import Connection, change, change_many, fetch_all
from docqa.text import packed_terms
from docqa.text.blocks import Block, blocks_of, clipped, packed, unpacked_within


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
    """A chunk as it is stored; `document` is a row id, `stored_terms` are packed or separated by spaces, `start` is its
    offset in the text of the page."""

    id: int
    document: int
    page_number: int
    section: str
    columns: str
    text: str
    stored_terms: str
    start: int = 0

    @property
    def terms(self) -> str:
        """Its terms, separated by spaces."""
        return packed_terms.unpacked(self.stored_terms)


class Hit(NamedTuple):
    """A chunk that was found, by its id; `document` is a row id."""

    id: int
    document: int


@dataclass(frozen=True)
class Beside:
    """The texts before and after a chunk on its page, "" where there is none, and what separates them from it."""

    before: str
    gap_before: str
    gap_after: str
    after: str


# Inserted by one statement: before each one the full-text index writes down what it has, a segment of its own.
AT_ONCE = 200
_INSERTED = "document, page_number, start, length, section, columns, text, terms"
_PLACES = ", ".join("?" * len(_INSERTED.split()))
CHUNK = """c.id, c.document, c.page_number, c.section, c.columns, c.text,
           (SELECT terms FROM stored_chunk WHERE id = c.id), c.start"""


def is_verbatim(document: str, page_number: str, start: str, length: str, text: str) -> str:
    """SQL for whether a page has this text from `start` on: then it is not stored twice."""
    return f"""EXISTS (SELECT 1 FROM page p WHERE p.document = {document} AND p.page_number = {page_number}
                       AND substr(p.text, {start} + 1, {length}) = {text})"""


async def add_chunks(conn: Connection, document: int, chunks: Iterable[tuple[Chunk, str]]) -> None:
    """Add chunks of pages that are stored, each with its terms separated by spaces or packed; they are read one by
    one, in the connection's thread."""
    same = is_verbatim("g.document", "g.page_number", "g.start", "g.length", "g.text")
    sql = f"""WITH given ({_INSERTED}) AS (VALUES {", ".join([f"({_PLACES})"] * AT_ONCE)})
              INSERT INTO stored_chunk ({_INSERTED})
              SELECT document, page_number, start, length, section, columns, iif({same}, '', g.text), terms
              FROM given g WHERE document IS NOT NULL"""
    rows = (
        (document, c.page_number, c.start, len(c.text), c.section, c.columns, c.text, packed_terms.packed(terms))
        for c, terms in chunks
    )
    await change_many(conn, sql, _together(rows))
    await _count(conn, document)


def _together(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """The values of AT_ONCE rows each, of the last ones filled up with NULL."""
    while values := tuple(chain.from_iterable(islice(rows, AT_ONCE))):
        yield values + (None,) * (AT_ONCE * len(_INSERTED.split()) - len(values))


async def _count(conn: Connection, document: int) -> None:
    sql = "UPDATE any_document SET chunks = (SELECT count(*) FROM stored_chunk WHERE document = ?1) WHERE id = ?1"
    await change(conn, sql, document)


async def replace_page(conn: Connection, document: int, page_number: int, chunks: Sequence[tuple[Chunk, str]]) -> None:
    """Replace the chunks of a page that was read again, and whose new text is stored."""
    await change(conn, "DELETE FROM stored_chunk WHERE document = ? AND page_number = ?", document, page_number)
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


async def by_id(conn: Connection, chunks: Iterable[int]) -> dict[int, StoredChunk]:
    """These chunks by id; one that has been deleted is left out."""
    sql = f"SELECT {CHUNK} FROM chunk c WHERE id IN (SELECT value FROM json_each(?))"
    return {row[0]: StoredChunk(*row) for row in await fetch_all(conn, sql, json.dumps(list(chunks)))}


async def page_chunks(conn: Connection, document: int, pages: Iterable[int]) -> list[StoredChunk]:
    """The chunks of these pages of a document, in its order."""
    sql = f"""SELECT {CHUNK} FROM chunk c WHERE document = ? AND page_number IN (SELECT value FROM json_each(?))
              ORDER BY page_number, start"""
    return [StoredChunk(*row) for row in await fetch_all(conn, sql, document, json.dumps(sorted(pages)))]


async def page_hits(conn: Connection, document: int, pages: Iterable[int]) -> list[Hit]:
    """The same by their ids alone."""
    sql = """SELECT id, document FROM stored_chunk
             WHERE document = ? AND page_number IN (SELECT value FROM json_each(?)) ORDER BY page_number, start"""
    return [Hit(*row) for row in await fetch_all(conn, sql, document, json.dumps(sorted(pages)))]


async def blocks(conn: Connection, texts: Mapping[int, str]) -> dict[int, tuple[Block, ...]]:
    """The blocks of each chunk by id, in the coordinates of its text; `texts` are those of the chunks by id.

    Pages that were stored before there were blocks get those that their text shows.
    """
    sql = """SELECT c.id, p.rowid, c.start
             FROM stored_chunk c JOIN page p ON p.document = c.document AND p.page_number = c.page_number
             WHERE c.id IN (SELECT value FROM json_each(?))"""
    placed = await fetch_all(conn, sql, json.dumps(list(texts)))
    sql = (
        "SELECT rowid, blocks, iif(blocks IS NULL, text, '') FROM page WHERE rowid IN (SELECT value FROM json_each(?))"
    )
    rows = await fetch_all(conn, sql, json.dumps(sorted({page for _, page, _ in placed})))
    stored = {page: packed(blocks_of(text)) if blocks is None else blocks for page, blocks, text in rows}
    return {
        id_: clipped(texts[id_], unpacked_within(stored[page], start, start + len(texts[id_])), start)
        for id_, page, start in placed
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
