"""Questions that a table answers by counting: recognised, turned into SQL over the rows of a CSV, and answered with
the statement and the rows.

It needs no model, and looks at no more than MOST_TABLES tables.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from aiosqlite import Connection

from docqa import store
from docqa.formats.columns import Column, Value
from docqa.languages import phrase
from docqa.questions.question import Question
from docqa.records import Source
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.store.table_plan import Plan, StoredTable
from docqa.tables.parse import phrases
from docqa.tables.shapes import plan

MOST_TABLES = 20
SOURCES = 8
COUNT = Column("", "number")
BEFORE = ("$", "£", "₹", "¥")  # units that stand before their number
SHOWN = {"SHORT": 10, "LONG": 50}  # rows or groups in an answer


@dataclass(frozen=True)
class TableAnswer:
    """`text` is complete, with the marks of the `sources`, which are empty unless the client wants them."""

    text: str
    sources: list[Source]


async def answer_from_table(
    db: Database, documents: Sequence[StoredDocument], question: Question
) -> TableAnswer | None:
    """The answer that a table among the documents gives; None where the question is not one for a table, or the
    statement takes too long."""
    of_tables = {document.id: document for document in documents if document.kind == "csv"}
    if not 0 < len(of_tables) <= MOST_TABLES:
        return None
    async with db.read() as conn:
        fitting = await _fitting(conn, list(of_tables), question)
        if len(fitting) > 1:
            names = ", ".join(table.name for table, _ in fitting)
            return TableAnswer(phrase("phrases.tables.which", question.answer_language).format(names), [])
        if not fitting:
            return None
        [(table, made)] = fitting
        result = await store.tables.result(conn, table, made)
        if result is None:
            return None
        count = SHOWN[question.options.length]
        rows = (
            [row[0] for row in result[:count]]
            if made.gives_rows
            else await store.tables.first_rows(conn, table, made, SOURCES)
        )
        lines = (
            await store.tables.lines(conn, table.document, rows)
            if question.options.cite_source or made.gives_rows
            else []
        )
    chunks = list(dict.fromkeys(line.chunk for line in lines))[: SOURCES if question.options.cite_source else 0]
    marks = {chunk: f" [{number}]" for number, chunk in enumerate(chunks, 1)}
    sentence, listed = _sentence_and_list(table, made, result, question.answer_language, count)
    if made.gives_rows:
        listed = [line.text + marks.get(line.chunk, "") for line in lines]
    else:
        sentence += "".join(marks.values())
    if len(result) > count:
        listed.append("…")
    sources = [
        Source(number, of_tables[table.document].doc_id, text, page_number)
        for number, (page_number, text) in enumerate(chunks, 1)
    ]
    answer = "\n".join([sentence, *(f"- {item}" for item in listed)])
    return TableAnswer(f"{answer}\n\n{_code(store.tables.shown(table, made))}", sources)


async def _fitting(conn: Connection, documents: Sequence[int], question: Question) -> list[tuple[StoredTable, Plan]]:
    """The tables that can answer the question; of several, those that it names."""
    fitting = []
    for table in await store.tables.tables(conn, documents):
        values = await store.tables.named_values(conn, table.document, phrases(question.words))
        if made := await asyncio.to_thread(plan, question.words, question.language, table, values):
            fitting.append((table, made))
    words = f" {' '.join(question.words)} "
    named = [(table, made) for table, made in fitting if f" {table.key} " in words]
    return named or fitting


# --- the text of an answer --------------------------------------------------------------------------------------------


def _sentence_and_list(
    table: StoredTable, made: Plan, result: Sequence[tuple[Any, ...]], language: str, count: int
) -> tuple[str, list[str]]:
    """(the result in one sentence, the groups or values, as many as `count`)."""
    measured = table.columns[made.place] if made.place is not None else None
    column = _measured_as(made, measured)
    heading = phrase(f"phrases.tables.{made.measure}", language).format(measured.name if measured else "")
    if made.group is not None:
        heading = phrase("phrases.tables.grouped", language).format(heading, table.columns[made.group].name)
    heading += _conditions(table, made, language)
    if made.group is not None:
        group = table.columns[made.group]
        return f"{heading}:", [
            f"{_written(name, group, language)}: {_written(value, column, language)}" for name, value in result[:count]
        ]
    if made.is_list:
        return _sentence(heading, _written(len(result), COUNT, language), language), [
            _written(row[0], column, language) for row in result[:count]
        ]
    if made.gives_rows and made.limit != 1:
        return f"{heading}:", []
    value = result[0][-1] if result else None
    if value is None:
        nothing = phrase("phrases.tables.rows", language) + _conditions(table, made, language)
        return _sentence(nothing, _written(0, COUNT, language), language), []
    return _sentence(heading, _written(value, column, language), language), []


def _measured_as(made: Plan, column: Column | None) -> Column:
    """How a result is written: a count is a number of its own, a mean has at least two decimals."""
    if column is None or (made.measure in ("rows", "different") and not made.is_list):
        return COUNT
    return replace(column, decimals=max(2, column.decimals)) if made.measure in ("mean", "median") else column


def _sentence(what: str, value: str, language: str) -> str:
    return f"{what}: {value}{phrase('full_stop', language)}"


def _conditions(table: StoredTable, made: Plan, language: str) -> str:
    """Which rows were counted, in brackets; "" where it was all of them."""
    parts = []
    for condition in made.filters:
        column = table.columns[condition.place]
        values = " / ".join(_written(value, column, language) for value in condition.values)
        parts.append(f"{column.name} {condition.operator} {values}")
    return f" ({', '.join(parts)})" if parts else ""


def _written(value: Value, column: Column, language: str) -> str:
    """A value as the language writes it; a year or an identifier as it is."""
    if value is None:
        return "–"
    if isinstance(value, str) or not column.is_amount:
        return str(value)
    digits = f"{value:,.{column.decimals}f}"
    marks = phrase("thousands_mark", language) + phrase("decimal_mark", language)
    digits = digits.translate(str.maketrans(",.", marks))
    return f"{column.unit}{digits}" if column.unit in BEFORE else f"{digits} {column.unit}".rstrip()


def _code(sql: str) -> str:
    """As code of Markdown, whatever the names in it hold."""
    fence = "`" * (max((len(run) for run in re.findall("`+", sql)), default=0) + 1)
    return f"{fence}{sql}{fence}"
