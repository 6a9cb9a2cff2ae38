"""Questions that a table in a document answers: a cell, a change from one period to another, the first of a rank, the
rows that missed their target.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from docqa import store
from docqa.models.embedder import Embedder
from docqa.models.encoders import Encoders
from docqa.questions.question import Part, Question
from docqa.records import Source
from docqa.store.documents import StoredDocument
from docqa.store.sql import Connection
from docqa.tables.alike import cosines, vectors
from docqa.tables.lookups.arithmetic import calculated
from docqa.tables.lookups.cells import Answered, Placed, Tables
from docqa.tables.lookups.derived import wants_change
from docqa.tables.lookups.parts import MOST_TOKENS, answered, naming, own_tokens, rows_listed, tokens_of, wordings
from docqa.tables.lookups.query import Alike, Query
from docqa.tables.lookups.reading import tables_of
from docqa.tables.lookups.whole_rows import row_of_all, row_of_both, row_of_same
from docqa.tables.lookups.wording import words_of
from docqa.tables.phrases import tokens
from docqa.tables.results import TableAnswer
from docqa.tables.words import spoken

MOST_UNKNOWN = 4  # words of a question that are compared with names in tables by meaning
MOST_TABLES_COMPARED = 12  # rows with their tables
MOST_NAMES = 48
MOST_WORDS = 80
MOST_NEW = 96  # texts encoded for one question
LONGEST_NAME = 120
SAME = 0.82  # cosine of two words for one thing, bike and bicycle; warm and cold have 0.76
LEAST_ALIKE = 0.45  # cosine, on the embedder's scale; unrelated names have 0.3 at most
SURER = 0.25  # what is alike at all counts nearly as the same
_KINDS = ("fact", "number", "count", "list", "compare", "whether")
_MISTAKEN = ("procedure", "description")  # what a question for all that somebody has to do may be taken for


async def answer_by_look_up(
    conn: Connection, encoders: Encoders, documents: Sequence[StoredDocument], question: Question
) -> TableAnswer | None:
    """The answer that the tables on the pages of these documents give; None where they do not surely answer every part
    of the question."""
    if question.scope.wanted != "passages":
        return None
    parts = [_of_own_words(part) for part in question.parts]
    are_looked_up = all(part.kind in _KINDS for part in parts)
    if not parts or not are_looked_up and (len(parts) > 1 or parts[0].kind not in _MISTAKEN):
        return None
    tables = await tables_of(conn, documents)
    if not tables.rows:
        return None
    by_id = {document.id: document for document in documents}
    if not are_looked_up:
        listed = await asyncio.to_thread(rows_listed, tables, parts[0], question.answer_language)
        return await _answer(conn, by_id, [listed], question)
    if len(parts) > 1 and _wants_change(question):  # between 2021 and 2022: one thing, though it names two
        parts = [replace(parts[0], text=question.core, context="", follows=False)]
    answers: list[Answered | None] = []
    if len(parts) > 1 and (whole := await asyncio.to_thread(together, tables, parts, question)):
        parts, answers = [], [whole]
    for part in parts:
        alike = await _alike(conn, encoders.serving_for(part.language), tables, part)
        answer = await asyncio.to_thread(answered, tables, part, question.answer_language, alike)
        if answer is None and answers and part.follows and answers[-1]:
            query = Query(own_tokens(part), part.language, tables)
            if row := row_of_both(query, answers[-1], question.answer_language):
                answers[-1] = row
                continue
        answers.append(answer)
    if len(parts) > 1 and None in answers and not parts[0].follows:
        query = Query(tokens(question.core), question.language, tables, naming(parts[0], tables))
        answers = [row_of_all(query, question.answer_language)]
    if same := row_of_same(answers, question.answer_language):
        answers = [same]
    return await _answer(conn, by_id, answers, question)


async def _answer(
    conn: Connection, by_id: dict[int, StoredDocument], answers: Sequence[Answered | None], question: Question
) -> TableAnswer | None:
    """The answers to all parts, with their sources; None where a part has none."""
    sources: list[Source] = []
    texts = []
    for answer in answers:
        if answer is None:
            return None
        text, rows = answer
        texts.append(text + await _marks(conn, by_id, rows, sources))
    if len(set(texts)) < len(texts):
        return None  # how many, and at what price: the same for both is no answer to one of them
    cites = question.options.cite_source
    return (
        TableAnswer("\n".join(texts), sources)
        if cites
        else TableAnswer("\n".join(t for t, _ in filter(None, answers)), [])
    )


def together(tables: Tables, parts: Sequence[Part], question: Question) -> Answered | None:
    """What a question that names several things has computed from their values, or set side by side."""
    if parts[0].follows:  # the others may follow it, which is a part of the question
        return None
    named = [word for part in parts for word in naming(part, tables)]
    for text in wordings(replace(parts[0], text=question.core)):
        own = tokens(text)
        for each in tables.both_ways:
            if len(own) <= MOST_TOKENS and (answer := calculated(each, own, parts[0], named, question.answer_language)):
                return answer
    return None


async def _marks(
    conn: Connection, documents: dict[int, StoredDocument], rows: Sequence[Placed], sources: list[Source]
) -> str:
    """The marks of the passages that hold these rows, which are added to the sources."""
    marks: dict[str, None] = {}
    for placed in rows:
        text = await store.document_tables.passage(conn, placed.document, placed.page_number, placed.row.start)
        doc_id = documents[placed.document].doc_id
        number = next(
            (s.id for s in sources if (s.doc_id, s.page_number, s.source_chunk) == (doc_id, placed.page_number, text)),
            0,
        )
        if not number:
            number = len(sources) + 1
            sources.append(Source(number, doc_id, text, placed.page_number))
        marks[f" [{number}]"] = None
    return "".join(marks)


def _of_own_words(part: Part) -> Part:
    """The part without an opinion on its kind that its words deny: what does not begin with a verb is no question for
    yes or no, and what is to be compared is not to be described."""
    if part.kind == "description" and spoken("comparing", own_tokens(part), part.language):
        return replace(part, kind="compare")
    is_opinion = part.kind == "whether" and not part.begins_with_verb
    return replace(part, kind="fact") if is_opinion else part


def _wants_change(question: Question) -> bool:
    return wants_change(tokens(question.core), (), question.language)


async def _alike(conn: Connection, embedder: Embedder | None, tables: Tables, part: Part) -> Alike:
    """What the question's words that no table has may mean: headings and labels that an embedder finds near."""
    own_tokens = tokens_of(part)
    if embedder is None or not 0 < len(own_tokens) <= MOST_TOKENS:
        return {}
    query = Query(own_tokens, part.language, tables, naming(part, tables))
    if not 0 < len(query.unknown) <= MOST_UNKNOWN or not query.forms:
        return {}
    names: dict[str, None] = {}
    words: dict[str, None] = {}
    for placed in query.candidates()[:MOST_TABLES_COMPARED]:
        names |= dict.fromkeys([placed.row.label, *placed.grid.columns, placed.grid.title])
        words |= dict.fromkeys(word for row in placed.grid.rows for word in words_of(row.label) if word.isalpha())
    own = [name for name in names if 0 < len(name) <= LONGEST_NAME][:MOST_NAMES]
    single = [word for word in words if len(word) > 2][:MOST_WORDS]
    known = await vectors(embedder, [*query.unknown, *own, *single], MOST_NEW)
    near = await cosines(conn, embedder, query.unknown, own, known, LEAST_ALIKE)
    same = await cosines(conn, embedder, query.unknown, single, known, SAME)
    return {
        word: {own[i]: min(1.0, cosine + SURER) for i, cosine in near.get(word, ())}
        | {single[i]: cosine for i, cosine in same.get(word, ())}
        for word in query.unknown
    }
