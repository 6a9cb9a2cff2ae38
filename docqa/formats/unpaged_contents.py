"""Tables of contents without page numbers, as in texts, web pages and books: lists whose entries stand again below,
each above a text of its own. They are boilerplate, as those with page numbers are; a question finds what they lead
to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from docqa.formats.pages import ExtractedPage
from docqa.text.block import Block
from docqa.text.keys import key

_LEAST = 10  # entries: a shorter list, such as an agenda, says something by itself
_LONGEST = 250  # characters of an entry
_AHEAD = 40  # pages that are looked through for the entries
_FEWEST = 3  # entries that stand again
_SHARE = 0.8  # of the entries up to the last one that stands again there: others may be worded or wrapped differently
_ALONE = 0.5  # of what stands again, at least so much is a title with a text below; else it is the same list once more
_STOPS = (".", ";", ",", "。", "；", "，")  # no title ends so; one may ask or call
_TITLES = 2  # headings of the first chapter that may follow the list at once


class _Entry(NamedTuple):
    """A short block: the place of its page among those held, its own there, and its letters and digits."""

    page: int
    place: int
    kind: str
    text: str


def without_contents(pages: Iterable[ExtractedPage]) -> Iterator[ExtractedPage]:
    """The pages in order, cleaned before; the entries of such lists are boilerplate."""
    held: list[ExtractedPage] = []
    listing = 0  # short blocks with which what is held ends
    is_list = False
    for page in pages:
        held.append(page)
        for block in page.blocks:
            listing = listing + 1 if _is_short(page.text, block) else 0
            is_list = is_list or listing >= _LEAST
        if len(held) >= _AHEAD or not (listing or is_list):
            yield from _judged(held) if is_list else held
            held, listing, is_list = [], 0, False
    yield from _judged(held) if is_list else held


def _is_short(text: str, block: Block) -> bool:
    """Whether a block may be an entry. Boilerplate, as between the pages of a list, may stand between them."""
    if block.kind == "boilerplate":
        return True
    if block.kind not in ("item", "heading", "question", "paragraph") or block.end - block.start > _LONGEST:
        return False
    return not text[block.start : block.end].endswith(_STOPS)


def _judged(held: Sequence[ExtractedPage]) -> list[ExtractedPage]:
    entries: list[_Entry | None] = []  # None for what is no entry
    for number, page in enumerate(held):
        for place, block in enumerate(page.blocks):
            if block.kind != "boilerplate":
                is_short = _is_short(page.text, block)
                text = key(page.text[block.start : block.end]) if is_short else ""
                entries.append(_Entry(number, place, block.kind, text) if text else None)
    of_contents = {(entry.page, entry.place) for run in _runs(entries) for entry in _contents(entries, *run)}
    return [_without(page, {place for number, place in of_contents if number == at}) for at, page in enumerate(held)]


def _without(page: ExtractedPage, places: set[int]) -> ExtractedPage:
    if not places:
        return page
    blocks = enumerate(page.blocks)
    return replace(
        page, blocks=tuple(b._replace(kind="boilerplate", level=0) if at in places else b for at, b in blocks)
    )


def _runs(entries: Sequence[_Entry | None]) -> Iterator[tuple[int, int]]:
    """(start, end) of the runs of short blocks that are long enough."""
    start = 0
    for place, entry in enumerate([*entries, None]):
        if entry is None:
            if place - start >= _LEAST:
                yield start, place
            start = place + 1


def _contents(entries: Sequence[_Entry | None], start: int, end: int) -> list[_Entry]:
    """Those of a run of short blocks that are a table of contents."""
    again = _again(entries, start, end)
    if len(again) < _FEWEST:
        return []
    first, last = min(again), max(again)
    listed = {entry.text for entry in entries[first:end] if entry}
    alone = sum(_stands_above(entries, place, listed) for place in again.values())
    if len(again) < _SHARE * (last - first + 1) or alone < _ALONE * len(again):
        return []
    end = min(end, again[first])
    for _ in range(_TITLES):
        if (title := entries[end - 1]) and title.kind == "heading":
            end -= 1
    while first > start and (before := entries[first - 1]) and before.kind == "item":
        first -= 1
    return [entry for entry in entries[first:end] if entry] if end - first >= _LEAST else []


def _stands_above(entries: Sequence[_Entry | None], place: int, listed: set[str]) -> bool:
    """Whether an entry that stands again is a title, with something else below it."""
    entry, below = entries[place], entries[place + 1] if place + 1 < len(entries) else None
    is_title = entry is not None and entry.kind in ("heading", "question")
    return is_title and (below is None or below.text not in listed)


def _again(entries: Sequence[_Entry | None], start: int, end: int) -> dict[int, int]:
    """The places of a run's entries that stand again, in the same order, with where they do."""
    places: dict[str, list[int]] = {}
    for place, entry in enumerate(entries[start:], start):
        if entry:
            places.setdefault(entry.text, []).append(place)
    again: dict[int, int] = {}
    reached = -1
    for place in range(start, end):
        if again and place >= next(iter(again.values())):
            break  # the list is over
        entry = entries[place]
        later = next((at for at in places[entry.text] if at > max(place, reached)), None) if entry else None
        if later is not None:
            again[place] = reached = later
    return again
