"""First stage of a search: full text and vectors find candidates, reciprocal rank fusion merges their rankings."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from docqa import store
from docqa.models.embedder import Embedder
from docqa.models.encoders import stored_model
from docqa.search.passages import Scores
from docqa.search.weights import Query, bm25_of_matches
from docqa.store.chunks import Hit, StoredChunk
from docqa.store.recent_words import Match
from docqa.store.scopes import Scope
from docqa.store.sql import Connection
from docqa.store.vector_index import Known, VectorIndex
from docqa.text.packed_terms import held

RETRIEVED = 50  # chunks, by full text and by vectors each
MATCHED = 200  # those with most of the terms, of which BM25 chooses: it has to read their words
FUSION = 10  # k of reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009, who took 60
VECTOR_WEIGHT = 0.5


@dataclass(frozen=True)
class Candidate:
    """A chunk that was found, its scores, and that of the fused ranking."""

    chunk: StoredChunk
    scores: Scores
    fused: float


@dataclass(frozen=True)
class Retrieved:
    """Chunks found for one query: `matched` by full text and `near` by vectors, best first; `bm25` by chunk id."""

    matched: Sequence[Hit]
    near: Sequence[Hit] = ()
    bm25: Mapping[int, float] = field(default_factory=dict)

    def score(self, chunk: StoredChunk) -> float:
        """The chunk's BM25, 1 for the best match, 0 for a chunk that was not matched."""
        return self.bm25.get(chunk.id, 0.0)


@dataclass(frozen=True)
class Request:
    """What is searched for, in the documents of a scope.

    `expansion` is a query of what the question's terms stand for, `names` the terms by which the question names
    documents, `pages` the page numbers that it names, both by document. `across` are the documents in another language
    than the question's, which are searched by vectors alone; `led_to` are chunks with rows of tables that the
    question's terms stand for, or where what it asks about is introduced, best first, with how well they fit. `begun`
    is what `nearest.begin` gave for `query`.
    """

    scope: Scope
    query: Query
    expansion: Query | None
    names: Mapping[int, frozenset[str]]
    pages: Mapping[int, Collection[int]]
    across: frozenset[int] = frozenset()
    led_to: Sequence[tuple[StoredChunk, float]] = ()
    begun: "Future[Known] | None" = None

    def document_name(self, document: int) -> frozenset[str]:
        """The terms by which the question names this document."""
        return self.names.get(document, frozenset())


async def find_candidates(
    conn: Connection, request: Request, embedder: Embedder | None, vectors: VectorIndex, limit: int
) -> list[Candidate]:
    """The best candidates of the fused ranking, best first, at most `limit`; `vectors` is the database's index. It is
    for a thread, which it keeps for some milliseconds."""
    query, documents, across = request.query, request.scope.documents, request.across
    own = await _retrieve(conn, request.scope, query, embedder, vectors, across, request.begun)
    expanded = Retrieved(())
    if request.expansion and (others := [id_ for id_ in documents if id_ not in across]):
        scope = await store.scopes.scope_of(conn, others)
        expanded = await _retrieve(conn, scope, request.expansion, embedder, vectors, across)
    on_pages = [Retrieved(await store.chunks.page_hits(conn, *named)) for named in request.pages.items()]
    rankings = [own, expanded, *on_pages, Retrieved([Hit(chunk.id, chunk.document) for chunk, _ in request.led_to])]
    fitting = {chunk.id: score for chunk, score in request.led_to}
    by_name = Retrieved(())
    if 0 < len(request.names) < len(documents):
        scope = await store.scopes.scope_of(conn, list(request.names))
        by_name = await _retrieve(conn, scope, query, embedder, vectors, across)
        rankings.append(by_name)
    scored = _fuse(rankings, across)[:limit]
    stored = await store.chunks.by_id(conn, [id_ for id_, _ in scored])
    fused = [(stored[id_], score) for id_, score in scored]
    chunks = [chunk for chunk, _ in fused]
    cosines = await _cosines(conn, chunks, embedder, query, across)
    related = await _cosines(conn, chunks, embedder, request.expansion, across) if request.expansion else {}
    named_chunks = {chunk.id for ranking in on_pages for chunk in ranking.matched}
    candidates, sought = [], query.terms
    for chunk, score in fused:
        name, present = request.document_name(chunk.document), held(chunk.stored_terms, sought)
        in_language, by_vector = chunk.document not in across, in_place_of_words(cosines.get(chunk.id))
        scores = Scores(
            bm25=max(ranking.score(chunk) for ranking in (own, by_name)) if in_language else by_vector,
            cosine=cosines.get(chunk.id),
            coverage=query.coverage(present, name) if in_language else by_vector,
            lexical_coverage=query.lexical_coverage(present, name),
            expansion=expanded.score(chunk) + related.get(chunk.id, 0.0) if in_language else 0.0,
            document_name=query.coverage(name) if len(documents) > 1 else 0.0,
            on_named_page=chunk.id in named_chunks,
            table=fitting.get(chunk.id, 0.0),
        )
        candidates.append(Candidate(chunk, scores, score))
    return candidates


async def _retrieve(
    conn: Connection,
    scope: Scope,
    query: Query,
    embedder: Embedder | None,
    vectors: VectorIndex,
    across: frozenset[int],
    begun: "Future[Known] | None" = None,
) -> Retrieved:
    matched: Sequence[Match] = ()
    if query.matching and (by_words := [id_ for id_ in scope.documents if id_ not in across]):
        within = scope if len(by_words) == len(scope.documents) else await store.scopes.scope_of(conn, by_words)
        occurrences = query.occurrences
        if within != occurrences.scope:
            occurrences = await store.full_text.occurrences(conn, within, query.matching)
        matched = await store.full_text.matches(conn, occurrences, query.matching, MATCHED)
    near: Sequence[Hit] = ()
    if embedder and query.vector:
        model = stored_model(embedder)
        near = await store.nearest.nearest_chunks(conn, scope, model, query.vector, RETRIEVED, vectors, begun)
    scores = bm25_of_matches(query.matching, matched)
    ranked = sorted(zip(matched, scores, strict=True), key=lambda match: -match[1])[:RETRIEVED]
    best = max(scores, default=0.0) or 1.0
    hits = [Hit(match.id, match.document) for match, _ in ranked]
    return Retrieved(hits, near, {match.id: score / best for match, score in ranked})


def in_place_of_words(cosine: float | None) -> float:
    """What stands for the share of a question's words in a text of another language: the vectors' similarity."""
    return min(1.0, max(0.0, cosine or 0.0))


def _fuse(retrieved: Sequence[Retrieved], across: frozenset[int]) -> list[tuple[int, float]]:
    """The chunks' ids by reciprocal rank; the vectors of documents in another language count for their words too."""
    scores: dict[int, float] = {}
    for result in retrieved:
        for ranking, weight in ((result.matched, 1.0), (result.near, VECTOR_WEIGHT)):
            for rank, hit in enumerate(ranking, 1):
                own = weight + 1.0 if hit.document in across else weight
                scores[hit.id] = scores.get(hit.id, 0) + own / (FUSION + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


async def _cosines(
    conn: Connection,
    chunks: Sequence[StoredChunk],
    embedder: Embedder | None,
    query: Query,
    across: frozenset[int],
) -> dict[int, float]:
    """The similarity of chunks to a question, on the scale of the thresholds; chunks without a vector are left out."""
    if embedder is None or query.vector is None:
        return {}
    cosines = await store.nearest.similarities(conn, [c.id for c in chunks], stored_model(embedder), query.vector)
    return {
        chunk.id: embedder.scaled(cosines[chunk.id], query.language, across=chunk.document in across)
        for chunk in chunks
        if chunk.id in cosines
    }
