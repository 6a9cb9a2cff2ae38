"""A question against some documents: full text and vectors find candidates, single sentences decide their order.

Weights and thresholds were fitted on public question sets (SQuAD articles, alone and as one collection of 21).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from aiosqlite import Connection

from docqa import store
from docqa.ingest import chunking
from docqa.models.embedder import Embedder, dot, packed_dots
from docqa.models.reader import Span
from docqa.questions.expansion import related
from docqa.questions.named_documents import named_by
from docqa.questions.named_pages import pages_named
from docqa.search.bm25 import bm25
from docqa.search.index import Index
from docqa.search.weighing import Query, weighed
from docqa.store.chunks import Beside, StoredChunk
from docqa.store.documents import StoredDocument
from docqa.store.sql import quoted
from docqa.text.words import sentences, terms

CANDIDATES = 50
RERANKED = 10
RERANKED_RELATED = 20  # where the glossary brings in passages that say nothing of the question's own words
FUSION = 10  # k of reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009, who took 60
VECTOR_WEIGHT = 0.5
RELATED_WEIGHT = 2.0  # what the question's terms are made of tells more than the terms, which the documents may not use
ON_PAGE = 1.5  # for a passage on a page that the question names, where the best match of its words has 1
NAMED = 1.0  # for a passage of a document whose name has all of the question's weight
NOTHING = Beside("", "", "", "")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a passage, `passage.text[start:end]`; `coverage` is the share of the question's weight that its words carry, `spoken_of` the same by what
    they tell in their language. `cosine` is its similarity to the question, None where vectors have no say."""

    start: int
    end: int
    coverage: float
    cosine: float | None
    spoken_of: float = 0.0

    @property
    def score(self) -> float:
        return self.coverage + (self.cosine or 0.0)


@dataclass(frozen=True)
class Passage:
    """A chunk that was found. `bm25` and `cosine` are its own, `coverage` and `spoken_of` are as in Sentence, `related` says how well it fits what the
    question's terms are made of, and whether it stands on a page that the question names; `named` is the share of the question's weight that names its
    document. `spans` are what the reader takes for the answer, best first; None where it did not read the passage. `verified`: the verifier believes the first."""

    chunk: StoredChunk
    document: StoredDocument
    bm25: float
    cosine: float | None
    coverage: float
    score: float
    sentences: tuple[Sentence, ...] = ()
    related: float = 0.0
    named: float = 0.0
    spoken_of: float = 0.0
    before: str = ""
    after: str = ""
    spans: tuple[Span, ...] | None = None
    verified: bool = False

    @property
    def text(self) -> str:
        """Verbatim from its page: the chunk, with what completes it where it was cut out of a paragraph. `sentences` are those of the chunk."""
        return self.before + self.chunk.text + self.after

    @property
    def lead(self) -> str:
        """The sentence before its first one, where it was cut out of a paragraph."""
        return next((self.before[start:end] for start, end in reversed(sentences(self.before))), "")

    @property
    def second_score(self) -> float:
        """The score of the second stage: its own words and vector, its nearest and its fullest sentence."""
        fullest = max((sentence.coverage for sentence in self.sentences), default=0.0)
        near = self.coverage if self.nearest is None else self.cosine or 0.0
        return (
            self.bm25
            + 0.5 * near
            + (self.nearest or 0.0)
            + fullest
            + RELATED_WEIGHT * self.related
            + NAMED * self.named
        )

    @property
    def nearest(self) -> float | None:
        """The similarity of its nearest sentence to the question; None where vectors have no say."""
        return max((sentence.cosine for sentence in self.sentences if sentence.cosine is not None), default=None)


async def search(
    index: Index, documents: Sequence[StoredDocument], text: str, language: str, top_k: int
) -> list[Passage]:
    """The `top_k` best passages, best first. While there is no usable embedder, by full text alone."""
    by_id = {document.id: document for document in documents}
    embedder = index.encoders.embedder_for(language)
    texts = [text, meant] if (meant := related(text)) else [text]
    vectors = [await embedder.encode_question(one) if embedder else None for one in texts]
    async with index.db.read() as conn:
        query, *_ = queries = [
            await weighed(conn, list(by_id), one, language, vector) for one, vector in zip(texts, vectors, strict=True)
        ]
        found = [await _find(conn, list(by_id), one) for one in queries]
        found += [await _on_pages(conn, document, text) for document in documents]
        naming = named_by(query.weights, {document.id: document.name for document in documents})
        by_name = [await _find(conn, list(naming), query)] if 0 < len(naming) < len(documents) else []
        candidates = _fuse([*found, *by_name])[: max(top_k, RERANKED_RELATED if meant else RERANKED)]
        ids = [chunk.id for chunk, _ in candidates]
        cosine, *other_cosines = [await _cosines(conn, ids, embedder, vector) for vector in vectors]
        packed = await store.chunks.sentence_vectors(conn, ids) if query.vector else {}
    passages = [
        Passage(
            chunk,
            by_id[chunk.document],
            max(one.bm25.get(chunk.id, 0.0) for one in [found[0], *by_name]),
            cosine.get(chunk.id),
            query.coverage(chunk.terms.split(), naming.get(chunk.document, frozenset())),
            score,
            related=sum(one.get(chunk.id, 0.0) for one in [*(other.bm25 for other in found[1:]), *other_cosines]),
            named=query.coverage(naming.get(chunk.document, ())) if len(documents) > 1 else 0.0,
            spoken_of=query.spoken_of(chunk.terms.split(), naming.get(chunk.document, frozenset())),
        )
        for chunk, score in candidates
    ]
    passages = await _examine(query, passages, naming, packed, embedder)
    if index.rerank:
        passages = sorted(
            (replace(passage, score=passage.second_score) for passage in passages), key=lambda passage: -passage.score
        )
    return await _completed(index, passages[:top_k])


async def _completed(index: Index, passages: Sequence[Passage]) -> list[Passage]:
    """The passages with what stands beside them in paragraphs that were cut: "it" or "the company" is named there.

    What stands after a chunk is left to the next one if that was found too. What stands before is not: a source is to be understood by itself.
    """
    found = {passage.chunk.id for passage in passages}
    async with index.db.read() as conn:
        beside = await store.chunks.beside(conn, found)
    return [
        _complete(passage, beside.get(passage.chunk.id, NOTHING), alone=passage.chunk.id + 1 not in found)
        for passage in passages
    ]


def _complete(passage: Passage, beside: Beside, *, alone: bool) -> Passage:
    before = chunking.before(beside.before, beside.gap_before)
    after = chunking.after(beside.after, beside.gap_after) if alone else ""
    shifted = (
        replace(sentence, start=sentence.start + len(before), end=sentence.end + len(before))
        for sentence in passage.sentences
    )
    return replace(passage, before=before, after=after, sentences=tuple(shifted))


@dataclass(frozen=True)
class Found:
    """What full text and vectors find for one query, best first; `bm25` by chunk id, 1 for the best match."""

    matched: Sequence[StoredChunk]
    near: Sequence[StoredChunk]
    bm25: dict[int, float]


async def _cosines(
    conn: Connection, chunks: Sequence[int], embedder: Embedder | None, vector: bytes | None
) -> dict[int, float]:
    if embedder is None or vector is None:
        return {}
    return {
        id_: embedder.scaled(cosine) for id_, cosine in (await store.chunks.similarities(conn, chunks, vector)).items()
    }


async def _find(conn: Connection, documents: Sequence[int], query: Query) -> Found:
    matched = (
        await store.chunks.match_chunks(conn, documents, match_of(query.matching), CANDIDATES) if query.matching else []
    )
    near = await store.chunks.nearest_chunks(conn, documents, query.vector, CANDIDATES) if query.vector else []
    if query.vector is None:  # with vectors, this loses where the glossary's words are sought, and wins nothing
        scores = bm25(query.matching, [chunk.terms.split() for chunk, _ in matched])
        matched = sorted(zip((chunk for chunk, _ in matched), scores, strict=True), key=lambda found: -found[1])
    best = max((score for _, score in matched), default=0.0) or 1.0
    return Found([chunk for chunk, _ in matched], near, {chunk.id: score / best for chunk, score in matched})


async def _on_pages(conn: Connection, document: StoredDocument, text: str) -> Found:
    """What stands on the pages that the question names."""
    pages = pages_named(text, document.pages)
    chunks = await store.chunks.page_chunks(conn, document.id, pages) if pages else []
    return Found(chunks, [], {chunk.id: ON_PAGE for chunk in chunks})


def match_of(question_terms: Iterable[str]) -> str:
    """An FTS5 query that takes any of the terms; every one is quoted, so that none is read as syntax."""
    return " OR ".join(map(quoted, question_terms))


def _fuse(found: Sequence[Found]) -> list[tuple[StoredChunk, float]]:
    scores: dict[int, float] = {}
    chunks: dict[int, StoredChunk] = {}
    for ranking, weight in [
        (ranking, weight) for one in found for ranking, weight in ((one.matched, 1.0), (one.near, VECTOR_WEIGHT))
    ]:
        for rank, chunk in enumerate(ranking, 1):
            scores[chunk.id] = scores.get(chunk.id, 0) + weight / (FUSION + rank)
            chunks[chunk.id] = chunk
    return [(chunks[id_], score) for id_, score in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]


async def _examine(
    query: Query,
    passages: Sequence[Passage],
    naming: Mapping[int, frozenset[str]],
    packed: dict[int, bytes],
    embedder: Embedder | None,
) -> list[Passage]:
    """The passages with their sentences looked at one by one; `packed` are the vectors of those that have some, by chunk id."""
    spans = {passage.chunk.id: sentences(passage.text) for passage in passages}
    cosines: dict[int, Sequence[float | None]] = {id_: [None] * len(found) for id_, found in spans.items()}
    if embedder and query.vector:
        stored = {
            id_: [embedder.scaled(one) for one in packed_dots(query.vector, vectors)] for id_, vectors in packed.items()
        }
        # An earlier version may have cut the sentences elsewhere: its vectors are of no use then.
        stored = {id_: found for id_, found in stored.items() if len(found) == len(spans[id_])}
        cosines |= stored
        late = [passage for passage in passages if passage.chunk.id not in stored]
        texts = [passage.text[start:end] for passage in late for start, end in spans[passage.chunk.id]]
        vectors = iter(await embedder.encode(texts, urgent=True))
        cosines |= {
            passage.chunk.id: [embedder.scaled(dot(query.vector, next(vectors))) for _ in spans[passage.chunk.id]]
            for passage in late
        }
    return [
        replace(passage, sentences=_judged(query, passage, spans[passage.chunk.id], cosines[passage.chunk.id], naming))
        for passage in passages
    ]


def _judged(
    query: Query,
    passage: Passage,
    spans: Sequence[tuple[int, int]],
    cosines: Sequence[float | None],
    naming: Mapping[int, frozenset[str]],
) -> tuple[Sentence, ...]:
    named = naming.get(passage.document.id, frozenset())
    held = [frozenset(terms(passage.text[start:end])) for start, end in spans]
    return tuple(
        Sentence(start, end, query.coverage(words, named), cosine, query.spoken_of(words, named))
        for (start, end), words, cosine in zip(spans, held, cosines, strict=True)
    )
