"""Vectors of a passage's units in four bits a number: the cosines of questions differ by 0.005 from those of the whole.

Of each vector there are a step (float32, little-endian) and half a byte for each number, two neighbours in a byte, the
first in its lower half: the number in steps, and 8 more.
"""

import struct
from operator import mul
from typing import Any

_STEP = struct.Struct("<f")
_LOWER, _UPPER = bytes(byte & 15 for byte in range(256)), bytes(byte >> 4 for byte in range(256))


def size_of(dimension: int) -> int:
    """The bytes that a vector of this dimension, which is even, is packed to."""
    return _STEP.size + dimension // 2


def pack(vectors: list[bytes] | Any, dimension: int) -> bytes:
    """Vectors packed: float32 as bytes, or the rows of an array of numpy."""
    import numpy as np  # not with this module, which the server imports

    if not len(vectors):
        return b""
    rows: Any = np.frombuffer(b"".join(vectors), "<f4").reshape(-1, dimension) if isinstance(vectors, list) else vectors
    steps = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-9) / 7
    halves = (np.rint(rows / steps) + 8).astype(np.uint8)
    return bytes(np.hstack([steps.astype("<f4").view(np.uint8), halves[:, ::2] | halves[:, 1::2] << 4]).tobytes())


def packed_dots(vector: bytes, packed: bytes) -> list[float]:
    """The cosine of a vector of length 1, float32, with each of those packed by `pack`: a millisecond for a hundred."""
    numbers = memoryview(vector).cast("f").tolist()
    even, odd, eight = numbers[::2], numbers[1::2], 8 * sum(numbers)
    size = size_of(len(numbers))
    dots = []
    for start in range(0, len(packed), size):
        halves = packed[start + _STEP.size : start + size]
        steps = sum(map(mul, even, halves.translate(_LOWER))) + sum(map(mul, odd, halves.translate(_UPPER))) - eight
        dots.append(_STEP.unpack_from(packed, start)[0] * steps)
    return dots
