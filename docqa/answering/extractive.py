"""Answers in the documents' own words: for each part of a question the reader's span and the sentences that fit
best."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import NamedTuple

from docqa.answering.evidence import Candidate, Evidence, Piece
from docqa.questions.question import Question
from docqa.text.words import is_dense, terms

SENTENCES = {"SHORT": 2, "LONG": 8}
PASSAGES = {"SHORT": 5, "LONG": 8}
RANK_BONUS = 0.1  # for the first passage; half of it for the second, and so on
WORTH = 0.6  # of the best sentence's score; what is below does not belong to the answer
READ = 0.08  # of the reader's score of what it finds in a sentence; by this alone, or without it, fewer are right
NO_SPAN = 5.0  # less than the least of its scores: a sentence in which it finds nothing
ENOUGH = 290  # characters: a short answer that has them goes on to no further sentence on the same thing
LONGEST = 600  # characters of one sentence, where a table or a list has no sentence ends
AROUND = 350  # of them, where it is known which words answer
TOLD = 4.0  # of a fact's score: below, one of four is right, and the sentence stands alone
SURE = 12.0  # of a fact's score: from here on a short answer has no second sentence
NEARLY = 3.0  # less than the best fact's score: others that are so near answer as well, where several are asked for
MOST_FACTS = 4
MOST_OF = 0.4  # of its sentence: a fact that is as long says no more than the sentence


class _Pick(NamedTuple):
    passage: int
    start: int
    end: int


class Extractive:
    """The provider that quotes."""

    async def answer(self, question: Question, evidence: list[Evidence]) -> AsyncGenerator[Piece, None]:
        """SHORT: for each part the best sentence, its fact first, and what is close; LONG: all good ones, in passage
        order."""
        parts = sorted({sentence.part for passage in evidence for sentence in passage.sentences})
        count = max(1, SENTENCES[question.options.length] // max(1, len(parts)))
        asked = question.terms
        facts: dict[_Pick, list[Candidate]] = {}
        picked: list[_Pick] = []
        for part in parts:
            # What answers one part may be the nearest for the next as well, but is said once.
            best = [
                pick for pick in _best(evidence, part, PASSAGES[question.options.length], asked) if pick not in picked
            ]
            found = _spans(
                evidence, part, best[:1], several=part < len(question.parts) and question.parts[part].several
            )
            for index, span in found:
                facts.setdefault(_around(evidence, index, span), []).append(span)
            first = list(dict.fromkeys(_around(evidence, index, span) for index, span in found))
            best = [*first, *(pick for pick in best if not any(_overlap(pick, one) for one in first))]
            if question.options.length == "SHORT" and found and found[0][1].score >= SURE:
                best = first
            best = best[: max(count, len(first))]
            picked += best if question.options.length == "LONG" or len(first) > 1 else _within(best, ENOUGH)
        picked = list(dict.fromkeys(picked))
        if question.options.length == "LONG":
            picked.sort(key=lambda pick: (pick not in facts, pick))
        for text in _written(evidence, picked, facts, paragraphs=question.options.length == "LONG"):
            yield text


def _written(
    evidence: Sequence[Evidence], picked: Sequence[_Pick], facts: dict[_Pick, list[Candidate]], *, paragraphs: bool
) -> Iterator[Piece]:
    gap, last = "", -1
    for pick in picked:
        passage, said = evidence[pick.passage].text, facts.get(pick, [])
        start, end = _shown(passage, pick, said[0]) if said else (pick.start, min(pick.end, pick.start + LONGEST))
        text = " ".join(passage[start:end].split())
        fact = "; ".join(" ".join(passage[one.start : one.end].split()) for one in said)
        if paragraphs and last not in (-1, pick.passage):
            gap = "\n\n"
        if fact and len(fact) < MOST_OF * len(text):
            text = f"{fact[0].upper()}{fact[1:]}: “{text}”"
        yield Piece(gap + text, pick.passage)
        gap, last = "" if is_dense(text) else " ", pick.passage


def _shown(passage: str, pick: _Pick, fact: Candidate) -> tuple[int, int]:
    """(start, end) of what is shown of a sentence: all of it, or of a long one, the words around the fact."""
    start = pick.start
    if pick.end - start > AROUND and fact.start - start > AROUND // 2:
        start = passage.find(" ", fact.start - AROUND // 2) + 1
    return start, max(fact.end, min(pick.end, start + AROUND))


def _spans(
    evidence: Sequence[Evidence], part: int, best: Sequence[_Pick], *, several: bool
) -> list[tuple[int, Candidate]]:
    """(passage index, span) of the most probable answer to one part; if it asks for `several`, also of those nearly as
    likely."""
    found = [
        (index, span)
        for index, passage in enumerate(evidence)
        for span in passage.spans
        if span.part == part and span.score >= TOLD
    ]
    found.sort(key=lambda one: -one[1].score)
    inside = next(
        (one for one in found if any(_overlap(_Pick(one[0], one[1].start, one[1].end), pick) for pick in best)), None
    )
    if inside is None or not several:
        return [inside] if inside else []
    return [inside, *(one for one in found if one is not inside and one[1].score >= inside[1].score - NEARLY)][
        :MOST_FACTS
    ]


def _overlap(one: _Pick, other: _Pick) -> bool:
    return one.passage == other.passage and one.start < other.end and other.start < one.end


def _around(evidence: Sequence[Evidence], index: int, span: Candidate) -> _Pick:
    """The sentence, or sentences, that a span stands in."""
    held = [
        one
        for one in evidence[index].sentences
        if one.part == span.part and one.start < span.end and one.end > span.start
    ]
    return _Pick(index, min([span.start, *(one.start for one in held)]), max([span.end, *(one.end for one in held)]))


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
    """The sentences that belong to the answer of one part, best first, from the first passages found for it."""
    found = [
        (index, sentences)
        for index, passage in enumerate(evidence)
        if (sentences := [one for one in passage.sentences if one.part == part])
    ]
    spans = {index: [span for span in evidence[index].spans if span.part == part] for index, _ in found}
    nowhere = min((span.score for one in spans.values() for span in one), default=0.0) - (
        NO_SPAN if any(spans.values()) else 0.0
    )
    ranked = sorted(
        (
            -one.score
            - RANK_BONUS / (1 + rank)
            - READ
            * max(
                (span.score for span in spans[index] if span.start < one.end and span.end > one.start), default=nowhere
            ),
            _Pick(index, one.start, one.end),
        )
        for rank, (index, sentences) in enumerate(found[:passages])
        for one in sentences
    )
    # A heading that only repeats the question answers nothing.
    ranked = [
        one for one in ranked if not asked.issuperset(terms(evidence[one[1].passage].text[one[1].start : one[1].end]))
    ] or ranked
    return [pick for score, pick in ranked if score <= WORTH * ranked[0][0]]
