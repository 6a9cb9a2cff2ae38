"""The styles ([MS-DOC] 2.9.271) and fonts of a Word document, and what modifiers make of a paragraph or character."""

from dataclasses import dataclass, replace

from docqa.formats.fonts import Fonts
from docqa.formats.office import doc_sprms as sprm
from docqa.formats.office.doc_file import Binary
from docqa.formats.office.doc_sprms import modifiers
from docqa.formats.office.looks import Look

_NO_STYLE = 0xFFF
_LONGEST_CHAIN = 20
_OLD_LIST = 0x7FF  # of Word 6, without a definition
# Styles that Word has itself keep their numbers (2.9.260) when their names are translated.
_NAMES = {**{level: f"heading {level}" for level in range(1, 10)}, 34: "caption", 62: "title"} | {
    19 + level: f"toc {level + 1}" for level in range(9)
}


@dataclass(frozen=True)
class Paragraph:
    """What is set for a paragraph; `depth` is how many tables it is nested in."""

    style: int = 0
    look: Look = Look()
    depth: int = 0
    ends_row: bool = False
    ends_cell: bool = False  # of an inner table
    is_head: bool = False
    edges: tuple[int, ...] = ()  # of the cells of the row that it ends


@dataclass(frozen=True)
class Character:
    """What is set for a character; None where its style decides. `symbol` is (font, code), `data` an offset."""

    deleted: bool = False
    hidden: bool | None = None
    bold: bool | None = None
    special: bool = False
    font: int | None = None
    symbol: tuple[int, int] | None = None
    data: int | None = None


class Styles:
    """The styles of a document by their numbers."""

    def __init__(self, file: Binary) -> None:
        self._file = file
        self._known: list[tuple[int, Look, Character]] = []  # the style that it is based on, and what it sets
        self._resolved: dict[int, tuple[Look, Character]] = {}
        blob = file.structure("styles")
        at = 2 + int.from_bytes(blob[:2], "little")
        base = int.from_bytes(blob[4:6], "little")
        while at + 2 <= len(blob):
            size = int.from_bytes(blob[at : at + 2], "little")
            self._known.append(self._style(blob[at + 2 : at + 2 + size], base))
            at += 2 + size + (size & 1)

    def _style(self, style: bytes, base: int) -> tuple[int, Look, Character]:
        if len(style) < base or base < 8:
            return _NO_STYLE, Look(), Character()
        number, kind, following = (int.from_bytes(style[at : at + 2], "little") for at in (0, 2, 4))
        number &= 0xFFF
        if self._file.is_old:
            length = style[base] if base < len(style) else 0
            name, at = style[base + 1 : base + 1 + length].decode("latin-1"), base + length + 2
        else:
            length = int.from_bytes(style[base : base + 2], "little")
            name, at = style[base + 2 : base + 2 + 2 * length].decode("utf-16-le", "replace"), base + 4 + 2 * length
        parts = []
        for _ in range(following & 0xF):
            at += at & 1
            size = int.from_bytes(style[at : at + 2], "little")
            parts.append(style[at + 2 : at + 2 + size])
            at += 2 + size
        look, character = Look(names=(_NAMES.get(number, name),)), Character()
        if kind & 0xF == 1 and parts:
            look = paragraph(parts[0], self._file, None).look.over(look)
            character = self.character(parts[1] if len(parts) > 1 else b"", ())
        elif kind & 0xF == 2 and parts:
            character = self.character(parts[0], ())
        return kind >> 4, look, character

    def of(self, number: int) -> tuple[Look, Character]:
        """What a style sets for paragraphs and characters, with those that it is based on."""
        if number not in self._resolved:
            chain: list[int] = []
            waiting = number
            while waiting < len(self._known) and waiting not in chain and len(chain) < _LONGEST_CHAIN:
                chain.append(waiting)
                waiting = self._known[waiting][0]
            look, character = Look(), Character()
            for member in reversed(chain):
                _, own, characters = self._known[member]
                look = own.over(look)
                character = replace(
                    characters,
                    hidden=character.hidden if characters.hidden is None else characters.hidden,
                    bold=character.bold if characters.bold is None else characters.bold,
                    font=character.font if characters.font is None else characters.font,
                )
            self._resolved[number] = look, character
        return self._resolved[number]

    def character(
        self, settings: bytes, of_piece: tuple[tuple[int, bytes], ...] | bytes, base: Character | None = None
    ) -> Character:
        """What modifiers make of a character in a paragraph whose style sets `base`."""
        base = base or Character()
        changes: dict[str, object] = {}
        further = modifiers(of_piece, is_old=False) if isinstance(of_piece, bytes) else of_piece
        for name, operand in (*modifiers(settings, is_old=self._file.is_old), *further):
            value = int.from_bytes(operand[:4], "little")
            if name == sprm.DELETED:
                changes["deleted"] = value & 0xFF in (1, 0x81)
            elif name in (sprm.HIDDEN, sprm.BOLD):
                field = "hidden" if name == sprm.HIDDEN else "bold"
                of_style = bool(getattr(base, field))
                changes[field] = {0: False, 1: True, 0x80: of_style, 0x81: not of_style}.get(value & 0xFF)
            elif name == sprm.CHARACTER_STYLE:
                own = self.of(value & 0xFFFF)[1] if self._resolved or self._known else Character()
                for field in ("hidden", "bold"):
                    if getattr(own, field):
                        changes[field] = not getattr(base, field)
                if own.font is not None:
                    changes["font"] = own.font
            elif name == sprm.SPECIAL:
                changes["special"] = bool(value)
            elif name == sprm.FONT:
                changes["font"] = value & 0xFFFF
            elif name == sprm.SYMBOL:
                changes["symbol"] = value & 0xFFFF, int.from_bytes(operand[2:4], "little")
            elif name == sprm.DATA:
                changes["data"] = value
        return replace(base, **{"symbol": None, "data": None, **changes})  # type: ignore[arg-type]


def paragraph(settings: bytes, file: Binary, styles: Styles | None) -> Paragraph:
    """What a style's number and modifiers make of a paragraph; `styles` are None while styles are read."""
    style = int.from_bytes(settings[:2], "little")
    own: dict[str, object] = {}
    places: dict[str, object] = {}
    lists = list(modifiers(settings[2:], is_old=file.is_old))
    huge = next((operand for name, operand in lists if name in (sprm.HUGE, sprm.HUGE_OLD)), None)
    if huge is not None:
        at = int.from_bytes(huge, "little")
        size = int.from_bytes(file.data[at : at + 2], "little")
        lists += modifiers(file.data[at + 2 : at + 2 + size], is_old=False)
    depth = 0
    for name, operand in lists:
        value = int.from_bytes(operand[:4], "little")
        if name == sprm.STYLE:
            style = value
        elif name == sprm.PAGE_BEFORE:
            own["page_before"] = bool(value)
        elif name == sprm.OUTLINE:
            own["outline"] = value
        elif name == sprm.LIST:
            own["number"] = "0" if value in (0, _OLD_LIST) or value > 0x7FFF else str(value)
        elif name == sprm.LEVEL:
            own["number_level"] = value
        elif name == sprm.IN_TABLE:
            depth = max(depth, int(bool(value)))
        elif name == sprm.DEPTH:
            depth = max(depth, value if value < 1 << 31 else 0)
        elif name in (sprm.ROW_END, sprm.INNER_ROW_END):
            places["ends_row"] = bool(value)
        elif name == sprm.INNER_CELL:
            places["ends_cell"] = bool(value)
        elif name == sprm.HEAD_ROW:
            places["is_head"] = bool(value)
        elif name == sprm.TABLE and operand:
            count = operand[0] + 1
            edges = (int.from_bytes(operand[1 + 2 * at : 3 + 2 * at], "little", signed=True) for at in range(count))
            places["edges"] = tuple(edges) if len(operand) >= 1 + 2 * count else ()
    look = Look(**own)  # type: ignore[arg-type]
    if styles is not None:
        look = look.over(styles.of(style)[0])
    return Paragraph(style, look, depth, **places)  # type: ignore[arg-type]


def fonts(file: Binary) -> Fonts:
    """The fonts of a document by their numbers, with their names and character sets (2.9.286)."""
    known = Fonts()
    blob = file.structure("fonts")
    at, number = (2, 0) if file.is_old else (4, 0)
    while at + 1 < len(blob):
        size = blob[at]
        entry = blob[at + 1 : at + 1 + size]
        start = 5 if file.is_old else 39
        if len(entry) > start:
            known.set_charset(number, entry[3])
            name = entry[start:].partition(b"\0")[0].decode("latin-1") if file.is_old else _wide(entry[start:])
            known[number].name = name
        at += 1 + size
        number += 1
    return known


def _wide(data: bytes) -> str:
    return data.decode("utf-16-le", "replace").partition("\0")[0]
