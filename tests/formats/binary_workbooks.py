"""Workbooks in binary form, written record by record."""

import struct
from collections.abc import Mapping, Sequence

from test_ppt import compound
from workbooks import PACKAGE, RELATIONS, zipped

# --- .xls ---


def record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def begin(kind: int) -> bytes:
    return record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0, 0, 0, 0))


def xls(sheets: Mapping[str, Sequence[Sequence[str | float]]], *, hidden: Sequence[str] = ()) -> bytes:
    """A workbook of Excel 97 ([MS-XLS] 2.4)."""
    bodies = []
    for rows in sheets.values():
        body = begin(0x0010)
        for row, values in enumerate(rows):
            for column, value in enumerate(values):
                if isinstance(value, str):
                    text = struct.pack("<HB", len(value), 1) + value.encode("utf-16-le")
                    body += record(0x0204, struct.pack("<HHH", row, column, 0) + text)
                else:
                    body += record(0x0203, struct.pack("<HHHd", row, column, 0, value))
        bodies.append(body + record(0x000A, b""))
    names = [struct.pack("<BB", len(name), 1) + name.encode("utf-16-le") for name in sheets]
    offset = len(begin(5)) + sum(10 + len(name) for name in names) + 4
    stream = begin(5)
    for name, text, body in zip(sheets, names, bodies, strict=True):
        stream += record(0x0085, struct.pack("<IBB", offset, int(name in hidden), 0) + text)
        offset += len(body)
    return compound({"Workbook": stream + record(0x000A, b"") + b"".join(bodies)})


# --- .xlsb ---


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def binary(kind: int, data: bytes = b"") -> bytes:
    """A record of [MS-XLSB] 2.1.4: its type and its size in groups of seven bits."""

    def grouped(number: int) -> bytes:
        groups = b""
        while number > 127:
            groups += bytes([number & 127 | 128])
            number >>= 7
        return groups + bytes([number])

    return (bytes([kind & 255, kind >> 8]) if kind > 127 else bytes([kind])) + grouped(len(data)) + data


def xlsb(name: str, rows: Sequence[Sequence[str | float]]) -> bytes:
    """A binary workbook of one sheet."""
    listed = struct.pack("<II", 0, 1) + wide("rId1") + wide(name)
    book = binary(0x0183) + binary(0x018F) + binary(0x019C, listed) + binary(0x0190) + binary(0x0184)
    width = max(map(len, rows))
    body = binary(0x0181) + binary(0x0194, struct.pack("<IIII", 0, len(rows) - 1, 0, width - 1)) + binary(0x0191)
    for row, values in enumerate(rows):
        body += binary(0, struct.pack("<II", row, 0) + bytes(9))
        for column, value in enumerate(values):
            place = struct.pack("<II", column, 0)
            if isinstance(value, str):
                body += binary(6, place + wide(value))
            else:
                body += binary(5, place + struct.pack("<d", value))
    body += binary(0x0192) + binary(0x0182)
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": f'<Relationships {PACKAGE}><Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.bin"/></Relationships>',
            "xl/workbook.bin": book,
            "xl/_rels/workbook.bin.rels": f'<Relationships {PACKAGE}><Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.bin"/></Relationships>',
            "xl/worksheets/sheet1.bin": body,
        }
    )
