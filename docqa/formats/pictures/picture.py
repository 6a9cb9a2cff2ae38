"""Pictures (.png, .jpg, .tiff, .webp, .gif, .bmp): each frame that is a page of its own is a page.

The first pages are read at once, so that a picture without text can be refused and a receipt is searchable when its
upload is answered; the further ones of a long TIFF wait for the background, as the pages of a scanned PDF do.
"""

from collections.abc import Iterator
from time import monotonic
from typing import Any

from docqa.errors import Unreadable
from docqa.formats.pages import MAX_PAGES, ExtractedPage, Reading
from docqa.formats.pictures.data import INSTALL, languages
from docqa.formats.pictures.decode import decoded, frames, open_picture
from docqa.formats.pictures.recognition import recognise as recognise_picture

_AT_ONCE = 8.0  # seconds, after which no further page is begun while the upload waits
_FIRST = 10.0  # seconds of a processor that trying may take for a page while the upload waits


def read(data: bytes, setting: str = "") -> Reading:
    """One page for each frame; `setting` are the languages as for `recognition.recognise`.

    Raises Unreadable for a picture that is damaged or too large, and where there are no data for text recognition.
    """
    picture = open_picture(data)
    if not languages():
        raise Unreadable(
            f"Pictures are read by text recognition, whose data are missing. {INSTALL}, then upload it again."
        )
    return Reading("image", "", _pages(picture, setting))


def _pages(picture: Any, setting: str) -> Iterator[ExtractedPage]:
    end = monotonic() + _AT_ONCE
    for count, number in enumerate(list(frames(picture, MAX_PAGES + 1))):
        if count and monotonic() > end:
            yield ExtractedPage("", unread=True)
            continue
        yield recognise_picture(decoded(picture, number), setting, seconds=_FIRST)


def recognise(data: bytes, page_number: int, setting: str, hint: str) -> ExtractedPage:
    """A page that was not read at once; arguments as for `reading.recognise`. Raises Unreadable."""
    picture = open_picture(data)
    return recognise_picture(decoded(picture, page_frame(picture, page_number)), setting, hint)


def page_frame(picture: Any, page_number: int) -> int:
    """The frame that is a page, from 1. Raises Unreadable where there is none."""
    numbers = list(frames(picture, MAX_PAGES + 1))
    if page_number > len(numbers):
        raise Unreadable(f"The picture has no page {page_number}.")
    return numbers[page_number - 1]
