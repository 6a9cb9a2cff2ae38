"""Spans in a row of a table that answer for the row above it.

Where a value stands before the name in its row, "08/07/2015, Symantec", the first values behind a name are those of the
next row, and a reader, which knows tables with the names in front, takes these.
"""

import re
from collections.abc import Mapping, Sequence

from docqa.answering.table_rows import GAP
from docqa.models.reader import Span
from docqa.questions.question import Part
from docqa.search.passages import ScoredUnit
from docqa.text.words import stem

_WORD = re.compile(r"[^\W\d_]+")


def in_own_row(part: Part, text: str, units: Sequence[ScoredUnit], span: Span) -> Span:
    """The span of a passage with this text and these units; in the row above where only that has a word of the
    question, and has it behind the column of the span."""
    number = next((n for n, scored in enumerate(units) if scored.start <= span.start < scored.end), 0)
    row, above = units[number].unit, units[max(0, number - 1)].unit
    if row.kind != "row" or above.kind != "row" or row.group != above.group or row == above:
        return span
    cells = _cells(text, above.start, above.end)
    column = sum(end < span.start for _, end in _cells(text, row.start, row.end))
    named = _named(part, text, cells)
    here = _named(part, text, _cells(text, row.start, row.end))
    if column >= len(cells) or not here.keys() <= named.keys():
        return span
    only_above = [place for word, place in named.items() if word not in here]
    if not only_above or min(only_above) <= column:
        return span
    start, end = cells[column]
    return span._replace(start=start, end=end)


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where each cell of a row begins and ends in the text."""
    gaps = list(GAP.finditer(text, start, end))
    return list(zip([start, *(gap.end() for gap in gaps)], [*(gap.start() for gap in gaps), end], strict=True))


def _named(part: Part, text: str, cells: Sequence[tuple[int, int]]) -> Mapping[str, int]:
    """The stems of the question's words that stand in cells, each with the column of the first."""
    named: dict[str, int] = {}
    sought = {known for word, known in part.stems.items() if word.isalpha()}
    for column, (start, end) in enumerate(cells):
        for word in _WORD.findall(text[start:end]):
            if (known := stem(word)) in sought:
                named.setdefault(known, column)
    return named
