"""What kind of answer a question asks for, learnt: one layer on the question's own embedding and its commonest words.

It is plain Python, for the server holds no numpy; a question takes less than a millisecond beside its embedding. It is
of use only with the embedding model that it was trained on, and in that model's languages.
"""

import json
import math
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from operator import add, mul
from pathlib import Path
from typing import get_args

from docqa import SHIPPED
from docqa.errors import CannotStart
from docqa.questions.kind_opinion import KindOpinion
from docqa.questions.question import Kind

FILES = "kinds*.json"  # one for each model that has a layer
KINDS: tuple[Kind, ...] = get_args(Kind)
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?|\?|\d")


@dataclass(frozen=True)
class KindHead:
    """The trained layer: for each kind a row of weights and a bias, and for each clue a weight for each kind;
    `base` is the SHA-256 of its model's weights."""

    base: str
    languages: tuple[str, ...]
    kinds: tuple[Kind, ...]
    weights: tuple[Sequence[float], ...]
    biases: tuple[float, ...]
    clues: Mapping[str, Sequence[float]]

    def opinion(self, text: str, vector: bytes) -> KindOpinion:
        """What kinds a question with its embedding most probably is of."""
        numbers = memoryview(vector).cast("f").tolist()
        scores = [sum(map(mul, row, numbers)) + bias for row, bias in zip(self.weights, self.biases, strict=True)]
        for clue in clues(text) & self.clues.keys():
            scores = list(map(add, scores, self.clues[clue]))
        most = max(scores)
        total = sum(math.exp(score - most) for score in scores)
        return KindOpinion.of(
            {kind: math.exp(score - most) / total for kind, score in zip(self.kinds, scores, strict=True)}
        )


def clues(text: str) -> frozenset[str]:
    """The words of a question, its first word as such, pairs of words at its beginning, question mark and digits."""
    words = _WORD.findall(text.lower().replace("’", "'"))
    pairs = [f"{word} {following}" for word, following in pairwise(words[:4])]
    return frozenset([*words, *pairs, *(f"^{word}" for word in words[:1])])


def kind_heads(models_dir: Path) -> dict[str, KindHead]:
    """The shipped layers and those in the models folder, which replace them, by the SHA-256 of their models' weights.

    Raises CannotStart for a damaged file.
    """
    folders = dict.fromkeys((SHIPPED, models_dir))  # mostly the same
    paths = [path for folder in folders for path in sorted(folder.glob(FILES))]
    heads = [_read(path, path.stat().st_mtime_ns) for path in paths]
    return {head.base: head for head in heads}


def file_name(model: str) -> str:
    """The name of the file with the layer for an embedding model."""
    return f"kinds.{model}.json"


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int) -> KindHead:
    try:
        stored = json.loads(path.read_text("utf-8"))
        kinds = tuple(stored["kinds"])
        weights = tuple(array("f", row) for row in stored["weights"])
        if not set(kinds) <= set(KINDS) or len({len(row) for row in weights}) != 1:
            raise ValueError("it is of another version")
        biases = tuple(map(float, stored["biases"]))
        if not len(kinds) == len(weights) == len(biases):
            raise ValueError("its parts do not fit each other")
        words = {clue: array("f", row) for clue, row in stored["clues"].items()}
        if {len(row) for row in words.values()} - {len(kinds)}:
            raise ValueError("its clues do not fit its kinds")
        return KindHead(stored["base"], tuple(stored["languages"]), kinds, weights, biases, words)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CannotStart(f"{path} is damaged: {error}. Delete it, or take it from a fresh copy.") from error
