"""Spreadsheets of LibreOffice and others (.ods; OpenDocument 1.3, part 3, 9): values with their displayed signs.

Own, because calamine tells neither per cent nor currency nor merged cells nor hidden rows of them. Hidden sheets, rows
and columns are left out; rows that a filter hides stay.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from docqa.formats.grid_cells import DIGITS
from docqa.formats.pages import Reading
from docqa.formats.properties import Properties
from docqa.formats.sheets.cells import MOST_COLUMNS, MOST_ROWS, Budget, Cell, Sheet, cell_name, one_line
from docqa.formats.sheets.number_formats import plain
from docqa.formats.sheets.package import Package, attribute, local, number_of
from docqa.formats.sheets.pages import sheet_pages
from docqa.text.values import decimal_marks, number

_TIME = re.compile(r"P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?")
_LONGEST_NUMBER = 60  # characters
_CELLS = ("table-cell", "covered-table-cell")


def read(data: bytes, charset: str = "") -> Reading:
    """A page a sheet. Raises Unreadable, also during the iteration over the pages; MemoryError."""
    package = Package(zipfile.ZipFile(io.BytesIO(data)))
    reading = Reading("ods", "", [], properties=_properties(package))
    reading.pages = sheet_pages(_sheets(package, reading), reading)
    return reading


def _properties(package: Package) -> Properties:
    root = package.root("meta.xml")
    said = {local(element): element.text for element in root.iter("{*}*")} if root is not None else {}
    return Properties.of(said.get("title"), said.get("creator"), said.get("date") or said.get("creation-date"))


def _sheets(package: Package, reading: Reading) -> Iterator[Sheet]:
    budget = Budget()
    undisplayed: set[str] = set()  # styles of hidden sheets
    hidden, row_number = 0, 0
    sheet: Sheet | None = None
    hidden_columns: list[bool] = []
    tags = ("style", "table", "table-column", "table-row", "shapes")
    for event, element in package.elements("content.xml", tags, ("start", "end")):
        name = local(element)
        if event == "start":
            parent = element.getparent()
            if name == "table" and parent is not None and local(parent) == "spreadsheet":
                sheet, row_number, hidden_columns = Sheet(attribute(element, "name")), 0, []
                if attribute(element, "style-name") in undisplayed:
                    hidden, sheet = hidden + 1, None
            continue
        if name == "style":
            if any(attribute(part, "display") == "false" for part in element if local(part) == "table-properties"):
                undisplayed.add(attribute(element, "name"))
        elif sheet is None:
            continue
        elif name == "table-column":
            count = min(number_of(element, "number-columns-repeated", 1), MOST_COLUMNS - len(hidden_columns))
            hidden_columns += [attribute(element, "visibility") == "collapse"] * count
        elif name == "shapes":
            sheet.remarks += [text for part in element.iter("{*}p") if (text := one_line("".join(_text(part))))]
        elif name == "table-row":
            repeated = number_of(element, "number-rows-repeated", 1)
            if attribute(element, "visibility") != "collapse":
                _row(element, row_number, repeated, sheet, hidden_columns, budget)
            row_number += repeated
        elif name == "table" and local(element.getparent()) == "spreadsheet":
            yield sheet
            sheet = None
    if sheet is not None:  # the file was cut off
        yield sheet
    if hidden:
        reading.notes.append(f"{hidden} hidden sheet{'s were' if hidden > 1 else ' was'} left out.")
    if package.damaged:
        reading.notes.append("Parts of the spreadsheet are damaged; what follows the damage is missing.")


def _row(row: Any, number: int, repeated: int, sheet: Sheet, hidden: list[bool], budget: Budget) -> None:
    cells: dict[int, Cell] = {}
    column, characters = 0, 0
    for element in row:
        if local(element) not in _CELLS:
            continue
        count = number_of(element, "number-columns-repeated", 1)
        cell = _cell(element) if len(element) or attribute(element, "value-type") else None
        for note in element if len(element) else ():
            if local(note) == "annotation" and attribute(note, "display") != "none" and (text := _paragraphs(note)):
                sheet.remarks.append(f"Comment on {cell_name(number, column)}: {text}")
        width = number_of(element, "number-columns-spanned", 1)
        height = number_of(element, "number-rows-spanned", 1)
        if (width > 1 or height > 1) and local(element) == "table-cell":
            sheet.merged[number, column] = number + height - 1, column + width - 1
        if cell is not None and cell.shown and local(element) == "table-cell":
            places = [
                place
                for place in range(column, min(column + count, MOST_COLUMNS))
                if place >= len(hidden) or not hidden[place]
            ]
            cells |= dict.fromkeys(places, cell)
            characters += len(places) * len(cell.shown)
        column += count
    if cells:
        for place in range(number, min(number + repeated, MOST_ROWS)):
            budget.spend(len(cells), characters)
            sheet.rows[place] = dict(cells)


def _cell(element: Any) -> Cell:
    kind, shown = attribute(element, "value-type"), _paragraphs(element)
    if kind in ("float", "percentage", "currency"):
        try:
            return _number(float(attribute(element, "value")), shown, kind, attribute(element, "currency"))
        except ValueError:
            return Cell(shown, shown)
    if kind == "date":
        day = attribute(element, "date-value").replace("T", " ").removesuffix(" 00:00:00").partition(".")[0]
        return Cell(day or shown, day or shown)
    if kind == "time" and (match := _TIME.fullmatch(attribute(element, "time-value"))):
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        text = f"{24 * days + hours:02}:{minutes:02}" + (f":{seconds:02}" if seconds else "")
        return Cell(text, text)
    if kind == "boolean" and not shown:
        shown = attribute(element, "boolean-value").upper()
    if not shown and kind == "string":
        shown = one_line(attribute(element, "string-value"))
    return Cell(shown, "" if shown.startswith("#") and attribute(element, "formula") and not kind else shown)


def _number(value: float, shown: str, kind: str, currency: str) -> Cell:
    """A number with what its text shows around it, and with as many decimals."""
    scaled = 100 * value if kind == "percentage" else value
    match = DIGITS.search(shown) if len(shown) <= _LONGEST_NUMBER else None
    for mark in sorted(decimal_marks(match.group())) if match else ():
        assert match
        digits = match.group()
        decimals = len(digits) - digits.rindex(mark) - 1 if mark in digits else 0
        if abs(float(number(digits, mark)) - abs(scaled)) <= 0.501 * 10**-decimals:
            before = one_line(shown[: match.start()]).strip("-−(")
            after = one_line(shown[match.end() :].strip("-−()"))
            after = f" {after}" if after and after not in "%‰" else after
            sign = "-" if value < 0 else ""
            before = f"{before} " if before[-1:].isalnum() else before
            return Cell(
                f"{sign}{before}{plain(abs(scaled), decimals)}{after}",
                f"{sign}{before}{plain(abs(scaled), None, 15)}{after}",
            )
    unit = "%" if kind == "percentage" else f" {currency}" if currency else ""
    return Cell(f"{plain(scaled)}{unit}", f"{plain(scaled, None, 15)}{unit}")


def _paragraphs(element: Any) -> str:
    return one_line(" ".join("".join(_text(part)) for part in element if local(part) == "p"))


def _text(element: Any) -> Iterator[str]:
    """The text of a paragraph; white space stands in elements (part 3, 6.1.2). How a word is pronounced is left out."""
    yield element.text or ""
    for part in element:
        name = local(part)
        if name in ("s", "tab", "line-break"):
            yield " "
        elif name not in ("annotation", "ruby-text"):
            yield from _text(part)
        yield part.tail or ""
