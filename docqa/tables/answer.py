"""Questions that a table answers, whatever document it stands in.

It needs no model, and asks the rows of no more than MOST_TABLES documents.
"""

from collections.abc import Sequence

from docqa.formats.names import OF_ROWS
from docqa.models.encoders import Encoders
from docqa.questions.question import Question
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.tables.counting.answer import answer_by_counting, answer_by_counting_on_pages
from docqa.tables.lookups.answer import answer_by_look_up
from docqa.tables.results import TableAnswer

MOST_TABLES = 20


async def answer_from_table(
    db: Database, encoders: Encoders, documents: Sequence[StoredDocument], question: Question
) -> TableAnswer | None:
    """The answer that a table among the documents gives; None where the question is not one for a table, or the
    statement takes too long."""
    documents = [document for document in documents if document.has_tables]
    if not documents:
        return None
    of_rows = [document for document in documents if document.kind in OF_ROWS][: MOST_TABLES + 1]
    on_pages = [document for document in documents if document.kind not in OF_ROWS]
    looked_up = [document for document in documents if document.kind != "csv"]
    if len(of_rows) > MOST_TABLES:
        of_rows = []
    async with db.read() as conn:
        # What a look-up may answer in a sheet is explained only where it does not.
        explains = not any(document.kind != "csv" for document in of_rows)
        if of_rows and (counted := await answer_by_counting(conn, encoders, of_rows, question, explains=explains)):
            return counted
        if looked_up and (known := await answer_by_look_up(conn, encoders, looked_up, question)):
            return known
        if on_pages and len(on_pages) <= MOST_TABLES:
            counted = await answer_by_counting_on_pages(conn, encoders, on_pages, question)
            if counted:
                return counted
        if of_rows and not explains:
            return await answer_by_counting(conn, encoders, of_rows, question, explains=True)
        return None
