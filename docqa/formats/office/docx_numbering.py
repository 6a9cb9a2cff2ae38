"""The lists of a .docx (ECMA-376 part 1, 17.9): the labels of their items.

Lists of one definition count on together.
"""

from collections.abc import Mapping
from typing import Any

from docqa.formats.fonts import Font
from docqa.formats.office.docx_styles import Styles, W, attribute, is_on
from docqa.formats.office.lists import BULLET, LEVELS, Counters, Level

NO_LIST = "0"
LONGEST_LABEL = 100


class Numbering:
    """The lists of a document, while its paragraphs are counted."""

    def __init__(self, root: Any, styles: Styles) -> None:
        """`root` is that of the part, None if there is none."""
        self._styles = styles
        nodes = () if root is None else root
        self._definitions = {node.get(W + "abstractNumId"): node for node in nodes if node.tag == W + "abstractNum"}
        self._lists = {node.get(W + "numId"): node for node in nodes if node.tag == W + "num"}
        self._levels: dict[str, tuple[str, Mapping[int, Level], Mapping[str, int]]] = {}
        self._counters = Counters()

    def label(self, number: str, place: int | None, style: str) -> tuple[str, int]:
        """(the label of the next paragraph of a list, its level from 0), the label "" where it shows none.

        Where the paragraph names no level, its paragraph style may be that of one (17.9.23).
        """
        if number == NO_LIST or number not in self._lists:
            return "", 0
        definition, levels, by_style = self._list(number)
        place = min(by_style.get(style, 0) if place is None else place, LEVELS - 1)
        overrides = self._lists[number].iterfind(W + "lvlOverride")
        restarted = [_place(node) for node in overrides if node.find(W + "startOverride") is not None]
        return self._counters.next_label(definition, number, levels, restarted, place), place

    def _list(self, number: str) -> tuple[str, Mapping[int, Level], Mapping[str, int]]:
        """(the definition of a list, its levels, which of them a paragraph style stands for)."""
        if number not in self._levels:
            node = self._lists[number]
            definition = self._definition(attribute(node, "abstractNumId"))
            nodes = {_place(level): level for level in self._definitions.get(definition, ()) if level.tag == W + "lvl"}
            starts: dict[int, int] = {}
            for override in node.iterfind(W + "lvlOverride"):
                place = _place(override)
                if (own := override.find(W + "lvl")) is not None:
                    nodes[place] = own
                if start := attribute(override, "startOverride"):
                    starts[place] = _number(start, 1)
            levels = {place: _level(level, starts.get(place)) for place, level in nodes.items()}
            by_style = {style: place for place, level in nodes.items() if (style := attribute(level, "pStyle"))}
            self._levels[number] = definition, levels, by_style
        return self._levels[number]

    def _definition(self, identifier: str) -> str:
        """The definition that holds the levels: one may refer to the style of a list, which refers to a list."""
        seen: set[str] = set()
        while identifier in self._definitions and identifier not in seen:
            seen.add(identifier)
            style = attribute(self._definitions[identifier], "numStyleLink")
            number = self._styles.look(style).number if style else None
            if number is None or number not in self._lists:
                break
            identifier = attribute(self._lists[number], "abstractNumId")
        return identifier


def _level(node: Any, start: int | None) -> Level:
    style = attribute(node, "numFmt") or next((form.get(W + "val", "") for form in node.iter(W + "numFmt")), "decimal")
    text = attribute(node, "lvlText")[:LONGEST_LABEL]
    if style == "bullet":
        text = _bullet(text, node) if text.strip() else ""
    legal = node.find(W + "isLgl")
    return Level(
        style,
        text,
        _number(attribute(node, "start"), 0) if start is None else start,
        _number(attribute(node, "lvlRestart"), LEVELS),
        legal is not None and is_on(legal.get(W + "val")),
    )


def _bullet(text: str, node: Any) -> str:
    """The bullet as a character; those of fonts of symbols have no code of their own."""
    fonts = node.find(f"{W}rPr/{W}rFonts")
    sign = Font(name="" if fonts is None else fonts.get(W + "ascii", "")).plain(text).strip()
    return sign if len(sign) == 1 and not sign.isalnum() else BULLET


def _place(node: Any) -> int:
    return min(_number(node.get(W + "ilvl", ""), 0), LEVELS - 1)


def _number(value: str, default: int) -> int:
    return int(value) if value.isdecimal() and len(value) < 10 else default
