"""One file → its pages, inside the process that calls it. The readers' libraries are imported when a file needs them."""

import importlib
from collections.abc import Iterator
from email.message import Message

from docqa.errors import Unreadable
from docqa.extract.kinds import detect
from docqa.extract.pages import MAX_CHARACTERS, MAX_PAGES, Extracted, ExtractedPage, Reading, clean

READERS = {
    "pdf": "pdf",
    "txt": "text",
    "csv": "delimited",
    "pptx": "slides",
    "ppt": "binary_slides",
    "epub": "epub",
    "rtf": "rtf",
    "html": "web",
}


def read(data: bytes, name: str, media_type: str = "") -> Reading:
    """The pages of a file; `media_type` is empty for an upload and may carry a charset for a link.

    Raises Unreadable with the reason, at once or while the pages are asked for; MemoryError where the process has too little.
    """
    header = Message()
    header["Content-Type"] = media_type
    kind = detect(data, name, header.get_content_type() if media_type else "")
    found: Reading = importlib.import_module(f"docqa.extract.{READERS[kind]}").read(data, header.get_content_charset("") if media_type else "")
    return Reading(found.kind, clean(found.title), _checked(found), found.notes)


def read_whole(data: bytes, name: str, media_type: str = "") -> Extracted:
    """As `read`, with all pages at once."""
    found = read(data, name, media_type)
    return Extracted(found.kind, found.title, list(found.pages), found.notes)


def _checked(found: Reading) -> Iterator[ExtractedPage]:
    """The pages, valid and bounded. Raises Unreadable where they are too many, or none of them has a text."""
    count, characters, has_text = 0, 0, False
    for page in found.pages:
        page = page.cleaned()
        count += 1
        characters += len(page.text)
        has_text = has_text or bool(page.text.strip())
        if count > MAX_PAGES:
            raise Unreadable(f"The file has more than {MAX_PAGES:,} pages, which is the limit. Split it and upload the parts.")
        if characters > MAX_CHARACTERS:
            raise Unreadable(f"The file holds more than {MAX_CHARACTERS:,} characters. Split it and upload the parts.")
        yield page
    if has_text:
        return
    if found.kind == "pdf":
        where = "its only page" if count == 1 else f"any of its {count} pages"
        raise Unreadable(f"There is no text on {where}: the PDF is scanned; run text recognition (OCR) over it and upload the result.")
    raise Unreadable("There is no text in the file.")
