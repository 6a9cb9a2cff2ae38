"""A question against some documents: candidates are found, ranked by their units, and completed.

Weights and thresholds were fitted on public question sets (SQuAD articles, alone and as one collection of 21).
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from docqa import store
from docqa.ingest import chunking
from docqa.models.embedder import Embedder
from docqa.models.encoders import stored_model
from docqa.questions.question import Part
from docqa.search.candidates import Request, find_candidates
from docqa.search.index import Index
from docqa.search.introductions import introducing
from docqa.search.passages import Passage
from docqa.search.ranking import InUnits, by_final_score, in_units, missing_vectors, with_scores
from docqa.search.weights import Query, weigh
from docqa.store.chunks import Beside, StoredChunk
from docqa.store.database import DRIVER
from docqa.store.documents import StoredDocument
from docqa.store.scopes import Scope
from docqa.store.sql import Connection, quoted
from docqa.tables.lookups.cells import Tables
from docqa.tables.lookups.named_rows import rows_named
from docqa.tables.lookups.reading import tables_of
from docqa.text.detect import is_function_word
from docqa.text.words import terms

log = logging.getLogger(__name__)

MOST_ROWS = 30  # of tables, that passages are found by
RERANKED = 10
RERANKED_MORE = 20  # where passages without any of the question's own words are found too
NOTHING = Beside("", "", "", "")


async def search(index: Index, documents: Sequence[StoredDocument], part: Part, top_k: int) -> list[Passage]:
    """The `top_k` best passages for one thing that is asked, best first; by full text alone while no embedder is
    usable. Documents whose language another embedder knows are searched apart, by that.

    Raises Unavailable when an embedder fails.
    """
    groups = await _by_embedder(index, documents, part)
    wordings = [await _worded(index, group, part, embedder) for embedder, group in groups.items()]

    async def ranked(conn: Connection, retrieved: Sequence[_Retrieved]) -> list[Passage]:
        passages: list[Passage] = []
        for each in retrieved:
            scored = with_scores(each.query, each.cut, part.named, each.embedder)
            passages += (by_final_score(scored) if index.rerank else scored)[:top_k]
        if len(retrieved) > 1:
            passages.sort(key=lambda passage: -passage.score)
        return await _completed(conn, passages[:top_k])

    async def look(conn: Connection) -> tuple[list[_Retrieved], list[Passage] | None]:
        retrieved = [await _find(conn, index, wording, part, max(top_k, RERANKED)) for wording in wordings]
        return retrieved, None if any(each.lacks_vectors for each in retrieved) else await ranked(conn, retrieved)

    retrieved, passages = await index.db.at_once(look)
    if passages is None:
        for each in retrieved:
            await _compare(index, each)
        passages = await index.db.at_once(lambda conn: ranked(conn, retrieved))
    return passages


@dataclass(frozen=True)
class _Wording:
    """A question as it is searched for in these documents: `vectors` are those of the question and of its `expansion`,
    `led_to` the chunks that a table's names lead to, or the name that it asks about, with how well they fit."""

    documents: Sequence[StoredDocument]
    embedder: Embedder | None
    expansion: str
    vectors: Sequence[bytes | None]
    led_to: Sequence[tuple[StoredChunk, float]]


class _Retrieved(NamedTuple):
    """What is found by a question, and the question as it was weighed."""

    embedder: Embedder | None
    query: Query
    cut: InUnits

    @property
    def lacks_vectors(self) -> bool:
        """Whether units have yet to be compared with the question."""
        return bool(self.embedder and self.query.vector and self.cut.lacking)


async def _by_embedder(
    index: Index, documents: Sequence[StoredDocument], part: Part
) -> dict[Embedder | None, list[StoredDocument]]:
    """The documents by the embedder that compares them with the question."""
    encoders = index.encoders
    knowing = {
        language: await encoders.embedder_for(part.language, language)
        for language in {document.language for document in documents}
    }
    groups: dict[Embedder | None, list[StoredDocument]] = {}
    for document in documents:
        groups.setdefault(knowing[document.language], []).append(document)
    beside = encoders.beside
    if beside is None or beside is encoders.serving or beside not in groups:
        return groups
    async with index.db.read() as conn:
        ids = [document.id for document in groups[beside]]
        embedded = await store.vectors.embedded(conn, ids, stored_model(beside))
    # What it has not embedded yet is found by words.
    for document in groups.pop(beside):
        own = beside if document.id in embedded else encoders.serving_for(part.language)
        groups.setdefault(own, []).append(document)
    return groups


async def _worded(index: Index, documents: Sequence[StoredDocument], part: Part, embedder: Embedder | None) -> _Wording:
    """The question as it is searched for in these documents. Raises Unavailable."""
    used: list[str] = []
    led_to: list[tuple[StoredChunk, float]] = []
    if part.expansions or part.name:
        async with index.db.read() as conn:
            scope = await store.scopes.scope_of(conn, [document.id for document in documents])
            used = await _used(conn, scope, part)
            led_to = await _tabled(conn, documents, part, used)
            led_to += [(chunk, 1.0) for chunk in await introducing(conn, scope, part.name)]
    expansion = ", ".join(used)
    vectors = [
        await embedder.encode_question(text) if embedder else None
        for text in [part.searched, *([expansion] if expansion else [])]
    ]
    return _Wording(documents, embedder, expansion, vectors, led_to)


async def _find(conn: Connection, index: Index, wording: _Wording, part: Part, least: int) -> _Retrieved:
    """What is found, `least` passages or more where there are, as far as their units have vectors compared."""
    documents, embedder, vectors = wording.documents, wording.embedder, wording.vectors
    by_id = {document.id: document for document in documents}
    scope = await store.scopes.scope_of(conn, list(by_id))
    model = stored_model(embedder) if embedder else None
    begun = store.nearest.begin(index.db.vectors, scope, model, vectors[0]) if model and vectors[0] else None
    words = store.full_text.at_hand(index.db.words, scope)
    query, *expanded = [
        await weigh(conn, scope, asking, part.language, vector, part.name_terms, words)
        for asking, vector in zip([part.searched_terms, terms(wording.expansion)], vectors, strict=False)
    ]
    across = frozenset(
        document.id for document in documents if embedder and embedder.crosses(part.language, document.language)
    )
    names = {id_: terms for id_, terms in part.named.items() if id_ in by_id}
    request = Request(scope, query, next(iter(expanded), None), names, part.pages, across, wording.led_to, begun)
    limit = max(least, RERANKED_MORE) if wording.expansion or across else least
    candidates = await find_candidates(conn, request, embedder, index.db.vectors, limit)
    chunk_ids = [candidate.chunk.id for candidate in candidates]
    blocks = await store.chunks.blocks(conn, {candidate.chunk.id: candidate.chunk.text for candidate in candidates})
    passages = [
        Passage(
            chunk=candidate.chunk,
            document=by_id[candidate.chunk.document],
            scores=candidate.scores,
            score=candidate.fused,
            blocks=blocks[candidate.chunk.id],
            across=candidate.chunk.document in across,
        )
        for candidate in candidates
    ]
    cut = in_units(passages)
    if model and query.vector:
        await cut.compare(conn, query.vector, await store.vectors.sentence_vectors(conn, chunk_ids, model))
    return _Retrieved(embedder, query, cut)


async def _compare(index: Index, retrieved: _Retrieved) -> None:
    """Compare the units that have no vectors yet, which are made now and kept. Raises Unavailable."""
    embedder, vector = retrieved.embedder, retrieved.query.vector
    if embedder and vector and (made := await missing_vectors(retrieved.cut, embedder)):
        await index.db.at_once(lambda conn: retrieved.cut.compare(conn, vector, made))
        await _keep(index, embedder, made)


async def _keep(index: Index, embedder: Embedder, made: Mapping[int, bytes]) -> None:
    """Store vectors of units that a question had to wait for: the next one shall not."""
    try:
        async with index.db.write() as conn:
            await store.vectors.set_sentences(conn, made.items(), stored_model(embedder))
    except (DRIVER.Error, LookupError) as error:
        log.warning("vectors of %d passages are not kept: %s", len(made), error)  # the answer does not need that


async def _used(conn: Connection, scope: Scope, part: Part) -> list[str]:
    """What the question's terms stand for, where these documents use the words: one chunk has all of a phrase."""
    used = []
    for phrase in dict.fromkeys(meaning for expansion in part.expansions for meaning in expansion.means):
        words = [term for term in terms(phrase) if not is_function_word(term)]
        if await store.full_text.any_match(conn, scope, " AND ".join(map(quoted, words))):
            used.append(phrase)
    return used


async def _tabled(
    conn: Connection, documents: Sequence[StoredDocument], part: Part, names: Sequence[str]
) -> list[tuple[StoredChunk, float]]:
    """The chunks with rows of tables that have these names, best first, with how well they fit, 0 to 1."""
    tables = await tables_of(conn, documents) if names else Tables()
    rows = await asyncio.to_thread(rows_named, tables, names, part.language) if tables.rows else []
    fitting: dict[int, tuple[StoredChunk, float]] = {}
    for placed, score in rows[:MOST_ROWS]:
        for chunk in await store.chunks.page_chunks(conn, placed.document, [placed.page_number]):
            if chunk.start <= placed.row.start < chunk.start + len(chunk.text):
                fitting.setdefault(chunk.id, (chunk, score))
    return list(fitting.values())


async def _completed(conn: Connection, passages: Sequence[Passage]) -> list[Passage]:
    """The passages with the rest of paragraphs they were cut out of: "it" or "the company" is named there.

    What follows a chunk is left to the next chunk if that was found too. What precedes it is not: a source must be
    understood by itself.
    """
    ids = {passage.chunk.id for passage in passages}
    beside = await store.chunks.beside(conn, ids)
    return [
        _complete(passage, beside.get(passage.chunk.id, NOTHING), next_found=passage.chunk.id + 1 in ids)
        for passage in passages
    ]


def _complete(passage: Passage, beside: Beside, *, next_found: bool) -> Passage:
    before = chunking.before(beside.before, beside.gap_before)
    after = "" if next_found else chunking.after(beside.after, beside.gap_after)
    if not before and not after:
        return passage
    shift, length = len(before), len(passage.chunk.text)
    blocks = [block._replace(start=block.start + shift, end=block.end + shift) for block in passage.blocks]
    # What completes the chunk belongs to the paragraph that was cut.
    if before and blocks:
        blocks[0] = blocks[0]._replace(start=0)
    if after and blocks and blocks[-1].end == shift + length:
        blocks[-1] = blocks[-1]._replace(end=len((before + passage.chunk.text + after).rstrip()))
    units = tuple(replace(scored, unit=scored.unit.shifted(shift)) for scored in passage.units)
    return replace(passage, before=before, after=after, blocks=tuple(blocks), units=units)
