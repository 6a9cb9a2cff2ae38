"""What the parts of a page are: headings, paragraphs, list items, table rows, captions, notes, questions, boilerplate.

A reader of a format gives the blocks that it knows; `blocks_of` derives the others from the text, by the rules of
lines.py and kinds.py. The text itself stays as it is.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from docqa.text.block import Block, BlockKind, clipped, packed, stripped, unpacked, unpacked_within
from docqa.text.kinds import refined
from docqa.text.lines import derived
from docqa.text.marks import ends_sentence, has_cells

__all__ = ["Block", "BlockKind", "blocks_of", "clipped", "packed", "stored_blocks", "unpacked", "unpacked_within"]

_LONGEST_CELL = 90  # characters of a row with a single cell
_MOST_HEADS = 4  # lines of column headings
_LINE = re.compile(r"[^\n\f]+")


def blocks_of(
    text: str,
    headings: Sequence[tuple[int, str]] = (),
    tables: Sequence[tuple[int, int, int]] = (),
    running: Sequence[tuple[int, int]] = (),
    known: Sequence[Block] = (),
) -> tuple[Block, ...]:
    """The blocks of a page: in order, apart from each other, and together all of its text but white space.

    `known` are those of its reader, in order; a paragraph among them is a whole of which it did not know more, and may
    turn out to be an item or a note. `headings` are (offset, title), `tables` (start, end of the column headings, end),
    `running` (start, end) of headers and footers; where they overlap, `running` counts before `known`, then `tables`,
    then `headings`. Takes time linear in the text.
    """
    layers = (
        [Block("boilerplate", start, end) for start, end in running],
        known,
        [row for table in tables for row in _rows(text, *table)],
        [Block("heading", at, end) for at, title in headings if (end := _title_end(text, at, title)) > at],
    )
    placed: list[Block] = []
    for layer in layers:
        placed = _merged(text, placed, layer)
    return tuple(refined(text, derived(text, placed)))


def _rows(text: str, start: int, head: int, end: int) -> Iterator[Block]:
    """The lines of a table, without those of running text that stand between two tables.

    Where most lines are column headings, or many, they are rather rows.
    """
    lines = text.count("\n", start, head) + 1
    if lines > _MOST_HEADS or 2 * lines > text.count("\n", start, end) + 1:
        head = start
    is_prose = False
    for line in _LINE.finditer(text, start, end):
        content = line.group().strip()
        is_prose = not has_cells(content) and (len(content) > _LONGEST_CELL or is_prose)
        if is_prose:
            is_prose = not ends_sentence(content)
            continue
        if row := stripped(text, Block("row", line.start(), line.end(), int(line.end() <= head))):
            yield row


def _title_end(text: str, at: int, title: str) -> int:
    """Where the title that stands at `at` ends, whatever white space is in it; `at` if another text stands there."""
    place = at
    for character in title:
        if character.isspace():
            continue
        while place < len(text) and text[place].isspace():
            place += 1
        if not text.startswith(character, place):
            return at
        place += 1
    return place


def _merged(text: str, placed: Sequence[Block], further: Iterable[Block]) -> list[Block]:
    """The blocks of both, in order; of the further ones what those that are placed leave free."""
    free = []
    after = 0  # the first of those placed that may overlap
    reach = 0
    for block in sorted(further, key=lambda block: block.start):
        start = max(block.start, reach)
        while after < len(placed) and placed[after].end <= start:
            after += 1
        place = after
        while start < block.end:
            stop = min(block.end, placed[place].start) if place < len(placed) else block.end
            if start < stop and (part := stripped(text, block._replace(start=start, end=stop))):
                free.append(part)
            start = placed[place].end if place < len(placed) else block.end
            place += 1
        reach = max(reach, block.end)
    return sorted([*placed, *free], key=lambda block: block.start)


def stored_blocks(text: str, stored: str | None) -> tuple[Block, ...]:
    """The blocks of a stored page; one that was stored before there were blocks has those that its text shows."""
    return blocks_of(text) if stored is None else unpacked(stored)
