"""OpenDocument texts (.odt, .ott, .fodt): pages as they were when it was saved, or of about 3,000 characters.

Deleted and hidden text is left out. Notes, comments and text boxes follow the paragraph that they are anchored in,
headers and footers stand once. Not read: pictures, forms, embedded documents other than charts and formulas.
"""

import zipfile
from typing import Any

from docqa.errors import Unreadable
from docqa.formats.office.drawing import written_description
from docqa.formats.office.flow import Cell, Flow, Line
from docqa.formats.office.nesting import DEEPEST
from docqa.formats.office.odt_lists import Lists
from docqa.formats.office.odt_masters import Masters
from docqa.formats.office.odt_story import DC, DRAW, LONGEST_NAME, OFFICE, TABLE, Story
from docqa.formats.office.odt_styles import TEXT, Styles
from docqa.formats.office.odt_tables import read_table, table_rows
from docqa.formats.office.package import Package, parse
from docqa.formats.pages import Reading
from docqa.formats.properties import Properties

_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_MATH = "{http://www.w3.org/1998/Math/MathML}"
_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_DRAWN = {
    DRAW + name for name in ("frame", "g", "a", "caption", "custom-shape", "rect", "ellipse", "circle", "line")
} | {DRAW + name for name in ("polyline", "polygon", "path", "connector", "measure", "regular-polygon")}
_DAMAGED = "The document is damaged and cannot be opened. Open it in LibreOffice, save it again and upload that."


def read(data: bytes, charset: str = "") -> Reading:
    """The document in pages; `charset` is ignored. Of damaged parts what remains is read, with a note.

    Raises Unreadable for a document that is damaged or more complex than fits in memory.
    """
    package = None
    if data.startswith(b"PK") or not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        try:
            package = Package(data)
        except zipfile.BadZipFile as error:
            raise Unreadable(_DAMAGED) from error
        roots = [package.root(f"{name}.xml") for name in ("content", "styles", "meta")]
    else:
        roots = [parse(data), None, None]  # all in one file
    body = None if roots[0] is None else roots[0].find(f"{OFFICE}body/{OFFICE}text")
    if body is None:
        raise Unreadable(_DAMAGED)
    roots = [root for root in roots if root is not None]
    document = Document(package, roots)
    flow = document.read(body)
    properties = _properties(roots)
    breaks_are_known = next(body.iter(TEXT + "soft-page-break"), None) is not None
    pages = flow.pages(breaks_are_known=breaks_are_known)
    return Reading("odt", properties.title, pages, document.remarks(), properties=properties)


def _properties(roots: list[Any]) -> Properties:
    """What the document says of itself (4.3)."""
    texts: dict[str, str] = {}
    for root in roots:
        for meta in root.iter(OFFICE + "meta"):
            for node in meta:
                texts.setdefault(str(node.tag), node.text or "")
    author = texts.get(_META + "initial-creator") or texts.get(DC + "creator")
    date = texts.get(_META + "creation-date") or texts.get(DC + "date")
    return Properties.of(texts.get(DC + "title"), author, date)


class Document:
    """A document while it is read: what its stories share, as `odt_story.Document` describes it."""

    def __init__(self, package: Package | None, roots: list[Any]) -> None:
        """`package` is None for a document that is a single XML file."""
        self.package = package
        self.styles = Styles(roots)
        self.lists = Lists(self.styles)
        self.masters = Masters(roots, self._running)
        self.is_too_deep = False
        self.has_text = False
        self._endnotes: list[Line] = []
        self._drawn: set[str] = set()

    def read(self, body: Any) -> Flow:
        """The flow of the body, with all that belongs to it."""
        story = Story(self, is_body=True)
        story.read(body)
        self.masters.end(story.flow)
        story.flow.lines += self._endnotes
        self.masters.settle(story.flow)
        return story.flow

    def remarks(self) -> list[str]:
        """What could not be read."""
        remarks = []
        if self.package and self.package.lost:
            remarks.append("A part of the document is damaged; some of its text may be missing.")
        if self.is_too_deep:
            remarks.append(f"What is nested more than {DEEPEST} deep was left out.")
        return remarks

    # --- what stories ask for ---

    def table(self, table: Any, story: Story) -> None:
        """Read a table into the flow of its story."""
        read_table(table, story)

    def begin_master(self, name: str, story: Story) -> None:
        """Pages of another kind begin, with headers and footers of their own."""
        self.masters.begin(name, story.flow)

    def aside(self, node: Any, story: Story) -> list[Line] | None:
        """The lines of a note, comment or drawing; None of what is none."""
        if node.tag == TEXT + "note":
            return [] if story.is_note else self._note(node, story)
        if node.tag == OFFICE + "annotation":
            return [] if story.is_note else self._comment(node, story)
        return self._drawing(node, story) if node.tag in _DRAWN else None

    def _note(self, node: Any, story: Story) -> list[Line]:
        body = node.find(TEXT + "note-body")
        text = "" if body is None else self._text(body, story)
        label = "".join(part for mark in node.iterfind(TEXT + "note-citation") for part in mark.itertext())
        lines = [Line(f"{label[:LONGEST_NAME]} {text}".strip(), "note")] if text else []
        if node.get(TEXT + "note-class") != "endnote":
            return lines
        self._endnotes += lines
        return []

    def _comment(self, node: Any, story: Story) -> list[Line]:
        author = " ".join((node.findtext(DC + "creator") or "").split())[:LONGEST_NAME]
        content = [child for child in node if isinstance(child.tag, str) and child.tag.startswith(TEXT)]
        text = self._text(content, story)
        return [Line(f"Comment ({author}): {text}" if author else f"Comment: {text}", "note")] if text else []

    def _text(self, content: Any, story: Story) -> str:
        inner = Story(self, is_note=True, depth=story.depth + 1)
        return "\n".join(line.text for line in inner.read(content) if line.text)

    def _drawing(self, node: Any, story: Story) -> list[Line]:
        """The lines of a frame or shape: its text, or a chart or formula; the description that a person wrote."""
        lines = [Line(written_description(node.findtext(_SVG + name) or "")) for name in ("title", "desc")]
        embedded = [child for child in node if child.tag == DRAW + "object"]
        for child in embedded:
            lines += self._object(child)
        inner = Story(self, is_note=story.is_note, depth=story.depth + 1)
        lines += inner.read([child for child in node if child.tag not in (_SVG + "title", _SVG + "desc", *_OBJECTS)])
        return [line for line in lines if line.text.strip()]

    def _object(self, node: Any) -> list[Line]:
        """A formula or a chart, which stand in the element or in a part of their own."""
        root = next(iter(node), None)
        name = node.get(_HREF, "").removeprefix("./").strip("/").lower()
        if root is None and self.package and name and name not in self._drawn:
            self._drawn.add(name)
            root = self.package.root(f"{name}/content.xml")
        if root is None:
            return []
        if root.tag.startswith(_MATH):
            return [Line("".join(_signs(root)))]
        lines = []
        for chart in root.iter(_CHART + "chart"):
            titles = chart.iter(_CHART + "title", _CHART + "subtitle")
            lines += [Line(" ".join("".join(title.itertext()).split())) for title in titles]
            flow = Flow()
            flow.add_table([row for table in chart.iter(TABLE + "table") for row in table_rows(table, _cell)])
            lines += flow.closed()
        return lines

    def _running(self, content: Any) -> list[Line]:
        return Story(self, is_note=True).read(content)


_OBJECTS = (DRAW + "object", DRAW + "object-ole", DRAW + "image", DRAW + "plugin", DRAW + "applet")


def _cell(node: Any) -> tuple[Cell, list[Line]]:
    """A cell of a chart's data."""
    return Cell([Line(" ".join("".join(node.itertext()).split()))]), []


def _signs(node: Any) -> list[str]:
    """The signs of a formula in MathML one after the other, without what it was typed as."""
    return [
        "".join(leaf.itertext()).strip() for leaf in node.iter(*(_MATH + name for name in ("mi", "mn", "mo", "mtext")))
    ]
