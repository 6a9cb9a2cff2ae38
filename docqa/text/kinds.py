"""Which kind a paragraph is of: item, caption, note, question, boilerplate; by its beginning, end and neighbours."""

import re
from collections.abc import Sequence

from docqa.text.block import Block
from docqa.text.contents import contents
from docqa.text.marks import (
    LONGEST,
    Mark,
    asks,
    begins_caption,
    begins_note,
    cells,
    claims_rights,
    ends_in_mark,
    ends_sentence,
    follows,
    footnote_sign,
    has_cells,
    is_rule,
    item_mark,
    numbers_page,
)
from docqa.text.sentences import sentences
from docqa.text.titles import may_be_heading, sure_level

_LONGEST_CAPTION = 1_200  # characters
_LONGEST_QUESTION = 250
_FOOT = 12  # blocks at the end of a page, or after a table, among which footnotes are looked for
_TORN = 40  # characters of a paragraph that goes on in the next one
_MOST_SENTENCES = 2  # of a question: "I have lost my key. What now?"
_MOST_HEADS = 2  # lines of column headings over a rule
_YEAR = re.compile(r"(?:19|20)\d\d\b(?![.,]\d)")
_SIGN = re.compile(r"(\(\w{1,2}\)|[*†‡§]{1,3}|\w{1,2}\)|\d{1,2})\s*(?=[^\s.):])")
_QUOTES = '"“”„«»「」『』'  # of speech, at an end; within, a word is quoted


def refined(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks with the kinds of those that are called paragraphs, and with levels."""
    blocks = _joined(text, blocks)
    marks = [_mark(text, block) for block in blocks]
    kinds = [_kind(text, blocks, marks, place) for place in range(len(blocks))]
    kinds = _without_contents(text, _with_table_notes(text, _with_footnotes(text, kinds)))
    return list(_with_heads(text, _with_levels(text, _with_questions(text, kinds, marks), marks)))


def _joined(text: str, blocks: Sequence[Block]) -> list[Block]:
    """Paragraphs that the layout tore apart, joined again: one that goes on with a small letter after one that has not
    ended. Labels of pictures are shorter."""
    joined: list[Block] = []
    for block in blocks:
        before, line = joined[-1] if joined else None, _line(text, block)
        if (
            before
            and block.kind == "paragraph"
            and before.kind in ("paragraph", "item", "note", "caption")
            and before.end - before.start >= _TORN
            and text[block.start].islower()
            and not (ends_in_mark(text[before.end - 10 : before.end]) or item_mark(line) or numbers_page(line))
        ):
            joined[-1] = before._replace(end=block.end)
        else:
            joined.append(block)
    return joined


def _mark(text: str, block: Block) -> Mark | None:
    if block.kind not in ("paragraph", "item"):
        return None
    return item_mark(text[block.start : min(block.end, block.start + LONGEST)])


def _kind(text: str, blocks: Sequence[Block], marks: Sequence[Mark | None], place: int) -> Block:
    block = blocks[place]
    at_edge = len(blocks) > 1 and place in (0, len(blocks) - 1)
    if block.kind not in ("paragraph", "heading", "item"):
        return block
    if at_edge and numbers_page(text[block.start : min(block.end, block.start + LONGEST)]):
        return block._replace(kind="boilerplate", level=0)
    if block.kind != "paragraph":
        return block
    mark = marks[place]
    if mark and mark.is_sure:
        return block._replace(kind="item")
    line = _line(text, block)
    size = block.end - block.start
    if claims_rights(line) and size <= LONGEST:
        return block._replace(kind="boilerplate")
    if begins_caption(line) and size <= _LONGEST_CAPTION:
        return block._replace(kind="caption")
    if begins_note(line):
        return block._replace(kind="note")
    if "\n" not in text[block.start : min(block.end, block.start + LONGEST)] and place + 1 < len(blocks):
        before, after = (_line(text, blocks[other]) if other >= 0 else "" for other in (place - 1, place + 1))
        if blocks[place + 1].kind != "boilerplate" and (level := sure_level(line, before, after)):
            return block._replace(kind="heading", level=level)
    if mark is None or (mark.may_be_initial or mark.style[0] == "-") and not _has_sibling(marks, place):
        return block
    if _heads_text(text, blocks, marks, place, mark):
        return block._replace(kind="heading", level=mark.depth)
    return block._replace(kind="item")


def _heads_text(text: str, blocks: Sequence[Block], marks: Sequence[Mark | None], place: int, mark: Mark) -> bool:
    """Whether a numbered or lettered line is no item but stands above a text: "(a) Scope"."""
    block, before = blocks[place], marks[place - 1] if place else None
    following = blocks[place + 1] if place + 1 < len(blocks) else None
    if mark.style[0] in "•-①s" or before and follows(mark, before) or following is None or marks[place + 1]:
        return False
    line = text[block.start : min(block.end, block.start + LONGEST)]
    is_above = following.kind == "paragraph" and following.end - following.start > LONGEST // 2
    return is_above and "\n" not in line and not line[mark.end :][:1].islower() and may_be_heading(line)


def _line(text: str, block: Block) -> str:
    """The first line of a block, as far as it is looked at."""
    return text[block.start : min(block.end, block.start + LONGEST)].split("\n", 1)[0]


def _has_sibling(marks: Sequence[Mark | None], place: int) -> bool:
    """Whether a neighbour has a mark of the same style: "A. Smith" is no item, nor is a single dash."""
    mark = marks[place]
    near = [*marks[max(0, place - 3) : place], *marks[place + 1 : place + 4]]
    return mark is not None and any(other is not None and other.style == mark.style for other in near)


def _with_footnotes(text: str, blocks: list[Block]) -> list[Block]:
    """Paragraphs at the end of the page that begin with a sign or number which the text above refers to."""
    for place in range(len(blocks) - 1, max(0, len(blocks) - _FOOT) - 1, -1):
        block = blocks[place]
        if block.kind not in ("paragraph", "item"):
            if block.kind in ("boilerplate", "note"):
                continue
            break
        sign = footnote_sign(text[block.start : min(block.end, block.start + LONGEST)])
        if not sign or not _refers(text, sign, block.start):
            if block.kind == "item" or not ends_sentence(text[block.start : block.end]):
                break
            continue
        blocks[place] = block._replace(kind="note")
    return blocks


def _with_table_notes(text: str, blocks: list[Block]) -> list[Block]:
    """What follows a table and begins with a sign that stands in it: "(1) Without tax"."""
    start = -1  # of the table, while its notes may follow
    end = 0
    for place, block in enumerate(blocks):
        if block.kind == "row":
            start = block.start if start < 0 or blocks[place - 1].kind != "row" else start
            end = place + 1 + _FOOT
        elif place >= end or block.kind not in ("paragraph", "item", "note"):
            start = -1
        elif start >= 0 and block.kind != "note":
            if sign := _SIGN.match(text, block.start, block.end):
                table = text[start : block.start]
                sought = re.escape(sign[1])
                if _refers(table, sign[1], len(table)) if sign[1].isalnum() else re.search(rf"\S{sought}", table):
                    blocks[place] = block._replace(kind="note", level=0)
                    continue
            start = -1
    return blocks


def _refers(text: str, sign: str, end: int) -> bool:
    """Whether the sign stands in the text before `end` right after a word or punctuation mark."""
    at = text.rfind(sign, 0, end)
    tries = 0
    while at > 0 and tries < 50:
        before, after = text[at - 1], text[at + len(sign) : at + len(sign) + 1]
        if (before.isalpha() or before in ".,;:)”\"'’") and not after.isalnum():
            return True
        at = text.rfind(sign, 0, at)
        tries += 1
    return False


def _with_questions(text: str, blocks: list[Block], marks: Sequence[Mark | None]) -> list[Block]:
    """Paragraphs and items that are a single question, if an answer follows: no list of questions."""
    asking = [_is_question(text, block) for block in blocks]
    for place, block in enumerate(blocks[:-1]):
        following, mark, mark_after = blocks[place + 1], marks[place], marks[place + 1]
        answered = following.kind in ("paragraph", "item", "row", "note") and not asking[place + 1]
        style, style_after = mark.style if mark else "", mark_after.style if mark_after else ""
        is_sibling = block.kind == following.kind == "item" and (
            following.level < block.level or style == style_after and block.level == following.level
        )
        is_last = place and asking[place - 1] and blocks[place - 1].kind == block.kind == "item"  # of a list of them
        if asking[place] and answered and not is_sibling and not is_last:
            blocks[place] = block._replace(kind="question", level=0)
    return blocks


def _is_question(text: str, block: Block) -> bool:
    if block.kind not in ("paragraph", "item") or block.end - block.start > _LONGEST_QUESTION:
        return False
    content = text[block.start : block.end]
    if not asks(content) or content[0].islower() or content[0] in _QUOTES or content[-1] in _QUOTES:
        return False
    return len(sentences(content)) <= _MOST_SENTENCES


def _without_contents(text: str, blocks: list[Block]) -> list[Block]:
    """The entries of a table of contents are boilerplate."""
    for place in contents(text, blocks):
        blocks[place] = blocks[place]._replace(kind="boilerplate", level=0)
    return blocks


def _with_levels(text: str, blocks: list[Block], marks: Sequence[Mark | None]) -> list[Block]:
    """How deep items are nested: by the style of their marks and by their indentation, where the reader did not say. A
    list that its reader knows lies within the item before it that only begins like one: "2.1 We insure against:"."""
    # (style, indentation, level) of the lists that the item may be in, outermost first
    open_: list[tuple[str, int, int]] = []
    last: Mark | None = None
    begun: set[str] = set()  # the styles of the items since the last line that is none
    run: list[int] = []  # their places
    outer = 0  # the level of the last item of which the reader did not know
    for place, block in enumerate(blocks):
        if block.kind != "item":
            if block.kind != "note":
                open_, outer = [], 0
                begun, run = set(), []
            if block.kind == "heading" and not block.level:
                blocks[place] = block._replace(level=2)
            continue
        mark = marks[place] or Mark("•", 0, 0)
        indent = _indentation(text, blocks, marks, place)
        style = mark.style
        if open_ and last and style != open_[-1][0] and follows(mark, last):
            style = open_[-1][0]
        if style[0] == "#":
            depth = int(style[1:])
        else:
            depth = next((depth for other, at, depth in open_ if other == style and abs(at - indent) <= 1), 0)
        if not depth:
            goes_on = mark.number > 1 and not (last and follows(mark, last))
            while open_ and (goes_on and style not in begun or open_[-1][1] > indent + 1):
                open_.pop()
            if goes_on and not open_:  # a list that was begun before these, which lie within it
                for within in run:
                    blocks[within] = blocks[within]._replace(level=blocks[within].level + 1)
            depth = open_[-1][2] + 1 if open_ else 1
        begun.add(style)
        run.append(place)
        while open_ and open_[-1][2] >= depth:
            open_.pop()
        open_.append((style, indent, depth))
        last = mark
        outer = outer if block.level else depth
        blocks[place] = block._replace(level=outer + block.level)
    return blocks


def _indentation(text: str, blocks: Sequence[Block], marks: Sequence[Mark | None], place: int) -> int:
    """How far an item is indented; the first of a passage, which has lost its own, as far as the next number is."""
    start = blocks[place].start
    if line := text.rfind("\n", max(0, start - LONGEST), start) + 1:
        return start - line
    mark = marks[place]
    for later, after in enumerate(marks[place + 1 :], place + 1):
        if mark and after and after.number > mark.number and follows(after, mark):
            return _indentation(text, blocks, marks, later)
    return 0


def _is_value(cell: str) -> bool:
    """Whether a cell holds a number, maybe with a unit; not a year, which heads columns."""
    return sum(map(str.isdigit, cell)) > sum(map(str.isalpha, cell)) and not _YEAR.match(cell)


def _heads(lines: Sequence[str]) -> int:
    """How many of the first lines of a table, of which more than one is given, are column headings."""
    over = next((place for place, line in enumerate(lines) if is_rule(line)), 0)
    over = over if 0 < over <= _MOST_HEADS else 0
    count = over or 1
    own = [cell for line in lines[:count] for cell in cells(line)]
    if not has_cells(lines[0]) or own[0].endswith(":") or any(map(_is_value, own)):
        return 0
    return count if over or any(map(_is_value, cells(lines[1])[1:])) else 0


def _with_heads(text: str, blocks: list[Block]) -> list[Block]:
    """The first rows of a table are those of its column headings if they stand over a rule, the first one if the one
    below has values; none that has values itself. A rule is no row of values either."""
    start = 0
    while start < len(blocks):
        end = start
        while end < len(blocks) and blocks[end].kind == "row":
            end += 1
        rows = blocks[start:end]
        lines = [text[row.start : row.end] for row in rows]
        heads = _heads(lines) if len(lines) > 1 and not any(row.level for row in rows) else 0
        for place, line in enumerate(lines):
            if place < heads or is_rule(line):
                blocks[start + place] = rows[place]._replace(level=1)
        start = max(end, start + 1)
    return blocks
