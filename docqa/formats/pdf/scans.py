"""What a PDF page shows that is no text: whether it is a scan, and its large pictures. Pages are PyMuPDF's."""

import zlib
from collections.abc import Iterable
from typing import Any

from docqa.formats.pictures.selection import LARGE, LEAST_PIXELS

Box = tuple[float, float, float, float]

_WRITTEN_OVER = 20  # characters over a picture: a scan with a text layer, or a background


def is_scan(page: Any, share: float) -> bool:
    """Whether a page has a picture of more than this share of its area, or as many strokes as handwriting has."""
    area = share * page.rect.width * page.rect.height
    strokes = 0
    for kind, box in page.get_bboxlog():
        if "image" in kind and (box[2] - box[0]) * (box[3] - box[1]) > area:
            return True
        strokes += "path" in kind
    return strokes > 50 and share < 0.5


def large_pictures(page: Any, blocks: Iterable[dict[str, Any]]) -> list[tuple[Box, object]]:
    """(place, what tells it from others) of each large picture of a page, not rotated, the largest first, without those
    over which text stands; `blocks` are its text, as PyMuPDF gives it."""
    # Sizes alone cost nothing; places take as long as the text.
    listed = [(image[0], (image[2], image[3])) for image in page.get_images()]
    if not any(width * height >= LEAST_PIXELS for _, (width, height) in listed):
        return []
    shown = page.rect * page.derotation_matrix
    area = LARGE * page.rect.width * page.rect.height
    pictures: list[tuple[Box, object]] = [
        ((left, top, right, bottom), _identity(page, (image["width"], image["height"]), listed))
        for image in page.get_image_info()
        if image["width"] * image["height"] >= LEAST_PIXELS
        for left, top, right, bottom in [tuple(shown & image["bbox"])]
        if (right - left) * (bottom - top) >= area
    ]
    lines = [line for block in blocks for line in block.get("lines", ())]
    free = [picture for picture in pictures if _letters(lines, picture[0]) < _WRITTEN_OVER]
    return sorted(free, key=lambda picture: _area(picture[0]), reverse=True)


def _identity(page: Any, size: tuple[int, int], listed: Iterable[tuple[int, tuple[int, int]]]) -> object:
    """What a picture of this size shows, by the bytes of its stream; where several have the size, which it is is not
    known, and it is told from all others. `listed` are (number of the object, size)."""
    streams = [xref for xref, known in listed if known == size]
    if len(streams) != 1:
        return page.number, size
    return zlib.crc32(page.parent.xref_stream_raw(streams[0]) or b""), size


def _letters(lines: Iterable[dict[str, Any]], box: Box) -> int:
    count = 0
    for line in lines:
        left, top, right, bottom = line["bbox"]
        if box[0] < (left + right) / 2 < box[2] and box[1] < (top + bottom) / 2 < box[3]:
            count += sum(len(span.get("text") or span.get("chars", ())) for span in line["spans"])
    return count


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
