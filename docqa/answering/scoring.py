"""How well a unit answers: by its words, its vector, and what the reader finds in it, in one number."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from docqa.answering.quoting import words_in
from docqa.search.passages import Passage, ScoredUnit
from docqa.text.units import begins

NOT_SAID, MOST_READ = -10.0, 14.0  # log odds: beyond these the reader's and the verifier's scores say no more


class Scale(NamedTuple):
    """What the parts of a score weigh, and the score from which on a unit surely answers. From coverage plus cosine
    `near` on it is on the subject at all, whatever the models that read it doubt.

    `read` and `verified` are for each unit of log odds, those of the reader at least `doubted`; from `believed` on it
    is on the subject whatever its words. Where it is decided whether a unit surely answers, `certain` is in place of
    `read`: words and vectors tell which of some fits best, the reader more of whether any answers. `unstated` is lost
    if no name, number, date or quotation of the question is in the passages.
    """

    coverage: float
    cosine: float
    read: float
    verified: float
    certain: float
    unstated: float
    sure: float
    near: float
    doubted: float = NOT_SAID
    believed: float = math.inf


# The weights are read off 944 questions about documents of eleven kinds that no model was trained on (contracts,
# annual reports, help pages, search queries, stories). Which unit is chosen hardly depends on them (63.0 to 63.7 %
# right); with these the score of a right answer depends least on the kind: people's words cover less of a document's
# than an examiner's. `certain` and `sure` were read off 844 questions that the readers have not learned from: to
# eight manuals in seven languages, to 25 documents in another language than the question, and, without the verifier,
# to English reports and contracts. Of 355 rightly answered ones 314 are sure, of 327 answered by another unit 236,
# and of 162 that cannot be answered 80; with `read` in place of `certain` and 0.95 they were 314, 243 and 99. `near`
# is lower than below, since the words of other languages cover less of a question. Of 82 questions that people would
# ask of six documents in these languages no words led to 22; with `believed` the reader finds 8 of them, and 7 of 124
# in documents that do not answer.
READ = Scale(0.5, 1.5, 0.05, 0.0, certain=0.1, unstated=0.35, sure=1.05, near=0.45, believed=5.0)
# On 576 such questions, with the verifier: the right unit is chosen for 78 % of the answerable ones (69 % without).
# Below `near` lie 1.2 % of 401 of these questions with the document that answers them, and 73 % with another document
# of the same kind; by the score itself, in which the verifier counts, it would be 4 and 70 %.
# The reader only raises what it has found: where it lowered the rest, the verifier read the sentence that answers for
# 256 of 288 everyday questions to fourteen documents, and so for 270.
# `sure` was read off 246 everyday questions to ten documents that are kept apart: below it lie 4 % of what is right,
# 37 % of what is wrong and 78 % of what cannot be answered.
VERIFIED = Scale(0.5, 1.5, 0.05, 0.2, certain=0.05, unstated=0.35, sure=0.75, near=0.55, doubted=0.0)
# Where nobody has read the passages, the words of the documents say more of which of some alike sentences answers. Of
# 893 questions in six languages, by multilingual-e5-small, a tenth of what is right lies below `sure`, as on the first
# scale, 28 % of what is wrong and 72 % of what cannot be answered.
UNREAD = Scale(1.0, 1.0, 0.0, 0.0, certain=0.0, unstated=0.7, sure=0.74, near=0.5)
FRAGMENT = 0.3  # less for a unit that says little by itself
FEW_WORDS = 5
RANK_BONUS = 0.1  # for the first passage; half of it for the second, and so on


def scale_of(passages: Sequence[Passage]) -> Scale:
    """The scale for what is known of these passages."""
    if any(scored.verified is not None for passage in passages for scored in passage.units):
        return VERIFIED
    return READ if any(passage.spans is not None for passage in passages) else UNREAD


def unit_score(passage: Passage, scored: ScoredUnit, scale: Scale) -> float:
    """The score of a unit on this scale; without vectors its coverage, from 0 to 1."""
    scale = _scale_in(passage, scale)
    return _score(passage, scored, scale, scale.read)


def sure_score(passage: Passage, scored: ScoredUnit, scale: Scale) -> float:
    """The score that says how surely a unit answers."""
    scale = _scale_in(passage, scale)
    return _score(passage, scored, scale, scale.certain)


def _scale_in(passage: Passage, scale: Scale) -> Scale:
    """No verifier reads across languages."""
    if not passage.across:
        return scale
    return UNREAD if passage.spans is None else READ


def _score(passage: Passage, scored: ScoredUnit, scale: Scale, of_reader: float) -> float:
    if scored.cosine is None:
        return scored.coverage
    return (
        scale.coverage * scored.coverage
        + scale.cosine * scored.cosine
        + of_reader * max(scale.doubted, read_in(passage, scored))
        + scale.verified * _bounded(NOT_SAID if scored.verified is None else scored.verified)
        - (FRAGMENT if _is_fragment(passage, scored) else 0.0)
    )


def read_in(passage: Passage, scored: ScoredUnit) -> float:
    """The log odds of the best of the reader's spans in a unit."""
    if not passage.spans:
        return NOT_SAID
    start = begins(passage.text, scored.unit)
    inside = (span.score for span in passage.spans if span.start < scored.end and span.end > start)
    return _bounded(max(inside, default=NOT_SAID))


def _bounded(log_odds: float) -> float:
    return min(MOST_READ, max(NOT_SAID, log_odds))


def _is_fragment(passage: Passage, scored: ScoredUnit) -> bool:
    """Whether it is a few words that stand under nothing, the rest of a sentence, which begins with a small letter, or
    a source that leads back to where it is cited, as in a wiki. A list at the beginning of a passage stands under what
    the one before ends with."""
    text, unit = passage.text[scored.start : scored.end], scored.unit
    if text.startswith("^ ") or unit.kind == "paragraph" and text[:1].islower():
        return True
    goes_on = unit.kind == "item" and (unit.start, unit.end) != unit.group == passage.units[0].unit.group
    return unit.lead_start is None and not goes_on and words_in(text) < FEW_WORDS


def rank_bonus(rank: int) -> float:
    """What a unit gains by the rank, from 0, of its passage."""
    return RANK_BONUS / (1 + rank)
