"""HTML and XHTML → text: paragraphs with blank lines between; headings, list items, table rows (`a | b | c`) are lines.

Style sheets and scripts are not run: what they hide is read, what they add is not. Pictures, list numbers and ruby
annotations are left out; a formula becomes its TeX source if it has one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from lxml import etree, html  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

from docqa.errors import Unreadable
from docqa.formats.markup.prose import CELLS, HEADINGS, Prose, Writer
from docqa.formats.markup.row_spans import RowSpans, SpanCell
from docqa.formats.properties import Properties

__all__ = ["Prose", "parse", "properties", "prose", "title"]

# Browsers stop nesting at 512; without a bound, walking a deep tree takes quadratic time.
DEEPEST = 500
MOST_ELEMENTS = 1_000_000
LONGEST_CELL = 300
MOST_COLUMNS = 50
_KEPT_ATTRIBUTES = {
    "class", "id", "href", "style", "hidden", "name", "content", "property", "role", "itemprop", "colspan", "rowspan",
    "open", "alttext", "aria-hidden", "aria-expanded", "aria-controls",
}  # fmt: skip
_SKIPPED = {
    "script", "style", "template", "head", "iframe", "object", "embed", "svg", "canvas", "audio", "video", "select",
    "datalist", "textarea", "rt", "rp", "rtc",
}  # fmt: skip
_PAGE_PARTS = ("table", "pre", *sorted(HEADINGS))
# Roles and types of elements that hold footnotes.
NOTES = {"footnote", "endnote", "rearnote", "note", "footnotes", "endnotes", "rearnotes"}
# Prefixes that Word writes: its <o:p> is not a paragraph.
_OFFICE = ("o", "v", "w", "x")
_SYMBOLS = ("mi", "mn", "mo", "ms", "mtext")
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_NO_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_XHTML = re.compile(r"""^\s*<\?xml\s|<html\s[^>]*http://www\.w3\.org/1999/xhtml""")
# XHTML allows these as empty elements; read as HTML, they would swallow the rest of the page.
_EMPTY = re.compile(r"<(script|style|title|iframe|textarea|noscript|div|span|p|a|td|th|i|b|em)(\s[^<>]*)?/>")


def parse(source: str) -> HtmlElement | None:
    """The tree of a page or chapter, None if it is empty; without comments and most attributes. Nothing is loaded.

    Raises Unreadable for more than a million elements.
    """
    if _XHTML.search(source[:2_000]):
        source = _EMPTY.sub(r"<\1\2></\1>", source)
    parser = etree.HTMLParser(target=_Tree(), encoding="utf-8", no_network=True, huge_tree=True)
    try:
        return etree.fromstring(_escaped(source).encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None


def title(root: HtmlElement) -> str:
    """What the page calls itself: its social title, else its <title>, else its first heading."""
    for path in ("//meta[@property='og:title']/@content", "//title[not(ancestor::svg)]", "//h1"):
        for node in root.xpath(path):
            text = node if isinstance(node, str) else node.text_content()
            if text.strip():
                return " ".join(text.split())
    return ""


def properties(root: HtmlElement) -> Properties:
    """What the page's head says of it."""

    def named(*names: str) -> str:
        for name in names:
            for content in root.xpath("//meta[@name=$name or @property=$name]/@content", name=name):
                if content.strip() and "://" not in content:
                    return str(content)
        return ""

    date = named("article:published_time", "date", "DC.date", "dcterms.created", "article:modified_time")
    return Properties.of(title(root), named("author", "article:author", "DC.creator"), date)


def prose(root: HtmlElement, everything: bool = False) -> Prose:
    """The readable text below `root` in document order.

    With `everything`, what is hidden, or meant for browsers without scripts, is included.
    """
    writer = Writer()
    walk = etree.iterwalk(root, events=("start", "end"))
    skipped: HtmlElement | None = None
    tables: list[RowSpans] = []
    above: Iterator[list[SpanCell]] = iter(())  # cells from the rows above, by the place in the row that is open
    for event, element in walk:
        if event == "start":
            if name := element.get("id") or element.tag == "a" and element.get("name"):
                writer.anchor(name)
            if element.tag == "math" or _is_skipped(element) or not everything and _is_hidden(element):
                writer.write(_formula(element) if element.tag == "math" else "")
                skipped = element
                walk.skip_subtree()
            else:
                if element.tag == "table":
                    tables.append(RowSpans())
                is_row = False
                if element.tag == "tr":
                    cells = [cell for cell in element if cell.tag in CELLS and (everything or not _is_hidden(cell))]
                    spanned = (tables or [RowSpans()])[-1].row([_cell(cell) for cell in cells])
                    is_row = _is_row(element, cells, sum(map(len, spanned)))
                    above = iter(spanned if is_row else ())
                elif element.tag in CELLS:
                    _write_cells(writer, next(above, []))
                writer.open(element.tag, element.text, is_row, _columns(element), _is_note(element))
            continue
        if element is not skipped:
            if element.tag == "tr":
                _write_cells(writer, next(above, []))
            elif element.tag == "table":
                tables.pop()
            writer.close(element.tag)
        skipped = None
        if element is not root:
            writer.write(element.tail)
    return writer.finish()


def _is_skipped(element: HtmlElement) -> bool:
    """Whether it is not for reading: code, pictures, form fields.

    So is a button, unless it expands a part of the page and is thus the heading of that part.
    """
    if element.tag != "button":
        return element.tag in _SKIPPED
    opens = element.get("aria-expanded") is not None or element.get("aria-controls") is not None
    return not opens and element.getparent().tag not in (*HEADINGS, "dt", "legend", "summary")


def _is_hidden(element: HtmlElement) -> bool:
    """Whether it is not shown. A formula that a picture or drawing replaces counts as shown, the drawing as hidden."""
    if element.tag == "noscript" or element.tag == "dialog" and element.get("open") is None:
        return True
    if element.get("aria-hidden") == "true" and any(
        _has_formula(beside) for beside in (element.getprevious(), element.getnext())
    ):
        return True
    hidden = element.get("hidden") not in (None, "until-found") or "display:none" in "".join(
        (element.get("style") or "").lower().split()
    )
    return hidden and not _has_formula(element)


def _has_formula(element: HtmlElement | None) -> bool:
    return element is not None and (element.tag == "math" or element.find(".//math") is not None)


def _formula(element: HtmlElement) -> str:
    """A formula's TeX source, or else its symbols."""
    for source in (element.findtext(".//annotation"), element.get("alttext")):
        if source and source.strip():
            return str(source).strip()
    return " ".join(symbol.text.strip() for symbol in element.iter(*_SYMBOLS) if symbol.text)


def _is_row(row: HtmlElement, cells: Sequence[HtmlElement], above: int) -> bool:
    """Whether it is a row of data, with so many cells from the rows above; tables that lay out a page hold headings,
    other tables or long text."""
    if not cells or len(cells) + above < 2 or any(row.find(f".//{name}") is not None for name in _PAGE_PARTS):
        return False
    return all(sum(map(len, cell.itertext())) <= LONGEST_CELL for cell in cells)


def _is_note(element: HtmlElement) -> bool:
    """Whether it holds footnotes, by its role or, in a book, its type."""
    kinds = f"{element.get('role') or ''} {element.get('property') or ''}"
    return bool(kinds.strip()) and not NOTES.isdisjoint(kinds.replace("doc-", "").split())


def _columns(cell: HtmlElement) -> int:
    return min(_span(cell, "colspan"), MOST_COLUMNS) if cell.tag in CELLS else 1


def _span(cell: HtmlElement, name: str) -> int:
    span = cell.get(name)
    return max(1, int(span[:4])) if span and span.isdecimal() else 1


def _cell(cell: HtmlElement) -> SpanCell:
    """A cell of a row, with what it shows where it spans more rows and holds only text."""
    rows = _span(cell, "rowspan")
    is_plain = rows > 1 and not any(_is_skipped(inner) or _is_hidden(inner) for inner in cell.iterdescendants())
    return SpanCell(cell.tag, " ".join("".join(cell.itertext()).split()) if is_plain else "", _columns(cell), rows)


def _write_cells(writer: Writer, cells: Iterable[SpanCell]) -> None:
    for cell in cells:
        writer.open(cell.name, cell.text)
        writer.close(cell.name)


def _escaped(source: str) -> str:
    """The source with CDATA sections, which HTML does not have, as plain characters."""
    before, *sections = source.split("<![CDATA[")
    ends = (section.partition("]]>") for section in sections)
    return before + "".join(escape(inside, quote=False) + after for inside, _, after in ends)


class _Tree:
    """Builds the tree from the parser's events; elements nested deeper than DEEPEST become siblings, in their order.

    libxml2's own builder drops the rest of a page that is nested too deep, and takes a minute for 60,000 attributes of
    one element.
    """

    def __init__(self) -> None:
        self.root: HtmlElement | None = None
        self.path: list[HtmlElement] = []
        self.ended: HtmlElement | None = None
        self.texts: list[str] = []
        self.count = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._put_text()
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise Unreadable(
                f"The page has more than {MOST_ELEMENTS:,} elements, which is the limit. Split it into smaller pages."
            )
        prefix, _, name = tag.lower().rpartition(":")
        name = name if _NAME.fullmatch(name) and prefix not in _OFFICE else "span"
        kept = {key: _NO_XML.sub("", value or "") for key, value in attributes.items() if key in _KEPT_ATTRIBUTES}
        if self.root is None:
            self.root = element = html.Element(name, kept)
        else:
            element = etree.SubElement(
                self.path[min(len(self.path), DEEPEST) - 1] if self.path else self.root, name, kept
            )
        self.path.append(element)
        self.ended = None

    def end(self, tag: str) -> None:
        self._put_text()
        self.ended = self.path.pop()

    def data(self, text: str) -> None:
        self.texts.append(text)

    def close(self) -> HtmlElement | None:
        self._put_text()
        return self.root

    def _put_text(self) -> None:
        text = _NO_XML.sub("", "".join(self.texts))
        self.texts.clear()
        if text and self.ended is not None:
            self.ended.tail = text
        elif text and self.path:
            self.path[-1].text = text
