"""Word 6 to 2003 (.doc): parts between page breaks, or pages of about 3,000 characters, by [MS-DOC].

Read as if all changes were accepted; hidden text is left out. Notes, comments and text boxes follow the paragraph that
they are anchored in, headers and footers stand once. Not read: pictures, charts, embedded documents.
"""

import struct
from collections.abc import Callable
from functools import partial

from docqa.errors import Unreadable
from docqa.formats.office import doc_sprms as sprm
from docqa.formats.office.doc_file import DAMAGED, Binary, open_file
from docqa.formats.office.doc_reader import Reader
from docqa.formats.office.doc_story import Story
from docqa.formats.office.flow import Flow, Line
from docqa.formats.office.numerals import numeral
from docqa.formats.pages import Reading

LONGEST_NAME = 100
_SEPARATORS = 6  # stories of headers that are lines between text and notes
# Stories of each section (2.3.3), in the order in which they are written: even, odd, first.
_HEADERS, _FOOTERS = {"even": 0, "odd": 1, "first": 4}, {"even": 2, "odd": 3, "first": 5}
_CONTINUOUS = (0, 1)
_NEW_PAGE = 2
_LEFT_AND_RIGHT = 1  # in the settings of the document


def read(data: bytes, charset: str = "") -> Reading:
    """The document in pages; `charset` is ignored.

    Raises Unreadable for a document that is damaged, protected or too old.
    """
    file = open_file(data)
    try:
        flow = Document(file).read()
    except (struct.error, IndexError) as error:
        raise Unreadable(DAMAGED) from error
    pages = flow.pages(breaks_are_known=False)
    return Reading("doc", file.properties.title, pages, properties=file.properties)


class Document:
    """A document while it is read: its body, and what is anchored in it."""

    def __init__(self, file: Binary) -> None:
        self._file = file
        self._reader = Reader(file)
        self._endnotes: list[Line] = []
        self._counts = {"footnote": 0, "endnote": 0}
        self._written: set[str] = set()
        self._repeated: list[Line] = []
        self._sections = [end for _, end, _ in file.positions("sections", 12)]
        self._settings = [self._section(data) for _, _, data in file.positions("sections", 12)]
        self._running = self._header_stories()
        settings = file.structure("settings")
        self._has_left_pages = bool(settings) and bool(settings[0] & _LEFT_AND_RIGHT)

    def read(self) -> Flow:
        """The flow of the body, with all that belongs to it."""
        anchored: dict[int, Callable[[], list[Line]]] = {}
        for kind, width in (("footnote", 2), ("endnote", 2), ("comment", 20 if self._file.is_old else 30)):
            texts = self._file.positions(f"{kind}s", 0)
            references = self._file.positions(f"{kind} references", width)
            for (position, _, about), (first, end, _) in zip(references, texts, strict=False):
                anchored[position] = partial(self._note, kind, first, end, about)
        boxes = self._boxes()
        for position, _, shape in self._file.positions("shapes", 26):
            box = boxes.pop(int.from_bytes(shape[:4], "little"), None)
            if box:
                anchored[position] = partial(self._box, *box)
        sections = {end: partial(self._end_section, place) for place, end in enumerate(self._sections[:-1])}
        story = Story(self._reader, 0, self._file.sizes["body"], anchored, sections)
        flow = story.flow
        self._begin_section(0, flow)
        story.read()
        for box in boxes.values():  # of shapes in groups, which are not anchored themselves
            flow.lines += self._box(*box)
        self._write(max(0, len(self._sections) - 1), _FOOTERS, flow)
        flow.lines += self._endnotes
        if any(line.is_break for line in flow.lines):
            for line in self._repeated:
                line.kind = "boilerplate"
        return flow

    # --- notes, comments and text boxes ---

    def _note(self, kind: str, first: int, end: int, about: bytes) -> list[Line]:
        text = self._text(kind, first, end)
        if kind == "comment":
            author = self._author(about)
            label = f"Comment ({author}):" if author else "Comment:"
        else:
            is_counted = bool(int.from_bytes(about[:2], "little"))
            self._counts[kind] += is_counted
            style = "decimal" if kind == "footnote" else "lowerRoman"
            label = numeral(self._counts[kind], style) if is_counted else ""
        lines = [Line(f"{label} {text}".strip(), "note")] if text else []
        if kind != "endnote":
            return lines
        self._endnotes += lines
        return []

    def _author(self, about: bytes) -> str:
        """Who wrote a comment: a name of the list of authors, or initials (2.9.4)."""
        if self._file.is_old:
            return about[1 : 1 + about[0]].decode("latin-1") if about else ""
        names, at, blob = [], 0, self._file.structure("authors")
        while at + 2 <= len(blob):
            size = int.from_bytes(blob[at : at + 2], "little")
            names.append(blob[at + 2 : at + 2 + 2 * size].decode("utf-16-le", "replace"))
            at += 2 + 2 * size
        number = int.from_bytes(about[20:22], "little")
        return " ".join(names[number].split())[:LONGEST_NAME] if number < len(names) else ""

    def _boxes(self) -> dict[int, tuple[int, int]]:
        """Where the text of each text box lies, by the number of its shape."""
        boxes = self._file.positions("text boxes", 22)
        return {int.from_bytes(about[14:18], "little"): (first, end) for first, end, about in boxes if first < end}

    def _box(self, first: int, end: int) -> list[Line]:
        start = self._file.start("text box")
        return [line for line in Story(self._reader, start + first, start + end).read() if line.text]

    def _text(self, part: str, first: int, end: int) -> str:
        start = self._file.start(part)
        lines = Story(self._reader, start + first, start + min(end, self._file.sizes[part])).read()
        return "\n".join(line.text for line in lines if line.text)

    # --- sections, with their headers and footers ---

    def _section(self, data: bytes) -> dict[int, int]:
        """The settings of a section that concern pages (2.9.243)."""
        at = int.from_bytes(data[2:6], "little")
        size = int.from_bytes(self._file.main[at : at + 2], "little") if at < len(self._file.main) else 0
        blob = self._file.main[at + 2 : at + 2 + size]
        return {
            name: int.from_bytes(operand, "little")
            for name, operand in sprm.modifiers(blob, is_old=False)
            if not self._file.is_old and name in (sprm.TITLE_PAGE, sprm.BREAK_KIND)
        }

    def _header_stories(self) -> list[tuple[int, int]]:
        """Where each header and footer lies (2.8.22); one that is empty is that of the section before."""
        spans = [(first, end) for first, end, _ in self._file.positions("headers", 0)][_SEPARATORS:]
        for place in range(6, len(spans)):
            if spans[place][0] == spans[place][1]:
                spans[place] = spans[place - 6]
        return spans

    def _begin_section(self, place: int, flow: Flow) -> None:
        self._write(place, _HEADERS, flow)

    def _end_section(self, place: int, flow: Flow) -> None:
        flow.place_asides()
        self._write(place, _FOOTERS, flow)
        following = self._settings[place + 1] if place + 1 < len(self._settings) else {}
        if following.get(sprm.BREAK_KIND, _NEW_PAGE) not in _CONTINUOUS:
            flow.break_page()
        self._begin_section(place + 1, flow)

    def _write(self, section: int, stories: dict[str, int], flow: Flow) -> None:
        """Write the headers or the footers of a section, unless an earlier section had the same."""
        has_first = bool(self._settings[section : section + 1]) and self._settings[section].get(sprm.TITLE_PAGE, 0)
        for kind, number in reversed(stories.items()):
            place = 6 * section + number
            if place >= len(self._running) or kind == "even" and not self._has_left_pages:
                continue
            if kind == "first" and not has_first:
                continue
            text = self._text("header", *self._running[place])
            if text and text not in self._written:
                self._written.add(text)
                flow.lines.append(Line(text))
                if kind != "first":
                    self._repeated.append(flow.lines[-1])
