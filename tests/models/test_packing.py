"""Vectors of units are kept in half a byte a number."""

import math
import random
import struct
from contextlib import closing
from pathlib import Path
from statistics import stdev

import pytest

from docqa.models.packing import pack, size_of
from docqa.search.ranking import unit_cosines
from docqa.store.database import connect
from docqa.store.glances import at_once

DIMENSION = 384


def vector(seed: int) -> list[float]:
    chance = random.Random(seed)
    numbers = [chance.gauss(0, 1) for _ in range(DIMENSION)]
    length = math.hypot(*numbers)
    return [number / length for number in numbers]


def of(numbers: list[float]) -> bytes:
    return struct.pack(f"<{DIMENSION}f", *numbers)


def cosines(question: list[float], packed: bytes) -> list[float]:
    """As a search compares them."""
    with closing(connect(Path(":memory:"))) as conn:
        return at_once(conn, lambda conn: unit_cosines(conn, packed, of(question)))


def exact_cosines(question: list[float], units: list[list[float]]) -> list[float]:
    return [sum(a * b for a, b in zip(question, unit, strict=True)) for unit in units]


def test_packed_vectors_have_nearly_the_same_cosines_in_an_eighth_of_the_size() -> None:
    question, units = vector(0), [vector(seed) for seed in range(1, 60)]
    units.append([0.8 * a + 0.6 * b for a, b in zip(question, vector(99), strict=True)])
    packed = pack([of(unit) for unit in units], DIMENSION)
    assert len(packed) == len(units) * size_of(DIMENSION) == len(units) * 196
    exact = exact_cosines(question, units)
    made = cosines(question, packed)
    assert made == pytest.approx(exact, abs=0.03)
    assert sum(made) / len(made) == pytest.approx(sum(exact) / len(exact), abs=0.003), "and none lower than the others"


def test_vectors_that_have_most_in_common_are_still_told_apart() -> None:
    def alike(seed: int) -> list[float]:
        return [0.87 * a + 0.5 * b for a, b in zip(vector(0), vector(seed), strict=True)]

    question, units = alike(1), [alike(seed) for seed in range(2, 200)]
    exact = exact_cosines(question, units)
    made = cosines(question, pack([of(unit) for unit in units], DIMENSION))
    wrong = [a - b for a, b in zip(made, exact, strict=True)]
    assert stdev(wrong) < 0.2 * stdev(exact)


def test_of_no_units_nothing_is_packed() -> None:
    assert pack([], DIMENSION) == b""
    assert cosines(vector(0), b"") == []


def test_a_vector_of_zeros_is_like_nothing() -> None:
    zero, same = cosines(vector(0), pack([bytes(4 * DIMENSION), of(vector(0))], DIMENSION))
    assert zero == pytest.approx(0, abs=1e-6)
    assert same == pytest.approx(1, abs=0.02)
