"""PowerPoint (.pptx): one page for each slide, with its groups, tables, charts, diagrams and notes; the title is the section."""

import io
from collections.abc import Iterator
from typing import Any

import pptx
from pptx.exc import PythonPptxError
from pptx.oxml import parse_xml
from pptx.oxml.ns import qn

from docqa.errors import Unreadable
from docqa.extract.pages import ExtractedPage, Reading

_CHART_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/chart}v"
_DIAGRAM = ".//{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DAMAGED = "The presentation is damaged and cannot be opened. Open it in PowerPoint, save it again and upload that."


def read(data: bytes, charset: str = "") -> Reading:
    """Raises Unreadable for a damaged presentation or one without slides; a damaged slide costs itself and a note."""
    try:
        presentation = pptx.Presentation(io.BytesIO(data))
        slides = list(presentation.slides)
        title = presentation.core_properties.title or ""
    except _broken() as error:
        raise Unreadable(_DAMAGED) from error
    if not slides:
        raise Unreadable("The presentation has no slides.")
    pages, notes = [], []
    for number, slide in enumerate(slides, 1):
        try:
            pages.append(_page(slide))
        except _broken():
            pages.append(ExtractedPage(""))
            notes.append(f"Slide {number} is damaged and was left out.")
    return Reading("pptx", title.strip(), pages, notes)


def _broken() -> tuple[type[Exception], ...]:
    """python-pptx checks little: a damaged file shows as whatever the missing part breaks."""
    return (PythonPptxError, KeyError, ValueError, AttributeError, TypeError, IndexError, SyntaxError, OSError, NotImplementedError, AssertionError)


def _page(slide: Any) -> ExtractedPage:
    heading = slide.shapes.title
    section = " ".join(heading.text_frame.text.split()) if heading is not None else ""
    texts = [text for shape in _flat(slide.shapes) for text in _texts(shape)]
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        texts.append(slide.notes_slide.notes_text_frame.text)
    return ExtractedPage("\n\n".join(text.replace("\v", "\n").strip() for text in texts if text.strip()), section)


def _flat(shapes: Any) -> Iterator[Any]:
    """Every shape in drawing order, groups opened; a stack, because a file may nest them deeper than Python recurses."""
    waiting = list(shapes)[::-1]
    while waiting:
        shape = waiting.pop()
        if shape.element.tag == qn("p:grpSp"):
            waiting.extend(list(shape.shapes)[::-1])
        else:
            yield shape


def _texts(shape: Any) -> Iterator[str]:
    if shape.has_text_frame:
        yield shape.text_frame.text
    elif getattr(shape, "has_table", False):
        yield "\n".join(" | ".join(" ".join(cell.text.split()) for cell in row.cells if not cell.is_spanned) for row in shape.table.rows)
    elif getattr(shape, "has_chart", False):
        yield _chart(shape.chart._chartSpace)
    elif shape.element.tag == qn("p:graphicFrame"):
        yield from _diagram(shape)


def _chart(space: Any) -> str:
    """Title, series, categories and values of a chart, each once and in the order of the file."""
    found = [element.text.strip() for element in space.iter(qn("a:t"), _CHART_TEXT) if element.text]
    return "\n".join(dict.fromkeys(text for text in found if text))


def _diagram(shape: Any) -> Iterator[str]:
    """Texts of a SmartArt diagram: one line for each of its paragraphs, in the order of its data part."""
    relations = shape.element.find(_DIAGRAM)
    key = relations.get(qn("r:dm")) if relations is not None else None
    if key is None:
        return
    root = parse_xml(shape.part.related_part(key).blob)
    lines = ("".join(run.text or "" for run in paragraph.iter(qn("a:t"))) for paragraph in root.iter(qn("a:p")))
    yield "\n".join(line for line in lines if line.strip())
