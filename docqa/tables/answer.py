"""Questions that a table answers, whatever document it stands in.

It needs no model, and asks the rows of no more than MOST_TABLES documents.
"""

from collections.abc import Sequence

from docqa.models.encoders import Encoders
from docqa.questions.question import Question
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.tables.counting.answer import answer_by_counting
from docqa.tables.lookups.answer import answer_by_look_up
from docqa.tables.results import TableAnswer

MOST_TABLES = 20


async def answer_from_table(
    db: Database, encoders: Encoders, documents: Sequence[StoredDocument], question: Question
) -> TableAnswer | None:
    """The answer that a table among the documents gives; None where the question is not one for a table, or the
    statement takes too long."""
    of_rows = [document for document in documents if document.kind == "csv"]
    others = [document for document in documents if document.kind != "csv"]
    async with db.read() as conn:
        if 0 < len(of_rows) <= MOST_TABLES and (counted := await answer_by_counting(conn, encoders, of_rows, question)):
            return counted
        return await answer_by_look_up(conn, encoders, others, question) if others else None
