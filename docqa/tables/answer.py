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
from docqa.tables.lookups.ranges import BOUNDING
from docqa.tables.phrases import tokens
from docqa.tables.results import TableAnswer
from docqa.tables.words import spoken

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
    if len(on_pages) > MOST_TABLES:
        on_pages = []
    async with db.read() as conn:
        # What a look-up may answer in a sheet is explained only where it does not.
        explains = not any(document.kind != "csv" for document in of_rows)
        if of_rows and (counted := await answer_by_counting(conn, encoders, of_rows, question, explains=explains)):
            return counted
        # "More than two weeks" selects rows, and is no rank. Else a row that is named goes before what is computed.
        ways = [(answer_by_look_up, looked_up)]
        ways.insert(0 if _limits_a_number(question) else 1, (answer_by_counting_on_pages, on_pages))
        for answer, own in ways:
            if own and (known := await answer(conn, encoders, own, question)):
                return known
        if of_rows and not explains:
            return await answer_by_counting(conn, encoders, of_rows, question, explains=True)
        return None


def _limits_a_number(question: Question) -> bool:
    own = tokens(question.core)
    has_number = any(token.isdecimal() for token in own)
    return has_number and any(spoken(name, own, question.language) for name in BOUNDING)
