"""A page's text cut into chunks of about the length an embedder reads, made of whole blocks. A chunk is verbatim."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile
from operator import itemgetter

from docqa.store.chunks import Chunk
from docqa.text.blocks import Block, blocks_of
from docqa.text.marks import leads_on
from docqa.text.packed_terms import packed_terms
from docqa.text.sentences import holds_row, sentences
from docqa.text.words import is_dense

# Characters: longer than an embedder reads at once, but answers are chosen sentence by sentence, and part of a
# paragraph is found less often
TARGET = 1500
DENSE_TARGET = 1000  # in scripts where a character is a syllable or a word
WHOLE = 4 / 3  # of the target: up to here a block stays whole, and so does what belongs together
BESIDE = 400  # characters of the same paragraph on either side that complete a chunk which was cut out of it

LONGEST_COLUMNS = 2000  # characters of column headings that each chunk of the table repeats

CELL_GAP = re.compile(r"\t| \| |(?<=\| )\| ")  # between two cells, which may be empty: "a | | b" has three
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")


def chunks(
    page_number: int,
    text: str,
    section: str = "",
    headings: Sequence[tuple[int, str]] = (),
    tables: Sequence[tuple[int, int, int]] = (),
    blocks: Sequence[Block] | None = None,
    above: str = "",
) -> list[Chunk]:
    """The chunks of one page, in order. White space around a chunk belongs to none.

    `headings` are (offset, title) of the sections that begin on the page, `tables` (start, end of the column headings,
    end), apart from each other, `blocks` all those of the page, derived from its text where they are not given, `above`
    the column headings of the table in which the page before ends.
    Boilerplate gets into no chunk. Together stay, up to WHOLE of the target: a block, a heading with what follows it, a
    question with its answer, a list with the line that leads into it, column headings with the first row.
    """
    target = DENSE_TARGET if is_dense(text) else TARGET
    titles = [(0, section), *sorted(headings, key=itemgetter(0))]
    places = [at for at, _ in titles]
    blocks = blocks_of(text, headings, tables) if blocks is None else blocks
    bodies = sorted([*_headed(blocks), *tables], key=itemgetter(1))
    begins = [head for _, head, _ in bodies]
    goes_on = _goes_on(text, blocks, above)
    pieces = []
    for run in _runs(blocks):
        for start, end in _merged(_groups(text, run, target), target):
            begin, head, last = bodies[place] if (place := bisect_right(begins, start) - 1) >= 0 else (0, 0, 0)
            columns = text[begin : min(head, begin + LONGEST_COLUMNS)] if start < last else ""
            columns = above if start < goes_on else columns
            over = titles[bisect_right(places, start) - 1 : bisect_left(places, end, lo=1)]
            pieces.append(Chunk(page_number, start, text[start:end], _section(start, end, over), columns))
    return pieces


def columns_below(text: str, blocks: Sequence[Block], above: str = "") -> str:
    """The column headings of the last table of a page, "" where it has none: those `above`, where it goes on from the
    page before. What stands below it may be a note, or a title that was drawn last."""
    runs = [list(run) for are_rows, run in groupby(_body(blocks), key=lambda block: block.kind == "row") if are_rows]
    heads = list(takewhile(lambda row: row.level, runs[-1])) if runs else []
    if heads:
        return text[heads[0].start : min(heads[-1].end, heads[0].start + LONGEST_COLUMNS)]
    return above if runs and runs[-1][-1].end == _goes_on(text, blocks, above) else ""


def _goes_on(text: str, blocks: Sequence[Block], above: str) -> int:
    """Where the rows end with which a page begins, if they go on below these column headings; else 0. Two columns are
    as often a list of labels with their values."""
    rows = list(takewhile(lambda block: block.kind == "row" and not block.level, _body(blocks)))
    if not rows or not above:
        return 0
    own, others = (len(CELL_GAP.findall(line)) for line in (text[rows[0].start : rows[0].end], above.splitlines()[-1]))
    return rows[-1].end if own == others > 1 else 0


def _body(blocks: Sequence[Block]) -> list[Block]:
    return [block for block in blocks if block.kind != "boilerplate"]


def _section(start: int, end: int, headings: Sequence[tuple[int, str]]) -> str:
    """The title that most of the chunk stands under, of those that begin before its end, in order."""
    bounds = [*(at for at, _ in headings[1:]), end]
    return max(zip(headings, bounds, strict=True), key=lambda part: min(end, part[1]) - max(start, part[0][0]))[0][1]


def _headed(blocks: Sequence[Block]) -> Iterator[tuple[int, int, int]]:
    """(start, end of the column headings, end) of the tables whose rows are blocks."""
    for are_rows, group in groupby(blocks, key=lambda block: block.kind == "row"):
        rows = list(group)
        heads = list(takewhile(lambda row: row.level, rows)) if are_rows else []
        if heads:
            yield heads[0].start, heads[-1].end, rows[-1].end


def _runs(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """The blocks between those that are boilerplate."""
    run: list[Block] = []
    for block in blocks:
        if block.kind != "boilerplate":
            run.append(block)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _groups(text: str, run: Sequence[Block], target: int) -> Iterator[tuple[int, int]]:
    """(start, end) of what stays in one chunk: blocks joined to what they must not be separated from.

    Blocks that are too long are cut at the ends of sentences.
    """
    start = reached = -1  # of the group that is open
    answering = False  # whether it began with a question
    for place, block in enumerate(run):
        following = run[place + 1] if place + 1 < len(run) else None
        for at, end in _spans(text, block, target):
            if start >= 0 and end - start > WHOLE * target:
                yield start, reached
                start = -1
            if start >= 0 and at > block.start:
                yield start, reached
                start = -1
            if start < 0:
                start, answering = at, block.kind == "question"
            reached = end
        if (
            following is None
            or not _leads(text, block, following)
            and (
                not (answering or following.kind == block.kind == "item")
                or following.kind in ("heading", "question")
                or following.end - start > target
            )
        ):
            yield start, reached
            start = -1


def _leads(text: str, block: Block, following: Block) -> bool:
    """Whether the block must not be separated from the one that follows."""
    if block.kind in ("heading", "question") or block.kind == "row" and block.level:
        return True
    if following.kind in ("heading", "question"):
        return False
    return (
        block.kind == "caption"
        and following.kind == "row"
        or leads_on(text[max(block.start, block.end - 20) : block.end])
    )


def _spans(text: str, block: Block, target: int) -> Iterator[tuple[int, int]]:
    """The block, or its sentences where it is too long to stay whole; what is longer than the target is cut at a line
    end or space."""
    if block.end - block.start <= WHOLE * target:
        yield block.start, block.end
        return
    for first, last in sentences(text[block.start : block.end]):
        start, end = block.start + first, block.start + last
        while end - start > target:
            cut = max(text.rfind("\n", start, start + target), text.rfind(" ", start, start + target))
            cut = cut if cut > start else start + target
            yield _stripped(text, start, cut)
            start = cut
        yield _stripped(text, start, end)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _merged(groups: Iterable[tuple[int, int]], target: int) -> list[tuple[int, int]]:
    """Neighbours joined while they fit. A group of fair size is not torn for filling up the chunk before it."""
    merged: list[tuple[int, int]] = []
    for start, end in groups:
        fits = merged and end - merged[-1][0] <= target
        if fits and not (merged[-1][1] - merged[-1][0] > target // 2 and end - start > target // 2):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def chunk_terms(section: str, columns: str, text: str) -> str:
    """What full-text search sees of a chunk, as it is stored: its own words, those of its section and of the columns
    it continues."""
    return packed_terms(f"{section}\n{columns}\n{text}")


def before(neighbour: str, gap: str) -> str:
    """What completes a chunk that was cut out of a paragraph: the last sentences of the chunk before it, and the white
    space `gap` between the two.

    "" where a paragraph ends between them, and in tables, whose rows are complete. A sentence longer than BESIDE is cut
    at a space.
    """
    paragraph = _PARAGRAPH_END.split(neighbour)[-1]
    if not _is_cut(paragraph, gap):
        return ""
    least = len(paragraph) - BESIDE
    first = next(
        (start for start, _ in sentences(paragraph) if start >= least), paragraph.find(" ", least) + 1 or len(paragraph)
    )
    return paragraph[first:] + gap if first < len(paragraph) else ""


def after(neighbour: str, gap: str) -> str:
    """The same of the chunk after it: the white space and the first sentences."""
    paragraph = _PARAGRAPH_END.split(neighbour)[0]
    if not _is_cut(paragraph, gap):
        return ""
    end = max((end for _, end in sentences(paragraph) if end <= BESIDE), default=0) or paragraph.rfind(" ", 0, BESIDE)
    return gap + paragraph[:end] if end > 0 else ""


def _is_cut(paragraph: str, gap: str) -> bool:
    return bool(paragraph) and not gap.strip() and not _PARAGRAPH_END.search(gap) and not holds_row(paragraph)
