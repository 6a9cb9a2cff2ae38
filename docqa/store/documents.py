"""Documents, their files and pages."""

import json
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from aiosqlite import Connection

from docqa import records
from docqa.errors import NotFound, TooLarge
from docqa.formats.pages import ExtractedPage
from docqa.store.filters import DATE, NONE, Filters
from docqa.store.sql import BIGGEST, change, change_many, fetch_all, fetch_one, insert, now
from docqa.store.vectors import count_embedded
from docqa.text.blocks import Block, packed, stored_blocks


@dataclass(frozen=True)
class StoredDocument:
    """A document as the program knows it: `id` is the row, `doc_id` the public name.

    `title`, `author` and `dated`, an ISO 8601 date, are what the file says of itself, "" where it says nothing;
    `created` is when it was added.
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


@dataclass(frozen=True)
class StoredPage:
    """The text of a page and the blocks it is made of."""

    number: int
    text: str
    blocks: tuple[Block, ...]


STORED = "id, doc_id, name, kind, language, pages, summary, title, author, dated, created"
_RECORD = f"name, doc_id, summary, language, pages, shareable, created, kind, {DATE}, tags"


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
    sql = """INSERT INTO any_document (doc_id, account, name, kind, sha256, language, pages, created, state, notes,
                                   title, author, dated)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'indexing', ?, ?, ?, ?)"""
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


async def documents(
    conn: Connection, account: int, page: int, page_size: int, filters: Filters = NONE
) -> records.DocumentList:
    """A page of the account's documents that fit, newest first; pages are numbered from 1."""
    fit, values = filters.condition()
    [(count,)] = await fetch_all(conn, f"SELECT count(*) FROM document WHERE account = ? AND {fit}", account, *values)
    sql = f"""SELECT {_RECORD} FROM document WHERE account = ? AND {fit}
              ORDER BY created DESC, id DESC LIMIT ? OFFSET ?"""
    rows = await fetch_all(conn, sql, account, *values, page_size, min((page - 1) * page_size, BIGGEST))
    return records.DocumentList(-(-count // page_size), [_document(row) for row in rows])


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


def _document(row: tuple[Any, ...]) -> records.Document:
    name, doc_id, summary, language, pages, shareable, created, kind, date, tags = row
    about = kind, date, list(json.loads(tags))
    return records.Document(name, doc_id, summary, language, pages, bool(shareable), created, *about)


async def document(conn: Connection, account: int, doc_id: str) -> records.Document:
    """The account's document of this doc_id. Raises NotFound."""
    row = await fetch_one(conn, f"SELECT {_RECORD} FROM document WHERE account = ? AND doc_id = ?", account, doc_id)
    if row is None:
        raise NotFound("Document not found")
    return _document(row)


async def update_document(
    conn: Connection, account: int, doc_id: str, name: str | None, tags: Iterable[str] | None
) -> None:
    """Give a document another name, and other tags, unless they are None. Raises NotFound."""
    sql = """UPDATE any_document SET name = coalesce(?, name), tags = coalesce(?, tags)
             WHERE account = ? AND doc_id = ? AND NOT deleted"""
    folded = None if tags is None else json.dumps({tag: tag.casefold() for tag in tags})
    if not await change(conn, sql, name, folded, account, doc_id):
        raise NotFound("Document not found")


async def add_tags(conn: Connection, account: int, doc_id: str, tags: Iterable[str], most: int) -> None:
    """Give a document these tags beside its own. Raises NotFound, and TooLarge where it would have more than `most`."""
    known = (await document(conn, account, doc_id)).tags
    together = {tag.casefold(): tag for tag in [*known, *tags]}
    if len(together) > most:
        raise TooLarge(f"The document would have more than {most} tags, the most it may have. It has the ones it had.")
    await update_document(conn, account, doc_id, None, together.values())


async def stored_document(conn: Connection, account: int, doc_id: str) -> StoredDocument:
    """The account's document of this doc_id. Raises NotFound."""
    row = await fetch_one(conn, f"SELECT {STORED} FROM document WHERE account = ? AND doc_id = ?", account, doc_id)
    if row is None:
        raise NotFound("Document not found")
    return StoredDocument(*row)


async def stored_documents(conn: Connection, account: int, doc_ids: Iterable[str]) -> list[StoredDocument]:
    """The documents in the given order, each once. Raises NotFound when one of them is not the account's."""
    return [await stored_document(conn, account, doc_id) for doc_id in dict.fromkeys(doc_ids)]


async def document_status(conn: Connection, account: int, doc_id: str) -> records.DocumentStatus:
    """How far the background work on a document is. Raises NotFound."""
    sql = """SELECT d.doc_id, d.state, d.pages, (SELECT count(*) FROM page WHERE document = d.id AND scan != ''),
                    (SELECT count(*) FROM chunk WHERE document = d.id), trim(d.notes || ' ' || d.message), d.id
             FROM document d WHERE d.account = ? AND d.doc_id = ?"""
    row = await fetch_one(conn, sql, account, doc_id)
    if row is None:
        raise NotFound("Document not found")
    doc_id, state, pages, unread, chunks, message, id_ = row
    return records.DocumentStatus(doc_id, state, pages, unread, chunks, await count_embedded(conn, id_), message)


async def media_type(conn: Connection, document: int) -> str:
    """The media type that the file was uploaded with."""
    row = await fetch_one(conn, "SELECT media_type FROM original WHERE document = ?", document)
    assert row is not None, "a document is written together with its bytes"
    return str(row[0])


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
