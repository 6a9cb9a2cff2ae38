"""What stands in a paragraph of a .docx: fields show their results, and deleted, moved or hidden text is none."""

import re
from typing import Any

from docqa.formats.office.docx_styles import W, attribute, is_on
from docqa.formats.office.fields import Fields, symbol_text

_ALIKE = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011"}
SIGNS = {W + name: sign for name, sign in _ALIKE.items()}
_DELETED = (W + "del", W + "moveFrom")


class RunFields(Fields):
    """The fields of a story (17.16); those that never end are none."""

    def __init__(self, root: Any) -> None:
        """`root` is that of the story: its body, a note or a text box."""
        super().__init__()
        begun: list[Any] = []
        for mark in root.iter(W + "fldChar"):
            if next(mark.iterancestors(*_DELETED), None) is None:
                kind = mark.get(W + "fldCharType")
                if kind == "begin":
                    begun.append(mark)
                elif kind == "end" and begun:
                    begun.pop()
        self._endless = set(begun)

    def mark(self, mark: Any) -> str:
        """Pass a w:fldChar; returns what a field that ends here shows without a result."""
        kind = mark.get(W + "fldCharType")
        if kind == "begin" and mark not in self._endless:
            self.begin(form_state(mark))
        if kind == "separate":
            self.separate()
        return self.end() if kind == "end" else ""


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


def symbol(node: Any) -> str:
    """The character of a w:sym (17.3.3.30)."""
    code = node.get(W + "char", "")
    return symbol_text(int(code, 16), node.get(W + "font", "")) if re.fullmatch("[0-9A-Fa-f]{1,4}", code) else ""
