"""Evaluation of a reader: F1 and exact match, given the right passage and end to end, and how often it refuses.

A refusal is a best score below 0.
"""

import random
import re
import string
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docqa.models.reader import Span
from docqa.training.question_sets import Articles, LabelledQuestion

# (question, passages) → for each passage the spans that may answer, best first
Read = Callable[[str, Sequence[str]], list[list[Span]]]
TOP_K = 3  # passages read end to end
MAX_OFF_TOPIC = 200  # questions put to an article that they are not about
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class Figures:
    """Shares from 0 to 1. All but `f1_given_passage` are measured end to end, over the `TOP_K` passages by BM25.

    `refused_adversarial` are questions on the right subject that the article does not answer, and `refused_off_topic`
    are questions about another article: both should be refused. `refused_answerable` should not.
    """

    questions: int
    f1_given_passage: float
    f1_end_to_end: float
    exact_end_to_end: float
    refused_answerable: float
    refused_adversarial: float
    refused_off_topic: float

    def __str__(self) -> str:
        return (
            f"{self.questions} questions: F1 {self.f1_given_passage:.1%} in the right passage, "
            f"{self.f1_end_to_end:.1%} end to end ({self.exact_end_to_end:.1%} exact match); "
            f"refused: {self.refused_adversarial:.1%} of the adversarial questions, {self.refused_off_topic:.1%} of "
            f"those about another article, {self.refused_answerable:.1%} of the answerable ones"
        )


def f1(prediction: str, answers: Sequence[str]) -> float:
    """The highest word F1 of the prediction with any of the answers, 0 to 1, as in the SQuAD evaluation script."""
    return max((_overlap(_normalise(prediction), _normalise(answer)) for answer in answers), default=0.0)


def _overlap(prediction: list[str], answer: list[str]) -> float:
    shared = sum((Counter(prediction) & Counter(answer)).values())
    return 2 * shared / (len(prediction) + len(answer)) if shared else 0.0


def _normalise(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.casefold().translate(_PUNCTUATION)).split()


@dataclass(frozen=True)
class _Prediction:
    text: str
    score: float


def measure(read: Read, questions: Sequence[LabelledQuestion], articles: Articles) -> Figures:
    """Evaluate a reader on questions about articles that it was not trained on."""
    answerable = [question for question in questions if question.answers]
    unanswerable = [question for question in questions if not question.answers]
    given_passage = [_best(read, question.question, [question.passage]) for question in answerable]
    end_to_end = [_end_to_end(read, question, question.article, articles) for question in answerable]
    adversarial = [_end_to_end(read, question, question.article, articles) for question in unanswerable]
    off_topic = [_end_to_end(read, question, other, articles) for question, other in _off_topic(answerable)]

    def scores(predictions: Sequence[_Prediction]) -> list[float]:
        pairs = zip(predictions, answerable, strict=True)
        return [f1(prediction.text, question.answers) for prediction, question in pairs]

    return Figures(
        questions=len(questions),
        f1_given_passage=_mean(scores(given_passage)),
        f1_end_to_end=_mean(scores(end_to_end)),
        exact_end_to_end=_mean([score == 1 for score in scores(end_to_end)]),
        refused_answerable=_refused(end_to_end),
        refused_adversarial=_refused(adversarial),
        refused_off_topic=_refused(off_topic),
    )


def calibrate_margin(
    read: Read, questions: Sequence[LabelledQuestion], articles: Articles, refused_share: float
) -> float:
    """The score below which the reader must refuse so that it refuses `refused_share` of the answerable questions."""
    answerable = [question for question in questions if question.answers]
    scores = [_end_to_end(read, question, question.article, articles).score for question in answerable]
    return _quantile(scores, refused_share)


def _quantile(scores: Sequence[float], share: float) -> float:
    """The score that `share` of the scores lie below."""
    return sorted(scores)[int(share * len(scores))]


def area_under_curve(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Area under the ROC curve: the share of pairs in which the positive scores higher; ties count half."""
    ordered = sorted(negatives)
    wins = sum(bisect_left(ordered, score) + bisect_right(ordered, score) for score in positives) / 2
    return wins / len(positives) / len(negatives)


def _end_to_end(read: Read, question: LabelledQuestion, article: str, articles: Articles) -> _Prediction:
    return _best(read, question.question, articles.search(article, question.question, TOP_K))


def _best(read: Read, question: str, passages: Sequence[str]) -> _Prediction:
    candidates = [
        (span, passage) for spans, passage in zip(read(question, passages), passages, strict=True) for span in spans
    ]
    if not candidates:
        return _Prediction("", float("-inf"))
    span, passage = max(candidates, key=lambda candidate: candidate[0].score)
    return _Prediction(passage[span.start : span.end], span.score)


def _off_topic(answerable: Sequence[LabelledQuestion]) -> list[tuple[LabelledQuestion, str]]:
    """Questions paired with an article that they are not about; the same pairs each time."""
    rng = random.Random(0)
    titles = sorted({question.article for question in answerable})
    if len(titles) < 2:
        return []
    return [
        (question, rng.choice([title for title in titles if title != question.article]))
        for question in rng.sample(answerable, min(MAX_OFF_TOPIC, len(answerable)))
    ]


def _refused(predictions: Sequence[_Prediction]) -> float:
    return _mean([prediction.score < 0 for prediction in predictions])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
