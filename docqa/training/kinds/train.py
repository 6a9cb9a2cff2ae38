"""Trains the layer that tells kinds of questions apart: multinomial logistic regression on embeddings and common words.

Its questions are in questions.toml. It takes seconds, and says what it gets right of questions it was not trained on,
beside the rules of the languages alone.
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

QUESTIONS = Path(__file__).parent / "questions.toml"
FOLDS = 5
HELD_OUT = 3  # a third is kept apart to compare with the rules
DECAY = 5e-3  # of the weights, per step; chosen by cross-validation
RATE, STEPS = 8.0, 500
CLUE = 0.2  # what a word counts beside the embedding, whose length is 1; chosen likewise
OFTEN = 3  # questions that a clue stands in at least
DECIMALS = 3


@dataclass(frozen=True)
class Example:
    """A question and its kind."""

    text: str
    kind: Kind


def examples(path: Path = QUESTIONS) -> list[Example]:
    """The questions of a file: a list for each kind."""
    stored = tomllib.loads(path.read_text("utf-8"))
    return [Example(text, kind) for kind in KINDS for text in stored.get(kind, ())]


def train_kinds(embedder: Embedder, languages: Sequence[str], out: Path, report: Callable[[str], None]) -> None:
    """Train on all questions, after cross-validation, and write the layer to `out`. Raises Unavailable."""
    import numpy as np

    given = examples()
    vectors = np.frombuffer(b"".join(asyncio.run(_embedded(embedder, given))), np.float32).reshape(len(given), -1)
    labels = np.array([KINDS.index(example.kind) for example in given])
    dimension, words = vectors.shape[1], _common(given)
    held = [clues(example.text) for example in given]
    vectors = np.hstack([vectors, CLUE * np.array([[word in of for word in words] for of in held], np.float32)])
    _cross_validated(vectors, labels, report)
    _beside_rules(given, vectors, labels, report)
    weights, biases = _fit(vectors, labels)
    used = sorted(set(labels.tolist()))
    stored = {
        "base": embedder.sha256,
        "languages": list(languages),
        "kinds": [KINDS[index] for index in used],
        "weights": [_rounded(weights[index, :dimension]) for index in used],
        "biases": _rounded(biases[used]),
        "clues": {word: _rounded(CLUE * weights[used, dimension + at], 2) for at, word in enumerate(words)},
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
    target = np.eye(classes)[labels]
    counts = np.bincount(labels, minlength=classes)
    share = (1.0 / (np.count_nonzero(counts) * counts[labels]))[:, None]
    weights, biases = np.zeros((classes, vectors.shape[1]), np.float32), np.where(counts > 0, 0.0, -30.0)
    speed, speed_biases = np.zeros_like(weights), np.zeros_like(biases)
    for _ in range(STEPS):
        scores = vectors @ weights.T + biases
        chances = np.exp(scores - scores.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        error = (chances - target) * share
        speed = 0.9 * speed - RATE * (error.T @ vectors + DECAY / classes * weights)
        speed_biases = 0.9 * speed_biases - RATE * error.sum(0) * (counts > 0)
        weights, biases = weights + speed, biases + speed_biases
    return weights, biases


def _opinions(vectors: Any, weights: Any, biases: Any) -> list[KindOpinion]:
    import numpy as np

    scores = vectors @ weights.T + biases
    chances = np.exp(scores - scores.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    return [KindOpinion.of(dict(zip(KINDS, row.tolist(), strict=True))) for row in chances]


def _cross_validated(vectors: Any, labels: Any, report: Callable[[str], None]) -> None:
    import numpy as np

    right: Counter[int] = Counter()
    mistaken: Counter[tuple[str, str]] = Counter()
    for fold in range(FOLDS):
        apart = np.arange(len(labels)) % FOLDS == fold
        opinions = _opinions(vectors[apart], *_fit(vectors[~apart], labels[~apart]))
        for label, opinion in zip(labels[apart].tolist(), opinions, strict=True):
            right[label] += opinion.kind == KINDS[label]
            if opinion.kind != KINDS[label]:
                mistaken[KINDS[label], opinion.kind] += 1
    counts = Counter(labels.tolist())
    for label, count in sorted(counts.items()):
        report(f"{KINDS[label]:14} {right[label]:3} of {count:3} ({100 * right[label] / count:.0f} %)")
    report(f"all            {right.total():3} of {len(labels):3} ({100 * right.total() / len(labels):.1f} %)")
    report("mostly mistaken: " + ", ".join(f"{a} for {b} {n}" for (a, b), n in mistaken.most_common(8)))


def _beside_rules(given: Sequence[Example], vectors: Any, labels: Any, report: Callable[[str], None]) -> None:
    """What the rules, the layer and both together get right of the third kept apart."""
    import numpy as np

    apart = np.arange(len(labels)) % HELD_OUT == 0
    opinions = _opinions(vectors[apart], *_fit(vectors[~apart], labels[~apart]))
    held = [example for example, is_apart in zip(given, apart, strict=True) if is_apart]
    ways = {
        "rules": [question_kind(example.text, "en", None) for example in held],
        "layer": [opinion.kind for opinion in opinions],
        "both": [question_kind(example.text, "en", opinion) for example, opinion in zip(held, opinions, strict=True)],
    }
    for name, kinds in ways.items():
        right = sum(kind == example.kind for kind, example in zip(kinds, held, strict=True))
        report(f"{name:6} right for {right} of {len(held)} kept apart ({100 * right / len(held):.1f} %)")
    report(f"settled by rules: {sum(settled(example.text, 'en') is not None for example in held)} of {len(held)}")
