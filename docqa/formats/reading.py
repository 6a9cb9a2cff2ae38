"""One file → its pages, inside the process that calls it. The readers' libraries are imported when a file needs them."""

import importlib
from collections.abc import Iterable, Iterator
from email.message import Message

from docqa.errors import Unreadable
from docqa.formats.kinds import detect
from docqa.formats.pages import MAX_CHARACTERS, MAX_PAGES, Extracted, ExtractedPage, Reading, clean
from docqa.formats.pdf import ocr as tessdata

READERS = {
    "pdf": "pdf.document",
    "txt": "plain.txt",
    "csv": "plain.csv",
    "pptx": "slides.pptx",
    "ppt": "slides.ppt",
    "epub": "markup.epub",
    "rtf": "rtf.reading",
    "html": "markup.web",
}


def read(data: bytes, name: str, media_type: str = "") -> Reading:
    """The pages of a file; `media_type` is empty for an upload and may carry a charset for a link.

    Raises Unreadable with the reason, at once or while the pages are asked for; MemoryError where the process has too little.
    """
    header = Message()
    header["Content-Type"] = media_type
    kind = detect(data, name, header.get_content_type() if media_type else "")
    found: Reading = importlib.import_module(f"docqa.formats.{READERS[kind]}").read(
        data, header.get_content_charset("") if media_type else ""
    )
    found.title, found.pages = clean(found.title), _checked(found, found.pages)
    return found


def recognise(data: bytes, page_number: int, languages: str) -> ExtractedPage:
    """A scanned page of a PDF, read by text recognition. Raises Unreadable where that cannot be."""
    from docqa.formats.pdf import document as pdf

    return pdf.recognise(data, page_number, languages)


def read_whole(data: bytes, name: str, media_type: str = "") -> Extracted:
    """As `read`, with all pages at once."""
    found = read(data, name, media_type)
    return Extracted(found.kind, found.title, list(found.pages), found.notes, found.table)


def _checked(found: Reading, pages: Iterable[ExtractedPage]) -> Iterator[ExtractedPage]:
    """The pages, valid and bounded. Raises Unreadable where they are too many, or none of them has a text."""
    count, characters, has_text, unread = 0, 0, False, False
    for page in pages:
        page = page.cleaned()
        count += 1
        characters += len(page.text)
        has_text = has_text or bool(page.text.strip())
        unread = unread or page.unread
        if count > MAX_PAGES:
            raise Unreadable(
                f"The file has more than {MAX_PAGES:,} pages, which is the limit. Split it and upload the parts."
            )
        if characters > MAX_CHARACTERS:
            raise Unreadable(f"The file holds more than {MAX_CHARACTERS:,} characters. Split it and upload the parts.")
        yield page
    if has_text or unread and tessdata.languages():
        return
    if found.notes:
        raise Unreadable(f"No text could be read. {' '.join(found.notes[:3])}")
    if found.kind == "pdf":
        where = "its only page" if count == 1 else f"any of its {count} pages"
        why = (
            f"the PDF is scanned. {tessdata.INSTALL}, start the server again and upload the file again."
            if unread
            else "nothing is shown there."
        )
        raise Unreadable(f"There is no text on {where}: {why}")
    raise Unreadable("There is no text in the file.")
