"""A story of an OpenDocument text (OpenDocument 1.3 part 3, 5 to 7): its body, a note, a header, a box or a cell."""

import re
from typing import Any, Protocol

from docqa.formats.office.flow import Flow, Line
from docqa.formats.office.lists import Counter
from docqa.formats.office.nesting import deeper
from docqa.formats.office.odt_lists import Lists
from docqa.formats.office.odt_styles import TEXT, Look, Styles

DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
DC = "{http://purl.org/dc/elements/1.1/}"
LONGEST_RUN = 1_000  # spaces
LONGEST_NAME = 100

_SPACE = re.compile(r"[ \t\r\n]+")
_SIGNS = {TEXT + "tab": "\t", TEXT + "line-break": "\n"}
# What holds no text of the document: deleted text, declarations, forms, the numbers of items, readings of characters.
_OUT = {
    *(TEXT + name for name in ("tracked-changes", "number", "ruby-text", "sequence-decls", "variable-decls")),
    *(TEXT + name for name in ("user-field-decls", "dde-connection-decls", "alphabetical-index-auto-mark-file")),
    *(TEXT + name for name in ("table-of-content-source", "alphabetical-index-source", "bibliography-source")),
    *(TEXT + name for name in ("illustration-index-source", "table-index-source", "object-index-source")),
    *(TEXT + name for name in ("user-index-source", "script", "meta-field-source")),
    *(OFFICE + name for name in ("forms", "scripts", "event-listeners", "annotation-end")),
    DRAW + "control",
    DRAW + "image-map",
}
_CONTENTS = {TEXT + name for name in ("table-of-content", "illustration-index", "table-index", "alphabetical-index")}
_HIDING = {TEXT + "hidden-text", TEXT + "hidden-paragraph", TEXT + "section"}


class Document(Protocol):
    """What stories share: styles and lists of their document, its pages, what stands aside."""

    styles: Styles
    lists: Lists
    is_too_deep: bool
    has_text: bool  # the page that is being read

    def aside(self, node: Any, story: "Story") -> list[Line] | None:
        """The lines of a note, comment or drawing; None of what is none."""

    def table(self, table: Any, story: "Story") -> None:
        """Read a table into the flow of its story."""

    def begin_master(self, name: str, story: "Story") -> None:
        """Pages of another kind begin, with headers and footers of their own."""


class Story:
    """Reads the content of one story; `is_body` for the body and its cells, `is_note` for notes and comments.

    `depth` is how deep it stands in others.
    """

    def __init__(
        self,
        document: Document,
        *,
        is_body: bool = False,
        is_note: bool = False,
        is_cell: bool = False,
        depth: int = 0,
    ) -> None:
        self.document, self.depth = document, depth
        self.is_body, self.is_note, self.is_cell = is_body, is_note, is_cell
        self.flow = Flow()
        self.asides: list[Line] = []  # of a cell: they follow its row
        self._words: list[str] = []
        self._bold = self._size = 0  # characters of the paragraph, and those that are bold
        self._hidden = False
        self._list: tuple[str, Counter, int] | None = None  # the style of the list, its counter, how deep it is nested
        self._label = ""
        self._is_contents = False

    # --- blocks ---

    def read(self, container: Any) -> list[Line]:
        """The lines of all that is in an element."""
        self.blocks(container)
        return self.flow.closed()

    def blocks(self, container: Any) -> None:
        """Read the paragraphs, lists and tables in an element, and in those around them."""
        with deeper(self) as is_allowed:
            for node in container if is_allowed else ():
                tag = node.tag
                if tag in (TEXT + "p", TEXT + "h"):
                    self._paragraph(node)
                elif tag == TEXT + "list":
                    self._read_list(node)
                elif tag == TABLE + "table":
                    self.begin(self.document.styles.look("table", node.get(TABLE + "style-name")))
                    self.document.table(node, self)
                elif tag == TEXT + "soft-page-break":
                    self.break_page()
                elif not isinstance(tag, str) or tag in _OUT or self._is_hidden_section(node):
                    continue
                elif (lines := self.document.aside(node, self)) is not None:
                    self.flow.set_aside(lines)
                    self.flow.place_asides()
                elif tag in _CONTENTS:
                    self._is_contents = True
                    self.blocks(node)
                    self._is_contents = False
                else:
                    self.blocks(node)

    def _is_hidden_section(self, node: Any) -> bool:
        """Whether it is hidden, by itself or as its condition stood last (5.4, 19.870)."""
        if node.tag not in _HIDING:
            return False
        display = node.get(TEXT + "display", "true")
        is_hidden = node.get(TEXT + "is-hidden")
        if node.tag == TEXT + "section" and display != "condition":
            return bool(display == "none")
        return bool(is_hidden == "true")

    def _read_list(self, node: Any) -> None:
        """A list: its items have labels, and lists in them are its next level."""
        outer, outer_label = self._list, self._label
        style = node.get(TEXT + "style-name") or (outer[0] if outer else "")
        counter = outer[1] if outer else self.document.lists.begin(node, style)
        place = outer[2] + 1 if outer else 0
        self._list = style, counter, place
        for item in node.iterchildren(TEXT + "list-item", TEXT + "list-header"):
            first = next((child for child in item if isinstance(child.tag, str) and child.tag != TEXT + "number"), None)
            self._label = ""
            if first is not None and first.tag in (TEXT + "p", TEXT + "h") and item.tag == TEXT + "list-item":
                self._label = self.document.lists.item_label(item, style, place, counter)
            self.blocks(item)
        self._list, self._label = outer, outer_label

    def _paragraph(self, node: Any) -> None:
        look = self.document.styles.look("paragraph", node.get(TEXT + "style-name"))
        label, self._label = self._label, ""
        level = 0
        if node.tag == TEXT + "h":
            stated = node.get(TEXT + "outline-level", "1")
            level = int(stated) if stated.isdecimal() and 0 < int(stated[:3]) < 11 else 1
            if self._list is None:
                label = self.document.lists.heading_label(node, level)
        self.begin(look)
        self._hidden = bool(look.hidden) or any(
            mark.get(TEXT + "is-hidden") == "true" for mark in node.iterchildren(TEXT + "hidden-paragraph")
        )
        self._inline(node, bool(look.bold))
        self._hidden = False
        self._end_paragraph(look, label, level)
        if look.break_after:
            self.break_page()

    def begin(self, look: Look) -> None:
        """Begin a page before a paragraph or table whose style asks for that."""
        if not self.is_body or self.is_cell:
            return
        if (look.break_before or look.master) and self.document.has_text:
            self.break_page()
        if look.master:
            self.document.begin_master(look.master, self)

    def break_page(self) -> None:
        """Begin a page, in the body only."""
        if self.is_body:
            self.document.has_text = False
            if self.is_cell:
                self._words.append("\f")
            else:
                self.flow.break_page()

    def _end_paragraph(self, look: Look, label: str, level: int) -> None:
        text = "".join(self._words)
        is_bold = 0 < self._size == self._bold
        self._words, self._bold, self._size = [], 0, 0
        words = text.strip(" \t\n\f")
        if words and label:
            text = text[: text.index(words[0])] + f"{label} {words}"
        line = Line(text, is_bold=is_bold)
        if words:
            depth = self._list[2] + 1 if self._list and label else 0
            level = level or int(look.is_title) or look.outline or 0
            line = _known(line, look, level, depth, is_contents=self._is_contents)
        self.flow.add(line)

    # --- what stands in paragraphs ---

    def _inline(self, node: Any, is_bold: bool) -> None:
        """Read what is in an element of a paragraph: texts, and elements between them."""
        self._say(_SPACE.sub(" ", node.text or ""), is_bold)
        with deeper(self) as is_allowed:
            for child in node if is_allowed else ():
                if isinstance(child.tag, str):
                    self._element(child, is_bold)
                self._say(_SPACE.sub(" ", child.tail or ""), is_bold)

    def _element(self, node: Any, is_bold: bool) -> None:
        tag = node.tag
        if tag == TEXT + "s":
            count = node.get(TEXT + "c", "1")
            self._say(" " * min(int(count[:9]) if count.isdecimal() else 1, LONGEST_RUN), is_bold)
        elif tag in _SIGNS:
            self._say(_SIGNS[tag], is_bold)
        elif tag == TEXT + "soft-page-break":
            if self.is_body:
                self.document.has_text = False
                self._words.append("\f")
        elif tag == TEXT + "span":
            look = self.document.styles.look("text", node.get(TEXT + "style-name"))
            outer = self._hidden
            self._hidden = outer if look.hidden is None else look.hidden
            self._inline(node, is_bold if look.bold is None else look.bold)
            self._hidden = outer
        elif tag in _OUT or self._is_hidden_section(node):
            return
        elif (lines := self.document.aside(node, self) if not self._hidden else []) is not None:
            if self.is_cell and node.tag in (TEXT + "note", OFFICE + "annotation"):
                self.asides += lines
            else:
                self.flow.set_aside(lines)
        else:
            self._inline(node, is_bold)

    def _say(self, text: str, is_bold: bool) -> None:
        if not text or self._hidden:
            return
        size = len("".join(text.split()))
        self._size += size
        self._bold += size * is_bold
        if text[0] == " " and self._words and self._words[-1][-1:] == " " and not text.isspace():
            text = text[1:]  # white space counts once, wherever elements begin and end in it
        self._words.append(text)
        if self.is_body and size:
            self.document.has_text = True


def _known(line: Line, look: Look, level: int, item: int, *, is_contents: bool) -> Line:
    """The line with what is known of it; `level` is that of a heading, `item` that of its label, 0 if it has none."""
    if level:
        return Line(line.text, "heading", level)
    if is_contents:
        return Line(line.text, "boilerplate")
    if look.is_caption:
        return Line(line.text, "caption")
    return Line(line.text, "item", item) if item else line
