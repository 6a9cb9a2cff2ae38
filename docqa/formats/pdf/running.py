"""Headers and footers that repeat from page to page: lines that are near the edge of the pages before and after too.

A number may differ if it grows with the pages, as in "Page 3 of 9"; Roman numerals may not. Before one at the end of a
line anything may stand, as the title of the section in books, and below the page also behind one. What a table repeats
is part of the table. A header that some pages share, and others beside them do not, is the title of a part.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from docqa.formats.pdf.page import Edge, Page
from docqa.text.titles import may_be_heading

_AROUND = 8  # pages compared before and after; as many are held in memory at a time
_LEAST = 3  # pages that must have the line
_SHARE = 0.3  # of the pages around; headers of left and right pages differ
_NUMBER = re.compile(r"\d{1,6}")
_PAGE_NUMBER = re.compile(r"^\d+\W+|\W+\d+$")  # beside a title


class _Known(NamedTuple):
    """A page, the keys of its edge lines, and its first line if it is a header that may be a title, else ""."""

    page: Page
    keys: set[str]
    title: str


def marked(pages: Iterable[Page]) -> Iterator[Page]:
    """The same pages with `running` and `part` filled in, and without headings that are part of it."""
    before: deque[_Known] = deque(maxlen=_AROUND)
    ahead: deque[_Known] = deque()
    for number, page in enumerate(pages):
        for edge in page.edges:
            edge.keys = _keys(edge, number)
        ahead.append(_Known(page, {key for edge in page.edges for key in edge.keys}, _title(page)))
        if len(ahead) > _AROUND:
            before.append(_mark(ahead, before))
            yield before[-1].page
    while ahead:
        before.append(_mark(ahead, before))
        yield before[-1].page


def _mark(ahead: deque[_Known], before: Sequence[_Known]) -> _Known:
    """Take the next page and mark it."""
    known = ahead.popleft()
    page = known.page
    others = [other.keys for other in (*before, *ahead)]
    needed = max(_LEAST, _SHARE * (len(others) + 1))
    running = [
        (edge.start, edge.end)
        for edge in page.edges
        if max(1 + sum(key in keys for keys in others) for key in edge.keys) >= needed
    ]
    if sum(end - start for start, end in running) < 0.9 * len(page.text):  # else it is all that the page says
        page.running = running
        page.headings = [
            heading for heading in page.headings if not any(start <= heading[0] < end for start, end in running)
        ]
        if running and running[0][0] == page.edges[0].start and _names_part(known.title, before, ahead):
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
