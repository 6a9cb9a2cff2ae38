"""Whether a row names the columns of a table: each column votes, by what its cells below hold."""

from collections import Counter
from collections.abc import Sequence
from enum import Enum

from docqa.text.values import kind

LONGEST_NAME = 200  # characters of a column name


class Content(Enum):
    """What a cell holds."""

    NOTHING = ""
    NUMBER = "number"
    DATE = "date"  # or a year
    WORDS = "words"


def header_place(rows: Sequence[Sequence[str]]) -> int:
    """Index of the row of column names, -1 if there is none.

    It is the first row nearly as full as the fullest, if it differs in kind from those below.
    """
    full = max((sum(map(bool, cells)) for cells in rows), default=0)
    place = next((place for place, cells in enumerate(rows) if sum(map(bool, cells)) >= 0.6 * full), 0)
    return place if place + 1 < len(rows) and is_header(rows[place], rows[place + 1 :]) else -1


def is_header(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Each column votes: a name differs in kind from the cells below and does not recur there; words may head words."""
    votes = sum(_vote(cell, [row[place] for row in below if place < len(row)]) for place, cell in enumerate(cells))
    only_words = all(_content(cell) in (Content.WORDS, Content.NOTHING) for cell in cells)
    return max(map(len, cells)) <= LONGEST_NAME and (votes > 0 or (votes == 0 and only_words))


def _vote(cell: str, below: Sequence[str]) -> int:
    own = _content(cell)
    kinds = Counter(kind for kind in map(_content, below) if kind is not Content.NOTHING)
    if own is Content.NOTHING or not kinds:
        return 0
    usual = kinds.most_common(1)[0][0]
    if usual is Content.WORDS:
        return -1 if own is not Content.WORDS or cell in below else 0
    return 1 if own is Content.WORDS or (own is Content.DATE and usual is Content.NUMBER) else -1


def _content(cell: str) -> Content:
    if not cell:
        return Content.NOTHING
    return Content(kind(cell) or "words")
