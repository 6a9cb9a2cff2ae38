"""What an RTF reader knows while it reads: the properties of the open groups, the bytes not yet decoded, and the flow of text they go to.

Brackets, control words and bytes come in from `rtf`; `body`, `title` and `notes` are what comes out.
"""

import re
from collections.abc import Callable

from docqa.errors import Unreadable
from docqa.formats.rtf.codes import Font, Fonts, decode
from docqa.formats.rtf.group import NO_OUTLINE, Group, Voice
from docqa.formats.rtf.story import Story

DEEPEST = 500_000
LONGEST_FALLBACK = 8  # characters; more than any code page has bytes for one, so that a damaged number costs no text

_HEADING_STYLE = re.compile(r"\s*(heading [1-9]|title)\b", re.IGNORECASE)
_SYMBOL_FIELD = re.compile(r'\s*SYMBOL\s+(\d{1,5})(?:[^\\]*\\f\s+"?(\w+))?')


class Document:
    """One file while it is read. Text is decoded in the font of the group it stands in, and told to the group's story."""

    def __init__(self) -> None:
        self.body = Story()
        self.title = ""
        self.notes: list[str] = []
        self.group = Group(Voice.SPEAKING, self.body)
        self._code_page = 1252
        self._default_font = 0
        self.fonts = Fonts()
        self.is_truncated = False
        self._passing = 0  # characters that stand for a \u in old programs, still to be passed over
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
        """Raises Unreadable where groups are nested deeper than any program writes them."""
        if len(self._outer) == DEEPEST:
            raise Unreadable(f"The groups of the RTF file are nested more than {DEEPEST:,} deep: the file is damaged.")
        self.end_characters()
        self._outer.append(self.group)
        self.group = self.group.inner()

    def close(self) -> bool:
        """Whether a group is open still."""
        self.end_characters()
        if self._outer:
            closed, self.group = self.group, self._outer.pop()
            for closing in reversed(closed.closings):
                closing()
        return bool(self._outer)

    def finish(self) -> None:
        """Close what is open where the file ends."""
        if self._outer:
            self.is_truncated = True
            self.notes.append("The RTF file ends in the middle: its last part is missing.")
        while self.close():
            pass
        self.end_section()

    def wait(self) -> None:
        """An object, a shape, a part that is there twice: of the text inside, only some counts."""
        if self.group.voice in (Voice.SPEAKING, Voice.INSTRUCTION):
            self.group.voice = Voice.WAITING

    def revive(self) -> None:
        if self.group.voice is Voice.WAITING:
            self.group.voice = Voice.SPEAKING

    def collect(self, voice: Voice) -> None:
        if self.group.voice is not Voice.SILENT:
            self.group.voice = voice

    def tell(self, place: Callable[[Story, str], None], revived: bool = False) -> None:
        """The group is a flow of its own; at its end, `place` gets the flow around it and its text."""
        if revived:
            self.revive()
        around, own = self.group.story, Story()
        self.group.story, self.group.table, self.group.page_before = own, 0, 0
        self.group.closings += (lambda: place(around, own.close()[0]),)

    # --- properties ---

    def reset_characters(self) -> None:
        self.group.hidden = self.group.deleted = 0
        self.group.font = self._default_font

    def reset_paragraph(self) -> None:
        self.group.style, self.group.outline, self.group.table, self.group.page_before = 0, NO_OUTLINE, 0, 0

    def set_table(self, level: int) -> None:
        self.group.table = max(0, level)

    def set_fallback(self, characters: int) -> None:
        self.group.fallback = min(max(0, characters), LONGEST_FALLBACK)

    def set_default_font(self, number: int) -> None:
        self._default_font = self.group.font = number

    def set_code_page(self, number: int) -> None:
        self._code_page = number

    def set_section(self, starts_page: bool) -> None:
        self._section_starts_page = starts_page

    # --- characters ---

    def add_text(self, data: bytes) -> None:
        """Bytes beyond ASCII are against the rules: some programs write UTF-8, the others the code page of the font."""
        if self.group.voice in (Voice.SILENT, Voice.WAITING):
            return
        data = data.translate(None, b"\r\n\0")
        text = None if data.isascii() else _utf8(data)
        if text is None:
            self.add(data)
            return
        self._flush()
        self.say(text[self._passing :])
        self._passing = 0

    def add(self, data: bytes) -> None:
        """Bytes in the code page of the font; one character may come in several parts."""
        passed = min(self._passing, len(data))
        self._passing -= passed
        self._bytes += data[passed:]

    def add_character(self, character: str) -> None:
        if self._passing and not character.isspace():
            self._passing -= 1
            return
        self.end_characters()
        self.say(character)

    def add_unicode(self, number: int) -> None:
        code = number + (0x10000 if number < 0 else 0)
        self._passing = self.group.fallback
        if 0xF020 <= code <= 0xF0FF:
            self.say(self.fonts[self.group.font].drawn(bytes([code & 0xFF])))
        elif code:
            self.say(chr(code) if 0 < code < 0x110000 else "\ufffd")

    def end_characters(self) -> None:
        """Before anything that may change the code page, or what the characters become."""
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
        group = self.group
        if group.voice is Voice.SPEAKING:
            if not group.hidden and not group.deleted:
                self._begin()
                group.story.write(text)
        elif group.voice is Voice.INSTRUCTION:
            self._instruction += text
        elif group.voice is Voice.FONTS:
            self.fonts[group.font].name += text
        elif group.voice is Voice.STYLES:
            self._styles[group.style] = self._styles.get(group.style, "") + text
            self._outlines[group.style] = group.outline

    # --- paragraphs, rows and pages ---

    def end_paragraph(self) -> None:
        self.group.story.end_paragraph(self.group.table, self._is_heading())

    def end_cell(self, level: int) -> None:
        self.group.story.end_cell(level)

    def end_row(self, level: int) -> None:
        self.group.story.end_row(level)

    def end_page(self) -> None:
        if self.group.story is self.body and not self.group.table:
            self.body.break_page()
        else:
            self.say("\n")

    def end_section(self) -> None:
        self.body.end_flow()
        for text in self._footers:
            self.body.add_paragraph(text)
        self._footers.clear()
        self._section_ended = True

    def _begin(self) -> None:
        """Break the page before the first text of a section or paragraph that asks for it."""
        if self.group.story is self.body and (self._section_ended or self.group.page_before) and self.body.is_between:
            if (
                self._section_ended and self._section_starts_page or self.group.page_before
            ) and not self.body.starts_page():
                self.body.break_page()
            self._section_ended = False

    def _is_heading(self) -> bool:
        style = self.group.style
        outline = min(self.group.outline, self._outlines.get(style, NO_OUTLINE))
        return outline < NO_OUTLINE or bool(_HEADING_STYLE.match(self._styles.get(style, "")))

    # --- what is told apart ---

    def place_aside(self, around: Story, text: str) -> None:
        around.set_aside(text)

    def place_title(self, around: Story, text: str) -> None:
        self.title = " ".join(text.split())

    def place_label(self, around: Story, text: str) -> None:
        if text:
            self._begin()
            around.write_label(" ".join(text.split()))

    def place_header(self, around: Story, text: str) -> None:
        """Before the text of its section; one that sections repeat is there once."""
        if text not in self._running:
            self._running.add(text)
            self._begin()
            self.body.add_paragraph(text)

    def place_footer(self, around: Story, text: str) -> None:
        """After the text of its section."""
        if text not in self._running:
            self._running.add(text)
            self._footers.append(text)

    def place_property_name(self, around: Story, text: str) -> None:
        self._shape_property = text

    def place_property(self, around: Story, text: str) -> None:
        """A shape's properties hold no text but one: that of WordArt."""
        if self._shape_property == "gtextUNICODE":
            around.set_aside(text)

    # --- fields ---

    def begin_instruction(self) -> None:
        self._instruction, self._is_symbol = "", False
        if self.group.voice is Voice.SPEAKING:
            self.group.voice = Voice.INSTRUCTION
            self.group.closings += (self._end_instruction,)

    def _end_instruction(self) -> None:
        """Some fields have no result: Word writes a sign of a font of pictures as the field SYMBOL."""
        found = _SYMBOL_FIELD.match(self._instruction)
        if found:
            self.say(Font(name=found[2] or "").drawn(bytes([int(found[1]) & 0xFF])))
            self._is_symbol = True

    def begin_result(self) -> None:
        if self._is_symbol:
            self.group.voice, self._is_symbol = Voice.SILENT, False


def _utf8(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
