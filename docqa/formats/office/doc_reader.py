"""What the stories of a Word document share: its text, what is set for paragraphs and characters, fonts and lists."""

from typing import Any

from docqa.formats.fonts import decode
from docqa.formats.office.doc_file import Binary
from docqa.formats.office.doc_lists import Lists
from docqa.formats.office.doc_styles import Character, Paragraph, Styles, fonts, paragraph
from docqa.formats.office.doc_text import Run, Text

# The code page of a language (the lower ten bits of its identifier), where it is not that of Western Europe.
_CODE_PAGES = {
    **dict.fromkeys((0x02, 0x19, 0x22, 0x23, 0x2F), 1251),
    **dict.fromkeys((0x05, 0x0E, 0x15, 0x18, 0x1A, 0x1B, 0x1C, 0x24), 1250),
    **dict.fromkeys((0x25, 0x26, 0x27), 1257),
    **dict.fromkeys((0x01, 0x20, 0x29), 1256),
    0x08: 1253, 0x0D: 1255, 0x11: 932, 0x12: 949, 0x1E: 874, 0x1F: 1254, 0x2A: 1258,
}  # fmt: skip
_CHINESE = {0x0404: 950, 0x0C04: 950, 0x1404: 950}


class Reader:
    """What the stories of a document share: its text, styles, fonts and lists."""

    def __init__(self, file: Binary) -> None:
        """Raises Unreadable if the document has no text that can be read."""
        self.file = file
        self.text = Text(file)
        self.styles = Styles(file)
        self.lists = Lists(file)
        self.fonts = fonts(file)
        chinese = _CHINESE.get(file.language, 936) if file.language & 0x3FF == 0x04 else 1252
        self.code_page = _CODE_PAGES.get(file.language & 0x3FF, chinese)
        self._paragraphs: dict[bytes, Paragraph] = {}
        self._characters: dict[tuple[int, bytes, Any], Character] = {}

    def paragraph_at(self, run: Run, place: int) -> Paragraph:
        """What is set for the paragraph whose mark is a character of a run."""
        _, settings = self.text.paragraphs.at(run.offset + place * run.width)
        if settings not in self._paragraphs:
            self._paragraphs[settings] = paragraph(settings, self.file, self.styles)
        return self._paragraphs[settings]

    def character(self, run: Run, style: int) -> Character:
        """What is set for the characters of a run in a paragraph of this style."""
        key = style, run.settings, run.of_piece
        if key not in self._characters:
            base = self.styles.of(style)[1]
            self._characters[key] = self.styles.character(run.settings, run.of_piece, base)
        return self._characters[key]

    def decoded(self, run: Run) -> str:
        """The characters of a run; bytes are of the code page of Western Europe, of old documents of their font."""
        if run.width == 2:
            return run.data.decode("utf-16-le", "surrogatepass")
        if not self.file.is_old:
            return decode(run.data, 1252)
        number = self.character(run, 0).font or 0
        return decode(run.data, self.fonts.code_page(number, self.code_page))
