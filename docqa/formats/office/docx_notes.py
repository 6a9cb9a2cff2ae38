"""What a .docx keeps apart from its body: footnotes, endnotes and comments, each written once, where it belongs."""

from collections.abc import Callable
from typing import Any

from docqa.formats.office.docx_styles import W, attribute
from docqa.formats.office.flow import Line
from docqa.formats.office.numerals import numeral
from docqa.formats.office.package import Package

LONGEST_NAME = 100
# Separators, which have types of their own.
_ORDINARY = (None, "normal")


class Notes:
    """The notes and comments of a document; `endnotes` are those that the body has referred to."""

    def __init__(self, package: Package, main: str, settings: Any, lines: Callable[[Any, str], list[Line]]) -> None:
        """`main` is the name of the main part; `lines` reads the content of a note of the part that it is given."""
        self._lines = lines
        self._kept: dict[str, dict[str, tuple[Any, str]]] = {}
        self._forms = {"footnote": ("decimal", 1), "endnote": ("lowerRoman", 1), "comment": ("none", 1)}
        for kind in self._forms:
            parts = [(name, package.root(name)) for name in package.related(main, f"{kind}s")[:1]]
            self._kept[kind] = {
                note.get(W + "id", ""): (note, name)
                for name, root in parts
                if root is not None
                for note in root.iterfind(W + kind)
                if note.get(W + "type") in _ORDINARY
            }
            form = None if settings is None else settings.find(f"{W}{kind}Pr")
            if form is not None:
                self._set_form(kind, form)
        self._counts = dict.fromkeys(self._forms, 0)
        self.endnotes: list[Line] = []

    def _set_form(self, kind: str, form: Any) -> None:
        style, start = self._forms[kind]
        first = attribute(form, "numStart")
        if attribute(form, "numRestart") not in ("", "continuous"):
            style = "none"  # which number a note has on its page is not in the file
        self._forms[kind] = attribute(form, "numFmt") or style, int(first) if first.isdecimal() else start

    def refer(self, kind: str, reference: Any) -> list[Line]:
        """What follows the paragraph that refers to a note or comment; an endnote goes to `endnotes`."""
        note, part = self._kept[kind].pop(reference.get(W + "id", ""), (None, ""))
        if note is None:
            return []
        label = ""
        if kind == "comment":
            author = " ".join(note.get(W + "author", "").split())[:LONGEST_NAME]
            label = f"Comment ({author}):" if author else "Comment:"
        elif reference.get(W + "customMarkFollows") is None:
            style, start = self._forms[kind]
            label = numeral(start + self._counts[kind], style)
            self._counts[kind] += 1
        text = "\n".join(line.text for line in self._lines(note, part) if line.text)
        lines = [Line(f"{label} {text}".strip(), "note")] if text else []
        if kind != "endnote":
            return lines
        self.endnotes += lines
        return []
