"""A sheet as a page: its name, then its regions as lines, a row of a table each with its cells parted by tabs.

A sheet of more than SHEET characters is several pages; on each of them its table's column headings stand again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from docqa.errors import Unreadable
from docqa.formats.columns import Row, Table
from docqa.formats.pages import ExtractedPage, Reading
from docqa.formats.sheets.cells import Sheet
from docqa.formats.sheets.regions import Region, regions
from docqa.formats.sheets.stored import stored_table
from docqa.text.blocks import Block, BlockKind

SHEET = 200_000


def sheet_pages(sheets: Iterable[Sheet], reading: Reading) -> Iterator[ExtractedPage]:
    """The pages of these sheets. Raises Unreadable where none of them has a cell."""
    is_empty = True
    for sheet in sheets:
        is_empty = is_empty and not sheet.rows and not sheet.remarks
        yield from _pages(sheet, reading.tables)
    if is_empty:
        raise Unreadable("There is nothing on any sheet of the workbook.")


@dataclass
class _Page:
    """A page while it is written."""

    section: str
    text: list[str] = field(default_factory=list)
    size: int = 0
    blocks: list[Block] = field(default_factory=list)
    tables: list[tuple[int, int, int]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def add(self, line: str, kind: BlockKind, level: int = 0) -> None:
        """A line of this kind."""
        self.blocks.append(Block(kind, self.size, self.size + len(line), level))
        self.text.append(line + "\n")
        self.size += len(line) + 1

    def part(self) -> None:
        """A blank line."""
        self.text.append("\n")
        self.size += 1

    def extracted(self, is_first: bool) -> ExtractedPage:
        """The page as it is stored."""
        headings = ((0, self.section),) if is_first and self.section else ()
        return ExtractedPage(
            "".join(self.text).rstrip("\n"),
            self.section,
            headings,
            tables=tuple(self.tables),
            blocks=tuple(self.blocks),
            rows=tuple(self.rows),
        )


class _Writer:
    """Writes the lines of a sheet; `done` are the pages that are full."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._page = _Page(name)
        self._is_first = True
        self.done: list[ExtractedPage] = []
        if name:
            self._page.add(name, "heading", 1)
            self._page.part()

    def lines(self, lines: Sequence[str], kind: BlockKind) -> None:
        for line in lines:
            for start in range(0, len(line), SHEET):
                self._turn(len(line))
                self._page.add(line[start : start + SHEET], kind)

    def table(self, region: Region, number: int, rows: Sequence[tuple[str, str, str]]) -> None:
        """A table: its headings, and its rows with (values, cells, label above) of each as they are stored."""
        head = ["\t".join(cell.shown for cell in row).rstrip("\t") for row in region.rows[: region.heads]]
        start = self._begin(head)
        for row, stored in zip(region.rows[region.heads :], rows, strict=True):
            line = "\t".join(cell.shown for cell in row).rstrip("\t")
            if self._page.size + len(line) > SHEET and self._page.size > start[1]:
                self._end(start)
                self._turn(SHEET)
                start = self._begin(head)
            if any(stored[:2]):
                self._page.rows.append(Row(number, self._page.size, self._page.size + len(line), *stored))
            for at in range(0, len(line), SHEET):
                self._page.add(line[at : at + SHEET], "row")
        self._end(start)

    def part(self) -> None:
        self._page.part()

    def finish(self) -> list[ExtractedPage]:
        """All pages that have not been taken yet."""
        self.done.append(self._page.extracted(self._is_first))
        return self.done

    def _begin(self, head: Sequence[str]) -> tuple[int, int]:
        begin = self._page.size
        for line in head:
            self._page.add(line, "row", 1)
        return begin, self._page.size

    def _end(self, start: tuple[int, int]) -> None:
        if self._page.size > start[1]:
            self._page.tables.append((*start, self._page.size))

    def _turn(self, size: int) -> None:
        """Begin a new page where this one has no room for so many characters."""
        if self._page.size and self._page.size + size > SHEET:
            self.done.append(self._page.extracted(self._is_first))
            self._page, self._is_first = _Page(self._name), False


def _pages(sheet: Sheet, tables: list[Table]) -> Iterator[ExtractedPage]:
    writer = _Writer(sheet.name)
    for number, region in enumerate(regions(sheet)):
        if number:
            writer.part()
        writer.lines(region.above, "paragraph")
        if region.rows:
            table, rows = stored_table(region, sheet.name)
            writer.table(region, len(tables), rows)
            tables.append(table)
        writer.lines(region.below, "note" if region.rows else "paragraph")
        yield from writer.done
        writer.done.clear()
    if sheet.remarks:
        writer.part()
        writer.lines(sheet.remarks, "note")
    yield from writer.finish()
