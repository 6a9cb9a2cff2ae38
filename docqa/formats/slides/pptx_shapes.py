"""The shapes of a slide (ECMA-376 part 1, 19.3.1 and 21.1) → their texts in reading order.

If a file gives alternatives of a text, the first is read. Charts and diagrams are in parts of their own, and are read
by a function that the caller passes in.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from docqa.formats.office.drawing import MC, A, M, R, lines, paragraph_text, written_description
from docqa.formats.pictures.selection import LARGE
from docqa.formats.slides.deck import FOOTER, TITLE, Line, Text, titled
from docqa.formats.slides.reading_order import Box, in_order

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"

_GROUPS = (P + "spTree", P + "grpSp")
_FRAME, _PICTURE = P + "graphicFrame", P + "pic"
_SHAPES = (P + "sp", P + "cxnSp", P + "grpSp", _FRAME, _PICTURE)
# The role of a placeholder's text by its type (19.7.10).
_ROLES = {"title": TITLE, "ctrTitle": TITLE, "ftr": FOOTER, "dt": FOOTER, "hdr": FOOTER}
_BODIES = ("body", "obj")
_BULLETS = {A + name for name in ("buChar", "buAutoNum", "buBlip")}
# A slide's number and, on a notes page, its picture.
_STAND_INS = ("sldNum", "sldImg")
# The kind of a placeholder, by which it inherits its position from the layout or the master; "body" for all others.
_KIN = {"ctrTitle": "title", "title": "title", "ftr": "ftr", "dt": "dt", "sldNum": "sldNum"}

_TRUE = {"1", "true"}
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(mm|cm|in|pt|pc|pi)?")
_UNITS = {"": 1, "mm": 36_000, "cm": 360_000, "in": 914_400, "pt": 12_700, "pc": 152_400, "pi": 152_400}

Places = dict[str, Box]


def texts(tree: Any, places: Places, graphic: Callable[[Any], list[Line]], from_right: bool = False) -> list[Text]:
    """The texts of a shape tree in reading order, the title first.

    `places` is what the function `places` returns, `graphic` reads a frame's chart or diagram, `from_right`: the deck
    is read from right to left.
    """
    collected = []
    with_text = _with_text(tree)
    waiting = [tree]
    while waiting:
        shape = waiting.pop()
        if shape.tag in _GROUPS:
            members = [
                member
                for member in _members(shape)
                if member in with_text and _placeholder(member).get("type") not in _STAND_INS
            ]
            waiting += in_order(members, [_box(member, places) for member in members], from_right)[::-1]
        else:
            collected.append(Text(_ROLES.get(_placeholder(shape).get("type", ""), ""), tuple(_lines(shape, graphic))))
    return titled(collected)


def places(layout: Any, master: Any) -> Places:
    """The positions of placeholders for which the slide gives none, by their index and by their kind.

    They come from its layout, or else from the master (19.3.1.36).
    """
    inherited: Places = {}
    for tree in (master, layout):
        here: Places = {}
        for shape in tree.iter(P + "sp") if tree is not None else ():
            box = _box(shape, inherited)
            if box:
                marks = _placeholder(shape)
                here.setdefault(_kind(marks), box)
                if tree is layout:
                    here.setdefault(marks.get("idx", "0"), box)
        inherited |= here
    return inherited


def large_pictures(slide: Any, presentation: Any) -> list[str]:
    """The key of its relationship of each large picture of a slide, the largest first; shapes that are filled with
    a picture are none."""
    size = presentation.find(P + "sldSz")
    area = _length(size.get("cx", "")) * _length(size.get("cy", "")) if size is not None else 0.0
    pictures = [
        (box, key)
        for shape in slide.iter(_PICTURE)
        if (box := _box(shape, {})) and (key := next((blip.get(R + "embed") for blip in shape.iter(A + "blip")), None))
    ]
    large = [(box, key) for box, key in pictures if area and _area(box) >= LARGE * area]
    return [key for _, key in sorted(large, key=lambda picture: _area(picture[0]), reverse=True)]


def _area(box: Box) -> float:
    return (box.right - box.left) * (box.bottom - box.top)


def _members(group: Any) -> Iterator[Any]:
    """The shapes of a group; of those given in alternatives (part 3, 7.5), the first."""
    for child in group:
        if child.tag == MC + "AlternateContent":
            yield from _members(next(iter(child), ()))
        elif child.tag in _SHAPES:
            yield child


def _with_text(tree: Any) -> set[Any]:
    """The shapes and groups that can have a text, and their ancestors; others would only distort the reading order."""
    elements: set[Any] = set()
    for leaf in tree.iter(A + "t", M + "t", _FRAME, _PICTURE):
        ancestor = leaf if leaf.tag != _PICTURE or _description(leaf) else None
        while ancestor is not None and ancestor not in elements:
            elements.add(ancestor)
            ancestor = ancestor.getparent()
    return elements


def _placeholder(shape: Any) -> dict[str, str]:
    mark = shape.find(f"*/{P}nvPr/{P}ph")
    return {} if mark is None else {"type": "obj", **mark.attrib}


def _kind(marks: dict[str, str]) -> str:
    return _KIN.get(marks.get("type", ""), "body")


def _lines(shape: Any, graphic: Callable[[Any], list[Line]]) -> list[Line]:
    description = [Line(words)] if shape.tag in (_FRAME, _PICTURE) and (words := _description(shape)) else []
    if shape.tag == _FRAME:
        table = next(shape.iter(A + "tbl"), None)
        return [*(graphic(shape) or _paragraphs(shape) if table is None else _table(table)), *description]
    return description if shape.tag == _PICTURE else _paragraphs(shape)


def _paragraphs(shape: Any) -> list[Line]:
    """The paragraphs of a shape. Those of a body have bullets unless they say otherwise, or there is only one."""
    paragraphs = [(paragraph_text(paragraph), paragraph) for paragraph in shape.iter(A + "p")]
    is_body = _placeholder(shape).get("type") in _BODIES and sum(bool(text.strip()) for text, _ in paragraphs) > 1
    return [_paragraph(text, paragraph.find(A + "pPr"), is_body) for text, paragraph in paragraphs]


def _paragraph(text: str, properties: Any, is_body: bool) -> Line:
    """A paragraph: an item if it has a bullet or number, or else, where it says nothing, if those of a body have
    (21.1.2.2.7 and 21.1.2.4)."""
    marks = {child.tag for child in properties} if properties is not None else set()
    level = properties.get("lvl", "0")[:1] if properties is not None else "0"
    if marks & _BULLETS or is_body and A + "buNone" not in marks:
        return Line(text, "item", int(level) + 1 if level.isdecimal() else 1)
    return Line(text)


def _table(table: Any) -> list[Line]:
    """One row per line; a merged cell has its text at its first position, the others are empty."""
    properties = table.find(A + "tblPr")
    has_head = properties is not None and properties.get("firstRow") in _TRUE
    rows = []
    for row in table.iterfind(A + "tr"):
        cells = [
            "" if _TRUE & {cell.get("hMerge"), cell.get("vMerge")} else " ".join(lines(cell).split())
            for cell in row.iterfind(A + "tc")
        ]
        while cells and not cells[-1]:
            cells.pop()
        rows.append(" | ".join(cells))
    return [Line(row, "row", int(has_head and place == 0)) for place, row in enumerate(rows) if row]


def _description(shape: Any) -> str:
    return next((written_description(properties.get("descr", "")) for properties in shape.iterfind(f"*/{P}cNvPr")), "")


def _box(shape: Any, places: Places) -> Box | None:
    frame = next((frame for path in (f"{P}xfrm", f"*/{A}xfrm") for frame in shape.iterfind(path)), None)
    if frame is None or frame.find(A + "off") is None or frame.find(A + "ext") is None:
        marks = _placeholder(shape)
        return (places.get(marks.get("idx", "0")) or places.get(_kind(marks))) if marks else None
    (left, top), (width, height) = (
        [_length(frame.find(A + name).get(side, "")) for side in sides]
        for name, sides in (("off", "xy"), ("ext", ("cx", "cy")))
    )
    if 45 <= _length(frame.get("rot", "")) / 60_000 % 180 < 135:
        left, top, width, height = left + (width - height) / 2, top + (height - width) / 2, height, width
    return Box(left, top, left + width, top + height)


def _length(value: str) -> float:
    """A length in EMU (914,400 per inch); strict files give units (22.9.2.15)."""
    number = _NUMBER.fullmatch(value.strip())
    return float(number[1]) * _UNITS[number[2] or ""] if number else 0.0
