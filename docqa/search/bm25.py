"""BM25 of passages, their words weighed by the documents that are asked.

FTS5 weighs them by the whole file: beside documents of other languages and subjects the commonest words of this one look rare.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

K1, B = 1.2, 0.75  # as in FTS5


def rarity(count: float, total: float) -> float:
    """Inverse document frequency (Robertson and Spärck Jones), kept positive, of a term that stands in `count` of `total` passages."""
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def bm25(weights: Mapping[str, float], passages: Sequence[Sequence[str]]) -> list[float]:
    """The score of each passage, given by its terms. Their average length is that of these passages."""
    average = sum(map(len, passages)) / len(passages) if passages else 0.0
    return [
        _score(weights, passage, K1 * (1 - B + B * len(passage) / average)) if passage else 0.0 for passage in passages
    ]


def _score(weights: Mapping[str, float], passage: Sequence[str], damping: float) -> float:
    counts = Counter(term for term in passage if term in weights)
    return sum(weights[term] * count * (K1 + 1) / (count + damping) for term, count in counts.items())
