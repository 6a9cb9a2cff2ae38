"""Workbooks of Excel (.xlsx, .xlsm; ECMA-376 part 1, 18): stored values, never formulas, as their formats show them.

Own, because number formats, hidden rows and merged cells decide what a reader of the sheet sees, and because a sheet
may claim a million rows: cells are read one by one, and empty ones cost nothing. Hidden sheets, rows and columns are
left out; rows that a filter hides, or that an outline folds away, are the sheet's data and stay.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docqa.errors import Unreadable
from docqa.formats.pages import Reading
from docqa.formats.properties import Properties
from docqa.formats.sheets.cells import MOST_COLUMNS, MOST_ROWS, Budget, Cell, Place, Sheet, one_line
from docqa.formats.sheets.number_formats import BUILT_IN, GENERAL, NumberFormat, number_format
from docqa.formats.sheets.package import Package, attribute, local, number_of
from docqa.formats.sheets.pages import sheet_pages

_REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_SIMPLE = re.compile(r"-?(?:0|[1-9]\d{0,8})(?:\.\d{0,5}[1-9])?")  # a number that is shown as it is written
_TRUE = ("1", "true", "on")
_THREAD = "[Threaded comment]"


def read(data: bytes, charset: str = "") -> Reading:
    """A page a sheet. Raises Unreadable, also during the iteration over the pages; MemoryError."""
    package = Package(zipfile.ZipFile(io.BytesIO(data)))
    reading = Reading("xlsx", "", [], properties=_properties(package))
    book = _Workbook(package)
    reading.pages = sheet_pages(book.sheets(reading), reading)
    return reading


def _properties(package: Package) -> Properties:
    root = package.root("docprops/core.xml")
    said = {local(element): element.text for element in root} if root is not None else {}
    return Properties.of(said.get("title"), said.get("creator"), said.get("created"))


@dataclass(frozen=True)
class _Listed:
    name: str
    part: str
    is_hidden: bool


class _Workbook:
    def __init__(self, package: Package) -> None:
        self._package = package
        self._budget = Budget()
        part = next(
            (target for _, kind, target in package.relations("") if kind == "officeDocument"), "xl/workbook.xml"
        )
        root = package.root(part)
        if root is None:
            raise Unreadable("The workbook is damaged: the list of its sheets is missing.")
        relations = package.relations(part)
        targets = {id_: target for id_, _, target in relations}
        by_kind = {kind: target for _, kind, target in relations}
        self._sheets: list[_Listed] = []
        self._from_1904 = False
        for element in root.iter("{*}sheet", "{*}workbookPr"):
            if local(element) == "workbookPr":
                self._from_1904 = attribute(element, "date1904").lower() in _TRUE
                continue
            target = targets.get(attribute(element, "id"), "")
            hidden = attribute(element, "state").lower() in ("hidden", "veryhidden")
            self._sheets.append(_Listed(attribute(element, "name"), target, hidden))
        if not any(listed.part in package for listed in self._sheets):  # no relationships: they are named in order
            self._sheets = [
                _Listed(listed.name, f"xl/worksheets/sheet{number}.xml", listed.is_hidden)
                for number, listed in enumerate(self._sheets, 1)
            ]
        self._strings = self._shared(by_kind.get("sharedStrings", "xl/sharedstrings.xml"))
        self._formats = _formats(package.root(by_kind.get("styles", "xl/styles.xml")))
        self._uncomputed = 0

    def sheets(self, reading: Reading) -> Iterator[Sheet]:
        """The visible sheets, one after the other; what was left out is noted at the end."""
        hidden = sum(listed.is_hidden for listed in self._sheets)
        parts: set[str] = set()
        for listed in self._sheets:
            if not listed.is_hidden and listed.part not in parts:
                parts.add(listed.part)
                yield self._sheet(listed)
        if hidden:
            reading.notes.append(f"{hidden} hidden sheet{'s were' if hidden > 1 else ' was'} left out.")
        if self._uncomputed:
            reading.notes.append(
                f"{self._uncomputed:,} formulas have no stored value, for no spreadsheet program has computed them: "
                "open the workbook in one, save it and upload that."
            )
        if self._package.damaged:
            reading.notes.append("Parts of the workbook are damaged; what follows the damage is missing.")

    def _shared(self, part: str) -> list[Cell]:
        strings = []
        for _, element in self._package.elements(part, ("si",)):
            text = one_line(_rich(element))
            self._budget.spend(0, len(text))
            strings.append(Cell(text, text))
        return strings

    def _sheet(self, listed: _Listed) -> Sheet:
        sheet = Sheet(listed.name)
        hidden_rows: set[int] = set()
        hidden_columns: set[int] = set()
        is_filtered = False
        row_number = -1
        tags = ("row", "col", "mergeCell", "autoFilter", "tablePart")
        for _, element in self._package.elements(listed.part, tags):
            match local(element):
                case "row":
                    row_number = number_of(element, "r", row_number + 2) - 1
                    self._row(element, row_number, sheet)
                    if attribute(element, "hidden") in _TRUE and not number_of(element, "outlineLevel", 0):
                        hidden_rows.add(row_number)
                case "col":
                    if attribute(element, "hidden") in _TRUE and not number_of(element, "outlineLevel", 0):
                        last = min(number_of(element, "max", 0), MOST_COLUMNS)
                        hidden_columns.update(range(number_of(element, "min", 1) - 1, last))
                case "mergeCell":
                    if merged := _range(attribute(element, "ref")):
                        sheet.merged[merged[0]] = merged[1]
                case _:
                    is_filtered = True
        for number in hidden_rows if not is_filtered else ():
            sheet.rows.pop(number, None)
        if hidden_columns:
            for cells in sheet.rows.values():
                for column in hidden_columns & cells.keys():
                    del cells[column]
        sheet.rows = {number: cells for number, cells in sorted(sheet.rows.items()) if cells}
        sheet.remarks = list(self._remarks(listed.part))
        return sheet

    def _row(self, row: Any, number: int, sheet: Sheet) -> None:
        if not 0 <= number < MOST_ROWS:
            return
        cells: dict[int, Cell] = {}
        column, characters = -1, 0
        for element in row:
            place = _column(element.get("r", ""))
            column = place if place is not None else column + 1
            cell = self._cell(element)
            if cell is not None and cell.shown and column < MOST_COLUMNS:
                cells[column] = cell
                characters += len(cell.shown)
        if cells:
            self._budget.spend(len(cells), characters)
            sheet.rows.setdefault(number, {}).update(cells)

    def _cell(self, element: Any) -> Cell | None:
        value, has_formula = "", False
        for part in element:
            name = local(part)
            if name == "v":
                value = part.text or ""
            elif name == "f":
                has_formula = True
            elif name == "is":
                return _words(_rich(part))
        kind = element.get("t", "n")
        if not value:
            self._uncomputed += has_formula and kind != "str"
            return None
        if kind == "s":
            return self._strings[int(value)] if value.isdecimal() and int(value) < len(self._strings) else None
        if kind == "b":
            return _words("TRUE" if value in _TRUE else "FALSE")
        if kind == "e":
            return Cell(value, "")
        if kind == "d":
            return _words(value.removesuffix("Z").replace("T", " ").removesuffix(" 00:00:00"))
        if kind == "n":
            shape = self._formats.get(element.get("s", ""), GENERAL)
            if shape is GENERAL and _SIMPLE.fullmatch(value):
                return Cell(value, value)
            try:
                return shape.cell(float(value), self._from_1904)
            except ValueError:
                return _words(value)
        return _words(_unescaped(value))

    def _remarks(self, part: str) -> Iterator[str]:
        """The texts of comments, with their cells, and of text boxes."""
        for _, kind, target in self._package.relations(part):
            if kind == "comments":
                for _, comment in self._package.elements(target, ("comment",)):
                    text = "".join(_texts(comment))
                    if text.startswith(_THREAD):
                        text = text.rpartition("Comment:")[2]
                    if text := one_line(text):
                        self._budget.spend(0, len(text))
                        yield f"Comment on {attribute(comment, 'ref')}: {text}"
            elif kind == "drawing":
                for _, body in self._package.elements(target, ("txBody",)):
                    for paragraph in body.iter("{*}p"):
                        if text := one_line("".join(_texts(paragraph))):
                            self._budget.spend(0, len(text))
                            yield text


def _formats(styles: Any) -> dict[str, NumberFormat]:
    """The number format of each style that cells have, by its number as they write it."""
    if styles is None:
        return {}
    codes: dict[str, str] = {str(number): code for number, code in BUILT_IN.items()}
    codes |= {attribute(element, "numFmtId"): attribute(element, "formatCode") for element in styles.iter("{*}numFmt")}
    own = next(styles.iter("{*}cellXfs"), ())
    return {
        str(place): number_format(codes.get(attribute(element, "numFmtId"), "General"))
        for place, element in enumerate(child for child in own if local(child) == "xf")
    }


def _rich(element: Any) -> str:
    """The text of a string, without how it is pronounced."""
    parts = []
    for part in element:
        if local(part) == "t":
            parts.append(part.text or "")
        elif local(part) == "r":
            parts += [text.text or "" for text in part if local(text) == "t"]
    return _unescaped("".join(parts))


def _texts(element: Any) -> Iterator[str]:
    return (_unescaped(part.text or "") for part in element.iter("{*}t"))


def _unescaped(text: str) -> str:
    """The text with characters that XML has no place for written as themselves (22.4.2.4)."""
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _words(text: str) -> Cell:
    text = one_line(text)
    return Cell(text, text)


def _column(reference: str) -> int | None:
    match = _REFERENCE.match(reference)
    if match is None:
        return None
    column = 0
    for letter in match[1].upper():
        column = 26 * column + ord(letter) - 64
    return column - 1


def _range(reference: str) -> tuple[Place, Place] | None:
    first, _, last = reference.partition(":")
    ends = [
        (int(match[2]) - 1, column)
        for end in (first, last or first)
        if (match := _REFERENCE.fullmatch(end)) and (column := _column(end)) is not None
    ]
    return (ends[0], ends[1]) if len(ends) == 2 else None
