"""Turns a file into pages, inside the calling process. A reader's library is imported when a file needs it."""

import importlib
from collections.abc import Iterable, Iterator

from docqa.errors import Unreadable
from docqa.formats.header_value import HeaderValue
from docqa.formats.kinds import detect
from docqa.formats.names import OF_ROWS
from docqa.formats.pages import MAX_CHARACTERS, MAX_PAGES, TOO_MANY_PAGES, Extracted, ExtractedPage, Reading, clean
from docqa.formats.pictures import data as tessdata
from docqa.formats.sections import with_sections
from docqa.formats.unpaged_contents import without_contents

READERS = {
    "pdf": "pdf.document",
    "txt": "plain.txt",
    "csv": "plain.csv",
    "pptx": "slides.pptx",
    "ppt": "slides.ppt",
    "epub": "markup.epub",
    "rtf": "rtf.reading",
    "html": "markup.web",
    "docx": "office.docx",
    "odt": "office.odt",
    "doc": "office.doc",
    "md": "markup.markdown",
    "json": "data.json",
    "xml": "data.xml",
    "eml": "mail.eml",
    "mbox": "mail.mbox",
    "msg": "mail.msg",
    "xlsx": "sheets.xlsx",
    "ods": "sheets.ods",
    "xls": "sheets.binary",
    "odp": "slides.odp",
    "image": "pictures.picture",
}


def read(data: bytes, name: str, media_type: str = "", languages: str = "") -> Reading:
    """The pages of a file; `media_type` is empty for an upload and may carry a charset for a link, `languages` are
    those of text recognition, as the setting has them.

    Raises Unreadable with the reason, at once or during the iteration over the pages; MemoryError.
    """
    header = HeaderValue(media_type)
    kind = detect(data, name, header.media_type if media_type else "")
    reader = importlib.import_module(f"docqa.formats.{READERS[kind]}")
    charset = (header.parameter("charset") or "").lower()
    document: Reading = reader.read(data, languages if kind == "image" else charset)
    document.title, document.pages = clean(document.title), _checked(document, document.pages)
    if document.kind not in OF_ROWS:
        document.pages = without_contents(document.pages)
    if document.is_flat:
        document.pages = with_sections(document.pages)
    return document


def recognise(data: bytes, page_number: int, languages: str = "", hint: str = "") -> ExtractedPage:
    """A page that waits for text recognition; arguments as for `ingest.reader.recognise`. Raises Unreadable."""
    reader = importlib.import_module(f"docqa.formats.{READERS[detect(data, '', '')]}")
    page: ExtractedPage = reader.recognise(data, page_number, languages, hint)
    return page


def recognise_beside(data: bytes, page_number: int, languages: str = "", hint: str = "") -> ExtractedPage:
    """What stands on the large pictures of a page that has a text; arguments as for `recognise`. Raises Unreadable."""
    from docqa.formats.pictures.beside import read_beside

    reader = importlib.import_module(f"docqa.formats.{READERS[detect(data, '', '')]}")
    return read_beside(reader.pictures(data, page_number), languages, hint).cleaned()


def read_whole(data: bytes, name: str, media_type: str = "") -> Extracted:
    """As `read`, but all pages at once."""
    document = read(data, name, media_type)
    pages = list(document.pages)
    about = document.notes, document.tables, document.properties, document.attachments
    return Extracted(document.kind, document.title, pages, *about)


def _checked(document: Reading, pages: Iterable[ExtractedPage]) -> Iterator[ExtractedPage]:
    """The pages, cleaned and counted. Raises Unreadable if they are too many, or if none of them has any text."""
    count, characters, has_text, unread = 0, 0, False, False
    for page in pages:
        page = page.cleaned()
        count += 1
        characters += len(page.text)
        has_text = has_text or bool(page.text.strip())
        unread = unread or page.unread or page.pictures > 0
        if count > MAX_PAGES:
            raise Unreadable(TOO_MANY_PAGES)
        if characters > MAX_CHARACTERS:
            raise Unreadable(f"The file holds more than {MAX_CHARACTERS:,} characters. Split it and upload the parts.")
        yield page
    if has_text or unread and tessdata.languages():
        return
    if document.notes:
        raise Unreadable(f"No text could be read. {' '.join(document.notes[:3])}")
    if document.kind == "image":
        raise Unreadable(
            "There is no text in the picture, or none that can be read with the languages that there are data for "
            f"({', '.join(tessdata.languages())}). {tessdata.MORE}"
        )
    if document.kind == "pdf":
        where = "its only page" if count == 1 else f"any of its {count} pages"
        why = f"the PDF is scanned. {tessdata.INSTALL}, then upload it again." if unread else "nothing is shown there."
        raise Unreadable(f"There is no text on {where}: {why}")
    raise Unreadable("There is no text in the file.")
