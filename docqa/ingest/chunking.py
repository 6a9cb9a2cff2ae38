"""A page's text cut into chunks of about the length an embedder reads, at paragraph and sentence ends. A chunk is
verbatim."""

import re
from collections.abc import Iterator, Sequence

from docqa.store.chunks import Chunk
from docqa.text.sentences import holds_row, sentences
from docqa.text.words import is_dense

# Characters: longer than an embedder reads at once, but answers are chosen sentence by sentence, and part of a
# paragraph is found less often
TARGET = 1500
DENSE_TARGET = 1000  # in scripts where a character is a syllable or a word
WHOLE = 4 / 3  # of the target: up to here a paragraph stays whole
BESIDE = 400  # characters of the same paragraph on either side that complete a chunk which was cut out of it

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")


def chunks(
    page_number: int,
    text: str,
    section: str = "",
    headings: Sequence[tuple[int, str]] = (),
    running: Sequence[tuple[int, int]] = (),
    tables: Sequence[tuple[int, int, int]] = (),
) -> list[Chunk]:
    """The chunks of one page, in order. White space around a chunk belongs to none.

    `headings` are (offset, title) of the sections that begin on the page, `running` (start, end) of headers and
    footers, which get into no chunk, `tables` (start, end of the column headings, end).
    """
    target = DENSE_TARGET if is_dense(text) else TARGET
    pieces = []
    for first, last in _between(text, running):
        for start, end in _merged(_pieces(text[first:last], target), target):
            at, stop = first + start, first + end
            columns = next((text[begin:head] for begin, head, last in tables if head <= at < last), "")
            pieces.append(Chunk(page_number, at, text[at:stop], _section(at, stop, [(0, section), *headings]), columns))
    return pieces


def _section(start: int, end: int, headings: Sequence[tuple[int, str]]) -> str:
    """The title that most of the chunk stands under."""
    bounds = [*(at for at, _ in headings[1:]), end]
    return max(zip(headings, bounds, strict=True), key=lambda part: min(end, part[1]) - max(start, part[0][0]))[0][1]


def _between(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What the spans leave of the text."""
    start = 0
    for first, last in sorted(spans):
        if start < first:
            yield start, first
        start = max(start, last)
    if start < len(text):
        yield start, len(text)


def _pieces(text: str, target: int) -> list[tuple[int, int, bool]]:
    """(start, end, whether a paragraph begins here) of pieces that are not cut any further."""
    pieces: list[tuple[int, int, bool]] = []
    start = 0
    for end in [*((gap.start(), gap.end()) for gap in _PARAGRAPH_END.finditer(text)), (len(text), len(text))]:
        paragraph = text[start : end[0]]
        spans = [(0, len(paragraph))] if len(paragraph) <= WHOLE * target else _sentence_spans(paragraph, target)
        stripped = [
            (a + len(paragraph[a:b]) - len(paragraph[a:b].lstrip()), a + len(paragraph[a:b].rstrip())) for a, b in spans
        ]
        pieces += [(start + a, start + b, i == 0) for i, (a, b) in enumerate(stripped) if a < b]
        start = end[1]
    return pieces


def _sentence_spans(paragraph: str, target: int) -> list[tuple[int, int]]:
    """Sentences, of a table its rows; what is longer than the target is cut at a line end or space."""
    spans = []
    for start, end in _row_spans(paragraph) if "\t" in paragraph else sentences(paragraph):
        while end - start > target:
            cut = max(paragraph.rfind("\n", start, start + target), paragraph.rfind(" ", start, start + target))
            cut = cut if cut > start else start + target
            spans.append((start, cut))
            start = cut
        spans.append((start, end))
    return spans


def _row_spans(table: str) -> Iterator[tuple[int, int]]:
    return ((row.start(), row.end()) for row in re.finditer(r"[^\n]+", table))


def _merged(pieces: list[tuple[int, int, bool]], target: int) -> list[tuple[int, int]]:
    """Neighbours joined while they fit. A whole paragraph of fair size is not torn for filling up the chunk before
    it."""
    merged: list[tuple[int, int]] = []
    for start, end, begins in pieces:
        fits = merged and end - merged[-1][0] <= target
        if fits and not (begins and merged[-1][1] - merged[-1][0] > target // 2 and end - start > target // 2):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


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
