"""Bullets that a page draws as shapes and not as letters, as browsers do: each is put in as text before its line. Those
of a list stand below each other, which the dots of a drawing seldom do."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from docqa.formats.pdf.paths import Box

_SIZES = (1.5, 8.0)  # points
_LARGEST = 0.45  # of the height of its line
_ROUND = 1.25  # the longer side may be so many times the shorter one
_CENTRAL = 0.25  # of a line's height is above and below where a bullet's centre is
_FARTHEST = 1.0  # height of a line between its bullet and its text
_MOST = 1_000  # on a page; with more they are the points of a chart

_Dot = tuple[float, float, float, float]  # its centre's height; left, right, size


def with_bullets(paths: Iterable[tuple[bool, Box]], blocks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks of PyMuPDF's "dict" with a line "•" before each line that has a bullet; `paths` are those of
    `drawn_paths`."""
    dots = sorted(dot for _, box in paths if (dot := _dot(box)))
    if not 1 < len(dots) <= _MOST:
        return list(blocks)
    lines = [line for block in blocks for line in block.get("lines", ())]
    ends = sorted((_middle(line["bbox"]), line["bbox"][2]) for line in lines)
    marks = {id(line): dot for line in lines if (dot := _mark(line, dots, ends))}
    lists = Counter(round(left) for _, left, _, _ in marks.values())
    listed = {line: dot for line, dot in marks.items() if lists[round(dot[1])] > 1}
    return [
        block | {"lines": [part for line in block["lines"] for part in _parts(line, listed.get(id(line)))]}
        if "lines" in block
        else block
        for block in blocks
    ]


def _dot(box: Box) -> _Dot | None:
    left, top, right, bottom = box
    short, long = sorted((right - left, bottom - top))
    if not _SIZES[0] <= short <= long <= _SIZES[1] or long > _ROUND * short:
        return None
    return (top + bottom) / 2, left, right, long


def _mark(line: dict[str, Any], dots: Sequence[_Dot], ends: Sequence[tuple[float, float]]) -> _Dot | None:
    """The bullet of a line: right before it, with nothing on its other side."""
    left, top, _, bottom = line["bbox"]
    height = bottom - top
    if tuple(line["dir"]) != (1.0, 0.0) or not line["spans"][0].get("text", "").strip():
        return None
    for at in range(bisect_left(dots, (top + _CENTRAL * height,)), len(dots)):
        y, begin, end, size = dots[at]
        if y > bottom - _CENTRAL * height:
            break
        if not 0 <= left - end <= _FARTHEST * height or size > _LARGEST * height:
            continue
        beside = ends[bisect_left(ends, (y - height / 2,)) : bisect_left(ends, (y + height / 2,))]
        if not any(0 <= begin - right <= 2 * _FARTHEST * height for _, right in beside):
            return dots[at]
    return None


def _parts(line: dict[str, Any], dot: _Dot | None) -> Iterator[dict[str, Any]]:
    if dot:
        _, left, right, _ = dot
        box = (left, line["bbox"][1], right, line["bbox"][3])
        yield {**line, "spans": [{**line["spans"][0], "text": "•", "bbox": box}], "bbox": box}
    yield line


def _middle(box: Sequence[float]) -> float:
    return (box[1] + box[3]) / 2
