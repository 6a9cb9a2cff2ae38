"""HTML and XHTML → text: paragraphs separated by one blank line; headings, list items and table rows are lines."""

import re
from dataclasses import dataclass, field

from lxml import etree, html  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

_SPACES = re.compile(r"[ \t\r\n\f]+")
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_PARAGRAPHS = {
    *_HEADINGS, "p", "div", "section", "article", "main", "header", "footer", "aside", "nav", "blockquote", "figure", "figcaption", "pre",
    "ul", "ol", "dl", "table", "form", "fieldset", "address", "details", "summary", "hr", "body", "center",
}  # fmt: skip
_LINES = {"li", "dt", "dd", "tr", "br", "caption", "option", "legend", "optgroup", "title"}
_CELLS = {"td", "th"}
_SKIPPED = {
    "script", "style", "noscript", "template", "head", "iframe", "object", "embed", "svg", "math", "canvas", "audio", "video",
    "select", "button", "textarea",
}  # fmt: skip
_KEPT_ATTRIBUTES = {"class", "id", "href", "style", "hidden", "name", "content", "property", "role", "rel", "charset"}
_MOST_ATTRIBUTES = 50


@dataclass
class Prose:
    """Text and where its headings start: (offset, title)."""

    text: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)


def parse(source: str) -> HtmlElement | None:
    """The tree of a page or chapter, None if there is nothing in it. Comments and processing instructions are gone; nothing is loaded from outside."""
    parser = html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(source.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        return None
    for element in root.iter():
        if len(element.attrib) > _MOST_ATTRIBUTES:
            for name in [name for name in element.attrib if name not in _KEPT_ATTRIBUTES]:
                del element.attrib[name]
    return root


def title(root: HtmlElement) -> str:
    """What the page calls itself: its social title, else its <title>."""
    for path in ("//meta[@property='og:title']/@content", "//title/text()"):
        for found in root.xpath(path):
            if found.strip():
                return " ".join(str(found).split())
    return ""


def prose(root: HtmlElement) -> Prose:
    """The readable text below `root`, in document order."""
    writer = _Writer()
    skipping: HtmlElement | None = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if skipping is None and event == "start":
            if not isinstance(element.tag, str) or _name(element) in _SKIPPED or _hidden(element):
                skipping = element
            else:
                writer.open(_name(element), element.text)
        elif event == "end" and (skipping is None or element is skipping):
            if skipping is None:
                writer.close(_name(element))
            skipping = None
            if element is not root:
                writer.write(element.tail)
    return writer.finish()


def _name(element: HtmlElement) -> str:
    return str(element.tag).rpartition("}")[2].lower()


def _hidden(element: HtmlElement) -> bool:
    return element.get("hidden") is not None or "display:none" in (element.get("style") or "").replace(" ", "").lower()


class _Writer:
    """Collects lines; a break asked for twice is made once."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.line = ""
        self.breaks = 0
        self.preformatted = 0
        self.headings: list[tuple[int, str]] = []

    def open(self, name: str, text: str | None) -> None:
        self._break(name)
        if name == "pre":
            self.preformatted += 1
        if name in _CELLS and self.line.strip():
            self.line = self.line.rstrip() + " | "
        self.write(text)

    def write(self, text: str | None) -> None:
        if not text:
            return
        if self.preformatted:
            self.line += text
            return
        text = _SPACES.sub(" ", text)
        self.line += text.lstrip(" ") if not self.line or self.line.endswith(" ") else text

    def close(self, name: str) -> None:
        if name in _HEADINGS:
            self._flush(is_heading=True)
        if name != "br":
            self._break(name)
        if name == "pre":
            self.preformatted -= 1

    def finish(self) -> Prose:
        self._flush()
        return Prose("".join(self.parts), self.headings)

    def _break(self, name: str) -> None:
        if name in _PARAGRAPHS:
            self._flush()
            self.breaks = 2
        elif name in _LINES:
            self._flush()
            self.breaks = max(self.breaks, 1)

    def _flush(self, is_heading: bool = False) -> None:
        line = self.line.strip("\n").rstrip() if self.preformatted else self.line.strip(" ").removesuffix(" |")
        self.line = ""
        if not line.strip():
            return
        if self.parts:
            self._put("\n" * max(self.breaks, 1))
        if is_heading:
            self.headings.append((self.length, line))
        self._put(line)
        self.breaks = 0

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)
