"""The styles of an OpenDocument text (OpenDocument 1.3 part 3, 16), and what its list styles count like."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from docqa.formats.office.layers import Layer
from docqa.formats.office.lists import BULLET, LEVELS, Level

FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_EXTENDED = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
LONGEST_CHAIN = 50  # styles based on each other
LONGEST_LABEL = 100
_CAPTION = re.compile(r"(?:caption|illustration|table|drawing|text|figure)\s*", re.IGNORECASE)
_TITLE = re.compile(r"title\s*", re.IGNORECASE)
_CODED = re.compile(r"_([0-9a-f]{2})_")
_PLACE = re.compile(r"%([1-9]|10)%")
# The first number of a format (20.322) → the name of its style.
_FORMATS = {
    "1": "decimal", "i": "lowerRoman", "I": "upperRoman", "a": "lowerLetter", "A": "upperLetter", "א": "hebrew1",
    "一": "chineseCounting", "〇": "ideographDigital", "ア": "aiueo", "イ": "iroha", "А": "russianUpper",
    "а": "russianLower", "أ": "arabicAlpha", "①": "decimalEnclosedCircle", "１": "decimalFullWidth", "가": "ganada",
    "甲": "ideographTraditional", "子": "ideographZodiac", "ก": "thaiLetters", "१": "hindiNumbers", "๑": "thaiNumbers",
}  # fmt: skip


@dataclass(frozen=True)
class Look(Layer):
    """What a style sets, None where it says nothing. `names` are those of the styles, own first."""

    outline: int | None = None
    hidden: bool | None = None
    bold: bool | None = None
    break_before: bool | None = None
    break_after: bool | None = None
    master: str | None = None  # of the pages that begin here
    list_style: str | None = None

    @property
    def is_caption(self) -> bool:
        """Whether it is that of a caption."""
        return any(map(_CAPTION.fullmatch, self.names))

    @property
    def is_title(self) -> bool:
        """Whether it is that of the document's title."""
        return any(map(_TITLE.fullmatch, self.names))


class Styles:
    """The styles of a document by family and name, and its lists by name; "" is how its headings are counted."""

    def __init__(self, roots: Iterable[Any]) -> None:
        """`roots` are those of the content and of the styles; what comes first counts."""
        self._elements: dict[tuple[str, str], Any] = {}
        self._looks: dict[tuple[str, str], Look] = {}
        self._defaults: dict[str, Any] = {}
        self.lists: dict[str, Mapping[int, Level]] = {}
        for root in roots:
            for node in root.iter(STYLE + "style"):
                self._elements.setdefault((node.get(STYLE + "family", ""), node.get(STYLE + "name", "")), node)
            for node in root.iter(STYLE + "default-style"):
                self._defaults.setdefault(node.get(STYLE + "family", ""), node)
            for node in root.iter(TEXT + "list-style", TEXT + "outline-style"):
                name = node.get(STYLE + "name", "") if node.tag == TEXT + "list-style" else ""
                self.lists.setdefault(name, _levels(node))

    def look(self, family: str, name: str | None) -> Look:
        """What a style sets, with those that it is based on and the default of its family."""
        key = family, name or ""
        if key not in self._looks:
            chain: dict[tuple[str, str], Any] = {}
            waiting = key
            while waiting in self._elements and waiting not in chain and len(chain) < LONGEST_CHAIN:
                chain[waiting] = self._elements[waiting]
                waiting = family, chain[waiting].get(STYLE + "parent-style-name", "")
            look = Look() if family not in self._defaults else replace(_look(self._defaults[family]), names=())
            for node in reversed(chain.values()):
                look = _look(node).over(look)
            self._looks[key] = look
        return self._looks[key]


def _look(node: Any) -> Look:
    characters = node.find(STYLE + "text-properties")
    layout = node.find(STYLE + "paragraph-properties")
    layout = node.find(STYLE + "table-properties") if layout is None else layout
    own = {} if layout is None else layout.attrib
    weight = None if characters is None else characters.get(FO + "font-weight")
    display = None if characters is None else characters.get(TEXT + "display")
    name = node.get(STYLE + "display-name") or _CODED.sub(
        lambda code: chr(int(code[1], 16)), node.get(STYLE + "name", "")
    )
    return Look(
        (name,),
        outline=_integer(node.get(STYLE + "default-outline-level")),
        hidden=None if display is None else display == "none",
        bold=None if weight is None else weight == "bold" or weight[:3] in ("600", "700", "800", "900"),
        break_before=own[FO + "break-before"] == "page" if FO + "break-before" in own else None,
        break_after=own[FO + "break-after"] == "page" if FO + "break-after" in own else None,
        master=node.get(STYLE + "master-page-name") or None,
        list_style=node.get(STYLE + "list-style-name"),
    )


def _levels(style: Any) -> dict[int, Level]:
    """The levels of a list style (16.30) or of the headings (16.34), from 0."""
    levels: dict[int, Level] = {}
    for node in style:
        place = (_integer(node.get(TEXT + "level")) or 0) - 1 if isinstance(node.tag, str) else -1
        if not 0 <= place < LEVELS:
            continue
        if node.tag == TEXT + "list-level-style-bullet":
            sign = node.get(TEXT + "bullet-char", "")
            is_known = len(sign) == 1 and not sign.isalnum() and not "\ue000" <= sign <= "\uf8ff"
            levels[place] = Level("bullet", (sign if is_known else BULLET) if sign else "")
        elif node.tag == TEXT + "list-level-style-image":
            levels[place] = Level("bullet", BULLET)
        else:
            levels[place] = _numbered(node, place)
    return levels


def _numbered(node: Any, place: int) -> Level:
    form = node.get(STYLE + "num-format", "")
    shown = max(1, min(_integer(node.get(TEXT + "display-levels")) or 1, place + 1))
    pattern = node.get(_EXTENDED + "num-list-format")
    if pattern is None:
        numbers = ".".join(f"%{number}" for number in range(place + 2 - shown, place + 2))
        pattern = node.get(STYLE + "num-prefix", "") + numbers + node.get(STYLE + "num-suffix", "")
    else:
        pattern = _PLACE.sub(r"%\1", pattern)
    start = _integer(node.get(TEXT + "start-value"))
    style = _FORMATS.get(form[:1], "decimal") if form else "none"
    return Level(style, pattern[:LONGEST_LABEL] if form else "", 1 if start is None else start)


def _integer(value: str | None) -> int | None:
    return int(value) if value and value.isdecimal() and len(value) < 10 else None
