"""All that is stored of a document, made in the child that reads it: pages, chunks with their search terms, tables, and
its language. A record is what the store takes, as JSON; what would be repeated in many of them is cut."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from operator import itemgetter
from typing import Any

from docqa.formats.columns import Row, Table
from docqa.formats.names import OF_ROWS
from docqa.formats.page_tables import PageText, page_tables
from docqa.formats.pages import ExtractedPage, Reading
from docqa.ingest.chunking import chunk_terms, chunks, columns_below
from docqa.store.chunks import Chunk
from docqa.store.documents import page_row
from docqa.text.detect import detect
from docqa.text.recurring_names import recurring_names

Record = tuple[str, Sequence[Any]]  # its kind, "page", "chunk", "table", "column", "row" or "value", and its fields

LONGEST_TITLE = 500  # of a table, and of the line before it
LONGEST_LABEL = 200  # of what stands above a row


def of_document(document: Reading, about: dict[str, Any]) -> Iterator[Record]:
    """The records of a document. Afterwards `about` holds what is known of the whole. Raises as its pages do."""
    texts: list[PageText] = []
    pieces: list[str] = []
    of_rows = document.kind in OF_ROWS
    columns = ""  # of the table in which the page before ends
    for number, page in enumerate(document.pages, 1):
        yield "page", page_row(number, page)
        for chunk, terms in with_terms(page_chunks(number, page, columns)):
            yield "chunk", (chunk.page_number, chunk.start, chunk.text, chunk.section, chunk.columns, terms)
            pieces.append(chunk.text)
        is_searched = not of_rows and bool(page.text.strip())
        texts.append(PageText(number, page.text, page.grids, _headings(page)) if is_searched else PageText(number, ""))
        columns = columns_below(page.text, page.blocks, columns)
        yield from (_row(number, row) for row in page.rows if of_rows)
    if of_rows:
        yield from _tables(document.tables)
        about["recurring_names"] = []
    else:
        yield from of_tables(texts, about)
    about |= {"kind": document.kind, "title": document.title, "properties": asdict(document.properties)}
    about |= {"notes": document.notes, "language": main_language(pieces), "pages": len(texts)}


def _headings(page: ExtractedPage) -> list[int]:
    """Where the lines of column headings begin."""
    return [block.start for block in page.blocks if block.kind == "row" and block.level]


def of_tables(pages: Sequence[PageText], about: dict[str, Any]) -> Iterator[Record]:
    """The records of the tables in the text of these pages; `about` gets the names on many of them."""
    tables, rows = page_tables(pages)
    yield from _tables(tables)
    yield from (_row(number, row) for number, row in rows)
    about["recurring_names"] = recurring_names([page.text for page in pages])


def _tables(tables: Iterable[Table]) -> Iterator[Record]:
    for number, table in enumerate(tables):
        headings = json.dumps(table.headings, ensure_ascii=False)
        title, before = table.title[:LONGEST_TITLE], table.before[:LONGEST_TITLE]
        yield "table", (number, table.name, headings, title, before, table.scale)
        for place, column in enumerate(table.columns):
            yield "column", (number, place, column.name, column.kind, column.unit, column.decimals, column.is_year)
        for place, key, value in sorted(table.values, key=itemgetter(1, 0, 2)):
            yield "value", (number, key, place, value)


def _row(number: int, row: Row) -> Record:
    above = row.above[:LONGEST_LABEL]
    return "row", (row.table, number, row.start, row.end, row.values or None, row.cells or None, above)


def page_chunks(page_number: int, page: ExtractedPage, above: str = "") -> list[Chunk]:
    """The chunks of an extracted page, none of a blank one; `above` are the column headings of the table in which the
    page before ends."""
    if not page.text.strip():
        return []
    return chunks(page_number, page.text, page.section, page.headings, page.tables, page.blocks or None, above)


def with_terms(pieces: Sequence[Chunk]) -> list[tuple[Chunk, str]]:
    """Each chunk with its search terms."""
    return [(chunk, chunk_terms(chunk.section, chunk.columns, chunk.text)) for chunk in pieces]


def main_language(texts: Iterable[str]) -> str:
    """The ISO 639-1 code of the language that most of the texts are in; "" if that is unclear."""
    return detect("\n".join(texts))
