"""What a stored document is made of: the titles of its parts, or the columns of its table."""

import asyncio
from collections.abc import Sequence

from docqa import store
from docqa.formats.names import OF_ROWS
from docqa.ingest.outline import TITLED, outline_of_pages
from docqa.languages import phrase
from docqa.store.documents import StoredDocument
from docqa.store.sql import Connection
from docqa.store.table_overview import ColumnOverview, table_overviews

TABLES = 5  # of a workbook that are told
COLUMNS = 4  # titles take as much room as what a column holds


async def outline(conn: Connection, document: StoredDocument, language: str, most: int) -> str:
    """What a document is made of, in a sentence or two in this language, "" where that is not known: the columns of its
    table, its chapters, else the titles that its maker gave its parts, or those that its text numbers."""
    if document.kind in OF_ROWS:
        return await table_of(conn, document, language, most // COLUMNS)
    pages = await store.documents.pages(conn, document.id)
    titled_parts = document.kind in TITLED
    sections = [chunk.section for chunk in await store.notes.headed_chunks(conn, document.id)] if titled_parts else []
    return await asyncio.to_thread(outline_of_pages, document, pages, sections, language, most)


async def table_of(conn: Connection, document: StoredDocument, language: str, most: int) -> str:
    """What a document of tables holds: of its first tables their rows and columns, from where to where dates and
    numbers go, and the values of columns with a few, of up to `most` columns; "" where it was not understood as a
    table."""
    overviews = await table_overviews(conn, document.id, TABLES)
    parts = [_of_columns(overview.columns, language, most if len(overviews) == 1 else 0) for overview in overviews]
    if len(overviews) > 1:
        parts = [f"{overview.sheet}: {part}" for overview, part in zip(overviews, parts, strict=True)]
    return " ".join(parts)


def _of_columns(columns: Sequence[ColumnOverview], language: str, most: int) -> str:
    rows = max(column.rows for column in columns)
    names = ", ".join(column.name for column in columns)
    sentences = [phrase("phrases.about.rows", language).format(rows=f"{rows:,}", columns=len(columns), names=names)]
    for column in columns:
        if column.values:
            text = phrase("phrases.about.values", language).format(column=column.name, values=", ".join(column.values))
            sentences.append(text)
        elif column.low != column.high:
            text = phrase("phrases.about.spread", language)
            sentences.append(text.format(column=column.name, low=column.low, high=column.high))
    return " ".join(sentences[: 1 + most])
