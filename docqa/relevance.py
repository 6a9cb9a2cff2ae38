"""Whether what was found speaks of what was asked, or nothing does."""

from collections.abc import Sequence

from docqa.search import Passage
from docqa.text import is_dense

# When a passage counts as speaking of what is asked. Fitted on public question sets: about 3 % of the answerable questions
# fall below, and 95 % of those about another document do.
NEAR = 0.5  # the cosine of a sentence that says it in whatever words
NEAR_AND_COVERED = 0.62  # or that cosine and half the coverage of the question's words
COVERED = 0.22  # or, where vectors have no say, the coverage alone
COVERED_BY_PAIRS = 0.15  # in scripts whose terms are pairs of characters, many of which mean nothing


def relevant(passages: Sequence[Passage], question: str) -> bool:
    """Whether the best passages speak of what is asked at all."""
    covered = COVERED_BY_PAIRS if is_dense(question) else COVERED
    return any(
        passage.coverage >= covered if passage.nearest is None else passage.nearest >= NEAR or passage.nearest + passage.coverage / 2 >= NEAR_AND_COVERED
        for passage in passages[:3]
    )
