"""The tables of an OpenDocument text (OpenDocument 1.3 part 3, 9) → rows of a flow. Hidden rows are left out."""

from collections.abc import Callable, Iterator
from typing import Any

from docqa.formats.office.flow import Cell, Line, Row
from docqa.formats.office.nesting import DEEPEST
from docqa.formats.office.odt_story import TABLE, Story
from docqa.formats.office.odt_styles import TEXT

MOST_COLUMNS = 1_000
_GROUPS = {TABLE + name for name in ("table-rows", "table-row-group", "table-header-rows")}
_HIDDEN = ("collapse", "filter")

_Read = Callable[[Any], tuple[Cell, list[Line]]]


def read_table(table: Any, story: Story) -> None:
    """Read a table into the flow of its story."""
    bold: list[bool] = []

    def read_cell(node: Any) -> tuple[Cell, list[Line]]:
        inner = Story(story.document, is_body=story.is_body, is_note=story.is_note, is_cell=True, depth=story.depth + 1)
        lines = [line for line in inner.read(node) if line.text]
        return Cell(lines), inner.asides

    rows = list(table_rows(table, read_cell))
    for row in rows:
        lines = [line for cell in row.cells for line in cell.lines if line.text.strip("\f")]
        bold.append(bool(lines) and all(line.is_bold or line.kind == "heading" for line in lines))
    if len(rows) > 1 and not any(row.is_heading for row in rows):
        rows[0].is_heading = bold[0] and not any(bold[1:])
    story.flow.add_table(rows)


def table_rows(table: Any, read_cell: _Read) -> Iterator[Row]:
    """The rows of a table whose cells a function reads. A page break between two rows is one before the second."""
    page_begins = False
    for node, is_heading in _nodes(table, False, 0):
        if node.tag == TEXT + "soft-page-break":
            page_begins = True
            continue
        row = Row([], is_heading)
        for place, cell in enumerate(node):
            if cell.tag == TABLE + "covered-table-cell":
                row.cells.append(Cell([], _count(cell)))
            elif cell.tag == TABLE + "table-cell":
                content, asides = read_cell(cell)
                content.span = _count(cell)
                row.cells.append(content)
                row.asides += asides
            elif cell.tag == TEXT + "soft-page-break":
                page_begins = page_begins or place == 0
        first = next((line for cell in row.cells for line in cell.lines), None)
        if page_begins and first is not None:
            first.text = "\f" + first.text
            page_begins = False
        yield row


def _nodes(table: Any, is_heading: bool, depth: int) -> Iterator[tuple[Any, bool]]:
    """The rows of a table and the page breaks between them, with whether they are column headings."""
    for node in table:
        if node.tag in _GROUPS and depth < DEEPEST // 10:
            yield from _nodes(node, is_heading or node.tag == TABLE + "table-header-rows", depth + 1)
        elif node.tag == TEXT + "soft-page-break" or (
            node.tag == TABLE + "table-row" and node.get(TABLE + "visibility") not in _HIDDEN
        ):
            yield node, is_heading


def _count(cell: Any) -> int:
    """How many columns a cell repeats; its text is not repeated."""
    value = cell.get(TABLE + "number-columns-repeated", "1")
    return max(1, min(int(value[:9]), MOST_COLUMNS)) if value.isdecimal() else 1
