"""Headers and footers that repeat from page to page: lines that are near the edge of the pages before and after too.

A number may differ if it grows with the pages, as in "Page 3 of 9"; Roman numerals may not. What a table repeats is
part of the table.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator

from docqa.formats.pdf.page import Edge, Page

_AROUND = 8  # pages compared before and after; as many are held in memory at a time
_LEAST = 3  # pages that must have the line
_SHARE = 0.3  # of the pages around; headers of left and right pages differ
_NUMBER = re.compile(r"\d{1,6}")


_Known = tuple[Page, set[str]]  # a page and the keys of its edge lines


def marked(pages: Iterable[Page]) -> Iterator[Page]:
    """The same pages with `running` filled in, and without headings that are part of it."""
    before: deque[_Known] = deque(maxlen=_AROUND)
    ahead: deque[_Known] = deque()
    for number, page in enumerate(pages):
        for edge in page.edges:
            edge.keys = _keys(edge, number)
        ahead.append((page, {key for edge in page.edges for key in edge.keys}))
        if len(ahead) > _AROUND:
            before.append(_mark(ahead, before))
            yield before[-1][0]
    while ahead:
        before.append(_mark(ahead, before))
        yield before[-1][0]


def _mark(ahead: deque[_Known], before: Iterable[_Known]) -> _Known:
    """Take the next page and mark it."""
    page, edges = ahead.popleft()
    others = [known for _, known in (*before, *ahead)]
    needed = max(_LEAST, _SHARE * (len(others) + 1))
    running = [
        (edge.start, edge.end)
        for edge in page.edges
        if max(1 + sum(key in known for known in others) for key in edge.keys) >= needed
    ]
    if sum(end - start for start, end in running) < 0.9 * len(page.text):  # else it is all that the page says
        page.running = running
        page.headings = [
            heading for heading in page.headings if not any(start <= heading[0] < end for start, end in running)
        ]
    return page, edges


def _keys(edge: Edge, number: int) -> list[str]:
    """The line itself, and for each of its numbers the line with that number minus the page's; equal keys match."""
    text = f"{'upper' if edge.upper else 'lower'} {' '.join(edge.text.casefold().split())}"
    return [
        text,
        *(
            f"{text[: digits.start()]}{{{int(digits.group()) - number}}}{text[digits.end() :]}"
            for digits in _NUMBER.finditer(text)
        ),
    ]
