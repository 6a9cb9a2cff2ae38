"""Tables as text (.csv): every row becomes a line that can be understood by itself, `Column: value; Column: value`.

Delimiter and column names are inferred from the regularity of the first rows. Column names in two rows are not
recognised.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import NamedTuple

from docqa.errors import Unreadable
from docqa.formats.column_names import header_place
from docqa.formats.columns import Column, Table, Values, columns, value
from docqa.formats.columns import Row as TableRow
from docqa.formats.counted_rows import is_total_row
from docqa.formats.pages import PAGE, ExtractedPage, Reading, paginate
from docqa.formats.plain.csv_records import Records
from docqa.formats.plain.encoding import open_text
from docqa.text.blocks import Block

DELIMITERS = ",;\t|"
NO_DELIMITER = "\x1f"  # the unit separator, which no file with a single column holds
SAMPLE = 64_000
MAX_COLUMNS = 5_000
PREAMBLE = 20

_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\n', re.IGNORECASE)
_ESCAPED_QUOTE = re.compile(r'\\"[^,;\t|\n]')
_DOUBLED_QUOTE = re.compile(r'[^,;\t|\n"]""[^,;\t|\n"]')


def read(data: bytes, charset: str = "") -> Reading:
    """Pages of rows, and the table; `charset` is the one that the server declared, if any.

    Raises Unreadable for binary data and, during the iteration over the pages, for more than 5,000 columns.
    """
    # The type of a column is known only after its last cell, so the file is read twice.
    records = _records(data, charset)
    reading = Reading("csv", "", [])
    reading.pages = _pages(_rows(_records(data, charset)), _rows(records), records, reading)
    return reading


def of_rows(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Reading:
    """As `read` gives it, a table of which names and cells are known."""
    header = list(names)
    lines = [Row("; ".join(header), is_head=True), *(Row(_line(header, list(cells)), header, cells) for cells in rows)]
    reading = Reading("csv", "", [])
    reading.pages = _pages(lines, lines, Records((), csv.excel), reading)
    return reading


def _records(data: bytes, charset: str) -> Records:
    stream = open_text(data, charset)
    sample = stream.read(SAMPLE) + stream.readline()
    named = _SEPARATOR_LINE.match(sample)
    sample = sample[named.end() :] if named else sample
    return Records(chain(io.StringIO(sample), stream), _dialect(sample[:SAMPLE], named[1] if named else ""))


def _pages(
    first: Iterable["Row"], rows: Iterable["Row"], records: Records, reading: Reading
) -> Iterator[ExtractedPage]:
    """Pages of whole rows; a row longer than a page is cut. `first` are the same rows, for a first pass."""
    table_columns = _columns(first)
    values = Values(table_columns)
    lines: list[Row] = []
    places: list[TableRow] = []
    size = 0
    for row in rows:
        if lines and size + len(row.line) > PAGE:
            yield from _page(lines, places)
            lines, places, size = [], [], 0
        if table_columns and row.names:
            typed = [value(cell, column) for cell, column in zip(row.cells, table_columns, strict=False)]
            values.add(typed)
            written = json.dumps(typed, ensure_ascii=False)
            places.append(TableRow(0, size, size + len(row.line), written))
        lines.append(row)
        size += len(row.line) + 1
    yield from _page(lines, places)
    if table_columns:
        reading.tables.append(Table(table_columns, values.keyed()))
    if records.repaired:
        reading.notes.append(
            f"A quotation mark is not closed in {records.repaired:,} of the rows; "
            "there it was read as a plain character."
        )


def _page(lines: "list[Row]", places: list[TableRow]) -> Iterator[ExtractedPage]:
    blocks, size = [], 0
    for row in lines:
        blocks.append(Block("row" if row.is_row else "paragraph", size, size + len(row.line), int(row.is_head)))
        size += len(row.line) + 1
    # What holds blanks only, such as a form feed between quotation marks, is no page.
    for number, page in enumerate(paginate("".join(f"{row.line}\n" for row in lines), (), blocks)):
        yield replace(page, rows=tuple(places)) if number == 0 else page


# --- how the file is written ---


def _dialect(sample: str, delimiter: str) -> type[csv.Dialect]:
    """How cells are separated and quoted. csv.Sniffer is misled by text with commas in it."""

    class Dialect(csv.excel):
        pass

    Dialect.delimiter = delimiter or _delimiter(sample)
    Dialect.skipinitialspace = f'{Dialect.delimiter} "' in sample
    if _ESCAPED_QUOTE.search(sample) and not _DOUBLED_QUOTE.search(sample):
        Dialect.escapechar = "\\"
    return Dialect


def _delimiter(sample: str) -> str:
    """The mark that cuts most sample rows into the same number of fields; NO_DELIMITER if hardly any row has two."""
    regularity, mark = max(((_regularity(sample, mark), mark) for mark in DELIMITERS), key=lambda scored: scored[0])
    return mark if regularity else NO_DELIMITER


def _regularity(sample: str, mark: str) -> float:
    """The share of rows with the most common number of fields (at least 2), slightly more for more fields.

    It is 0 for a mark that separates nothing, and for a comma in prose.
    """

    class Tried(csv.excel):
        delimiter = mark

    records = list(Records(io.StringIO(sample), Tried, is_cut=True)) or Records(io.StringIO(sample), Tried)
    widths = Counter(len(row) for row in records if row)
    fields, rows = max(
        ((width, count) for width, count in widths.items() if width > 1),
        key=lambda item: (item[1], item[0]),
        default=(0, 0),
    )
    share = rows / max(1, widths.total())
    separated = 1 - widths[1] / max(1, widths.total())
    is_prose = mark == "," and share < 0.5 and sample.count(", ") > 0.9 * sample.count(",")
    return share * (1 + min(fields, 50) / 1000) if separated >= 0.2 and not is_prose else 0.0


# --- rows ---


class Row(NamedTuple):
    """A line of the document; a row of the table has the `names` of the columns and its `cells` too.

    `is_row`: it belongs to the table or its column headings (`is_head`), and is no title or remark above it.
    """

    line: str
    names: Sequence[str] = ()
    cells: Sequence[str] = ()
    is_row: bool = True
    is_head: bool = False


def _columns(rows: Iterable[Row]) -> tuple[Column, ...]:
    """The columns of the table, none if they have no names."""
    of_table = (row for row in rows if row.names)
    first = next(of_table, None)
    return columns(first.names, (row.cells for row in chain([first], of_table))) if first else ()


def _rows(records: Iterable[list[str]]) -> Iterator[Row]:
    """All lines; a last row of totals does not belong to the table, or a sum would count everything twice."""
    waiting: Row | None = None
    for row in _lines(records):
        if waiting:
            yield waiting
        waiting = row
    if waiting:
        yield Row(waiting.line) if is_total_row(waiting.cells) else waiting


def _lines(records: Iterable[list[str]]) -> Iterator[Row]:
    """Lines before the column names (a title, a remark) as they are, then a line for each row."""
    rows = _filled(records)
    waiting = [row for _, row in zip(range(PREAMBLE), rows, strict=False)]
    header = yield from _start(waiting)
    for cells in rows:
        yield Row(_line(header, cells), header, cells)


def _filled(records: Iterable[list[str]]) -> Iterator[list[str]]:
    """Rows that are not blank, each cell on one line. Raises Unreadable for too many columns."""
    for record in records:
        if len(record) > MAX_COLUMNS:
            raise Unreadable(
                f"The table has more than {MAX_COLUMNS:,} columns. Check its delimiter, or swap rows and columns."
            )
        cells = [" ".join(cell.split()) for cell in record]
        if any(cells):
            yield cells


def _start(rows: list[list[str]]) -> Generator[Row, None, list[str]]:
    """The first rows of a table; returns its column names, [] if it has none."""
    place = header_place(rows)
    for number, cells in enumerate(rows[: place + 1]):
        yield Row("; ".join(cell for cell in cells if cell), is_row=number == place, is_head=number == place)
    header = rows[place] if place >= 0 else []
    for cells in rows[place + 1 :]:
        yield Row(_line(header, cells), header, cells)
    return header


def _line(header: list[str], cells: list[str]) -> str:
    """The row as `name: cell; name: cell`; a cell without a column name is left as it is."""
    pairs = zip_longest(header[: len(cells)], cells, fillvalue="")
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)
