"""A part of a page, and what can be done with it: cut to a passage, packed for storing."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

BlockKind = Literal["heading", "paragraph", "item", "row", "caption", "note", "question", "boilerplate"]
# How kinds are stored: by their first letters.
_KINDS: dict[str, BlockKind] = {
    "h": "heading",
    "p": "paragraph",
    "i": "item",
    "r": "row",
    "c": "caption",
    "n": "note",
    "q": "question",
    "b": "boilerplate",
}
_decoded = json.JSONDecoder().raw_decode


class Block(NamedTuple):
    """A part of a page, `text[start:end]`, without white space around it; it may hold line ends.

    `level` is that of a heading, from 1, the highest; of an item how deep it is nested, from 1; 1 for a row of column
    headings. It is 0 for everything else. Boilerplate are running headers and footers, page numbers, entries of a table
    of contents, notices of copyright.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0


def stripped(text: str, block: Block) -> Block | None:
    """The block without the white space around it; None where it holds nothing else."""
    start, end = block.start, block.end
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return block._replace(start=start, end=end) if start < end else None


def clipped(passage: str, blocks: Iterable[Block], start: int) -> tuple[Block, ...]:
    """The blocks of a passage that begins at `start` of their page, in its own coordinates; cut where it is cut."""
    parts = (
        stripped(passage, block._replace(start=max(0, block.start - start), end=min(block.end - start, len(passage))))
        for block in blocks
        if block.start < start + len(passage) and block.end > start
    )
    return tuple(part for part in parts if part)


def packed(blocks: Iterable[Block]) -> str:
    """The blocks as they are stored: a JSON array of [first letter of the kind, start, end, level]."""
    return json.dumps([[block.kind[0], block.start, block.end, block.level] for block in blocks], separators=(",", ":"))


def unpacked(stored: str) -> tuple[Block, ...]:
    """The blocks that `packed` stored."""
    return tuple(Block(_KINDS[kind], start, end, level) for kind, start, end, level in json.loads(stored))


def unpacked_within(stored: str, start: int, end: int) -> Iterator[Block]:
    """Those of the stored blocks that reach into `text[start:end]`. The others are not read: blocks are in order, and
    apart from each other."""
    last = len(stored) - 1

    def end_of_block(place: int) -> int:
        """The end of the block to whose array the character at `place` belongs, or the comma behind it."""
        return int(_decoded(stored, stored.rindex('["', 0, place + 2))[0][2])

    place = 1 + bisect_right(range(1, last), start, key=end_of_block)
    while place < last:
        (kind, block_start, block_end, level), place = _decoded(stored, place)
        if block_start >= end:
            break
        yield Block(_KINDS[kind], block_start, block_end, level)
        place += 1
