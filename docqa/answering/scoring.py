"""How well a unit answers: by its words, its vector, and what the reader finds in it, in one number."""

from collections.abc import Sequence

from docqa.answering.quoting import words_in
from docqa.search.passages import Passage, ScoredUnit
from docqa.text.units import Unit

# Which unit is chosen hardly depends on these weights (63.0 to 63.7 % right over eleven kinds of documents); with these
# the score of a right answer depends least on the kind: people's words cover less of a document's than an examiner's.
COVERAGE, COSINE, READ = 0.5, 1.5, 0.05
# Where nobody has read the passages, the words of the documents say more of which of some alike sentences answers.
UNREAD_COVERAGE, UNREAD_COSINE = 1.0, 1.0
FRAGMENT = 0.3  # less for a unit that says little by itself
FEW_WORDS = 5
LEAST_READ, MOST_READ = -10.0, 14.0  # beyond these the reader's scores say no more
RANK_BONUS = 0.1  # for the first passage; half of it for the second, and so on


def was_read(passages: Sequence[Passage]) -> bool:
    """Whether the reader has read any of the passages."""
    return any(passage.spans is not None for passage in passages)


def unit_score(passage: Passage, scored: ScoredUnit, *, read: bool) -> float:
    """The score of a unit: with vectors -0.5 to 2.7 where the passages were `read`, else 0 to 2; without 0 to 1."""
    if scored.cosine is None:
        return scored.coverage
    doubt = FRAGMENT if _is_fragment(passage.text[scored.start : scored.end], scored.unit) else 0.0
    if not read or passage.across:
        return UNREAD_COVERAGE * scored.coverage + UNREAD_COSINE * scored.cosine - doubt
    score = COVERAGE * scored.coverage + COSINE * scored.cosine - doubt
    inside = [span.score for span in passage.spans or () if span.start < scored.end and span.end > scored.start]
    return score + READ * min(MOST_READ, max([LEAST_READ, *inside]))


def _is_fragment(text: str, unit: Unit) -> bool:
    """Whether it is a few words that stand under nothing, or the rest of a sentence, which begins with a small
    letter."""
    return unit.lead_start is None and words_in(text) < FEW_WORDS or unit.kind == "paragraph" and text[:1].islower()


def rank_bonus(rank: int) -> float:
    """What a unit gains by the rank, from 0, of its passage."""
    return RANK_BONUS / (1 + rank)
