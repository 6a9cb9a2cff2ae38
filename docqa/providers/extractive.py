"""Answers in the documents' own words: the sentences that fit the question best, for each thing that it asks."""

from collections.abc import AsyncGenerator, Sequence
from typing import NamedTuple

from docqa.prompts import Question
from docqa.providers import Evidence, Piece
from docqa.text import is_dense, terms

SENTENCES = {"SHORT": 2, "LONG": 8}
PASSAGES = {"SHORT": 5, "LONG": 8}
RANK_BONUS = 0.1  # for the first passage; half of it for the second, and so on
WORTH = 0.6  # of the best sentence's score; what is below does not belong to the answer
ENOUGH = 290  # characters: a short answer that has them goes on to no further sentence on the same thing
LONGEST = 600  # characters of one sentence, where a table or a list has no sentence ends


class _Pick(NamedTuple):
    passage: int
    start: int
    end: int


class Extractive:
    async def answer(self, question: Question, evidence: list[Evidence]) -> AsyncGenerator[Piece, None]:
        """SHORT: the best sentence first, or that of each part; LONG: all that are worth it, in the order of their passages."""
        parts = sorted({sentence.part for passage in evidence for sentence in passage.sentences})
        count = max(1, SENTENCES[question.length] // max(1, len(parts)))
        asked = frozenset(terms(question.text))
        picked: list[_Pick] = []
        for part in parts:
            # What answers one part may be the nearest for the next as well, but is said once.
            best = [pick for pick in _best(evidence, part, PASSAGES[question.length], asked) if pick not in picked][:count]
            picked += best if question.length == "LONG" else _within(best, ENOUGH)
        if question.length == "LONG":
            picked.sort()
        gap, last = "", -1
        for index, start, end in picked:
            text = evidence[index].text[start : min(end, start + LONGEST)]
            if question.length == "LONG" and last not in (-1, index):
                gap = "\n\n"
            yield Piece(gap + " ".join(text.split()), index)
            gap, last = "" if is_dense(text) else " ", index


def _within(picks: Sequence[_Pick], characters: int) -> list[_Pick]:
    """The first pick, and those after it that fit together with it."""
    total = 0
    kept: list[_Pick] = []
    for pick in picks:
        total += pick.end - pick.start
        if kept and total > characters:
            break
        kept.append(pick)
    return kept


def _best(evidence: Sequence[Evidence], part: int, passages: int, asked: frozenset[str]) -> list[_Pick]:
    """The sentences that belong to the answer of one part, best first, from the first passages that were found for it."""
    found = [(index, sentences) for index, passage in enumerate(evidence) if (sentences := [one for one in passage.sentences if one.part == part])]
    ranked = sorted(
        (-one.score - RANK_BONUS / (1 + rank), _Pick(index, one.start, one.end))
        for rank, (index, sentences) in enumerate(found[:passages])
        for one in sentences
    )
    # A heading that only repeats the question answers nothing.
    ranked = [one for one in ranked if not asked.issuperset(terms(evidence[one[1].passage].text[one[1].start : one[1].end]))] or ranked
    return [pick for score, pick in ranked if score <= WORTH * ranked[0][0]]
