"""OpenDocument presentations (.odp and templates, OASIS OpenDocument 1.3 part 3): one page for each slide.

The section of a page is the slide's title. Shapes come in reading order, then footers, comments and notes. Not read:
what only the master shows, and embedded documents other than charts and formulas.
"""

import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from lxml import etree  # type: ignore[import-untyped]

from docqa.errors import Unreadable
from docqa.formats.office.package import parse, xml_parts
from docqa.formats.pages import Reading
from docqa.formats.pictures.selection import MOST_ON_A_PAGE, Templates
from docqa.formats.properties import Properties
from docqa.formats.slides import deck
from docqa.formats.slides.odp_shapes import DRAW, OFFICE, PRESENTATION, Styles, large_pictures, page_area, texts
from docqa.formats.slides.odp_text import CHART, STYLE, TABLE, TEXT, XLINK, table_lines, words
from docqa.formats.slides.pptx_package import picture_of

if TYPE_CHECKING:
    from docqa.formats.pictures.decode import Image  # what decodes pictures is imported only where there are some

_DC = "{http://purl.org/dc/elements/1.1/}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_MATH = "{http://www.w3.org/1998/Math/MathML}"
_DAMAGED = (
    "The presentation is damaged and cannot be opened. "
    "Open it in the program that made it, save it again and upload that."
)
_PROTECTED = "The presentation is password-protected. Save it without a password and upload it again."
_DEEPEST = 200  # levels of shapes and texts within each other
# The declarations that a slide refers to for its footers.
_DECLARED = {"use-header-name": "header-decl", "use-footer-name": "footer-decl", "use-date-time-name": "date-time-decl"}


def read(data: bytes, charset: str = "") -> Reading:
    """One page for each slide; `charset` is ignored.

    Raises Unreadable for a presentation that is damaged, protected, or has no slides.
    """
    try:
        parts = xml_parts(data)
    except (zipfile.BadZipFile, ValueError) as error:
        raise Unreadable(_DAMAGED) from error
    if b"encryption-data" in parts.get("meta-inf/manifest.xml", b""):
        raise Unreadable(_PROTECTED)
    root = parse(parts["content.xml"]) if "content.xml" in parts else None
    body = None if root is None else root.find(f"{OFFICE}body/{OFFICE}presentation")
    if body is None:
        raise Unreadable(_DAMAGED)
    slides = list(body.iterchildren(DRAW + "page"))
    if not slides:
        raise Unreadable("The presentation has no slides.")
    properties = _properties(parts)
    notes: list[str] = []
    pages = deck.pages(_slides(root, body, slides, parts), notes)
    return Reading("odp", properties.title, pages, notes, properties=properties)


def _properties(parts: dict[str, bytes]) -> Properties:
    root = parse(parts["meta.xml"]) if "meta.xml" in parts else None
    meta = None if root is None else root.find(OFFICE + "meta")
    if meta is None:
        return Properties()
    author = meta.findtext(_META + "initial-creator") or meta.findtext(_DC + "creator")
    date = meta.findtext(_META + "creation-date") or meta.findtext(_DC + "date")
    return Properties.of(meta.findtext(_DC + "title"), author, date)


def _slides(root: Any, body: Any, slides: list[Any], parts: dict[str, bytes]) -> Iterator[deck.Slide]:
    styles, areas, templates = Styles.of(root), _areas(parts), Templates()
    declared = {
        (declaration.tag, declaration.get(PRESENTATION + "name", "")): words(declaration, styles.hidden_texts)
        for declaration in body.iterchildren(*(PRESENTATION + kind for kind in _DECLARED.values()))
    }
    for slide in slides:
        if _is_too_deep(slide):
            yield deck.Slide([], damage="it was left out")
            continue
        read_object = _Objects(parts)
        shapes = texts(slide, styles, read_object)
        footers = [
            deck.Text(deck.FOOTER, (deck.Line(text),))
            for use, kind in _DECLARED.items()
            if (text := declared.get((PRESENTATION + kind, slide.get(PRESENTATION + use, "")), "").strip())
        ]
        comments = [
            deck.Text("", tuple(deck.Line(words(paragraph)) for paragraph in comment.iter(TEXT + "p")))
            for comment in slide.iter(OFFICE + "annotation")
        ]
        notes = [
            text._replace(role=deck.NOTES)
            for page in slide.iterchildren(PRESENTATION + "notes")
            for text in texts(page, styles, read_object)
            if text.role != deck.FOOTER
        ]
        hidden = slide.get(DRAW + "style-name", "") in styles.hidden_pages
        damage = "a part of it was left out" if read_object.broken else ""
        count = templates.count(large_pictures(slide, areas.get(slide.get(DRAW + "master-page-name", ""), 0.0)))
        yield deck.Slide([*shapes, *footers, *comments, *notes], "", hidden, damage, count)


def _areas(parts: dict[str, bytes]) -> dict[str, float]:
    """The area of the slides with each master, in square millimetres."""
    root = parse(parts["styles.xml"]) if "styles.xml" in parts else None
    if root is None:
        return {}
    layouts = {
        layout.get(STYLE + "name"): page_area(properties)
        for layout in root.iter(STYLE + "page-layout")
        for properties in layout.iterchildren(STYLE + "page-layout-properties")
    }
    return {
        master.get(STYLE + "name", ""): layouts.get(master.get(STYLE + "page-layout-name"), 0.0)
        for master in root.iter(STYLE + "master-page")
    }


def pictures(data: bytes, page_number: int) -> "list[Callable[[], Image]]":
    """What decodes the large pictures of a slide. Raises Unreadable, as what it returns does."""
    parts = xml_parts(data)
    slides = list(parse(parts["content.xml"]).iterfind(f"{OFFICE}body/{OFFICE}presentation/{DRAW}page"))
    slide = slides[page_number - 1]
    names = large_pictures(slide, _areas(parts).get(slide.get(DRAW + "master-page-name", ""), 0.0))
    return [partial(picture_of, data, name) for name in names[:MOST_ON_A_PAGE]]


def _is_too_deep(slide: Any) -> bool:
    """Whether elements are nested deeper than any program nests them."""
    deepest = depth = 0
    for event, _ in etree.iterwalk(slide, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest > _DEEPEST


class _Objects:
    """Reads the charts and formulas of a slide; `broken`: one of them is missing or damaged."""

    def __init__(self, parts: dict[str, bytes]) -> None:
        self.parts = parts
        self.broken = False

    def __call__(self, mark: Any) -> list[deck.Line]:
        """The lines of the object that a `draw:object` holds or refers to."""
        root = next(iter(mark), None)
        if root is None:
            name = mark.get(XLINK + "href", "").removeprefix("./").strip("/").lower()
            blob = self.parts.get(f"{name}/content.xml")
            root = parse(blob) if blob is not None else None
            if root is None:
                # An object that is no document of this kind is a file of another program.
                self.broken = self.broken or blob is not None
                return []
        if _is_too_deep(root):
            self.broken = True
            return []
        chart = next(root.iter(CHART + "chart"), None)
        if chart is not None:
            titles = [words(title) for title in chart.iter(CHART + "title", CHART + "subtitle")]
            lines = [
                line for table in chart.iter(TABLE + "table") for line in table_lines(table, frozenset(), head=True)
            ]
            return [*(deck.Line(title) for title in titles if title.strip()), *lines]
        formulas = [node.text or "" for node in root.iter(_MATH + "annotation", "{*}annotation")]
        return [deck.Line(formula.strip()) for formula in formulas if formula.strip()]
