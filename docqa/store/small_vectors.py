"""Vectors as they are stored: a byte for each number, in steps of the largest one.

Rows of before, with float32, are read as they are until `compaction` has made them small. With int8 there are
0.998 of the twenty nearest among the first twenty, and no cosine is off by more than 0.0025 (all-MiniLM-L6-v2).
"""

import array
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

BLOCK = 256  # vectors that are compared at once: more leave the processor's cache


def small(vector: bytes) -> bytes:
    """A float32 vector of any length as int8; its direction is kept, its length is not."""
    numbers = memoryview(vector).cast("f")
    largest = max(max(numbers), -min(numbers))
    if not 0 < largest < float("inf"):
        return vector  # no vector: it stays what repair finds
    scale = 127 / largest
    # Rounding, in half the time of `round`.
    return array.array("b", [int(number * scale + 128.5) - 128 for number in numbers]).tobytes()


@lru_cache(8)
def small_question(vector: bytes) -> bytes:
    """The same of a question, which is compared several times."""
    return small(vector)


def cosine_distance(column: str) -> str:
    """SQL for the distance of a stored vector to the question, whose forms are ?1 as int8 and ?2 as float32."""
    return f"""iif(length({column}) = length(?1), vec_distance_cosine(vec_int8({column}), vec_int8(?1)),
                   vec_distance_cosine({column}, ?2))"""


def nearest(rows: Sequence[tuple[int, bytes]], vector: bytes, limit: int) -> list[int]:
    """The ids of the vectors nearest to a question's, nearest first, at most `limit`, of these (id, vector) as stored;
    what is no vector is left out."""
    import numpy as np  # not with this module, which a server without many passages imports

    sizes = {len(row[1]) for row in rows}
    ids: list[int] = []
    cosines: list[Any] = [np.empty(0, "f4")]
    for question, kind in ((small_question(vector), "i1"), (vector, "<f4")):
        if len(question) not in sizes:
            continue
        own = rows if sizes == {len(question)} else [row for row in rows if len(row[1]) == len(question)]
        ids += [row[0] for row in own]
        wanted = np.frombuffer(question, kind).astype("f4")
        wanted /= np.linalg.norm(wanted)
        stored = np.frombuffer(b"".join([row[1] for row in own]), kind).reshape(-1, len(wanted))
        for start in range(0, len(stored), BLOCK):
            block = stored[start : start + BLOCK].astype("f4")
            with np.errstate(invalid="ignore", divide="ignore"):
                cosines.append(block @ wanted / np.sqrt(np.einsum("ij,ij->i", block, block)))
    every = np.concatenate(cosines)
    sound = np.isfinite(every)
    chunks = np.array(ids, "i8")[sound]
    return list(chunks[np.lexsort((chunks, -every[sound]))[:limit]].tolist())


def signs(column: str, dimension: int) -> str:
    """SQL for the signs of a stored vector of so many numbers."""
    return (
        f"iif(length({column}) = {dimension}, vec_quantize_binary(vec_int8({column})), vec_quantize_binary({column}))"
    )


def sound(column: str, dimension: int) -> str:
    """SQL for whether a stored value is a vector of so many numbers: where one is infinite or none, or all are zero, it
    has no distance to itself."""
    as_float = f"CASE length({column}) WHEN {4 * dimension} THEN {column} ELSE zeroblob({4 * dimension}) END"
    as_small = f"vec_int8(CASE length({column}) WHEN {dimension} THEN {column} ELSE zeroblob({dimension}) END)"
    return f"""(vec_distance_cosine({as_float}, {as_float}) IS NOT NULL
               OR vec_distance_cosine({as_small}, {as_small}) IS NOT NULL)"""
