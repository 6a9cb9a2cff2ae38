"""Figures of a reader on the questions kept apart, set by set."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docqa.models.reader import Reading, Span
from docqa.models.reader.network import NEITHER, NO, YES
from docqa.training.figures import Read, area_under_curve, f1
from docqa.training.question_sets import Articles, LabelledQuestion
from docqa.training.reader.sources import Source
from docqa.training.reader.yes_no import from_question, from_statement

# (question, passages) → what the reader makes of each passage
Readings = Callable[[str, Sequence[str]], list[Reading]]
WRONGLY_REFUSED = 0.08, 0.10  # shares of the answerable questions at which refusals are compared
NEGATIVES = 5  # passages by BM25, one of which stands for an unanswerable question where people wrote none


@dataclass(frozen=True)
class SetFigures:
    """Shares from 0 to 1 for one set: F1 in the right passage, the area under the ROC curve of the best span's score,
    the unanswerable questions refused where so many of the answerable ones are (WRONGLY_REFUSED), and the unanswerable
    and the answerable ones refused at the reader's own margin.
    """

    name: str
    answerable: int
    unanswerable: int
    f1: float
    area: float
    refused: tuple[float, ...]
    refused_now: tuple[float, float]

    def __str__(self) -> str:
        shares = ", ".join(
            f"{share:.1%} refused at {cost:.0%}" for share, cost in zip(self.refused, WRONGLY_REFUSED, strict=True)
        )
        unanswerable, answerable = self.refused_now
        return (
            f"{self.name} ({self.answerable} + {self.unanswerable}): F1 {self.f1:.1%}, area {self.area:.3f}, {shares}; "
            f"now {unanswerable:.1%} of the unanswerable and {answerable:.1%} of the answerable"
        )


def measure_sets(read: Read, sources: Sequence[Source], limit: int) -> list[SetFigures]:
    """The figures on the questions kept apart of each set, on `limit` of them at most; the same ones each time."""
    return [_measure(read, source, limit) for source in sources if source.kept_apart]


def _measure(read: Read, source: Source, limit: int) -> SetFigures:
    questions = random.Random(0).sample(source.kept_apart, min(limit, len(source.kept_apart)))
    answerable = [question for question in questions if question.answers]
    unanswerable = [(question.question, question.passage) for question in questions if not question.answers]
    if not unanswerable:
        unanswerable = _elsewhere(answerable, Articles(source.kept_apart))
    spans = [read(question.question, [question.passage])[0] for question in answerable]
    scores = [_score(each) for each in spans]
    others = [_score(read(question, [passage])[0]) for question, passage in unanswerable]
    matches = [f1(_text(question, each), question.answers) for question, each in zip(answerable, spans, strict=True)]
    return SetFigures(
        source.name,
        len(answerable),
        len(others),
        sum(matches) / max(1, len(matches)),
        area_under_curve(scores, others) if scores and others else float("nan"),
        tuple(refused_at(scores, others, cost) for cost in WRONGLY_REFUSED),
        (_negative(others), _negative(scores)),
    )


def refused_at(answerable: Sequence[float], unanswerable: Sequence[float], cost: float) -> float:
    """The share of unanswerable questions that score below the margin which refuses `cost` of the answerable ones."""
    if not answerable or not unanswerable:
        return float("nan")
    margin = sorted(answerable)[int(cost * len(answerable))]
    return sum(score < margin for score in unanswerable) / len(unanswerable)


def _elsewhere(answerable: Sequence[LabelledQuestion], articles: Articles) -> list[tuple[str, str]]:
    """The questions with another passage of their article that search ranks high and that holds none of the answers."""
    pairs = []
    for question in answerable:
        answers = [answer.casefold() for answer in question.answers]
        for passage in articles.search(question.article, question.question, NEGATIVES):
            if passage != question.passage and not any(answer in passage.casefold() for answer in answers):
                pairs.append((question.question, passage))
                break
    return pairs


def _negative(scores: Sequence[float]) -> float:
    return sum(score < 0 for score in scores) / len(scores) if scores else float("nan")


def _text(question: LabelledQuestion, spans: Sequence[Span]) -> str:
    return question.passage[spans[0].start : spans[0].end] if spans else ""


def _score(spans: Sequence[Span]) -> float:
    return spans[0].score if spans else float("-inf")


def measure_yes_no(readings: Readings, sources: Sequence[Source], limit: int) -> str:
    """How often the reader is right about yes/no questions made by rule of what is kept apart, by the right class.

    Every third is put to a passage that says neither. Those of which two classes may be right are left out.
    """
    rng = random.Random(0)
    kept_apart = [question for source in sources for question in source.kept_apart]
    right: dict[int, list[bool]] = {NEITHER: [], YES: [], NO: []}
    for labelled in rng.sample(kept_apart, len(kept_apart)):
        made = from_question(labelled, rng) if rng.random() < 0.5 else from_statement(labelled.passage, rng)
        if made is None or len(made.classes) != 1:
            continue
        truth, passage = made.classes[0], made.passage
        if rng.random() < 1 / 3:
            truth, passage = NEITHER, rng.choice(kept_apart).passage
        [reading] = readings(made.question, [passage])
        if reading.yes_no is None:
            return "no head for yes/no"
        yes, no = reading.yes_no
        right[truth].append(truth == (NEITHER if max(yes, no) < 0 else YES if yes > no else NO))
        if sum(map(len, right.values())) == limit:
            break
    shares = {truth: f"{sum(each) / max(1, len(each)):.1%} of {len(each)}" for truth, each in right.items()}
    return f"yes/no: right for {shares[YES]} yes, {shares[NO]} no, {shares[NEITHER]} neither"
