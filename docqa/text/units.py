"""What can be shown as an answer and judged by itself: sentences of paragraphs, items, rows, captions and notes.

Each knows what it stands under, its lead, and the whole that it is part of, its group:

    How to descale the machine          heading, the lead of what follows
    Before you begin:                   the lead of the items, and the beginning of their group
    - Empty the tank.                   a unit
    - Remove the filter.                a unit of the same group
    It takes twenty minutes.            a unit; its lead is the heading, its group the paragraph
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docqa.text.block import Block, BlockKind
from docqa.text.marks import Mark, asks, ends_in_mark, follows, item_mark, leads_on
from docqa.text.sentences import sentences

_MOST_BETWEEN = 3  # blocks between two steps of a list
_REMARK = 120  # characters of a remark between two items without numbers
_LOOKED_BACK = 40  # items among which the one before is looked for
_BLANK = re.compile(r"\n(?=\s*\n)")
_LONGEST_LINE = 80  # characters of a heading and of the line below it that say something only together
LONGEST_TITLE = 120  # characters of a line that a list stands under
LONGEST_ITEM = 160  # characters; of a longer item, such as a clause of a contract, each sentence is a unit


class Unit(NamedTuple):
    """A part of a passage, `text[start:end]`; offsets are those of the passage.

    `kind` is that of its block. `lead_start`, `lead_end`: the heading, question, parent item, caption of a table, or
    line ending in a colon that it stands under, the nearest of them; None where there is none in the passage. A unit
    that begins with its lead is a heading with the line below it, which say something only together.
    `group_start`, `group_end`: of an item the whole list with the line that leads into it and what stands between its
    items, or what stands under its parent if that ends in a colon; of a row the whole table with its column headings;
    of what answers a question the question and all of its answer; else the paragraph.
    """

    start: int
    end: int
    kind: BlockKind
    lead_start: int | None
    lead_end: int | None
    group_start: int
    group_end: int

    @property
    def group(self) -> tuple[int, int]:
        """Where its group begins and ends: the same for all units of one group."""
        return self.group_start, self.group_end

    def shifted(self, by: int) -> "Unit":
        """The same unit where `by` characters stand before the passage."""
        lead_start, lead_end = (place if place is None else place + by for place in (self.lead_start, self.lead_end))
        start, end, group_start, group_end = (
            place + by for place in (self.start, self.end, self.group_start, self.group_end)
        )
        return Unit(start, end, self.kind, lead_start, lead_end, group_start, group_end)


def in_context(text: str, unit: Unit) -> str:
    """The unit as it is matched: after what it stands under if it is not understood without."""
    content = text[unit.start : unit.end]
    return f"{_above(text, unit)} {content}" if leans(text, unit) else content


def under_title(text: str, unit: Unit) -> str:
    """The unit as it is embedded: after a title that it stands under too, without which "It takes two weeks" is about
    nothing."""
    lead, content = _above(text, unit), text[unit.start : unit.end]
    return f"{lead} {content}" if 0 < len(lead) <= LONGEST_TITLE or leans(text, unit) else content


def leans(text: str, unit: Unit) -> bool:
    """Whether a unit is not understood without what it stands under: an item or row, or what comes right behind a
    colon."""
    if not _above(text, unit):
        return False
    return unit.kind in ("item", "row", "note") or begins(text, unit) < unit.start


def begins(text: str, unit: Unit) -> int:
    """Where a unit begins to say something: at the sentence that ends in a colon right before it, which is no unit and
    may say more than what follows: "The code is valid for a day:"."""
    lead = _above(text, unit)
    is_behind = unit.lead_start is not None and not text[unit.lead_end : unit.start].strip() and leads_on(lead)
    return unit.lead_start if is_behind and unit.lead_start is not None else unit.start


def _above(text: str, unit: Unit) -> str:
    """What the unit stands under, "" if that is nothing or what it begins with."""
    return "" if unit.lead_start in (None, unit.start) else text[unit.lead_start : unit.lead_end]


def units(text: str, blocks: Sequence[Block]) -> list[Unit]:
    """The units of a passage, in order; `blocks` are its blocks in its coordinates, as `blocks.clipped` gives them.

    Headings, questions, lines and items that end in a colon, column headings and boilerplate are none: they lead others
    or are part of their groups.
    """
    parts: list[Unit] = []
    heading: Block | None = None
    question: Block | None = None
    place = 0
    while place < len(blocks):
        block = blocks[place]
        if block.kind == "boilerplate":
            place += 1
        elif block.kind == "heading" and not asks(text[block.start : block.end]):
            heading, question = block, None
            place += 1
        elif block.kind in ("heading", "question"):
            question = block
            place += 1
        else:
            end = _run_end(text, blocks, place)
            before = blocks[place - 1] if place else None
            group = (question.start, _answer_end(blocks, place)) if question else None
            parts += _run_units(text, blocks[place:end], before, question or heading, group)
            place = end
    return parts


def _run_end(text: str, blocks: Sequence[Block], place: int) -> int:
    """The end of the list or table that begins at this place; other blocks stand alone."""
    end = place + 1
    if blocks[place].kind not in ("item", "row"):
        return end
    while end < len(blocks):
        if blocks[end].kind == "row" and blocks[end].level and not blocks[end - 1].level:
            break  # the headings of the next table
        if blocks[end].kind == "item" == blocks[place].kind and blocks[end].level < blocks[place].level:
            break  # of the list that this one lies within, and that was begun elsewhere
        if blocks[end].kind != blocks[place].kind:
            after = _resumed(text, blocks, place, end) if blocks[place].kind == "item" else end
            if after == end:
                break
            end = after
        end += 1
    return end


def _resumed(text: str, blocks: Sequence[Block], start: int, end: int) -> int:
    """The place at which the list from `start` to `end` is taken up again, after a remark or with its next number;
    `end` if it is over."""
    after = end
    while after < len(blocks) and blocks[after].kind in ("paragraph", "note", "caption"):
        after += 1
    if after == len(blocks) or blocks[after].kind != "item" or after - end > _MOST_BETWEEN:
        return end
    marks = [_mark(text, block) for block in blocks[max(start, end - _LOOKED_BACK) : end]]
    mark = _mark(text, blocks[after])
    if mark and mark.number:
        return after if any(mark.number > 1 and before and follows(mark, before) for before in marks) else end
    line = text[blocks[after - 1].start : blocks[after - 1].end]
    if _is_title(line) or leads_on(line):
        return end  # into another list
    is_same = (mark and mark.style) == (marks[-1] and marks[-1].style) and blocks[after].level == blocks[end - 1].level
    return after if is_same and blocks[after - 1].end - blocks[end].start <= _REMARK else end


def _mark(text: str, block: Block) -> Mark | None:
    return item_mark(text[block.start : block.end])


def _answer_end(blocks: Sequence[Block], place: int) -> int:
    """Where the answer ends that goes on at this place: before the next heading or question."""
    end = blocks[place].end
    for block in blocks[place:]:
        if block.kind in ("heading", "question"):
            break
        if block.kind != "boilerplate":
            end = block.end
    return end


def _run_units(
    text: str, run: Sequence[Block], before: Block | None, above: Block | None, answer: tuple[int, int] | None
) -> Iterator[Unit]:
    """The units of a list, a table, or a single block; `above` is its question or heading, `answer` the group of what
    answers a question."""
    lead = _lead(text, run[0], before) or ((above.start, above.end) if above else None)
    if run[0].kind == "row":
        for row in run:
            if not row.level:
                yield _unit(row, row.start, row.end, lead, (run[0].start, run[-1].end))
    elif run[0].kind == "item":
        leads_in = before is not None and before.kind == "paragraph" and lead is not None and lead[1] == before.end
        group = (lead[0] if lead and leads_in else run[0].start, run[-1].end)
        parents: list[tuple[Block, tuple[int, int]]] = []  # each with the group of what stands under it
        for place, item in enumerate(run):
            if item.kind != "item":
                for start, end in _parts(text, item):
                    yield _unit(item, start, end, lead, group)
                continue
            while parents and parents[-1][0].level >= item.level:
                parents.pop()
            under, group_of_item = parents[-1] if parents else (None, group)
            for start, end in _parts(text, item):
                yield _unit(item, start, end, (under.start, under.end) if under else lead, group_of_item)
            has_list = leads_on(text[item.start : item.end])
            parents.append((item, (item.start, _list_end(run, place)) if has_list else group_of_item))
    elif above and before is above and answer is None and _is_rest_of(above, run[0], text):
        whole = (above.start, run[0].end)
        yield _unit(run[0], *whole, (above.start, above.end), whole)
    else:
        block = run[0]
        for start, end in _parts(text, block):
            yield _unit(block, start, end, lead, answer or (block.start, block.end))


def _is_rest_of(heading: Block, block: Block, text: str) -> bool:
    """Whether the line below a heading is no sentence, and says something only together with it: a name and an office,
    a label and its value."""
    line = text[block.start : block.end]
    is_short = max(block.end - block.start, heading.end - heading.start) <= _LONGEST_LINE
    begins = any(map(str.isalnum, line)) and not line[0].islower()  # else the heading goes on
    is_labelled = ": " in line or "：" in line  # it says by itself what it is
    return is_short and begins and block.kind == "paragraph" and _is_title(line) and not is_labelled


def _list_end(run: Sequence[Block], place: int) -> int:
    """Where what stands under an item ends: before the next one that is no deeper."""
    end = run[place].end
    for block in run[place + 1 :]:
        if block.kind == "item" and block.level <= run[place].level:
            break
        end = block.end
    return end


def _lead(text: str, block: Block, before: Block | None) -> tuple[int, int] | None:
    """The line right before a block that leads into it: a table's caption, a sentence that ends in a colon, or of a
    list a line that is no sentence."""
    if before is None or before.kind not in ("paragraph", "item", "caption", "note"):
        return None
    if before.kind == "caption" and block.kind == "row":
        return before.start, before.end
    if before.kind == "paragraph" and block.kind == "item" and _is_title(text[before.start : before.end]):
        return before.start, before.end
    if before.kind not in ("paragraph", "item") or not leads_on(text[before.start : before.end]):
        return None
    start, end = sentences(text[before.start : before.end])[-1]
    return before.start + start, before.start + end


def _is_title(line: str) -> bool:
    return len(line) <= LONGEST_TITLE and "\n" not in line and not ends_in_mark(line)


def _parts(text: str, block: Block) -> list[tuple[int, int]]:
    """The sentences of a paragraph or long item, or the block itself; without what ends in a colon."""
    content = text[block.start : block.end]
    is_short = block.kind in ("item", "caption", "note", "row") and len(content) <= LONGEST_ITEM
    if is_short and not (block.kind == "item" and leads_on(content)):
        return [(block.start, block.end)]
    content = _BLANK.sub(" ", content)  # a block may go on after a blank line
    mark = item_mark(content) if block.kind == "item" else None
    if mark:
        content = " " * mark.end + content[mark.end :]  # "2." is no sentence, but the beginning of one
    spans = [(block.start + start, block.start + end) for start, end in sentences(content)]
    if mark and spans:
        spans[0] = (block.start, spans[0][1])
    return [(start, end) for start, end in spans if not leads_on(text[start:end])]


def _unit(block: Block, start: int, end: int, lead: tuple[int, int] | None, group: tuple[int, int]) -> Unit:
    lead_start, lead_end = lead or (None, None)
    return Unit(start, end, block.kind, lead_start, lead_end, *group)
