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
ENOUGH = 290  # characters: a short answer this long gets no further sentence
LONGEST = 600  # characters of one sentence, where a table or a list has no sentence ends
AROUND = 350  # of them, where it is known which words answer
LEAST = 4.0  # of a fact's score: below, one of four is right, and the sentence stands alone
SURE = 12.0  # of a fact's score: from here on a short answer has no second sentence
NEARLY = 3.0  # less than the best fact's score: others as near answer as well where the question is for several
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
        facts: dict[_Pick, list[Candidate]] = {}
        picked: list[_Pick] = []
        for part in parts:
            # What answers one part may be the nearest for the next as well, but stands in the answer once.
            ranked = _best(evidence, part, PASSAGES[question.options.length], question.terms)
            best = [pick for pick in ranked if pick not in picked]
            several = part < len(question.parts) and question.parts[part].several
            spans = _spans(evidence, part, best[:1], several=several)
            for index, span in spans:
                facts.setdefault(_around(evidence, index, span), []).append(span)
            first = list(dict.fromkeys(_around(evidence, index, span) for index, span in spans))
            best = [*first, *(pick for pick in best if not any(_overlap(pick, around) for around in first))]
            if question.options.length == "SHORT" and spans and spans[0][1].score >= SURE:
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
        passage, spans = evidence[pick.passage].text, facts.get(pick, [])
        start, end = _shown(passage, pick, spans[0]) if spans else (pick.start, min(pick.end, pick.start + LONGEST))
        text = " ".join(passage[start:end].split())
        fact = "; ".join(" ".join(passage[span.start : span.end].split()) for span in spans)
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
    spans = [
        (index, span)
        for index, passage in enumerate(evidence)
        for span in passage.spans
        if span.part == part and span.score >= LEAST
    ]
    spans.sort(key=lambda indexed: -indexed[1].score)
    inside = next(
        (
            (index, span)
            for index, span in spans
            if any(_overlap(_Pick(index, span.start, span.end), pick) for pick in best)
        ),
        None,
    )
    if inside is None:
        return []
    near = [(index, span) for index, span in spans if span.score >= inside[1].score - NEARLY and span != inside[1]]
    return [inside, *near][: MOST_FACTS if several else 1]


def _overlap(pick: _Pick, other: _Pick) -> bool:
    return pick.passage == other.passage and pick.start < other.end and other.start < pick.end


def _around(evidence: Sequence[Evidence], index: int, span: Candidate) -> _Pick:
    """The sentence, or sentences, that a span stands in."""
    holding = [
        sentence
        for sentence in evidence[index].sentences
        if sentence.part == span.part and sentence.start < span.end and sentence.end > span.start
    ]
    start = min([span.start, *(sentence.start for sentence in holding)])
    return _Pick(index, start, max([span.end, *(sentence.end for sentence in holding)]))


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


def _best(evidence: Sequence[Evidence], part: int, passages: int, question: frozenset[str]) -> list[_Pick]:
    """The sentences that belong to the answer of one part, best first, from the first passages that have any for it;
    `question` is its terms."""
    sentences = {
        index: of_part
        for index, passage in enumerate(evidence)
        if (of_part := [sentence for sentence in passage.sentences if sentence.part == part])
    }
    spans = {index: [span for span in evidence[index].spans if span.part == part] for index in sentences}
    scores = [span.score for of_passage in spans.values() for span in of_passage]
    nowhere = min(scores) - NO_SPAN if scores else 0.0
    ranked = []
    for rank, index in enumerate(list(sentences)[:passages]):
        for sentence in sentences[index]:
            inside = [s.score for s in spans[index] if s.start < sentence.end and s.end > sentence.start]
            score = sentence.score + RANK_BONUS / (1 + rank) + READ * max(inside, default=nowhere)
            ranked.append((-score, _Pick(index, sentence.start, sentence.end)))
    ranked.sort()
    # A heading that only repeats the question answers nothing.
    ranked = [
        (score, pick)
        for score, pick in ranked
        if not question.issuperset(terms(evidence[pick.passage].text[pick.start : pick.end]))
    ] or ranked
    return [pick for score, pick in ranked if score <= WORTH * ranked[0][0]]
