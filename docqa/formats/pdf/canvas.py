"""A blank page to draw on, which is then shown as a page of a PDF is. Lengths are points; colours are (red, green,
blue) from 0 to 1."""

from collections.abc import Sequence
from typing import Any

import pymupdf as _pymupdf

from docqa.formats.drawn.painting import Drawn
from docqa.formats.pdf.drawing import shown
from docqa.formats.pdf.opening import BROKEN, raise_if_memory

pymupdf: Any = _pymupdf  # its functions carry no type hints
Colour = tuple[float, float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom
Point = tuple[float, float]

_TALL = 10_000.0  # higher than any text on a slide
_LEAST = 1.0  # of a box that a text is set into


class Canvas:
    """A page of this width and height."""

    def __init__(self, width: float, height: float) -> None:
        self._page = pymupdf.open().new_page(width=width, height=height)
        self._scratch = pymupdf.open().new_page(width=width, height=_TALL)  # on which texts are measured
        self._archive = pymupdf.Archive()

    def outline(
        self,
        paths: Sequence[Sequence[Point]],
        fill: Colour | None,
        line: Colour | None,
        thick: float,
        opacity: float = 1,
    ) -> None:
        """Draw lines through these points, and what they enclose if it is filled."""
        if fill is None and line is None:
            return
        shape = self._page.new_shape()
        drawn = False
        for path in paths:
            if len(path) > 1:
                shape.draw_polyline([pymupdf.Point(*point) for point in path])
                drawn = True
        if drawn:
            shape.finish(
                color=line, fill=fill, width=thick if line else 0, closePath=fill is not None, fill_opacity=opacity
            )
            shape.commit()

    def picture(self, box: Box, data: bytes, crop: Box, turn: int) -> bool:
        """Draw a picture file without the shares of it that are cropped at its sides, turned by a multiple of 90
        degrees; False where it is of an unknown format or damaged."""
        rect = pymupdf.Rect(*box)
        try:
            pixels = None
            if any(crop):
                whole = pymupdf.Pixmap(data)
                left, top, right, bottom = crop
                area = pymupdf.IRect(
                    int(left * whole.width),
                    int(top * whole.height),
                    int((1 - right) * whole.width),
                    int((1 - bottom) * whole.height),
                )
                pixels = pymupdf.Pixmap(whole.colorspace, area & whole.irect, whole.alpha)
                pixels.copy(whole, area)
            given = {"stream": data} if pixels is None else {"pixmap": pixels}
            self._page.insert_image(rect, keep_proportion=False, rotate=-turn % 360, **given)
        except BROKEN as error:
            raise_if_memory(error)
            return False
        return True

    def height_of(self, html: str, width: float) -> float:
        """How high a text is that is set in this width."""
        box = pymupdf.Rect(0, 0, max(width, _LEAST), _TALL)
        rest, _ = self._scratch.insert_htmlbox(box, html, archive=self._archive)
        return float(_TALL - rest) if rest >= 0 else _TALL

    def text(self, box: Box, html: str, *, shrinks: bool = False, turn: int = 0) -> None:
        """Set a text into a box, which it overflows below unless it `shrinks`."""
        left, top, right, bottom = box
        low = bottom if shrinks or turn else max(bottom, top + _TALL)
        rect = pymupdf.Rect(left, top, max(right, left + _LEAST), max(low, top + _LEAST))
        self._page.insert_htmlbox(rect, html, archive=self._archive, scale_low=0, rotate=-turn % 360)

    def drawn(self, width: int, *, with_letters: bool) -> Drawn:
        """The page about `width` pixels wide, and its letters if they are wanted."""
        return shown(self._page, width, with_letters=with_letters)
