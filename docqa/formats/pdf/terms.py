"""Terms that stand alone on a line, each above an explanation that is set in, as manuals and glossaries have them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from docqa.formats.pdf.rows import Row
from docqa.text.marks import begins_caption, ends_sentence, item_mark, leads_on
from docqa.text.titles import may_be_term

_LEAST = 2  # on a page, with the same margins
_FEWEST = 4  # words of an explanation
_INDENTED = (1.0, 6.0)  # heights of a line by which it is set in
_APART = 1.2  # heights between both at the most
_SAME = 3.0  # points by which the left edges of lines differ that begin at the same margin


class Placed(NamedTuple):
    """A block of a page, by its place among these, with the rows that it was made of."""

    place: int
    rows: Sequence[Row]

    @property
    def text(self) -> str:
        """What its rows say, in one line."""
        return " ".join(row.text for row in self.rows)

    @property
    def left(self) -> float:
        """Where the row begins that begins first, in points."""
        return min(row.left for row in self.rows)


def terms(placed: Sequence[Placed]) -> Iterator[int]:
    """The places of the blocks that are terms."""
    margins = {
        upper.place: (round(upper.left / _SAME), round(lower.left / _SAME))
        for upper, lower in pairwise(placed)
        if lower.place == upper.place + 1 and _explains(upper, lower)
    }
    times = Counter(margins.values())
    yield from (place for place, own in margins.items() if times[own] >= _LEAST)


def _explains(upper: Placed, lower: Placed) -> bool:
    """Whether the lower one is set in below the upper one, says something, and the upper one may be its term."""
    if len(upper.rows) > 1:
        return False
    term, first = upper.rows[0], lower.rows[0]
    height = term.bottom - term.top
    least, most = (times * height for times in _INDENTED)
    if not (least <= lower.left - upper.left <= most and -height / 2 < first.top - term.bottom <= _APART * height):
        return False
    text = lower.text
    return (
        may_be_term(term.text)
        and not leads_on(term.text)
        and item_mark(term.text) is None
        and not begins_caption(term.text)
        and item_mark(text) is None
        and ends_sentence(text)
        and len(text.split()) >= _FEWEST
    )
