"""The shapes of an OpenDocument slide (part 3, chapter 10) → their texts in reading order."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from docqa.formats.pictures.selection import LARGE
from docqa.formats.slides.deck import FOOTER, TITLE, Line, Text, titled
from docqa.formats.slides.odp_text import STYLE, TABLE, TEXT, XLINK, lines, table_lines
from docqa.formats.slides.reading_order import Box, in_order

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_DR3D = "{urn:oasis:names:tc:opendocument:xmlns:dr3d:1.0}"

_GROUPS = (DRAW + "g", DRAW + "a")
_FRAME = DRAW + "frame"
_SHAPES = {
    *_GROUPS,
    _FRAME,
    *(
        DRAW + name
        for name in (
            "rect", "line", "polyline", "polygon", "regular-polygon", "path", "circle", "ellipse", "connector",
            "caption", "measure", "custom-shape", "control", "page-thumbnail",
        )
    ),
    _DR3D + "scene",
}  # fmt: skip
# The role of a shape's text by its class (part 3, 19.389).
_ROLES = {"title": TITLE, "footer": FOOTER, "header": FOOTER, "date-time": FOOTER}
_BODIES = ("outline", "subtitle", "notes")
_STAND_INS = ("page-number", "page", "handout")
_TRUE = "true"
_LENGTH = re.compile(r"(-?\d+(?:\.\d+)?)(cm|mm|in|pt|pc|px)?")
_MILLIMETRES = {"": 1.0, "mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6, "px": 25.4 / 96}
_TRANSLATED = re.compile(r"translate\s*\(\s*(\S+?)[\s,]+(\S+?)\s*\)")
_FILE_NAME = re.compile(r"\.\w{2,5}$")


@dataclass(frozen=True)
class Styles:
    """The names of styles that hide what has them: slides from the show, texts from everybody."""

    hidden_pages: frozenset[str]
    hidden_texts: frozenset[str]

    @classmethod
    def of(cls, root: Any) -> "Styles":
        """Those of a document's automatic styles."""
        pages, hidden = set(), set()
        for style in root.iterfind(f"{OFFICE}automatic-styles/{STYLE}style"):
            name = style.get(STYLE + "name", "")
            for properties in style.iterchildren(STYLE + "drawing-page-properties"):
                if properties.get(PRESENTATION + "visibility") == "hidden":
                    pages.add(name)
            for properties in style.iterchildren(STYLE + "text-properties"):
                if properties.get(TEXT + "display") == "none":
                    hidden.add(name)
        return cls(frozenset(pages), frozenset(hidden))


def texts(page: Any, styles: Styles, read_object: Callable[[Any], list[Line]]) -> list[Text]:
    """The texts of a slide or a page of notes in reading order, the title first; `read_object` reads what a frame
    embeds."""
    collected = []
    waiting = [page]
    while waiting:
        shape = waiting.pop()
        if shape is page or shape.tag in _GROUPS:
            members = [member for member in shape if member.tag in _SHAPES and _is_shown(member)]
            waiting += in_order(members, [_box(member) for member in members])[::-1]
        elif content := tuple(_lines(shape, styles, read_object)):
            collected.append(Text(_ROLES.get(shape.get(PRESENTATION + "class", ""), ""), content))
    return titled(collected)


def large_pictures(page: Any, area: float) -> list[str]:
    """The names in the file, in lower case, of the large pictures of a slide of this area in square millimetres, the
    largest first."""
    pictures = []
    for frame in page.iter(_FRAME):
        content = next(iter(frame), None)
        box = _box(frame)
        if content is None or content.tag != DRAW + "image" or box is None:
            continue
        size = (box.right - box.left) * (box.bottom - box.top)
        name = content.get(XLINK + "href", "").removeprefix("./").lower()
        if area and size >= LARGE * area and name and "://" not in name:
            pictures.append((size, name))
    return [name for _, name in sorted(pictures, reverse=True)]


def page_area(properties: Any) -> float:
    """The area of a page with these properties of its layout, in square millimetres; 0 where they do not say."""
    return (_length(properties.get(_FO + "page-width")) or 0.0) * (_length(properties.get(_FO + "page-height")) or 0.0)


def _is_shown(shape: Any) -> bool:
    """Whether a shape holds text of its own: not an empty placeholder, nor what stands for the slide or its number."""
    return (
        shape.get(PRESENTATION + "class") not in _STAND_INS
        and shape.get(PRESENTATION + "placeholder") != _TRUE
        and next(shape.iter(TEXT + "p", TEXT + "h", DRAW + "object", _SVG + "title", _SVG + "desc"), None) is not None
    )


def _lines(shape: Any, styles: Styles, read_object: Callable[[Any], list[Line]]) -> Iterator[Line]:
    is_body = shape.get(PRESENTATION + "class") in _BODIES
    if shape.tag != _FRAME:
        yield from lines(shape, styles.hidden_texts)
    # Of several contents of a frame a program shows the first that it can (10.4.2); pictures stand in for the others.
    for content in shape if shape.tag == _FRAME else ():
        if content.tag == DRAW + "text-box":
            yield from lines(content, styles.hidden_texts, is_body)
            break
        if content.tag == TABLE + "table":
            head = (
                content.get(TABLE + "use-first-row-styles") == _TRUE
                or content.find(TABLE + "table-header-rows") is not None
            )
            yield from table_lines(content, styles.hidden_texts, head)
            break
        if content.tag == DRAW + "object":
            yield from read_object(content)
            break
    if description := _description(shape):
        yield Line(description)


def _description(shape: Any) -> str:
    """The alternative text that a person wrote; a file name does not count."""
    parts = [" ".join("".join(node.itertext()).split()) for node in shape.iterchildren(_SVG + "title", _SVG + "desc")]
    written = dict.fromkeys(part for part in parts if " " in part and not _FILE_NAME.search(part))
    return ". ".join(written)


def _box(shape: Any) -> Box | None:
    """Where a shape is, in millimetres; that of a group is the box around its members."""
    if shape.tag in _GROUPS:
        boxes = [box for member in shape.iter(*(_SHAPES - set(_GROUPS))) if (box := _box(member))]
        return _around(boxes) if boxes else None
    x, y = _length(shape.get(_SVG + "x")), _length(shape.get(_SVG + "y"))
    if moved := _TRANSLATED.search(shape.get(DRAW + "transform", "")):
        x, y = _length(moved[1]), _length(moved[2])
    ends = [_length(shape.get(_SVG + name)) for name in ("x1", "y1", "x2", "y2")]
    if all(end is not None for end in ends):
        left, top, right, bottom = (end or 0.0 for end in ends)
        return Box(min(left, right), min(top, bottom), max(left, right), max(top, bottom))
    width, height = _length(shape.get(_SVG + "width")), _length(shape.get(_SVG + "height"))
    if x is None or y is None or width is None:
        return None
    return Box(x, y, x + width, y + (height or 0.0))


def _around(boxes: list[Box]) -> Box:
    return Box(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )


def _length(value: str | None) -> float | None:
    number = _LENGTH.fullmatch((value or "").strip())
    return float(number[1]) * _MILLIMETRES[number[2] or ""] if number else None
