"""Tesseract, as PyMuPDF carries it: a picture in grey → a page with its text in reading order."""

from collections.abc import Iterable, Sequence
from typing import Any

import pymupdf as _pymupdf

from docqa.errors import Unreadable
from docqa.formats.drawn.letters import Glyph
from docqa.formats.pages import ExtractedPage
from docqa.formats.pdf.layout import has_right_to_left
from docqa.formats.pdf.page import Page, arrange
from docqa.formats.pictures.data import engine_folder
from docqa.formats.pictures.decode import Image
from docqa.text.words import is_dense

pymupdf: Any = _pymupdf  # its functions carry no type hints
_RESOLUTION = 200  # dots per inch that the picture is taken to have: it decides only what counts as near
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE
_BROKEN = (RuntimeError, ValueError, TypeError, OSError, pymupdf.mupdf.FzErrorBase)
_SAME_LINE = 0.6  # of its height that two pieces of a line share at least
_NEAR = 1.5  # of its height: a wider gap separates columns


def read(image: Image, codes: Sequence[str]) -> Page:
    """What Tesseract reads on a picture in grey; `codes` are its names of languages, of which there are data.

    Raises Unreadable if the engine fails, as it does with damaged data.
    """
    try:
        page = _layer(image, codes)
        blocks = page.get_text("dict", flags=_FLAGS)["blocks"]
        if has_right_to_left(blocks):
            blocks = page.get_text("rawdict", flags=_FLAGS)["blocks"]
        elif is_dense("".join(span["text"] for block in blocks for line in block["lines"] for span in line["spans"])):
            blocks = [block | {"lines": _joined(block["lines"])} for block in blocks]
    except _BROKEN as error:
        raise Unreadable(f"Text recognition failed: {error}.") from error
    return arrange(blocks, page.rect.width, page.rect.height)


def glyphs(image: Image, codes: Sequence[str]) -> list[Glyph]:
    """The letters that Tesseract reads, where they are on the picture, in pixels; arguments and errors as of `read`."""
    scale = _RESOLUTION / 72
    letters: list[Glyph] = []
    try:
        for block in _layer(image, codes).get_text("rawdict", flags=_FLAGS)["blocks"]:
            for line in block["lines"]:
                number = letters[-1].line + 1 if letters else 0
                for letter in (letter for span in line["spans"] for letter in span["chars"]):
                    left, top, right, bottom = (scale * edge for edge in letter["bbox"])
                    letters.append(Glyph(letter["c"], left, top, right, bottom, number))
    except _BROKEN as error:
        raise Unreadable(f"Text recognition failed: {error}.") from error
    return letters


def _layer(image: Image, codes: Sequence[str]) -> Any:
    """A page that holds nothing but the text on a picture."""
    # In colour: the engine gets nothing of a picture in grey, whose bytes the writer of MuPDF takes for three a pixel.
    coloured = image.convert("RGB")
    pixels = pymupdf.Pixmap(pymupdf.csRGB, image.width, image.height, coloured.tobytes(), False)
    pixels.set_dpi(_RESOLUTION, _RESOLUTION)
    with engine_folder(codes) as folder:
        layer = pixels.pdfocr_tobytes(language="+".join(codes), tessdata=folder)
    return pymupdf.open("pdf", layer)[0]


def extracted(page: Page) -> ExtractedPage:
    """The page as readers of formats return it."""
    headings, tables = tuple(page.headings), tuple(page.tables)
    return ExtractedPage(page.text, "", headings, (), tables, blocks=tuple(page.blocks)).cleaned()


def _joined(lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines of a block in a script without spaces, of which the engine gives some characters at a time."""
    joined: list[dict[str, Any]] = []
    for line in lines:
        left, top, right, bottom = line["bbox"]
        if joined:
            first, upper, end, lower = joined[-1]["bbox"]
            height = min(bottom - top, lower - upper)
            beside = min(bottom, lower) - max(top, upper) > _SAME_LINE * height
            if beside and -height < left - end < _NEAR * height:
                spans = joined[-1]["spans"]
                words = [span["text"] for span in (*spans, *line["spans"])]
                span = spans[0] | {"text": "".join(map(str.strip, words))}
                box = (min(first, left), min(upper, top), max(end, right), max(lower, bottom))
                joined[-1] = joined[-1] | {"spans": [span | {"bbox": box}], "bbox": box}
                continue
        joined.append(line)
    return joined
