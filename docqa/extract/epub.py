"""EPUB books: one page for each chapter file in reading order; books locked by digital rights management are refused."""

import io
import re
import zipfile
from html import unescape
from typing import Any
from urllib.parse import unquote

import ebooklib  # type: ignore[import-untyped]
from ebooklib import epub

from docqa.errors import Unreadable
from docqa.extract.encoding import decode
from docqa.extract.markup import parse, prose
from docqa.extract.markup import title as page_title
from docqa.extract.pages import ExtractedPage, Reading

_CHAPTERS = (ebooklib.ITEM_DOCUMENT, ebooklib.ITEM_NAVIGATION, ebooklib.ITEM_COVER)
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_ENCRYPTED = re.compile(rb"<(?:\w+:)?EncryptedData\b.*?</(?:\w+:)?EncryptedData>", re.DOTALL)
_ALGORITHM = re.compile(rb"EncryptionMethod[^>]*\bAlgorithm=[\"']([^\"']*)")
_PACKAGE = re.compile(rb"<(?:\w+:)?rootfile\b[^>]*?\bfull-path=[\"']([^\"']+)")
_XML_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*encoding=["']([\w.:-]+)""")
# XHTML allows these to be empty, in HTML they swallow the rest of the page.
_EMPTY = re.compile(r"<(script|style|title|iframe|textarea|noscript|div|span|p|a|td|th|i|b|em)\b([^<>]*?)/>")


class _Tolerant(epub.EpubReader):  # type: ignore[misc]
    """A picture or font that the book lists but does not hold is no reason to refuse its text."""

    def read_file(self, name: str) -> bytes:
        try:
            return bytes(super().read_file(name))
        except KeyError:
            if name == self.opf_file or name.startswith("META-INF/"):
                raise
            return b""

    def _load_container(self) -> None:
        """The first rendition is the default one; EbookLib takes the last."""
        super()._load_container()
        first = _PACKAGE.search(self.read_file("META-INF/container.xml"))
        if first:
            self.opf_file = unescape(first.group(1).decode("utf-8", "replace"))
            self.opf_dir = self.opf_file.rpartition("/")[0]

    def _parse_ncx(self, data: bytes) -> None:
        """Titles come from the chapters themselves."""

    def _parse_nav(self, data: bytes, base_path: str, navtype: str = "toc") -> None:
        """Titles come from the chapters themselves."""


def read(data: bytes, charset: str = "") -> Reading:
    """Raises Unreadable for a broken book, an encrypted one, and one whose list of chapters is empty."""
    if _locked(data):
        raise Unreadable("The book is locked by digital rights management (DRM). Only books without it can be read.")
    try:
        book = _Tolerant(io.BytesIO(data)).load()
    except (epub.EpubException, KeyError, ValueError, AttributeError, TypeError, IndexError, SyntaxError, zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise Unreadable("The book is damaged: its list of chapters cannot be read.") from error
    chapters = [item for item in (book.get_item_with_id(key) for key, _ in book.spine) if item is not None]
    pages, section = [], ""
    for item in chapters:
        page = _page(item, section)
        section = page.section
        pages.append(page)
    if not pages:
        raise Unreadable("The book lists no chapters.")
    return Reading("epub", str(book.title or "").strip(), pages)


def _page(item: Any, section: str) -> ExtractedPage:
    """A chapter; one without a heading of its own goes on with the section before it."""
    if item.media_type.startswith(("image/", "audio/", "video/")) and "svg" not in item.media_type or not item.content:
        return ExtractedPage("", section)
    content = bytes(item.content)
    declared = _XML_ENCODING.match(content)
    source = _EMPTY.sub(r"<\1\2></\1>", decode(content, declared.group(1).decode() if declared else ""))
    root = parse(re.sub(r"^\s*<\?xml[^>]*\?>", "", source))
    if root is None:
        return ExtractedPage("", section)
    text = prose(root)
    heading = text.headings[0][1] if text.headings else page_title(root)
    return ExtractedPage(text.text, " ".join(heading.split()) or section)


def _locked(data: bytes) -> bool:
    """True if anything but fonts is encrypted. Raises nothing that `archive.kind` has not refused before."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        locked = archive.read("META-INF/encryption.xml") if "META-INF/encryption.xml" in names else b""
        if any(archive.getinfo(name).flag_bits & 1 for name in names):
            return True
    for entry in _ENCRYPTED.findall(locked):
        algorithm = _ALGORITHM.search(entry)
        if algorithm is None or unquote(algorithm.group(1).decode("utf-8", "replace")) not in _FONTS:
            return True
    return False
