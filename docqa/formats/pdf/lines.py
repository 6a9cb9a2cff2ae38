"""The straight lines that a page draws, which may be those of tables."""

from collections.abc import Sequence

from docqa.formats.pdf.level_rules import NEAR, implied_lines
from docqa.formats.pdf.paths import THIN, Box, Line, straight_pieces
from docqa.formats.pdf.recorded import Recorded

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
