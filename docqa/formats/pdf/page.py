"""Rows in reading order → a page's text: paragraphs, tables, headings, edge lines; hyphenated words are rejoined."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from docqa.formats.pdf.layout import directions, paragraphs
from docqa.formats.pdf.table import PLACEHOLDER, Row, Table, columns_of_prose, table, tables

_EDGE = 0.12  # of the page's height, where headers and footers are
_BIGGER = 1.15  # a heading's size relative to the text around it
_LONGEST_HEADING = 120  # characters
_HYPHENS = "-\u00ad\u2010"
_BROKEN = re.compile(f"([^\\W\\d_]+)([{_HYPHENS}])\n([^\\W\\d_]\\S*)[ \n]?")
_CONJUNCTIONS = {
    "and",
    "or",
    "to",
    "und",
    "oder",
    "bis",
    "bzw.",
    "et",
    "ou",
    "y",
    "e",
    "o",
    "u",
    "en",
    "of",
    "och",
    "og",
}  # "pre- and postwar"
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_NO_WORD = re.compile(r"[\W\d_]")


@dataclass
class Edge:
    """A line near the page's upper or lower edge, or the first or last one: it may be a header or footer.

    `start` and `end` are offsets in the page's text; `keys` are set by running.py.
    """

    text: str
    start: int
    end: int
    upper: bool
    keys: list[str] = field(default_factory=list)


@dataclass
class Page:
    """A page's text and what is where in it.

    `headings` are (offset, title), `tables` (start, end of the column headings, end), `running` (start, end) of those
    `edges` that are headers and footers. `unread`: the page shows something, but has no text.
    """

    text: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    tables: list[tuple[int, int, int]] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    running: list[tuple[int, int]] = field(default_factory=list)
    unread: bool = False


def arrange(blocks: Iterable[dict[str, Any]], width: float, height: float, ruled: Sequence[Table] = ()) -> Page:
    """The page made of these blocks; arguments as for `layout.directions`. `ruled` are the tables whose placeholders
    stand in the blocks."""
    writer = _Writer(ruled)
    for rows, top, bottom in directions(blocks, width, height):
        writer.write_rows(rows, top, bottom)
    return writer.finish()


class _Writer:
    """Puts a page's text together and records what is where."""

    def __init__(self, ruled: Sequence[Table]) -> None:
        self.page = Page()
        self.ruled = {f"{PLACEHOLDER}{number}": table for number, table in enumerate(ruled)}
        self.parts: list[str] = []
        self.length = 0
        self.words: set[str] = set()
        self.parts_indexed = 0  # how many of the parts `words` covers

    def finish(self) -> Page:
        self.page.text = "".join(self.parts)
        return self.page

    def write(self, text: str) -> int:
        """Append a paragraph; returns its offset."""
        if self.parts:
            self.parts.append("\n\n")
            self.length += 2
        self.parts.append(text)
        self.length += len(text)
        return self.length - len(text)

    def write_rows(self, rows: Sequence[Row], top: float, bottom: float) -> None:
        """Write tables and paragraphs, and record the lines of paragraphs at the page's edges."""
        size = _usual_size(rows)
        margin = _EDGE * (bottom - top)
        upper = max(top + margin, min(row.bottom for row in rows))
        lower = min(bottom - margin, max(row.top for row in rows))
        done = 0
        for start, end in [*tables(rows), (len(rows), len(rows))]:
            for block in paragraphs(rows[done:start]):
                self._write_paragraph(block, size, upper, lower)
            if columns := columns_of_prose(rows[start:end]):
                for column in columns:
                    self._write_paragraph(column, size, upper, lower)
            elif start < end:
                self._write_table(table(rows[start:end]))
            done = end

    def _write_paragraph(self, rows: Sequence[Row], size: float, upper: float, lower: float) -> None:
        if rows[0].text in self.ruled:
            self._write_table(self.ruled[rows[0].text])
            rows = rows[1:]
            if not rows:
                return
        lines = [row.text for row in rows]
        text = "\n".join(lines)
        whole = self._without_hyphens(text)
        at = self.write(whole)
        if heading := _heading(rows, size):
            self.page.headings.append((at, heading))
        if whole != text:
            return  # headers and footers are not hyphenated
        for row, line in zip(rows, lines, strict=True):
            if row.bottom <= upper or row.top >= lower:
                self.page.edges.append(Edge(line, at, at + len(line), row.bottom <= upper))
            at += len(line) + 1

    def _without_hyphens(self, text: str) -> str:
        """Rejoin words hyphenated at a line's end, on the line where they begin.

        The hyphen stays if the hyphenated word occurs earlier on the page.
        """
        if not any(f"{hyphen}\n" in text for hyphen in _HYPHENS):
            return text
        for part in (*self.parts[self.parts_indexed :], text):
            self.words.update(word.casefold() for word in _WORD.findall(part))
        self.parts_indexed = len(self.parts)
        return _BROKEN.sub(self._whole, text).rstrip("\n")

    def _whole(self, broken: re.Match[str]) -> str:
        head, hyphen, tail = broken.groups()
        if tail.casefold() in _CONJUNCTIONS:
            return broken.group()
        with_hyphen = f"{head}{hyphen}{re.split(_NO_WORD, tail)[0]}".casefold()
        kept = hyphen != "\u00ad" and (tail[0].isupper() or with_hyphen in self.words)
        return f"{head}{hyphen if kept else ''}{tail}\n"

    def _write_table(self, content: Table) -> None:
        at = self.write("\n".join(content.lines))
        head = at + len("\n".join(content.lines[: content.head]))
        self.page.tables.append((at, head, self.length))


def _usual_size(rows: Sequence[Row]) -> float:
    sizes: Counter[float] = Counter()
    for row in rows:
        sizes[round(row.cells[0].size, 1)] += len(row.cells[0].text)
    return max(sizes, key=sizes.__getitem__)


def _heading(rows: Sequence[Row], size: float) -> str:
    """The larger or bold text that a paragraph begins with, if it is short and the rest is not like it; else ""."""
    loud = list(takewhile(lambda row: row.cells[0].bold or row.cells[0].size >= _BIGGER * size, rows[:4]))
    title = " ".join(row.text for row in loud)
    if len(loud) > 3 or len(title) > _LONGEST_HEADING or title.endswith((".", ",", ";")) and not title[:1].isdigit():
        return ""
    return title if any(map(str.isalpha, title)) else ""
