"""The shapes of a binary slide or notes page → their texts in reading order. Section numbers are those of [MS-PPT].

Pictures, charts and other embedded objects are not read, except for diagrams that a newer PowerPoint has packed in.
"""

import struct
import zipfile
from collections.abc import Iterable, Iterator

from docqa.formats.office.graphics import diagram
from docqa.formats.office.package import parse, xml_parts
from docqa.formats.slides.deck import FOOTER, TITLE, Line, Text, titled
from docqa.formats.slides.ppt_paragraphs import paragraph_styles
from docqa.formats.slides.ppt_records import Record
from docqa.formats.slides.reading_order import Box, in_order

SLIDE, NOTES = 0x03EE, 0x03F0
STRING = 0x0FBA
_DRAWING, _ART, _GROUP, _SHAPE, _TEXTBOX = 0x040C, 0xF002, 0xF003, 0xF004, 0xF00D
_PROPERTIES, _TABLE_PROPERTIES = (0xF00B, 0xF121, 0xF122), 0xF122
_CHILD_ANCHOR, _ANCHOR, _CLIENT_DATA = 0xF00F, 0xF010, 0xF011
_PLACEHOLDER, _FOOTER_PLACEHOLDER = 0x0BC3, 0x0420
_TITLES, _BULLETED, _OTHER = (0, 6), (1, 7, 8), 4  # types of text (2.13.33)
_HEADER, _CHARACTERS, _BYTES, _STYLES, _OUTLINE = 0x0F9F, 0x0FA0, 0x0FA8, 0x0FA1, 0x0F9E
_STAND_INS = (0x0FD8, 0x0FF7, 0x0FF8, 0x0FF9, 0x0FFA, 0x1015)  # for a slide's number, a date, a header, a footer

OPENED = (SLIDE, NOTES, _DRAWING, _ART, _GROUP)
# What is_whole looks into on top of that.
BODIES = (*OPENED, _SHAPE, _TEXTBOX)

_WORD_ART, _TABLE, _PACKED = 0x00C0, 0x039F, 0x03A9
_MOST_PACKED = 100


def sheet_texts(sheet: Record, outline: dict[int, Text], from_right: bool = False) -> list[Text]:
    """The texts of a slide or notes page, the title first. Texts that it takes from `outline` are removed from that.

    `from_right`: the presentation is read from right to left. Groups are opened with a stack, because a file may nest
    them deeper than Python recurses.
    """
    texts: list[Text] = []
    waiting: list[Record | list[Text]] = [sheet]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            texts += item
            continue
        members: list[Record | list[Text]] = []
        boxes: list[Box | None] = []
        for child in item.children():
            member = _member(child, outline)
            if member:
                members.append(member)
                boxes.append(_box(child))
        waiting += in_order(members, boxes, from_right)[::-1]
    return titled(texts)


def bodies(records: Iterable[Record]) -> list[Text]:
    """The text bodies in a run of records: each begins with a header (2.9.41), then characters (2.9.42, 2.9.43) and
    their styles (2.9.44)."""
    parts: list[tuple[int, list[str], set[int]]] = []
    styles: dict[int, bytes] = {}
    for record in records:
        if record.kind == _HEADER or record.kind in (_CHARACTERS, _BYTES) and not parts:
            parts.append((record.number(0) if record.kind == _HEADER else _OTHER, [], set()))
        if record.kind in (_CHARACTERS, _BYTES) and record.whole:
            parts[-1][1].append(str(record.body, "utf-16-le" if record.kind == _CHARACTERS else "latin-1", "replace"))
        elif record.kind == _STYLES and parts:
            styles.setdefault(len(parts) - 1, bytes(record.body))
        elif record.kind in _STAND_INS and parts:
            parts[-1][2].add(record.number(0))
    return [
        Text(TITLE if kind in _TITLES else "", tuple(_lines(kind, "".join(texts), stand_ins, styles.get(place, b""))))
        for place, (kind, texts, stand_ins) in enumerate(parts)
    ]


def _lines(kind: int, text: str, stand_ins: set[int], data: bytes) -> Iterator[Line]:
    """The paragraphs of a body; those of the usual body are items if there are several."""
    styles = paragraph_styles(data, text)
    shown = [line.replace("\v", "\n").replace("\0", "") for line in _without(text, stand_ins).split("\r")]
    is_list = kind in _BULLETED and sum(bool(line.strip()) for line in shown) > 1
    for line, style in zip(shown, styles, strict=True):
        has_bullet = is_list if style.bullet is None else style.bullet and kind not in _TITLES
        yield Line(line, "item", style.indent + 1) if has_bullet else Line(line)


def plain_lines(text: str) -> tuple[Line, ...]:
    """A text without styles: a line for each of its paragraphs."""
    return tuple(map(Line, filter(None, map(str.strip, text.split("\n")))))


def _without(text: str, stand_ins: set[int]) -> str:
    """The text without the "*" that are placeholders for a number or date."""
    return "".join(mark for at, mark in enumerate(text) if at not in stand_ins or mark != "*") if stand_ins else text


def child(record: Record | None, kind: int) -> Record | None:
    """The first record of a kind in another, None if there is none or if `record` is None."""
    return next((inner for inner in record.children() if inner.kind == kind), None) if record else None


def _plain(text: str) -> str:
    return text.replace("\r", "\n").replace("\v", "\n").replace("\0", "").strip()


def _member(record: Record, outline: dict[int, Text]) -> Record | list[Text] | None:
    """The texts of a record in a group, or the record itself if it has to be opened."""
    if record.kind == _SHAPE:
        return [text for text in _shape(record, outline) if text.text.strip()]
    if record.kind == _GROUP and _is_table(record):
        return [Text("", tuple(Line(row, "row") for row in _table(record, outline).split("\n")))]
    return record if record.kind in OPENED else None


def _shape(shape: Record, outline: dict[int, Text]) -> Iterator[Text]:
    """A shape's text: its own, one from `outline` (2.9.76, 2.9.78), which is then removed there, WordArt, diagrams."""
    is_footer = _is_footer(shape)
    for part in shape.children():
        if part.kind == _TEXTBOX:
            reference = child(part, _OUTLINE)
            known = outline.pop(reference.number(0), None) if reference else None
            yield from (
                text._replace(role=FOOTER) if is_footer else text
                for text in ([known] if known else bodies(part.children()))
            )
        elif part.kind in _PROPERTIES:
            values = _properties(part)
            words = _plain(values.get(_WORD_ART, b"").decode("utf-16-le", "replace").partition("\0")[0])
            yield Text("", plain_lines(words))
            yield Text("", tuple(Line(item, "item", 1) for item in _diagrams(values.get(_PACKED, b"")).split("\n")))


def _is_footer(shape: Record) -> bool:
    """Whether a shape is the placeholder of a date, footer or header (2.13.22); there are two records for that."""
    data = child(shape, _CLIENT_DATA)
    old, new = child(data, _PLACEHOLDER), child(data, _FOOTER_PLACEHOLDER)
    return bytes(old.body[4:5] if old else new.body[:1] if new else b"") in (b"\x07", b"\x09", b"\x0a")


def _box(record: Record) -> Box | None:
    """The position of a shape (2.7.1; [MS-ODRAW] 2.2.39); for a group, that of its first shape, which stands for it."""
    if record.kind == _GROUP:
        record = next(record.children(), record)
    for part in record.children() if record.kind == _SHAPE else ():
        if part.kind == _CHILD_ANCHOR and len(part.body) == 16:
            return Box(*struct.unpack("<4i", part.body))
        if part.kind == _ANCHOR and len(part.body) in (8, 16):
            top, left, right, bottom = struct.unpack("<4h" if len(part.body) == 8 else "<4i", part.body)
            return Box(left, top, right, bottom)
    return None


def _properties(table: Record) -> dict[int, bytes]:
    """The values of a shape's properties ([MS-ODRAW] 2.2.9 and 2.3.1): the number, or the data whose length it is."""
    size = 6 * table.instance
    data = table.body[size:]
    values: dict[int, bytes] = {}
    for offset in range(0, min(size, len(table.body) - 5), 6):
        name, value = struct.unpack_from("<HI", table.body, offset)
        if name & 0x8000:
            values[name & 0x3FFF], data = bytes(data[:value]), data[value:]
        else:
            values[name & 0x3FFF] = value.to_bytes(4, "little")
    return values


def _diagrams(packed: bytes) -> str:
    """The text of SmartArt, stored as a picture with the newer format's parts packed in ([MS-ODRAW] 2.3.4.41)."""
    try:
        parts = xml_parts(packed, _MOST_PACKED * len(packed)) if packed else {}
    except zipfile.BadZipFile:
        return ""
    roots = (parse(parts[name]) for name in sorted(parts) if "/diagrams/data" in name)
    return "\n".join(diagram(root) for root in roots if root is not None)


def _is_table(group: Record) -> bool:
    """Whether the first shape of a group has the property of a table ([MS-ODRAW] tableProperties)."""
    properties = child(child(group, _SHAPE), _TABLE_PROPERTIES)
    return properties is not None and bool(int.from_bytes(_properties(properties).get(_TABLE, b""), "little") & 1)


def _table(group: Record, outline: dict[int, Text]) -> str:
    """A table's cells, which are shapes, by row and column; a merged cell is at its first position."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for shape in group.children():
        box = _box(shape) if shape.kind == _SHAPE and child(shape, _TEXTBOX) else None
        if box:
            text = " ".join(part.text for part in _shape(shape, outline))
            rows.setdefault(box.top, []).append((box.left, " ".join(text.split())))
    lines = [[text for _, text in sorted(rows[top])] for top in sorted(rows)]
    return "\n".join(" | ".join(line) for line in lines if any(line))
