"""The sections of a .docx (ECMA-376 part 1, 17.6 and 17.10): where they begin a page; their headers and footers, once.

What repeats on every page is marked as such; the header of a first page, or of the only one, is a text like others.
"""

from collections.abc import Callable
from typing import Any

from docqa.formats.office.docx_styles import W, attribute, is_on
from docqa.formats.office.drawing import R
from docqa.formats.office.flow import Flow, Line

_SAME_PAGE = ("continuous", "nextColumn")


class Sections:
    """The sections of a document, passed one after the other."""

    def __init__(self, body: Any, settings: Any, lines: Callable[[str], list[Line]]) -> None:
        """`lines` reads a header or footer by the identifier of its relationship."""
        self._lines = lines
        self._settings = [node for node in body.iter(W + "sectPr") if node.getparent().tag != W + "sectPrChange"]
        self._place = 0
        self._start = 0  # of the section in the lines of the flow
        self._known: dict[tuple[str, str], str] = {}  # a section without a header has that of the one before
        self._written: set[str] = set()
        self._repeated: list[Line] = []
        self._has_left_pages = settings is not None and _switch(settings, "evenAndOddHeaders")

    def begin(self, flow: Flow) -> None:
        """The beginning of a section, which its headers precede."""
        if self._place < len(self._settings):
            for kind in ("header", "footer"):
                for reference in self._settings[self._place].iterfind(f"{W}{kind}Reference"):
                    self._known[kind, reference.get(W + "type", "default")] = reference.get(R + "id", "")
        flow.lines += [line for kind in self._kinds() for line in self._running("header", kind)]
        self._start = len(flow.lines)

    def end(self, flow: Flow) -> bool:
        """The end of a section, which its footers follow; returns whether the next one begins a page."""
        flow.place_asides()
        for kind in self._kinds():
            lines = self._running("footer", kind)
            if kind == "first":
                first_end = (
                    place for place, line in enumerate(flow.lines[self._start :], self._start) if "\f" in line.text
                )
                place = next(first_end, len(flow.lines))
                flow.lines[place:place] = lines
            else:
                flow.lines += lines
        self._place += 1
        following = self._settings[self._place : self._place + 1]
        return bool(following) and attribute(following[0], "type") not in _SAME_PAGE

    def settle(self, flow: Flow) -> None:
        """At the end of the document: mark what repeats from page to page."""
        if any("\f" in line.text for line in flow.lines):
            for line in self._repeated:
                line.kind = "boilerplate"

    def _kinds(self) -> list[str]:
        own = self._settings[self._place] if self._place < len(self._settings) else None
        has_first = own is not None and _switch(own, "titlePg")
        return ["first"] * has_first + ["default"] + ["even"] * self._has_left_pages

    def _running(self, place: str, kind: str) -> list[Line]:
        """The header or footer of the section as a line, unless an earlier section had the same."""
        identifier = self._known.get((place, kind), "")
        text = "\n".join(line.text for line in self._lines(identifier) if line.text) if identifier else ""
        if not text or text in self._written:
            return []
        self._written.add(text)
        line = Line(text)
        if kind != "first":
            self._repeated.append(line)
        return [line]


def _switch(properties: Any, name: str) -> bool:
    node = properties.find(W + name)
    return node is not None and is_on(node.get(W + "val"))
