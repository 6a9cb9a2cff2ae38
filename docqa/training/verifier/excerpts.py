"""Excerpts that search could find, and what is asked about each: questions that it answers, and those that it does not although they look as if it did.

An excerpt is a few sentences of a passage. Several questions are asked about it, for it is long and they are short.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from docqa.text.sentences import sentences
from docqa.text.words import terms
from docqa.training.question_sets import Articles, Asked, spans

SIZES = (1, 1, 2, 2, 3)  # sentences that an excerpt has of its own
BESIDE = 1  # sentence on each side, which the next excerpt has too
MOST = 9  # questions about one excerpt
# How probable it is that a question is asked about an excerpt
ANSWERED_BESIDE = 0.3  # whose answer stands in a sentence beside it
FALSIFIED = 0.4  # that is one of those it answers, turned false
ANSWERED_ELSEWHERE = 0.12  # whose answer stands elsewhere in the passage
STRAYED = 0.1  # that the passage does not answer, and whose words stand elsewhere in it
OF_ANOTHER = 0.15  # of any passage of another article, if that is what is drawn
DOUBT = 1.5  # words that chance may put above those of the question in a sentence, when it is looked for

Bounds = tuple[int, int]
Question = tuple[str, str | None]


@dataclass(frozen=True)
class Excerpt:
    """A part of a passage, and the questions about it with their answers, which are parts of the text as they stand; None for those that it does not answer."""

    text: str
    asked: tuple[Question, ...]


@dataclass(frozen=True)
class _Placed:
    """A question and where it belongs in its passage: the spans of its answers, or the number of the sentence about the same where it has none."""

    asked: Asked
    spans: tuple[Bounds, ...]
    sentence: int = -1


@dataclass(frozen=True)
class _Part:
    """The numbers of an excerpt's own sentences, from where to where they go in the passage, and from where to where with those beside them."""

    numbers: range
    own: Bounds
    whole: Bounds


def excerpts(learnt: Sequence[Asked], articles: Articles, dice: random.Random) -> list[Excerpt]:
    """One pass over the passages of the questions, each cut anew; a part about which nothing is asked is left out."""
    about: dict[str, list[Asked]] = {}
    for one in learnt:
        about.setdefault(one.passage, []).append(one)
    made = []
    for passage, questions in about.items():
        bounds = sentences(passage)
        placed = _placed(passage, bounds, questions, dice) if bounds else []
        at = 0
        while at < len(bounds):
            part = _part(bounds, at, dice.choice(SIZES))
            asked = [question for one in placed for question in _asked(one, part, articles, dice)]
            if len(bounds) > 1:
                asked += _strayed(learnt, questions[0].article, dice)
            dice.shuffle(asked)
            if asked:
                made.append(Excerpt(passage[slice(*part.whole)], tuple(asked[:MOST])))
            at = part.numbers.stop
    return made


def _placed(passage: str, bounds: Sequence[Bounds], questions: Sequence[Asked], dice: random.Random) -> list[_Placed]:
    """Without those whose answers were typed otherwise than they stand."""
    found = []
    for one in questions:
        answers = spans(one)
        if answers:
            found.append(_Placed(one, answers))
        elif not one.answers:
            words = frozenset(terms(one.question))
            likely = [
                len(words.intersection(terms(passage[start:end]))) + dice.random() * DOUBT for start, end in bounds
            ]
            found.append(_Placed(one, (), likely.index(max(likely))))
    return found


def _part(bounds: Sequence[Bounds], at: int, size: int) -> _Part:
    """The part of so many sentences, or as many as there are, from number `at` on."""
    last = len(bounds) - 1
    own = bounds[at][0], bounds[min(last, at + size - 1)][1]
    return _Part(
        range(at, at + size), own, (bounds[max(0, at - BESIDE)][0], bounds[min(last, at + size - 1 + BESIDE)][1])
    )


def _asked(one: _Placed, part: _Part, articles: Articles, dice: random.Random) -> list[Question]:
    """The question, if it is asked about this part, and itself turned false, if that is asked too."""
    question, passage = one.asked.question.strip(), one.asked.passage
    start, end = part.whole
    if not one.spans:
        return [(question, None)] if one.sentence in part.numbers or dice.random() < STRAYED else []
    within = [span for span in one.spans if start <= span[0] and span[1] <= end]
    here = any(part.own[0] <= span[0] <= part.own[1] for span in one.spans)
    if within and (here or dice.random() < ANSWERED_BESIDE):
        asked: list[Question] = [(question, passage[slice(*dice.choice(within))])]
        if dice.random() < FALSIFIED and (false := articles.falsified(one.asked, dice)):
            asked.append((false.strip(), None))
        return asked
    text = passage[start:end].lower()
    without = not any(answer.lower() in text for answer in one.asked.answers)
    return [(question, None)] if without and dice.random() < ANSWERED_ELSEWHERE else []


def _strayed(learnt: Sequence[Asked], article: str, dice: random.Random) -> list[Question]:
    """Now and then a question about another article."""
    if dice.random() >= OF_ANOTHER:
        return []
    other = dice.choice(learnt)
    return [(other.question.strip(), None)] if other.article != article else []
