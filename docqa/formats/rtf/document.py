"""The state of an RTF reader: the properties of the open groups, the bytes not yet decoded, the story they belong to.

Braces, control words and bytes come in from `reading`; `body`, `title` and `notes` are the result.
"""

import re
from collections.abc import Callable

from docqa.errors import Unreadable
from docqa.formats.fonts import Font, Fonts, decode, decode_utf8
from docqa.formats.rtf.group import NO_OUTLINE, Group, Voice, heading_level
from docqa.formats.rtf.story import Story

DEEPEST = 500_000
LONGEST_FALLBACK = 8  # characters, more than the bytes of one in any code page; a damaged number must not swallow text

_SYMBOL_FIELD = re.compile(r'\s*SYMBOL\s+(\d{1,5})(?:[^\\]*\\f\s+"?(\w+))?')


class Document:
    """A file while it is read. Text is decoded with the font of its group, and written to the group's story."""

    def __init__(self) -> None:
        self.body = Story()
        self.title = self.author = ""
        self.notes: list[str] = []
        self.group = Group(Voice.SPEAKING, self.body)
        self._code_page = 1252
        self._default_font = 0
        self.fonts = Fonts()
        self.is_truncated = False
        self._passing = 0  # characters still to be skipped: the fallback of a \u for old programs
        self._outer: list[Group] = []
        self._styles: dict[int, str] = {}
        self._outlines: dict[int, int] = {}
        self._bytes = bytearray()
        self._instruction = ""
        self._is_symbol = False
        self._shape_property = ""
        self._footers: list[str] = []
        self._running: set[str] = set()
        self._section_ended = False
        self._section_starts_page = True

    # --- groups ---

    def open(self) -> None:
        """An opening brace. Raises Unreadable if groups are nested deeper than any program writes them."""
        if len(self._outer) == DEEPEST:
            raise Unreadable(f"The groups of the RTF file are nested more than {DEEPEST:,} deep: the file is damaged.")
        self.end_characters()
        self._outer.append(self.group)
        self.group = self.group.inner()

    def close(self) -> bool:
        """A closing brace; returns whether a group is still open."""
        self.end_characters()
        if self._outer:
            closed, self.group = self.group, self._outer.pop()
            for closing in reversed(closed.closings):
                closing()
        return bool(self._outer)

    def finish(self) -> None:
        """Close what is open at the end of the file."""
        if self._outer:
            self.is_truncated = True
            self.notes.append("The RTF file is cut off: its last part is missing.")
        while self.close():
            pass
        self.end_section()

    def wait(self) -> None:
        """An object, a shape, or alternatives of a text: only some of the groups inside are text."""
        if self.group.voice in (Voice.SPEAKING, Voice.INSTRUCTION):
            self.group.voice = Voice.WAITING

    def revive(self) -> None:
        """A group that is text inside a waiting one."""
        if self.group.voice is Voice.WAITING:
            self.group.voice = Voice.SPEAKING

    def collect(self, voice: Voice) -> None:
        """The group's characters are names of fonts or styles."""
        if self.group.voice is not Voice.SILENT:
            self.group.voice = voice

    def tell(self, place: Callable[[Story, str], None], revived: bool = False) -> None:
        """The group is a story of its own; at its end, `place` is called with the story around it and its text.

        `revived`: also if it is in a waiting group.
        """
        if revived:
            self.revive()
        around, own = self.group.story, Story()
        self.group.story, self.group.table, self.group.page_before = own, 0, 0
        self.group.closings += (lambda: place(around, own.close().text),)

    # --- properties ---

    def reset_characters(self) -> None:
        """Default character properties (\\plain)."""
        self.group.hidden = self.group.deleted = self.group.bold = 0
        self.group.font = self._default_font

    def reset_paragraph(self) -> None:
        """Default paragraph properties (\\pard)."""
        self.group.style, self.group.outline, self.group.table, self.group.page_before = 0, NO_OUTLINE, 0, 0
        self.group.list_number = self.group.list_level = 0

    def set_table(self, level: int) -> None:
        """How many tables the paragraph is nested in (\\itap)."""
        self.group.table = max(0, level)

    def set_fallback(self, characters: int) -> None:
        """How many characters after a \\u old programs show in its place (\\uc)."""
        self.group.fallback = min(max(0, characters), LONGEST_FALLBACK)

    def set_default_font(self, number: int) -> None:
        """The font of text that names none (\\deff)."""
        self._default_font = self.group.font = number

    def set_code_page(self, number: int) -> None:
        """The code page of fonts that name none (\\ansicpg)."""
        self._code_page = number

    def set_section(self, starts_page: bool) -> None:
        """Whether the section starts a new page (\\sbkpage and others)."""
        self._section_starts_page = starts_page

    # --- characters ---

    def add_text(self, data: bytes) -> None:
        """Plain bytes. Those beyond ASCII break the rules: some programs write UTF-8, others the font's code page."""
        if self.group.voice in (Voice.SILENT, Voice.WAITING):
            return
        data = data.translate(None, b"\r\n\0")
        text = None if data.isascii() else decode_utf8(data)
        if text is None:
            self.add(data)
            return
        self._flush()
        self.say(text[self._passing :])
        self._passing = 0

    def add(self, data: bytes) -> None:
        """Bytes in the code page of the font; a character may come in several parts."""
        passed = min(self._passing, len(data))
        self._passing -= passed
        self._bytes += data[passed:]

    def add_character(self, character: str) -> None:
        """The character that a control word or symbol stands for."""
        if self._passing and not character.isspace():
            self._passing -= 1
            return
        self.end_characters()
        self.say(character)

    def add_unicode(self, number: int) -> None:
        """The character of a \\u, a signed 16-bit number."""
        code = number + (0x10000 if number < 0 else 0)
        self._passing = self.group.fallback
        if 0xF020 <= code <= 0xF0FF:
            self.say(self.fonts[self.group.font].drawn(bytes([code & 0xFF])))
        elif code:
            self.say(chr(code) if 0 < code < 0x110000 else "\ufffd")

    def end_characters(self) -> None:
        """Decode the bytes so far, before anything that may change the code page or the meaning of characters."""
        self._flush()
        self._passing = 0

    def _flush(self) -> None:
        if not self._bytes:
            return
        data = bytes(self._bytes)
        self._bytes.clear()
        font = self.fonts[self.group.font]
        pictures = font.pictures and self.group.voice is Voice.SPEAKING
        self.say(font.drawn(data) if pictures else decode(data, self.fonts.code_page(self.group.font, self._code_page)))

    def say(self, text: str) -> None:
        """Add decoded text to what the group's characters are: text, a field's instruction, or a name."""
        group = self.group
        if group.voice is Voice.SPEAKING:
            if not group.hidden and not group.deleted:
                self._begin()
                group.story.write(text, is_bold=bool(group.bold))
        elif group.voice is Voice.INSTRUCTION:
            self._instruction += text
        elif group.voice is Voice.FONTS:
            self.fonts[group.font].name += text
        elif group.voice is Voice.STYLES:
            self._styles[group.style] = self._styles.get(group.style, "") + text
            self._outlines[group.style] = group.outline

    # --- paragraphs, rows and pages ---

    def end_paragraph(self) -> None:
        """The end of a paragraph (\\par)."""
        self.group.story.end_paragraph(self.group.table, self._heading_level(), self.group.item)

    def end_cell(self, level: int) -> None:
        """The end of a cell in a table of this nesting level (\\cell, \\nestcell)."""
        self.group.story.end_cell(level)

    def end_row(self, level: int) -> None:
        """The end of a row in a table of this nesting level (\\row, \\nestrow)."""
        self.group.story.end_row(level)

    def end_page(self) -> None:
        """A hard page break (\\page); in a table or outside of the body it is only a line break."""
        if self.group.story is self.body and not self.group.table:
            self.body.break_page()
        else:
            self.say("\n")

    def end_section(self) -> None:
        """The end of a section (\\sect), followed by its footers."""
        self.body.end_flow()
        for text in self._footers:
            self.body.add_paragraph(text)
        self._footers.clear()
        self._section_ended = True

    def _begin(self) -> None:
        """Break the page before the first text of a section or paragraph that requests it."""
        if self.group.story is self.body and (self._section_ended or self.group.page_before) and self.body.is_between:
            if (
                self._section_ended and self._section_starts_page or self.group.page_before
            ) and not self.body.starts_page():
                self.body.break_page()
            self._section_ended = False

    def _heading_level(self) -> int:
        style = self.group.style
        outline = min(self.group.outline, self._outlines.get(style, NO_OUTLINE))
        return heading_level(outline, self._styles.get(style, ""))

    # --- stories of their own ---

    def place_aside(self, around: Story, text: str, is_note: bool = False) -> None:
        """A text box, note or comment."""
        around.set_aside(text, is_note)

    def place_information(self, name: str, around: Story, text: str) -> None:
        """What the document says of itself: its `title` or its `author`."""
        setattr(self, name, " ".join(text.split()))

    def place_label(self, around: Story, text: str) -> None:
        """The bullet or number of a list item."""
        if text:
            self._begin()
            around.write_label(" ".join(text.split()))

    def place_header(self, around: Story, text: str) -> None:
        """A header, placed before the text of its section; one that sections repeat is written once."""
        if text not in self._running:
            self._running.add(text)
            self._begin()
            self.body.add_paragraph(text)

    def place_footer(self, around: Story, text: str) -> None:
        """A footer, placed after the text of its section; one that sections repeat is written once."""
        if text not in self._running:
            self._running.add(text)
            self._footers.append(text)

    def place_property_name(self, around: Story, text: str) -> None:
        """The name of a shape's property."""
        self._shape_property = text

    def place_property(self, around: Story, text: str) -> None:
        """The value of a shape's property; only that of WordArt is text."""
        if self._shape_property == "gtextUNICODE":
            around.set_aside(text)

    # --- fields ---

    def begin_instruction(self) -> None:
        """The instruction of a field (\\fldinst)."""
        self._instruction, self._is_symbol = "", False
        if self.group.voice is Voice.SPEAKING:
            self.group.voice = Voice.INSTRUCTION
            self.group.closings += (self._end_instruction,)

    def _end_instruction(self) -> None:
        """Some fields have no result: Word writes a character of a symbol font as the field SYMBOL."""
        symbol = _SYMBOL_FIELD.match(self._instruction)
        if symbol:
            self.say(Font(name=symbol[2] or "").drawn(bytes([int(symbol[1]) & 0xFF])))
            self._is_symbol = True

    def begin_result(self) -> None:
        """The result of a field (\\fldrslt); that of a SYMBOL field repeats it."""
        if self._is_symbol:
            self.group.voice, self._is_symbol = Voice.SILENT, False
