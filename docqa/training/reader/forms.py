"""The forms in which passages and questions are met: excerpts, tables, lists, and questions as people type them.

A form keeps the answer's characters where it can, and says where they are now.
"""

import random
import re
from collections.abc import Sequence

from docqa.text.sentences import sentences
from docqa.text.words import terms

Spans = tuple[tuple[int, int], ...]
EXCERPTS = 0.5  # share of the passages of which only a sentence and its neighbours are read, as in the second look
COLUMN = "\t"
_WORD = re.compile(r"[A-Za-z]{4,}")
_SHORT_FORMS = (
    (r"\bwhat is\b", "whats"),
    (r"\bwho is\b", "whos"),
    (r"\bhow many\b", "how much"),
    (r"\bin which year\b", "when"),
    (r"\bwhat was the\b", "whats the"),
    (r"\bthe\b ", ""),
    (r"\bdo not\b", "dont"),
    (r"\bdoes not\b", "doesnt"),
)


def excerpt(question: str, passage: str, spans: Spans, longest: int, rng: random.Random) -> tuple[str, Spans]:
    """A part of the passage that still holds the first answer, and the spans in it.

    Half of the time that is the answer's sentence with up to two beside it, otherwise all that `longest` characters
    allow. For an unanswerable question it is around the sentence that shares most words with it.
    """
    bounds = sentences(passage)
    if not bounds:
        return passage, spans
    if COLUMN in passage:
        return _fewer_rows(passage, spans, longest, rng)
    centre = _index_of(bounds, spans[0][0]) if spans else _nearest(question, passage, bounds, rng)
    first = last = centre
    if rng.random() < EXCERPTS:
        first, last = max(0, centre - rng.randrange(2)), min(len(bounds) - 1, centre + rng.randrange(2))
        last = max(last, _index_of(bounds, spans[0][1] - 1)) if spans else last
    else:
        while (wider := _wider(first, last, len(bounds), rng)) and _length(bounds, wider) <= longest:
            first, last = wider
        last = max(last, _index_of(bounds, spans[0][1] - 1)) if spans else last
    start, end = bounds[first][0], bounds[last][1]
    inside = tuple((begin - start, finish - start) for begin, finish in spans if start <= begin and finish <= end)
    return passage[start:end], inside


def _index_of(bounds: Sequence[tuple[int, int]], position: int) -> int:
    return max((index for index, (start, _) in enumerate(bounds) if start <= position), default=0)


def _nearest(question: str, passage: str, bounds: Sequence[tuple[int, int]], rng: random.Random) -> int:
    wanted = frozenset(terms(question))
    return max(
        range(len(bounds)),
        key=lambda index: (len(wanted.intersection(terms(passage[slice(*bounds[index])]))), rng.random()),
    )


def _wider(first: int, last: int, count: int, rng: random.Random) -> tuple[int, int] | None:
    choices = [(first - 1, last)] * (first > 0) + [(first, last + 1)] * (last + 1 < count)
    return rng.choice(choices) if choices else None


def _length(bounds: Sequence[tuple[int, int]], chosen: tuple[int, int]) -> int:
    return bounds[chosen[1]][1] - bounds[chosen[0]][0]


def _fewer_rows(passage: str, spans: Spans, longest: int, rng: random.Random) -> tuple[str, Spans]:
    """The table without some of its rows, but with its headings and the rows of the answers."""
    dropped, kept, moved = rng.choice((0.0, 0.3, 0.7)), [], []
    position = length = rows = 0
    for line in passage.split("\n"):
        rows += COLUMN in line
        inside = [span for span in spans if position <= span[0] and span[1] <= position + len(line)]
        near_table = COLUMN in line or len(line) < longest / 10
        if inside or (near_table and rows <= 2) or (rng.random() >= dropped and length + len(line) < longest):
            moved += [(start - position + length, end - position + length) for start, end in inside]
            kept.append(line)
            length += len(line) + 1
        position += len(line) + 1
    return "\n".join(kept), tuple(moved)


def as_list(passage: str, spans: Spans) -> tuple[str, Spans]:
    """The sentences of the passage, all but the first, as items of a list."""
    bounds, parts, moved, length = sentences(passage), [], [], 0
    if len(bounds) < 3:
        return passage, spans
    for index, (start, end) in enumerate(bounds):
        mark = "- " if index else ""
        inside = [span for span in spans if start <= span[0] and span[1] <= end]
        moved += [(begin - start + length + len(mark), stop - start + length + len(mark)) for begin, stop in inside]
        parts.append(mark + passage[start:end])
        length += len(parts[-1]) + 1
    return ("\n".join(parts), tuple(moved)) if bool(moved) == bool(spans) else (passage, spans)


def as_typed(question: str, rng: random.Random) -> str:
    """The question as typed in haste: without capitals and question mark, sometimes shortened or with a slip."""
    typed = question.lower().rstrip("? ")
    for pattern, short in _SHORT_FORMS:
        if rng.random() < 0.4:
            typed = re.sub(pattern, short, typed)
    words = list(_WORD.finditer(typed))
    if words and rng.random() < 0.5:
        word = rng.choice(words)
        at = rng.randrange(word.start() + 1, word.end() - 1)
        slips = (
            typed[:at] + typed[at + 1 :],
            typed[:at] + typed[at + 1] + typed[at] + typed[at + 2 :],
            typed[:at] + typed[at] + typed[at:],
        )
        typed = rng.choice(slips)
    return typed
