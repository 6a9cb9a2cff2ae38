"""The tables of CSV documents: written, looked up by what a question names, and asked.

Column names get into a statement as quoted identifiers, values as bound parameters; for the reader the same statement is shown with its values.
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
    """The line of a row, word for word, and (page number, text) of the chunk where it begins."""

    text: str
    chunk: tuple[int, str]


SECONDS = 5.0  # one statement; over 100,000 rows it takes a tenth of that
ASKED, ROW = '"asked"', '" row"'  # a name that no column has: those do not begin with a space
FUNCTIONS = {
    "rows": "count(*)",
    "different": "count(DISTINCT {})",
    "sum": "sum({})",
    "mean": "avg({})",
    "highest": "max({})",
    "lowest": "min({})",
}


async def add_table(conn: Connection, document: int, table: Table, pages: Sequence[ExtractedPage]) -> None:
    rows = ((page_number, *row) for page_number, page in enumerate(pages, 1) for row in page.rows)
    columns = [
        (document, place, one.name, one.kind, one.unit, one.decimals, one.is_year)
        for place, one in enumerate(table.columns)
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
             FROM json_each(?) AS asked JOIN document d ON d.id = asked.value JOIN table_column c ON c.document = d.id ORDER BY asked.key, c.place"""
    found: dict[int, tuple[str, list[Column]]] = {}
    for document, title, name, kind, unit, decimals, is_year in await fetch_all(conn, sql, json.dumps(documents)):
        found.setdefault(document, (title, []))[1].append(Column(name, kind, unit, decimals, bool(is_year)))
    return [StoredTable(document, title, tuple(columns)) for document, (title, columns) in found.items()]


async def named_values(conn: Connection, document: int, keys: Iterable[str]) -> dict[str, dict[int, list[str]]]:
    """key → place of a column → its values with this key."""
    sql = "SELECT key, place, value FROM table_value WHERE document = ? AND key IN (SELECT value FROM json_each(?)) ORDER BY key, place, value"
    found: dict[str, dict[int, list[str]]] = {}
    for key, place, value in await fetch_all(conn, sql, document, json.dumps(list(keys))):
        found.setdefault(key, {}).setdefault(place, []).append(value)
    return found


async def result(conn: Connection, table: StoredTable, plan: Plan) -> list[tuple[Any, ...]] | None:
    """What the plan's statement finds: a value, (group, value) pairs, values, or numbers of rows, with their measured value if there is one.

    None if it takes too long.
    """
    row = ROW if plan.place is None else f"{ROW}, {quoted(table.columns[plan.place].name)}"
    return await _run(conn, table, plan, lambda mark: _statement(table, plan, mark, ASKED, row))


async def first_rows(conn: Connection, table: StoredTable, plan: Plan, limit: int) -> list[int]:
    """The numbers of the first rows that the plan's filters let through."""
    found = await _run(
        conn, table, plan, lambda mark: f"SELECT {ROW} FROM {ASKED}{_where(table, plan.filters, mark)} LIMIT {limit}"
    )
    return [row[0] for row in found or []]


async def lines(conn: Connection, document: int, rows: Sequence[int]) -> list[RowLine]:
    """The lines of these rows, in the given order."""
    sql = """SELECT substr(p.text, r.start + 1), p.page_number,
                    (SELECT c.text FROM chunk c WHERE c.document = r.document AND c.page_number = r.page_number AND c.start <= r.start
                     ORDER BY c.start DESC LIMIT 1)
             FROM json_each(?) AS asked JOIN table_row r ON r.document = ? AND r.row = asked.value
             JOIN page p ON p.document = r.document AND p.page_number = r.page_number ORDER BY asked.key"""
    found = await fetch_all(conn, sql, json.dumps(rows), document)
    return [RowLine(text.partition("\n")[0], (page_number, chunk)) for text, page_number, chunk in found]


def shown(table: StoredTable, plan: Plan) -> str:
    """The statement as a reader is shown it."""
    return _statement(table, plan, literal, quoted(table.name), "*")


def literal(value: str | float) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


# --- statements --------------------------------------------------------------------------------------------------------------------


def _statement(table: StoredTable, plan: Plan, mark: Mark, source: str, row: str) -> str:
    """The plan as SQL; `mark` writes a value, `row` is what is selected of a row."""
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
        return f"SELECT avg({column}) FROM (SELECT {column} FROM {source}{some} ORDER BY {column} LIMIT 2 - {middle} % 2 OFFSET {again})"
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
        end = f"(SELECT {'max' if plan.measure == 'highest' else 'min'}({column}) FROM {source}{_where(table, plan.filters, mark)})"
        return f"SELECT {row} FROM {source}{_and(where, f'{column} = {end}')}"
    return f"SELECT {row} FROM {source}{_and(where, f'{column} IS NOT NULL')} ORDER BY {column} {'DESC' if plan.measure == 'highest' else 'ASC'} LIMIT {plan.limit}"


def _where(table: StoredTable, filters: Sequence[Filter], mark: Mark) -> str:
    tests = []
    for one in filters:
        column, marks = quoted(table.columns[one.place].name), [mark(value) for value in one.values]
        tests.append(f"{column} IN ({', '.join(marks)})" if len(marks) > 1 else f"{column} {one.operator} {marks[0]}")
    return f" WHERE {' AND '.join(tests)}" if tests else ""


def _and(where: str, test: str) -> str:
    return f"{where} AND {test}" if where else f" WHERE {test}"


async def _run(
    conn: Connection, table: StoredTable, plan: Plan, write: Callable[[Mark], str]
) -> list[tuple[Any, ...]] | None:
    """Run a statement over the rows, read-only and within SECONDS; None where they are over."""
    bound: list[Any] = [table.document]

    def mark(value: str | float) -> str:
        bound.append(value)
        return f"?{len(bound)}"

    used = {place for place in (plan.place, plan.group, *(one.place for one in plan.filters)) if place is not None}
    cells = "".join(
        f", json_extract(cells, '$[{place}]') AS {quoted(table.columns[place].name)}" for place in sorted(used)
    )
    sql = f"WITH {ASKED} AS (SELECT row AS {ROW}{cells} FROM main.table_row WHERE document = ?1) {write(mark)}"
    running = asyncio.ensure_future(fetch_all(conn, sql, *bound))
    try:
        async with asyncio.timeout(SECONDS):
            return await asyncio.shield(running)
    except (TimeoutError, asyncio.CancelledError) as stopped:
        await conn.interrupt()
        await asyncio.wait([running])
        running.exception()  # that it was interrupted is known
        if isinstance(stopped, TimeoutError):
            return None
        raise
