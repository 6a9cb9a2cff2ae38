"""The tables of documents, read from the text of their pages when a document is first asked, and kept while it is asked
again."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from aiosqlite import Connection

from docqa import store
from docqa.store.documents import StoredDocument
from docqa.tables.lookups.cells import Tables

KEPT = 64  # documents, and sets of them
MOST_DOCUMENTS = 20
MOST_PAGES = 2_000  # of all documents together; reading the tables of 1,000 takes a second, once

# By the doc_ids and the lengths of their texts, which change when a scanned page is recognised.
_kept: OrderedDict[tuple[tuple[str, int], ...], Tables] = OrderedDict()


async def tables_of(conn: Connection, documents: Sequence[StoredDocument]) -> Tables:
    """The tables of these documents; none where they are too many to be read while somebody waits. The rows of a CSV
    are counted, and are not among them."""
    documents = [document for document in documents if document.kind != "csv"]
    if not 0 < len(documents) <= MOST_DOCUMENTS or sum(document.pages for document in documents) > MOST_PAGES:
        return Tables()
    return await _read(conn, documents)


async def _read(conn: Connection, documents: Sequence[StoredDocument]) -> Tables:
    lengths = [await store.tables.text_length(conn, document.id) for document in documents]
    place = tuple((document.doc_id, length) for document, length in zip(documents, lengths, strict=True))
    tables = _kept.get(place)
    if tables is None:
        if len(documents) == 1:
            pages = await store.tables.page_texts(conn, documents[0].id)
            tables = await asyncio.to_thread(Tables.of, documents[0].id, pages)
        else:
            first, *others = [await _read(conn, [document]) for document in documents]
            tables = await asyncio.to_thread(first.joined, others)
    _kept[place] = tables
    _kept.move_to_end(place)
    while len(_kept) > KEPT:
        _kept.popitem(last=False)
    return tables
