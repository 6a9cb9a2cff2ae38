"""Where passages stand on a page, told by their letters: across lines, hyphens and columns, and in tables whose cells
the page holds in another order than its text.

What cannot be told is not marked: a passage of which too little is on the page has no place there.
"""

from collections.abc import Iterable, Sequence

from docqa.formats.drawn.letters import Box, Glyph, PageLetters, Passage
from docqa.formats.drawn.parts import Parts

_LEAST = 0.6  # of a passage's letters that are on its page


def places(glyphs: Sequence[Glyph], passages: Iterable[str], quotes: Iterable[str]) -> tuple[list[Box], list[Box]]:
    """The boxes of the passages on a page of these glyphs, and those of the quotes, which stand in the passages where
    they can; a box for each piece of a line."""
    page = PageLetters(glyphs)
    marked: frozenset[int] = frozenset()
    for passage in passages:
        marked |= found_in(page, passage)
    quoted: frozenset[int] = frozenset()
    for quote in quotes:
        quoted |= found_in(page, quote, marked)
    return page.boxes(marked), page.boxes(quoted)


def found_in(page: PageLetters, text: str, within: frozenset[int] = frozenset()) -> frozenset[int]:
    """The glyphs of a passage, by their numbers; none where it is not on the page. Of several places the first counts
    that lies `within` these glyphs, or else the first."""
    passage = Passage(text)
    if not passage.text:
        return frozenset()
    letters = _whole(page, passage, within) or _in_parts(page, passage)
    return frozenset(page.owner(letter) for letter in letters)


def _whole(page: PageLetters, passage: Passage, within: frozenset[int]) -> set[int]:
    """Where the letters stand one after the other."""
    first: set[int] = set()
    start = page.text.find(passage.text)
    while start >= 0:
        end = start + len(passage.text)
        if page.is_start(start) and page.is_start(end):
            letters = set(range(start, end))
            if not within or {page.owner(letter) for letter in letters} <= within:
                return letters
            first = first or letters
        start = page.text.find(passage.text, start + 1)
    return first


def _in_parts(page: PageLetters, passage: Passage) -> set[int]:
    parts = Parts(page, passage)
    parts.take_runs()
    parts.take_words()
    return parts.places if len(parts.places) >= _LEAST * len(passage.text) else set()
