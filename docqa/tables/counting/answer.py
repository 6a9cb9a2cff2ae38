"""Questions that the rows of tables answer: counting, measuring, ranking, looking up. A plan is made
of what the question's words mean in the table.

What was not understood is named before what the rest of the question asks for, as an answer that leaves it out may be
another question's; with the columns there are where the rest asks for nothing.
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
from docqa.store.table_plan import Plan, StoredTable
from docqa.tables.counting.carried import carried_over, rows_of
from docqa.tables.counting.choice import Fitting, fitting_table
from docqa.tables.counting.composing import continuing_composer
from docqa.tables.counting.continued import continued
from docqa.tables.counting.roles import Form
from docqa.tables.counting.wording import code, said, short_row
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
    if follows := await _following(conn, encoders, documents, question):
        return await _answer(conn, documents, question, [follows])
    several, form = len(question.parts) > 1, _form(question)
    # What is carried over from one part to the next is in their texts; else the question is as it was put.
    text = question.core if several and not any(part.follows for part in question.parts) else question.stand_alone
    whole = await fitting_table(conn, encoders, documents, question, text, replace(form, asks_more=several))
    if several and not (isinstance(whole, Fitting) and (whole.compared or whole.is_of_named_row)):
        parts = [await fitting_table(conn, encoders, documents, question, part.text, form) for part in question.parts]
        fitting = [part for part in parts if isinstance(part, Fitting) and not part.unknown]
        if len(fitting) == len(parts):
            return await _answer(conn, documents, question, await carried_over(conn, question.parts, fitting))
    if isinstance(whole, Fitting) and not whole.unknown:
        return await _answer(conn, documents, question, [whole])
    if not explains:
        return None
    if isinstance(whole, Fitting) and len(documents) == len(question.documents) == 1:
        unknown = ", ".join(f"“{_as_written(word, question.text)}”" for word in whole.unknown)
        if understood := await _understood(conn, documents, question, whole):
            leads = phrase("phrases.tables.aside", question.answer_language).format(unknown)
            return TableAnswer(f"{leads}\n\n{understood.text}", understood.sources)
        columns = ", ".join(column.name for column in whole.table.columns)
        name = whole.sheet or whole.table.name
        text = phrase("phrases.tables.unknown", question.answer_language).format(unknown, name, columns)
        return TableAnswer(text, [])
    return whole if isinstance(whole, TableAnswer) else None


def _form(question: Question) -> Form:
    """How the question is put."""
    return Form(
        question.language,
        is_whether=question.kind == "whether" or any(part.begins_with_verb for part in question.parts[:1]),
        wants_facts=question.kind in ("fact", "whether", "list", "number"),
    )


async def _following(
    conn: Connection, encoders: Encoders, documents: Sequence[StoredDocument], question: Question
) -> Fitting | None:
    """The plan of a message that goes on from a question which a table answered; None for any other."""
    if not question.before or not any(part.follows for part in question.parts[:1]):
        return None
    before = await fitting_table(conn, encoders, documents, question, question.before, Form(question.language))
    if not isinstance(before, Fitting) or before.unknown:
        return None
    composer = await continuing_composer(
        conn, encoders, documents, question.core, Form(question.language), before.table
    )
    if composer is None:
        return None
    about = await rows_of(conn, before)
    plan = continued(before.plan, about, composer, points_back=question.points_back)
    return None if plan is None else replace(before, plan=plan, noun=composer.noun or before.noun)


async def _understood(
    conn: Connection, documents: Sequence[StoredDocument], question: Question, fitting: Fitting
) -> TableAnswer | None:
    """What the rest of a question asks for: a figure of what it names, unless it is one of all rows, else the rows that
    are selected, if they are few; None where there is neither, or where what is measured was not understood."""
    if fitting.lacks_measured:
        return None
    plan = fitting.plan
    is_named = plan.place is None or plan.place in fitting.named
    is_of_some = plan.filters or plan.counted or plan.group is not None or plan.gives_rows
    if is_named and is_of_some:
        return await _answer(conn, documents, question, [fitting])
    selected = Plan("rows", filters=plan.filters)
    counted = await store.tables.result(conn, fitting.table, selected) if selected.filters else None
    if not counted or not 0 < counted[0][0] <= SHOWN["SHORT"]:
        return None
    return await _answer(conn, documents, question, [replace(fitting, plan=replace(selected, is_list=True))])


async def answer_by_counting_on_pages(
    conn: Connection, encoders: Encoders, documents: Sequence[StoredDocument], question: Question
) -> TableAnswer | None:
    """A number, sum or average that a question asks for over the rows of the tables on these documents' pages, or the
    rows that it selects; None where it is not sure that it does."""
    if len(question.parts) > 1:
        return None
    whole = await fitting_table(
        conn, encoders, documents, question, question.stand_alone, Form(question.language), is_read=False
    )
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
    verdict = ""
    if fitting.tells_existence:
        counted = await store.tables.result(conn, table, Plan("rows", filters=made.filters))
        if counted is None:
            return None
        [[passing]] = counted
        made = replace(made, is_list=0 < passing <= MOST_TIES)
        verdict = _verdict(passing > 0, language)
    if made.gives_rows and made.limit == 1:
        count = min(count, MOST_TIES)
    carried_out = replace(made, limit=1 + FOLLOWING) if made.is_first else made
    result = await store.tables.result(conn, table, carried_out)
    if result is None:
        return None
    rows = [row[0] for row in result[:count]] if made.gives_rows else await _rows_behind(conn, table, made)
    if fitting.is_whether and len(fitting.compared) == 2:
        known = {row[0]: row[1] or 0 for row in result}
        first, second = (known.get(value, 0) for value in fitting.compared)
        verdict = _verdict(first < second if fitting.wants_less else first > second, language)
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
    noun = "" if fitting.tells_existence else _as_written(fitting.noun, question.text)
    answered = said(table, made, result, language, count, noun)
    sentence, items = answered.sentence, answered.items
    if fitting.sheet:
        sentence = f"{fitting.sheet} – {sentence}"
    if made.gives_rows:
        texts = [line.text for line in lines]
        if fitting.names and (verdict or made.measure != "rows" and made.limit != 1):
            of_rows = await store.tables.cells(conn, table, rows)
            texts = [short_row(table, made, cells, fitting.names, language) for cells in of_rows]
        items = [text + marks.get(line.chunk, "") for text, line in zip(texts, lines, strict=True)]
    else:
        sentence += "".join(marks.values())
    if len(result) > count:
        items.append("…")
    text = "\n".join([verdict + sentence, *(f"- {item}" for item in items)])
    return f"{text}\n\n({code(store.tables.shown(table, carried_out))})"


def _verdict(is_so: bool, language: str) -> str:
    """Yes or no before what it rests on."""
    return phrase("polarity.yes" if is_so else "polarity.no", language) + ": "


async def _rows_behind(conn: Connection, table: StoredTable, plan: Plan) -> list[int]:
    """The first rows that a figure is made of; of none, those that pass all conditions but one, which have something
    else instead."""
    rows = await store.tables.first_rows(conn, table, plan, SOURCES)
    for left_out in reversed(plan.filters if len(plan.filters) > 1 else ()):
        if not rows:
            others = tuple(test for test in plan.filters if test != left_out)
            rows = await store.tables.first_rows(conn, table, replace(plan, filters=others), SOURCES)
    return rows


def _as_written(noun: str, text: str) -> str:
    """A word of the question with its capitals."""
    return next((word for word in _WORD.findall(text) if key(word) == noun), noun)
