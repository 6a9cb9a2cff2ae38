"""Second stage of a search: the units of each candidate are scored, and decide the order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import mul

from docqa import store
from docqa.models.embedder import Embedder
from docqa.models.packing import size_of, unpacked
from docqa.search.candidates import in_place_of_words
from docqa.search.passages import Passage, ScoredUnit
from docqa.search.weights import Query
from docqa.store.sql import Connection
from docqa.text.units import Unit, in_context, units
from docqa.text.words import term_set

EXPANSION_WEIGHT = 2.0  # expansion terms outweigh the original ones, which the documents may not use
NAMED_PAGE = 3.0  # for a passage on a page that the question names
TABLE = 2.0  # for rows of a table that have all the names which the question's terms stand for
DOCUMENT_NAME = 1.0  # for a passage of a document whose name carries all of the question's weight

Units = Sequence[Unit]


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


@dataclass
class InUnits:
    """Passages, which know their blocks, cut into units: these, and how similar they are to a question as far as
    they have been compared with it, by chunk id."""

    passages: Sequence[Passage]
    units: Mapping[int, Units]
    cosines: dict[int, Sequence[float]]

    @property
    def lacking(self) -> list[Passage]:
        """The passages whose units have no vectors yet."""
        return [passage for passage in self.passages if passage.chunk.id not in self.cosines]

    async def compare(self, conn: Connection, vector: bytes, packed: Mapping[int, bytes]) -> None:
        """Compare units with the question's `vector`: those of some chunks, whose packed vectors are given by id."""
        size = size_of(len(vector) // 4)
        # An earlier version may have cut the text into other units: its vectors are useless then.
        fitting = {id_: each for id_, each in packed.items() if len(each) == size * len(self.units[id_])}
        cosines = iter(await unit_cosines(conn, b"".join(fitting.values()), vector))
        self.cosines |= {id_: list(islice(cosines, len(self.units[id_]))) for id_ in fitting}


async def unit_cosines(conn: Connection, packed: bytes, vector: bytes) -> list[float]:
    """How similar each of some units, whose vectors are packed one after the other, is to a question's `vector`."""
    steps, numbers = unpacked(packed, len(vector) // 4)
    return list(map(mul, steps, await store.nearest.along(conn, numbers, vector)))


def in_units(passages: Sequence[Passage]) -> InUnits:
    """The passages in units, which are not compared with the question yet."""
    return InUnits(passages, {passage.chunk.id: units(passage.text, passage.blocks) for passage in passages}, {})


async def missing_vectors(cut: InUnits, embedder: Embedder) -> dict[int, bytes]:
    """The packed vectors of the units that lack them, which are made now, by chunk id. Raises Unavailable."""
    if not (lacking := cut.lacking):
        return {}
    texts = [(passage.text, cut.units[passage.chunk.id]) for passage in lacking]
    vectors = await embedder.encode_units(texts, urgent=True)
    return {passage.chunk.id: each for passage, each in zip(lacking, vectors, strict=True)}


def with_scores(
    query: Query, cut: InUnits, names: Mapping[int, frozenset[str]], embedder: Embedder | None
) -> list[Passage]:
    """The passages with their units scored; `names` are the terms by which the question names documents."""
    scored = []
    for passage in cut.passages:
        parts = cut.units[passage.chunk.id]
        cosines: Sequence[float | None] = [None] * len(parts)
        if embedder and query.vector:
            cosines = [
                embedder.scaled_unit(cosine, query.language, across=passage.across)
                for cosine in cut.cosines[passage.chunk.id]
            ]
        if passage.across:
            of_passage = _scored_across(parts, cosines)
        else:
            name = names.get(passage.document.id, frozenset())
            of_passage = _scored(query, passage.text, parts, cosines, name)
        scored.append(replace(passage, units=of_passage))
    return scored


def _scored(
    query: Query, text: str, parts: Units, cosines: Sequence[float | None], document_name: frozenset[str]
) -> tuple[ScoredUnit, ...]:
    scored = []
    for unit, cosine in zip(parts, cosines, strict=True):
        held = term_set(in_context(text, unit))
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
