"""Questions that the rows of a CSV answer: counting, measuring, ranking, looking up. A plan is made
of what the question's words mean in the table.

What was not understood is named, with the columns there are; an answer that leaves it out would be another question's.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aiosqlite import Connection

from docqa import store
from docqa.languages import phrase, words
from docqa.models.embedder import Embedder
from docqa.models.encoders import Encoders
from docqa.questions.question import Question
from docqa.records import Source
from docqa.store.documents import StoredDocument
from docqa.store.table_plan import Plan, StoredTable
from docqa.tables.alike import cosines, vectors
from docqa.tables.counting.intent import Composer, Intent
from docqa.tables.counting.mentions import ALIKE, MOST_TOKENS, Alike, Mention, Reader, View
from docqa.tables.counting.wording import code, said
from docqa.tables.headings import NEAR, heading, likeness
from docqa.tables.phrases import phrases
from docqa.tables.results import TableAnswer
from docqa.text.keys import key

SOURCES = 8
MOST_TIES = 3  # rows that share the first place
FOLLOWING = 3  # groups that are named after the first
SHOWN = {"SHORT": 12, "LONG": 50}  # rows or groups in an answer
MOST_UNKNOWN = 3  # words of a question; with more it is about something else
MOST_NAMES = 300  # names and values of a table that are compared by meaning
KEPT_VIEWS = 64
STANDS_OUT = 0.12  # of cosine
_WORD = re.compile(r"[^\W_]+")

_views: OrderedDict[str, View] = OrderedDict()  # by doc_id, which is never used again


@dataclass(frozen=True)
class Fitting:
    """A table that can answer, with the plan; `unknown` are words that it does not account for."""

    table: StoredTable
    plan: Plan
    noun: str = ""
    unknown: tuple[str, ...] = ()


async def answer_by_counting(
    conn: Connection, encoders: Encoders, documents: Sequence[StoredDocument], question: Question
) -> TableAnswer | None:
    """What the rows of these CSV documents answer; None where the question is not one for them, or a statement takes
    too long."""
    if len(question.parts) > 1:
        parts = [
            await _fitting(conn, encoders, documents, question, key_words(part.text, question.language))
            for part in question.parts
        ]
        fitting = [part for part in parts if isinstance(part, Fitting) and not part.unknown]
        if len(fitting) == len(parts):
            return await _answer(conn, documents, question, fitting)
    whole = await _fitting(conn, encoders, documents, question, key_words(question.stand_alone, question.language))
    if isinstance(whole, Fitting) and not whole.unknown:
        return await _answer(conn, documents, question, [whole])
    if isinstance(whole, TableAnswer):
        return whole
    if isinstance(whole, Fitting) and len(documents) == len(question.documents) == 1:
        unknown = ", ".join(f"“{_as_written(word, question.text)}”" for word in whole.unknown)
        columns = ", ".join(column.name for column in whole.table.columns)
        text = phrase("phrases.tables.unknown", question.answer_language).format(unknown, whole.table.name, columns)
        return TableAnswer(text, [])
    return None


def key_words(text: str, language: str) -> list[str]:
    """The tokens of a question; the sign for per cent is a word of it, and so is what says "average" in a compound."""
    tokens = key(text.replace("%", " percent ")).split()
    return [part for token in tokens for part in _split(token, language)]


def _split(token: str, language: str) -> tuple[str, ...]:
    means = words("tables.mean", language)
    for mean in sorted(means, key=len, reverse=True):
        if len(mean) > 5 and token not in means and token.startswith(mean) and len(token) >= len(mean) + 4:
            return mean, token[len(mean) :]
    return (token,)


async def _fitting(
    conn: Connection, encoders: Encoders, documents: Sequence[StoredDocument], question: Question, tokens: list[str]
) -> Fitting | TableAnswer | None:
    """The table that can answer a question of these words; of several the one that it names, else the question which
    is meant."""
    fitting: list[Fitting] = []
    by_id = {document.id: document for document in documents}
    for table in await store.tables.tables(conn, list(by_id)):
        values = await store.tables.named_values(conn, table.document, phrases(tokens))
        if intent := await _intended(conn, encoders, by_id[table.document], table, tokens, question.language, values):
            fitting.append(Fitting(table, intent.plan, intent.noun, intent.unknown))
    fitting = [each for each in fitting if not each.unknown] or fitting
    if len(fitting) > 1:
        text = f" {' '.join(tokens)} "
        fitting = [each for each in fitting if f" {each.table.key} " in text] or fitting
    if len(fitting) > 1:
        if all(each.unknown for each in fitting):
            return None
        names = ", ".join(each.table.name for each in fitting)
        return TableAnswer(phrase("phrases.tables.which", question.answer_language).format(names), [])
    return fitting[0] if fitting else None


async def _intended(
    conn: Connection,
    encoders: Encoders,
    document: StoredDocument,
    table: StoredTable,
    tokens: list[str],
    language: str,
    values: dict[str, dict[int, list[str]]],
) -> Intent | None:
    """What the question means by its words, where it asks for a figure or for rows of this table."""
    if not 0 < len(tokens) <= MOST_TOKENS or (view := await _view(conn, document, table)) is None:
        return None
    tokens = _without_prefixes(tokens, view, language)
    reader = Reader(view, tokens, language, values)
    mentions = await asyncio.to_thread(reader.mentions)
    embedder = encoders.embedder_for(language)
    if embedder is not None and any(mention.kind == "unknown" for mention in mentions):
        reader.alike = await _alike(embedder, view, tokens, mentions)
        mentions = await asyncio.to_thread(reader.mentions)
    composer = Composer(view, mentions, tokens, language)
    intent = composer.intent()
    if intent is None or (intent.unknown and not composer.asks_to_count) or len(intent.unknown) > MOST_UNKNOWN:
        return None
    return intent


def _without_prefixes(tokens: Sequence[str], view: View, language: str) -> list[str]:
    """The words with "not" apart where a prefix says it of a column of yes and no: inactive, for Active."""
    flags = {word for place, known in enumerate(view.headings) if view.is_flag(place) for word in known.words}
    negation = next(iter(words("tables.negation", language)), "not")
    apart: list[str] = []
    for token in tokens:
        rests = (
            token.removeprefix(prefix) for prefix in words("tables.negating", language) if token.startswith(prefix)
        )
        rest = next((rest for rest in rests if any(likeness(rest, flag, language) >= NEAR for flag in flags)), "")
        apart += [negation, rest] if rest else [token]
    return apart


async def _view(conn: Connection, document: StoredDocument, table: StoredTable) -> View | None:
    if document.doc_id not in _views:
        contents = await store.tables.contents(conn, table)
        if contents is None:
            return None
        _views[document.doc_id] = View(table, contents)
        if len(_views) > KEPT_VIEWS:
            _views.popitem(last=False)
    return _views[document.doc_id]


async def _alike(embedder: Embedder, view: View, tokens: Sequence[str], mentions: Sequence[Mention]) -> Alike:
    """The columns and values that the words without a meaning come near to, alone or with the word beside."""
    spans = set()
    for mention in mentions:
        if mention.kind == "unknown":
            start, end = mention.start, mention.end
            spans |= {(start, end), (max(0, start - 1), end), (start, min(len(tokens), end + 1))}
    spoken = sorted({" ".join(tokens[start:end]) for start, end in spans})
    named = [(-1, "", noun) for noun in view.row_nouns]
    named += [(place, "", " ".join(heading(column).words)) for place, column in enumerate(view.table.columns)]
    for place, values in view.contents.values.items():
        if not view.is_flag(place):
            named += [(place, value, value) for value in values]
    named = named[:MOST_NAMES]
    known = await vectors(embedder, [*spoken, *(name for *_, name in named)])
    near = await asyncio.to_thread(cosines, embedder, spoken, [name for *_, name in named], known, ALIKE)
    return {
        words: [
            (place, value, cosine)
            for index, cosine in fitting[:3]
            for place, value, _ in [named[index]]
            if not value or _stands_out(index, cosine, fitting, named)
        ]
        for words, fitting in near.items()
    }


def _stands_out(
    index: int, cosine: float, near: Sequence[tuple[int, float]], named: Sequence[tuple[int, str, str]]
) -> bool:
    """Whether a phrase is nearer to this value than to the others of its column: what is near to several is their
    kind."""
    others = (other for at, other in near if at != index and named[at][0] == named[index][0] and named[at][1])
    return cosine - max(others, default=0.0) >= STANDS_OUT


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
    lines = await store.tables.lines(conn, table.document, rows) if cites or made.gives_rows else []
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
