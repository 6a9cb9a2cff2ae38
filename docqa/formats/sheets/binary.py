"""Workbooks in binary form (.xls, .xlsb), by calamine: it tells dates, but neither per cent nor currency nor what is
hidden in a sheet, so that a number of them is said as it is stored."""

import datetime
import io
from collections.abc import Iterator
from contextlib import contextmanager

import python_calamine as calamine

from docqa.errors import Unreadable
from docqa.formats.pages import Reading
from docqa.formats.sheets.binary_bounds import check_xls, check_xlsb
from docqa.formats.sheets.cells import Budget, Cell, Sheet, one_line
from docqa.formats.sheets.number_formats import plain
from docqa.formats.sheets.pages import sheet_pages

_PROTECTED = "The file is password-protected. Save it without a password and upload it again."
_DAMAGED = (
    "The workbook is damaged, or older than Excel 5. "
    "Open it in a spreadsheet program, save it as .xlsx and upload that."
)


def read(data: bytes, charset: str = "") -> Reading:
    """A page a sheet. Raises Unreadable, also during the iteration over the pages; MemoryError."""
    if data.startswith(b"PK"):
        check_xlsb(data)
    else:
        check_xls(data)
    with _translated():
        workbook = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    reading = Reading("xls", "", [])
    reading.pages = sheet_pages(_sheets(workbook, reading), reading)
    return reading


@contextmanager
def _translated() -> Iterator[None]:
    """Raises Unreadable for what calamine raises; its Rust panics on some damaged files, with an exception of its own
    that it does not export."""
    try:
        yield
    except calamine.PasswordError as error:
        raise Unreadable(_PROTECTED) from error
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise Unreadable(_PROTECTED if "password" in str(error).lower() else _DAMAGED) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise Unreadable(_DAMAGED) from error


def _sheets(workbook: calamine.CalamineWorkbook, reading: Reading) -> Iterator[Sheet]:
    budget, hidden, damaged = Budget(), 0, list[str]()
    for number, about in enumerate(workbook.sheets_metadata):
        if about.visible is not calamine.SheetVisibleEnum.Visible:
            hidden += 1
        elif about.typ is calamine.SheetTypeEnum.ChartSheet:
            yield Sheet(about.name)
        elif about.typ is not calamine.SheetTypeEnum.Vba:
            try:
                with _translated():
                    source = workbook.get_sheet_by_index(number)
            except Unreadable:
                damaged.append(about.name)
                yield Sheet(about.name)
            else:
                yield _sheet(about.name, source, budget)
    if hidden:
        reading.notes.append(f"{hidden} hidden sheet{'s were' if hidden > 1 else ' was'} left out.")
    if damaged:
        reading.notes.append(f"Damaged and left out: {', '.join(damaged)}.")


def _sheet(name: str, source: calamine.CalamineSheet, budget: Budget) -> Sheet:
    sheet = Sheet(name)
    top, left = source.start or (0, 0)
    for row, values in enumerate(source.iter_rows(), top):
        cells = {column: cell for column, value in enumerate(values, left) if (cell := _cell(value)).shown}
        if cells:
            budget.spend(len(cells), sum(len(cell.shown) for cell in cells.values()))
            sheet.rows[row] = cells
    sheet.merged = dict(source.merged_cell_ranges or ())
    return sheet


def _cell(value: object) -> Cell:
    match value:
        case bool():
            text = "TRUE" if value else "FALSE"
        case int() | float():
            return Cell(plain(value), plain(value, None, 15))
        case datetime.datetime():
            text = f"{value:%Y-%m-%d %H:%M:%S}".removesuffix(":00").removesuffix(" 00:00")
        case datetime.date():
            text = f"{value:%Y-%m-%d}"
        case datetime.time():
            text = f"{value:%H:%M:%S}".removesuffix(":00")
        case datetime.timedelta():
            minutes, seconds = divmod(round(value.total_seconds()), 60)
            text = f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
        case _:
            text = one_line(str(value))
    return Cell(text, text)
