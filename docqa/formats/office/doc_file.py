"""The streams of a Word document and its file information block: where what lies in it ([MS-DOC] 2.5).

Word 6 and 95 have another block, all in one stream, and text in the code page of its language.
"""

import struct
from dataclasses import dataclass
from itertools import pairwise

from docqa.errors import Unreadable
from docqa.formats.compound import Compound, Damaged
from docqa.formats.properties import Properties

DAMAGED = (
    "The document is damaged and cannot be opened. Open it in Word or LibreOffice, save it as .docx and upload that."
)
_PROTECTED = "The document is password-protected. Save it without a password and upload it again."
_TOO_OLD = (
    "The document was made by a version of Word that cannot be read. "
    "Open it in Word or LibreOffice, save it as .docx or PDF and upload that."
)
_SIGNS = (0xA5EC, 0xA5DC, 0xA697, 0xA699)  # the last two: versions for East Asia
_FIRST_97, _FIRST_6 = 106, 101
_ENCRYPTED, _TABLE_1 = 0x0100, 0x0200

# Lists of positions and other structures: their place in the block, of Word 97 as numbers of FibRgFcLcb97 (2.5.6), of
# Word 6 and 95 as offsets.
_PLACES = {
    "styles": (1, 0x60), "footnote references": (2, 0x68), "footnotes": (3, 0x70), "comment references": (4, 0x78),
    "comments": (5, 0x80), "sections": (6, 0x88), "headers": (11, 0xB0), "characters": (12, 0xB8),
    "paragraphs": (13, 0xC0), "fonts": (15, 0xD0), "settings": (31, 0x150), "pieces": (33, 0x160), "authors": (36, 0),
    "shapes": (40, 0), "endnote references": (46, 0x1D2), "endnotes": (47, 0x1DA), "text boxes": (56, 0),
    "lists": (73, 0), "list overrides": (74, 0),
}  # fmt: skip
# The parts of the text, one after the other (2.5.5).
PARTS = ("body", "footnote", "header", "macro", "comment", "endnote", "text box", "header text box")


@dataclass(frozen=True)
class Binary:
    """A document's streams; `sizes` are the characters of its parts, `is_old`: it is of Word 6 or 95."""

    main: bytes
    table: bytes
    data: bytes
    is_old: bool
    language: int
    is_complex: bool
    first: int  # offsets in the main stream between which the text lies, if it is in one piece
    last: int
    sizes: dict[str, int]
    properties: Properties

    def structure(self, name: str) -> bytes:
        """A structure, nothing if the document has none. `name` is a key of the table above."""
        place, old = _PLACES[name]
        if self.is_old and not old:
            return b""
        offset, size = struct.unpack_from(
            "<II", self.main.ljust(0x400, b"\0"), old if self.is_old else 0x9A + 8 * place
        )
        return self.table[offset : offset + size] if size < 1 << 31 else b""

    def positions(self, name: str, width: int) -> list[tuple[int, int, bytes]]:
        """(first, end, data) of what a list of positions (2.2.2) says of each span; its data have `width` bytes."""
        return plc(self.structure(name), width)

    def start(self, part: str) -> int:
        """The position of the first character of a part of the text."""
        return sum(self.sizes[before] for before in PARTS[: PARTS.index(part)])


def open_file(data: bytes) -> Binary:
    """Raises Unreadable for a document that is damaged, protected or too old."""
    try:
        file = Compound(data)
        main = file.stream("WordDocument")
        if len(main) < 0x60 or int.from_bytes(main[:2], "little") not in _SIGNS:
            raise Unreadable(DAMAGED)
        version, flags = (int.from_bytes(main[at : at + 2], "little") for at in (2, 10))
        if flags & _ENCRYPTED:
            raise Unreadable(_PROTECTED)
        if version < _FIRST_6:
            raise Unreadable(_TOO_OLD)
        is_old = version < _FIRST_97
        table = main if is_old else file.stream("1Table" if flags & _TABLE_1 else "0Table")
        stream = file.stream("Data")
    except Damaged as error:
        raise Unreadable(DAMAGED) from error
    sizes = struct.unpack_from("<8i", main.ljust(0x100, b"\0"), 0x34 if is_old else 0x4C)
    first, last = struct.unpack_from("<II", main, 0x18)
    return Binary(
        main,
        table,
        stream,
        is_old,
        int.from_bytes(main[6:8], "little"),
        bool(flags & 4),
        first,
        last,
        {part: max(0, size) for part, size in zip(PARTS, sizes, strict=True)},
        file.properties(),
    )


def plc(blob: bytes, width: int) -> list[tuple[int, int, bytes]]:
    """The spans of a list of positions and their data, without those that are out of order."""
    count = max(0, len(blob) - 4) // (4 + width)
    ends = struct.unpack_from(f"<{count + 1}I", blob) if len(blob) >= 4 else ()
    start = 4 * (count + 1)
    return [
        (first, end, blob[start + width * place : start + width * (place + 1)])
        for place, (first, end) in enumerate(pairwise(ends))
        if first <= end
    ]
