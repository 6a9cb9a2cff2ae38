"""The headers and footers of an OpenDocument text (OpenDocument 1.3 part 3, 16.9 and 16.10), each once.

What repeats on every page is marked as such; the header of a first page, or of the only one, is a text like others.
"""

from collections.abc import Callable
from typing import Any

from docqa.formats.office.flow import Flow, Line
from docqa.formats.office.odt_styles import STYLE

_FIRST, _MOST = "-first", 20  # pages that follow each other by their masters


class Masters:
    """The kinds of pages of a document, which begin one after the other."""

    def __init__(self, roots: list[Any], lines: Callable[[Any], list[Line]]) -> None:
        """`lines` reads the content of a header or footer."""
        self._lines = lines
        self._masters: dict[str, Any] = {}
        for root in roots:
            for node in root.iter(STYLE + "master-page"):
                self._masters.setdefault(node.get(STYLE + "name", ""), node)
        self._written: set[str] = set()
        self._repeated: list[Line] = []
        self._name = "Standard" if "Standard" in self._masters else next(iter(self._masters), None)
        self._start = 0

    def begin(self, name: str, flow: Flow) -> None:
        """Pages of this kind begin; those before end."""
        if name == self._name or name not in self._masters:
            return
        if flow.lines:
            self._insert(flow)
        self._name = name
        self._start = len(flow.lines)

    def end(self, flow: Flow) -> None:
        """The end of the document."""
        flow.place_asides()
        self._insert(flow)

    def _insert(self, flow: Flow) -> None:
        """Write the headers before the pages that have ended, and the footers after them."""
        ends = len(flow.lines)
        if ends > self._start and flow.lines[-1].is_break:
            ends -= 1
        footers = self._running("footer")
        flow.lines[ends:ends] = footers
        flow.lines[self._start : self._start] = self._running("header")

    def settle(self, flow: Flow) -> None:
        """At the end of the document: mark what repeats from page to page."""
        if any("\f" in line.text for line in flow.lines):
            for line in self._repeated:
                line.kind = "boilerplate"

    def _chain(self) -> list[Any]:
        """The masters of the pages: one may name that of the next page."""
        chain: list[Any] = []
        name = self._name
        while name in self._masters and self._masters[name] not in chain and len(chain) < _MOST:
            chain.append(self._masters[name])
            name = self._masters[name].get(STYLE + "next-style-name")
        return chain

    def _running(self, place: str) -> list[Line]:
        """The headers or footers as lines, without those that were written before."""
        written = []
        chain = self._chain()
        for number, master in enumerate(chain):
            for suffix in (_FIRST, "", "-left"):
                node = master.find(f"{STYLE}{place}{suffix}")
                if node is None or node.get(STYLE + "display") == "false":
                    continue
                text = "\n".join(line.text for line in self._lines(node) if line.text)
                if not text or text in self._written:
                    continue
                self._written.add(text)
                written.append(Line(text))
                if suffix != _FIRST and number == len(chain) - 1:
                    self._repeated.append(written[-1])
        return written
