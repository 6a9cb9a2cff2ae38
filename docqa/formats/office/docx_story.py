"""A story of a .docx (ECMA-376 part 1, 17): its body, a note, a header, a text box or a cell → the lines of a flow."""

from collections.abc import Iterable
from typing import Any, Protocol

from docqa.formats.fonts import Font
from docqa.formats.office.docx_numbering import NO_LIST, Numbering
from docqa.formats.office.docx_runs import SIGNS, RunFields, symbol
from docqa.formats.office.docx_styles import Styles, W, attribute, characters, paragraph
from docqa.formats.office.drawing import MC, M
from docqa.formats.office.flow import Flow, Line
from docqa.formats.office.formula import formula
from docqa.formats.office.looks import Look
from docqa.formats.office.nesting import deeper

_OUT = {
    W + name for name in ("del", "moveFrom", "pPr", "rPr", "sdtPr", "sdtEndPr", "delText", "instrText", "delInstrText")
}
_REFERENCES = {W + f"{kind}Reference": kind for kind in ("footnote", "endnote", "comment")}
_DRAWN = {W + "drawing", W + "pict", W + "object"}


class Document(Protocol):
    """What stories share: the styles and lists of their document, where its pages end, and what lies in other parts."""

    styles: Styles
    numbering: Numbering
    is_too_deep: bool
    has_text: bool  # the page that is being read

    def refer(self, kind: str, reference: Any) -> list[Line]:
        """The lines of a note or comment."""

    def draw(self, drawing: Any, story: "Story") -> list[Line]:
        """The lines of a drawing: text boxes, charts, descriptions."""

    def table(self, table: Any, story: "Story") -> None:
        """Read a table into the flow of its story."""

    def end_section(self, story: "Story") -> None:
        """The end of a section of the body."""

    def breaks(self, *, is_rendered: bool) -> bool:
        """Whether a page begins: `is_rendered` where Word found that its text begins one, else where one must."""

    def wrote(self) -> None:
        """The page has a text."""


class Story:
    """Reads the content of one story; `is_body` for the body and its cells, `is_note` for notes and comments.

    `part` is the name of the part that it stands in, `depth` how deep it stands in others.
    """

    def __init__(
        self,
        document: Document,
        part: str,
        fields: RunFields,
        *,
        is_body: bool = False,
        is_note: bool = False,
        is_cell: bool = False,
        depth: int = 0,
    ) -> None:
        self.document, self.part, self.fields = document, part, fields
        self.is_body, self.is_note, self.is_cell, self.depth = is_body, is_note, is_cell, depth
        self.flow = Flow()
        self.asides: list[Line] = []  # of a cell: they follow its row
        self._words: list[str] = []
        self._bold = self._size = 0  # characters of the paragraph, and those that are bold
        self._look = Look()

    # --- blocks ---

    def read(self, container: Any) -> list[Line]:
        """The lines of all that is in an element."""
        self.blocks(container)
        self._end_paragraph(Look(), "")
        return self.flow.closed()

    def blocks(self, container: Iterable[Any]) -> None:
        """Read the paragraphs and tables in an element, and in those around them."""
        with deeper(self) as is_allowed:
            for node in container if is_allowed else ():
                if node.tag == W + "p":
                    self._paragraph(node)
                elif node.tag == W + "tbl":
                    self._end_paragraph(Look(), "")
                    self.document.table(node, self)
                elif node.tag == MC + "AlternateContent":
                    self.blocks(next(iter(node), ()))
                elif node.tag not in _OUT and isinstance(node.tag, str):
                    if node.tag.startswith(M):
                        self._say(formula(node))
                        self._end_paragraph(Look(), "")
                    else:
                        self.blocks(node)

    def _paragraph(self, node: Any) -> None:
        properties = node.find(W + "pPr")
        style = self.document.styles.default if properties is None else attribute(properties, "pStyle")
        style = style or self.document.styles.default
        look = paragraph(properties).over(self.document.styles.look(style))
        self._look = look
        if look.page_before and self.is_body and not self.is_cell and self.document.has_text:
            self._break(is_rendered=False)
        self._inline(node)
        mark = None if properties is None else properties.find(W + "rPr")
        if mark is not None and (mark.find(W + "del") is not None or mark.find(W + "moveFrom") is not None):
            return  # its text goes on in the next paragraph
        self._end_paragraph(look, style)
        if self.is_body and properties is not None and properties.find(W + "sectPr") is not None:
            self.document.end_section(self)

    def _end_paragraph(self, look: Look, style: str) -> None:
        """Write the paragraph, with the label of its list; nothing where there is none."""
        text = "".join(self._words)
        is_bold = 0 < self._size == self._bold
        self._words, self._bold, self._size = [], 0, 0
        if not style and not text:
            return
        label, place = "", 0
        if look.number not in (None, NO_LIST) and look.number is not None:
            label, place = self.document.numbering.label(look.number, look.number_level, style)
        words = text.strip(" \t\n")
        if label and words.strip("\f"):
            inner = words.lstrip("\f \t\n")
            text = "\f" * words[: len(words) - len(inner)].count("\f") + f"{label} {inner}"
        line = Line(text, is_bold=is_bold)
        if words.strip("\f"):
            line = look.known(line, place + 1 if label else 0)
        self.flow.add(line)

    # --- what stands in paragraphs ---

    def _inline(self, container: Iterable[Any], look: Look | None = None) -> None:
        """Read what is in an element of a paragraph; `look` is that of the run, None outside of runs."""
        with deeper(self) as is_allowed:
            for node in container if is_allowed else ():
                tag = node.tag
                if tag == W + "r":
                    self._run(node)
                elif tag == W + "t":
                    self._say(node.text or "", look)
                elif tag in _OUT:
                    self._pass(node)
                elif not isinstance(tag, str):
                    continue
                elif tag.startswith(M):
                    self._say(formula(node))
                elif tag.startswith((W, MC)):
                    self._element(node, look)
                else:
                    self._inline(node, look)

    def _run(self, run: Any) -> None:
        properties = run.find(W + "rPr")
        direct = characters(properties)
        named = self.document.styles.look(attribute(properties, "rStyle")) if properties is not None else Look()
        base = self.document.styles.base
        # Switches of paragraph and character styles cancel each other (17.7.3).
        hidden = base.hidden or bool(self._look.hidden) != bool(named.hidden)
        if hidden if direct.hidden is None else direct.hidden:
            self._pass(run)
            return
        bold = bool(self._look.bold) != bool(named.bold) if direct.bold is None else direct.bold
        self._inline(run, Look(bold=bold, font=direct.over(named).over(self._look).font))

    def _pass(self, node: Any) -> None:
        """Pass what is not shown, but for where pages begin and where fields begin and end."""
        if node.tag == W + "instrText":
            self.fields.instruct(node.text or "")
        elif node.tag not in (W + "rPr", W + "pPr"):
            for mark in node.iter(W + "lastRenderedPageBreak", W + "fldChar", W + "instrText"):
                if mark.tag == W + "lastRenderedPageBreak":
                    self._break(is_rendered=True)
                elif node.tag == W + "r" and mark.tag == W + "fldChar":
                    self.fields.mark(mark)
                elif node.tag == W + "r":
                    self.fields.instruct(mark.text or "")

    def _element(self, node: Any, look: Look | None) -> None:
        tag = node.tag
        if tag == W + "br" and node.get(W + "type") == "page":
            if not self.is_cell:
                self._break(is_rendered=False)
        elif tag == W + "lastRenderedPageBreak":
            self._break(is_rendered=True)
        elif tag in SIGNS:
            self._say(SIGNS[tag])
        elif tag == W + "fldChar":
            self._say(self.fields.mark(node))
        elif tag == W + "sym":
            self._say(symbol(node), Look())
        elif tag in _REFERENCES:
            if not self.is_note and self.fields.are_results:
                self._set_aside(self.document.refer(_REFERENCES[tag], node))
        elif tag in _DRAWN:
            if self.fields.are_results:
                self.flow.set_aside(self.document.draw(node, self))
        elif tag == W + "ruby":
            self._inline(node.iterfind(W + "rubyBase"), look)
        elif tag == MC + "AlternateContent":
            self._alternatives(node, look)
        else:
            self._inline(node, look)

    def _alternatives(self, node: Any, look: Look | None) -> None:
        """The first of the alternatives (part 3, 7.5) that has a text."""
        for branch in node:
            before = len(self._words), self.flow.pending
            self._inline(branch, look)
            if before != (len(self._words), self.flow.pending):
                return

    def _set_aside(self, lines: list[Line]) -> None:
        if self.is_cell:
            self.asides += lines
        else:
            self.flow.set_aside(lines)

    def _say(self, text: str, look: Look | None = None) -> None:
        if not text or not self.fields.are_results:
            return
        if look is not None:
            if look.font:
                text = Font(name=look.font).plain(text)
            size = len("".join(text.split()))
            self._size += size
            self._bold += size * bool(look.bold)
        self._words.append(text)
        self.fields.wrote()
        if self.is_body and not text.isspace():
            self.document.wrote()

    def _break(self, *, is_rendered: bool) -> None:
        if self.is_body and self.document.breaks(is_rendered=is_rendered):
            self._words.append("\f")
