"""Questions that a table in a document answers: a cell, a change from one period to another, the first of a rank, the
rows that missed their target.

The tables are read from the pages' text when a document is first asked, and kept while it is asked again.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from aiosqlite import Connection

from docqa import store
from docqa.formats.columns import Column
from docqa.languages import phrase
from docqa.models.embedder import Embedder
from docqa.models.encoders import Encoders
from docqa.questions.question import Part, Question
from docqa.records import Source
from docqa.store.documents import StoredDocument
from docqa.tables.alike import cosines, vectors
from docqa.tables.cells import Placed, Tables, words_of
from docqa.tables.counting import TableAnswer
from docqa.tables.derived import against, amount, by_year, periods, ranked, wants_change
from docqa.tables.lookup import Cell, is_sure, look_up, over_years
from docqa.tables.query import YEAR, Alike, Query
from docqa.tables.values import computed, name_of, sentence, value_of, with_unit
from docqa.tables.wording import written
from docqa.tables.words import listed
from docqa.text.keys import key

KEPT = 32  # documents
MOST_DOCUMENTS = 20
MOST_TOKENS = 40
MOST_UNKNOWN = 4  # words of a question that are compared with names in tables by meaning
MOST_TABLES_COMPARED = 12  # rows with their tables
MOST_NAMES = 48
MOST_NEW = 32  # texts encoded for one question
LONGEST_NAME = 120
LEAST_ALIKE = 0.45  # cosine, on the embedder's scale; unrelated names have 0.3 at most
SURER = 0.25  # what is alike at all counts nearly as the same
LEAST_DERIVED = 0.6  # of the question, for a figure that is computed
_KINDS = ("fact", "number", "list")
_RANKS = (
    "highest",
    "lowest",
    "best",
    "worst",
    "top",
    "busiest",
    "quietest",
    "cheapest",
    "dearest",
    "fastest",
    "slowest",
)
_LOW = ("lowest", "worst", "quietest", "cheapest", "fastest")

_kept: OrderedDict[tuple[str, int], Tables] = OrderedDict()  # by doc_id and the length of its text


async def answer_by_look_up(
    conn: Connection, encoders: Encoders, documents: Sequence[StoredDocument], question: Question
) -> TableAnswer | None:
    """The answer that the tables on the pages of these documents give; None where they do not surely answer every part
    of the question."""
    if question.scope.wanted != "passages" or not 0 < len(documents) <= MOST_DOCUMENTS:
        return None
    parts = [part for part in question.parts if part.kind in _KINDS]
    if not parts or len(parts) < len(question.parts):
        return None
    each = [await _tables(conn, document) for document in documents]
    tables = each[0].joined(each[1:]) if len(each) > 1 else each[0]
    if not tables.rows:
        return None
    if len(parts) > 1 and _wants_change(question):  # between 2021 and 2022: one thing, though it names two
        parts = [replace(parts[0], text=question.text, context="", follows=False)]
    answers = []
    for part in parts:
        alike = await _alike(encoders.embedder_for(part.language), tables, part)
        answers.append(await asyncio.to_thread(_answered, tables, part, question.answer_language, alike))
    by_id = {document.id: document for document in documents}
    sources: list[Source] = []
    texts = []
    for answer in answers:
        if answer is None:
            return None
        text, rows = answer
        texts.append(text + await _marks(conn, by_id, rows, sources))
    cites = question.options.cite_source
    return (
        TableAnswer("\n".join(texts), sources)
        if cites
        else TableAnswer("\n".join(t for t, _ in filter(None, answers)), [])
    )


async def _tables(conn: Connection, document: StoredDocument) -> Tables:
    place = (document.doc_id, await store.tables.text_length(conn, document.id))
    if place not in _kept:
        pages = await store.tables.page_texts(conn, document.id)
        _kept[place] = await asyncio.to_thread(Tables.of, document.id, pages)
        if len(_kept) > KEPT:
            _kept.popitem(last=False)
    _kept.move_to_end(place)
    return _kept[place]


async def _marks(
    conn: Connection, documents: dict[int, StoredDocument], rows: Sequence[Placed], sources: list[Source]
) -> str:
    """The marks of the passages that hold these rows, which are added to the sources."""
    marks: dict[str, None] = {}
    for placed in rows:
        text = await store.tables.passage(conn, placed.document, placed.page_number, placed.row.start)
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


# --- what is answered -------------------------------------------------------------------------------------------------

Answered = tuple[str, list[Placed]]  # the text, and the rows that it rests on


def _wants_change(question: Question) -> bool:
    return wants_change(key(question.text).split(), (), question.language)


async def _alike(embedder: Embedder | None, tables: Tables, part: Part) -> Alike:
    """What the question's words that no table has may mean: headings and labels that an embedder finds near."""
    tokens = _tokens(part)
    if embedder is None or not 0 < len(tokens) <= MOST_TOKENS:
        return {}
    query = Query(tokens, part.language, tables, _named(part))
    if not 0 < len(query.unknown) <= MOST_UNKNOWN or not query.forms:
        return {}
    names: dict[str, None] = {}
    for placed in query.candidates()[:MOST_TABLES_COMPARED]:
        names |= dict.fromkeys([placed.row.label, *placed.grid.columns, placed.grid.title])
    own = [name for name in names if 0 < len(name) <= LONGEST_NAME][:MOST_NAMES]
    known = await vectors(embedder, [*query.unknown, *own], MOST_NEW)
    near = await asyncio.to_thread(cosines, embedder, query.unknown, own, known, LEAST_ALIKE)
    return {word: {own[i]: min(1.0, cosine + SURER) for i, cosine in near_names} for word, near_names in near.items()}


def _tokens(part: Part) -> list[str]:
    return key(part.searched if part.follows else part.text).split()


def _named(part: Part) -> list[str]:
    return [word for own in part.named.values() for word in own]


def _answered(tables: Tables, part: Part, language: str, alike: Alike | None = None) -> Answered | None:
    tokens = _tokens(part)
    if not 0 < len(tokens) <= MOST_TOKENS:
        return None
    if _spoken("explaining", f" {' '.join(tokens)} ", part.language):
        return None
    named = _named(part)
    spoken = f" {' '.join(tokens)} "
    ranks = {name: _spoken(name, spoken, part.language) for name in _RANKS}
    in_years = _asks_for_year(tokens, part.language)
    if in_years:
        return _year_of(tokens, part, tables, named, language)
    if any(ranks.values()):
        but = frozenset(word for some in ranks.values() for word in some)
        return _first(Query(tokens, part.language, tables, named, but), any(ranks[name] for name in _LOW), language)
    for name in ("missed", "reached"):
        words = _spoken(name, spoken, part.language)
        if words and (part.kind == "list" or listed("list", part.language) & set(tokens)):
            query = Query(tokens, part.language, tables, named, frozenset(words))
            if answer := _against(query, language, short=name == "missed"):
                return answer
    query = Query(tokens, part.language, tables, named, alike=alike)
    cells = look_up(query)
    if cells and wants_change(tokens, words_of(cells[0].placed.row.cells[cells[0].named_by]), part.language):
        return _change(tokens, part, tables, named, language)
    if not is_sure(cells):
        return None
    cell = cells[0]
    if len(query.years) > 1:
        several = over_years(query, cell)
        values = "; ".join(f"{_year(each, query)}: {value_of(each)}" for each in several)
        stop = phrase("full_stop", language)
        return (f"{name_of(cell, with_column=False)}: {values}{stop}", [cell.placed]) if several else None
    if cell.is_guess and part.expects != "number" and part.has_question_word:
        return None
    return (sentence(cell, language), [cell.placed]) if _is_of_kind(cell, part) else None


def _spoken(name: str, spoken: str, language: str) -> set[str]:
    """The words of a list that the question has."""
    return {word for phrase_ in listed(name, language) if f" {phrase_} " in spoken for word in phrase_.split()}


def _year(cell: Cell, query: Query) -> str:
    return next((year for year in query.years if year in cell.heading), cell.heading)


def _is_of_kind(cell: Cell, part: Part) -> bool:
    """Whether the value is what is asked for: a number for "how many", words for "who" and "where"."""
    has_digit = any(map(str.isdigit, cell.value))
    if part.expects in ("person", "place"):
        return not has_digit
    return has_digit or part.expects not in ("number", "date")


def _first(query: Query, lowest: bool, language: str) -> Answered | None:
    """The row at one end of a column: which product has the best margin."""
    first = ranked(query, query.tables, lowest=lowest)
    if first is None:
        return None
    cell = Cell(first.placed, first.column)
    return sentence(cell, language), [first.placed]


def _asks_for_year(tokens: Sequence[str], language: str) -> bool:
    """Whether the question is in which year something was so."""
    lists, years = listed("list", language), listed("year", language)
    return any(first in lists and second in years for first, second in pairwise(tokens))


def _year_of(tokens: Sequence[str], part: Part, tables: Tables, named: Sequence[str], language: str) -> Answered | None:
    """The year in which a value was highest or lowest: in which year was revenue larger."""
    high = listed("highest", part.language) | listed("higher", part.language)
    low = listed("lowest", part.language) | listed("lower", part.language)
    spoken = f" {' '.join(tokens)} "
    is_high, is_low = (any(f" {word} " in spoken for word in some) for some in (high, low))
    if is_high == is_low:
        return None
    but = frozenset(word for some in (high, low) for phrase_ in some for word in phrase_.split())
    query = Query(tokens, part.language, tables, named, but)
    cells = look_up(Query([t for t in tokens if t not in query.years], part.language, tables, named, but))
    if not is_sure(cells) or (cell := by_year(query, cells[0], lowest=is_low)) is None:
        return None
    year = YEAR.findall(cell.heading)[0]
    return f"{year} ({name_of(cell, with_column=False)}: {value_of(cell)}){phrase('full_stop', language)}", [
        cell.placed
    ]


def _against(query: Query, language: str, *, short: bool) -> Answered | None:
    rows = against(query, query.tables, short=short)
    if not rows:
        return None
    said = phrase("phrases.tables.against", language)
    items = [
        said.format(
            row.placed.row.label,
            with_unit(row.placed.row.cells[row.column], Cell(row.placed, row.column)),
            with_unit(row.placed.row.cells[row.other], Cell(row.placed, row.other)),
        )
        for row in rows
    ]
    return "; ".join(items) + phrase("full_stop", language), [row.placed for row in rows]


def _change(tokens: Sequence[str], part: Part, tables: Tables, named: Sequence[str], language: str) -> Answered | None:
    """How a value changed from one period to another, with both values."""
    but = frozenset(word for name in ("rise", "fall", "change", "share") for word in listed(name, part.language))
    query = Query([token for token in tokens if token not in but], part.language, tables, named)
    plain = Query([token for token in query.text.split() if token not in query.years], part.language, tables, named)
    cells = look_up(plain)
    if not is_sure(cells, LEAST_DERIVED):
        return None
    pair = periods(query, cells[0])
    if pair is None:
        return None
    first, last = pair
    before, after = amount(first.value), amount(last.value)
    if before is None or after is None:
        return None
    name = name_of(replace(last), with_column=False)
    years = [next(year for year in _years(cell)) for cell in pair]
    text = "rose" if after > before else "fell" if after < before else "same"
    by = with_unit(computed(abs(after - before), last.value), last)
    if before and "%" not in last.value:
        share = written(float(100 * abs(after - before) / abs(before)), Column("", "number", decimals=1), language)
        by = f"{share} % ({by})"
    said = phrase(f"phrases.tables.{text}", language)
    return (
        said.format(name, by, value_of(first), years[0], value_of(last), years[1]) + phrase("full_stop", language),
        [last.placed],
    )


def _years(cell: Cell) -> list[str]:
    return YEAR.findall(cell.heading)
