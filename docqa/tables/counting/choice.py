"""Which table a question is asked of: the one whose columns and values account for its words, of several the one that
it names or that more of its words belong to."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from docqa import store
from docqa.errors import Unavailable
from docqa.formats.columns import Value
from docqa.languages import phrase
from docqa.models.encoders import Encoders
from docqa.questions.question import Question
from docqa.store.documents import StoredDocument
from docqa.store.sql import Connection
from docqa.store.table_plan import Filter, Plan, StoredTable
from docqa.store.tables import NamedValues
from docqa.tables.counting.composing import composer_of
from docqa.tables.counting.intent import Composer, Intent
from docqa.tables.counting.roles import Form
from docqa.tables.counting.view import View
from docqa.tables.headings import NEAR, heading, likeness
from docqa.tables.phrases import key_words, phrases
from docqa.tables.reading.layout import laid_out, near_values
from docqa.tables.reading.plan import is_readable, likeliest, planned
from docqa.tables.results import TableAnswer
from docqa.tables.words import listed
from docqa.text.detect import is_function_word

MOST_TRIED = 12  # tables, those that have most of the question's words
MOST_READ = 4  # tables that the reader reads beside a question, each for some 30 ms
MOST_UNKNOWN = 3  # words of a question; with more it is about something else
LIKELY = 0.6  # the chance from which on the reader's plan is carried out: of those between this and 0.7 half are right
CLEARER = 0.5  # a word more that a table accounts for


@dataclass(frozen=True)
class Fitting:
    """A table that can answer, with the plan; `unknown` are words that it does not account for, `weight` says how well
    it accounts for the others. `sheet` is where the table stands, "" where its document has no other sheet; `named` are
    the columns that the question names, and those of money, which it may ask for without."""

    table: StoredTable
    plan: Plan
    noun: str = ""
    unknown: tuple[str, ...] = ()
    weight: float = 0.0
    counts: bool = True  # whether the question has a word of counting or measuring
    sheet: str = ""
    named: frozenset[int] = frozenset()
    is_told: bool = True  # whether the question has half of the words of what is measured, and is of several rows
    lacks_measured: bool = False  # whether what is counted or measured is not understood: how many square metres
    names: tuple[int, ...] = ()  # the columns that tell rows apart
    is_whether: bool = False  # whether it wants yes or no
    asks_existence: bool = False  # whether it asks if there are such rows, and says nothing of all of them
    is_of_named_row: bool = False  # whether it is a row as a whole that the question names
    wants_less: bool = False  # of two things that are compared, whether the first is less

    @property
    def compared(self) -> tuple[Value, ...]:
        """The values whose groups are compared with each other, none for other plans."""
        of_groups = (test for test in self.plan.filters if test.place == self.plan.group and test.operator == "=")
        return next((test.values for test in of_groups if len(test.values) > 1), ())

    @property
    def tells_existence(self) -> bool:
        """Whether a row that passes the conditions makes yes the answer."""
        plan = self.plan
        return self.asks_existence and plan.measure == "rows" and plan.group is None and bool(plan.filters)


async def fitting_table(
    conn: Connection,
    encoders: Encoders,
    documents: Sequence[StoredDocument],
    question: Question,
    text: str,
    form: Form,
    *,
    is_read: bool = True,
) -> Fitting | TableAnswer | None:
    """The table that can answer the `text` of a question, or of a part of it, put in this `form`; of several the one
    that it names, or that accounts for more of it, else the question which is meant. Where the text `is_read`, what the
    reader is sure of goes before what the words tell."""
    by_id = {document.id: document for document in documents}
    tables = await store.tables.tables(conn, list(by_id))
    if not tables:
        return None
    tokens = await asyncio.to_thread(key_words, text, form.language)
    values = await store.tables.named_values(conn, [table.id for table in tables], phrases(tokens))
    fitting: list[Fitting] = []
    tried = _likeliest(tables, values, tokens, form.language)
    for table in tried:
        several = any(other.document == table.document and other.sheet != table.sheet for other in tables)
        document = by_id[table.document]
        known = values.get(table.id, {})
        to_read = text if is_read and len(tried) <= MOST_READ else ""
        if fits := await _intended(conn, encoders, document, table, tokens, form, known, to_read):
            fitting.append(replace(fits, sheet=table.sheet if several else ""))
    fitting = [each for each in fitting if not each.unknown] or _best_known(fitting)
    if len(fitting) > 1:
        fitting = list(_clearest(_named(fitting, tokens)))
    if len(fitting) > 1:
        if all(each.unknown for each in fitting):
            return None
        names = ", ".join(dict.fromkeys(each.sheet or each.table.name for each in fitting))
        return TableAnswer(phrase("phrases.tables.which", question.answer_language).format(names), [])
    return fitting[0] if fitting else None


def _likeliest(
    tables: Sequence[StoredTable], values: Mapping[int, NamedValues], tokens: Sequence[str], language: str
) -> list[StoredTable]:
    """The tables that are tried: of many those whose columns, values and names have most of the question's words."""
    if len(tables) <= MOST_TRIED:
        return list(tables)
    spoken = [token for token in tokens if not is_function_word(token)]

    def shared(table: StoredTable) -> int:
        own = {word for column in table.columns for word in heading(column).words}
        own |= {word for key in (*values.get(table.id, {}), *table.keys[:1]) for word in key.split()}
        return sum(any(likeness(token, word, language) >= NEAR for word in own) for token in spoken)

    ranked = sorted(((shared(table), table) for table in tables), key=lambda pair: -pair[0])
    return [table for count, table in ranked[:MOST_TRIED] if count]


def _best_known(fitting: Sequence[Fitting]) -> list[Fitting]:
    """Of the tables of one document the one that leaves fewest words unknown; all tables where they are of several."""
    if len({each.table.document for each in fitting}) != 1:
        return list(fitting)
    return [min(fitting, key=lambda each: (len(each.unknown), -each.weight))]


def _named(fitting: Sequence[Fitting], tokens: Sequence[str]) -> list[Fitting]:
    """Those that the question names, by their sheet or else by their document; all where it names none."""
    text = f" {' '.join(tokens)} "
    for narrow in (True, False):
        named = [
            each
            for each in fitting
            if any(f" {key} " in text for key in (each.table.keys[:1] if narrow else each.table.keys))
        ]
        if named:
            return named
    return list(fitting)


def _clearest(fitting: Sequence[Fitting]) -> Iterator[Fitting]:
    best = max(each.weight for each in fitting)
    return (each for each in fitting if each.weight > best - CLEARER)


async def _intended(
    conn: Connection,
    encoders: Encoders,
    document: StoredDocument,
    table: StoredTable,
    tokens: list[str],
    form: Form,
    values: NamedValues,
    text: str,
) -> Fitting | None:
    """What the question means by its words, or as the reader reads its `text`, where it asks for a figure or for rows
    of this table."""
    composer = await composer_of(conn, encoders, document, table, tokens, form, values)
    if composer is None:
        return None
    view, language, mentions = composer.view, form.language, composer.all
    intent = composer.intent()
    if text and is_readable(composer.kinds, intent.plan if intent and not intent.unknown else None):
        as_read = await _as_read(conn, encoders, composer, values, text)
        # "Per category" says which groups there are, whatever a reader makes of it, and so do two that are compared.
        says_groups = "group" in composer.kinds or composer.compares
        groups = intent is not None and intent.plan.group is not None and says_groups
        complete = intent.plan if intent and not intent.unknown else None
        leaves_out = as_read and complete and set(as_read.plan.filters) < set(complete.filters)
        if as_read and not (groups and as_read.plan.group is None) and not leaves_out:
            intent = intent if composer.contradicts(as_read.plan, complete) else as_read
    if intent is None or (intent.unknown and not composer.asks_to_count) or len(intent.unknown) > MOST_UNKNOWN:
        return None
    named = sum(mention.kind in ("column", "value") and mention.is_exact for mention in mentions)
    weight = named + sum(mention.weight for mention in mentions)
    columns = frozenset(mention.place for mention in mentions if mention.kind == "column")
    return Fitting(
        table,
        intent.plan,
        intent.noun,
        intent.unknown,
        weight,
        composer.asks_to_count,
        named=columns | view.of_money,
        is_told=_is_told(view, intent.plan, composer.tokens, language),
        lacks_measured=composer.lacks_measured,
        names=tuple(view.identifiers),
        is_whether=composer.asks_whether,
        is_of_named_row=composer.is_of_named_row(intent.plan),
        wants_less=composer.compares_by("lower"),
        asks_existence=form.is_whether and not composer.compares and _selects(view, intent.plan, tokens, language),
    )


def _selects(view: View, plan: Plan, tokens: Sequence[str], language: str) -> bool:
    """Whether a condition is about more than which row is meant, and nothing is said of all rows."""
    is_of_all = not listed("every", language).isdisjoint(tokens)
    return not is_of_all and any(test.place not in view.identifiers for test in plan.filters)


def _is_told(view: View, plan: Plan, tokens: Sequence[str], language: str) -> bool:
    """Whether the tokens have half of the words of the column that is measured, and no condition picks a single row."""
    if view.picks_a_row((*plan.filters, *plan.counted)):
        return False
    heading_words = view.headings[plan.place].words if plan.place is not None else ()
    own = [word for word in heading_words if not is_function_word(word)]
    said = sum(any(likeness(token, word, language) >= NEAR for token in tokens) for word in own)
    return 2 * said >= len(own)


async def _as_read(
    conn: Connection, encoders: Encoders, composer: Composer, values: NamedValues, text: str
) -> Intent | None:
    """What a reader that has learned everyday questions takes it for, if that is likely, and there is something to say
    of it."""
    view, language = composer.view, composer.language
    reader = encoders.reader_for(language)
    if reader is None or not reader.reads_tables:
        return None
    near = await asyncio.to_thread(near_values, view, composer.tokens, language, values)
    layout = laid_out(view, near)
    try:
        reading = await reader.read_table(text, layout.text, [spot.start for spot in layout.spots])
    except Unavailable:
        return None  # the background work loads it again; the words still tell
    parts = likeliest(layout, reading)
    limit = composer.limit or 1
    read = planned(view, composer.all, layout, parts, limit) if parts.chance >= LIKELY else None
    plan = composer.meant(read) if read else None
    if plan is None or not await _says_something(conn, view.table, plan):
        return None
    return Intent(plan, noun=composer.noun)


async def _says_something(conn: Connection, table: StoredTable, plan: Plan) -> bool:
    """Whether a row passes the filters, and has what is measured; a number of rows may be none."""
    if plan.place is None and not plan.gives_rows:
        return True
    given = () if plan.place is None else (Filter(plan.place, "present"),)
    return bool(await store.tables.first_rows(conn, table, replace(plan, filters=(*plan.filters, *given)), 1))
