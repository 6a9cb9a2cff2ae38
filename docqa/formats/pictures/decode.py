"""Picture files → upright frames in grey or RGB on white, decoded by Pillow within a limit on their memory.

A file is judged by its header before anything is decoded. Frames of a TIFF are pages; of an animation the first is
taken, and of a TIFF's frames those that are no reduced copies of others.
"""

import io
import warnings
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from math import sqrt
from typing import Any

from PIL import (
    BmpImagePlugin,  # noqa: F401 - it registers its format, as the other plugins do
    GifImagePlugin,  # noqa: F401
    ImageChops,
    ImageDraw,
    ImageFile,
    ImageFilter,
    ImageMath,
    JpegImagePlugin,  # noqa: F401
    PngImagePlugin,  # noqa: F401
    TiffImagePlugin,  # noqa: F401
    WebPImagePlugin,  # noqa: F401
)
from PIL import Image as _Image

from docqa.errors import Unreadable

Image = _Image.Image
Box = tuple[float, float, float, float]  # left, top, right, bottom

MOST_BYTES = 600 << 20  # that a frame takes while it is decoded and made grey
_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP")
_SUBFILE = 254  # the TIFF tag that says what a frame is (TIFF 6.0, section 8): 1 a reduced copy, 4 a mask
_NO_PAGE = 1 | 4
_ORIENTATION = 274  # the tag that says how a camera was held (Exif 2.32, 4.6.4)
_TURNS = {
    2: _Image.Transpose.FLIP_LEFT_RIGHT,
    3: _Image.Transpose.ROTATE_180,
    4: _Image.Transpose.FLIP_TOP_BOTTOM,
    5: _Image.Transpose.TRANSPOSE,
    6: _Image.Transpose.ROTATE_270,
    7: _Image.Transpose.TRANSVERSE,
    8: _Image.Transpose.ROTATE_90,
}
# Bytes of a pixel, with the copies in which it is made grey.
_BYTES = {"1": 2, "L": 1, "RGB": 5, "P": 6, "CMYK": 5, "YCbCr": 5, "I;16": 7, "I;16B": 7, "I;16L": 7}
_MOST_BYTES_EACH = 12
_PROFILED, _STRIPS = 30_000, 3  # pixels; strips of a picture
_CLEARLY = 1.2  # times
_UNEVEN, _DARK = 40, 90  # shades of grey
_NIGHT = 110  # a shade of grey: what is darker is a dark ground
_RUN, _THICK = 60, 4  # pixels: a ruled line is at least so long, and at most twice as thick
_MOST_FRAMES = 1_000_000  # that are looked at for one
_LARGEST_AREA = 10_000_000  # pixels: a sheet of paper with 300 dots per inch has 9 million
_COMPRESSION = 3  # of 9: twice the size in a quarter of the time of the usual 6
_DAMAGED = "The picture is damaged and cannot be opened. Open it in the program that made it, save it and upload that."
# What Pillow raises on a damaged file, whatever its decoder meets.
_BROKEN = (OSError, SyntaxError, ValueError, TypeError, KeyError, IndexError, AttributeError, EOFError, OverflowError)


def open_picture(data: bytes) -> Any:
    """A picture file whose header has been read. Raises Unreadable if it is none that can be read."""
    _Image.MAX_IMAGE_PIXELS = None  # `_check` has its own limit, in bytes
    ImageFile.LOAD_TRUNCATED_IMAGES = True  # what was there before the end is shown
    try:
        with warnings.catch_warnings(action="ignore"):
            return _Image.open(io.BytesIO(data), formats=_FORMATS)
    except _BROKEN as error:
        raise Unreadable(_DAMAGED) from error


def frames(picture: Any, most: int) -> Iterator[int]:
    """The frames that are pages, by their numbers from 0, up to `most` frames; a damaged directory ends the list."""
    if picture.format != "TIFF":
        yield 0
        return
    for number in range(most):
        try:
            picture.seek(number)
            kind = picture.tag_v2.get(_SUBFILE, 0)
        except _BROKEN:
            return
        if number == 0 or not (isinstance(kind, int) and kind & _NO_PAGE):
            yield number


def page_frame(picture: Any, page_number: int) -> int:
    """The frame that is a page, from 1. Raises Unreadable where there is none."""
    number = next(islice(frames(picture, _MOST_FRAMES), page_number - 1, None), None)
    if number is None:
        raise Unreadable(f"The picture has no page {page_number}.")
    return number


def decoded(picture: Any, number: int, area: int = _LARGEST_AREA, *, in_colours: bool = False) -> Image:
    """A frame, upright, in grey on white, or in its colours, of at most `area` pixels.

    Raises Unreadable for one that is damaged, or too large to be decoded; MemoryError.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            picture.seek(number)
            scale = sqrt(area / max(1, picture.width * picture.height))
            if picture.format in ("JPEG", "MPO") and scale < 0.5:  # it can be decoded at a half or less of its size
                picture.draft(None, (int(picture.width * scale) or 1, int(picture.height * scale) or 1))
            _check(picture)
            picture.load()
            turn = _TURNS.get(picture.getexif().get(_ORIENTATION, 1))
            made = _coloured(picture) if in_colours else _grey(picture)
            frame = scaled(made, min(1.0, sqrt(area / max(1, picture.width * picture.height))))
            return frame.transpose(turn) if turn is not None else frame
    except _BROKEN as error:
        raise Unreadable(_DAMAGED) from error


def from_grey(width: int, height: int, samples: bytes) -> Image:
    """The picture of these bytes, one for each pixel."""
    return _Image.frombytes("L", (width, height), samples)


def from_colours(width: int, height: int, samples: bytes) -> Image:
    """The picture of these bytes, three for each pixel."""
    return _Image.frombytes("RGB", (width, height), samples)


def painted(image: Image, shades: Iterable[tuple[tuple[int, int, int], Iterable[Box]]]) -> Image:
    """The picture with these boxes in a colour that all that is darker shows through; where it is dark, in half as much
    light of that colour, that all that is lighter shows through."""
    over, light = _Image.new("RGB", image.size, "white"), _Image.new("RGB", image.size)
    on_light, on_dark = ImageDraw.Draw(over), ImageDraw.Draw(light)
    for colour, boxes in shades:
        for box in boxes:
            if _is_dark(image, box):
                on_dark.rectangle(box, fill=(colour[0] // 2, colour[1] // 2, colour[2] // 2))
            else:
                on_light.rectangle(box, fill=colour)
    return ImageChops.screen(ImageChops.multiply(image, over), light)


def _is_dark(image: Image, box: Box) -> bool:
    """Whether most of what is in a box is dark: letters take less of it than what they stand on."""
    left, top, right, bottom = (int(edge) for edge in box)
    shades = sorted(image.crop((left, top, max(right, left + 1), max(bottom, top + 1))).convert("L").tobytes())
    return shades[len(shades) // 2] < _NIGHT


def encoded(image: Image) -> bytes:
    """The picture as PNG."""
    png = io.BytesIO()
    image.save(png, "PNG", compress_level=_COMPRESSION)
    return png.getvalue()


def scaled(image: Image, factor: float) -> Image:
    """The picture, `factor` times as wide and high."""
    if factor == 1:
        return image
    size = max(1, round(image.width * factor)), max(1, round(image.height * factor))
    return image.resize(size, _Image.Resampling.BICUBIC, reducing_gap=2 if factor < 1 else None)


def turned(image: Image, degrees: int) -> Image:
    """The picture, turned anticlockwise by 0, 90, 180 or 270 degrees."""
    turns = _Image.Transpose
    turn = {90: turns.ROTATE_90, 180: turns.ROTATE_180, 270: turns.ROTATE_270}.get(degrees)
    return image.transpose(turn) if turn is not None else image


def lines_run_upwards(image: Image) -> bool:
    """Whether lines of text seem to run along the height of a picture.

    Lines of text make the brightness change sharply from one row of pixels to the next; across the lines it hardly
    changes. Compared within strips, so that a page may be a little askew, and so small that single strokes are grey.
    """
    small = scaled(image, min(1.0, sqrt(_PROFILED / (image.width * image.height))))
    rows = small.resize((_STRIPS, small.height), _Image.Resampling.BOX).transpose(_Image.Transpose.ROTATE_90)
    columns = small.resize((small.width, _STRIPS), _Image.Resampling.BOX)
    return _roughness(columns) > _CLEARLY * _roughness(rows)


def cleaned(image: Image) -> Image:
    """The picture on white paper, without ruled lines.

    The engine takes coloured cells for photographs, shadows for ink, and the cells of a table for single letters.
    """
    paper = _evened(image)
    run = max(_RUN, max(image.size) // 15)
    across, down = _rules(paper, run, 0), _rules(paper, run, 1)
    clean = paper.copy()
    for mask in (across, down):
        clean.paste(255, mask=mask)
    return clean


def _evened(image: Image) -> Image:
    """Each pixel divided by the paper around it: the brightest there, smoothed. A dark picture stays as it is."""
    side = max(4, min(image.width, image.height) // 60)
    coarse = image.resize((-(-image.width // side), -(-image.height // side)), _Image.Resampling.BOX)
    paper = coarse.filter(ImageFilter.MaxFilter(3))
    values = sorted(paper.tobytes())
    darkest, brightest = values[len(values) // 50], values[-1 - len(values) // 50]
    if brightest - darkest < _UNEVEN or values[len(values) // 2] < _DARK:
        return image
    paper = paper.resize(image.size, _Image.Resampling.BILINEAR)
    ratio: Image = ImageMath.lambda_eval(
        lambda args: args["min"](args["image"] * 255 / args["max"](args["paper"], 1), 255), image=image, paper=paper
    ).convert("L")
    return ratio


def _rules(image: Image, run: int, axis: int) -> Image:
    """A mask of thin lines along an axis, 0 across or 1 down: `run` dark pixels in a row, more than a letter has."""
    dark = image.point(lambda value: 255 * (value < 128))
    size = (-(-image.width // run), image.height) if axis == 0 else (image.width, -(-image.height // run))
    runs = dark.resize(size, _Image.Resampling.BOX).point(lambda value: 255 * (value >= 235))
    right, below = (0, _THICK) if axis == 0 else (_THICK, 0)
    thick = ImageChops.darker(ImageChops.offset(runs, right, below), ImageChops.offset(runs, -right, -below))
    return ImageChops.subtract(runs, thick).filter(ImageFilter.MaxFilter(3)).resize(image.size, 0)


def _check(picture: Any) -> None:
    """Raises Unreadable for a frame whose pixels would take too much memory."""
    size = picture.width * picture.height * _BYTES.get(picture.mode, _MOST_BYTES_EACH)
    if size > MOST_BYTES:
        raise Unreadable(
            f"The picture has {picture.width:,} × {picture.height:,} pixels, more than can be decoded. "
            "Save it in a smaller size and upload that."
        )


def _grey(picture: Any) -> Image:
    """In 256 shades of grey, on white; the values of deeper pictures are spread over what they use."""
    mode = picture.mode
    if mode.startswith("I") or mode == "F":
        low, high = picture.getextrema()
        scale = 255 / ((high - low) or 1)
        deep = picture if mode in ("I", "F") else picture.convert("I")
        spread: Image = deep.point(lambda value: value * scale - low * scale).convert("L")
        return spread
    if mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in picture.info:
        coloured = picture.convert("RGBA")
        white = _Image.new("L", coloured.size, 255)
        white.paste(coloured.convert("L"), mask=coloured.getchannel("A"))
        return white
    grey: Image = (picture if mode in ("1", "L", "P", "RGB", "CMYK", "YCbCr") else picture.convert("RGB")).convert("L")
    return grey


def _coloured(picture: Any) -> Image:
    """In its colours, on white; what is deeper than 8 bits is grey."""
    if picture.mode.startswith("I") or picture.mode == "F":
        return _grey(picture).convert("RGB")
    if picture.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in picture.info:
        transparent = picture.convert("RGBA")
        white = _Image.new("RGB", transparent.size, "white")
        white.paste(transparent, mask=transparent.getchannel("A"))
        return white
    coloured: Image = picture.convert("RGB")
    return coloured


def _roughness(strips: Image) -> float:
    """How much the brightness changes from one pixel to the next along the rows of a picture."""
    values, width = strips.tobytes(), strips.width
    rows = [values[start : start + width] for start in range(0, len(values), width)]
    return sum((after - before) ** 2 for row in rows for before, after in pairwise(row)) / max(1, len(values))
