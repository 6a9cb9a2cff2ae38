"""Answers in the documents' own words: the sentences that fit the question best."""

from collections.abc import AsyncGenerator

from docqa.prompts import Question
from docqa.providers import Evidence, Piece
from docqa.text import is_dense

SENTENCES = {"SHORT": 2, "LONG": 8}
PASSAGES = {"SHORT": 5, "LONG": 8}
RANK_BONUS = 0.1  # for the first passage; half of it for the second, and so on
WORTH = 0.6  # of the best sentence's score; what is below does not belong to the answer
LONGEST = 600  # characters of one sentence, where a table or a list has no sentence ends


class Extractive:
    async def answer(self, question: Question, evidence: list[Evidence]) -> AsyncGenerator[Piece, None]:
        """SHORT: the best sentence first, LONG: all that are worth it, in the order of their passages."""
        ranked = sorted(
            (
                (score + RANK_BONUS / (1 + index), index, start, end)
                for index, passage in enumerate(evidence[: PASSAGES[question.length]])
                for start, end, score in passage.sentences
            ),
            key=lambda item: (-item[0], item[1:]),
        )
        best = [item for item in ranked[: SENTENCES[question.length]] if item[0] >= WORTH * ranked[0][0]]
        if question.length == "LONG":
            best.sort(key=lambda item: item[1:])
        gap, last = "", -1
        for _, index, start, end in best:
            text = evidence[index].text[start : min(end, start + LONGEST)]
            if question.length == "LONG" and last not in (-1, index):
                gap = "\n\n"
            yield Piece(gap + " ".join(text.split()), index)
            gap, last = "" if is_dense(text) else " ", index
