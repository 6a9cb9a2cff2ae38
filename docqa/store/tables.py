"""The rows of tables: named by what a question says, counted and measured. `document_tables.py` stores them.

In a statement, column names are quoted identifiers and values are bound parameters; users are shown the same statement
with its values.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from docqa.formats.columns import Column
from docqa.store.sql import Connection, fetch_all, quoted
from docqa.store.table_plan import Plan, StoredTable
from docqa.store.table_sql import ROW, SOURCE, Mark, literal, measured, statement, where_clause

NamedValues = dict[str, dict[int, list[str]]]  # key → place of a column → values


class RowLine(NamedTuple):
    """The line of a row, verbatim, and (page number, text) of the chunk where it begins."""

    text: str
    chunk: tuple[int, str]


SECONDS = 5.0  # one statement; over 100,000 rows it takes a tenth of that
MOST_LISTED = 80  # different values of a column that are compared with a question by meaning


@dataclass(frozen=True)
class Contents:
    """What the columns of a table hold, by place: how many cells, how many different ones, the first of the values in
    their order, all values of columns of words that have few, and how many cells are below zero, () where that is not
    known. `rows` is their number."""

    rows: int
    filled: tuple[int, ...]
    different: tuple[int, ...]
    least: tuple[Any, ...]
    values: Mapping[int, tuple[str, ...]]
    negative: tuple[int, ...] = ()


async def tables(conn: Connection, documents: Sequence[int]) -> list[StoredTable]:
    """The tables of these documents whose rows are counted, in the order of the documents."""
    sql = """SELECT t.id, d.id, d.name, t.name, c.name, c.kind, c.unit, c.decimals, c.is_year
             FROM json_each(?) AS j JOIN document d ON d.id = j.value JOIN document_table t ON t.document = d.id
             JOIN table_column c ON c.in_table = t.id ORDER BY j.key, t.number, c.place"""
    by_id: dict[int, tuple[int, str, str, list[Column]]] = {}
    for id_, document, title, sheet, name, kind, unit, decimals, is_year in await fetch_all(
        conn, sql, json.dumps(documents)
    ):
        columns = by_id.setdefault(id_, (document, title, sheet, []))[3]
        columns.append(Column(name, kind, unit, decimals, bool(is_year)))
    return [
        StoredTable(document, title, tuple(columns), id_, sheet)
        for id_, (document, title, sheet, columns) in by_id.items()
    ]


async def named_values(conn: Connection, tables: Iterable[int], keys: Iterable[str]) -> dict[int, NamedValues]:
    """The stored values of these tables with these keys: table → key → place of a column → its values."""
    sql = """SELECT in_table, key, place, value FROM table_value
             WHERE in_table IN (SELECT value FROM json_each(?)) AND key IN (SELECT value FROM json_each(?))
             ORDER BY in_table, key, place, value"""
    named: dict[int, NamedValues] = {}
    for id_, key, place, value in await fetch_all(conn, sql, json.dumps(list(tables)), json.dumps(list(keys))):
        named.setdefault(id_, {}).setdefault(key, {}).setdefault(place, []).append(value)
    return named


async def contents(conn: Connection, table: StoredTable) -> Contents | None:
    """What the table's columns hold; None if that takes longer than SECONDS."""
    names = [quoted(column.name) for column in table.columns]
    figures = ", ".join(
        f"count({name}), count(DISTINCT {name}), min({name}), count(iif({name} < 0, 1, NULL))" for name in names
    )
    places = range(len(names))
    rows = await _run(conn, table, places, lambda mark: f"SELECT count(*), {figures} FROM {SOURCE}")
    if not rows:
        return None
    count, *cells = rows[0]
    filled, different, least, negative = (tuple(cells[place::4]) for place in range(4))
    values: dict[int, list[str]] = {}
    few = [place for place in places if table.columns[place].kind == "text" and different[place] <= MOST_LISTED]
    sql = """SELECT place, value FROM table_value WHERE in_table = ? AND place IN (SELECT value FROM json_each(?))
             ORDER BY place, value"""
    for place, value in await fetch_all(conn, sql, table.id, json.dumps(few)):
        values.setdefault(place, []).append(value)
    listed = {place: tuple(some) for place, some in values.items()}
    return Contents(count, filled, different, least, listed, negative)


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


async def cells(conn: Connection, table: StoredTable, rows: Sequence[int]) -> list[list[Any]]:
    """The values of these rows by the places of their columns, in the given order."""
    sql = """SELECT r.cells FROM json_each(?) AS j JOIN table_row r ON r.in_table = ? AND r.row = j.value
             ORDER BY j.key"""
    return [json.loads(values) for (values,) in await fetch_all(conn, sql, json.dumps(rows), table.id)]


async def lines(conn: Connection, table: StoredTable, rows: Sequence[int]) -> list[RowLine]:
    """The lines of these rows, in the given order; of a row whose cells are parted by tabs, each with its heading."""
    sql = """SELECT substr(p.text, r.start + 1), r.written, t.headings, p.page_number,
                    (SELECT c.text FROM chunk c
                     WHERE c.document = t.document AND c.page_number = r.page_number AND c.start <= r.start
                     ORDER BY c.start DESC LIMIT 1)
             FROM json_each(?) AS j JOIN table_row r ON r.in_table = ? AND r.row = j.value
             JOIN document_table t ON t.id = r.in_table
             JOIN page p ON p.document = t.document AND p.page_number = r.page_number ORDER BY j.key"""
    located = await fetch_all(conn, sql, json.dumps(rows), table.id)
    return [
        RowLine(_by_heading(headings, written) if written else text.partition("\n")[0], (page_number, chunk))
        for text, written, headings, page_number, chunk in located
    ]


def _by_heading(headings: str, cells: str) -> str:
    """A row as it is understood alone: name: cell; name: cell."""
    pairs = zip_longest(json.loads(headings), json.loads(cells), fillvalue="")
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def shown(table: StoredTable, plan: Plan) -> str:
    """The plan's statement as users are shown it."""
    return statement(table, plan, literal, quoted(table.name), "*")


async def _run(
    conn: Connection, table: StoredTable, places: Iterable[int], write: Callable[[Mark], str]
) -> list[tuple[Any, ...]] | None:
    """Run a statement over these columns of the rows, within SECONDS; None when they are over."""
    bound: list[Any] = [table.id]

    def mark(value: str | float) -> str:
        bound.append(value)
        return f"?{len(bound)}"

    cells = "".join(f", json_extract(cells, '$[{place}]') AS {quoted(table.columns[place].name)}" for place in places)
    rows = "main.table_row WHERE in_table = ?1 AND cells IS NOT NULL"
    sql = f"WITH {SOURCE} AS (SELECT row AS {ROW}{cells} FROM {rows}) {write(mark)}"
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
