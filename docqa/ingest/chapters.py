"""The chapters of a document: those of its printed table of contents, else those that its headings number, else its
highest headings. Each with the page that the document itself gives it and the page of the file."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from docqa.ingest.headings import role_of
from docqa.store.documents import StoredPage
from docqa.text.block import Block
from docqa.text.contents import contents
from docqa.text.marks import heads_contents
from docqa.text.numerals import HAN_DIGITS, heading_number
from docqa.text.words import fold

FEWEST = 3  # titles that are an outline
LONGEST = 120  # characters of a title
FRONT = 30  # pages at the beginning, on which a table of contents may stand without a heading
LETTERS = 0.6  # of a title: a row of figures is none, nor is a postal code
EDGE = 2  # blocks at the beginning and the end of a page
RUNNING = 0.3  # of the pages, that have the head or foot of left or right ones
KNOWN = 0.5  # of the entries of a table of contents: where as many stand above a text too, their levels count
_PAGE = re.compile(r"(?<![\s.·…_])[\s.·…_]++(?P<page>\d{1,4}|[ivxlc]{1,6})\Z")  # at the end of an entry
_NUMBERED = re.compile(
    rf"(?:(?P<label>[^\W\d_]{{3,12}})\s+)?(?P<number>\d{{1,3}}(?:\.\d{{1,3}})*|[IVXLC]{{1,6}}(?!\w))(?![\w,%])"
    rf"\s*[.:)—–-]?\s*(?=[^\W\d_]|[“\"«¿(\[])|第\s?(?P<han>\d{{1,3}}|[{HAN_DIGITS}]{{1,4}})\s?(?P<unit>[章节節编編篇部])\s*"
)
_NO_TITLE = re.compile(
    r"\*{3}|[|~_=\\{}<>]|\b(\w+) \1\b"
)  # "*** END OF THE BOOK ***", what a recognised picture leaves


@dataclass(frozen=True)
class Chapter:
    """A chapter: its `title` with its number, what `label` ("chapter") and `number` it has, () for none.

    `printed` is its page by the table of contents, "" without one; `page` that of the file on which it begins, 0 where
    it does not stand there. `source` is the page that names it, `start` to `end` where in that page's text.
    """

    title: str
    label: str
    number: tuple[int, ...]
    printed: str
    page: int
    source: int
    start: int
    end: int
    level: int = 0

    @property
    def bare(self) -> str:
        """The title without its number."""
        match = _NUMBERED.match(self.title)
        return self.title[match.end() :] or self.title if match else self.title


def chapters(pages: Sequence[StoredPage]) -> list[Chapter]:
    """The chapters of a document in order; none where fewer than FEWEST are recognised."""
    headings = list(_headings(pages))
    listed = _placed(list(_listed(pages)), headings, len(pages))
    for known in (_highest(listed), _series(headings), _level(_titles(headings))):
        distinct = list({_key(chapter.title): chapter for chapter in reversed(known)}.values())[::-1]
        if len(distinct) >= FEWEST:
            return distinct
    return []


def _listed(pages: Sequence[StoredPage]) -> Iterator[Chapter]:
    """The entries of the table of contents."""
    listing: list[tuple[StoredPage, set[int]]] = []
    for page in pages:
        if page.number <= FRONT or _names_contents(page):
            blocks = [
                block._replace(kind="paragraph") if block.kind == "boilerplate" else block for block in page.blocks
            ]
            listing.append((page, contents(page.text, blocks)))
    running = _running(pages, {page.number for page, places in listing if places})
    for page, places in listing:
        for place in sorted(places):
            block = page.blocks[place]
            text = page.text[block.start : block.end]
            printed = None if _without_numbers(text) in running else _PAGE.search(text)
            title = " ".join(text[: printed.start()].split()) if printed else ""
            if printed is None or not any(map(str.isalnum, title)):
                continue
            start = block.start
            if title[0].islower() and place and place - 1 not in places:  # the second line of an entry
                before = page.blocks[place - 1]
                start = before.start
                title = " ".join(f"{page.text[before.start : before.end]} {title}".split())
            if _is_title(title) and not title[0].islower():
                yield _chapter(title, printed["page"], page.number, Block("heading", start, block.end))


def _running(pages: Sequence[StoredPage], with_contents: set[int]) -> set[str]:
    """What is a head or a foot of the pages with a table of contents: it is at the edge of several of these, or stands
    on many pages. A title on those of its chapter alone is none."""
    at_edge: Counter[str] = Counter()
    on_page: Counter[str] = Counter()
    for page in pages:
        lines = [
            _without_numbers(page.text[block.start : block.end]) if block.kind == "boilerplate" else ""
            for block in page.blocks
        ]
        on_page.update(set(lines))
        if page.number in with_contents:
            at_edge.update({*lines[:EDGE], *lines[-EDGE:]})
    return {line for line, count in on_page.items() if at_edge[line] > 1 or count > max(1, RUNNING * len(pages))}


def _without_numbers(text: str) -> str:
    return _key(re.sub(r"\d", "", text))


def _names_contents(page: StoredPage) -> bool:
    return any(
        heads_contents(page.text[block.start : block.end]) for block in page.blocks if block.end - block.start < 40
    )


def _headings(pages: Sequence[StoredPage]) -> Iterator[Chapter]:
    for page in pages:
        for block in page.blocks:
            title = " ".join(page.text[block.start : block.end].split()) if block.kind == "heading" else ""
            if _is_title(title):
                yield replace(_chapter(title, "", page.number, block), page=page.number)


def _chapter(title: str, printed: str, page: int, block: Block) -> Chapter:
    match = _NUMBERED.match(title)
    number = heading_number(match["number"] or match["han"]) if match else ()
    label = fold(match["label"] or match["unit"] or "") if match else ""
    return Chapter(title.strip(" .:;"), label, number, printed, 0, page, block.start, block.end, block.level)


def _placed(listed: Sequence[Chapter], headings: Sequence[Chapter], pages: int) -> list[Chapter]:
    """The entries with the levels of the headings that they lead to, and their pages of the file.

    These are as far from the printed ones throughout; a heading elsewhere is another of the same words.
    """
    contents_pages = {chapter.source for chapter in listed}
    above: dict[str, list[Chapter]] = {}
    for heading in headings:
        if heading.page not in contents_pages:
            above.setdefault(_key(heading.bare), []).append(heading)
    matched = [(chapter, above.get(_key(chapter.bare), [])) for chapter in listed]
    apart = Counter(
        heading.page - int(chapter.printed)
        for chapter, same in matched
        for heading in same
        if chapter.printed.isdigit()
    )
    offset, often = max(apart.items(), key=lambda pair: pair[1], default=(0, 0))
    placed = []
    for chapter, same in matched:
        page = 0
        if not chapter.printed.isdigit():
            page = same[0].page if same else 0
        elif often > 1 and 0 < int(chapter.printed) + offset <= pages:
            page = int(chapter.printed) + offset
        placed.append(replace(chapter, page=page, level=same[0].level if same else 0))
    return placed


def _highest(listed: Sequence[Chapter]) -> list[Chapter]:
    """The entries of the highest rank: those with a label, unless more have a number alone, those with one number,
    those whose headings are highest."""
    label, count = main_label(listed)
    if label and count > 1:
        return [chapter for chapter in listed if chapter.label == label]
    numbered = [chapter for chapter in listed if len(chapter.number) == 1]
    if len(numbered) > 1:
        is_flat = all(len(chapter.number) < 2 for chapter in listed)
        return list(listed) if is_flat else numbered
    known = [chapter for chapter in listed if chapter.level]
    return _level(known) or list(listed) if len(known) >= KNOWN * len(listed) else list(listed)


def main_label(known: Sequence[Chapter]) -> tuple[str, int]:
    """What most chapters with one number are called, "" for nothing, and how many are: appendices may have numbers
    too."""
    labels = Counter(chapter.label for chapter in known if len(chapter.number) == 1)
    return max(labels.items(), key=lambda pair: (pair[1], bool(pair[0])), default=("", 0))


def _series(headings: Sequence[Chapter]) -> list[Chapter]:
    """The headings that are numbered one after the other; of several such series the longest."""
    series: list[list[Chapter]] = []
    open_: dict[tuple[str, tuple[int, ...]], list[Chapter]] = {}  # by their last label and number; the first counts
    for heading in headings:
        if len(heading.number) == 1:
            own, before = (heading.label, heading.number), (heading.label, (heading.number[0] - 1,))
            if known := open_.pop(before, None):
                known.append(heading)
                open_.setdefault(own, known)
            elif own not in open_:
                open_[own] = [heading]
                series.append(open_[own])
    return max(series, key=len, default=[])


def _titles(headings: Sequence[Chapter]) -> list[Chapter]:
    """The headings without those of the cover: several, one right below the other."""
    covers = {
        after.page
        for before, after in pairwise(headings)
        if before.page == after.page == headings[0].page and after.start - before.end < 3
    }
    return [heading for heading in headings if heading.page not in covers]


def _level(headings: Sequence[Chapter]) -> list[Chapter]:
    """The headings of the highest level that has enough of them."""
    for level in sorted({heading.level for heading in headings}):
        known = [heading for heading in headings if heading.level == level]
        if len({_key(heading.title) for heading in known}) >= FEWEST:
            return known
    return []


def _is_title(text: str) -> bool:
    match = _NUMBERED.match(text)
    bare = text[match.end() :] if match else text
    letters, signs = sum(map(str.isalpha, bare)), sum(not char.isspace() for char in bare)
    return (
        2 <= len(bare) <= LONGEST
        and letters >= LETTERS * signs
        and not heads_contents(text)
        and not _NO_TITLE.search(text)
        and role_of(bare) != "skipped"
        and not bare[0].islower()
        and not any(mark in text.split() for mark in ".,'\"")
    )


def _key(title: str) -> str:
    """The title as it is compared: its letters and digits."""
    return "".join(filter(str.isalnum, fold(title)))
