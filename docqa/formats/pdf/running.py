"""Headers and footers that repeat from page to page: lines that are near the edge of the pages before and after too.

A number may differ if it grows with the pages, as in "Page 3 of 9"; Roman numerals may not. Before one at the end of a
line anything may stand, as the title of the section in books, and below the page also behind one. Lines that repeat
titles of the outline from where they begin are headers too: chapter on the left, section on the right; what follows on
the page stands under them. What a table repeats is part of the table. A header that some pages share, and others beside
them do not, is the title of a part.
"""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from docqa.formats.pdf.page import Edge, Page
from docqa.text.marks import begins_caption
from docqa.text.titles import may_be_heading

_AROUND = 8  # pages compared before and after; as many are held in memory at a time
_LEAST = 3  # pages that must have the line
_SHARE = 0.3  # of the pages around; headers of left and right pages differ
_TITLES = "titles"  # the key of lines that repeat those of the outline
_WORD = re.compile(r"[^\W\d_]+")
_LABEL = re.compile(r"[\W\d]*[^\W\d_]{2,12}[^\S\n]+(?:\d+|[A-Z]|[IVXLC]+)\b")  # before the first: Chapter 2, Appendix A
_NUMBER = re.compile(r"\d{1,6}")
_PAGE_NUMBER = re.compile(r"^\d+\W+|\W+\d+$")  # beside a title


class _Known(NamedTuple):
    """A page, the keys of its edge lines, and its first line if it is a header that may be a title, else ""."""

    page: Page
    keys: set[str]
    title: str


def marked(pages: Iterable[Page], outline: Mapping[int, Sequence[tuple[str, int]]]) -> Iterator[Page]:
    """The same pages with `running` and `part` filled in, and without headings that are part of it; `outline`: (title,
    level) by page, from 0."""
    before: deque[_Known] = deque(maxlen=_AROUND)
    ahead: deque[_Known] = deque()
    open_ = _Open(outline)
    for number, page in enumerate(pages):
        open_.turn(number)
        for edge in page.edges:
            edge.keys = [*_keys(edge, number), *([_TITLES] if open_.names(edge.text) else ())]
        ahead.append(_Known(page, {key for edge in page.edges for key in edge.keys}, _title(page)))
        if len(ahead) > _AROUND:
            before.append(_mark(ahead, before))
            yield before[-1].page
    while ahead:
        before.append(_mark(ahead, before))
        yield before[-1].page


class _Open:
    """The titles of an outline that a page stands under, innermost last, and those that begin on it."""

    def __init__(self, outline: Mapping[int, Sequence[tuple[str, int]]]) -> None:
        self._outline = outline
        times = Counter(_words(title) for titles in outline.values() for title, _ in titles)
        self._unique = {title for title, count in times.items() if count == 1}
        self._path: list[tuple[str, int]] = []
        self._before: set[str] = set()
        self._own: set[str] = set()

    def turn(self, number: int) -> None:
        """Go on to this page."""
        self._before = {title for title, _ in self._path}
        self._own = set()
        for title, level in self._outline.get(number, ()):
            if words := _words(title):
                self._path = [*(other for other in self._path if other[1] < level), (words, level)]
                self._own.add(words)

    def names(self, line: str) -> bool:
        """Whether a line at the page's edge says nothing but titles: one that began on an earlier page and has no
        other of its name, or several. Before the first may stand what chapters are called, as in "Chapter 2"."""
        left, named = _words(line), []
        for title in sorted(self._before | self._own, key=len, reverse=True):
            if f" {title} " in f" {left} ":
                left = f" {left} ".replace(f" {title} ", " | ").strip()
                named.append(title)
        before, *beside = left.split("|")
        is_named = len(named) > 1 or not self._unique.isdisjoint(named)
        is_all = all(len(rest.strip()) <= 1 for rest in beside)  # the letter of an appendix
        is_labelled = not before.strip() or bool(_LABEL.match(line)) and not begins_caption(line)
        return is_named and not self._before.isdisjoint(named) and is_all and is_labelled


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _mark(ahead: deque[_Known], before: Sequence[_Known]) -> _Known:
    """Take the next page and mark it."""
    known = ahead.popleft()
    page = known.page
    others = [other.keys for other in (*before, *ahead)]
    needed = max(_LEAST, _SHARE * (len(others) + 1))
    running = [
        (edge.start, edge.end)
        for edge in page.edges
        if _TITLES in edge.keys or max(1 + sum(key in keys for keys in others) for key in edge.keys) >= needed
    ]
    if sum(end - start for start, end in running) < 0.9 * len(page.text):  # else it is all that the page says
        page.running = running
        page.headings = [heading for heading in page.headings if not page.is_running(heading[0])]
        if running and running[0][0] == page.edges[0].start:
            if _TITLES in page.edges[0].keys and known.title:
                page.headings.insert(0, (running[0][0], known.title))
            elif _names_part(known.title, before, ahead):
                page.part = known.title
    return known


def _title(page: Page) -> str:
    if not page.edges or not page.edges[0].upper:
        return ""
    title = _PAGE_NUMBER.sub("", " ".join(page.edges[0].text.split()))
    return title if may_be_heading(title) else ""


def _names_part(title: str, before: Sequence[_Known], ahead: Sequence[_Known]) -> bool:
    """Whether the next page or the one before shares a title, and others around share another one: those of left and
    right pages alternate, and that of the whole document does not change."""
    beside = [known.title for known in (*list(before)[-1:], *list(ahead)[:1])]
    around = [known.title for known in (*before, *ahead)]
    shared = {other for other, following in pairwise(around) if other == following}
    return bool(title) and title in beside and bool(shared - {title, ""})


def _keys(edge: Edge, number: int) -> list[str]:
    """The line itself, and for each of its numbers the line with that number minus the page's; equal keys match."""
    where = "upper" if edge.upper else "lower"
    text = f"{where} {' '.join(edge.text.casefold().split())}"
    keys = [text]
    for digits in _NUMBER.finditer(text):
        grown = f"{{{int(digits.group()) - number}}}"
        keys.append(f"{text[: digits.start()]}{grown}{text[digits.end() :]}")
        if digits.end() == len(text) and text[digits.start() - 1] == " ":
            keys.append(f"{where} … {grown}")
        if text.startswith(f"lower {digits.group()} "):  # above, it may be that of a chapter
            keys.append(f"lower {grown} …")
    return keys
