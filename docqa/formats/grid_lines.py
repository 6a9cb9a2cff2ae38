"""The lines of a page's text as a table may have them: cells parted by tabs, by bars or by runs of spaces."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BAR = re.compile(r"\s*\|\s*")
GAP = re.compile(r"(?<=\S)(?: {2,}|\t+)(?=\S)")
_PARTED = re.compile(r"(\d[\d.,]* ?/)( {2,})(?=\d)")
_LONGEST = 300  # characters of a line whose cells runs of spaces part


@dataclass(frozen=True)
class Line:
    """A line [start, end) of a text with its cells; `mark` is what parts them: tab, bar, spaces; "" for a line of one
    cell, end after the last."""

    start: int
    end: int
    text: str
    mark: str
    cells: tuple[str, ...]


def lines_of(text: str) -> Iterator[Line]:
    """The lines of a text, each with its cells."""
    start = 0
    for line in text.split("\n"):
        yield _line(line, start)
        start += len(line) + 1


def _line(line: str, start: int) -> Line:
    end = start + len(line)
    stripped = line.strip()
    if "\t" in line.rstrip():
        mark, cells = "tab", tuple(cell.strip() for cell in line.rstrip().split("\t"))
    elif "|" in stripped[1:-1]:
        if stripped[-1] == "|" or line[0] == "|":  # drawn around the row; behind a space the first cell is empty
            stripped = stripped.removesuffix("|").removeprefix("|").strip()
        mark, cells = "bar", tuple(_BAR.split(stripped))
    elif "  " in stripped and len(stripped) < _LONGEST and GAP.search(stripped):
        line = _with_pairs(line)
        mark, cells = "spaces", tuple(part.strip() for part in GAP.split(line.strip()))
    else:
        mark, cells = "", (stripped,)
    return Line(start, end, line, mark, cells)


def _with_pairs(line: str) -> str:
    """The line with two numbers that a stroke parts near to each other, as far right as before: "19 /  48" is one cell
    in a column in which others have "32 / 104"."""
    return _PARTED.sub(lambda match: f"{' ' * (len(match[2]) - 1)}{match[1]} ", line)
