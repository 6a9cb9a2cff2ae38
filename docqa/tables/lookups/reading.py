"""The tables of documents, as they were stored, with what finds their rows; kept while a document is asked again.

Those that are not stored yet, of documents from before there were stored tables, are read from the text of the pages.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from docqa import store
from docqa.store.documents import StoredDocument
from docqa.store.sql import Connection
from docqa.tables.lookups.cells import Tables

KEPT = 64  # documents, and sets of them
MOST_DOCUMENTS = 20
MOST_ROWS = 60_000  # of all documents together
MOST_PAGES = 2_000  # whose text is read for it; reading the tables of 1,000 takes a second, once

# By the doc_ids and their latest tables, or the negative lengths of their texts where none are stored yet.
_kept: OrderedDict[tuple[tuple[str, int], ...], Tables] = OrderedDict()


async def tables_of(conn: Connection, documents: Sequence[StoredDocument]) -> Tables:
    """The tables of these documents; none where they are too many to be read while somebody waits. The rows of a CSV
    are counted, and are not among them."""
    documents = [document for document in documents if document.kind != "csv"]
    if not 0 < len(documents) <= MOST_DOCUMENTS:
        return Tables()
    if await store.document_tables.count_rows(conn, [document.id for document in documents]) > MOST_ROWS:
        return Tables()
    return await _read(conn, documents)


async def _read(conn: Connection, documents: Sequence[StoredDocument]) -> Tables:
    place = tuple([(document.doc_id, await _version(conn, document)) for document in documents])
    tables = _kept.get(place)
    if tables is None:
        if len(documents) == 1:
            tables = await _tables(conn, documents[0], place[0][1])
        else:
            first, *others = [await _read(conn, [document]) for document in documents]
            tables = await asyncio.to_thread(first.joined, others)
    _kept[place] = tables
    _kept.move_to_end(place)
    while len(_kept) > KEPT:
        _kept.popitem(last=False)
    return tables


async def _version(conn: Connection, document: StoredDocument) -> int:
    latest = await store.document_tables.latest_table(conn, document.id)
    return latest if latest is not None else -1 - await store.document_tables.text_length(conn, document.id)


async def _tables(conn: Connection, document: StoredDocument, version: int) -> Tables:
    if version >= 0:
        grids, names = await store.document_tables.stored_grids(conn, document.id)
        return await asyncio.to_thread(Tables.stored, document.id, grids, names)
    if document.pages > MOST_PAGES:
        return Tables()
    pages = await store.document_tables.page_texts(conn, document.id)
    return await asyncio.to_thread(Tables.of, document.id, pages)
