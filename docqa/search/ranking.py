"""Second stage of a search: the units of each candidate are scored, and decide the order."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from docqa.models.embedder import Embedder
from docqa.models.packing import packed_dots
from docqa.search.candidates import in_place_of_words
from docqa.search.passages import Passage, ScoredUnit
from docqa.search.weights import Query
from docqa.text.units import Unit, in_context, units
from docqa.text.words import terms

EXPANSION_WEIGHT = 2.0  # expansion terms outweigh the original ones, which the documents may not use
NAMED_PAGE = 3.0  # for a passage on a page that the question names
TABLE = 2.0  # for rows of a table that have all the names which the question's terms stand for
DOCUMENT_NAME = 1.0  # for a passage of a document whose name carries all of the question's weight

Units = Sequence[Unit]
Keep = Callable[[Mapping[int, bytes]], Awaitable[None]]  # packed vectors of units, by chunk id


def final_score(passage: Passage) -> float:
    """The score of the second stage: the chunk's own words and vector, its nearest unit, its best-covering one."""
    scores = passage.scores
    coverage = max((scored.coverage for scored in passage.units), default=0.0)
    own = scores.coverage if passage.nearest is None else scores.cosine or 0.0
    return (
        scores.bm25
        + 0.5 * own
        + (passage.nearest or 0.0)
        + coverage
        + EXPANSION_WEIGHT * scores.expansion
        + NAMED_PAGE * scores.on_named_page
        + DOCUMENT_NAME * scores.document_name
        + TABLE * scores.table
    )


def by_final_score(passages: Sequence[Passage]) -> list[Passage]:
    """The passages with their final scores, best first."""
    return sorted(
        (replace(passage, score=final_score(passage)) for passage in passages), key=lambda passage: -passage.score
    )


async def with_units(
    query: Query,
    passages: Sequence[Passage],
    names: Mapping[int, frozenset[str]],
    packed: Mapping[int, bytes],
    embedder: Embedder | None,
    keep: Keep,
) -> list[Passage]:
    """The passages, which know their blocks, with their units scored.

    `names` are the terms by which the question names documents, `packed` the stored vectors of units by chunk id;
    `keep` gets those that must be made. Raises Unavailable where vectors must be made and cannot.
    """
    parts = await asyncio.to_thread(
        lambda: {passage.chunk.id: units(passage.text, passage.blocks) for passage in passages}
    )
    cosines: dict[int, Sequence[float | None]] = {id_: [None] * len(of_chunk) for id_, of_chunk in parts.items()}
    if embedder and query.vector:
        cosines |= await _cosines(embedder, query, query.vector, passages, parts, packed, keep)

    def score() -> list[Passage]:
        return [
            replace(
                passage,
                units=_scored(
                    query,
                    passage.text,
                    parts[passage.chunk.id],
                    cosines[passage.chunk.id],
                    names.get(passage.document.id, frozenset()),
                )
                if not passage.across
                else _scored_across(parts[passage.chunk.id], cosines[passage.chunk.id]),
            )
            for passage in passages
        ]

    return await asyncio.to_thread(score)


async def _cosines(
    embedder: Embedder,
    query: Query,
    vector: bytes,
    passages: Sequence[Passage],
    parts: Mapping[int, Units],
    packed: Mapping[int, bytes],
    keep: Keep,
) -> dict[int, Sequence[float]]:
    """The similarity of each unit to the question, by chunk id; vectors that are not stored yet are made now."""
    stored = await asyncio.to_thread(lambda: {id_: packed_dots(vector, vectors) for id_, vectors in packed.items()})
    # An earlier version may have cut the text into other units: its vectors are useless then.
    stored = {id_: dots for id_, dots in stored.items() if len(dots) == len(parts[id_])}
    lacking = [passage for passage in passages if passage.chunk.id not in stored]
    made = await embedder.encode_units([(passage.text, parts[passage.chunk.id]) for passage in lacking], urgent=True)
    await keep({passage.chunk.id: vectors for passage, vectors in zip(lacking, made, strict=True)})
    stored |= await asyncio.to_thread(
        lambda: {passage.chunk.id: packed_dots(vector, vectors) for passage, vectors in zip(lacking, made, strict=True)}
    )
    across = {passage.chunk.id for passage in passages if passage.across}
    return {
        id_: [embedder.scaled_unit(cosine, query.language, across=id_ in across) for cosine in dots]
        for id_, dots in stored.items()
    }


def _scored(
    query: Query, text: str, parts: Units, cosines: Sequence[float | None], document_name: frozenset[str]
) -> tuple[ScoredUnit, ...]:
    scored = []
    for unit, cosine in zip(parts, cosines, strict=True):
        held = frozenset(terms(in_context(text, unit)))
        scored.append(
            ScoredUnit(
                unit=unit,
                coverage=query.coverage(held, document_name),
                cosine=cosine,
                lexical_coverage=query.lexical_coverage(held, document_name),
            )
        )
    return tuple(scored)


def _scored_across(parts: Units, cosines: Sequence[float | None]) -> tuple[ScoredUnit, ...]:
    """Units in another language than the question's, whose words tell nothing."""
    return tuple(
        ScoredUnit(unit=unit, coverage=in_place_of_words(cosine), cosine=cosine)
        for unit, cosine in zip(parts, cosines, strict=True)
    )
