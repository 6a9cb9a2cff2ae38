"""The examples of the reader's second generation: the questions of all sets, and what is made of them.

Blocks of examples are a pure function of seed, epoch and number, so that training can go on where it was stopped.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from docqa.models.reader.network import NEITHER, NO, YES
from docqa.text.sentences import sentences
from docqa.text.words import is_dense
from docqa.training.question_sets import CANDIDATES, Example, LabelledQuestion, answer_spans
from docqa.training.reader.forms import COLUMN, as_list, as_typed, excerpt
from docqa.training.reader.made_tables import table_question
from docqa.training.reader.sources import FIRST, Source, epoch
from docqa.training.reader.variants import Neighbours, splice, substitute
from docqa.training.reader.yes_no import BEGINS, YesNoQuestion, from_question, from_statement

BLOCK = 900  # questions of which a block of batches is made
LONG_ANSWER = "other"  # the kind of sets whose answers are whole clauses
ANSWERED = {"yes": YES, "no": NO, "neither": NEITHER}  # the kinds of yes/no questions whose answer is known
LONG_WEIGHT = 0.3  # of the loss of such a span
# Shares of the questions of which these are made in addition.
FALSIFIED, FALSIFIED_WITH_NEGATIVES = 0.25, 0.1  # without and with unanswerable questions by people
OTHER_PASSAGE, OTHER_PASSAGE_WITH_NEGATIVES = 0.4, 0.12
YES_NO_OF_QUESTION, YES_NO_OF_STATEMENT, YES_NO_ELSEWHERE = 0.3, 0.08, 0.3
TABLE, LIST = 0.03, 0.06
HEADED = 0.25  # where the article's title reads like a heading
_HEADING = re.compile(r"[^\W\d][^\d.]+")
SHORTEST_REST = 80  # characters of what is left of a passage


@dataclass(frozen=True)
class Weighted(Example):
    """An example with the weight of its span's loss, the classes of which any is right if it is a yes/no question, and
    whether the scores of the first generation are learned instead.
    """

    span_weight: float = 1.0
    classes: tuple[int, ...] = ()
    imitated: bool = False


@dataclass(frozen=True)
class Making:
    """How examples are made: the characters of the longest passage, the share of the questions as typed in haste, and
    of the questions of the first set the share that come again with words exchanged, to be scored as the first
    generation scores them; `passed_over` is the share of the answerable ones that come again with an excerpt of the
    same document that does not answer, as search finds several beside the right one.
    """

    longest: int = 600
    typed: float = 0.12
    imitated: float = 0.7
    passed_over: float = 0.0


class Position(NamedTuple):
    """Where training stands: the epoch, the block in it, and the batch in that."""

    epoch: int = 0
    block: int = 0
    batch: int = 0


class Mixture:
    """Batches of examples from all sources, without end."""

    def __init__(
        self, sources: Sequence[Source], making: Making, seed: int, neighbours: Neighbours | None = None
    ) -> None:
        self._sources, self._neighbours, self._making, self._seed = sources, neighbours, making, seed
        self._epoch = lru_cache(2)(lambda number: epoch(sources, number, seed))
        passages = dict.fromkeys(question.passage for source in sources for question in source.training)
        rows = [line.partition(COLUMN)[0].strip() for text in passages for line in text.split("\n") if COLUMN in line]
        self._labels = sorted({row for row in rows if 3 < len(row) < 50 and row[0].isupper()})

    def places(self, position: Position) -> Iterator[Position]:
        """The blocks from `position` on, without end, each with the batch at which to begin."""
        number, block, batch = position
        while True:
            for at in range(block, (len(self._epoch(number)) + BLOCK - 1) // BLOCK):
                yield Position(number, at, batch)
                batch = 0
            number, block = number + 1, 0

    def block(self, place: Position, size: int) -> list[list[Weighted]]:
        """The batches of a block, each of `size` examples of similar length."""
        questions = self._epoch(place.epoch)[place.block * BLOCK : (place.block + 1) * BLOCK]
        rng = random.Random(f"{self._seed} {place.epoch} {place.block}")
        examples = [example for source, question in questions for example in self._made_of(source, question, rng)]
        examples.sort(key=lambda example: len(example.passage) + len(example.question))
        ready = [examples[start : start + size] for start in range(0, len(examples) - size + 1, size)]
        rng.shuffle(ready)
        return ready

    def _made_of(self, source: Source, labelled: LabelledQuestion, rng: random.Random) -> Iterator[Weighted]:
        """The question as it is, and what is made of it."""
        spans = answer_spans(labelled)
        if bool(labelled.answers) != bool(spans):
            return
        if labelled.kind == LONG_ANSWER:
            spans = (*spans, *_parts(labelled.passage, spans))
        whole = Weighted(labelled.question, labelled.passage, spans, _weight(labelled), _classes(labelled))
        yield self._in_some_form(whole, labelled, rng)
        yield from self._unanswerable(source, labelled, whole, rng)
        yield from self._yes_no(source, labelled, rng)
        if rng.random() < TABLE:
            table = table_question(self._labels, rng)
            yield Weighted(table.question, table.passage, table.spans)
        imitated = source.name == FIRST and rng.random() < self._making.imitated
        if self._neighbours and imitated and (varied := self._varied(self._neighbours, source, labelled, rng)):
            passage, _ = excerpt(labelled.question, labelled.passage, spans, self._making.longest, rng)
            yield Weighted(varied, passage, (), imitated=True)

    def _unanswerable(
        self, source: Source, labelled: LabelledQuestion, whole: Weighted, rng: random.Random
    ) -> Iterator[Weighted]:
        """The question falsified, and with another passage."""
        negatives = source.negatives
        if whole.spans and rng.random() < (FALSIFIED_WITH_NEGATIVES if negatives else FALSIFIED):
            falsified = source.articles.falsify(labelled, rng)
            if falsified and not whole.classes:
                yield self._in_some_form(Weighted(falsified, labelled.passage, ()), labelled, rng)
        classes = (NEITHER,) if whole.classes else ()
        if whole.spans and rng.random() < (OTHER_PASSAGE_WITH_NEGATIVES if negatives else OTHER_PASSAGE):
            other = _other_passage(source, labelled, rng)
            if other:
                yield self._in_some_form(Weighted(labelled.question, other, (), classes=classes), labelled, rng)
        if whole.spans and rng.random() < self._making.passed_over:
            rest = _rest_of_passage(labelled, whole.spans, rng) or _other_passage(source, labelled, rng)
            if rest:
                yield self._in_some_form(Weighted(labelled.question, rest, (), classes=classes), labelled, rng)

    def _yes_no(self, source: Source, labelled: LabelledQuestion, rng: random.Random) -> Iterator[Weighted]:
        made: list[YesNoQuestion | None] = []
        if labelled.answers and labelled.kind != LONG_ANSWER and rng.random() < YES_NO_OF_QUESTION:
            made.append(from_question(labelled, rng))
        if rng.random() < YES_NO_OF_STATEMENT:
            made.append(from_statement(labelled.passage, rng))
        for question in filter(None, made):
            made_of = Weighted(question.question, question.passage, (question.evidence,), LONG_WEIGHT, question.classes)
            yield self._in_some_form(made_of, labelled, rng)
            if rng.random() < YES_NO_ELSEWHERE and (other := _other_passage(source, labelled, rng)):
                yield self._in_some_form(Weighted(question.question, other, (), LONG_WEIGHT, (NEITHER,)), labelled, rng)

    def _varied(
        self, neighbours: Neighbours, source: Source, labelled: LabelledQuestion, rng: random.Random
    ) -> str | None:
        if rng.random() < 0.6:
            return substitute(labelled.question, neighbours, rng)
        if rng.random() < 0.5:
            return source.articles.falsify(labelled, rng)
        return splice(labelled.question, rng.choice(source.training).question, rng)

    def _in_some_form(self, example: Weighted, labelled: LabelledQuestion, rng: random.Random) -> Weighted:
        """The example as the service may meet it, sometimes under the title of its article."""
        longest = self._making.longest // (2 if is_dense(example.passage) else 1)  # as many tokens
        passage, spans = excerpt(example.question, example.passage, example.spans, longest, rng)
        if COLUMN not in passage and rng.random() < LIST:
            passage, spans = as_list(passage, spans)
        if example.spans and not spans:  # an answer over several lines of a table
            passage, spans = example.passage, example.spans
        if rng.random() < HEADED and _HEADING.fullmatch(labelled.article) and COLUMN not in passage:
            heading = labelled.article.replace("_", " ") + "\n"
            passage, spans = (
                heading + passage,
                tuple((start + len(heading), end + len(heading)) for start, end in spans),
            )
        question = as_typed(example.question, rng) if rng.random() < self._making.typed else example.question
        return replace(example, question=question, passage=passage, spans=spans)


def _parts(passage: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences of answers of more than one: a reader that marks any of them has found the answer."""
    inside = [(start, sentences(passage[start:end])) for start, end in spans]
    return [(start + first, start + last) for start, parts in inside if len(parts) > 1 for first, last in parts]


def _weight(labelled: LabelledQuestion) -> float:
    return LONG_WEIGHT if labelled.kind in (LONG_ANSWER, *ANSWERED) else 1.0


def _classes(labelled: LabelledQuestion) -> tuple[int, ...]:
    """What the passage may say to the question if that is a yes/no question: which of both is mostly not known."""
    if labelled.kind in ANSWERED:
        return (ANSWERED[labelled.kind],)
    if not BEGINS.match(labelled.question):
        return ()
    return (YES, NO) if labelled.answers else (NEITHER,)


def _rest_of_passage(labelled: LabelledQuestion, spans: Sequence[tuple[int, int]], rng: random.Random) -> str | None:
    """What stands before or after the sentence of the answer, if it is some sentences and names no answer."""
    bounds = sentences(labelled.passage)
    held = [place for place, (start, end) in enumerate(bounds) if any(start < stop and at < end for at, stop in spans)]
    if not held:
        return None
    sides = labelled.passage[: bounds[held[0]][0]].strip(), labelled.passage[bounds[held[-1]][1] :].strip()
    answers = [answer.casefold() for answer in labelled.answers]
    rests = [side for side in sides if len(side) >= SHORTEST_REST and not any(map(side.casefold().count, answers))]
    return rng.choice(rests) if rests else None


def _other_passage(source: Source, labelled: LabelledQuestion, rng: random.Random) -> str | None:
    """A passage of the same article that search ranks high but that contains none of the answers."""
    answers = [answer.casefold() for answer in labelled.answers]
    retrieved = source.articles.search(labelled.article, labelled.question, CANDIDATES)
    others = [
        passage
        for passage in retrieved
        if passage != labelled.passage and not any(answer in passage.casefold() for answer in answers)
    ]
    return rng.choice(others) if others else None
