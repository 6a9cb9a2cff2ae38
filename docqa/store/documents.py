"""Documents, their files and pages."""

import json
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from docqa import records, store
from docqa.errors import Forbidden, NotFound
from docqa.formats.pages import ExtractedPage
from docqa.store.access import READABLE, refuse
from docqa.store.filters import Filters
from docqa.store.sql import BIGGEST, Connection, change_many, fetch_all, fetch_one, insert, now
from docqa.text.blocks import Block, packed, stored_blocks


@dataclass(frozen=True)
class StoredDocument:
    """A document as the program knows it: `id` is the row, `doc_id` the public name.

    `title`, `author` and `dated`, an ISO 8601 date, are what the file says of itself, "" where it says nothing;
    `created` is when it was added. `has_tables`: some were found in it, or have yet to be looked for.
    """

    id: int
    doc_id: str
    name: str
    kind: str
    language: str
    pages: int
    summary: str
    title: str = ""
    author: str = ""
    dated: str = ""
    created: str = ""
    has_tables: bool = True


@dataclass(frozen=True)
class StoredPage:
    """The text of a page and the blocks it is made of."""

    number: int
    text: str
    blocks: tuple[Block, ...]


_COLUMNS = ("id", "doc_id", "name", "kind", "language", "pages", "summary", "title", "author", "dated", "created")
NEXT = "(SELECT id + 1 FROM main.last_document)"  # the row id of a new document


def stored_columns(table: str = "document") -> str:
    """What a StoredDocument is made of, selected from the table or view of documents that is so called."""
    tables = f"EXISTS (SELECT 1 FROM document_table WHERE document_table.document = {table}.id)"
    return ", ".join([*(f"{table}.{column}" for column in _COLUMNS), f"NOT {table}.tables_stored OR {tables}"])


async def document_with_bytes(conn: Connection, account: int, sha256: bytes) -> str | None:
    """The doc_id of the account's document with these bytes."""
    row = await fetch_one(conn, "SELECT doc_id FROM document WHERE account = ? AND sha256 = ?", account, sha256)
    return row[0] if row else None


async def add_document(
    conn: Connection,
    account: int,
    *,
    doc_id: str,
    name: str,
    kind: str,
    sha256: bytes,
    language: str,
    pages: int,
    notes: str,
    title: str = "",
    author: str = "",
    dated: str = "",
) -> int:
    """The row id of a new document, in the state `indexing`; `notes` say what its reader had to leave out."""
    sql = f"""INSERT INTO any_document (id, doc_id, account, name, kind, sha256, language, pages, created, state, notes,
                                    title, author, dated)
              VALUES ({NEXT}, ?, ?, ?, ?, ?, ?, ?, ?, 'indexing', ?, ?, ?, ?)"""
    about = title, author, dated
    return await insert(conn, sql, doc_id, account, name, kind, sha256, language, pages, now(), notes, *about)


async def add_original(
    conn: Connection, document: int, media_type: str, url: str | None, size: int, pieces: AsyncIterable[bytes]
) -> None:
    """Store the file as it was uploaded or fetched, of `size` bytes; `url` is None for an upload."""
    sql = "INSERT INTO original (document, media_type, url, size) VALUES (?, ?, ?, ?)"
    await insert(conn, sql, document, media_type, url, size)
    start = 0
    async for piece in pieces:
        sql = "INSERT INTO original_piece (document, start, bytes) VALUES (?, ?, ?)"
        await insert(conn, sql, document, start, piece)
        start += len(piece)


class PageRow(NamedTuple):
    """A page as it is stored; `scan` is "waiting" for one that waits for text recognition, `pictures` how many of its
    pictures do."""

    number: int
    section: str
    text: str
    scan: str
    blocks: str
    pictures: int


def page_row(number: int, page: ExtractedPage) -> PageRow:
    """What is stored of an extracted page with this number, from 1."""
    scan = "waiting" if page.unread else ""
    return PageRow(number, page.section, page.text, scan, packed(page.blocks), page.pictures)


async def add_pages(conn: Connection, document: int, pages: Iterable[PageRow]) -> None:
    """Store the pages of a document, which are read one by one."""
    sql = "INSERT INTO page (document, page_number, section, text, scan, blocks, pictures) VALUES (?, ?, ?, ?, ?, ?, ?)"
    await change_many(conn, sql, ((document, *page) for page in pages))


async def fitting(conn: Connection, documents: Sequence[StoredDocument], filters: Filters) -> list[StoredDocument]:
    """Those of the documents that fit, in their order."""
    fit, values = filters.condition()
    sql = f"SELECT id FROM document WHERE id IN (SELECT value FROM json_each(?)) AND {fit}"
    ids = json.dumps([document.id for document in documents])
    chosen = {id_ for (id_,) in await fetch_all(conn, sql, ids, *values)}
    return [document for document in documents if document.id in chosen]


async def languages(conn: Connection) -> dict[str, int]:
    """How many documents, of all accounts, are in each language, most first; those of unknown language are left out."""
    sql = """SELECT language, count(*) FROM document WHERE language != ''
             GROUP BY language ORDER BY count(*) DESC, language"""
    return {row[0]: row[1] for row in await fetch_all(conn, sql)}


async def scanned_languages(conn: Connection) -> dict[str, int]:
    """As `languages`, of the documents with pages that text recognition has read or is to read, pictures among them."""
    sql = """SELECT language, count(*) FROM document WHERE language != '' AND (kind = 'image' OR EXISTS (
                 SELECT 1 FROM page WHERE document = document.id AND (scan != '' OR recognised)))
             GROUP BY language ORDER BY count(*) DESC, language"""
    return {row[0]: row[1] for row in await fetch_all(conn, sql)}


async def stored_document(conn: Connection, account: int, doc_id: str) -> StoredDocument:
    """The document of this doc_id, which the account may read. Raises NotFound."""
    row = await fetch_one(
        conn, f"SELECT {stored_columns()} FROM document WHERE doc_id = ?2 AND {READABLE}", account, doc_id
    )
    if row is None:
        raise NotFound("Document not found")
    return StoredDocument(*row)


async def stored_documents(conn: Connection, account: int, doc_ids: Iterable[str]) -> list[StoredDocument]:
    """The documents in the given order, each once. Raises NotFound when the account may not read one of them."""
    return [await stored_document(conn, account, doc_id) for doc_id in dict.fromkeys(doc_ids)]


async def own_documents(conn: Connection, account: int, doc_ids: Iterable[str]) -> list[StoredDocument]:
    """The same, of the account's own documents. Raises NotFound, and Forbidden for one that it may only read."""
    documents = await stored_documents(conn, account, doc_ids)
    sql = "SELECT id FROM document WHERE account = ? AND id IN (SELECT value FROM json_each(?))"
    ids = json.dumps([document.id for document in documents])
    own = {id_ for (id_,) in await fetch_all(conn, sql, account, ids)}
    for document in documents:
        if document.id not in own:
            await refuse(conn, account, document.doc_id)
    return documents


async def document_with_original(conn: Connection, account: int, doc_id: str) -> StoredDocument:
    """A document whose file the account may have. Raises NotFound, and Forbidden where it may read the text alone."""
    document = await stored_document(conn, account, doc_id)
    sql = """SELECT 1 FROM document WHERE id = ?1 AND account = ?2
             UNION ALL SELECT 1 FROM shared_document WHERE document = ?1 AND reader = ?2 AND originals"""
    if await fetch_one(conn, sql, document.id, account) is None:
        raise Forbidden(f"{document.name} was shared with you without its file: you may read its text and pages.")
    return document


async def document_status(conn: Connection, account: int, doc_id: str) -> records.DocumentStatus:
    """How far the background work on a document is. Raises NotFound."""
    sql = f"""SELECT doc_id, state, pages, (SELECT count(*) FROM page WHERE document = document.id AND scan != ''),
                     (SELECT count(*) FROM chunk WHERE document = document.id), trim(notes || ' ' || message), id
              FROM document WHERE doc_id = ?2 AND {READABLE}"""
    row = await fetch_one(conn, sql, account, doc_id)
    if row is None:
        raise NotFound("Document not found")
    doc_id, state, pages, unread, chunks, message, id_ = row
    embedded = await store.vectors.count_embedded(conn, id_)
    return records.DocumentStatus(doc_id, state, pages, unread, chunks, embedded, message)


async def origin(conn: Connection, document: int) -> tuple[str, str]:
    """(the media type that the file came with, where it was fetched from or "" for an upload)."""
    row = await fetch_one(conn, "SELECT media_type, coalesce(url, '') FROM original WHERE document = ?", document)
    assert row is not None, "a document is written together with its bytes"
    return row[0], row[1]


async def original_pieces(conn: Connection, document: int) -> AsyncGenerator[bytes, None]:
    """The bytes of the file as it was uploaded, piece by piece; who reads them holds a transaction, and so takes them
    at once."""
    sql = "SELECT bytes FROM original_piece WHERE document = ? ORDER BY start"
    async with conn.execute(sql, (document,)) as cursor:
        while row := await cursor.fetchone():
            yield row[0]


async def page_text(conn: Connection, document: int, page_number: int) -> str:
    """The text of a page. Raises NotFound."""
    row = await fetch_one(
        conn, "SELECT text FROM page WHERE document = ? AND page_number = ?", document, min(page_number, BIGGEST)
    )
    if row is None:
        raise NotFound("Page not found")
    return str(row[0])


async def pages_with(conn: Connection, document: int, word: str, most: int) -> list[tuple[int, str]]:
    """(page number, text) of up to `most` pages of a document whose text holds `word` as it stands, in order."""
    sql = "SELECT page_number, text FROM page WHERE document = ? AND instr(text, ?) ORDER BY page_number LIMIT ?"
    return [(row[0], row[1]) for row in await fetch_all(conn, sql, document, word, most)]


async def first_pages(conn: Connection, document: int, characters: int) -> list[tuple[int, str, str | None]]:
    """(page number, text, packed blocks) of a document's pages until they have about so many characters."""
    sql = """SELECT page_number, text, blocks FROM (
                 SELECT page_number, text, blocks, total(length(text)) OVER (ORDER BY page_number) AS passed
                 FROM page WHERE document = ?) WHERE passed - length(text) <= ?"""
    return [(row[0], row[1], row[2]) for row in await fetch_all(conn, sql, document, characters)]


async def stored_page(conn: Connection, document: int, page_number: int) -> StoredPage | None:
    """A page with its blocks; None where there is none."""
    sql = "SELECT text, blocks FROM page WHERE document = ? AND page_number = ?"
    row = await fetch_one(conn, sql, document, page_number)
    return StoredPage(page_number, row[0], stored_blocks(*row)) if row else None


async def page_blocks(conn: Connection, document: int, page_numbers: Iterable[int]) -> dict[int, tuple[Block, ...]]:
    """The blocks of these pages by page number, without pages that there are not.

    Pages that were stored before there were blocks get those that their text shows.
    """
    sql = """SELECT page_number, text, blocks FROM page
             WHERE document = ? AND page_number IN (SELECT value FROM json_each(?))"""
    rows = await fetch_all(conn, sql, document, json.dumps(sorted(page_numbers)))
    return {number: stored_blocks(text, blocks) for number, text, blocks in rows}


async def pages(conn: Connection, document: int) -> list[StoredPage]:
    """All pages of a document with their blocks, in order."""
    sql = "SELECT page_number, text, blocks FROM page WHERE document = ? ORDER BY page_number"
    rows = await fetch_all(conn, sql, document)
    return [StoredPage(number, text, stored_blocks(text, blocks)) for number, text, blocks in rows]
