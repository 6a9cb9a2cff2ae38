"""How well a unit answers: by its words, its vector, and what the reader finds in it, in one number."""

from collections.abc import Sequence

from docqa.search.passages import Passage, ScoredUnit

READ = 0.08  # of the reader's score of what it finds in a unit; by this alone, or without it, fewer are right
LEAST_READ, MOST_READ = -10.0, 14.0  # beyond these the reader's scores say no more
RANK_BONUS = 0.1  # for the first passage; half of it for the second, and so on


def was_read(passages: Sequence[Passage]) -> bool:
    """Whether the reader has read any of the passages."""
    return any(passage.spans is not None for passage in passages)


def unit_score(passage: Passage, scored: ScoredUnit, *, read: bool) -> float:
    """The score of a unit: from some -1 to 3 where the passages were `read`, and else 0 to 2."""
    if not read:
        return scored.score
    inside = [span.score for span in passage.spans or () if span.start < scored.end and span.end > scored.start]
    return scored.score + READ * min(MOST_READ, max([LEAST_READ, *inside]))


def rank_bonus(rank: int) -> float:
    """What a unit gains by the rank, from 0, of its passage."""
    return RANK_BONUS / (1 + rank)
