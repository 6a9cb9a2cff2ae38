"""Workbooks of XML, written part by part."""

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

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
