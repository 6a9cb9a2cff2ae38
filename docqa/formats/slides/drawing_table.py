"""A table of a slide on a canvas: its columns as wide as they are given, its rows as high as their texts need."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from docqa.formats.office.drawing import A
from docqa.formats.pdf.canvas import Box, Colour
from docqa.formats.slides.drawing_text import EMU, number_of, text_html

if TYPE_CHECKING:
    from docqa.formats.slides.drawing_shapes import Painter

_TRUE = ("1", "true")
_MOST_CELLS = 4000
_PADDING = {"marL": 91_440.0, "marT": 45_720.0, "marR": 91_440.0, "marB": 45_720.0}  # EMU
_LINE: Colour = (0.8, 0.8, 0.8)
_PLAIN = (
    "{2D5ABB26-0587-4C30-8999-92F81FD0307C}",
    "{5940675A-B579-460E-94D1-54222C63F5DA}",
    "",
)  # styles without colours
_BANDS = 0.4, 0.2  # how much of the accent the rows have, in turn
_WHITE: Colour = (1.0, 1.0, 1.0)


def paint_table(painter: "Painter", table: Any, box: Box) -> None:
    """Draw a table (21.1.3.13) from the left top of a box."""
    widths = [number_of(column.get("w"), 0) / EMU for column in table.iterfind(f"{A}tblGrid/{A}gridCol")]
    rows = list(table.iterfind(A + "tr"))
    if not widths or len(widths) * len(rows) > _MOST_CELLS:
        return
    properties = table.find(A + "tblPr")
    style = "" if properties is None else "".join(properties.xpath("string(*[local-name() = 'tableStyleId'])")).strip()
    is_styled = style not in _PLAIN
    has_head = properties is not None and properties.get("firstRow") in _TRUE
    texts: dict[tuple[int, int], str] = {}
    heights = []
    for number, row in enumerate(rows):
        is_head = is_styled and has_head and number == 0
        height = number_of(row.get("h"), 0) / EMU
        for place, cell in enumerate(row.iterfind(A + "tc")):
            body = cell.find(A + "txBody")
            if body is None or place >= len(widths) or _TRUE[0] in (cell.get("hMerge"), cell.get("vMerge")):
                continue
            look = painter.look(None, (), _WHITE if is_head else None, is_head)
            texts[number, place] = written = text_html(body, look, painter.number)
            if written and cell.get("rowSpan", "1") == "1":
                left, top, right, bottom = _padding(cell)
                wide = sum(widths[place : place + _span(cell, "gridSpan")]) - left - right
                height = max(height, painter.canvas.height_of(written, wide) + top + bottom)
        heights.append(height)
    accent = painter.palette.named("accent1")
    for number, row in enumerate(rows):
        for place, cell in enumerate(row.iterfind(A + "tc")):
            if (number, place) not in texts:
                continue
            left, top = box[0] + sum(widths[:place]), box[1] + sum(heights[:number])
            right = left + sum(widths[place : place + _span(cell, "gridSpan")])
            bottom = top + sum(heights[number : number + _span(cell, "rowSpan")])
            fill = painter.palette.fill(cell.find(A + "tcPr")) or (
                _of_style(accent, number - has_head, has_head) if is_styled else None
            )
            path = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
            painter.canvas.outline([path], fill, _WHITE if is_styled else _LINE, 1.0)
            if written := texts[number, place]:
                _set(painter, written, (left, top, right, bottom), cell)


def _of_style(accent: Colour | None, number: int, has_head: bool) -> Colour | None:
    if accent is None or number < 0:
        return accent
    share = _BANDS[number % 2]
    red, green, blue = (1 - (1 - part) * share for part in accent)
    return red, green, blue


def _set(painter: "Painter", written: str, box: Box, cell: Any) -> None:
    left, top, right, bottom = (
        edge + sign * space for edge, sign, space in zip(box, (1, 1, -1, -1), _padding(cell), strict=True)
    )
    properties = cell.find(A + "tcPr")
    spare = bottom - top - painter.canvas.height_of(written, right - left)
    anchor = "" if properties is None else properties.get("anchor", "")
    top += {"ctr": max(0.0, spare / 2), "b": max(0.0, spare)}.get(anchor, 0.0)
    painter.canvas.text((left, top, right, bottom), written)


def _padding(cell: Any) -> Sequence[float]:
    properties = cell.find(A + "tcPr")
    return [
        number_of(None if properties is None else properties.get(name), usual) / EMU for name, usual in _PADDING.items()
    ]


def _span(cell: Any, name: str) -> int:
    written = cell.get(name, "1")
    return max(1, int(written)) if written.isdecimal() and len(written) < 5 else 1
