"""Rows in reading order → a page's text: paragraphs, tables, headings, edge lines; hyphenated words are rejoined."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from docqa.formats.grids import Grid
from docqa.formats.pdf.layout import directions, paragraphs
from docqa.formats.pdf.parts import Usual, goes_on_below, parts
from docqa.formats.pdf.rows import PLACEHOLDER, Row
from docqa.formats.pdf.table import Table, columns_of_prose, table, tables
from docqa.formats.pdf.terms import Placed, terms
from docqa.languages import every_word
from docqa.text.blocks import Block, BlockKind
from docqa.text.marks import item_mark
from docqa.text.titles import TERM

_EDGE = 0.12  # of the page's height, where headers and footers are
_BOLD = 4  # the level of headings that are bold and no larger than the text
_HYPHENS = "-\u00ad\u2010"
_BROKEN = re.compile(f"([^\\W\\d_]+)([{_HYPHENS}])\n([^\\W\\d_]\\S*)[ \n]?")
_CONJUNCTIONS = every_word("text.conjunctions")  # "pre- and postwar"
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
    `edges` that are headers and footers, `part` the title among them of a part of the document, "" if there is none.
    `blocks` are those of its paragraphs, as far as their place and font show them. `unread`: the page shows something,
    but has no text. `pictures`: how many large pictures are beside it. `grids` are the tables in its text.
    """

    text: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    tables: list[tuple[int, int, int]] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    running: list[tuple[int, int]] = field(default_factory=list)
    part: str = ""
    blocks: list[Block] = field(default_factory=list)
    unread: bool = False
    pictures: int = 0
    grids: list[Grid] = field(default_factory=list)

    def is_running(self, place: int) -> bool:
        """Whether a header or footer stands at this offset."""
        return any(start <= place < end for start, end in self.running)


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
        self.last_row: Row | None = None  # of the paragraph before, if nothing has been written after it
        self.last_heading: Row | None = None  # the last row of a heading, if nothing has been written after it
        self.placed: list[Placed] = []  # the paragraphs among the blocks
        self.parts_indexed = 0  # how many of the parts `words` covers

    def finish(self) -> Page:
        for place in terms(self.placed):
            self.page.blocks[place] = self.page.blocks[place]._replace(kind="heading", level=TERM)
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
        usual = Usual.of([row for row in rows if not row.is_placeholder] or rows, top, bottom)
        margin = _EDGE * (bottom - top)
        upper = max(top + margin, min(row.bottom for row in rows))
        lower = min(bottom - margin, max(row.top for row in rows))
        done = 0
        for start, end in [*tables(rows), (len(rows), len(rows))]:
            for block in paragraphs(rows[done:start]):
                self._write_paragraph(block, usual, upper, lower)
            if columns := columns_of_prose(rows[start:end]):
                for column in columns:
                    self._write_paragraph(column, usual, upper, lower)
            elif start < end:
                self._write_table(table(rows[start:end]))
            done = end

    def _write_paragraph(self, rows: Sequence[Row], usual: Usual, upper: float, lower: float) -> None:
        if rows[0].text in self.ruled:
            self._write_table(self.ruled[rows[0].text])
            rows = rows[1:]
            if not rows:
                return
        lines = [row.text for row in rows]
        text = "\n".join(lines)
        whole = self._without_hyphens(text)
        at = self.write(whole)
        self._record_parts(rows, usual, whole, at)
        if whole != text:
            return  # headers and footers are not hyphenated
        for row, line in zip(rows, lines, strict=True):
            if row.bottom <= upper or row.top >= lower:
                self.page.edges.append(Edge(line, at, at + len(line), row.bottom <= upper))
            at += len(line) + 1

    def _record_parts(self, rows: Sequence[Row], usual: Usual, text: str, at: int) -> None:
        """Record the headings and blocks of a paragraph, which was written at this offset."""
        lines = text.split("\n")
        before, self.last_row = self.last_row, rows[-1]
        if len(lines) != len(rows):  # a rejoined word was the whole of a line
            self.page.blocks.append(Block("paragraph", at, at + len(text)))
            return
        starts = [at]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        for part in parts(rows, usual):
            start, end = starts[part.first], starts[part.last] - 1
            if part.level and self._goes_on(rows[part.first], part.level):
                self.page.blocks[-1] = self.page.blocks[-1]._replace(end=end)
                place, title = self.page.headings[-1]
                self.page.headings[-1] = place, f"{title} {' '.join(lines[part.first : part.last])}"
                continue
            self.last_heading = rows[part.last - 1] if part.level else None
            if before and part.first == 0 and self._is_text() and goes_on_below(before, rows[0], usual):
                self.page.blocks[-1] = self.page.blocks[-1]._replace(end=end)
                if self.placed and self.placed[-1].place == len(self.page.blocks) - 1:
                    self.placed[-1] = Placed(self.placed[-1].place, [*self.placed[-1].rows, *rows[: part.last]])
                continue
            kind: BlockKind = "heading" if part.level else "note" if part.is_note else "paragraph"
            self.page.blocks.append(Block(kind, start, end, part.level))
            if kind == "paragraph":
                self.placed.append(Placed(len(self.page.blocks) - 1, rows[part.first : part.last]))
            if part.level:
                self.page.headings.append((start, " ".join(lines[part.first : part.last])))

    def _is_text(self) -> bool:
        return bool(self.page.blocks) and self.page.blocks[-1].kind == "paragraph"

    def _goes_on(self, row: Row, level: int) -> bool:
        """Whether a row goes on with the heading above it: right below it, in the same size, and not numbered."""
        above = self.last_heading
        if above is None or not self.page.blocks or self.page.blocks[-1].level != level or item_mark(row.text):
            return False
        height = row.bottom - row.top
        same = abs(above.cells[0].size - row.cells[0].size) < 0.5 and above.cells[0].bold == row.cells[0].bold
        return same and level < _BOLD and -height < row.top - above.bottom < height / 2

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
        self.last_heading = self.last_row = None
        at = self.write("\n".join(content.lines))
        head = at + len("\n".join(content.lines[: content.head]))
        self.page.tables.append((at, head, self.length))
