"""The styles of a .docx (ECMA-376 part 1, 17.7): what paragraphs and characters inherit from the styles they name."""

import re
from dataclasses import dataclass, fields, replace
from typing import Any

from docqa.languages import every_pattern

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
NO_OUTLINE = 9
LONGEST_CHAIN = 50  # styles based on each other
_HEADING = re.compile(rf"\s*(?:{every_pattern('blocks.heading_styles')})[\s_-]*([1-9])\b", re.IGNORECASE)
_TITLE = re.compile(r"\s*title\s*", re.IGNORECASE)
_CONTENTS = re.compile(r"\s*(?:toc|table of figures|index) ?[1-9]?\s*", re.IGNORECASE)
_CAPTION = re.compile(r"\s*caption\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Look:
    """What a style or direct formatting sets, None where it says nothing. `names` are those of the styles, own first.

    `number` and `number_level` are the list (w:numId) and its level, `marks_head` a table's first row looks different.
    """

    names: tuple[str, ...] = ()
    outline: int | None = None
    number: str | None = None
    number_level: int | None = None
    page_before: bool | None = None
    hidden: bool | None = None
    bold: bool | None = None
    font: str | None = None
    marks_head: bool | None = None

    def over(self, below: "Look") -> "Look":
        """This look where it says something, else the one below."""
        set_here = {
            field.name: value
            for field in fields(self)
            if field.name != "names" and (value := getattr(self, field.name)) is not None
        }
        return replace(below, names=self.names + below.names, **set_here)

    @property
    def heading_level(self) -> int:
        """The level of a heading by its outline level, or else by the name of its style; 0 of what is none."""
        if self.outline is not None:
            return self.outline + 1 if self.outline < NO_OUTLINE else 0
        levels = (int(named[1]) for name in self.names if (named := _HEADING.match(name)))
        return next(levels, int(any(map(_TITLE.fullmatch, self.names))))

    @property
    def is_contents(self) -> bool:
        """Whether it is that of an entry of a table of contents."""
        return any(map(_CONTENTS.fullmatch, self.names))

    @property
    def is_caption(self) -> bool:
        """Whether it is that of a caption."""
        return any(map(_CAPTION.fullmatch, self.names))


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
