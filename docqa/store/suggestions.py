"""The questions about a document that are suggested to people: each is answered from the page that is kept with it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from docqa.store.sql import Connection, change, fetch_one


@dataclass(frozen=True)
class Suggestion:
    """A question that a document answers, and the page that the answer stands on."""

    question: str
    page_number: int


@dataclass(frozen=True)
class Suggestions:
    """Questions that a document answers, at most three; `state` is `indexing` while the document is worked on, `making`
    while they are made, then `ready`."""

    doc_id: str
    state: str
    questions: list[Suggestion]


async def suggestions(conn: Connection, document: int) -> list[Suggestion] | None:
    """The questions suggested for a document; None where none were made yet."""
    row = await fetch_one(conn, "SELECT questions FROM document WHERE id = ?", document)
    if row is None or row[0] is None:
        return None
    return [Suggestion(*values) for values in json.loads(row[0])]


async def set_suggestions(conn: Connection, document: int, suggestions: Sequence[Suggestion]) -> None:
    """Keep the questions suggested for a document, unless it has been deleted."""
    values = [(suggestion.question, suggestion.page_number) for suggestion in suggestions]
    sql = "UPDATE any_document SET questions = ? WHERE id = ? AND NOT deleted"
    await change(conn, sql, json.dumps(values, ensure_ascii=False), document)
