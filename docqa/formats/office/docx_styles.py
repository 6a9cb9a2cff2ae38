"""The styles of a .docx (ECMA-376 part 1, 17.7): what paragraphs and characters inherit from the styles they name."""

from dataclasses import replace
from typing import Any

from docqa.formats.office.looks import Look

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
LONGEST_CHAIN = 50  # styles based on each other


class Styles:
    """The styles of a document by their identifiers."""

    def __init__(self, root: Any) -> None:
        """`root` is that of the part, None if there is none."""
        self._elements: dict[str, Any] = {}
        self._looks: dict[str, Look] = {}
        self.default = ""  # the paragraph style of paragraphs that name none
        self.base = Look()
        for style in root.iter(W + "style") if root is not None else ():
            identifier = style.get(W + "styleId", "")
            self._elements[identifier] = style
            if style.get(W + "type") == "paragraph" and is_on(style.get(W + "default", "0")):
                self.default = identifier
        defaults = None if root is None else root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        if defaults is not None:
            self.base = characters(defaults)

    def look(self, identifier: str) -> Look:
        """What a style sets, with those that it is based on; a style that is missing has its identifier as a name."""
        if identifier not in self._looks:
            chain: dict[str, Any] = {}
            waiting = identifier
            while waiting in self._elements and waiting not in chain and len(chain) < LONGEST_CHAIN:
                chain[waiting] = self._elements[waiting]
                waiting = attribute(chain[waiting], "basedOn")
            look = Look() if chain else Look(names=(identifier,) if identifier else ())
            for own, style in reversed(chain.items()):
                look = _own_look(own, style).over(look)
            self._looks[identifier] = look
        return self._looks[identifier]


def _own_look(identifier: str, style: Any) -> Look:
    look = characters(style.find(W + "rPr")).over(paragraph(style.find(W + "pPr")))
    has_head = any(part.get(W + "type") == "firstRow" for part in style.iterfind(W + "tblStylePr"))
    return replace(look, names=(attribute(style, "name") or identifier,), marks_head=has_head or None)


def paragraph(properties: Any) -> Look:
    """What paragraph properties (w:pPr) set; nothing if they are None."""
    if properties is None:
        return Look()
    number = properties.find(W + "numPr")
    return Look(
        outline=_integer(attribute(properties, "outlineLvl")),
        number=None if number is None else attribute(number, "numId") or None,
        number_level=None if number is None else _integer(attribute(number, "ilvl")),
        page_before=_switch(properties, "pageBreakBefore"),
    )


def characters(properties: Any) -> Look:
    """What character properties (w:rPr) set; nothing if they are None."""
    if properties is None:
        return Look()
    fonts = properties.find(W + "rFonts")
    return Look(
        hidden=_switch(properties, "vanish"),
        bold=_switch(properties, "b"),
        font=None if fonts is None else fonts.get(W + "ascii") or fonts.get(W + "hAnsi"),
    )


def attribute(element: Any, name: str) -> str:
    """The value (w:val) of a child element, "" if there is no such child."""
    child = element.find(W + name)
    return "" if child is None else child.get(W + "val", "")


def is_on(value: str | None) -> bool:
    """Whether a switch is on (17.17.4): it is unless it says that it is off."""
    return value not in ("0", "false", "off")


def _switch(properties: Any, name: str) -> bool | None:
    child = properties.find(W + name)
    return None if child is None else is_on(child.get(W + "val"))


def _integer(value: str) -> int | None:
    return int(value) if value.isdecimal() and len(value) < 10 else None
