"""The tables of documents that were stored before their tables were, and of those with pages that were recognised
since: their pages are read again, in a child process."""

import logging

from docqa import store
from docqa.errors import ChildDied, Unreadable
from docqa.ingest.prepared import Prepared
from docqa.ingest.queue import Intake

log = logging.getLogger(__name__)


async def store_missing_tables(intake: Intake) -> None:
    """Store the tables of all documents that have none stored yet, one after the other."""
    document: int | None = 0
    while document is not None:
        async with intake.db.read() as conn:
            document = await store.document_tables.next_without_tables(conn, document)
        if document is not None:
            await store_tables(intake, document)


async def store_tables(intake: Intake, document: int) -> None:
    """Store the tables in the text of a document's pages, unless they are stored."""
    async with intake.db.read() as conn:
        if await store.document_tables.latest_table(conn, document) is not None:
            return
        length = await store.document_tables.text_length(conn, document)
        pages = await store.document_tables.page_texts(conn, document)
    try:
        prepared = await intake.reading.tables(pages, f"the tables of document {document}")
    except (Unreadable, ChildDied) as error:
        log.warning("document %d is without its tables: %s", document, error)
        prepared = Prepared()
    with prepared:
        async with intake.db.write() as conn:
            if await store.document_tables.text_length(conn, document) == length:  # else deleted, or read on
                await store.document_tables.replace_tables(conn, document, prepared.tables())
