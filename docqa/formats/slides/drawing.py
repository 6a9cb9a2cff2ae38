"""A slide of a .pptx as a picture: background, forms, pictures, tables and texts, at the places and in the sizes that
the slide, its layout and its master give them.

Not drawn: effects, animations, pictures in Windows' own formats. Charts are sketched from their numbers.
"""

import zipfile
from typing import Any

from docqa.errors import Unreadable
from docqa.formats.drawn.painting import Drawn
from docqa.formats.office.drawing import A, R
from docqa.formats.office.package import Package, Relation
from docqa.formats.pdf.canvas import Canvas
from docqa.formats.slides.drawing_colours import Palette
from docqa.formats.slides.drawing_shapes import Painter, Sheet
from docqa.formats.slides.drawing_text import EMU, number_of

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"

_USUAL = 960.0, 540.0  # points of a slide whose size is not given
_LEAST, _MOST = 36.0, 4000.0  # points
_FALSE = ("0", "false")


def draw(data: bytes, page_number: int, width: int, *, with_letters: bool) -> Drawn:
    """The slide, from 1, about `width` pixels wide, and its letters if they are wanted. Raises Unreadable."""
    try:
        package = Package(data)
    except zipfile.BadZipFile as error:
        raise Unreadable("The presentation is damaged and cannot be opened.") from error
    main = next(iter(package.related("", "officeDocument")), "")
    presentation = package.root(main)
    slides = [] if presentation is None else list(presentation.iterfind(f"{P}sldIdLst/{P}sldId"))
    key = slides[page_number - 1].get(R + "id", "") if 1 <= page_number <= len(slides) else ""
    sheets, theme = _sheets(package, package.relations(main).get(key, Relation("", "")).target)
    if not sheets or presentation is None:
        raise Unreadable(f"Slide {page_number} is damaged and cannot be shown.")
    size = presentation.find(P + "sldSz")
    wide, high = (
        min(_MOST, max(_LEAST, number_of(size.get(side), 0) / EMU)) if size is not None else usual
        for side, usual in zip(("cx", "cy"), _USUAL, strict=True)
    )
    canvas = Canvas(wide, high)
    palette = Palette(theme, sheets[-1].root.find(P + "clrMap"))
    painter = Painter(package, canvas, palette, sheets, theme, presentation.find(P + "defaultTextStyle"), page_number)
    _paint_background(painter, wide, high)
    for sheet in _shown(sheets)[::-1]:
        if (tree := sheet.root.find(f"{P}cSld/{P}spTree")) is not None:
            painter.paint(tree, sheet)
    return canvas.drawn(width, with_letters=with_letters)


def _sheets(package: Package, slide: str) -> tuple[list[Sheet], Any]:
    """The slide, its layout and its master, as far as they are there, and the root of the theme."""
    sheets: list[Sheet] = []
    name = slide
    for kind in ("slideLayout", "slideMaster", "theme"):
        root = package.root(name) if name else None
        if root is None:
            return sheets, None
        sheets.append(Sheet(root, package.relations(name)))
        name = next((relation.target for relation in sheets[-1].relations.values() if relation.kind == kind), "")
    return sheets, package.root(name) if name else None


def _shown(sheets: list[Sheet]) -> list[Sheet]:
    """The sheets whose shapes are shown: one may hide those of the ones behind it."""
    for number, sheet in enumerate(sheets, 1):
        if sheet.root.get("showMasterSp") in _FALSE:
            return sheets[:number]
    return sheets


def _paint_background(painter: Painter, wide: float, high: float) -> None:
    """The first background that is given: the slide's, its layout's or its master's."""
    for sheet in painter.sheets:
        background = sheet.root.find(f"{P}cSld/{P}bg")
        if background is None:
            continue
        properties, reference = background.find(P + "bgPr"), background.find(P + "bgRef")
        whole = [(0.0, 0.0), (wide, 0.0), (wide, high), (0.0, high)]
        colour = painter.palette.fill(properties) if properties is not None else painter.palette.of(reference)
        painter.canvas.outline([whole], colour, None, 0)
        blip = None if properties is None else properties.find(f"{A}blipFill/{A}blip")
        if blip is not None:
            painter.paint_picture((0.0, 0.0, wide, high), blip, None, sheet)
        return
