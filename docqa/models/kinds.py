"""What kind of answer a question asks for, learnt: one layer on the question's own embedding.

It is plain Python, for the server holds no numpy; a question takes less than a millisecond beside its embedding. It is
of use only with the embedding model that it was trained on, and in that model's languages.
"""

import json
import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from pathlib import Path
from typing import get_args

from docqa import ROOT
from docqa.errors import CannotStart
from docqa.questions.question import Kind, KindOpinion

FILE = "kinds.json"
SHIPPED = ROOT / "models" / FILE
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class KindHead:
    """The trained layer: for each kind a row of weights and a bias; `base` is the SHA-256 of its model's weights."""

    base: str
    languages: tuple[str, ...]
    kinds: tuple[Kind, ...]
    weights: tuple[Sequence[float], ...]
    biases: tuple[float, ...]

    def opinion(self, vector: bytes) -> KindOpinion:
        """The most probable kind of the question with this embedding."""
        numbers = memoryview(vector).cast("f").tolist()
        scores = [sum(map(mul, row, numbers)) + bias for row, bias in zip(self.weights, self.biases, strict=True)]
        best = max(range(len(scores)), key=scores.__getitem__)
        return KindOpinion(self.kinds[best], 1 / sum(math.exp(score - scores[best]) for score in scores))


def kind_head(models_dir: Path) -> KindHead | None:
    """The head in the models folder, else the shipped one, None without either. Raises CannotStart for a damaged
    file."""
    path = next((path for path in (models_dir / FILE, SHIPPED) if path.is_file()), None)
    if path is None:
        return None
    try:
        stored = json.loads(path.read_text("utf-8"))
        kinds = tuple(stored["kinds"])
        weights = tuple(array("f", row) for row in stored["weights"])
        if not set(kinds) <= set(KINDS) or len({len(row) for row in weights}) != 1:
            raise ValueError("it is of another version")
        biases = tuple(map(float, stored["biases"]))
        if not len(kinds) == len(weights) == len(biases):
            raise ValueError("its parts do not fit each other")
        return KindHead(stored["base"], tuple(stored["languages"]), kinds, weights, biases)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CannotStart(f"{path} is damaged: {error}. Delete it, or take it from a fresh copy.") from error
