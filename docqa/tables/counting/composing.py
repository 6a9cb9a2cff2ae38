"""The words of a question read against a stored table: by their forms, and where an embedding model is at hand, by
meaning."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from docqa import store
from docqa.languages import words
from docqa.models.embedder import Embedder
from docqa.models.encoders import Encoders
from docqa.store.documents import StoredDocument
from docqa.store.sql import Connection
from docqa.store.table_plan import StoredTable
from docqa.store.tables import NamedValues
from docqa.tables.alike import cosines, vectors
from docqa.tables.counting.intent import Composer
from docqa.tables.counting.mentions import ALIKE, MOST_TOKENS, Alike, Mention, Reader
from docqa.tables.counting.roles import Form
from docqa.tables.counting.view import View
from docqa.tables.headings import INFLECTED, NEAR, heading, likeness
from docqa.tables.phrases import key_words, phrases
from docqa.text.keys import key

MOST_NAMES = 300  # names and values of a table that are compared by meaning
KEPT_VIEWS = 64
SHORTEST_PART = 4  # letters of a compound's part
STANDS_OUT = 0.12  # of cosine

_views: OrderedDict[tuple[str, int], View] = OrderedDict()  # by doc_id and table, which are never used again


async def composer_of(
    conn: Connection,
    encoders: Encoders,
    document: StoredDocument,
    table: StoredTable,
    tokens: Sequence[str],
    form: Form,
    values: NamedValues,
) -> Composer | None:
    """What makes a plan of these words, each with what it means in the table; None where there are none or too many, or
    the table cannot be read in time."""
    if not 0 < len(tokens) <= MOST_TOKENS or (view := await _view(conn, document, table)) is None:
        return None
    tokens = _without_prefixes(tokens, view, form.language)
    tokens, modifiers = _compounds_apart(tokens, view, form.language)
    reader = Reader(view, tokens, form.language, {**values, **modifiers})
    mentions = await asyncio.to_thread(reader.mentions)
    embedder = encoders.serving_for(form.language)
    if embedder is not None and any(mention.kind == "unknown" for mention in mentions):
        reader.alike = await _alike(conn, embedder, view, tokens, mentions)
        mentions = await asyncio.to_thread(reader.mentions)
    return Composer(view, mentions, tokens, form)


async def continuing_composer(
    conn: Connection,
    encoders: Encoders,
    documents: Sequence[StoredDocument],
    message: str,
    form: Form,
    table: StoredTable,
) -> Composer | None:
    """What makes a plan of a message alone, over the table that the question before was asked of; None as for
    `composer_of`."""
    document = next(document for document in documents if document.id == table.document)
    tokens = await asyncio.to_thread(key_words, message, form.language)
    values = await store.tables.named_values(conn, [table.id], phrases(tokens))
    return await composer_of(conn, encoders, document, table, tokens, form, values.get(table.id, {}))


async def _view(conn: Connection, document: StoredDocument, table: StoredTable) -> View | None:
    place = document.doc_id, table.id
    if place not in _views:
        contents = await store.tables.contents(conn, table)
        if contents is None:
            return None
        _views[place] = View(table, contents)
        if len(_views) > KEPT_VIEWS:
            _views.popitem(last=False)
    return _views[place]


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


def _compounds_apart(
    tokens: Sequence[str], view: View, language: str
) -> tuple[list[str], dict[str, dict[int, list[str]]]]:
    """The words with what a row is apart from a value before it, and these values by their keys and places:
    Wartungsrechnung, of the invoices for Wartung."""
    values: dict[str, dict[int, list[str]]] = {}
    for place, known in view.contents.values.items():
        for value in known:
            values.setdefault(key(value), {}).setdefault(place, []).append(value)
    linking = ("", *words("tables.endings", language))
    apart: list[str] = []
    modifiers = {}
    for token in tokens:
        heads = (
            at
            for at in range(SHORTEST_PART, len(token) - SHORTEST_PART + 1)
            if any(likeness(token[at:], noun, language) >= INFLECTED for noun in view.row_nouns)
        )
        divided = (
            (token[: at - len(link)], token[at:]) for at in heads for link in linking if token[:at].endswith(link)
        )
        value, head = next(((value, head) for value, head in divided if value in values), ("", token))
        if value:
            modifiers[value] = values[value]
        apart += [value, head] if value else [head]
    return apart, modifiers


async def _alike(
    conn: Connection, embedder: Embedder, view: View, tokens: Sequence[str], mentions: Sequence[Mention]
) -> Alike:
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
    near = await cosines(conn, embedder, spoken, [name for *_, name in named], known, ALIKE)
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
