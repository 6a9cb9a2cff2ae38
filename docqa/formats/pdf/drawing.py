"""A page of a PDF as a picture, and where its letters are on it."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pymupdf as _pymupdf

from docqa.errors import Unreadable
from docqa.formats.drawn.letters import Glyph
from docqa.formats.drawn.painting import Drawn, factor
from docqa.formats.pdf.limits import draws_too_much
from docqa.formats.pdf.opening import BROKEN, open_page, raise_if_memory, rendered
from docqa.formats.pdf.scans import is_scan
from docqa.formats.pictures.decode import from_colours

pymupdf: Any = _pymupdf  # its functions carry no type hints
_SCANNED = 0.5  # of a page that a picture covers, on which text recognition may have read the passage
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP


def draw(data: bytes, page_number: int, width: int, *, with_letters: bool) -> Drawn:
    """The page, from 1, about `width` pixels wide, and its letters if they are wanted. Raises Unreadable."""
    page = open_page(data, page_number)
    try:
        if draws_too_much(page.parent, page):
            raise Unreadable(f"Page {page_number} draws too much to be shown.")
        scan = partial(rendered, page, page.rect) if with_letters and is_scan(page, _SCANNED) else None
        return replace(shown(page, width, with_letters=with_letters), scan=scan)
    except BROKEN as error:
        raise_if_memory(error)
        raise Unreadable(f"Page {page_number} is damaged and cannot be shown.") from error


def shown(page: Any, width: int, *, with_letters: bool) -> Drawn:
    """An open page, about `width` pixels wide, and its letters if they are wanted. Raises what MuPDF does."""
    scale = factor(page.rect.width, page.rect.height, width)
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False)
    glyphs = list(_glyphs(page)) if with_letters else []
    return Drawn(from_colours(pixels.width, pixels.height, pixels.samples), scale, glyphs)


def _glyphs(page: Any) -> Iterator[Glyph]:
    """The letters of a page, at the places where it shows them."""
    turn = page.rotation_matrix if page.rotation else None
    number = 0
    for block in page.get_text("rawdict", flags=_FLAGS)["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                for letter in span["chars"]:
                    box = letter["bbox"] if turn is None else pymupdf.Rect(letter["bbox"]) * turn
                    left, top, right, bottom = box
                    yield Glyph(letter["c"], left, top, right, bottom, number)
            number += 1
