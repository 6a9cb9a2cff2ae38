"""The tables of a .docx (ECMA-376 part 1, 17.4) → rows of a flow. Deleted and hidden rows are left out."""

from collections.abc import Iterator
from typing import Any

from docqa.formats.office.docx_story import Story
from docqa.formats.office.docx_styles import W, attribute, is_on
from docqa.formats.office.drawing import MC
from docqa.formats.office.flow import Cell, Row

MOST_COLUMNS = 63  # as many as Word has
_DELETED = ("del", "moveFrom")
_FIRST_ROW = 0x20  # of a table's look (17.4.55)


def read_table(table: Any, story: Story) -> None:
    """Read a table into the flow of its story."""
    rows: list[Row] = []
    bold: list[bool] = []
    for node in _members(table, W + "tr"):
        properties = node.find(W + "trPr")
        if properties is not None and any(_switch(properties, name) for name in (*_DELETED, "hidden")):
            continue
        row, is_bold = _row(node, properties, story)
        row.is_heading = properties is not None and _switch(properties, "tblHeader")
        rows.append(row)
        bold.append(is_bold)
    if len(rows) > 1 and not any(row.is_heading for row in rows):
        rows[0].is_heading = _looks_headed(table, story) or bold[0] and not any(bold[1:])
    story.flow.add_table(rows)


def _members(container: Any, tag: str, depth: int = 0) -> Iterator[Any]:
    """The rows of a table or the cells of a row, which content controls and changes may stand around."""
    for node in container:
        if node.tag == tag:
            yield node
        elif node.tag in (W + "sdt", W + "sdtContent", W + "ins", W + "moveTo", W + "customXml") and depth < 20:
            yield from _members(node, tag, depth + 1)
        elif node.tag == MC + "AlternateContent" and len(node) and depth < 20:
            yield from _members(node[0], tag, depth + 1)


def _row(node: Any, properties: Any, story: Story) -> tuple[Row, bool]:
    """A row, and whether all of its words are bold."""
    before = 0 if properties is None else _count(attribute(properties, "gridBefore"), 0)
    row = Row([Cell() for _ in range(before)])
    is_bold = True
    for cell in _members(node, W + "tc"):
        own = cell.find(W + "tcPr")
        if own is not None and own.find(W + "cellDel") is not None:
            continue
        span = 1 if own is None else max(1, _count(attribute(own, "gridSpan"), 1))
        if own is not None and any(_goes_on(own, name) for name in ("vMerge", "hMerge")):
            row.cells.append(Cell([], span))
            continue
        inner = Story(
            story.document,
            story.part,
            story.fields,
            is_body=story.is_body,
            is_note=story.is_note,
            is_cell=True,
            depth=story.depth + 1,
        )
        lines = inner.read(cell)
        row.cells.append(Cell([line for line in lines if line.text], span))
        row.asides += inner.asides
        is_bold = is_bold and all(line.is_bold or line.kind == "heading" for line in lines if line.text.strip("\f"))
    return row, is_bold and any(cell.size for cell in row.cells)


def _looks_headed(table: Any, story: Story) -> bool:
    """Whether the style of the table sets its first row apart, and the table follows it there."""
    properties = table.find(W + "tblPr")
    look = None if properties is None else properties.find(W + "tblLook")
    if look is None or not story.document.styles.look(attribute(properties, "tblStyle")).marks_head:
        return False
    flags = look.get(W + "val", "")
    if look.get(W + "firstRow") is not None:
        return is_on(look.get(W + "firstRow"))
    try:
        return bool(int(flags, 16) & _FIRST_ROW)
    except ValueError:
        return False


def _goes_on(properties: Any, name: str) -> bool:
    """Whether a cell is only a further part of the one above it or on its left."""
    merge = properties.find(W + name)
    return merge is not None and merge.get(W + "val", "continue") == "continue"


def _switch(properties: Any, name: str) -> bool:
    node = properties.find(W + name)
    return node is not None and is_on(node.get(W + "val"))


def _count(value: str, default: int) -> int:
    return min(int(value[:9]), MOST_COLUMNS) if value.isdecimal() else default
