"""Entries of a table of contents: lines that end in page numbers, which rise from one to the next.

They lead with dots to their pages; or, below the heading "Contents" or "Page", they end in numbers without any.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from docqa.text.block import Block
from docqa.text.marks import ends_sentence, heads_contents, leader_page

_LEAST = 3  # entries, from which on they are a table of contents
_MOST_BETWEEN = 2  # lines without a page number between entries
_LONGEST = 250  # characters of an entry
_RISING = 0.8  # of the steps from one entry to the next, at least: a second list may begin below the first
_NUMBER = re.compile(r"[^\W\d_].*\s(\d{1,4})$", re.DOTALL)


def contents(text: str, blocks: Sequence[Block]) -> set[int]:
    """The places of the blocks that are entries of a table of contents."""
    pages = [_page(text, block) for block in blocks]
    led = [place for place, page in enumerate(pages) if page and leader_page(_content(text, blocks[place]))]
    places: set[int] = set()
    if len(led) >= _LEAST and _rises([pages[place] for place in led]):
        places |= set(led)
        for before, after in pairwise([-1, *led, len(blocks)]):
            low = pages[before] if before >= 0 else 0
            high = pages[after] if after < len(blocks) else max(pages)
            between = range(before + 1, after)
            places |= {place for place in between if pages[place] and low <= pages[place] <= high}
    for place, block in enumerate(blocks):
        if block.kind in ("heading", "paragraph", "row") and heads_contents(_content(text, block)):
            run = list(_run(pages, place + 1))
            if len(run) >= _LEAST and _rises([pages[entry] for entry in run]):
                places |= set(run)
    return places


def are_pages(cells: Sequence[str]) -> bool:
    """Whether the cells of a column are the pages in a table of contents; a few may have none (N/A)."""
    numbers = [int(cell) for cell in cells if cell.isdecimal()]
    return len(numbers) >= max(_LEAST, _RISING * len(cells)) and _rises(numbers)


def _content(text: str, block: Block) -> str:
    return text[max(block.start, block.end - _LONGEST) : block.end]


def _page(text: str, block: Block) -> int:
    """The page number that a block ends in, 0 if none."""
    if block.kind not in ("paragraph", "item", "note", "row", "heading") or block.end - block.start > _LONGEST:
        return 0
    content = text[block.start : block.end]
    if page := leader_page(content):
        return page
    # Without a number at its end, the search would look for one from each letter on.
    number = content.removesuffix("\n")[-1:].isdecimal() and _NUMBER.search(content)
    return int(number[1]) if number and not ends_sentence(content) else 0


def _run(pages: Sequence[int], start: int) -> Iterator[int]:
    """The places from `start` on that have page numbers; a few without, such as "Part II", may stand between them."""
    last = start - 1
    for place in range(start, len(pages)):
        if pages[place]:
            last = place
            yield place
        elif place - last > _MOST_BETWEEN:
            return


def _rises(pages: Sequence[int]) -> bool:
    rising = sum(before <= after for before, after in pairwise(pages))
    return rising >= _RISING * (len(pages) - 1) and pages[-1] > pages[0] + 1
