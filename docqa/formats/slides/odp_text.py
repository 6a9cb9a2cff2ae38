"""The paragraphs, lists and tables of OpenDocument (part 3, chapters 5, 6 and 9) → lines of a slide."""

from collections.abc import Collection, Iterator
from typing import Any

from docqa.formats.slides.deck import Line

TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
XLINK = "{http://www.w3.org/1999/xlink}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"

_PARAGRAPHS = (TEXT + "p", TEXT + "h")
_ITEMS, _LIST = (TEXT + "list-item", TEXT + "list-header"), TEXT + "list"
_ROWS = (TABLE + "table-header-rows", TABLE + "table-rows", TABLE + "table-row-group")
_CELLS = (TABLE + "table-cell", TABLE + "covered-table-cell")
# What is not the text: marks of authors, what was deleted, numbers that only the show knows.
_LEFT_OUT = {
    _OFFICE + "annotation",
    TEXT + "tracked-changes",
    TEXT + "hidden-text",
    TEXT + "hidden-paragraph",
    TEXT + "page-number",
    TEXT + "note-citation",
    TEXT + "ruby-text",
}
_MOST_SPACES = 100  # of a text:s, which may claim any number
_MOST_COLUMNS = 1_000


def lines(element: Any, hidden: Collection[str], is_body: bool = False) -> list[Line]:
    """The paragraphs and list items below an element; `hidden` are the styles whose text is not shown, `is_body`: a
    list with a single paragraph is none."""
    collected = [line for line in _lines(element, hidden, 0) if line.text.strip()]
    if is_body and len(collected) == 1:
        return [collected[0]._replace(kind="paragraph", level=0)]
    return collected


def _lines(element: Any, hidden: Collection[str], level: int) -> Iterator[Line]:
    for child in element:
        if child.tag in _PARAGRAPHS:
            if child.get(TEXT + "style-name", "") not in hidden:
                text = words(child, hidden)
                yield Line(text, "item", level) if level else Line(text)
        elif child.tag == _LIST:
            for item in child.iterchildren(*_ITEMS):
                yield from _lines(item, hidden, level + 1)
        elif child.tag == TEXT + "section":
            yield from _lines(child, hidden, level)


def words(element: Any, hidden: Collection[str] = ()) -> str:
    """The text of a paragraph, or of paragraphs one below the other, without what is not shown."""
    paragraphs = [element] if element.tag in _PARAGRAPHS else list(element.iter(*_PARAGRAPHS)) or [element]
    return "\n".join("".join(_runs(paragraph, hidden)) for paragraph in paragraphs)


def _runs(node: Any, hidden: Collection[str]) -> Iterator[str]:
    yield _folded(node.text)
    for child in node:
        if not isinstance(child.tag, str) or child.tag in _LEFT_OUT:
            pass
        elif child.tag == TEXT + "s":
            count = child.get(TEXT + "c", "1")
            yield " " * min(_MOST_SPACES, int(count) if count.isdecimal() else 1)
        elif child.tag == TEXT + "tab":
            yield "\t"
        elif child.tag == TEXT + "line-break":
            yield "\n"
        elif child.get(TEXT + "style-name", "") not in hidden:
            yield from _runs(child, hidden)
        yield _folded(child.tail)


def _folded(text: str | None) -> str:
    """White space as ODF counts it (part 3, 6.1.2): any run of it is a space."""
    if not text:
        return ""
    inner = " ".join(text.split())
    return f"{' ' * text[0].isspace()}{inner}{' ' * (text[-1].isspace() and bool(inner))}"


def table_lines(table: Any, hidden: Collection[str], head: bool) -> list[Line]:
    """One row per line; a merged cell has its text at its first position. `head`: the first row holds the headings."""
    rows = []
    for row in _rows(table):
        cells: list[str] = []
        for cell in row.iterchildren(*_CELLS):
            text = "" if cell.tag == _CELLS[1] else " ".join(words(cell, hidden).split()) if len(cell) else ""
            repeated = cell.get(TABLE + "number-columns-repeated", "1")
            cells += [text] * min(int(repeated) if repeated.isdecimal() else 1, max(0, _MOST_COLUMNS - len(cells)))
        while cells and not cells[-1]:
            cells.pop()
        rows.append(" | ".join(cells))
    return [Line(row, "row", int(head and place == 0)) for place, row in enumerate(rows) if row]


def _rows(table: Any) -> Iterator[Any]:
    for child in table:
        if child.tag in _ROWS:
            yield from _rows(child)
        elif child.tag == TABLE + "table-row":
            yield child
