"""A story of a Word document: its body, a note, a header or a text box → the lines of a flow."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping

from docqa.formats.office.doc_forms import box_state
from docqa.formats.office.doc_reader import Reader
from docqa.formats.office.doc_styles import Character, Paragraph
from docqa.formats.office.doc_tables import DEEPEST, Table
from docqa.formats.office.doc_text import Run
from docqa.formats.office.docx_numbering import NO_LIST
from docqa.formats.office.fields import Fields, symbol_text
from docqa.formats.office.flow import Flow, Line

_MARK = re.compile("[\x00-\x08\x0b-\x0f\x13-\x15\x1e\x1f]")
_ENDS = re.compile("[\r\x07\x0c]")
_CELL, _PARAGRAPH, _PAGE = "\x07", "\r", "\x0c"
_SIGNS = {"\x0b": "\n", "\x0e": "\n", "\x1e": "\u2011"}
_BEGIN, _SEPARATE, _END, _PICTURE = "\x13", "\x14", "\x15", "\x01"
_BOX = "FORMCHECKBOX"

Segment = tuple[int, str, Run]  # position, text, and the run that it is of


class Story:
    """Reads the characters between two positions.

    `anchored` gives the lines that belong to a position: notes, text boxes. `sections` are called where one ends, with
    the flow; None where page breaks are none.
    """

    def __init__(
        self,
        reader: Reader,
        first: int,
        end: int,
        anchored: Mapping[int, Callable[[], list[Line]]] | None = None,
        sections: Mapping[int, Callable[[Flow], None]] | None = None,
    ) -> None:
        self._reader, self._first, self._end = reader, first, end
        self._anchored, self._anchors = anchored or {}, sorted(anchored or {})
        self._sections = sections
        self.flow = Flow()
        self._fields = Fields()
        self._data = 0  # where the settings of a form's field are
        self._words: list[str] = []
        self._bold = self._size = 0
        self._tables: list[Table] = []

    def read(self) -> list[Line]:
        """The lines of the story."""
        endless = self._endless()
        for segments, mark, run, place in self._paragraphs():
            settings = Paragraph() if run is None else self._reader.paragraph_at(run, place)
            depth = min(max(settings.depth, int(mark == _CELL)), DEEPEST)
            if settings.look.page_before and not depth and self._sections is not None and self.flow.has_text:
                self.flow.break_page()
            if depth and not self._tables and self._words:
                self._end_paragraph(Paragraph(), 0, _PARAGRAPH, 0)
            for segment in segments:
                self._segment(segment, settings.style, endless)
            is_deleted = run is not None and self._reader.character(run, settings.style).deleted
            if not (is_deleted and mark == _PARAGRAPH and not depth):  # else its text goes on in the next paragraph
                self._end_paragraph(settings, depth, mark, 0 if run is None else run.position + place)
        self._close_tables(0)
        return self.flow.closed()

    def _endless(self) -> set[int]:
        """Positions of fields that never end, which are none."""
        begun: list[int] = []
        for run in self._reader.text.runs(self._first, self._end):
            text = run.data.decode("utf-16-le" if run.width == 2 else "latin-1", "replace")
            for mark in re.finditer("[\x13\x15]", text):
                if mark.group() == _BEGIN:
                    begun.append(run.position + mark.start())
                elif begun:
                    begun.pop()
        return set(begun)

    def _paragraphs(self) -> Iterator[tuple[list[Segment], str, Run | None, int]]:
        """(the segments of a paragraph, the mark that ends it, the run of that, its place in the run)."""
        segments: list[Segment] = []
        for run in self._reader.text.runs(self._first, self._end):
            text = self._reader.decoded(run)
            at = 0
            for end in _ENDS.finditer(text):
                segments.append((run.position + at, text[at : end.start()], run))
                yield segments, end.group(), run, end.start()
                segments, at = [], end.end()
            if at < len(text):
                segments.append((run.position + at, text[at:], run))
        if segments:
            yield segments, _PARAGRAPH, None, 0

    def _segment(self, segment: Segment, style: int, endless: set[int]) -> None:
        """Read a part of a paragraph whose characters have the same settings."""
        position, text, run = segment
        look = self._reader.character(run, style)
        is_out = look.deleted or bool(look.hidden)
        if not is_out and self._fields.are_results:
            place = bisect_left(self._anchors, position)
            while place < len(self._anchors) and self._anchors[place] < position + len(text):
                self._set_aside(self._anchored[self._anchors[place]]())
                place += 1
        if look.special and look.symbol:
            font, code = look.symbol
            self._say(symbol_text(code, self._reader.fonts[font].name) if not is_out else "", look)
            return
        at = 0
        for mark in _MARK.finditer(text):
            self._words_of(text[at : mark.start()], look, is_out=is_out)
            self._mark(mark.group(), position + mark.start(), look, is_out, endless)
            at = mark.end()
        self._words_of(text[at:], look, is_out=is_out)

    def _words_of(self, text: str, look: Character, *, is_out: bool) -> None:
        if not self._fields.are_results:
            self._fields.instruct(text)
        elif not is_out and text:
            font = self._reader.fonts[look.font or 0]
            self._say(font.plain(text), look)

    def _mark(self, mark: str, position: int, look: Character, is_out: bool, endless: set[int]) -> None:
        shown = _SIGNS.get(mark, "")
        if mark == _BEGIN and position not in endless:
            self._fields.begin()
        elif mark == _SEPARATE:
            self._fields.separate()
        elif mark == _END:
            is_box = self._fields.instruction.strip().upper().startswith(_BOX)
            shown = self._fields.end()
            shown = box_state(self._reader.file.data, self._data) if is_box else shown
        elif mark == _PICTURE and look.data is not None:
            self._data = look.data
        if shown and not is_out:
            self._say(shown, look)

    def _say(self, text: str, look: Character) -> None:
        if text and self._fields.are_results:
            size = len("".join(text.split()))
            self._size += size
            self._bold += size * bool(look.bold)
            self._words.append(text)
            self._fields.wrote()

    def _set_aside(self, lines: list[Line]) -> None:
        if self._tables:
            self._tables[0].asides += lines
        else:
            self.flow.set_aside(lines)

    # --- paragraphs, cells, rows, pages ---

    def _end_paragraph(self, settings: Paragraph, depth: int, mark: str, position: int) -> None:
        self._close_tables(depth)
        while len(self._tables) < depth:
            self._tables.append(Table())
        flow = self._tables[-1].cell if self._tables else self.flow
        text = "".join(self._words)
        is_bold = 0 < self._size == self._bold
        self._words, self._bold, self._size = [], 0, 0
        if depth and settings.ends_row:
            self._tables[-1].end_row(settings.edges, is_head=settings.is_head)
            return
        self._add(flow, text, settings, is_bold=is_bold)
        if depth and (mark == _CELL or settings.ends_cell):
            self._tables[-1].end_cell()
        elif mark == _PAGE and not depth and self._sections is not None:
            if position + 1 in self._sections:
                self._sections[position + 1](self.flow)
            else:
                self.flow.break_page()

    def _add(self, flow: Flow, text: str, settings: Paragraph, *, is_bold: bool) -> None:
        look = settings.look
        words = text.strip()
        label = ""
        place = look.number_level or 0
        if look.number not in (None, NO_LIST):
            label = self._reader.lists.label(int(look.number or 0), place)
        line = Line(f"{label} {words}" if words and label else text, is_bold=is_bold)
        flow.add(look.known(line, place + 1 if label else 0) if words else line)

    def _close_tables(self, depth: int) -> None:
        while len(self._tables) > depth:
            table = self._tables.pop()
            flow = self._tables[-1].cell if self._tables else self.flow
            flow.add_table(table.rows())
