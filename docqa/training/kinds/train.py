"""Trains the layer that tells kinds of questions apart: multinomial logistic regression on embeddings and common words.

Its questions are in `questions`, a file for each language. It says what it gets right of questions it was not trained
on, beside the rules of the languages alone.
"""

import asyncio
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docqa.models.embedder import Embedder
from docqa.models.kinds import KINDS, clues
from docqa.questions.kind_opinion import KindOpinion
from docqa.questions.kinds import settled
from docqa.questions.question import Kind
from docqa.questions.understand import question_kind

QUESTIONS = Path(__file__).parent / "questions"
FOLDS = 5
HELD_OUT = 3  # a third is kept apart to compare with the rules
DECAY = 5e-3  # of the weights, per step; chosen by cross-validation
RATE, STEPS = 8.0, 500
CLUE = 0.2  # what a word counts beside the embedding, whose length is 1; chosen likewise
OFTEN = 8  # questions that a clue stands in at least
DECIMALS, CLUE_DECIMALS = 2, 1
FACTORS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)  # by which scores may be too small
LEAST_CHANCE = 1e-9  # so that it has a logarithm


@dataclass(frozen=True)
class Example:
    """A question, its kind and language. `place` is where it stands among those of its language, which is near where
    others say the same in theirs: what is kept apart is so in all of them."""

    text: str
    kind: Kind
    language: str
    place: int


def languages_known() -> list[str]:
    """The languages that there are questions in."""
    return sorted(path.stem for path in QUESTIONS.glob("*.toml"))


def examples(languages: Sequence[str]) -> list[Example]:
    """The questions in these languages: in each file a list for each kind."""
    given: list[Example] = []
    for language in languages:
        stored = tomllib.loads((QUESTIONS / f"{language}.toml").read_text("utf-8"))
        own = [(text, kind) for kind in KINDS for text in stored.get(kind, ())]
        given += [Example(text, kind, language, place) for place, (text, kind) in enumerate(own)]
    return given


def train_kinds(embedder: Embedder, out: Path, report: Callable[[str], None]) -> None:
    """Train on all questions in the languages of the model, after cross-validation, and write the layer to `out`.
    Raises Unavailable."""
    import numpy as np

    languages = list(filter(embedder.knows, languages_known()))
    given = examples(languages)
    vectors = np.frombuffer(b"".join(asyncio.run(_embedded(embedder, given))), np.float32).reshape(len(given), -1)
    labels = np.array([KINDS.index(example.kind) for example in given])
    dimension, words = vectors.shape[1], _common(given)
    held = [clues(example.text) for example in given]
    vectors = np.hstack([vectors, CLUE * np.array([[word in of for word in words] for of in held], np.float32)])
    places = np.array([example.place for example in given])
    factor = _cross_validated(given, vectors, labels, places % FOLDS, report)
    _beside_rules(given, vectors, labels, places % HELD_OUT == 0, factor, report)
    weights, biases = (factor * fitted for fitted in _fit(vectors, labels))
    used = sorted(set(labels.tolist()))
    stored = {
        "base": embedder.sha256,
        "languages": languages,
        "kinds": [KINDS[index] for index in used],
        "weights": [_rounded(weights[index, :dimension]) for index in used],
        "biases": _rounded(biases[used]),
        "clues": {word: _rounded(CLUE * weights[used, dimension + at], CLUE_DECIMALS) for at, word in enumerate(words)},
    }
    out.write_text(json.dumps(stored, separators=(",", ":")) + "\n", "utf-8")
    report(f"{len(given)} questions, {out.stat().st_size:,} bytes in {out}")


def _common(given: Sequence[Example]) -> list[str]:
    """The clues that some questions share."""
    counts = Counter(clue for example in given for clue in clues(example.text))
    return sorted(clue for clue, count in counts.items() if count >= OFTEN)


def _rounded(values: Any, decimals: int = DECIMALS) -> list[float]:
    return [round(float(value), decimals) for value in values]


async def _embedded(embedder: Embedder, given: Sequence[Example]) -> list[bytes]:
    try:
        await embedder.load()
        return [await embedder.encode_question(example.text) for example in given]
    finally:
        await embedder.close()


def _fit(vectors: Any, labels: Any) -> tuple[Any, Any]:
    """Weights and biases by gradient descent with momentum; every kind counts the same, however many questions it
    has."""
    import numpy as np

    classes = len(KINDS)
    target = np.eye(classes, dtype=np.float32)[labels]
    counts = np.bincount(labels, minlength=classes)
    share = (1.0 / (np.count_nonzero(counts) * counts[labels])).astype(np.float32)[:, None]
    weights = np.zeros((classes, vectors.shape[1]), np.float32)
    biases = np.where(counts > 0, 0.0, -30.0).astype(np.float32)
    speed, speed_biases = np.zeros_like(weights), np.zeros_like(biases)
    for _ in range(STEPS):
        scores = vectors @ weights.T + biases
        error = (_chances(scores) - target) * share
        speed = 0.9 * speed - RATE * (error.T @ vectors + DECAY / classes * weights)
        speed_biases = 0.9 * speed_biases - RATE * error.sum(0) * (counts > 0)
        weights, biases = weights + speed, biases + speed_biases
    return weights, biases


def _scores_apart(vectors: Any, labels: Any, apart: Any) -> Any:
    """The scores of what is kept apart, fitted on the rest."""
    weights, biases = _fit(vectors[~apart], labels[~apart])
    return vectors[apart] @ weights.T + biases


def _chances(scores: Any) -> Any:
    import numpy as np

    chances = np.exp(scores - scores.max(1, keepdims=True))
    return chances / chances.sum(1, keepdims=True)


def _opinions(scores: Any) -> list[KindOpinion]:
    return [KindOpinion.of(dict(zip(KINDS, row.tolist(), strict=True))) for row in _chances(scores)]


def _cross_validated(
    given: Sequence[Example], vectors: Any, labels: Any, folds: Any, report: Callable[[str], None]
) -> float:
    """What is right of questions that were kept apart, and the factor by which scores are as sure as they are right:
    temperature scaling (Guo et al., 2017)."""
    import numpy as np

    scores = np.zeros((len(given), len(KINDS)), np.float32)
    for fold in range(FOLDS):
        apart = folds == fold
        scores[apart] = _scores_apart(vectors, labels, apart)
    right: Counter[str] = Counter()
    mistaken: Counter[tuple[str, str]] = Counter()
    for example, opinion in zip(given, _opinions(scores), strict=True):
        if opinion.kind == example.kind:
            right.update(("all", example.kind, example.language))
        else:
            mistaken[example.kind, opinion.kind] += 1
    counts = Counter(name for example in given for name in ("all", example.kind, example.language))
    for name, count in counts.items():
        report(f"{name:14} {right[name]:4} of {count:4} ({100 * right[name] / count:.0f} %)")
    report("mostly mistaken: " + ", ".join(f"{a} for {b} {n}" for (a, b), n in mistaken.most_common(8)))

    def likelihood(factor: float) -> float:
        return float(np.log(_chances(factor * scores)[np.arange(len(labels)), labels] + LEAST_CHANCE).mean())

    factor = max(FACTORS, key=likelihood)
    report(f"scores are multiplied by {factor}")
    return factor


def _beside_rules(
    given: Sequence[Example], vectors: Any, labels: Any, apart: Any, factor: float, report: Callable[[str], None]
) -> None:
    """What the rules, the layer and both together get right of the third kept apart."""
    opinions = _opinions(factor * _scores_apart(vectors, labels, apart))
    held = [example for example, is_apart in zip(given, apart, strict=True) if is_apart]
    ways = {
        "rules": [question_kind(example.text, example.language, None) for example in held],
        "layer": [opinion.kind for opinion in opinions],
        "both": [
            question_kind(example.text, example.language, opinion)
            for example, opinion in zip(held, opinions, strict=True)
        ],
    }
    for name, kinds in ways.items():
        right = Counter(example.language for kind, example in zip(kinds, held, strict=True) if kind == example.kind)
        by_language = ", ".join(f"{language} {count}" for language, count in sorted(right.items()))
        report(f"{name:6} right for {right.total()} of {len(held)} kept apart ({by_language})")
    decided = sum(settled(example.text, example.language) is not None for example in held)
    report(f"settled by rules: {decided} of {len(held)}")
