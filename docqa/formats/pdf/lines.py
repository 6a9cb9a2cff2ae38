"""The straight lines that a page draws, which may be those of tables."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import inf

from docqa.formats.pdf.level_rules import NEAR, implied_lines
from docqa.formats.pdf.paths import THIN, Box, Line, straight_pieces
from docqa.formats.pdf.recorded import Recorded

Meeting = tuple[list[Line], list[Line]]  # level and upright lines that meet

LEAST_LINES = 3  # across and down: two columns, two rows
_MOST_LINES = 20_000


def ruling_lines(page: Recorded, paths: Sequence[tuple[bool, Box]]) -> tuple[list[Line], list[Line]]:
    """(level lines by their height, upright lines by their left) that the page draws or implies; none where a quick
    look at its paths shows too few for a table, or too many."""
    flat = [_level(box) for _, box in paths if box[3] - box[1] <= THIN < box[2] - box[0]]
    standing = [_upright(box) for _, box in paths if box[2] - box[0] <= THIN < box[3] - box[1]]
    closing, between = implied_lines(flat, standing, page)
    if not between and not _may_rule_tables(paths):
        return [], []
    level: list[Line] = []
    upright: list[Line] = []
    for box in straight_pieces(page):
        left, top, right, bottom = box
        if bottom - top <= THIN and right - left > NEAR:
            level.append(_level(box))
        elif right - left <= THIN and bottom - top > NEAR:
            upright.append(_upright(box))
    return level + closing, upright + between


def _may_rule_tables(paths: Sequence[tuple[bool, Box]]) -> bool:
    level = upright = boxes = 0
    for is_stroked, (left, top, right, bottom) in paths:
        if bottom - top <= THIN and right - left > 10:
            level += 1
        elif right - left <= THIN and bottom - top > 5:
            upright += 1
        elif is_stroked:
            boxes += 1
    return level + upright + boxes < _MOST_LINES and (boxes > 0 or level >= LEAST_LINES <= upright)


def _level(box: Box) -> Line:
    left, top, right, bottom = box
    return (top + bottom) / 2, left, right


def _upright(box: Box) -> Line:
    left, top, right, bottom = box
    return (left + right) / 2, top, bottom


def meeting(level: Sequence[Line], upright: Sequence[Line]) -> list[Meeting]:
    """The (level, upright) lines that meet, by table or box: an upright line joins the level ones it crosses."""
    groups: list[Meeting] = []
    for line in sorted(upright, key=lambda line: line[1]):
        at, top, bottom = line
        met = [
            group
            for group in groups
            if any(other[1] <= bottom + NEAR and top - NEAR <= other[2] and _is_near(at, group) for other in group[1])
        ]
        merged: Meeting = ([], [line])
        for group in met:
            merged[1].extend(group[1])
            groups.remove(group)
        groups.append(merged)
    extents = [_extent(standing) for _, standing in groups]
    for line in level:
        at, left, right = line
        for (flat, _), (first, top, last, bottom) in zip(groups, extents, strict=True):
            if top - NEAR <= at <= bottom + NEAR and left <= last + NEAR and first - NEAR <= right:
                flat.append(line)
                break
    return [apart for group in groups for apart in _side_by_side(*group)]


def _side_by_side(level: list[Line], upright: list[Line]) -> list[Meeting]:
    """The lines of each table or box of a group, where several stand side by side, as in two columns of a page: no
    level line bridges the gap, and they lie at other heights on either side of it."""
    made: list[Meeting] = []
    reached = -inf
    for line in sorted(level, key=lambda line: line[1]):
        if line[1] > reached + NEAR:
            made.append(([], []))
        made[-1][0].append(line)
        reached = max(reached, line[2])
    for line in upright:
        for flat, standing in made:
            if min(left for _, left, _ in flat) - NEAR <= line[0] <= max(right for _, _, right in flat) + NEAR:
                standing.append(line)
    heights = [distinct(line[0] for line in flat) for flat, _ in made]
    shared = (
        sum(any(abs(at - other) <= NEAR for other in right) for at in left) * 2 > min(len(left), len(right))
        for left, right in pairwise(heights)
    )
    is_whole = any(shared) or not all(standing for _, standing in made)
    return [(level, upright)] if is_whole else made


def _extent(upright: Sequence[Line]) -> Box:
    """The box that upright lines stand in."""
    lefts = [at for at, _, _ in upright]
    return min(lefts), min(top for _, top, _ in upright), max(lefts), max(bottom for _, _, bottom in upright)


def _is_near(at: float, group: Meeting) -> bool:
    """Whether a line lies within reach of the columns of a group: no wider apart than a page."""
    return min(abs(at - other[0]) for other in group[1]) < 400


def distinct(places: Iterable[float]) -> list[float]:
    """Places in order, those that are nearly the same once."""
    distinct: list[float] = []
    for place in sorted(places):
        if not distinct or place - distinct[-1] > NEAR:
            distinct.append(place)
    return distinct
