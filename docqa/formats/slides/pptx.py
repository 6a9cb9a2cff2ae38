"""PowerPoint (.pptx and its variants): one page for each slide, in the order of the show.

The section of a page is the slide's title, or else the section of the presentation. Shapes come in reading order, then
footers, notes and comments; large pictures wait for text recognition. Not read: embedded documents, what only the
layout or master shows.
"""

import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from pptx.exc import PythonPptxError
from pptx.opc.constants import RELATIONSHIP_TYPE as RT
from pptx.package import Package

from docqa.errors import Unreadable
from docqa.formats.office.drawing import CX, DGM, A, C, R
from docqa.formats.office.graphics import chart, diagram
from docqa.formats.office.package import parse
from docqa.formats.pages import Reading
from docqa.formats.pictures.selection import MOST_ON_A_PAGE, Templates
from docqa.formats.properties import Properties
from docqa.formats.slides import deck
from docqa.formats.slides.pptx_package import mended, picture_of, relations_of
from docqa.formats.slides.pptx_shapes import P, Places, large_pictures, places, texts

if TYPE_CHECKING:
    from docqa.formats.pictures.decode import Image  # what decodes pictures is imported only where there are some

_P14 = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"

_DAMAGED = "The presentation is damaged and cannot be opened. Open it in PowerPoint, save it again and upload that."
_LEFT_OUT = "it was left out"
_IN_PART = "a part of it was left out"
# python-pptx checks little: a damaged file raises whatever its missing part leads to.
_BROKEN = (
    PythonPptxError,
    KeyError,
    ValueError,
    AttributeError,
    TypeError,
    IndexError,
    SyntaxError,
    AssertionError,
    RecursionError,
    zipfile.BadZipFile,
)


def read(data: bytes, charset: str = "") -> Reading:
    """One page for each slide; `charset` is ignored. A damaged slide is left out, with a note.

    Raises Unreadable for a presentation that is damaged or has no slides.
    """
    try:
        source, damaged = mended(data)
        package = Package.open(source)
        main = package.main_document_part
        slides = list(main._element.iterfind(f"{P}sldIdLst/{P}sldId"))
        properties = _properties(package)
    except _BROKEN as error:
        raise Unreadable(_DAMAGED) from error
    if not slides:
        raise Unreadable("The presentation has no slides.")
    notes: list[str] = []
    pages = deck.pages(_slides(main, slides, damaged, data), notes)
    return Reading("pptx", properties.title, pages, notes, properties=properties)


def _properties(package: Any) -> Properties:
    """The deck's own properties; python-pptx would make some up for a package without them."""
    parts = [
        relation.target_part for relation in package._rels.values() if relation.reltype.endswith("/core-properties")
    ]
    return Properties.of(parts[0].title, parts[0].author, parts[0].created) if parts else Properties()


def _slides(main: Any, slides: list[Any], damaged: set[str], data: bytes) -> Iterator[deck.Slide]:
    parts = {
        slide.get("id", ""): section.get("name", "")
        for section in main._element.iter(_P14 + "section")
        for slide in section.iter(_P14 + "sldId")
    }  # fmt: skip
    from_right = main._element.get("rtl") in ("1", "true")
    known: dict[str, Places] = {}
    templates = Templates()
    for slide in slides:
        name = parts.get(slide.get("id", ""), "")
        try:
            part = main.related_part(slide.get(R + "id"))
            read = _Slide(part, known, from_right).read(name, damaged)
            read.pictures = templates.count(_shown(data, part, main))
            yield read
        except _BROKEN:
            yield deck.Slide([], name, damage=_LEFT_OUT)


class _Slide:
    """A slide's part while it is read; `broken`: something that it refers to is missing or damaged."""

    def __init__(self, part: Any, known: dict[str, Places], from_right: bool) -> None:
        self.part = part
        self.known = known
        self.from_right = from_right
        self.broken = False

    def read(self, name: str, damaged: set[str]) -> deck.Slide:
        texts = [*self._texts(self.part, self._places()), *self._notes(), *self._comments()]
        hidden = self.part._element.get("show") in ("0", "false")
        damage = _IN_PART if self.broken or self.part.partname in damaged else ""
        return deck.Slide(texts, name, hidden, damage)

    def _texts(self, part: Any, known: Places) -> list[deck.Text]:
        tree = part._element.find(f"{P}cSld/{P}spTree")
        self.broken = self.broken or tree is None
        return [] if tree is None else texts(tree, known, partial(self._graphic, part), self.from_right)

    def _places(self) -> Places:
        layout = _related(self.part, RT.SLIDE_LAYOUT)
        if layout is None:
            return {}
        if layout.partname not in self.known:
            master = _related(layout, RT.SLIDE_MASTER)
            self.known[layout.partname] = places(layout._element, None if master is None else master._element)
        return self.known[layout.partname]

    def _notes(self) -> list[deck.Text]:
        page = _related(self.part, RT.NOTES_SLIDE)
        texts = [] if page is None else self._texts(page, {})
        return [text if text.role == deck.FOOTER else text._replace(role=deck.NOTES) for text in texts]

    def _comments(self) -> Iterator[deck.Text]:
        """Comments, classic (ECMA-376 part 1, 19.4) and threaded ([MS-PPTX]), without the names of their authors."""
        for key, relation in self.part.rels.items():
            if relation.reltype.endswith("/comments"):
                for root in self._targets(self.part, key):
                    yield from (
                        deck.Text("", (deck.Line("".join(text.itertext())),)) for text in root.iter(P + "text", A + "p")
                    )

    def _graphic(self, part: Any, frame: Any) -> list[deck.Line]:
        """The lines of a frame's chart or diagram."""
        charts = (
            root for mark in frame.iter(C + "chart", CX + "chart") for root in self._targets(part, mark.get(R + "id"))
        )
        diagrams = (root for mark in frame.iter(DGM + "relIds") for root in self._targets(part, mark.get(R + "dm")))
        lines = [line for text in map(chart, charts) for line in text.split("\n") if line]
        items = [line for text in map(diagram, diagrams) for line in text.split("\n") if line]
        return [
            *(_chart_line(line) for line in lines),
            *(deck.Line(line, "item", 1) for line in items),
        ]

    def _targets(self, part: Any, key: str | None) -> list[Any]:
        """A list with the root of the part that a relationship leads to; empty, and `broken` set, if it is missing."""
        root = parse(part.rels[key].target_part.blob) if key in part.rels and not part.rels[key].is_external else None
        self.broken = self.broken or root is None
        return [] if root is None else [root]


def pictures(data: bytes, page_number: int) -> "list[Callable[[], Image]]":
    """What decodes the large pictures of a slide. Raises Unreadable, as what it returns does."""
    try:
        source, _ = mended(data)
        main = Package.open(source).main_document_part
        slide = list(main._element.iterfind(f"{P}sldIdLst/{P}sldId"))[page_number - 1]
        part: Any = main.related_part(slide.get(R + "id"))
        names = _shown(data, part, main)
    except _BROKEN as error:
        raise Unreadable(_DAMAGED) from error
    return [partial(picture_of, data, name) for name in names[:MOST_ON_A_PAGE]]


def _shown(data: bytes, part: Any, main: Any) -> list[str]:
    """The names of the large pictures that a slide shows, the largest first, in the package as it came."""
    keys = large_pictures(part._element, main._element)
    targets = relations_of(data, str(part.partname).lstrip("/")) if keys else {}
    return [targets[key] for key in keys if key in targets]


def _chart_line(line: str) -> deck.Line:
    """A line of a chart: a title, or a row of its values; above the categories the first cell is empty."""
    return deck.Line(line, "row", int(line.startswith(" | "))) if " | " in line else deck.Line(line)


def _related(part: Any, kind: str) -> Any:
    relations = (relation for relation in part.rels.values() if relation.reltype == kind and not relation.is_external)
    return next((relation.target_part for relation in relations), None)
