"""The text of a Word document by its piece table ([MS-DOC] 2.4.1), with the settings of characters and paragraphs.

Pieces lie anywhere in the stream, in the order of their positions; settings lie by their place in the stream.
"""

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from docqa.errors import Unreadable
from docqa.formats.office.doc_file import DAMAGED, Binary, plc
from docqa.formats.office.doc_sprms import PIECE

_PAGE = 512
_EIGHT_BIT = 1 << 30


@dataclass(frozen=True)
class Piece:
    """Characters of the text, from position `first`; `offset` is where they lie, each of `width` bytes."""

    first: int
    end: int
    offset: int
    width: int
    settings: tuple[tuple[int, bytes], ...] | bytes


@dataclass(frozen=True)
class Run:
    """Bytes of the text from one position on, with the settings of its characters and those of the piece."""

    position: int
    offset: int
    width: int
    data: bytes
    settings: bytes
    of_piece: tuple[tuple[int, bytes], ...] | bytes


def pieces(file: Binary) -> list[Piece]:
    """The pieces in order. Raises Unreadable if there are none, or if they are far larger than the file."""
    blob = file.structure("pieces")
    if file.is_old and not (file.is_complex and blob):
        size = min(file.last, len(file.main)) - file.first
        if size <= 0:
            raise Unreadable(DAMAGED)
        return [Piece(0, size, file.first, 1, ())]
    common: list[bytes] = []
    at = 0
    while at + 3 <= len(blob) and blob[at] == 1:
        size = int.from_bytes(blob[at + 1 : at + 3], "little")
        common.append(blob[at + 3 : at + 3 + size])
        at += 3 + size
    if blob[at : at + 1] != b"\2":
        raise Unreadable(DAMAGED)
    table = []
    for first, end, data in plc(blob[at + 5 : at + 5 + int.from_bytes(blob[at + 1 : at + 5], "little")], 8):
        offset, setting = struct.unpack_from("<IH", data, 2)
        width = 1 if file.is_old or offset & _EIGHT_BIT else 2
        offset = (offset & (_EIGHT_BIT - 1)) // (2 if offset & _EIGHT_BIT else 1)
        table.append(Piece(first, end, offset, width, _of_piece(setting, common)))
    if not table or sum((piece.end - piece.first) * piece.width for piece in table) > 2 * len(file.main) + _PAGE:
        raise Unreadable(DAMAGED)
    return table


def _of_piece(setting: int, common: list[bytes]) -> tuple[tuple[int, bytes], ...] | bytes:
    """The settings of a piece that was saved in a hurry (2.9.210): one, or a number of a common list of them."""
    if setting & 1:
        return common[setting >> 1] if setting >> 1 < len(common) else ()
    name = PIECE.get(setting >> 1 & 0x7F)
    return ((name, bytes([setting >> 8])),) if name else ()


class Settings:
    """The pages of settings of characters or paragraphs (2.9.33 and 2.9.175), by offsets in the stream."""

    def __init__(self, file: Binary, name: str) -> None:
        """`name` is "characters" or "paragraphs"."""
        self._file = file
        self._entry_size = 1 if name == "characters" else 7 if file.is_old else 13
        self._spans = file.positions(name, 2 if file.is_old else 4)
        self._starts = [first for first, _, _ in self._spans]
        self._page = lru_cache(maxsize=64)(self._read_page)

    def at(self, offset: int) -> tuple[int, bytes]:
        """(where in the stream they end, the settings in force at an offset), those of paragraphs with their style."""
        place = bisect_right(self._starts, offset) - 1
        if place < 0:
            return self._starts[0] if self._starts else 1 << 32, b""
        _, end, data = self._spans[place]
        following = self._starts[place + 1] if place + 1 < len(self._starts) else 1 << 32
        if offset >= end:
            return following, b""
        starts, ends, settings = self._page(int.from_bytes(data, "little") & 0x3FFFFF)
        run = bisect_right(starts, offset) - 1
        if run >= 0 and offset < ends[run]:
            return min(ends[run], end), settings[run]
        return min((start for start in starts[run + 1 : run + 2]), default=end), b""

    def _read_page(self, number: int) -> tuple[list[int], list[int], list[bytes]]:
        page = self._file.main[number * _PAGE : (number + 1) * _PAGE]
        count = page[-1] if len(page) == _PAGE else 0
        if (count + 1) * 4 + count * self._entry_size > _PAGE - 1:
            count = 0
        limits = list(struct.unpack_from(f"<{count + 1}I", page)) if count else [0]
        settings = []
        for place in range(count):
            at = 2 * page[4 * (count + 1) + place * self._entry_size]
            settings.append(self._settings(page, at) if at else b"")
        return limits[:-1], limits[1:], settings

    def _settings(self, page: bytes, at: int) -> bytes:
        size = page[at]
        if self._entry_size == 1:
            return page[at + 1 : at + 1 + size]
        if self._entry_size == 13 and not size:
            return page[at + 2 : at + 2 + 2 * page[at + 1]]
        return page[at + 1 : at + 2 * size + (self._entry_size == 7)]


class Text:
    """The text of a document by positions."""

    def __init__(self, file: Binary) -> None:
        """Raises Unreadable if there is no piece table."""
        self._main = file.main
        self._pieces = pieces(file)
        self._firsts = [piece.first for piece in self._pieces]
        self.characters, self.paragraphs = Settings(file, "characters"), Settings(file, "paragraphs")

    def runs(self, first: int, end: int) -> Iterator[Run]:
        """The characters between two positions, in runs of the same settings."""
        for piece in self._pieces[max(0, bisect_right(self._firsts, first) - 1) :]:
            if piece.first >= end:
                return
            position = max(first, piece.first)
            while position < min(end, piece.end):
                offset = piece.offset + (position - piece.first) * piece.width
                limit, settings = self.characters.at(offset)
                stop = min(end, piece.end, position + max(1, (limit - offset) // piece.width))
                data = self._main[offset : offset + (stop - position) * piece.width]
                yield Run(position, offset, piece.width, data, settings, piece.settings)
                position = stop
