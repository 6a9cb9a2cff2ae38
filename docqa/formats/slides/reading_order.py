"""Boxes on a slide → the order in which a person reads them: by rows or by columns. It looks at places only, never at what is written."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

T = TypeVar("T")

# Each level of cuts looks at all boxes again; layouts by people are rarely nested more than three deep.
_DEEPEST = 8
# Boxes up to which rows are tried together; nobody writes more on a slide.
_MOST = 100


class Box(NamedTuple):
    """A rectangle in any unit; x grows to the right, y downwards."""

    left: float
    top: float
    right: float
    bottom: float


class _Placed(NamedTuple):
    drawn: int
    box: Box


def in_order(items: Sequence[T], boxes: Sequence[Box | None], from_right: bool = False) -> list[T]:
    """The items, which come in drawing order, as they are read; one without a box stays behind the one that was drawn before it.

    A recursive X-Y cut (Nagy and Seth, 1984): the boxes are cut apart by the straight gaps between them, into rows or into columns. Where
    both are possible, the drawing order decides: people draw a row or a column to its end before they begin the next.
    """
    placed = [
        _Placed(index, _mirrored(box) if from_right else box) for index, box in enumerate(boxes) if box is not None
    ]
    order = [one.drawn for one in _cut(placed, 0)]
    followers: dict[int, list[int]] = {-1: []}
    leader = -1
    for index, box in enumerate(boxes):
        if box is not None:
            leader = index
            followers[leader] = []
        else:
            followers[leader].append(index)
    return [items[index] for leader in (-1, *order) for index in ([leader] if leader >= 0 else []) + followers[leader]]


def _mirrored(box: Box) -> Box:
    return Box(-box.right, box.top, -box.left, box.bottom)


def _cut(placed: list[_Placed], depth: int) -> list[_Placed]:
    if len(placed) < 2:
        return placed
    rows, columns = _rows(placed), _columns(placed)
    if len(columns) == 1 < len(rows) and len(placed) <= _MOST:
        rows = _blocks(rows)
    ways = [bands for bands in (rows, columns) if len(bands) > 1]
    if not ways or depth == _DEEPEST:
        return _by_lines(placed)
    return [one for band in min(ways, key=_jumps) for one in _cut(band, depth + 1)]


def _rows(placed: list[_Placed]) -> list[list[_Placed]]:
    return _bands(placed, lambda one: (one.box.top, one.box.bottom))


def _columns(placed: list[_Placed]) -> list[list[_Placed]]:
    return _bands(placed, lambda one: (one.box.left, one.box.right))


def _blocks(rows: list[list[_Placed]]) -> list[list[_Placed]]:
    """Rows, joined again where they could as well be columns below a heading that spans them."""
    blocks = rows[:1]
    for row in rows[1:]:
        if len(_columns(blocks[-1] + row)) > 1:
            blocks[-1] = blocks[-1] + row
        else:
            blocks.append(row)
    return blocks


def _bands(placed: list[_Placed], extent: Callable[[_Placed], tuple[float, float]]) -> list[list[_Placed]]:
    """What lies between the gaps along one direction. Boxes are larger than the text in them: a tenth may overlap."""
    bands: list[list[_Placed]] = []
    reached = 0.0
    for one in sorted(placed, key=extent):
        low, high = extent(one)
        if bands and low + (high - low) / 10 < reached:
            bands[-1].append(one)
            reached = max(reached, high)
        else:
            bands.append([one])
            reached = high
    return bands


def _jumps(bands: list[list[_Placed]]) -> int:
    """How often the drawing goes from one band to another, beyond the once that each of them needs."""
    band_of = {one.drawn: number for number, band in enumerate(bands) for one in band}
    return sum(band_of[a] != band_of[b] for a, b in pairwise(sorted(band_of))) - len(bands) + 1


def _by_lines(placed: list[_Placed]) -> list[_Placed]:
    """Boxes that overlap: from the top down; those that begin in the upper half of another stand in its line, from left to right."""
    lines: list[list[_Placed]] = []
    half = 0.0
    for one in sorted(placed, key=lambda one: (one.box.top, one.box.left)):
        if lines and one.box.top < half:
            lines[-1].append(one)
        else:
            lines.append([one])
            half = (one.box.top + one.box.bottom) / 2
    return [one for line in lines for one in sorted(line, key=lambda one: one.box.left)]
