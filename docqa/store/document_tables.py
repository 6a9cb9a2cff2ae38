"""The tables of documents: written, and read back as they stand, for look-ups. `tables.py` counts their rows."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from docqa.store.sql import Connection, change, change_many, fetch_all, fetch_one

if TYPE_CHECKING:
    from docqa.formats.grids import Grid  # its import costs more than all of the store's


@dataclass(frozen=True)
class StoredGrid:
    """A table as it stands in its document, with the page number of each of its rows."""

    grid: "Grid"
    page_numbers: tuple[int, ...]


class TableRecords(NamedTuple):
    """The tables of a document, to be read one by one and once; each is counted from 0.

    A table is (number, name, headings as a JSON array, title, before, scale), a column (table, place, name, kind, unit,
    decimals, is_year), a row (table, page number, start, end, values, cells, above), a value (table, key, place,
    value); the fields are those of columns.py, and where there are no values or cells, None. `recurring_names` are
    those on many of the document's pages.
    """

    tables: Iterable[Sequence[Any]]
    columns: Iterable[Sequence[Any]]
    rows: Iterable[Sequence[Any]]
    values: Iterable[Sequence[Any]]
    recurring_names: Sequence[str] = ()


async def replace_tables(conn: Connection, document: int, records: TableRecords) -> None:
    """Store the tables of a document in the place of those that it had."""
    await change(conn, "DELETE FROM document_table WHERE document = ?", document)
    # Given here, so that a hundred thousand tables take one statement; never again those of tables that are gone.
    first = await fetch_one(conn, "SELECT seq + 1 FROM sqlite_sequence WHERE name = 'document_table'")
    base = first[0] if first else 1
    sql = """INSERT INTO document_table (id, document, number, name, headings, title, before, scale)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
    await change_many(conn, sql, ((base + table[0], document, *table) for table in records.tables))
    sql = """INSERT INTO table_column (in_table, place, name, kind, unit, decimals, is_year)
             VALUES (?, ?, ?, ?, ?, ?, ?)"""
    await change_many(conn, sql, ((base + column[0], *column[1:]) for column in records.columns))
    counts: Counter[int] = Counter()

    def numbered() -> Iterator[tuple[object, ...]]:
        for table, *fields in records.rows:
            yield base + table, counts[table], *fields
            counts[table] += 1

    sql = """INSERT INTO table_row (in_table, row, page_number, start, stop, cells, written, above)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
    await change_many(conn, sql, numbered())
    sql = "INSERT INTO table_value (in_table, key, place, value) VALUES (?, ?, ?, ?)"
    await change_many(conn, sql, ((base + value[0], *value[1:]) for value in records.values))
    sql = "UPDATE any_document SET tables_stored = 1, recurring_names = ? WHERE id = ?"
    await change(conn, sql, json.dumps(records.recurring_names, ensure_ascii=False), document)


async def latest_table(conn: Connection, document: int) -> int | None:
    """The id of the last table of a document, 0 where it has none: it changes when they are stored anew. None where
    they have not been stored yet."""
    sql = """SELECT tables_stored, (SELECT coalesce(max(id), 0) FROM document_table WHERE document = d.id)
             FROM document d WHERE id = ?"""
    row = await fetch_one(conn, sql, document)
    return row[1] if row and row[0] else None


async def count_rows(conn: Connection, documents: Sequence[int]) -> int:
    """How many rows of these documents' tables look-ups may read."""
    sql = """SELECT count(*) FROM json_each(?) AS j JOIN document_table t ON t.document = j.value
             JOIN table_row r ON r.in_table = t.id WHERE r.written IS NOT NULL"""
    [(count,)] = await fetch_all(conn, sql, json.dumps(list(documents)))
    return int(count)


async def stored_grids(conn: Connection, document: int) -> tuple[list[StoredGrid], set[str]]:
    """The tables of a document that look-ups are made in, in order, and the names on many of its pages."""
    from docqa.formats.grids import Grid, GridRow

    sql = """SELECT t.id, headings, title, before, scale, page_number, start, stop, written, above
             FROM document_table t JOIN table_row r ON r.in_table = t.id
             WHERE document = ? AND written IS NOT NULL ORDER BY t.number, r.row"""
    made = []
    for _, located in groupby(await fetch_all(conn, sql, document), key=itemgetter(0)):
        own = list(located)
        _, headings, title, before, scale, *_ = own[0]
        rows = tuple(GridRow(start, stop, tuple(json.loads(cells)), above) for *_, start, stop, cells, above in own)
        grid = Grid(rows[0].start, rows[-1].end, title, before, tuple(json.loads(headings)), scale, rows)
        made.append(StoredGrid(grid, tuple(row[5] for row in own)))
    row = await fetch_one(conn, "SELECT recurring_names FROM document WHERE id = ?", document)
    return made, set(json.loads(row[0])) if row else set()


async def text_length(conn: Connection, document: int) -> int:
    """How many characters the pages of a document have: it changes when a scanned page is recognised."""
    rows = await fetch_all(conn, "SELECT total(length(text)) FROM page WHERE document = ?", document)
    return int(rows[0][0])


async def page_texts(conn: Connection, document: int) -> list[tuple[int, str]]:
    """(page number, text) of the pages of a document, in order."""
    sql = "SELECT page_number, text FROM page WHERE document = ? ORDER BY page_number"
    return [(number, text) for number, text in await fetch_all(conn, sql, document)]


async def passage(conn: Connection, document: int, page_number: int, start: int) -> str:
    """The chunk in which an offset of a page stands."""
    sql = """SELECT text FROM chunk WHERE document = ? AND page_number = ? AND start <= ?
             ORDER BY start DESC LIMIT 1"""
    rows = await fetch_all(conn, sql, document, page_number, start)
    return str(rows[0][0]) if rows else ""


async def next_without_tables(conn: Connection, after: int) -> int | None:
    """The next document after this one whose tables have not been stored, and none of whose pages waits for text
    recognition."""
    sql = """SELECT id FROM document WHERE NOT tables_stored AND id > ?
             AND NOT EXISTS (SELECT 1 FROM page WHERE document = document.id AND scan = 'waiting')
             ORDER BY id LIMIT 1"""
    row = await fetch_one(conn, sql, after)
    return row[0] if row else None
