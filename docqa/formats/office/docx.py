"""Word (.docx and its variants): pages as Word last showed them, or else of about 3,000 characters.

Read as if all changes were accepted; hidden text is left out. Notes, comments and text boxes follow the paragraph that
they are anchored in, headers and footers stand once in their section. Not read: pictures, embedded files.
"""

import zipfile
from collections.abc import Callable
from typing import Any

from docqa.errors import Unreadable
from docqa.formats.office.docx_notes import Notes
from docqa.formats.office.docx_numbering import Numbering
from docqa.formats.office.docx_runs import RunFields
from docqa.formats.office.docx_sections import Sections
from docqa.formats.office.docx_story import Story
from docqa.formats.office.docx_styles import Styles, W
from docqa.formats.office.docx_tables import read_table
from docqa.formats.office.drawing import CX, DGM, MC, A, C, R, paragraph_text, written_description
from docqa.formats.office.flow import Flow, Line
from docqa.formats.office.graphics import chart, diagram
from docqa.formats.office.nesting import DEEPEST
from docqa.formats.office.package import Package, Relation
from docqa.formats.pages import Reading

_DAMAGED = "The document is damaged and cannot be opened. Open it in Word, save it again and upload that."
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_V = "{urn:schemas-microsoft-com:vml}"
_WITH_TEXT = (W + "txbxContent", A + "p", C + "chart", CX + "chart", DGM + "relIds", _V + "textpath")


def read(data: bytes, charset: str = "") -> Reading:
    """The document in pages; `charset` is ignored. Of damaged parts what remains is read, with a note.

    Raises Unreadable for a document that is damaged or more complex than fits in memory.
    """
    try:
        package = Package(data)
    except zipfile.BadZipFile as error:
        raise Unreadable(_DAMAGED) from error
    main = next(iter(package.related("", "officeDocument")), "word/document.xml")
    root = package.root(main)
    body = None if root is None else root.find(W + "body")
    if body is None:
        raise Unreadable(_DAMAGED)
    document = Document(package, main, body)
    properties = package.properties()
    flow = document.read(body)
    notes = document.remarks()
    pages = flow.pages(breaks_are_known=document.has_rendered_breaks)
    return Reading("docx", properties.title, pages, notes, properties=properties)


class Document:
    """A document while it is read: what its stories share, as `docx_story.Document` describes it."""

    def __init__(self, package: Package, main: str, body: Any) -> None:
        """`main` is the name of the main part, `body` its body."""
        self.package, self.main = package, main
        self.styles = Styles(self._part("styles"))
        self.numbering = Numbering(self._part("numbering"), self.styles)
        settings = self._part("settings")
        self.notes = Notes(package, main, settings, self._note)
        self.sections = Sections(body, settings, self._running)
        self.has_rendered_breaks = next(body.iter(W + "lastRenderedPageBreak"), None) is not None
        self.is_too_deep = False
        self.has_text = False  # whether the page has a text
        self._is_confirmed = True  # whether the page that began is one that Word found, or may be
        self._relations: dict[str, dict[str, Relation]] = {}
        self._drawn: set[str] = set()
        self._has_parts_left_out = next(body.iter(W + "altChunk", W + "subDoc"), None) is not None

    def _part(self, kind: str) -> Any:
        return next((self.package.root(name) for name in self.package.related(self.main, kind)), None)

    def read(self, body: Any) -> Flow:
        """The flow of the body, with all that belongs to it."""
        story = Story(self, self.main, RunFields(body), is_body=True)
        self.sections.begin(story.flow)
        story.read(body)
        self.sections.end(story.flow)
        story.flow.lines += self.notes.endnotes
        self.sections.settle(story.flow)
        return story.flow

    def remarks(self) -> list[str]:
        """What could not be read."""
        remarks = []
        if self.package.lost:
            remarks.append("A part of the document is damaged; some of its text may be missing.")
        if self.is_too_deep:
            remarks.append(f"What is nested more than {DEEPEST} deep was left out.")
        if self._has_parts_left_out:
            remarks.append("Other files that the document includes were left out.")
        return remarks

    # --- what stories ask for ---

    def refer(self, kind: str, reference: Any) -> list[Line]:
        """The lines of a note or comment."""
        return self.notes.refer(kind, reference)

    def table(self, table: Any, story: Story) -> None:
        """Read a table into the flow of its story."""
        read_table(table, story)

    def end_section(self, story: Story) -> None:
        """The end of a section of the body."""
        if self.sections.end(story.flow):
            self.breaks(is_rendered=False)
            story.flow.break_page()
        self.sections.begin(story.flow)

    def breaks(self, *, is_rendered: bool) -> bool:
        """Whether a page begins. Word finds most pages that must begin, too, and marks their first text."""
        if is_rendered and not self._is_confirmed and not self.has_text:
            self._is_confirmed = True
            return False
        self.has_text, self._is_confirmed = False, is_rendered
        return True

    def wrote(self) -> None:
        """The page has a text."""
        self.has_text = True

    def draw(self, drawing: Any, story: Story) -> list[Line]:
        """The lines of a drawing: text boxes, WordArt, charts, diagrams and descriptions."""
        lines: list[Line] = []
        waiting = [drawing]
        while waiting:
            node = waiting.pop()
            if node.tag == W + "txbxContent":
                box = Story(self, story.part, RunFields(node), is_note=story.is_note, depth=story.depth + 1)
                lines += box.read(node)
            elif node.tag == A + "p":
                lines.append(Line(paragraph_text(node)))
            elif node.tag in (C + "chart", CX + "chart"):
                lines += self._graphic(story.part, node.get(R + "id"), chart)
            elif node.tag == DGM + "relIds":
                lines += self._graphic(story.part, node.get(R + "dm"), diagram)
            elif node.tag == _V + "textpath":
                lines.append(Line(node.get("string", "")))
            elif node.tag == _WP + "docPr":
                lines.append(Line(written_description(node.get("descr", ""))))
            else:
                waiting += _members(node)[::-1]
        return [line for line in lines if line.text.strip()]

    def _graphic(self, part: str, identifier: str | None, read: Callable[[Any], str]) -> list[Line]:
        """The lines of a chart or a diagram, which are in parts of their own."""
        target = self._related(part).get(identifier or "", Relation("", "")).target
        root = self.package.root(target) if target and target not in self._drawn else None
        self._drawn.add(target)
        texts = [] if root is None else [line for line in read(root).split("\n") if line.strip()]
        if read is diagram:
            return [Line(text, "item", 1) for text in texts]
        return [Line(text, "row", int(text.startswith(" | "))) if " | " in text else Line(text) for text in texts]

    def _related(self, part: str) -> dict[str, Relation]:
        if part not in self._relations:
            self._relations[part] = self.package.relations(part)
        return self._relations[part]

    def _note(self, note: Any, part: str) -> list[Line]:
        return Story(self, part, RunFields(note), is_note=True).read(note)

    def _running(self, identifier: str) -> list[Line]:
        """The lines of a header or footer; none that were read before."""
        part = self._related(self.main).get(identifier, Relation("", "")).target
        root = self.package.root(part) if part and part not in self._drawn else None
        self._drawn.add(part)
        return [] if root is None else Story(self, part, RunFields(root), is_note=True).read(root)


def _members(node: Any) -> list[Any]:
    """The elements in one; of alternatives (part 3, 7.5) those of the first that has a text."""
    if node.tag != MC + "AlternateContent":
        return list(node)
    branches = (branch for branch in node if next(branch.iter(*_WITH_TEXT), None) is not None)
    return list(next(branches, ()))
