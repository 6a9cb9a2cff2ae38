"""A flow of RTF paragraphs, list items and tables → text. A row's cells are joined by ` | `; layout tables are lines.

Columns are not tracked: cells that span several of them are followed by empty ones.
"""

from dataclasses import dataclass, field
from enum import Enum

from docqa.formats.pages import clean
from docqa.text.blocks import Block
from docqa.text.titles import may_be_heading

DEEPEST_TABLE = 20
BOLD = 6  # the level of headings that are only bold
LONGEST_TITLE = 200  # characters; a longer paragraph is not a heading, whatever its style


class _Kind(Enum):
    PARAGRAPH = "with a blank line before and after"
    ITEM = "of a list"
    ROW = "of a table"
    BREAK = "a form feed"


@dataclass
class _Line:
    text: str
    kind: _Kind = _Kind.PARAGRAPH
    heading: int = 0  # its level, from 1; 0 if it is none
    item: int = 0  # the level of a list item
    is_note: bool = False
    is_bold: bool = False  # throughout, and short: a heading in all but name

    def gap_after(self, line: "_Line", between_paragraphs: str) -> str:
        """The line breaks between a line and this one."""
        if line.kind is _Kind.BREAK:
            return ""
        if line.kind is not self.kind or line.heading or self.heading:
            return "\n\n"
        return between_paragraphs if self.kind is _Kind.PARAGRAPH else "\n"


@dataclass
class _Row:
    """A row while it is read; its cells are lists of paragraphs."""

    cells: list[list[str]] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)
    holds_rows: bool = False

    def end_cell(self) -> None:
        self.cells.append(self.paragraphs)
        self.paragraphs = []

    def text(self) -> str:
        if self.paragraphs:
            self.end_cell()
        if self.holds_rows or len(self.cells) == 1:
            return "\n".join(paragraph for cell in self.cells for paragraph in cell)
        while self.cells and not self.cells[-1]:
            self.cells.pop()
        return " | ".join(" ".join(" ".join(cell).split("\n")) for cell in self.cells)


@dataclass(frozen=True)
class Flow:
    """The text of a story, (offset, title) of its headings, and what is known of its blocks."""

    text: str
    headings: list[tuple[int, str]]
    blocks: list[Block]


class Story:
    """The body, a note, a header or a text box. Nesting levels of tables count from 1; level 0 is outside of tables."""

    def __init__(self) -> None:
        self._lines: list[_Line] = []
        self._words: list[str] = []
        self._is_item = False
        self._bold = 0  # characters of the paragraph that are bold
        self._asides: list[_Line] = []
        self._rows: list[_Row] = []
        self._page_is_blank = True

    def write(self, text: str, *, is_bold: bool = False) -> None:
        """Add text to the paragraph."""
        self._words.append(text)
        self._bold += is_bold * len("".join(text.split()))

    def write_label(self, text: str) -> None:
        """The bullet or number of a list item, which begins the paragraph."""
        self._is_item = True
        self._words.append(text + " ")

    def set_aside(self, text: str, is_note: bool = False) -> None:
        """A note or text box, placed after the paragraph or table that it is anchored in."""
        if text:
            self._asides.append(_Line(text, is_note=is_note))

    def end_paragraph(self, level: int = 0, heading: int = 0, item: int = 0) -> None:
        """End the paragraph, which is in a table of this nesting level or outside of tables (0).

        `heading` is its level if it is one, `item` that of the list that it belongs to, from 1.
        """
        text = clean("".join(self._words)).strip(" \t\n")
        self._words.clear()
        is_bold, self._bold = 0 < len("".join(text.split())) <= self._bold, 0
        is_item, self._is_item = self._is_item, False
        self._open(level)
        if level == 0:
            kind = _Kind.ITEM if is_item else _Kind.PARAGRAPH
            heading = heading if 0 < len(text) <= LONGEST_TITLE else 0
            line = _Line(text, kind, heading, 0 if heading else max(item, int(is_item)))
            line.is_bold = is_bold and not line.item and may_be_heading(" ".join(text.rstrip(":").split()))
            self._put(line)
            self._put_asides()
        elif text:
            self._rows[-1].paragraphs.append(text)

    def end_cell(self, level: int) -> None:
        """End the cell of a table of this nesting level, with its paragraph."""
        self.end_paragraph(max(1, level))
        self._rows[-1].end_cell()

    def end_row(self, level: int) -> None:
        """End the row of a table of this nesting level, with rows of tables nested in it."""
        if "".join(self._words).strip():
            self.end_cell(level)
        while len(self._rows) >= max(1, level):
            self._close_row()

    def add_paragraph(self, text: str) -> None:
        """A paragraph outside of the flow, placed between two paragraphs of it."""
        if self.is_between:
            self._put(_Line(text))
        else:
            self.set_aside(text)

    @property
    def is_between(self) -> bool:
        """Whether no paragraph or table has begun."""
        return not self._words and not self._rows

    def end_flow(self) -> None:
        """End the paragraph and the rows that have begun."""
        if self._words:
            self.end_paragraph()
        self._open(0)
        self._put_asides()

    def break_page(self) -> None:
        """A page break, unless nothing has been written."""
        self.end_flow()
        if self._lines:
            self._put(_Line("\f", _Kind.BREAK))

    def starts_page(self) -> bool:
        """Whether nothing has been written since the last page break."""
        return self._page_is_blank and self.is_between

    def close(self) -> Flow:
        """The text, with what is known of it."""
        self.end_flow()
        return self._joined()

    def _open(self, level: int) -> None:
        """Open rows down to this nesting level, and close unended ones below it."""
        level = min(level, DEEPEST_TABLE)
        while len(self._rows) > level:
            self._close_row()
        while len(self._rows) < level:
            self._rows.append(_Row())

    def _close_row(self) -> None:
        text = self._rows.pop().text()
        if self._rows:
            self._rows[-1].paragraphs += [text] if text else []
            self._rows[-1].holds_rows = True
            return
        if text:
            self._put(_Line(text, _Kind.ROW))
        self._put_asides()

    def _put_asides(self) -> None:
        for line in self._asides:
            self._put(line)
        self._asides.clear()

    def _put(self, line: _Line) -> None:
        self._lines.append(line)
        self._page_is_blank = line.kind is _Kind.BREAK or (self._page_is_blank and not line.text)

    def _joined(self) -> Flow:
        """Paragraphs separated by blank lines; or by line breaks, if the author separated them by empty paragraphs."""
        empty = sum(not line.text for line in self._lines)
        gap = "\n" if empty * 5 >= len(self._lines) else "\n\n"
        parts: list[str] = []
        headings: list[tuple[int, str]] = []
        blocks: list[Block] = []
        size, before, skipped = 0, _Line("", _Kind.BREAK), False
        for line in self._lines:
            if not line.text:
                skipped = True
                continue
            between = "\n\n" if skipped and before.kind is not _Kind.BREAK else line.gap_after(before, gap)
            start = size + len(between)
            if line.heading:
                headings.append((start, " ".join(line.text.split())))
            if block := _block(line, start):
                blocks.append(block)
            parts += [between, line.text]
            size += len(between) + len(line.text)
            before, skipped = line, False
        return Flow("".join(parts), headings, blocks)


def _block(line: _Line, start: int) -> Block | None:
    """What is known of a line; None of plain paragraphs, which may be hard-wrapped, and of layout tables."""
    end = start + len(line.text)
    if line.heading:
        return Block("heading", start, end, line.heading)
    if line.is_bold:
        return Block("heading", start, end, BOLD)
    if line.item:
        return Block("item", start, end, line.item)
    if line.is_note:
        return Block("note", start, end)
    if line.kind is _Kind.ROW and " | " in line.text and "\n" not in line.text:
        return Block("row", start, end)
    return None
