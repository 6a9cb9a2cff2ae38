"""A flat text → paragraphs, items, rows and headings, by its blank lines, the marks and the lengths of its lines.

Hard-wrapped lines are joined: a line end counts as the author's where the next word would have fitted on the line.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from docqa.text.block import Block
from docqa.text.marks import (
    TITLED,
    Mark,
    asks,
    begins_caption,
    begins_note,
    cells,
    ends_sentence,
    goes_on,
    has_cells,
    is_rule,
    item_mark,
    label_end,
    leader_page,
    second_cell,
)
from docqa.text.titles import PLAIN, level, may_be_heading

_LINE = re.compile(r"[^\n\f]+")
_WRAPPED = 160  # characters: longer lines have not been wrapped, so that each is a paragraph
_FULL = 0.75  # of the usual width: lines end up to here for want of space
_WORD = re.compile(r"\S+")
_HYPHENS = ("-", "\u00ad", "\u2010")


class Line(NamedTuple):
    """A line without the white space around it; its `mark` if it begins like a list item, its indentation in
    characters."""

    start: int
    end: int
    text: str
    mark: Mark | None
    indent: int


def derived(text: str, placed: Sequence[Block]) -> list[Block]:
    """The blocks that are placed, and between them those that the text's lines show, in order."""
    width = _usual_width(text)
    blocks: list[Block] = []
    start = 0
    for block in [*placed, None]:
        end = block.start if block else len(text)
        if start < end:
            blocks += _between(text, start, end, width, followed=block)
        if block:
            blocks.append(block)
            start = block.end
    return blocks


def beginnings(paragraph: str) -> set[int]:
    """The numbers, from 0, of the lines of a paragraph with which an item, a "label: value" or the like begins, however
    long its lines are."""
    lines = [line for part in _paragraphs(paragraph, 0, len(paragraph)) for line in part]
    begins = [piece[0].start for piece in _pieces(lines, width=0)]
    return set(accumulate(paragraph.count("\n", *between) for between in pairwise([0, *begins])))


def _usual_width(text: str) -> float:
    """How long lines are that have been wrapped: longer than most that another one follows, no shorter than those in
    which half of the text stands, or the text was not wrapped there."""
    followed, lengths = [], []
    before = None
    for line in _LINE.finditer(text):
        if line.group().isspace():
            before = None
            continue
        if before is not None and line.start() - before.end() == 1:
            followed.append(before.end() - before.start())
        lengths.append(line.end() - line.start())
        before = line
    if not followed:
        return 0
    followed.sort()
    lengths.sort()
    half = bisect_left(list(accumulate(lengths)), sum(lengths) / 2)
    return max(followed[int(0.85 * len(followed))], lengths[half])


def _paragraphs(text: str, start: int, end: int) -> Iterator[list[Line]]:
    """The lines between two places, in paragraphs, which blank lines separate."""
    lines: list[Line] = []
    for match in _LINE.finditer(text, start, end):
        content = match.group().strip()
        if lines and (
            not content or match.start() - lines[-1].end > 1 and "\n" in text[lines[-1].end : match.start() - 1]
        ):
            yield lines
            lines = []
        if content:
            at = match.start() + len(match.group()) - len(match.group().lstrip())
            lines.append(Line(at, at + len(content), content, item_mark(content), at - match.start()))
    if lines:
        yield lines


def _between(text: str, start: int, end: int, width: float, followed: Block | None) -> list[Block]:
    pieces: list[tuple[list[Line], bool]] = []  # with whether a paragraph begins with it
    for lines in _paragraphs(text, start, end):
        rows = list(_rows(lines))
        if len(rows) > 1 and sum(map(_is_of_table, rows)) > 0.6 * len(rows):
            pieces += [(row, place == 0) for place, row in enumerate(rows)]
        else:
            pieces += [(piece, place == 0) for place, piece in enumerate(_pieces(lines, width))]
    blocks = []
    for place, (piece, begins) in enumerate(pieces):
        after = pieces[place + 1] if place + 1 < len(pieces) else None
        block = Block("paragraph", piece[0].start, piece[-1].end)
        if _is_row(pieces, place):
            block = block._replace(kind="row")
        elif len(piece) == 1 and (begins or width > _WRAPPED and ends_sentence(pieces[place - 1][0][-1].text)):
            before = pieces[place - 1][0][0].text if place else ""
            size = sum(len(line.text) for line in after[0]) if after else 0
            below, is_apart = (after[0][0].text, after[1]) if after else ("", True)
            if heading := level(piece[0].text, before, below, size, is_apart=is_apart):
                block = block._replace(kind="heading", level=heading)
            elif after is None and followed and followed.kind in ("row", "item") and may_be_heading(piece[0].text):
                block = block._replace(kind="heading", level=PLAIN)
        blocks.append(block)
    return blocks


def _is_row(pieces: Sequence[tuple[list[Line], bool]], place: int) -> bool:
    """Whether lines with cells stand beside others: a single tab makes no table."""
    own = pieces[place][0]
    beside = [pieces[other][0] for other in (place - 1, place + 1) if 0 <= other < len(pieces)]
    return _is_of_table(own) and any(map(_is_of_table, beside)) and own[0].mark is None


def _is_of_table(piece: Sequence[Line]) -> bool:
    """Whether the lines may be a row of a table, or the rule under its column headings."""
    first, *others = piece
    return (has_cells(first.text) or is_rule(first.text)) and all(_continues(first, line) for line in others)


def _rows(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """The lines of a table, those together in which the cells of one row are wrapped."""
    row: list[Line] = []
    for line in lines:
        if row and not _continues(row[0], line):
            yield row
            row = []
        row.append(line)
    yield row


def _continues(first: Line, line: Line) -> bool:
    """Whether the row that begins with the `first` line goes on in another one: this begins further in, and has nothing
    in the first column, or goes on there in small letters with fewer cells. Cells behind tabs do not show where they
    stand."""
    if line.mark or line.indent <= first.indent or "\t" in first.text or not has_cells(first.text):
        return False
    if not has_cells(line.text) or line.indent >= first.indent + second_cell(first.text):
        return True
    return line.text[0].islower() and len(cells(line.text)) < len(cells(first.text))


def _pieces(lines: list[Line], width: float) -> Iterator[list[Line]]:
    """The lines of a paragraph, split where an item, a "label: value", or another line of its own begins."""
    labelled = sum(label_end(line.text) > 0 for line in lines) > 1
    piece = lines[:1]
    short = 0  # items so far, if none of them goes on at the margin
    for before, line in pairwise(lines):
        ends = short > 1 and not line.mark and line.indent <= piece[0].indent and not line.text[0].islower()
        if ends or _begins(piece, before, line, width, labelled=labelled):
            yield piece
            short = short + 1 if line.mark and all(other.indent > piece[0].indent for other in piece[1:]) else 0
            piece = []
        piece.append(line)
    yield piece


def _begins(piece: Sequence[Line], before: Line, line: Line, width: float, *, labelled: bool) -> bool:
    """Whether something new begins with the line, which follows `before`, the last line of the piece so far."""
    if width > _WRAPPED:
        return True
    if line.mark and _is_mark(line.mark, piece[0], before, line, width):
        return True
    if labelled and label_end(line.text) and (ends_sentence(before.text) or not line.text[0].islower()):
        return True
    if (
        begins_caption(line.text)
        or begins_note(line.text)
        or leader_page(before.text)
        or has_cells(line.text) != has_cells(before.text)
    ):
        return begins_caption(line.text) or not line.text[0].islower()
    if asks(before.text) and len(piece) <= 3 and not line.text[0].islower():
        return True
    if piece[0].mark and not ends_sentence(before.text) and (len(piece) > 1 or piece[0].mark.style[0] not in TITLED):
        return False
    return _ends_early(before, line, width)


def _is_mark(mark: Mark, first: Line, before: Line, line: Line, width: float) -> bool:
    """Whether a mark within a paragraph begins an item: a bullet does; of others the line before has to end, or they
    have to go on from the item before, whose `first` line is given, or be indented otherwise."""
    if mark.is_sure or first.mark and (line.indent < first.indent or line.indent > first.indent and first is before):
        return True
    return goes_on(mark, first.mark, before.text) or not mark.may_be_initial and _ends_early(before, line, width)


def _ends_early(before: Line, line: Line, width: float) -> bool:
    """Whether the line before was ended by the author: the next word would have fitted on it."""
    word = _WORD.match(line.text)
    size = len(word.group()) if word and word.group().isascii() else 1
    if line.text[0].islower() or before.text.endswith((*_HYPHENS, ",", "，", "、")):
        return False
    return before.indent + len(before.text) + 1 + size <= _FULL * width
