"""Cosines of vectors, and the scale on which those of all models are alike: that of all-MiniLM-L6-v2."""

from operator import mul
from typing import NamedTuple

# The mean cosine of unrelated texts (`pairs.PAIRS`) by all-MiniLM-L6-v2, on whose scale all thresholds are.
UNRELATED = 0.057
# The same on public question sets (a question and any sentence of another document), and the mean cosine of a question
# and the sentence that answers it.
ON_SETS = (0.036, 0.661)
# The same on 340 passages of training sets, of sentences that all-MiniLM-L6-v2 reads alone, and in passing.
ALONE, IN_PASSING = (0.038, 0.592), (0.026, 0.569)


class Scale(NamedTuple):
    """The mean cosine, by some model, of a question and any sentence of another document, and of a question and the
    sentence that answers it."""

    unrelated: float
    related: float

    def applied(self, cosine: float) -> float:
        """A cosine by that model on the scale of all-MiniLM-L6-v2's, where these two means are ON_SETS."""
        low, high = ON_SETS
        return low + (cosine - self.unrelated) * (high - low) / (self.related - self.unrelated)


def dot(left: bytes, right: bytes) -> float:
    """The cosine of two vectors of length 1."""
    return float(sum(map(mul, memoryview(left).cast("f"), memoryview(right).cast("f"))))
