"""One file → its pages, inside the process that calls it. The readers' libraries are imported when a file needs them."""

import importlib
from email.message import Message

from docqa.errors import Unreadable
from docqa.extract.kinds import detect
from docqa.extract.pages import MAX_CHARACTERS, MAX_PAGES, Extracted, ExtractedPage, clean

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


def read(data: bytes, name: str, media_type: str = "") -> Extracted:
    """The pages of a file; `media_type` is empty for an upload and may carry a charset for a link.

    Raises Unreadable with the reason, MemoryError where the process has too little.
    """
    header = Message()
    header["Content-Type"] = media_type
    kind = detect(data, name, header.get_content_type() if media_type else "")
    found = importlib.import_module(f"docqa.extract.{READERS[kind]}").read(data, header.get_content_charset("") if media_type else "")
    pages = [ExtractedPage(clean(page.text), clean(page.section)) for page in found.pages]
    _check(kind, pages)
    return Extracted(kind, clean(found.title), pages, found.notes)


def _check(kind: str, pages: list[ExtractedPage]) -> None:
    if len(pages) > MAX_PAGES:
        raise Unreadable(f"The file has {len(pages):,} pages; up to {MAX_PAGES:,} are read. Split it and upload the parts.")
    if sum(len(page.text) for page in pages) > MAX_CHARACTERS:
        raise Unreadable(f"The file holds more than {MAX_CHARACTERS:,} characters. Split it and upload the parts.")
    if any(page.text.strip() for page in pages):
        return
    if kind == "pdf":
        where = "its only page" if len(pages) == 1 else f"any of its {len(pages)} pages"
        raise Unreadable(f"There is no text on {where}: the PDF is scanned; run text recognition (OCR) over it and upload the result.")
    raise Unreadable("There is no text in the file.")
