"""A PDF opened by MuPDF, and a page of it; what damaged files raise ends here."""

from typing import TYPE_CHECKING, Any

import pymupdf as _pymupdf

from docqa.errors import Unreadable

if TYPE_CHECKING:
    from docqa.formats.pictures.decode import Image  # what decodes pictures is imported only where there are some

pymupdf: Any = _pymupdf  # its functions carry no type hints
BROKEN = (RuntimeError, ValueError, TypeError, pymupdf.mupdf.FzErrorBase)  # what MuPDF raises on a damaged object
_RESOLUTION = 300  # dots per inch
_LONGEST_SIDE = 6000  # dots; a poster is read at a lower resolution


def open_pdf(data: bytes) -> Any:
    """A PDF, which may have a password. Raises Unreadable."""
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        return pymupdf.open(stream=data, filetype="pdf")
    except BROKEN as error:
        raise_if_memory(error)
        raise Unreadable("The PDF is damaged and cannot be opened.") from error


def opened(data: bytes) -> tuple[Any, int]:
    """(document, how many pages it has). Raises Unreadable, for one with a password too."""
    document = open_pdf(data)
    if document.needs_pass and not document.authenticate(""):
        raise Unreadable("The PDF is password-protected. Save it without a password and upload it again.")
    return _with_pages(document, data)


def _with_pages(document: Any, data: bytes) -> tuple[Any, int]:
    """(document, how many pages it has): a broken cross-reference table hides the pages; without a pointer to it MuPDF
    searches the file for them."""
    if count := _page_count(document):
        return document, count
    searched = open_pdf(data.replace(b"startxref", b"startxxxx"))
    return searched, _page_count(searched)


def _page_count(document: Any) -> int:
    try:
        return int(document.page_count)
    except BROKEN:
        return 0  # as if it had no pages: the caller repairs or refuses


def open_page(data: bytes, page_number: int) -> Any:
    """A page of a PDF, from 1. Raises Unreadable."""
    document, _ = opened(data)
    try:
        return document[page_number - 1]
    except (*BROKEN, IndexError) as error:
        raise_if_memory(error)
        raise Unreadable(f"Page {page_number} is damaged and cannot be shown.") from error


def raise_if_memory(error: Exception) -> None:
    """Raises MemoryError for what MuPDF raises where an allocation fails."""
    if any(word in str(error).lower() for word in ("malloc", "alloc (", "out of memory", "memory")):
        raise MemoryError(str(error)) from error


def rendered(page: Any, part: Any) -> "Image":
    """A part of a page as it is shown. Raises Unreadable."""
    from docqa.formats.pictures.decode import from_grey

    inches = max(part.width, part.height, 1) / 72
    resolution = max(72, min(_RESOLUTION, int(_LONGEST_SIDE / inches)))
    try:
        pixels = page.get_pixmap(dpi=resolution, colorspace=pymupdf.csGRAY, alpha=False, clip=part)
    except BROKEN as error:
        raise_if_memory(error)
        raise Unreadable(f"Page {page.number + 1} is damaged and cannot be shown.") from error
    return from_grey(pixels.width, pixels.height, pixels.samples)
