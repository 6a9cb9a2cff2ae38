"""EPUB books: one page for each chapter file in reading order, with the sections of the book's table of contents, else the chapters' own headings.

Books locked by digital rights management are refused. Pictures, the readings above Japanese characters and the numbers of printed pages are not read.
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
from docqa.formats.markup.html import parse, prose
from docqa.formats.markup.html import title as page_title
from docqa.formats.pages import ExtractedPage, Reading

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
_PAGES = (".xhtml", ".html", ".htm")
# XHTML allows any element to be written as empty. HTML knows that of these; others would swallow the rest of the chapter.
_EMPTY = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)([A-Za-z][\w.:-]*)(\s[^<>]*)?/>"
)
# The tree of a chapter keeps no names with a prefix.
_TYPE = re.compile(r"\sepub:type\s*=")
_NOTES = {"footnote", "endnote", "rearnote", "note", "footnotes", "endnotes", "rearnotes"}
# A drawing's texts, as elements that are paragraphs and lines.
_DRAWN = {"svg": "div", "text": "p", "tspan": "li"}
_LISTS = {"page-list", "landmarks"}
_LONGEST_PAGE_MARK = 20
_NAMED = 10


class _Reader(epub.EpubReader):  # type: ignore[misc]
    """EbookLib's reading of a package document that was put right before; files are left where they are until their turn comes."""

    def __init__(self, package: bytes) -> None:
        super().__init__(io.BytesIO())
        self.package = package

    def read_file(self, name: str) -> bytes:
        return self.package if name == self.opf_file else b""

    def _load(self) -> None:
        self._load_opf_file()

    def _parse_ncx(self, data: bytes) -> None:
        """`epub_contents` reads it."""

    def _parse_nav(self, data: bytes, base_path: str, navtype: str = "toc") -> None:
        """`epub_contents` reads it."""


def read(data: bytes, charset: str = "") -> Reading:
    """Raises Unreadable for a broken book, an encrypted one, and one that lists no chapters; a missing chapter costs itself and a note."""
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
    title, notes = " ".join((book.title or "").split()), list[str]()
    return Reading("epub", title, _pages(container, chapters, listed, title, notes), notes)


def _path(package: str, item: Any) -> str:
    return resolve(package, item.get_name())[0]


def _mended(container: Container, package: str) -> bytes:
    """The package document with all that is read of it and nothing that EbookLib stumbles over: elements in their namespace, each with
    its attributes. Without a list of chapters, all that could be chapters are listed, in the order of their names."""
    source = container.xml(package) if package else None
    found = [] if source is None else list(source.iter("{*}*"))
    root = etree.Element(f"{{{_OPF}}}package", nsmap={None: _OPF, "dc": _DC})
    metadata, manifest, spine = (
        etree.SubElement(root, f"{{{_OPF}}}{name}") for name in ("metadata", "manifest", "spine")
    )
    titles = ("".join(one.itertext()) for one in found if _local(one) == "title")
    etree.SubElement(metadata, f"{{{_DC}}}title").text = next(filter(str.strip, titles), "")
    items = [
        (one.get("id", ""), one.get("href", ""), one.get("media-type", ""), one.get("properties", ""))
        for one in found
        if _local(one) == "item"
    ]
    items = [item for item in items if item[1]] or [
        (name, f"/{name}", "", "") for name in sorted(container.members) if name.casefold().endswith(_PAGES)
    ]
    for key, reference, kind, properties in items:
        marks = {"properties": "nav"} if "nav" in properties.split() else {}
        etree.SubElement(manifest, f"{{{_OPF}}}item", {"id": key, "href": reference, "media-type": kind, **marks})
    listed = [one.get("idref", "") for one in found if _local(one) == "itemref"]
    for key in listed or [key for key, reference, _, _ in items if reference.casefold().endswith(_PAGES)]:
        etree.SubElement(spine, f"{{{_OPF}}}itemref", idref=key)
    return bytes(etree.tostring(root))


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2].casefold()


def _pages(
    container: Container, chapters: dict[str, str], listed: dict[str, list[Entry]], title: str, notes: list[str]
) -> Iterator[ExtractedPage]:
    """A page for each chapter, given as its file and media type; one that begins no section goes on with the one before it."""
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
        # Many books give all their chapters the same title, that of the book.
        section = (
            begins[0][1] if begins and begins[0][0] == 0 else section if begins or own in ("", title, before) else own
        )
        before = own
        yield ExtractedPage(chapter.text, section, tuple(begins))
        section = begins[-1][1] if begins else section
    if missing:
        names = ", ".join(missing[:_NAMED]) + (f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else "")
        notes.append(f"Chapters that the book lists are missing or damaged in it: {names}.")


def _html(source: str) -> str:
    return _TYPE.sub(" property=", _EMPTY.sub(r"<\1\2></\1>", source))


def _prepare(root: Any) -> None:
    """Show the texts of drawings and of notes that wait hidden for a tap; take out page numbers and the lists of them."""
    for drawing in root.xpath("//svg[not(ancestor::svg)]"):
        etree.strip_elements(drawing, "title", "desc", "metadata", "style", "script", "defs", with_tail=False)
        for one in drawing.iter(*_DRAWN):
            one.tag = _DRAWN[one.tag]
    for one in list(root.iter()):
        types = {*one.get("property", "").split(), one.get("role", "").removeprefix("doc-")}
        if types & _NOTES:
            one.attrib.pop("hidden", None)
            one.attrib.pop("style", None)
        elif types & _LISTS or "pagebreak" in types and len(one) == 0 and len(one.text or "") <= _LONGEST_PAGE_MARK:
            one.clear(keep_tail=True)
