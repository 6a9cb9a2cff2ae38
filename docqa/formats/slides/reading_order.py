"""Boxes on a slide → the order in which a person reads them, by rows or by columns. Only positions count, not texts."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

T = TypeVar("T")

# Each level of cuts looks at all boxes again; people rarely nest layouts more than three deep.
_DEEPEST = 8
# Boxes up to which rows are tried together; no real slide has more.
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
    """The items, given in drawing order, in reading order; an item without a box follows the one drawn before it.

    A recursive X-Y cut (Nagy and Seth, 1984): the boxes are separated by the straight gaps between them, into rows or
    into columns. If both are possible, the drawing order decides: people finish a row or a column before they begin
    the next. `from_right`: rows are read from right to left.
    """
    placed = [
        _Placed(index, _mirrored(box) if from_right else box) for index, box in enumerate(boxes) if box is not None
    ]
    order = [item.drawn for item in _cut(placed, 0)]
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
    return [box for band in min(ways, key=_jumps) for box in _cut(band, depth + 1)]


def _rows(placed: list[_Placed]) -> list[list[_Placed]]:
    return _bands(placed, lambda item: (item.box.top, item.box.bottom))


def _columns(placed: list[_Placed]) -> list[list[_Placed]]:
    return _bands(placed, lambda item: (item.box.left, item.box.right))


def _blocks(rows: list[list[_Placed]]) -> list[list[_Placed]]:
    """Rows, rejoined where they could as well be columns below a heading that spans them."""
    blocks = rows[:1]
    for row in rows[1:]:
        if len(_columns(blocks[-1] + row)) > 1:
            blocks[-1] = blocks[-1] + row
        else:
            blocks.append(row)
    return blocks


def _bands(placed: list[_Placed], extent: Callable[[_Placed], tuple[float, float]]) -> list[list[_Placed]]:
    """The boxes between the gaps along one direction. Boxes are larger than their text, so a tenth may overlap."""
    bands: list[list[_Placed]] = []
    reached = 0.0
    for item in sorted(placed, key=extent):
        low, high = extent(item)
        if bands and low + (high - low) / 10 < reached:
            bands[-1].append(item)
            reached = max(reached, high)
        else:
            bands.append([item])
            reached = high
    return bands


def _jumps(bands: list[list[_Placed]]) -> int:
    """How often the drawing order switches between bands, beyond the once per band that is necessary."""
    band_of = {item.drawn: number for number, band in enumerate(bands) for item in band}
    return sum(band_of[a] != band_of[b] for a, b in pairwise(sorted(band_of))) - len(bands) + 1


def _by_lines(placed: list[_Placed]) -> list[_Placed]:
    """Overlapping boxes from the top down; a box that begins in the upper half of another is on its line."""
    lines: list[list[_Placed]] = []
    half = 0.0
    for item in sorted(placed, key=lambda item: (item.box.top, item.box.left)):
        if lines and item.box.top < half:
            lines[-1].append(item)
        else:
            lines.append([item])
            half = (item.box.top + item.box.bottom) / 2
    return [item for line in lines for item in sorted(line, key=lambda item: item.box.left)]
