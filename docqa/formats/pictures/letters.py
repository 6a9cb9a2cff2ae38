"""Where the letters of a scan are: read once more, as its text was, for that does not tell their places."""

from collections.abc import Iterator

from docqa.formats.drawn.letters import Glyph
from docqa.formats.pictures.data import RAPID, languages
from docqa.formats.pictures.decode import Image, cleaned, lines_run_upwards, scaled, turned
from docqa.formats.pictures.engine import glyphs
from docqa.formats.pictures.recognition import AT_ONCE, enlarging, groups


def letters_on(image: Image, setting: str = "", hint: str = "") -> Iterator[list[Glyph]]:
    """The letters of a picture in grey, in its pixels, for each way up that it may lie in, the likely ones first;
    arguments as for `recognition.recognise`. What RapidOCR reads has no places for single letters.

    Raises Unreadable if the engine fails.
    """
    codes = [code for code in (setting.split("+") if setting else languages()) if code != RAPID]
    if not codes:
        return
    together = next(groups(codes, hint, len(codes) if setting else AT_ONCE))
    scale = enlarging(image)
    whole = scaled(cleaned(image), scale)
    for degrees in (0, 90, 270) if lines_run_upwards(whole) else (0, 180):
        yield [_turned_back(glyph, degrees, whole, scale) for glyph in glyphs(turned(whole, degrees), together)]


def _turned_back(glyph: Glyph, degrees: int, whole: Image, scale: float) -> Glyph:
    """A letter of a picture that was turned anticlockwise and enlarged, where it was before."""
    corners = [_corner(x, y, degrees, whole) for x, y in ((glyph.left, glyph.top), (glyph.right, glyph.bottom))]
    (left, right), (top, bottom) = (sorted(edge / scale for edge in edges) for edges in zip(*corners, strict=True))
    return glyph._replace(left=left, top=top, right=right, bottom=bottom)


def _corner(x: float, y: float, degrees: int, whole: Image) -> tuple[float, float]:
    return {
        0: (x, y),
        90: (whole.width - y, x),
        180: (whole.width - x, whole.height - y),
        270: (y, whole.height - x),
    }[degrees]
