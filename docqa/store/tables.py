"""The tables of CSV documents: written, looked up by what a question names, and queried.

In a statement, column names are quoted identifiers and values are bound parameters; users are shown the same statement
with its values.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from aiosqlite import Connection

from docqa.formats.columns import Column, Table
from docqa.formats.pages import ExtractedPage
from docqa.store.sql import change_many, fetch_all, quoted
from docqa.store.table_plan import Filter, Plan, StoredTable

Mark = Callable[[str | int | float], str]


class RowLine(NamedTuple):
    """The line of a row, verbatim, and (page number, text) of the chunk where it begins."""

    text: str
    chunk: tuple[int, str]


SECONDS = 5.0  # one statement; over 100,000 rows it takes a tenth of that
SOURCE, ROW = '"source"', '" row"'  # no column's name begins with a space
FUNCTIONS = {
    "rows": "count(*)",
    "different": "count(DISTINCT {})",
    "sum": "sum({})",
    "mean": "avg({})",
    "highest": "max({})",
    "lowest": "min({})",
}


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


async def result(conn: Connection, table: StoredTable, plan: Plan) -> list[tuple[Any, ...]] | None:
    """The rows of the plan's statement: one value, (group, value) pairs, values, or numbers of rows with what was
    measured.

    None if it takes longer than SECONDS.
    """
    row = ROW if plan.place is None else f"{ROW}, {quoted(table.columns[plan.place].name)}"
    return await _run(conn, table, plan, lambda mark: _statement(table, plan, mark, SOURCE, row))


async def first_rows(conn: Connection, table: StoredTable, plan: Plan, limit: int) -> list[int]:
    """The numbers of the first rows that pass the plan's filters; none if that takes too long."""
    rows = await _run(
        conn, table, plan, lambda mark: f"SELECT {ROW} FROM {SOURCE}{_where(table, plan.filters, mark)} LIMIT {limit}"
    )
    return [row[0] for row in rows or []]


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
    return _statement(table, plan, literal, quoted(table.name), "*")


def literal(value: str | float) -> str:
    """A value as SQL writes it."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


# --- statements -------------------------------------------------------------------------------------------------------


def _statement(table: StoredTable, plan: Plan, mark: Mark, source: str, row: str) -> str:
    """The plan as SQL; `mark` writes a value, `row` is what is selected from a row."""
    if plan.gives_rows:
        return _rows(table, plan, mark, source, row)
    where = _where(table, plan.filters, mark)
    column = quoted(table.columns[plan.place].name) if plan.place is not None else "*"
    if plan.is_list:
        return f"SELECT DISTINCT {column} FROM {source}{_and(where, f'{column} IS NOT NULL')} ORDER BY {column}"
    if plan.measure == "median":
        # Of an even number of values, the mean of the two in the middle.
        some = _and(where, f"{column} IS NOT NULL")
        middle = f"(SELECT count({column}) FROM {source}{_where(table, plan.filters, mark)})"
        again = f"(SELECT (count({column}) - 1) / 2 FROM {source}{_where(table, plan.filters, mark)})"
        ordered = f"SELECT {column} FROM {source}{some} ORDER BY {column} LIMIT 2 - {middle} % 2 OFFSET {again}"
        return f"SELECT avg({column}) FROM ({ordered})"
    measured = FUNCTIONS[plan.measure].format(column)
    if plan.group is None:
        return f"SELECT {measured} FROM {source}{where}"
    group = quoted(table.columns[plan.group].name)
    order = f" ORDER BY {measured} {'ASC' if plan.ascending else 'DESC'}, {group}" + (
        f" LIMIT {plan.limit}" if plan.limit else ""
    )
    return f"SELECT {group}, {measured} FROM {source}{_and(where, f'{group} IS NOT NULL')} GROUP BY {group}{order}"


def _rows(table: StoredTable, plan: Plan, mark: Mark, source: str, row: str) -> str:
    where = _where(table, plan.filters, mark)
    if plan.place is None:
        return f"SELECT {row} FROM {source}{where}"
    column = quoted(table.columns[plan.place].name)
    if plan.limit == 1:
        extreme = "max" if plan.measure == "highest" else "min"
        end = f"(SELECT {extreme}({column}) FROM {source}{_where(table, plan.filters, mark)})"
        return f"SELECT {row} FROM {source}{_and(where, f'{column} = {end}')}"
    order = f"ORDER BY {column} {'DESC' if plan.measure == 'highest' else 'ASC'} LIMIT {plan.limit}"
    return f"SELECT {row} FROM {source}{_and(where, f'{column} IS NOT NULL')} {order}"


def _where(table: StoredTable, filters: Sequence[Filter], mark: Mark) -> str:
    tests = []
    for test in filters:
        column, marks = quoted(table.columns[test.place].name), [mark(value) for value in test.values]
        tests.append(f"{column} IN ({', '.join(marks)})" if len(marks) > 1 else f"{column} {test.operator} {marks[0]}")
    return f" WHERE {' AND '.join(tests)}" if tests else ""


def _and(where: str, test: str) -> str:
    return f"{where} AND {test}" if where else f" WHERE {test}"


async def _run(
    conn: Connection, table: StoredTable, plan: Plan, write: Callable[[Mark], str]
) -> list[tuple[Any, ...]] | None:
    """Run a statement over the rows, within SECONDS; None when they are over."""
    bound: list[Any] = [table.document]

    def mark(value: str | float) -> str:
        bound.append(value)
        return f"?{len(bound)}"

    used = {place for place in (plan.place, plan.group, *(test.place for test in plan.filters)) if place is not None}
    cells = "".join(
        f", json_extract(cells, '$[{place}]') AS {quoted(table.columns[place].name)}" for place in sorted(used)
    )
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
