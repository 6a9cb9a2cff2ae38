"""Whether what was found speaks of what was asked, or nothing does.

It does not know whether a passage that speaks of it also answers: a question on the right subject with one wrong fact often gets by.
"""

from collections.abc import Sequence

from docqa.search.passages import Passage
from docqa.text.detect import detect
from docqa.text.facts import Facts, quoted, stated
from docqa.text.words import is_dense

# Chosen by regression and then by hand on public question sets in eight languages, on the same questions that were counted: at most 5 % of the
# answerable ones fall in articles. In reports and slides, whose questions carry instructions, a fifth and more do.
JUDGED = 3  # passages, best first
WORDS = (
    0.44  # how much of the question the passage and its fullest sentence speak of, together, where vectors have no say
)
DENSE_WORDS = 0.4  # the same in scripts without spaces: pairs of characters across two words stand nowhere else
NEARNESS = 0.56  # the cosine of its nearest sentence and a quarter of that coverage
EXPANSION = 1.4  # of Scores.expansion: nearly the best match of what the question's terms stand for, and near to it
UNSTATED = 0.35  # how much weighs that all names, numbers, dates and quoted words of the question stand in none of the passages


def relevant(passages: Sequence[Passage], question: str) -> bool:
    """Whether one of the best passages says enough of the question's words, or something very near, and they know its names and numbers."""
    judged = passages[:JUDGED]
    if any(passage.scores.on_named_page or passage.scores.expansion >= EXPANSION for passage in judged):
        return True
    if any(passage.spans is not None for passage in judged) and all(
        span.score < 0 for passage in judged for span in passage.spans or ()
    ):
        return False  # the reader finds no answer
    if any(passage.verified for passage in judged):
        return (
            True  # of what two have read, words tell no more: they would refuse as many answerable questions as others
        )
    doubt = UNSTATED * _unstated(judged, question)
    words = doubt + (DENSE_WORDS if is_dense(question) else WORDS)
    nearness = doubt / 2 + NEARNESS
    return any(
        _words(passage) >= words if passage.nearest is None else passage.nearest + _words(passage) / 4 >= nearness
        for passage in judged
    )


def _words(passage: Passage) -> float:
    """0 to 2."""
    return passage.scores.lexical_coverage + max(
        (sentence.lexical_coverage for sentence in passage.sentences), default=0.0
    )


def _unstated(passages: Sequence[Passage], question: str) -> float:
    """The share of the question's names, numbers, dates and quoted words that neither the passages nor the names of their documents state."""
    language, quotations = detect(question), quoted(question)
    if not quotations and not stated(question, language, Facts.of((), language)):
        return 0.0  # nothing to look for, which is most questions: reading the passages takes some milliseconds
    held = Facts.of(
        [f"{passage.document.name} {passage.chunk.section} {passage.text}" for passage in passages], language
    )
    found = stated(question, language, held) + [held.has_words(one) for one in quotations]
    return found.count(False) / len(found)
