"""A page drawn and marked: which kinds can be drawn, and how what is marked looks."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from docqa.formats.drawn.letters import Box, Glyph
from docqa.formats.drawn.places import places
from docqa.formats.kinds import detect

if TYPE_CHECKING:
    from docqa.formats.pictures.decode import Image

MOST_PIXELS = 16_000_000  # of a picture, whatever its width: an A4 page of 3,360 in width
# What draws the pages of a kind of documents.
DRAWERS = {
    "pdf": "docqa.formats.pdf.drawing",
    "image": "docqa.formats.pictures.drawing",
    "pptx": "docqa.formats.slides.drawing",
}
_PASSAGE, _QUOTE = (255, 240, 150), (255, 196, 64)  # light and dark, through which the letters show
_MARGIN = 1.5  # pixels around the letters that are marked, of 1,000 in width


@dataclass(frozen=True)
class Drawn:
    """A page as an image, `scale` times as large as the coordinates of its `glyphs`. `scan` makes the picture in grey
    that text recognition reads, None where the page is no scan."""

    image: "Image"
    scale: float
    glyphs: Sequence[Glyph]
    scan: "Callable[[], Image] | None" = None


@dataclass(frozen=True)
class Picture:
    """A page as PNG; `marked` are how many pieces of lines are marked, and `top` is the share of the picture above the
    first of them, of the quotes where there are any: 0 where nothing is marked."""

    png: bytes
    marked: int
    top: float


def picture(
    data: bytes,
    page_number: int,
    width: int,
    passages: Sequence[str] = (),
    quotes: Sequence[str] = (),
    *,
    recognises: bool = False,
    languages: str = "",
    hint: str = "",
) -> Picture:
    """A page of a file, so many pixels wide, with passages marked and, darker, quotes. Fewer pixels where the page is
    so long that it would have more than `MOST_PIXELS`. On a scan the passages are looked for if it `recognises` its
    text, which takes seconds, with `languages` and `hint` as for `reading.recognise`.

    Raises Unreadable for a page that cannot be drawn; MemoryError.
    """
    from docqa.formats.pictures.decode import encoded, painted

    drawer = importlib.import_module(DRAWERS[detect(data, "", "")])
    drawn: Drawn = drawer.draw(data, page_number, width, with_letters=bool(passages or quotes))
    light, dark = places(drawn.glyphs, passages, quotes)
    scale = drawn.scale
    if recognises and drawn.scan is not None and not light:
        light, dark, scale = _on_scan(drawn, passages, quotes, languages, hint)
    margin = _MARGIN * drawn.image.width / 1000
    shades = [(_PASSAGE, [_placed(box, scale, margin) for box in light])]
    shades.append((_QUOTE, [_placed(box, scale, margin) for box in dark]))
    first = min((scale * box[1] for box in dark or light), default=0.0)
    return Picture(
        encoded(painted(drawn.image, shades)), len(light) + len(dark), round(max(0.0, first / drawn.image.height), 4)
    )


def _on_scan(
    drawn: Drawn, passages: Sequence[str], quotes: Sequence[str], languages: str, hint: str
) -> tuple[list[Box], list[Box], float]:
    """(boxes of passages, boxes of quotes, how much smaller the drawn page is than what they are measured on)."""
    from docqa.formats.pictures.letters import letters_on

    assert drawn.scan is not None
    scan = drawn.scan()
    scale = drawn.image.width / scan.width
    for glyphs in letters_on(scan, languages, hint):
        light, dark = places(glyphs, passages, quotes)
        if light or dark:
            return light, dark, scale
    return [], [], scale


def factor(width: float, height: float, wanted: int) -> float:
    """How much larger a page is drawn than it is, to be `wanted` pixels wide at most."""
    return min(wanted / max(width, 1), sqrt(MOST_PIXELS / max(width * height, 1)))


def _placed(box: Box, scale: float, margin: float) -> Box:
    left, top, right, bottom = (scale * edge for edge in box)
    return left - margin, top - margin, right + margin, bottom + margin
