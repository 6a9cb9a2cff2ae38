"""The rows of a paragraph, as MuPDF makes it, → its parts, by their place and font: headings, items, paragraphs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from docqa.formats.pdf.rows import Row
from docqa.text.marks import (
    NUMBERED,
    TITLED,
    begins_caption,
    ends_sentence,
    footnote_sign,
    goes_on,
    is_page_number,
    item_mark,
    leader_page,
    leads_on,
)
from docqa.text.titles import states_value
from docqa.text.words import is_dense

_BIGGER = 1.15  # a heading's size relative to the text around it
_SIZES = (1.8, 1.4, _BIGGER)  # of headings of the first to the third level; bold ones of the usual size come after them
_SMALLER = 0.93  # a footnote's
_FOOT = 0.6  # of the page's height, below which footnotes are
_LONGEST = 120  # characters of a heading
_MOST_ROWS = 3
_MOST_COMMAS = 2
_SLACK = 1.5  # heights that a line may end before the margin, beside the next word, and yet be full
_SAME_MARGIN = 10.0  # points: lines that begin so near each other may have the same margins
_REACHED = 0.8  # of the lines end before the right margin, or at it
_SAME_SIZE = 0.5
_SAME = 3.0  # points by which the left edges of lines differ that begin at the same margin


class Part(NamedTuple):
    """Rows that belong together, `rows[first:last]`: a heading of this level, a note, or, of level 0, a paragraph or
    item."""

    first: int
    last: int
    level: int = 0
    is_note: bool = False


@dataclass
class Usual:
    """What is usual on a page: the size of its text, whether that is bold, and where its lines end, by where they
    begin."""

    size: float
    is_bold: bool = False
    foot: float = 0.0
    ends: dict[int, float] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Sequence[Row], top: float, bottom: float) -> "Usual":
        """What is usual among these rows, which are all of a page in one writing direction."""
        sizes: Counter[float] = Counter()
        bold = length = 0
        for row in rows:
            sizes[round(row.cells[0].size, 1)] += len(row.cells[0].text)
            bold += len(row.cells[0].text) * row.cells[0].bold
            length += len(row.cells[0].text)
        usual = cls(max(sizes, key=sizes.__getitem__), 2 * bold > length, top + _FOOT * (bottom - top))
        rights: dict[int, list[float]] = {}
        for row in rows:
            if not usual.is_loud(row):
                rights.setdefault(round(row.left / _SAME_MARGIN), []).append(row.right)
        for place, ends in rights.items():
            ends.sort()
            usual.ends[place] = ends[int(_REACHED * len(ends))]
        return usual

    def end(self, row: Row) -> float:
        """How far most lines reach that begin where this one does."""
        place = round(row.left / _SAME_MARGIN)
        return max(self.ends.get(near, 0.0) for near in (place - 1, place, place + 1))

    def is_loud(self, row: Row) -> bool:
        """Whether the row is larger than most text, or bold where that is not."""
        cell = row.cells[0]
        return cell.size >= _BIGGER * self.size or cell.bold and not self.is_bold and len(row.cells) == 1

    def level(self, row: Row) -> int:
        """The level of a heading by its size."""
        size = row.cells[0].size
        return next((level for level, least in enumerate(_SIZES, 1) if size >= least * self.size), len(_SIZES) + 1)


def parts(rows: Sequence[Row], usual: Usual) -> Iterator[Part]:
    """The parts of a paragraph, in order."""
    first = 0
    is_note = _is_note(rows[0], usual)
    for place in range(1, len(rows) + 1):
        begins = place < len(rows) and (
            bool(footnote_sign(rows[place].text)) if is_note else _begins(rows, first, place, usual)
        )
        if place == len(rows) or begins:
            yield _part(rows, first, place, usual)
            first = place


def _begins(rows: Sequence[Row], first: int, place: int, usual: Usual) -> bool:
    """Whether something new begins with a row, after the part of the rows from `first` on."""
    before, row = rows[place - 1], rows[place]
    if usual.is_loud(row) != usual.is_loud(before):
        return True
    if usual.is_loud(row) and usual.level(row) != usual.level(before):
        return True
    text, text_before = row.text, before.text
    mark, of_part = item_mark(text), item_mark(rows[first].text)
    is_early = ends_early(before, row, usual)
    if mark and (mark.is_sure or goes_on(mark, of_part, text_before) or is_early and not mark.may_be_initial):
        return True
    if leader_page(text_before):
        return True
    if text[:1].islower() or usual.is_loud(row):
        return False
    if of_part and place - first > 1 and rows[first + 1].left > rows[first].left + _SAME > row.left:
        return True  # the item's lines are indented, this one is not
    height = row.bottom - row.top
    if ends_sentence(text_before) or leads_on(text_before):
        indented = row.left > before.left + height / 2 and place - first > 1 and not of_part
        if indented or row.top - before.bottom > _usual_gap(rows) + 0.4 * height:
            return True
    elif of_part and (place - first > 1 or of_part.style[0] not in TITLED):
        return False
    return is_early


def ends_early(before: Row, row: Row, usual: Usual) -> bool:
    """Whether the row before was ended by the author: the next word would have fitted on it."""
    word = (row.right - row.left) * (len(row.text.split(" ", 1)[0]) + 1) / max(1, len(row.text))
    reach = before.right + word + _SLACK * (row.bottom - row.top)
    return reach < usual.end(before) and not before.text.endswith(("-", ",", "\u00ad"))


def goes_on_below(before: Row, row: Row, usual: Usual) -> bool:
    """Whether a row goes on with the paragraph of the one before, although MuPDF makes another block of it: right
    below, in the same size, after a full line that has not ended."""
    height = row.bottom - row.top
    return (
        -height < row.top - before.bottom < height / 2
        and abs(before.cells[0].size - row.cells[0].size) < _SAME_SIZE
        and not usual.is_loud(row)
        and not ends_sentence(before.text)
        and not leads_on(before.text)
        and not leader_page(before.text)
        and item_mark(row.text) is None
        and not ends_early(before, row, usual)
    )


def _usual_gap(rows: Sequence[Row]) -> float:
    gaps = sorted(row.top - before.bottom for before, row in pairwise(rows))
    return gaps[len(gaps) // 2] if gaps else 0.0


def _part(rows: Sequence[Row], first: int, last: int, usual: Usual) -> Part:
    part = rows[first:last]
    if all(usual.is_loud(row) for row in part):
        following = rows[last].text if last < len(rows) else ""
        level = usual.level(part[0])
        return Part(first, last, level if is_heading(part, following, is_larger=level <= len(_SIZES)) else 0)
    return Part(first, last, is_note=_is_note(part[0], usual))


def _is_note(row: Row, usual: Usual) -> bool:
    """Whether a footnote begins with the row: small letters at the page's foot, after a number or sign."""
    is_small = row.cells[0].size <= _SMALLER * usual.size and row.top >= usual.foot
    return is_small and bool(footnote_sign(row.text))


def is_heading(rows: Sequence[Row], following: str, *, is_larger: bool) -> bool:
    """Whether loud rows are a heading: few and short ones, no sentence, and none that `following` goes on with; and if
    they are only bold, not larger, none that begins within a sentence."""
    title = " ".join(row.text for row in rows)
    letters = sum(map(str.isalpha, title))
    mark = item_mark(title)
    if mark and mark.style[0] not in NUMBERED or begins_caption(title):
        return False
    if letters < 2 and not is_dense(title) or is_page_number(title) or title.count(",") > _MOST_COMMAS:
        return False
    if len(rows) > _MOST_ROWS or len(title) > _LONGEST or 3 * letters < len(title) - title.count(" "):
        return False
    if title.endswith((".", ",", ";")) and not title[:1].isdigit():
        return False
    if not is_larger and states_value(title):
        return False
    if title.startswith("(") and title.endswith(")") and mark is None:  # a unit, a remark
        return False
    return not (title[:1].islower() and (following[:1].islower() or not is_larger))
