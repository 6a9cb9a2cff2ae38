"""How well a reader reads: answers in the right passage and in those that search finds, and whether it keeps silent where there is none."""

import random
import re
import string
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docqa.models.reader import Span
from docqa.models.verifier import Adapter, to_verify
from docqa.training.question_sets import Articles, Asked

Read = Callable[[str, Sequence[str]], list[list[Span]]]
Judge = Callable[[str, str], float]
SEARCHED = 3  # passages
WEIGHTS = tuple(map(float, range(1, 11)))  # of the judge beside the reader, one of which is taken
MOST_STRANGE = 200  # questions about one article asked of another
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class Figures:
    """Shares of 1. `right` is F1 in the right passage, `found` over those that search finds; the rest is over those too: `exact` as `found` but for the whole
    answer, `silent` how many answerable questions get no answer, and how many `adversarial` and `strange` ones do not, as they should."""

    questions: int
    right: float
    found: float
    exact: float
    silent: float
    adversarial: float
    strange: float

    def __str__(self) -> str:
        return (
            f"{self.questions} questions: F1 {self.right:.1%} in the right passage, {self.found:.1%} end to end ({self.exact:.1%} exactly); "
            f"refused: {self.adversarial:.1%} of the adversarial ones, {self.strange:.1%} of those about another article, {self.silent:.1%} of the answerable ones"
        )


def f1(said: str, answers: Sequence[str]) -> float:
    """The best overlap of words with one of the answers, 0 to 1, as the SQuAD script counts it."""
    return max((_overlap(_words(said), _words(answer)) for answer in answers), default=0.0)


def _overlap(said: list[str], meant: list[str]) -> float:
    same = sum((Counter(said) & Counter(meant)).values())
    return 2 * same / (len(said) + len(meant)) if same else 0.0


def _words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.casefold().translate(_PUNCTUATION)).split()


@dataclass(frozen=True)
class _Said:
    text: str
    score: float


def measure(read: Read, asked: Sequence[Asked], articles: Articles) -> Figures:
    """The figures over these questions, whose articles the reader has not been trained on."""
    answerable = [one for one in asked if one.answers]
    right = [_best(read, one.question, [one.passage]) for one in answerable]
    found = [_found(read, one.question, one.article, articles) for one in answerable]
    adversarial = [_found(read, one.question, one.article, articles) for one in asked if not one.answers]
    strange = [_found(read, one.question, other, articles) for one, other in _strange(answerable)]
    return Figures(
        len(asked),
        _mean([f1(said.text, one.answers) for said, one in zip(right, answerable, strict=True)]),
        _mean([f1(said.text, one.answers) for said, one in zip(found, answerable, strict=True)]),
        _mean([f1(said.text, one.answers) == 1 for said, one in zip(found, answerable, strict=True)]),
        _mean([said.score < 0 for said in found]),
        _mean([said.score < 0 for said in adversarial]),
        _mean([said.score < 0 for said in strange]),
    )


def margin(read: Read, asked: Sequence[Asked], articles: Articles, silent: float) -> float:
    """The score below which a reader that keeps silent does so for this share of the answerable questions."""
    return _quantile([_found(read, one.question, one.article, articles).score for one in asked if one.answers], silent)


def doubted(read: Read, judge: Judge, adapter: Adapter) -> Read:
    """A reader that is doubted as it is in the service."""

    def read_and_verify(question: str, passages: Sequence[str]) -> list[list[Span]]:
        found = read(question, passages)
        if (chosen := to_verify(passages, found)) is None:
            return found
        best, excerpt = chosen
        weighed, _ = adapter.combine(found, best, judge(question, excerpt))
        return weighed

    return read_and_verify


def calibrated(
    read: Read, judge: Judge, asked: Sequence[Asked], articles: Articles, silent: float
) -> tuple[float, float]:
    """How much the judge is to count beside the reader, and what both opinions on the best span have to reach together: the weight tells the answerable questions
    best from the others (area under the ROC curve), and by the margin this share of the answerable ones is refused. There must be some of both."""

    def opinions(one: Asked) -> tuple[float, float]:
        passages = articles.search(one.article, one.question, SEARCHED)
        found = read(one.question, passages)
        if (chosen := to_verify(passages, found)) is None:
            return float("-inf"), 0.0
        best, excerpt = chosen
        return found[best][0].score, judge(one.question, excerpt)

    heard = {
        answerable: [opinions(one) for one in asked if bool(one.answers) == answerable] for answerable in (True, False)
    }

    def together(answerable: bool, weight: float) -> list[float]:
        return [score + weight * sureness for score, sureness in heard[answerable]]

    weight = max(WEIGHTS, key=lambda weight: _area(together(True, weight), together(False, weight)))
    return weight, _quantile(together(True, weight), silent)


def _quantile(scores: Sequence[float], share: float) -> float:
    """The score that has this share of them before it."""
    return sorted(scores)[int(share * len(scores))]


def _area(above: Sequence[float], below: Sequence[float]) -> float:
    """Under the ROC curve: how often one of the scores that should be higher is, 0 to 1, with equal ones counted half."""
    lower = sorted(below)
    return sum(bisect_left(lower, one) + bisect_right(lower, one) for one in above) / 2 / len(above) / len(below)


def _found(read: Read, question: str, article: str, articles: Articles) -> _Said:
    return _best(read, question, articles.search(article, question, SEARCHED))


def _best(read: Read, question: str, passages: Sequence[str]) -> _Said:
    found = [
        (span, passage) for spans, passage in zip(read(question, passages), passages, strict=True) for span in spans
    ]
    if not found:
        return _Said("", float("-inf"))
    span, passage = max(found, key=lambda one: one[0].score)
    return _Said(passage[span.start : span.end], span.score)


def _strange(answerable: Sequence[Asked]) -> list[tuple[Asked, str]]:
    """Questions with an article that they are not about, the same ones each time."""
    dice = random.Random(0)
    titles = sorted({one.article for one in answerable})
    if len(titles) < 2:
        return []
    return [
        (one, dice.choice([title for title in titles if title != one.article]))
        for one in dice.sample(answerable, min(MOST_STRANGE, len(answerable)))
    ]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
