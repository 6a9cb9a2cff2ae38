"""Whether the passages that were found speak of what the question asks.

Whether a relevant passage also answers is not known here: a question on the right subject with one wrong fact often
passes.
"""

from collections.abc import Sequence

from docqa.questions.question import Part
from docqa.search.passages import Passage
from docqa.text.facts import Facts

# Chosen by regression and then by hand on public question sets in eight languages, evaluated on the same questions: at
# most 5 % of the answerable ones are refused in articles; in reports and slides, whose questions carry instructions, a
# fifth and more.
JUDGED = 3  # passages, best first
WORDS = 0.44  # lexical coverage of the question by the passage plus that by its fullest sentence, without vectors
DENSE_WORDS = 0.4  # the same in scripts without spaces: pairs of characters across two words occur nowhere else
NEARNESS = 0.56  # the cosine of its nearest sentence and a quarter of that coverage
UNSTATED = 0.35  # added to the thresholds if no name, number, date or quotation of the question is in the passages


def relevant(passages: Sequence[Passage], part: Part) -> bool:
    """Whether one of the best passages covers enough of the question or is near to it, and they state its names and
    numbers."""
    judged = passages[:JUDGED]
    if any(passage.scores.on_named_page for passage in judged):
        return True
    if any(passage.spans is not None for passage in judged) and all(
        span.score < 0 for passage in judged for span in passage.spans or ()
    ):
        return False  # the reader finds no answer
    if any(passage.verified for passage in judged):
        return True  # once reader and verifier agree, word overlap adds nothing: it would refuse right answers too
    doubt = UNSTATED * _unstated(judged, part)
    words = doubt + (DENSE_WORDS if part.is_dense else WORDS)
    nearness = doubt / 2 + NEARNESS
    return any(
        _words(passage) >= words if passage.nearest is None else passage.nearest + _words(passage) / 4 >= nearness
        for passage in judged
    )


def _words(passage: Passage) -> float:
    """0 to 2."""
    return passage.scores.lexical_coverage + max((scored.lexical_coverage for scored in passage.units), default=0.0)


def _unstated(passages: Sequence[Passage], part: Part) -> float:
    """The share of the question's names, numbers, dates and quotations that no passage or document name states."""
    if not part.quotations and not any(part.claims):
        return 0.0  # nothing to look for, which is most questions: reading the passages takes some milliseconds
    texts = [f"{passage.document.name} {passage.chunk.section} {passage.text}" for passage in passages]
    held = Facts.of(texts, part.language)
    are_stated = [*held.have(part.claims), *map(held.has_words, part.quotations)]
    return are_stated.count(False) / len(are_stated)
