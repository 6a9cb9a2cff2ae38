"""The rows of a paragraph, as MuPDF makes it, → its parts, by their place and font: headings, items, paragraphs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from docqa.formats.pdf.table import Row
from docqa.text.marks import ends_in_mark, ends_sentence, footnote_sign, item_mark, leads_on

_BIGGER = 1.15  # a heading's size relative to the text around it
_SIZES = (1.8, 1.4, _BIGGER)  # of headings of the first to the third level; bold ones of the usual size come after them
_SMALLER = 0.93  # a footnote's
_FOOT = 0.6  # of the page's height, below which footnotes are
_LONGEST = 120  # characters of a heading
_MOST_ROWS = 3
_SLACK = 1.5  # heights that a line may end before the margin, beside the next word, and yet be full
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
    bottom: float = 0.0
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
        for row in rows:
            place = round(row.left / 10)
            for near in (place - 1, place, place + 1):
                usual.ends[near] = max(usual.ends.get(near, 0.0), row.right)
        return usual

    def end(self, row: Row) -> float:
        """How far the lines reach that begin where this one does."""
        return self.ends.get(round(row.left / 10), row.right)

    def is_loud(self, row: Row) -> bool:
        """Whether the row is larger than most text, or bold where that is not."""
        cell = row.cells[0]
        return cell.size >= _BIGGER * self.size or cell.bold and not self.is_bold and len(row.cells) == 1

    def level(self, row: Row) -> int:
        """The level of a heading by its size."""
        size = row.cells[0].size / self.size
        return next((level for level, least in enumerate(_SIZES, 1) if size >= least), len(_SIZES) + 1)


def parts(rows: Sequence[Row], usual: Usual) -> Iterator[Part]:
    """The parts of a paragraph, in order."""
    first = 0
    for place in range(1, len(rows) + 1):
        if place == len(rows) or _begins(rows, first, place, usual):
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
    if mark and (mark.is_sure or ends_in_mark(text_before) or of_part and of_part.style == mark.style):
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
    elif of_part:
        return False
    word = (row.right - row.left) * (len(text.split(" ", 1)[0]) + 1) / max(1, len(text))
    return before.right + word + _SLACK * height < usual.end(before) and not text_before.endswith(("-", ",", "\u00ad"))


def _usual_gap(rows: Sequence[Row]) -> float:
    gaps = sorted(row.top - before.bottom for before, row in pairwise(rows))
    return gaps[len(gaps) // 2] if gaps else 0.0


def _part(rows: Sequence[Row], first: int, last: int, usual: Usual) -> Part:
    part = rows[first:last]
    if all(usual.is_loud(row) for row in part):
        following = rows[last].text if last < len(rows) else ""
        return Part(first, last, usual.level(part[0]) if is_heading(part, following) else 0)
    is_small = part[0].cells[0].size <= _SMALLER * usual.size and part[0].top >= usual.bottom
    return Part(first, last, is_note=bool(is_small and footnote_sign(part[0].text)))


def is_heading(rows: Sequence[Row], following: str) -> bool:
    """Whether loud rows are a heading: few and short ones, no sentence, and none that `following` goes on with."""
    title = " ".join(row.text for row in rows)
    letters = sum(map(str.isalpha, title))
    if len(rows) > _MOST_ROWS or len(title) > _LONGEST or 3 * letters < len(title) - title.count(" "):
        return False
    if title.endswith((".", ",", ";")) and not title[:1].isdigit():
        return False
    return not (title[:1].islower() and following[:1].islower())
