"""The tables of a document, for storing: those that its reader tells, else those in the text of its pages.

Documents that were stored before their tables were, and those with pages that were recognised since, are read again.
"""

import asyncio
from collections.abc import Iterable, Sequence

from docqa import store
from docqa.formats.columns import Row, Table
from docqa.formats.names import OF_ROWS
from docqa.formats.page_tables import page_tables
from docqa.formats.pages import Extracted
from docqa.store.database import Database
from docqa.text.recurring_names import recurring_names

# The tables, (page number, row) of all their rows, and the names on many pages.
Tables = tuple[Sequence[Table], Iterable[tuple[int, Row]], Sequence[str]]


def tables_of(extracted: Extracted) -> Tables:
    """The tables of a document that has just been read."""
    if extracted.kind in OF_ROWS:
        rows = ((number, row) for number, page in enumerate(extracted.pages, 1) for row in page.rows)
        return extracted.tables, rows, ()
    return _of_texts([(number, page.text) for number, page in enumerate(extracted.pages, 1)])


def _of_texts(pages: Sequence[tuple[int, str]]) -> Tables:
    return *page_tables(pages), recurring_names([text for _, text in pages])


async def store_missing_tables(db: Database) -> None:
    """Store the tables of all documents that have none stored yet, one after the other."""
    document: int | None = 0
    while document is not None:
        async with db.read() as conn:
            document = await store.document_tables.next_without_tables(conn, document)
        if document is not None:
            await store_tables(db, document)


async def store_tables(db: Database, document: int) -> None:
    """Store the tables in the text of a document's pages, unless they are stored."""
    async with db.read() as conn:
        if await store.document_tables.latest_table(conn, document) is not None:
            return
        length = await store.document_tables.text_length(conn, document)
        pages = await store.document_tables.page_texts(conn, document)
    tables = await asyncio.to_thread(_of_texts, pages)
    async with db.write() as conn:
        if await store.document_tables.text_length(conn, document) == length:  # else it has been deleted, or read on
            await store.document_tables.replace_tables(conn, document, *tables)
