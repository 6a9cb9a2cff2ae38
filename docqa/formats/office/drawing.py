"""Text in DrawingML (ECMA-376 part 1, 21.1), as presentations, documents, charts and diagrams hold it."""

import re
from collections.abc import Iterator
from typing import Any

from docqa.formats.office.formula import formula

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"

_CONTROL = re.compile("_x00[01][0-9A-F]_")
_FILE_NAME = re.compile(r"\.\w{2,5}$")


def lines(element: Any) -> str:
    """The paragraphs below an element, one per line."""
    return "\n".join(paragraph_text(paragraph) for paragraph in element.iter(A + "p"))


def paragraph_text(paragraph: Any) -> str:
    """The text of a paragraph; if the file gives alternatives of a part, of the first."""
    return _CONTROL.sub("\n", "".join(_runs(paragraph)))


def _runs(node: Any) -> Iterator[str]:
    for child in node:
        if child.tag == A + "t":
            yield child.text or ""
        elif child.tag == A + "br":
            yield "\n"
        elif child.tag == A + "fld" and child.get("type") == "slidenum":
            # The cached number of a slide is often "<number>" or that of another slide.
            continue
        elif child.tag == MC + "AlternateContent":
            yield from _runs(next(iter(child), ()))
        elif isinstance(child.tag, str) and child.tag.startswith(M):
            yield formula(child)
        else:
            yield from _runs(child)


def written_description(properties: Any) -> str:
    """The alternative text that a person wrote, of the element that holds a picture's properties; else "".

    A file name does not count, nor Office's own guess: two paragraphs, of which the last says what it is.
    """
    words = properties.get("descr", "").strip()
    return "" if " " not in words or "\n" in words or _FILE_NAME.search(words) else words
