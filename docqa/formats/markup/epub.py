"""EPUB books: one page for each chapter file in reading order.

Sections come from the book's table of contents, or else from the chapters' own headings. Books locked by digital rights
management are refused. Pictures, ruby annotations and the numbers of printed pages are not read.
"""

import io
import re
from collections.abc import Iterator
from typing import Any
from zipfile import BadZipFile

from ebooklib import epub  # type: ignore[import-untyped]
from lxml import etree  # type: ignore[import-untyped]

from docqa.errors import Unreadable
from docqa.formats.markup.epub_container import Container, resolve
from docqa.formats.markup.epub_contents import Entry, entries, headings
from docqa.formats.markup.html import NOTES, parse, prose
from docqa.formats.markup.html import title as page_title
from docqa.formats.pages import ExtractedPage, Reading
from docqa.formats.properties import Properties

_OPF = "http://www.idpf.org/2007/opf"
_DC = "http://purl.org/dc/elements/1.1/"
_NCX = "application/x-dtbncx+xml"
_SVG = "image/svg+xml"
_NO_TEXT = (
    "image/",
    "audio/",
    "video/",
    "font/",
    "text/css",
    "application/pdf",
    "application/font",
    "application/vnd.ms-opentype",
    _NCX,
)
_CHAPTERS = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", _SVG, "")
_PAGES = (".xhtml", ".html", ".htm")
# XHTML allows any element to be written as empty, HTML only these; others would swallow the rest of the chapter.
_EMPTY = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)([A-Za-z][\w.:-]*)(\s[^<>]*)?/>"
)
# The tree of a chapter keeps no attributes with a prefix.
_TYPE = re.compile(r"\sepub:type\s*=")
# The elements that a drawing's texts are turned into, to become paragraphs and lines.
_DRAWN = {"svg": "div", "text": "p", "tspan": "li"}
_LISTS = {"page-list", "landmarks"}
_LONGEST_PAGE_MARK = 20
_NAMED = 10


class _Reader(epub.EpubReader):  # type: ignore[misc]
    """EbookLib's reader for a package document that has been repaired; other files are not loaded."""

    def __init__(self, package: bytes) -> None:
        super().__init__(io.BytesIO())
        self.package = package

    def read_file(self, name: str) -> bytes:
        """The package document for its own name, b"" for other files."""
        return self.package if name == self.opf_file else b""

    def _load(self) -> None:
        self._load_opf_file()

    def _parse_ncx(self, data: bytes) -> None:
        """`epub_contents` reads it."""

    def _parse_nav(self, data: bytes, base_path: str, navtype: str = "toc") -> None:
        """`epub_contents` reads it."""


def read(data: bytes, charset: str = "") -> Reading:
    """One page for each chapter; `charset` is ignored. A missing chapter is an empty page, with a note.

    Raises Unreadable for a book that is damaged, encrypted, or lists no chapters.
    """
    try:
        container = Container(data)
    except BadZipFile as error:
        raise Unreadable("The book is damaged: its ZIP directory cannot be read.") from error
    package = container.package() or ""
    book = _Reader(_mended(container, package)).load()
    items: dict[str, Any] = {}
    for item in book.items:
        items.setdefault(item.get_id(), item)
    chapters: dict[str, str] = {}
    for key, _ in book.spine:
        path = _path(package, items[key]) if key in items else key
        chapters.setdefault(container.find(path) or path, items[key].media_type if key in items else "")
    if not chapters:
        raise Unreadable("The book lists no chapters.")
    if any(map(container.is_locked, chapters)):
        raise Unreadable("The book is locked by digital rights management (DRM). Only books without it can be read.")
    listed: dict[str, list[Entry]] = {}
    for entry in entries(
        container,
        [
            _path(package, item)
            for kind in (epub.EpubNav, epub.EpubNcx)
            for item in items.values()
            if isinstance(item, kind)
        ],
    ):
        listed.setdefault(entry.file, []).append(entry)
    creators, dates = ([text for text, _ in book.get_metadata("DC", name)] for name in ("creator", "date"))
    properties = Properties.of(book.title, ", ".join(filter(None, creators)), next(iter(dates), ""))
    title, notes = " ".join((book.title or "").split()), list[str]()
    return Reading("epub", title, _pages(container, chapters, listed, title, notes), notes, properties=properties)


def _path(package: str, item: Any) -> str:
    return resolve(package, item.get_name())[0]


def _mended(container: Container, package: str) -> bytes:
    """The package document with all that is read of it, in a form that EbookLib reads without errors.

    If it lists no chapters, all files that could be chapters are listed, in the order of their names.
    """
    source = container.xml(package) if package else None
    elements = [] if source is None else list(source.iter("{*}*"))
    root = etree.Element(f"{{{_OPF}}}package", nsmap={None: _OPF, "dc": _DC})
    metadata, manifest, spine = (
        etree.SubElement(root, f"{{{_OPF}}}{name}") for name in ("metadata", "manifest", "spine")
    )
    titles = ("".join(element.itertext()) for element in elements if _local(element) == "title")
    etree.SubElement(metadata, f"{{{_DC}}}title").text = next(filter(str.strip, titles), "")
    for element in elements:
        if _local(element) in ("creator", "date") and (text := "".join(element.itertext()).strip()):
            etree.SubElement(metadata, f"{{{_DC}}}{_local(element)}").text = text
    items = [
        tuple(element.get(name, "") for name in ("id", "href", "media-type", "properties"))
        for element in elements
        if _local(element) == "item"
    ]
    items = [item for item in items if item[1]] or [
        (name, f"/{name}", "", "") for name in sorted(container.members) if name.casefold().endswith(_PAGES)
    ]
    for key, reference, kind, properties in items:
        marks = {"properties": "nav"} if "nav" in properties.split() else {}
        etree.SubElement(manifest, f"{{{_OPF}}}item", {"id": key, "href": reference, "media-type": kind, **marks})
    others = {
        element.get("id", ""): element.get("fallback", "")
        for element in elements
        if _local(element) == "item" and element.get("media-type", "") not in _CHAPTERS
    }
    listed = [_shown(element.get("idref", ""), others) for element in elements if _local(element) == "itemref"]
    for key in listed or [key for key, reference, _, _ in items if reference.casefold().endswith(_PAGES)]:
        etree.SubElement(spine, f"{{{_OPF}}}itemref", idref=key)
    return bytes(etree.tostring(root))


def _shown(key: str, others: dict[str, str]) -> str:
    """The item that is shown for one of the reading order; `others` are fallbacks of those that are no chapters."""
    passed = {key}
    while (following := others.get(key, "")) and following not in passed:
        key = following
        passed.add(key)
    return key


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2].casefold()


def _pages(
    container: Container, chapters: dict[str, str], listed: dict[str, list[Entry]], title: str, notes: list[str]
) -> Iterator[ExtractedPage]:
    """A page for each chapter, given by file and media type; one that begins no section continues the previous one."""
    section, before, missing = "", title, list[str]()
    for path, kind in chapters.items():
        source = container.text(path)
        if source is None:
            missing.append(path)
        root = parse(_html(source)) if source and (kind == _SVG or not kind.startswith(_NO_TEXT)) else None
        if root is None:
            yield ExtractedPage("", section)
            continue
        _prepare(root)
        chapter = prose(root)
        begins = headings(chapter, listed.get(path, []))
        own = page_title(root)
        # Many books give all chapters the same title, that of the book.
        section = (
            begins[0][1] if begins and begins[0][0] == 0 else section if begins or own in ("", title, before) else own
        )
        before = own
        yield ExtractedPage(chapter.text, section, tuple(begins), blocks=tuple(chapter.blocks))
        section = begins[-1][1] if begins else section
    if missing:
        names = ", ".join(missing[:_NAMED]) + (f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else "")
        notes.append(f"Chapters that the book lists are missing or damaged in it: {names}.")


def _html(source: str) -> str:
    return _TYPE.sub(" property=", _EMPTY.sub(r"<\1\2></\1>", source))


def _prepare(root: Any) -> None:
    """Show the texts of drawings, and of notes that are hidden until tapped; remove page numbers and lists of them."""
    for drawing in root.xpath("//svg[not(ancestor::svg)]"):
        etree.strip_elements(drawing, "title", "desc", "metadata", "style", "script", "defs", with_tail=False)
        for text in drawing.iter(*_DRAWN):
            text.tag = _DRAWN[text.tag]
    for element in list(root.iter()):
        if element.tag == "object":  # a foreign kind of content, as galleries are: what is in it stands in its place
            element.tag = "div"
        types = {*element.get("property", "").split(), element.get("role", "").removeprefix("doc-")}
        is_short = len(element) == 0 and len(element.text or "") <= _LONGEST_PAGE_MARK
        if types & NOTES:
            element.attrib.pop("hidden", None)
            element.attrib.pop("style", None)
        elif types & _LISTS or "pagebreak" in types and is_short:
            element.clear(keep_tail=True)
