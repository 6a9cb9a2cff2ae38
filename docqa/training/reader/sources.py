"""The question sets that the reader's second generation learns from: how often each is read, and what is kept apart.

A question is kept apart for evaluation by the hash of its article's title, so that no choice of seed or order moves it
into training; where the article is unknown, by the hash of the passage.
"""

import hashlib
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from pathlib import Path

from docqa.training.question_sets import Articles, LabelledQuestion, load, split_articles

UNKNOWN = "(SQuAD train"  # how the titles of passages begin whose article is not known
KEPT_APART = 12  # a title in so many
# The set that the first generation was trained, calibrated and evaluated on: its held-out articles stay held out.
FIRST = "squad_en"
# How often a set is read in an epoch; 1 for those not named.
REPEATS = {
    "tatqa": 2.0,
    "qed_nq": 1.3,
    "omosqa_en": 1.3,
    "auto_swap_unanswerable": 0.6,
    "cuad": 0.4,
    "contractnli": 0.4,
    "selqa": 0.5,
    "fairytaleqa": 0.2,
    "qamr": 0.15,
    "squad_train_es": 0.6,
    "squad_en_es": 0.6,
    "squadshifts_newwiki_es": 0.6,
    "omosqa_es": 1.3,
}
# The same by how a name begins, the first that fits.
EVERYDAY = {"everyday_whether_": 6.0, "everyday_extracts_": 10.0, "everyday_": 5.0}
TRANSLATED = re.compile("(.+)_[a-z]{2}")  # how the sets are named that are translations of one
CROSSED = "crossed"  # the set of their questions in one language on passages in another
_GAP = re.compile(r" \| |(?<=\S) {3,}(?=\S)")  # between the cells of a row
TOGETHER = 4  # questions about one passage that are learned side by side


@dataclass(frozen=True)
class Source:
    """A question set: the questions for training, those kept apart for evaluation and for calibration, and the articles
    of training to search for other passages.

    `negatives` says whether people have written unanswerable questions for these passages.
    """

    name: str
    training: tuple[LabelledQuestion, ...]
    kept_apart: tuple[LabelledQuestion, ...]
    calibration: tuple[LabelledQuestion, ...]
    articles: Articles
    negatives: bool


def is_kept_apart(question: LabelledQuestion) -> bool:
    """Whether the question may never be trained on."""
    text = question.passage if question.article.startswith(UNKNOWN) else question.article
    return int(hashlib.sha1(text.encode()).hexdigest(), 16) % KEPT_APART == 0


def load_sources(paths: Iterable[Path]) -> list[Source]:
    """The sets in these files; `NAME_answerable` and `NAME_unanswerable` become one. Raises DocqaError."""
    sets: dict[str, list[LabelledQuestion]] = {}
    for path in paths:
        stem = path.name.partition(".")[0]
        name = stem.removesuffix("_answerable").removesuffix("_unanswerable") if stem not in REPEATS else stem
        sets.setdefault(name, []).extend(map(_as_read, load([path])))
    return [_source(name, questions) for name, questions in (sets | _crossed(sets)).items()]


def _crossed(sets: Mapping[str, Sequence[LabelledQuestion]]) -> dict[str, list[LabelledQuestion]]:
    """Of sets that are translations of one, question by question, those of each language on the passages of another."""
    crossed: dict[str, list[LabelledQuestion]] = {}
    for (name, questions), (other, translated) in permutations(sets.items(), 2):
        kind, same = TRANSLATED.fullmatch(name), TRANSLATED.fullmatch(other)
        if kind and same and kind[1] == same[1] and _titles(questions) == _titles(translated):
            pairs = zip(questions, translated, strict=True)
            crossed.setdefault(f"{kind[1]}_{CROSSED}", []).extend(
                replace(in_other, question=question.question) for question, in_other in pairs
            )
    return crossed


def _titles(questions: Sequence[LabelledQuestion]) -> list[tuple[str, bool]]:
    return [(question.article, bool(question.answers)) for question in questions]


def _as_read(question: LabelledQuestion) -> LabelledQuestion:
    """The question with the cells of its tables separated by tabs, as the readers of formats write them."""
    answers = tuple(_GAP.sub("\t", answer) for answer in question.answers)
    return replace(question, passage=_GAP.sub("\t", question.passage), answers=answers)


def _source(name: str, questions: Sequence[LabelledQuestion]) -> Source:
    kept_apart = [question for question in questions if is_kept_apart(question)]
    training = [question for question in questions if not is_kept_apart(question)]
    calibration: list[LabelledQuestion] = []
    if name == FIRST:
        split = split_articles(questions)
        kept_apart = [question for question in questions if question.article in split.evaluation]
        calibration = [question for question in questions if question.article in split.calibration]
        training = [question for question in training if question.article in split.training]
    in_buckets = [_in_bucket(question) for question in training]
    negatives = any(not question.answers for question in training)
    return Source(name, tuple(in_buckets), tuple(kept_apart), tuple(calibration), Articles(in_buckets), negatives)


def _in_bucket(question: LabelledQuestion) -> LabelledQuestion:
    """Passages of unknown articles are searched a sixteenth at a time: thousands of them would take too long."""
    if not question.article.startswith(UNKNOWN):
        return question
    return replace(question, article=f"{UNKNOWN} {hashlib.sha1(question.passage.encode()).hexdigest()[0]}")


def epoch(sources: Sequence[Source], number: int, seed: int) -> list[tuple[Source, LabelledQuestion]]:
    """The questions of one epoch, each set as often as REPEATS and EVERYDAY say, those about one passage side by side.

    The same for the same seed.
    """
    groups: list[list[tuple[Source, LabelledQuestion]]] = []
    for source in sources:
        rng = random.Random(f"{seed} {number} {source.name}")
        groups += _groups(source, partial(_times, _repeats(source.name), rng), rng)
    random.Random(f"{seed} {number}").shuffle(groups)
    return [question for group in groups for question in group]


def _repeats(name: str) -> float:
    return next((times for beginning, times in EVERYDAY.items() if name.startswith(beginning)), REPEATS.get(name, 1.0))


def _groups(
    source: Source, times: Callable[[], int], rng: random.Random
) -> Iterator[list[tuple[Source, LabelledQuestion]]]:
    by_passage: dict[str, list[LabelledQuestion]] = {}
    for question in source.training:
        by_passage.setdefault(question.passage, []).extend([question] * times())
    for questions in by_passage.values():
        rng.shuffle(questions)
        for start in range(0, len(questions), TOGETHER):
            yield [(source, question) for question in questions[start : start + TOGETHER]]


def _times(repeats: float, rng: random.Random) -> int:
    return int(repeats) + (rng.random() < repeats % 1)
