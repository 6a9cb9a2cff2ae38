"""Collects the text of a page's elements as lines and paragraphs. It knows names of elements, not trees or parsers."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from docqa.text.blocks import Block, BlockKind
from docqa.text.titles import TERM, may_be_heading, may_be_term

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
CELLS = frozenset({"td", "th"})
_SPACES = re.compile(r"[ \t\r\n\f]+")
_PARAGRAPHS = {
    *HEADINGS, "p", "div", "section", "article", "main", "header", "footer", "aside", "nav", "blockquote", "figure",
    "figcaption", "pre", "listing", "ul", "ol", "dl", "menu", "dir", "table", "form", "fieldset", "address",
    "details", "summary", "hr", "body", "center", "dialog", "search", "hgroup",
}  # fmt: skip
_LINES = {*CELLS, "li", "dt", "dd", "tr", "br", "caption", "legend", "title", "button"}
_PREFORMATTED = {"pre", "listing"}
_LISTS = {"ul", "ol", "menu", "dir"}
_CAPTIONS = {"figcaption", "caption"}
_TERMS = {"dt", "summary", "legend", "button"}  # they head what follows
_BOLD = {"b", "strong"}
_DECIDING = {"li", "dd", *_CAPTIONS, *_TERMS}


@dataclass
class Prose:
    """Text, (offset, title) of its headings, its blocks, and the offset of the element of each id."""

    text: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)


class _Open(NamedTuple):
    """An element that decides which kind its text is of."""

    name: str
    is_note: bool


class Writer:
    """Takes elements and texts in document order; merges breaks, and collapses white space except in <pre>."""

    def __init__(self) -> None:
        self.result = Prose()
        self.parts: list[str] = []
        self.length = 0
        self.line: list[str] = []
        self.width = 0
        # How many parts of the line count: only separators of empty cells follow the last part with text.
        self.filled = 0
        self.ids: list[tuple[str, int]] = []
        self.breaks = 0
        self.preformatted = 0
        # Open elements whose text is a single line whatever is in them: a heading, or a row of a table and its cells.
        self.joined: list[str] = []
        self.columns = 0
        self.opened: list[_Open] = []
        self.lists = 0
        self.heads = self.cells = 0  # column headings and cells of the row
        self.bold = self.bold_width = 0
        self.item = -1  # the place among the blocks of the list item that is open, if nothing came after its text

    def anchor(self, name: str) -> None:
        """The target of links to `name` is the next text."""
        self.ids.append((name, self.width))

    def open(self, name: str, text: str | None, is_row: bool = False, columns: int = 1, is_note: bool = False) -> None:
        """An element begins, with its text; `is_row` makes it a single line, `columns` is a cell's span in a row, and
        `is_note` says that it holds footnotes."""
        if name == "br" and self.preformatted:
            self._append("\n")
        else:
            self._break(name)
        if is_row or name in HEADINGS or name in self.joined:
            self.joined.append(name)
        if name in _DECIDING or is_note or self.opened and self.opened[-1].name == name:
            self.opened.append(_Open(name, is_note))
            self.item = -1 if name == "li" else self.item
        if is_row:
            self.heads = self.cells = 0
        self.lists += name in _LISTS
        self.bold += name in _BOLD
        self.heads += name == "th"
        self.cells += name in CELLS
        if name in _PREFORMATTED:
            self.preformatted += 1
        if name in CELLS and self.joined:
            for _ in range(self.columns):
                self._append("| " if not self.line or self.line[-1].endswith(" ") else " | ")
            self.columns = columns
        self.write(text)

    def write(self, text: str | None) -> None:
        """Add text."""
        if not text:
            return
        if not self.preformatted:
            text = _SPACES.sub(" ", text)
            if not self.line or self.line[-1].endswith(" "):
                text = text.lstrip(" ")
        if text:
            self._append(text)
        if text.strip():
            self.filled = len(self.line)

    def close(self, name: str) -> None:
        """An element ends."""
        ends_row = self.joined == [name] and name == "tr"
        if self.joined and self.joined[-1] == name:
            self.joined.pop()
            self.columns = 0
        if name in HEADINGS and not self.joined:
            self._flush(int(name[1]))
        if ends_row:
            self._flush(is_row=True)
        if name != "br":
            self._break(name)
        if self.opened and self.opened[-1].name == name:
            self.opened.pop()
            self.item = -1 if name == "li" else self.item
        self.lists -= name in _LISTS
        self.bold -= name in _BOLD
        if name in _PREFORMATTED:
            self.preformatted -= 1

    def finish(self) -> Prose:
        """Everything written so far."""
        self._flush()
        self._place_ids(self.length, 0)
        self.result.text = "".join(self.parts)
        return self.result

    def _append(self, text: str) -> None:
        self.line.append(text)
        self.width += len(text)
        self.bold_width += len(text.strip()) if self.bold else 0

    def _break(self, name: str) -> None:
        breaks = 2 if name in _PARAGRAPHS else 1 if name in _LINES else 0
        if breaks and self.joined:
            self.write(" ")
        elif breaks:
            self._flush()
            self.breaks = max(self.breaks, breaks)

    def _flush(self, heading: int = 0, is_row: bool = False) -> None:
        line = "".join(self.line[: self.filled])
        start = len(line) - len(line.lstrip("\n" if self.preformatted else " "))
        line = line[start:].rstrip(" \n")
        if is_row and self.heads < self.cells and line.startswith("|"):
            line = f" {line}"  # its first cell is empty
        is_bold = 0 < len(line) <= self.bold_width + line.count(" ")
        self.line, self.width, self.filled, self.bold_width = [], 0, 0, 0
        if not line.strip():
            self.ids = [(name, 0) for name, _ in self.ids]
            return
        if self.parts:
            self._put("\n" * max(self.breaks, 1))
        self._place_ids(self.length, start)
        if heading:
            self.result.headings.append((self.length, line))
        self._record(line, heading, is_row=is_row, is_bold=is_bold)
        self._put(line)
        self.breaks = 0

    def _record(self, line: str, heading: int, *, is_row: bool, is_bold: bool) -> None:
        """Record the block of a line that is about to be put; what goes on with a list item belongs to it. What is
        preformatted is laid out in lines, which show what it is."""
        if self.preformatted:
            return
        blocks, end = self.result.blocks, self.length + len(line)
        within = self.opened[-1].name if self.opened else ""
        kind: BlockKind = "paragraph"
        level = 0
        if heading:
            kind, level = "heading", heading
        elif is_row:
            kind, level = "row", int(self.heads == self.cells)
        elif any(opened.is_note for opened in self.opened):
            kind = "note"
        elif within in _CAPTIONS:
            kind = "caption"
        elif within == "li" and self.item == len(blocks) - 1 >= 0:
            blocks[-1] = blocks[-1]._replace(end=end)
            return
        elif within == "li" and self.item < 0:
            kind, level, self.item = "item", max(1, self.lists), len(blocks)
        elif within in _TERMS and may_be_term(line) or is_bold and within != "li" and may_be_heading(line.rstrip(":?")):
            kind, level = "heading", TERM
        blocks.append(Block(kind, self.length, end, level))

    def _place_ids(self, at: int, stripped: int) -> None:
        for name, column in self.ids:
            self.result.anchors.setdefault(name, at + max(0, column - stripped))
        self.ids = []

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)
