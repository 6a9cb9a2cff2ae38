"""The questions about a document that are suggested to people: each is answered from the page that is kept with it."""

import json
from collections.abc import Sequence

from aiosqlite import Connection

from docqa import records
from docqa.store.sql import change, fetch_one


async def suggestions(conn: Connection, document: int) -> list[records.Suggestion] | None:
    """The questions suggested for a document; None where none were made yet."""
    row = await fetch_one(conn, "SELECT questions FROM document WHERE id = ?", document)
    if row is None or row[0] is None:
        return None
    return [records.Suggestion(*values) for values in json.loads(row[0])]


async def set_suggestions(conn: Connection, document: int, suggestions: Sequence[records.Suggestion]) -> None:
    """Keep the questions suggested for a document, unless it has been deleted."""
    values = [(suggestion.question, suggestion.page_number) for suggestion in suggestions]
    sql = "UPDATE any_document SET questions = ? WHERE id = ? AND NOT deleted"
    await change(conn, sql, json.dumps(values, ensure_ascii=False), document)
