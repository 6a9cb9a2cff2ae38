"""What the readers of documents write to: paragraphs, list items, rows of tables and page breaks → pages with blocks.

A form feed in a text is where a page begins. A row's cells are joined by ` | `; one that pages part is a row on each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from docqa.formats.pages import LONGEST, ExtractedPage, clean, paginate
from docqa.text.blocks import Block, BlockKind
from docqa.text.titles import may_be_heading

BOLD = 6  # the level of headings that are only bold
LONGEST_TITLE = 200  # characters; a longer paragraph is not a heading, whatever its style
LONGEST_CELL = 2_000  # characters; a table with more in a cell only lays out its page
# Programs that write where pages end may fill one with small print.
LONGEST_SHEET = 10 * LONGEST


@dataclass
class Line:
    """A paragraph, an item, a row or a page break; `kind` is "paragraph" where no more is known of it."""

    text: str
    kind: BlockKind = "paragraph"
    level: int = 0
    is_bold: bool = False  # throughout

    @property
    def is_break(self) -> bool:
        """Whether it only begins a page."""
        return self.text == "\f"

    def block(self, start: int) -> Block | None:
        """What is known of it; None of plain paragraphs, which may be hard-wrapped, and of breaks."""
        end = start + len(self.text)
        if self.kind != "paragraph":
            return Block(self.kind, start, end, self.level)
        if self.is_bold and may_be_heading(" ".join(self.text.rstrip(":").split())):
            return Block("heading", start, end, BOLD)
        return None


@dataclass
class Cell:
    """A cell: its lines, and how many columns it spans."""

    lines: list[Line] = field(default_factory=list)
    span: int = 1

    @property
    def holds_rows(self) -> bool:
        """Whether another table is in it."""
        return any(line.kind == "row" for line in self.lines)

    @property
    def size(self) -> int:
        """Its characters."""
        return sum(len(line.text) for line in self.lines)


@dataclass
class Row:
    """A row of a table; `is_heading`: it holds the headings of the columns. `asides` are its notes."""

    cells: list[Cell]
    is_heading: bool = False
    asides: list[Line] = field(default_factory=list)

    def places(self) -> Iterator[tuple[int, Cell]]:
        """The cells with the number of the column that each begins in."""
        place = 0
        for cell in self.cells:
            yield place, cell
            place += cell.span


class Flow:
    """The lines of a text: the body of a document, a note, a cell, a text box."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._asides: list[Line] = []

    def add(self, line: Line) -> None:
        """A line, and after it what was set aside. Page breaks around its text are lines of their own."""
        text = _trimmed(line.text)
        inner = text.strip("\f")
        is_title = line.kind != "heading" or 0 < len(inner) <= LONGEST_TITLE
        self.lines += [Line("\f")] * (len(text) - len(text.lstrip("\f")))
        if inner or not text:
            self.lines.append(replace(line, text=inner) if is_title else Line(inner))
            self.lines += [Line("\f")] * (len(text) - len(text.rstrip("\f")))
        self.place_asides()

    def set_aside(self, lines: Sequence[Line]) -> None:
        """A note, comment or text box, which follows the paragraph or table that it is anchored in."""
        self._asides += lines

    @property
    def has_text(self) -> bool:
        """Whether anything has been written since the page began."""
        return bool(self.lines) and not self.lines[-1].is_break and any(line.text for line in self.lines)

    @property
    def pending(self) -> int:
        """How many lines have been set aside and wait for their place."""
        return len(self._asides)

    def place_asides(self) -> None:
        """Write what was set aside."""
        self.lines += self._asides
        self._asides = []

    def break_page(self) -> None:
        """Begin a page."""
        self.lines.append(Line("\f"))

    def add_table(self, rows: Sequence[Row]) -> None:
        """A table, and after it, or where a page ends, its notes.

        One that only lays out its page, or has a single column, is read cell by cell.
        """
        cells = [cell for row in rows for cell in row.cells]
        width = max((sum(cell.span for cell in row.cells) for row in rows), default=0)
        is_layout = width < 2 or any(cell.size > LONGEST_CELL for cell in cells)
        used = {place for row in rows for place, cell in row.places() if cell.size}
        for row in rows:
            if is_layout or any(cell.holds_rows for cell in row.cells):
                lines = [line for cell in row.cells for line in cell.lines]
            else:
                lines = list(_row_lines(row, sorted(used)))
            if lines and lines[0].is_break:
                self.place_asides()
            self.lines += lines
            self.set_aside(row.asides)
        self.place_asides()

    def closed(self) -> list[Line]:
        """The lines, with what was set aside at the end."""
        self.place_asides()
        return self.lines

    def pages(self, *, breaks_are_known: bool) -> Iterator[ExtractedPage]:
        """The pages: parts between page breaks, of about 3,000 characters where they are longer than pages are.

        `breaks_are_known`: the document says where each of its pages begins, not only where one must.
        """
        text, headings, blocks = _joined(self.closed())
        yield from paginate(text, headings, blocks, LONGEST_SHEET if breaks_are_known else LONGEST)


def _trimmed(text: str) -> str:
    """A text without the white space around it and around its page breaks."""
    return "\f".join(part.strip(" \t\n\r") for part in clean(text).split("\f"))


def _row_lines(row: Row, columns: Sequence[int]) -> Iterator[Line]:
    """A row, or what of it stands on each page; it begins on the later page if its first words stand there.

    `columns` are those in which any cell of the table has a text; where a merged one goes on, it is empty.
    """
    texts = {place: "\n".join(line.text for line in cell.lines) for place, cell in row.places()}
    first = next((text for text in texts.values() if text.strip(" \n\t")), "")
    if first.lstrip(" \n\t").startswith("\f"):
        yield Line("\f")
        texts = {place: text.lstrip(" \n\t").removeprefix("\f") for place, text in texts.items()}
    parts = [[" ".join(part.split()) for part in texts.get(place, "").split("\f")] for place in columns]
    for number, cells in enumerate(zip_longest(*parts, fillvalue="")):
        if number:
            yield Line("\f")
        filled = max((place for place, text in enumerate(cells, 1) if text), default=0)
        if filled:
            yield Line(" | ".join(cells[:filled]), "row", int(row.is_heading))


def _gap(before: Line, line: Line, between_paragraphs: str) -> str:
    """The line breaks between two lines."""
    if before.is_break or line.is_break:
        return ""
    kinds = {before.kind, line.kind}
    if kinds in ({"row"}, {"item"}):
        return "\n"
    return between_paragraphs if kinds == {"paragraph"} else "\n\n"


def _joined(lines: Sequence[Line]) -> tuple[str, list[tuple[int, str]], list[Block]]:
    """The text, (offset, title) of its headings, and what is known of its blocks.

    Blank lines separate paragraphs, or line breaks do if the author separated them by empty paragraphs.
    """
    empty = sum(not line.text for line in lines)
    gap = "\n" if empty * 5 >= len(lines) else "\n\n"
    parts: list[str] = []
    headings: list[tuple[int, str]] = []
    blocks: list[Block] = []
    size, before, skipped = 0, Line("\f"), False
    for line in lines:
        if not line.text:
            skipped = True
            continue
        between = _gap(before, line, "\n\n" if skipped else gap)
        start = size + len(between)
        if line.kind == "heading":
            headings.append((start, " ".join(line.text.split())))
        if block := line.block(start):
            blocks.append(block)
        parts += [between, line.text]
        size += len(between) + len(line.text)
        before, skipped = line, False
    return "".join(parts), headings, blocks
