"""Workbooks written part by part and record by record, in every format that is read."""

import io
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from test_ppt import compound

Value = str | int | float | bool | None
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
OPEN = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
)


def zipped(parts: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return packed.getvalue()


# --- .xlsx ---


def reference(row: int, column: int) -> str:
    letters = chr(65 + column) if column < 26 else chr(64 + column // 26) + chr(65 + column % 26)
    return f"{letters}{row + 1}"


def cell(row: int, column: int, value: Value, style: int = 0) -> str:
    place = f'r="{reference(row, column)}" s="{style}"'
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c {place} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c {place}/>" if value is None else f"<c {place}><v>{value!r}</v></c>"


def sheet(
    rows: Iterable[Sequence[Value]],
    *,
    styles: Sequence[int] = (),
    hidden: Sequence[int] = (),
    merged: Sequence[str] = (),
    before: str = "",
    after: str = "",
) -> str:
    """A sheet's XML; `styles` are those of the columns, `hidden` the numbers of hidden rows from 0."""
    lines = []
    for number, row in enumerate(rows):
        cells = (cell(number, at, value, styles[at] if at < len(styles) else 0) for at, value in enumerate(row))
        mark = ' hidden="1"' if number in hidden else ""
        lines.append(f'<row r="{number + 1}"{mark}>{"".join(cells)}</row>')
    merges = "".join(f'<mergeCell ref="{place}"/>' for place in merged)
    merges = f"<mergeCells>{merges}</mergeCells>" if merges else ""
    return f"<worksheet {MAIN}>{before}<sheetData>{''.join(lines)}</sheetData>{after}{merges}</worksheet>"


def xlsx(
    sheets: Mapping[str, str],
    *,
    formats: Sequence[str] = (),
    hidden: Sequence[str] = (),
    properties: str = "",
    more: Mapping[str, str] | None = None,
    method: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    """A workbook of these sheets; style n + 1 has the number format n of `formats`."""
    listed, relations, parts = [], [], {}
    for number, (name, content) in enumerate(sheets.items(), 1):
        state = ' state="hidden"' if name in hidden else ""
        listed.append(f'<sheet name={quoteattr(name)} sheetId="{number}"{state} r:id="rId{number}"/>')
        relations.append(
            f'<Relationship Id="rId{number}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        )
        parts[f"xl/worksheets/sheet{number}.xml"] = content
    codes = "".join(f'<numFmt numFmtId="{164 + at}" formatCode={quoteattr(code)}/>' for at, code in enumerate(formats))
    styles = "".join(f'<xf numFmtId="{164 + at}"/>' for at in range(len(formats)))
    parts = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": f'<Relationships {PACKAGE}><Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{RELATIONS}">{properties}<sheets>{"".join(listed)}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"<Relationships {PACKAGE}>{''.join(relations)}</Relationships>",
        "xl/styles.xml": f'<styleSheet {MAIN}><numFmts>{codes}</numFmts><cellXfs><xf numFmtId="0"/>{styles}</cellXfs></styleSheet>',
        **parts,
        **(more or {}),
    }
    return zipped(parts, method)


# --- .ods ---


def ods(body: str, styles: str = "", change: Callable[[str], str] = str) -> bytes:
    """A spreadsheet with these tables in its body."""
    content = (
        f"<?xml version='1.0'?><office:document-content {OPEN}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body></office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": change(content)})


def ods_rows(rows: Iterable[Sequence[str | float]]) -> str:
    """Table rows of words and numbers."""
    lines = []
    for row in rows:
        cells = "".join(
            f"<table:table-cell office:value-type='string'><text:p>{escape(value)}</text:p></table:table-cell>"
            if isinstance(value, str)
            else f"<table:table-cell office:value-type='float' office:value='{value}'><text:p>{value:g}</text:p></table:table-cell>"
            for value in row
        )
        lines.append(f"<table:table-row>{cells}</table:table-row>")
    return "".join(lines)


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
