"""Whether calamine can hold a binary workbook: it lays out every place between the first and last cell of a sheet, with
a copy of its text in each, and a Rust library that runs out of memory ends its process.

Not looked at is how often the strings of an .xls recur: there the limit of the reading process has to do.
"""

import io
import struct
import zipfile
from collections.abc import Iterator

from docqa.errors import Unreadable
from docqa.formats.archive import UNPACKABLE
from docqa.formats.compound import Compound, Damaged
from docqa.formats.sheets.cells import Budget

MOST_PLACES = 20_000_000  # filled or not
_STREAMS = ("Workbook", "Book")
# [MS-XLS] 2.3: records that begin with a row and a column; MULRK ends with its last column.
_CELLS = frozenset((0x0006, 0x0203, 0x0204, 0x0205, 0x0207, 0x027E, 0x00FD, 0x00BD))
_MULRK, _BEGIN = 0x00BD, 0x0809
# [MS-XLSB] 2.3: a row, cells, a cell with a shared string, a shared string.
_ROW, _BINARY_CELLS, _SHARED, _STRING = 0, frozenset(range(1, 12)), 7, 19


class _Bounds:
    """The rectangle that holds all cells of a sheet."""

    def __init__(self) -> None:
        self.rows, self.columns = [1 << 40, -1], [1 << 40, -1]

    def add(self, row: int, column: int) -> None:
        self.rows = [min(self.rows[0], row), max(self.rows[1], row)]
        self.columns = [min(self.columns[0], column), max(self.columns[1], column)]

    @property
    def places(self) -> int:
        return max(0, self.rows[1] - self.rows[0] + 1) * max(0, self.columns[1] - self.columns[0] + 1)


def check_xls(data: bytes) -> None:
    """Raises Unreadable where the sheets of an .xls, which are laid out together, have more places than fit."""
    try:
        file = Compound(data)
        stream = file.stream(next((name for name in _STREAMS if name in file), ""))
    except Damaged:
        return  # calamine says what is wrong with it
    sheets = [_Bounds()]
    at = 0
    while at + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, at)
        at += 4
        if kind == _BEGIN:
            sheets.append(_Bounds())
        elif kind in _CELLS and size >= 6 and at + size <= len(stream):
            row, column = struct.unpack_from("<HH", stream, at)
            sheets[-1].add(row, column)
            if kind == _MULRK:
                sheets[-1].add(row, *struct.unpack_from("<H", stream, at + size - 2))
        at += size
    _check(sum(sheet.places for sheet in sheets))


def check_xlsb(data: bytes) -> None:
    """Raises Unreadable where a sheet of an .xlsb has more places than fit, or its cells more text."""
    budget = Budget()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.lower().endswith(".bin")]
        lengths: list[int] = []
        for name in sorted(names, key=lambda name: "sharedstrings" not in name.lower()):
            if not name.lower().rpartition("/")[0].endswith(("xl", "worksheets")):
                continue
            try:
                blob = archive.read(name)
            except UNPACKABLE:
                continue
            bounds, row = _Bounds(), 0
            for kind, at, size in _records(blob):
                if kind == _STRING and size >= 5:
                    lengths.append(int.from_bytes(blob[at + 1 : at + 5], "little"))
                elif kind == _ROW and size >= 4:
                    row = int.from_bytes(blob[at : at + 4], "little")
                elif kind in _BINARY_CELLS and size >= 8:
                    bounds.add(row, int.from_bytes(blob[at : at + 4], "little"))
                    if kind == _SHARED and size >= 12:
                        place = int.from_bytes(blob[at + 8 : at + 12], "little")
                        budget.spend(1, lengths[place] if place < len(lengths) else 0)
            _check(bounds.places)


def _records(blob: bytes) -> Iterator[tuple[int, int, int]]:
    """(type, offset, size) of the records of a part ([MS-XLSB] 2.1.4): numbers in groups of seven bits."""
    at = 0
    while at < len(blob):
        kind = blob[at]
        at += 1
        if kind & 128 and at < len(blob):
            kind = kind & 127 | (blob[at] & 127) << 7
            at += 1
        size = 0
        for shift in range(0, 28, 7):
            if at >= len(blob):
                return
            group = blob[at]
            size |= (group & 127) << shift
            at += 1
            if not group & 128:
                break
        yield kind, at, min(size, len(blob) - at)
        at += size


def _check(places: int) -> None:
    if places > MOST_PLACES:
        raise Unreadable(
            "The cells of a sheet stand so far apart that the workbook cannot be laid out: "
            "save it as .xlsx, which is read cell by cell, and upload that."
        )
