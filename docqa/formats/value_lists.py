"""Tables whose cells the text of a page no longer holds apart: lines of a label and a value with a single space
between, as text recognition writes them."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from docqa.formats.grid_cells import is_number, spaced_range

LEAST_LINES = 4
MOST_HEADS = 2
_LINE = re.compile(r"[^\n]+")
_LABEL = re.compile(r"[^\W\d_][^\d.:;?!|\t]{1,38}[^\W\d_)]")
_FIRST_DIGIT = re.compile(r"[$€£]?\d")
_LONGEST_HEAD = 40
_LONGEST_LINE = 80

Line = tuple[int, int, str, str]  # where it stands, its label and its value


def value_lists(text: str) -> Iterator[tuple[str, list[Line]]]:
    """(the lines right above that head it, its lines) of each list of four lines and more."""
    run: list[Line] = []
    heads: list[str] = []
    for match in _LINE.finditer(text):
        line = match.group().strip()
        if cells := _parted(line):
            run.append((match.start(), match.end(), *cells))
            continue
        if not line:
            continue
        yield from _whole(heads, run)
        if run:
            run, heads = [], []
        is_head = len(line) <= _LONGEST_HEAD and not line.endswith((".", ",", ";", ":")) and "\t" not in line
        heads = [*heads, line][-MOST_HEADS:] if is_head else []
    yield from _whole(heads, run)


def _parted(line: str) -> tuple[str, str] | None:
    """A label and the number, or range of numbers, after it; None for any other line."""
    if len(line) > _LONGEST_LINE or not (match := _FIRST_DIGIT.search(line)):
        return None
    label = line[: match.start()]
    if not label.endswith(" ") or not _LABEL.fullmatch(label.strip()):
        return None
    value = spaced_range(line[match.start() :])
    return (label.strip(), value) if is_number(value) else None


def _whole(heads: Sequence[str], run: list[Line]) -> Iterator[tuple[str, list[Line]]]:
    """The run, unless it is too short or a table of contents, whose numbers only grow."""
    if len(run) < LEAST_LINES:
        return
    values = [value for *_, value in run]
    if all(map(str.isdecimal, values)) and all(int(before) <= int(after) for before, after in pairwise(values)):
        return
    yield " ".join(heads), run
