"""Excerpts that search could retrieve, each with questions that it answers and questions that it only seems to answer.

An excerpt is a few sentences of a passage. Several questions share one, because it is long and they are short.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from docqa.text.sentences import sentences
from docqa.text.words import terms
from docqa.training.question_sets import Articles, LabelledQuestion, answer_spans

SIZES = (1, 1, 2, 2, 3)  # sentences of an excerpt's core, among which one size is drawn
CONTEXT = 1  # sentences on each side of the core, which the neighbouring excerpts have too
MAX_QUESTIONS = 9  # about one excerpt
# Probabilities that an excerpt gets a question ...
ANSWERED_IN_CONTEXT = 0.3  # whose answer is in the context, not in the core
FALSIFIED = 0.4  # that it answers, once more falsified
ANSWERED_ELSEWHERE = 0.12  # whose answer is elsewhere in the passage
UNANSWERED_ELSEWHERE = 0.1  # that the passage does not answer and that shares more words with another part of it
OFF_TOPIC = 0.15  # drawn from all questions; dropped if it is about the same article
NOISE = 1.5  # most that chance adds to the shared words of a sentence when an unanswered question is placed

Bounds = tuple[int, int]
QuestionAnswer = tuple[str, str | None]


@dataclass(frozen=True)
class Excerpt:
    """A part of a passage and the questions about it.

    Each has its answer, which occurs in the text word for word, or None if the text does not answer it.
    """

    text: str
    questions: tuple[QuestionAnswer, ...]


@dataclass(frozen=True)
class _Placed:
    """A question and its place in the passage: the spans of its answers, or else the number of the nearest sentence."""

    labelled: LabelledQuestion
    spans: tuple[Bounds, ...]
    sentence: int = -1


@dataclass(frozen=True)
class _Cut:
    """The sentence numbers of an excerpt's core, and the characters of the core and of the whole excerpt."""

    sentences: range
    core: Bounds
    whole: Bounds


def make_excerpts(questions: Sequence[LabelledQuestion], articles: Articles, rng: random.Random) -> list[Excerpt]:
    """The excerpts of one epoch: the questions' passages, cut at random; parts without a question are left out."""
    by_passage: dict[str, list[LabelledQuestion]] = {}
    for labelled in questions:
        by_passage.setdefault(labelled.passage, []).append(labelled)
    excerpts = []
    for passage, about in by_passage.items():
        bounds = sentences(passage)
        placed = _place(passage, bounds, about, rng) if bounds else []
        at = 0
        while at < len(bounds):
            cut = _cut(bounds, at, rng.choice(SIZES))
            chosen = [pair for question in placed for pair in _questions_for(question, cut, articles, rng)]
            if len(bounds) > 1:
                chosen += _off_topic(questions, about[0].article, rng)
            rng.shuffle(chosen)
            if chosen:
                excerpts.append(Excerpt(passage[slice(*cut.whole)], tuple(chosen[:MAX_QUESTIONS])))
            at = cut.sentences.stop
    return excerpts


def _place(
    passage: str, bounds: Sequence[Bounds], questions: Sequence[LabelledQuestion], rng: random.Random
) -> list[_Placed]:
    """The questions with their places, without those whose answers do not occur in the passage."""
    placed = []
    for labelled in questions:
        spans = answer_spans(labelled)
        if spans:
            placed.append(_Placed(labelled, spans))
        elif not labelled.answers:
            words = frozenset(terms(labelled.question))
            similarity = [
                len(words.intersection(terms(passage[start:end]))) + rng.random() * NOISE for start, end in bounds
            ]
            placed.append(_Placed(labelled, (), similarity.index(max(similarity))))
    return placed


def _cut(bounds: Sequence[Bounds], first: int, size: int) -> _Cut:
    """The cut whose core has `size` sentences, fewer at the end of the passage, from number `first` on."""
    end = len(bounds) - 1
    core = bounds[first][0], bounds[min(end, first + size - 1)][1]
    whole = bounds[max(0, first - CONTEXT)][0], bounds[min(end, first + size - 1 + CONTEXT)][1]
    return _Cut(range(first, first + size), core, whole)


def _questions_for(placed: _Placed, cut: _Cut, articles: Articles, rng: random.Random) -> list[QuestionAnswer]:
    """The question if it is drawn for this excerpt, and with some probability its falsified form."""
    question, passage = placed.labelled.question.strip(), placed.labelled.passage
    start, end = cut.whole
    if not placed.spans:
        drawn = placed.sentence in cut.sentences or rng.random() < UNANSWERED_ELSEWHERE
        return [(question, None)] if drawn else []
    within = [span for span in placed.spans if start <= span[0] and span[1] <= end]
    in_core = any(cut.core[0] <= span[0] <= cut.core[1] for span in placed.spans)
    if within and (in_core or rng.random() < ANSWERED_IN_CONTEXT):
        pairs: list[QuestionAnswer] = [(question, passage[slice(*rng.choice(within))])]
        if rng.random() < FALSIFIED and (falsified := articles.falsify(placed.labelled, rng)):
            pairs.append((falsified.strip(), None))
        return pairs
    text = passage[start:end].lower()
    unanswered = not any(answer.lower() in text for answer in placed.labelled.answers)
    return [(question, None)] if unanswered and rng.random() < ANSWERED_ELSEWHERE else []


def _off_topic(questions: Sequence[LabelledQuestion], article: str, rng: random.Random) -> list[QuestionAnswer]:
    """Sometimes a question about another article."""
    if rng.random() >= OFF_TOPIC:
        return []
    other = rng.choice(questions)
    return [(other.question.strip(), None)] if other.article != article else []
