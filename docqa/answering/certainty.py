"""How certain it is that what was found answers the question: by the score of the unit that answers best, and where
that is not enough, whether any of it is on the question's subject at all.

A question on the right subject with one wrong fact often passes: the score says how well a unit fits, not whether what
it says is what was asked.
"""

from collections.abc import Sequence
from typing import Literal

from docqa.answering.scoring import read_in, scale_of, sure_score
from docqa.questions.question import Part
from docqa.search.passages import Passage, ScoredUnit
from docqa.text.facts import Facts
from docqa.text.units import in_context
from docqa.text.words import term_set

Certainty = Literal["sure", "unsure", "none"]

JUDGED = 3  # passages, best first
# Without vectors, lexical coverage by the passage plus that by its fullest unit.
SURE_WORDS, CLOSE_WORDS = 0.44, 0.25
DENSE_WORDS = 0.4  # of scripts without spaces: pairs of characters across two words occur nowhere else
UNSTATED = 0.35  # added to the thresholds if no name, number, date or quotation of the question is in the passages


def certainty(passages: Sequence[Passage], part: Part) -> Certainty:
    """Whether the passages answer: surely, perhaps, or not at all."""
    judged = passages[:JUDGED]
    if any(passage.scores.on_named_page for passage in judged):
        return "sure"
    unstated = _unstated(judged, part)
    if any(passage.nearest is not None for passage in judged):
        scale = scale_of(passages)
        best = max((sure_score(p, scored, scale) for p in passages for scored in p.units), default=0.0)
        if best - scale.unstated * unstated >= scale.sure:
            return "sure"
        is_near = any(
            s.score >= scale.near or _is_verified(s) or read_in(p, s) >= scale.believed
            for p in passages
            for s in p.units
        )
        return "unsure" if is_near else "none"
    sure = DENSE_WORDS if part.is_dense else SURE_WORDS
    by_words = max(map(_words, judged), default=0.0) - UNSTATED * unstated
    return "sure" if by_words >= sure else "unsure" if by_words >= CLOSE_WORDS else "none"


def is_answered(passages: Sequence[Passage], part: Part) -> bool:
    """Whether the verifier found an answer in a unit that states the names and numbers of the question: then nothing is
    left open, however few of its words are there. Else what they have to do with it is still to be said."""
    named = part.name_terms.union(term for term in part.terms if any(map(str.isdigit, term)))
    return any(
        _is_verified(scored) and named <= term_set(in_context(passage.text, scored.unit))
        for passage in passages
        for scored in passage.units
    )


def _is_verified(scored: ScoredUnit) -> bool:
    return scored.verified is not None and scored.verified > 0


def _words(passage: Passage) -> float:
    """0 to 2."""
    return passage.scores.lexical_coverage + max((scored.lexical_coverage for scored in passage.units), default=0.0)


def _unstated(passages: Sequence[Passage], part: Part) -> float:
    """The share of the question's names, numbers, dates and quotations that no passage or document name states; of
    passages in another language its numbers and dates alone."""
    claims, quotations = part.claims, part.quotations
    if any(passage.across for passage in passages):
        claims, quotations = claims._replace(names=[]), ()
    if not quotations and not any(claims):
        return 0.0  # nothing to look for, which is most questions: reading the passages takes some milliseconds
    if not passages:
        return 1.0
    by_language: dict[str, list[str]] = {}
    for passage in passages:
        by_language.setdefault(passage.document.language or part.language, []).append(_stated(passage))
    held = [Facts(texts, language) for language, texts in by_language.items()]
    are_stated = [[*facts.have(claims), *map(facts.has_words, quotations)] for facts in held]
    by_any = [any(of_one) for of_one in zip(*are_stated, strict=True)]
    return by_any.count(False) / len(by_any)


def _stated(passage: Passage) -> str:
    return f"{passage.document.name} {passage.chunk.section} {passage.text}"
