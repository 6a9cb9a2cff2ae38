"""Web pages: the article that readability finds, or the text of the whole page if that is too little of it.

Scripts are not run: of a page that builds its text with them, only what is meant for browsers without scripts is read.
"""

import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, islice, pairwise

from lxml.html import HtmlElement  # type: ignore[import-untyped]
from readability import Document  # type: ignore[import-untyped]
from readability.readability import Unparseable  # type: ignore[import-untyped]

from docqa.errors import Unreadable
from docqa.formats.markup.html import Prose, parse, properties, prose, title
from docqa.formats.pages import Reading, clean, paginate
from docqa.formats.plain.encoding import codec, decode
from docqa.text.blocks import Block
from docqa.text.values import dates

LARGEST = 64_000_000
# Of the text that is not in links, because navigation is; and of what is long enough to be a paragraph.
LEAST_SHARE = 1 / 3
LEAST_PROSE = 1 / 2
PARAGRAPH = 60
STANDFIRST = 80
LEAST = 250
LONGEST_ARTICLE = 5_000_000
MOST_RESTORED = 4.0
LONGEST_LINK = 300
LINKED_SHARE = 0.75
LONGEST_BANNER = 2_000
SECONDS = 8.0
_META = re.compile(rb"""<meta[^>]{0,1000}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]+)""", re.IGNORECASE)
_XML = re.compile(rb"""^\s*<\?xml[^>]*encoding=["']([\w.:-]+)""")
_MARKUP = re.compile(r"<[a-zA-Z!/?]")
_AROUND = (
    "//nav | //footer[not(ancestor::article or ancestor::main or ancestor::blockquote)]"
    " | //*[@role='navigation' or @role='contentinfo' or @role='search']"
)
_CONSENT = re.compile(r"cookie|consent|gdpr", re.IGNORECASE)
# Readers' comments, by the names that blogs give to the element around all of them.
_COMMENTS = re.compile(
    r"(?<![\w-])(?:comments|comments-area|comment-?list|comment-?respond|respond|disqus_thread)(?![\w-])", re.IGNORECASE
)

# The last plane of Unicode is for private use: each text of a page is marked by a character of it in front, which
# survives readability.
FIRST_MARK = 0x100000
MOST_MARKS = 0xFFFE
_MARK = re.compile("[\U00100000-\U0010fffd]")


def read(data: bytes, charset: str = "") -> Reading:
    """The page's text in logical pages; `charset` is the one that the server declared, if any.

    Raises Unreadable for binary data, more than 64 MB, and a page without content.
    """
    if len(data) > LARGEST:
        raise Unreadable(
            f"The page is larger than {LARGEST // 1_000_000} MB, which is the limit. Split it into smaller pages."
        )
    source = clean(decode(data, declared_charset(data, charset)))
    if not _MARKUP.search(source):
        return Reading("html", "", paginate(source))
    root = parse(source)
    if root is None:
        raise Unreadable("The page holds no HTML that can be read.")
    name, known = title(root), properties(root)
    text = _text(root, name)
    return Reading("html", name, paginate(text.text, text.headings, text.blocks), properties=known)


def declared_charset(data: bytes, named: str) -> str:
    """The charset that the server declared, or else the page itself.

    Unknown names do not count, nor those of encodings in which the declaration could not have been read.
    """
    for declaration in (_XML.search(data[:200]), _META.search(data[:8192])):
        if codec(named or "-") or not declaration:
            continue
        if not declaration.group(1).lower().startswith((b"utf-16", b"utf-32")):
            named = declaration.group(1).decode("ascii", "replace")
    return named


def _text(root: HtmlElement, name: str) -> Prose:
    """The article, or else all that is shown, or else what is hidden or meant for browsers without scripts."""
    is_marked = _mark(root)
    whole = prose(root)
    if not whole.text.strip():
        whole = prose(root, everything=True)
    if is_marked:
        linked = _marks(root.xpath("//a[not(ancestor::a)]"))
        outside = _marks(root.xpath(_AROUND)) | _marks(
            element
            for element in root.iter("div", "section", "aside", "dialog", "p", "ol", "ul")
            if _is_consent(element) or _COMMENTS.search(f"{element.get('id')} {element.get('class')}")
        )
        pieces = _pieces(whole, _kept(root), linked, outside)
        if spans := _article(pieces):
            return _without_last_headings(_cut(whole, _with_title(spans, whole, name, pieces)))
        return _cut(whole, [(0, len(whole.text))])
    return whole


def _mark(root: HtmlElement) -> bool:
    """Mark the texts of a page; false if it is too large for an article, or holds characters used as marks."""
    elements = list(islice(root.iter(), MOST_MARKS + 1))
    if len(elements) > MOST_MARKS:
        return False
    pieces = [
        (element, side, text)
        for element in elements
        for side in ("text", "tail")
        if (text := getattr(element, side) or "").strip()
    ]
    if (
        len(pieces) > MOST_MARKS
        or sum(len(text) for _, _, text in pieces) > LONGEST_ARTICLE
        or any(_MARK.search(text) for _, _, text in pieces)
    ):
        return False
    for number, (element, side, text) in enumerate(pieces):
        begin = len(text) - len(text.lstrip())
        setattr(element, side, text[:begin] + chr(FIRST_MARK + number) + text[begin:])
    return True


def _marks(elements: Iterable[HtmlElement]) -> set[str]:
    return {mark for element in elements for mark in _MARK.findall(element.text_content())}


def _is_consent(element: HtmlElement) -> bool:
    """Whether it is a cookie banner; an article about cookies is longer."""
    named = _CONSENT.search(f"{element.get('id')} {element.get('class')}")
    return named is not None and len(element.text_content()) < LONGEST_BANNER


def _kept(root: HtmlElement) -> set[str]:
    """The marks of what readability considers the article; none if it fails, or takes too long. Changes the tree.

    Some of its steps take quadratic time. Its thread is then left running: the process ends with the page.
    """
    marks: set[str] = set()

    def work() -> None:
        # It fails on some pages, whose whole text is then used.
        with suppress(Unparseable, RecursionError):
            marks.update(_MARK.findall(Document(root).summary()))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(SECONDS)
    return set() if thread.is_alive() else marks


@dataclass(frozen=True)
class _Piece:
    start: int
    end: int
    kept: bool
    linked: bool
    section: int

    @property
    def size(self) -> int:
        return self.end - self.start


def _pieces(page: Prose, kept: set[str], linked: set[str], outside: set[str]) -> list[_Piece]:
    """The texts of a marked page that can belong to its article."""
    marks = list(_MARK.finditer(page.text))
    starts = [*(mark.start() for mark in marks), len(page.text)]
    texts = ((mark.group(), start, end) for mark, (start, end) in zip(marks, pairwise(starts), strict=True))
    places = [place for place, _ in page.headings]
    return [
        _Piece(start, end, mark in kept, mark in linked, bisect_right(places, start))
        for mark, start, end in texts
        if mark not in outside
    ]


def _article(pieces: list[_Piece]) -> list[tuple[int, int]]:
    """The spans of the article; none if it is too small a part of the page: lists and pages of links are no articles.

    readability drops lists and short paragraphs from the middle of an article. Whatever is between its first and last
    line is restored, unless that is far more than what was kept; long runs of links are not.
    """
    size = sum(piece.size for piece in pieces if piece.kept)
    plain = [piece for piece in pieces if not piece.linked]
    paragraphs = [piece for piece in plain if piece.size >= PARAGRAPH]
    if size < LEAST or _share(plain) < LEAST_SHARE or _share(paragraphs) < LEAST_PROSE:
        return []
    numbers = [number for number, piece in enumerate(pieces) if piece.kept]
    pieces = pieces[numbers[0] : numbers[-1] + 1]
    restores = pieces[-1].end - pieces[0].start <= MOST_RESTORED * size
    spans: list[tuple[int, int]] = []
    for (kept, _), group in groupby(pieces, key=lambda piece: (piece.kept, piece.section)):
        run = list(group)
        if kept or restores and not _is_navigation(run):
            for piece in run:
                touches = spans and spans[-1][1] == piece.start
                spans.append((spans.pop()[0] if touches else piece.start, piece.end))
    return spans


def _share(pieces: list[_Piece]) -> float:
    """The part of their text that is kept; 1 where there are none."""
    return sum(piece.size for piece in pieces if piece.kept) / sum(piece.size for piece in pieces) if pieces else 1.0


def _is_navigation(run: list[_Piece]) -> bool:
    size = sum(piece.size for piece in run)
    return size > LONGEST_LINK and sum(piece.size for piece in run if piece.linked) > LINKED_SHARE * size


def _with_title(spans: list[tuple[int, int]], page: Prose, name: str, pieces: list[_Piece]) -> list[tuple[int, int]]:
    """Add the heading above the article if it is the page's title; of what is between them only dates and what is as
    long as a paragraph: an article's first sentences are often apart, but so are buttons."""
    matching = [
        (start, heading)
        for start, heading in page.headings
        if start < spans[0][0] and _is_title(_MARK.sub("", heading), name)
    ]
    if not matching:
        return spans
    start, heading = max(matching, key=lambda place: len(place[1]))
    end = start + len(heading)
    between = (piece for piece in pieces if end <= piece.start < spans[0][0])
    first = [
        (piece.start, piece.end)
        for piece in between
        if not piece.linked and (piece.size >= STANDFIRST or any(dates(page.text[piece.start : piece.end])))
    ]
    return [(start, end), *first, *spans]


def _is_title(heading: str, name: str) -> bool:
    return len(heading) > 3 and heading in name or len(name) > 3 and name in heading


def _cut(page: Prose, spans: list[tuple[int, int]]) -> Prose:
    """The text of the spans, separated by blank lines, without the marks."""
    marks = [mark.start() for mark in _MARK.finditer(page.text)]
    places = [place for place, _ in page.headings]
    texts: list[str] = []
    headings: list[tuple[int, str]] = []
    blocks: list[Block] = []
    length = reached = 0
    for start, end in spans:
        passed = bisect_left(marks, start)
        for place, name in page.headings[bisect_left(places, start) : bisect_left(places, end)]:
            headings.append((length + place - start - (bisect_left(marks, place) - passed), _MARK.sub("", name)))
        while reached < len(page.blocks) and page.blocks[reached].end <= start:
            reached += 1
        for block in islice(page.blocks, reached, None):
            if block.start >= end:
                break
            ends = (max(start, block.start), min(end, block.end))
            first, last = (length + at - start - (bisect_left(marks, at) - passed) for at in ends)
            blocks.append(block._replace(start=first, end=last))
        texts.append(_MARK.sub("", page.text[start:end]).rstrip())
        length += len(texts[-1]) + 2
    return Prose("\n\n".join(texts), headings, blocks)


def _without_last_headings(page: Prose) -> Prose:
    """The page without headings at its very end, which announce what was left out, such as related posts."""
    text, headings = page.text, list(page.headings)
    while headings and text[headings[-1][0] :].strip() == headings[-1][1]:
        text = text[: headings.pop()[0]].rstrip()
    return Prose(text, headings, [block for block in page.blocks if block.end <= len(text)])
