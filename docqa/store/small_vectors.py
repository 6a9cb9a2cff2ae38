"""Vectors as they are stored: a byte for each number, in steps of the largest one.

Rows of before, with float32, are read as they are until `compaction` has made them small. With int8 there are
0.998 of the twenty nearest among the first twenty, and no cosine is off by more than 0.0025 (all-MiniLM-L6-v2).
"""

import array
from functools import lru_cache


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
