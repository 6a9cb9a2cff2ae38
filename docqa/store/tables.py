"""The tables of CSV documents: written, looked up by what a question names, and queried.

In a statement, column names are quoted identifiers and values are bound parameters; users are shown the same statement
with its values.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from aiosqlite import Connection

from docqa.formats.columns import Column, Table
from docqa.formats.pages import ExtractedPage
from docqa.store.sql import change_many, fetch_all, quoted
from docqa.store.table_plan import Plan, StoredTable
from docqa.store.table_sql import ROW, SOURCE, Mark, literal, measured, statement, where_clause


class RowLine(NamedTuple):
    """The line of a row, verbatim, and (page number, text) of the chunk where it begins."""

    text: str
    chunk: tuple[int, str]


SECONDS = 5.0  # one statement; over 100,000 rows it takes a tenth of that
MOST_LISTED = 80  # different values of a column that are compared with a question by meaning


@dataclass(frozen=True)
class Contents:
    """What the columns of a table hold, by place: how many cells, how many different ones, the first of the values in
    their order, and all values of columns of words that have few. `rows` is their number."""

    rows: int
    filled: tuple[int, ...]
    different: tuple[int, ...]
    least: tuple[Any, ...]
    values: Mapping[int, tuple[str, ...]]


async def add_table(conn: Connection, document: int, table: Table, pages: Sequence[ExtractedPage]) -> None:
    """Store a table: its columns, the rows that its pages hold, and the values that questions may name."""
    rows = ((page_number, *row) for page_number, page in enumerate(pages, 1) for row in page.rows)
    columns = [
        (document, place, column.name, column.kind, column.unit, column.decimals, column.is_year)
        for place, column in enumerate(table.columns)
    ]
    await change_many(
        conn,
        "INSERT INTO table_column (document, place, name, kind, unit, decimals, is_year) VALUES (?, ?, ?, ?, ?, ?, ?)",
        columns,
    )
    numbered = ((document, number, *row) for number, row in enumerate(rows))
    await change_many(
        conn, "INSERT INTO table_row (document, row, page_number, start, cells) VALUES (?, ?, ?, ?, ?)", numbered
    )
    values = sorted((document, key, place, value) for place, key, value in table.values)
    await change_many(conn, "INSERT INTO table_value (document, key, place, value) VALUES (?, ?, ?, ?)", values)


async def tables(conn: Connection, documents: Sequence[int]) -> list[StoredTable]:
    """The tables of these documents, in the order of the documents."""
    sql = """SELECT d.id, d.name, c.name, c.kind, c.unit, c.decimals, c.is_year
             FROM json_each(?) AS j JOIN document d ON d.id = j.value JOIN table_column c ON c.document = d.id
             ORDER BY j.key, c.place"""
    by_document: dict[int, tuple[str, list[Column]]] = {}
    for document, title, name, kind, unit, decimals, is_year in await fetch_all(conn, sql, json.dumps(documents)):
        by_document.setdefault(document, (title, []))[1].append(Column(name, kind, unit, decimals, bool(is_year)))
    return [StoredTable(document, title, tuple(columns)) for document, (title, columns) in by_document.items()]


async def named_values(conn: Connection, document: int, keys: Iterable[str]) -> dict[str, dict[int, list[str]]]:
    """The stored values with these keys: key → place of a column → its values."""
    sql = """SELECT key, place, value FROM table_value WHERE document = ? AND key IN (SELECT value FROM json_each(?))
             ORDER BY key, place, value"""
    values: dict[str, dict[int, list[str]]] = {}
    for key, place, value in await fetch_all(conn, sql, document, json.dumps(list(keys))):
        values.setdefault(key, {}).setdefault(place, []).append(value)
    return values


async def contents(conn: Connection, table: StoredTable) -> Contents | None:
    """What the table's columns hold; None if that takes longer than SECONDS."""
    names = [quoted(column.name) for column in table.columns]
    figures = ", ".join(f"count({name}), count(DISTINCT {name}), min({name})" for name in names)
    places = range(len(names))
    rows = await _run(conn, table, places, lambda mark: f"SELECT count(*), {figures} FROM {SOURCE}")
    if not rows:
        return None
    count, *cells = rows[0]
    filled, different, least = cells[0::3], cells[1::3], cells[2::3]
    values: dict[int, list[str]] = {}
    few = [place for place in places if table.columns[place].kind == "text" and different[place] <= MOST_LISTED]
    sql = """SELECT place, value FROM table_value WHERE document = ? AND place IN (SELECT value FROM json_each(?))
             ORDER BY place, value"""
    for place, value in await fetch_all(conn, sql, table.document, json.dumps(few)):
        values.setdefault(place, []).append(value)
    listed = {place: tuple(some) for place, some in values.items()}
    return Contents(count, tuple(filled), tuple(different), tuple(least), listed)


async def result(conn: Connection, table: StoredTable, plan: Plan) -> list[tuple[Any, ...]] | None:
    """The rows of the plan's statement: one value, (group, value) pairs, values, or numbers of rows with what was
    measured; of a share, the numbers of rows counted and of all, after the group if there is one.

    None if it takes longer than SECONDS.
    """
    row = ROW if plan.place is None else f"{ROW}, {measured(table, plan)}"
    return await _run(conn, table, plan.places, lambda mark: statement(table, plan, mark, SOURCE, row))


async def first_rows(conn: Connection, table: StoredTable, plan: Plan, limit: int) -> list[int]:
    """The numbers of the first rows that pass the plan's filters; none if that takes too long."""
    filters = (*plan.filters, *plan.counted)
    rows = await _run(
        conn,
        table,
        plan.places,
        lambda mark: f"SELECT {ROW} FROM {SOURCE}{where_clause(table, filters, mark)} LIMIT {limit}",
    )
    return [row[0] for row in rows or []]


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


async def lines(conn: Connection, document: int, rows: Sequence[int]) -> list[RowLine]:
    """The lines of these rows, in the given order."""
    sql = """SELECT substr(p.text, r.start + 1), p.page_number,
                    (SELECT c.text FROM chunk c
                     WHERE c.document = r.document AND c.page_number = r.page_number AND c.start <= r.start
                     ORDER BY c.start DESC LIMIT 1)
             FROM json_each(?) AS j JOIN table_row r ON r.document = ? AND r.row = j.value
             JOIN page p ON p.document = r.document AND p.page_number = r.page_number ORDER BY j.key"""
    located = await fetch_all(conn, sql, json.dumps(rows), document)
    return [RowLine(text.partition("\n")[0], (page_number, chunk)) for text, page_number, chunk in located]


def shown(table: StoredTable, plan: Plan) -> str:
    """The plan's statement as users are shown it."""
    return statement(table, plan, literal, quoted(table.name), "*")


async def _run(
    conn: Connection, table: StoredTable, places: Iterable[int], write: Callable[[Mark], str]
) -> list[tuple[Any, ...]] | None:
    """Run a statement over these columns of the rows, within SECONDS; None when they are over."""
    bound: list[Any] = [table.document]

    def mark(value: str | float) -> str:
        bound.append(value)
        return f"?{len(bound)}"

    cells = "".join(f", json_extract(cells, '$[{place}]') AS {quoted(table.columns[place].name)}" for place in places)
    sql = f"WITH {SOURCE} AS (SELECT row AS {ROW}{cells} FROM main.table_row WHERE document = ?1) {write(mark)}"
    running = asyncio.ensure_future(fetch_all(conn, sql, *bound))
    try:
        async with asyncio.timeout(SECONDS):
            return await asyncio.shield(running)
    except (TimeoutError, asyncio.CancelledError) as stopped:
        await conn.interrupt()
        await asyncio.wait([running])
        running.exception()  # retrieved, as asyncio would log it: it was interrupted here
        if isinstance(stopped, TimeoutError):
            return None
        raise
