"""Questions that the rows of tables answer: counting, measuring, ranking, looking up. A plan is made
of what the question's words mean in the table.

What was not understood is named, with the columns there are, before what the rest of the question asks for: an answer
that leaves it out may be another question's.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from docqa import store
from docqa.languages import phrase
from docqa.models.encoders import Encoders
from docqa.questions.question import Question
from docqa.records import Source
from docqa.store.documents import StoredDocument
from docqa.store.sql import Connection
from docqa.store.table_plan import Plan
from docqa.tables.counting.carried import carried_over
from docqa.tables.counting.choice import Fitting, fitting_table
from docqa.tables.counting.wording import code, said
from docqa.tables.results import TableAnswer
from docqa.text.keys import key

SOURCES = 8
MOST_TIES = 3  # rows that share the first place
FOLLOWING = 3  # groups that are named after the first
SHOWN = {"SHORT": 12, "LONG": 50}  # rows or groups in an answer
_WORD = re.compile(r"[^\W_]+")


async def answer_by_counting(
    conn: Connection, encoders: Encoders, documents: Sequence[StoredDocument], question: Question, *, explains: bool
) -> TableAnswer | None:
    """What the rows of these documents' tables answer; None where the question is not one for them, or a statement
    takes too long. Where it `explains`, what was not understood is named, or which tables might be meant."""
    if len(question.parts) > 1:
        parts = [await fitting_table(conn, encoders, documents, question, part.text) for part in question.parts]
        fitting = [part for part in parts if isinstance(part, Fitting) and not part.unknown]
        if len(fitting) == len(parts):
            return await _answer(conn, documents, question, await carried_over(conn, question.parts, fitting))
    whole = await fitting_table(conn, encoders, documents, question, question.stand_alone)
    if isinstance(whole, Fitting) and not whole.unknown:
        return await _answer(conn, documents, question, [whole])
    if not explains:
        return None
    if isinstance(whole, Fitting) and len(documents) == len(question.documents) == 1:
        unknown = ", ".join(f"“{_as_written(word, question.text)}”" for word in whole.unknown)
        columns = ", ".join(column.name for column in whole.table.columns)
        name = whole.sheet or whole.table.name
        text = phrase("phrases.tables.unknown", question.answer_language).format(unknown, name, columns)
        aside = await _understood(conn, documents, question, whole)
        if aside is None:
            return TableAnswer(text, [])
        leads = phrase("phrases.tables.aside", question.answer_language)
        return TableAnswer(f"{text}\n\n{leads}\n\n{aside.text}", aside.sources)
    return whole if isinstance(whole, TableAnswer) else None


async def _understood(
    conn: Connection, documents: Sequence[StoredDocument], question: Question, fitting: Fitting
) -> TableAnswer | None:
    """What the rest of a question asks for: a figure of what it names, unless it is one of all rows, and the rows that
    are selected, if they are few; None where there is neither."""
    plan = fitting.plan
    is_named = plan.place is None or plan.place in fitting.named
    plans = [plan] if is_named and (plan.filters or plan.group is not None or plan.gives_rows) else []
    selected = Plan("rows", filters=plan.filters)
    if selected.filters and not plan.gives_rows:
        counted = await store.tables.result(conn, fitting.table, selected)
        if counted and 0 < counted[0][0] <= SHOWN["SHORT"]:
            plans.append(replace(selected, is_list=True))
    if not plans:
        return None
    return await _answer(conn, documents, question, [replace(fitting, plan=each) for each in plans])


async def answer_by_counting_on_pages(
    conn: Connection, encoders: Encoders, documents: Sequence[StoredDocument], question: Question
) -> TableAnswer | None:
    """A number, sum or average that a question asks for over the rows of the tables on these documents' pages, or the
    rows that it selects; None where it is not sure that it does."""
    if len(question.parts) > 1:
        return None
    whole = await fitting_table(conn, encoders, documents, question, question.stand_alone, is_read=False)
    if not isinstance(whole, Fitting) or whole.unknown or not whole.is_told:
        return None
    # What stands in a column without a name, nobody can say: "Best Buy" above another may head the rows, and amounts of
    # money in it need not be what "how many people got money" asks for.
    if not all(whole.table.columns[place].is_named for place in whole.plan.places):
        return None
    is_figure = whole.counts and _is_figure(whole.plan)
    if not is_figure and not (_is_selection(whole.plan) and question.kind != "whether"):
        return None
    return await _answer(conn, documents, question, [whole])


def _is_figure(plan: Plan) -> bool:
    """Whether a plan computes something of several rows, and leaves none of them to be told."""
    of_rows = plan.measure == "rows" and plan.filters and plan.group is None and not plan.is_list
    return bool(of_rows) or plan.measure in ("sum", "mean", "median", "different", "share") and not plan.is_list


def _is_selection(plan: Plan) -> bool:
    """Whether a plan lists the rows that fulfil a condition, or their values: which findings are open."""
    return plan.is_list and bool(plan.filters) and plan.group is None


# --- the answer -------------------------------------------------------------------------------------------------------


async def _answer(
    conn: Connection, documents: Sequence[StoredDocument], question: Question, fitting: Sequence[Fitting]
) -> TableAnswer | None:
    """The answers of these plans, one after the other, with one list of sources."""
    by_id = {document.id: document for document in documents}
    sources: list[Source] = []
    texts = []
    for each in dict.fromkeys(fitting):
        text = await _one_answer(conn, by_id, question, each, sources)
        if text is None:
            return None
        texts.append(text)
    return TableAnswer("\n\n".join(texts), sources)


async def _one_answer(
    conn: Connection,
    documents: dict[int, StoredDocument],
    question: Question,
    fitting: Fitting,
    sources: list[Source],
) -> str | None:
    """The answer of one plan; its passages are added to the `sources`."""
    table, made = fitting.table, fitting.plan
    language, count = question.answer_language, SHOWN[question.options.length]
    if made.gives_rows and made.limit == 1:
        count = min(count, MOST_TIES)
    carried_out = replace(made, limit=1 + FOLLOWING) if made.is_first else made
    result = await store.tables.result(conn, table, carried_out)
    if result is None:
        return None
    rows = (
        [row[0] for row in result[:count]]
        if made.gives_rows
        else await store.tables.first_rows(conn, table, made, SOURCES)
    )
    cites = question.options.cite_source
    lines = await store.tables.lines(conn, table, rows) if cites or made.gives_rows else []
    marks: dict[tuple[int, str], str] = {}
    for page_number, text in list(dict.fromkeys(line.chunk for line in lines))[: SOURCES if cites else 0]:
        doc_id = documents[table.document].doc_id
        number = next(
            (s.id for s in sources if (s.doc_id, s.page_number, s.source_chunk) == (doc_id, page_number, text)), 0
        )
        if not number:
            number = len(sources) + 1
            sources.append(Source(number, doc_id, text, page_number))
        marks[page_number, text] = f" [{number}]"
    answered = said(table, made, result, language, count, _as_written(fitting.noun, question.text))
    sentence, items = answered.sentence, answered.items
    if fitting.sheet:
        sentence = f"{fitting.sheet} – {sentence}"
    if made.gives_rows:
        items = [line.text + marks.get(line.chunk, "") for line in lines]
    else:
        sentence += "".join(marks.values())
    if len(result) > count:
        items.append("…")
    text = "\n".join([sentence, *(f"- {item}" for item in items)])
    return f"{text}\n\n({code(store.tables.shown(table, carried_out))})"


def _as_written(noun: str, text: str) -> str:
    """A word of the question with its capitals."""
    return next((word for word in _WORD.findall(text) if key(word) == noun), noun)
