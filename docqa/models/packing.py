"""Vectors of a passage's units in four bits a number: the cosines of questions differ from those of the whole by 0.0055
for all-MiniLM-L6-v2, among cosines that spread by 0.12, and by 0.003 for multilingual-e5-small, among 0.022.

Of each vector there are a step (float32, little-endian) and half a byte for each number, two neighbours in a byte, the
first in its lower half: the number in steps, and 8 more.
"""

import struct
from typing import Any

_STEP = struct.Struct("<f")
_REACH = 0.8  # of the largest number, to which the steps reach: what is beyond is cut off, and all else more exact
_LOWER, _UPPER = (bytes(((byte >> by & 15) - 8) % 256 for byte in range(256)) for by in (0, 4))


def size_of(dimension: int) -> int:
    """The bytes that a vector of this dimension, which is even, is packed to."""
    return _STEP.size + dimension // 2


def pack(vectors: list[bytes] | Any, dimension: int) -> bytes:
    """Vectors packed: float32 as bytes, or the rows of an array of numpy."""
    import numpy as np  # not with this module, which the server imports: it packs only what another server made

    if not len(vectors):
        return b""
    rows: Any = np.frombuffer(b"".join(vectors), "<f4").reshape(-1, dimension) if isinstance(vectors, list) else vectors
    steps = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-9) * _REACH / 7
    numbers = np.clip(np.rint(rows / steps), -8, 7)
    # With these steps the product with the vector itself is exact, and so nearly that with what is like it.
    steps = (rows * rows).sum(axis=1, keepdims=True) / np.maximum((numbers * rows).sum(axis=1, keepdims=True), 1e-9)
    halves = (numbers + 8).astype(np.uint8)
    return bytes(np.hstack([steps.astype("<f4").view(np.uint8), halves[:, ::2] | halves[:, 1::2] << 4]).tobytes())


def unpacked(packed: bytes, dimension: int) -> tuple[list[float], bytes]:
    """The steps of those packed by `pack`, and their numbers in these steps, int8, one vector after the other."""
    size = size_of(dimension)
    starts = range(0, len(packed), size)
    halves = b"".join([packed[start + _STEP.size : start + size] for start in starts])
    numbers = bytearray(2 * len(halves))
    numbers[::2], numbers[1::2] = halves.translate(_LOWER), halves.translate(_UPPER)
    return [_STEP.unpack_from(packed, start)[0] for start in starts], bytes(numbers)
