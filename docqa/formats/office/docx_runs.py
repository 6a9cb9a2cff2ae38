"""What stands in a paragraph of a .docx: fields show their results, and deleted, moved or hidden text is none."""

import re
from dataclasses import dataclass
from typing import Any

from docqa.formats.fonts import Font
from docqa.formats.office.docx_styles import W, attribute, is_on

_ALIKE = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011"}
SIGNS = {W + name: sign for name, sign in _ALIKE.items()}
# Fields that show a part of their instruction.
_BUTTON = re.compile(r"\s*(?:MACRO|GOTO)BUTTON\s+\S+\s(.*)", re.DOTALL)
_SYMBOL = re.compile(r'\s*SYMBOL\s+(0x[0-9a-f]{1,4}|\d{1,5})(?:[^\\]|\\(?!f))*(?:\\f\s+"?([^"\\]+))?', re.IGNORECASE)
_DELETED = (W + "del", W + "moveFrom")


@dataclass
class Field:
    """A field (17.16) while it is read: between its beginning and its separator stands what it is computed from."""

    instruction: str = ""
    is_result: bool = False
    had_result: bool = False


class Fields:
    """The fields that are open at a place; those that never end are none."""

    def __init__(self, root: Any) -> None:
        """`root` is that of the story: its body, a note or a cell."""
        self._open: list[Field] = []
        self._endless: set[Any] = set()
        begun: list[Any] = []
        for mark in root.iter(W + "fldChar"):
            if next(mark.iterancestors(*_DELETED), None) is None:
                kind = mark.get(W + "fldCharType")
                if kind == "begin":
                    begun.append(mark)
                elif kind == "end" and begun:
                    begun.pop()
        self._endless.update(begun)

    @property
    def are_results(self) -> bool:
        """Whether what stands here is shown."""
        return all(field.is_result for field in self._open)

    def instruct(self, text: str) -> None:
        """A part of the instruction of the innermost field."""
        if self._open and not self._open[-1].is_result:
            self._open[-1].instruction += text[:1_000]

    def mark(self, mark: Any) -> str:
        """Pass a w:fldChar; returns what the field shows of itself: the state of a form's box, or a symbol."""
        kind = mark.get(W + "fldCharType")
        if kind == "begin" and mark not in self._endless:
            self._open.append(Field())
            return form_state(mark) if all(field.is_result for field in self._open[:-1]) else ""
        if kind == "separate" and self._open:
            self._open[-1].is_result = self._open[-1].had_result = True
        elif kind == "end" and self._open:
            field = self._open.pop()
            return "" if field.had_result or not self.are_results else shown_instruction(field.instruction)
        return ""


def form_state(mark: Any) -> str:
    """What a check box or a drop-down list of a form (17.16.7, 17.16.9) is set to."""
    box, choices = mark.find(f"{W}ffData/{W}checkBox"), mark.find(f"{W}ffData/{W}ddList")
    if box is not None:
        state = next((box.find(W + name) for name in ("checked", "default") if box.find(W + name) is not None), None)
        return "☒" if state is not None and is_on(state.get(W + "val")) else "☐"
    if choices is not None:
        entries = [entry.get(W + "val", "") for entry in choices.iterfind(W + "listEntry")]
        place = attribute(choices, "result") or attribute(choices, "default") or "0"
        return entries[int(place)] if place.isdecimal() and int(place[:6]) < len(entries) else ""
    return ""


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


def symbol(node: Any) -> str:
    """The character of a w:sym (17.3.3.30)."""
    code = node.get(W + "char", "")
    return symbol_text(int(code, 16), node.get(W + "font", "")) if re.fullmatch("[0-9A-Fa-f]{1,4}", code) else ""
