"""Fields of Word documents: their results are text, what they are computed from is none."""

import re
from dataclasses import dataclass

from docqa.formats.fonts import Font

LONGEST = 1_000  # characters of an instruction
# Fields that show a part of their instruction.
_BUTTON = re.compile(r"\s*(?:MACRO|GOTO)BUTTON\s+\S+\s(.*)", re.DOTALL)
_SYMBOL = re.compile(r'\s*SYMBOL\s+(0x[0-9a-f]{1,4}|\d{1,5})(?:[^\\]|\\(?!f))*(?:\\f\s+"?([^"\\]+))?', re.IGNORECASE)


@dataclass
class Field:
    """A field while it is read: between its beginning and its separator stands what it is computed from."""

    instruction: str = ""
    shown: str = ""  # without a result
    is_result: bool = False
    has_text: bool = False


class Fields:
    """The fields that are open at a place."""

    def __init__(self) -> None:
        self._open: list[Field] = []

    @property
    def are_results(self) -> bool:
        """Whether what stands here is shown."""
        return all(field.is_result for field in self._open)

    @property
    def instruction(self) -> str:
        """That of the innermost field, "" outside of fields."""
        return self._open[-1].instruction if self._open else ""

    def begin(self, shown: str = "") -> None:
        """The beginning of a field; `shown` is what it shows if it has no result, as boxes of forms have none."""
        self._open.append(Field(shown=shown))

    def instruct(self, text: str) -> None:
        """A part of the instruction of the innermost field."""
        if self._open and not self._open[-1].is_result:
            self._open[-1].instruction = (self._open[-1].instruction + text)[:LONGEST]

    def separate(self) -> None:
        """The result of the innermost field begins."""
        if self._open:
            self._open[-1].is_result = True

    def wrote(self) -> None:
        """There is a text, which is the result of the fields that are open."""
        for field in self._open:
            field.has_text = True

    def end(self) -> str:
        """The end of the innermost field; returns what it shows if it has no result: a box, a button, a symbol."""
        field = self._open.pop() if self._open else Field(has_text=True)
        return "" if field.has_text or not self.are_results else field.shown or shown_instruction(field.instruction)


def shown_instruction(instruction: str) -> str:
    """What a field without a result shows: the text of a button, or the character of a SYMBOL field."""
    if button := _BUTTON.match(instruction):
        return button[1].strip()
    if symbol := _SYMBOL.match(instruction):
        code = int(symbol[1], 0)
        name = (symbol[2] or "").strip()
        return symbol_text(code, name) if name or code < 0x100 else chr(code)
    return ""


def symbol_text(code: int, font: str) -> str:
    """The character that a font draws for a code, which Windows may have moved to U+F000."""
    return Font(name=font).drawn(bytes([code & 0xFF])) if code < 0x100 or 0xF000 <= code < 0xF100 else chr(code)
