"""Tables as text (.csv): every row becomes a line that is understood alone, `Column: value; Column: value`."""

import csv
import io
from collections import Counter
from collections.abc import Generator, Iterator

from docqa.errors import Unreadable
from docqa.extract.encoding import decode
from docqa.extract.pages import Reading, clean, paginate

DELIMITERS = ",;\t|"
SAMPLE = 64_000
MAX_COLUMNS = 5_000
PREAMBLE = 20


def read(data: bytes, charset: str = "") -> Reading:
    """Raises Unreadable for binary data and for tables of more than 5,000 columns."""
    text = clean(decode(data, charset)).replace("\f", "\n")
    csv.field_size_limit(len(text) + 1)
    rows = csv.reader(io.StringIO(text, newline=""), _dialect(text))
    return Reading("csv", "", paginate("".join(line + "\n" for line in _lines(rows))))


def _dialect(text: str) -> type[csv.Dialect]:
    """The delimiter that cuts most sample rows into the same number of fields; csv.Sniffer alone is fooled by text with commas in it."""

    class Found(csv.excel):
        delimiter = max(DELIMITERS, key=lambda mark: _regularity(text[:SAMPLE], mark))

    if text.startswith("sep=") and len(text) > 4:
        Found.delimiter = text[4]
    Found.skipinitialspace = f'{Found.delimiter} "' in text[:SAMPLE]
    return Found


def _regularity(sample: str, mark: str) -> float:
    """The share of rows that have the commonest number of fields (at least 2), a little more for more fields."""
    widths = Counter(len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=mark) if row)
    fields, rows = max(((width, count) for width, count in widths.items() if width > 1), key=lambda item: (item[1], item[0]), default=(0, 0))
    return rows / max(1, widths.total()) * (1 + min(fields, 50) / 1000) if rows else 0.0


def _lines(rows: Iterator[list[str]]) -> Iterator[str]:
    """Lines before the column names (a title, a remark) stay as they are; then one line for each row."""
    header: list[str] | None = None
    waiting: list[list[str]] = []
    for row in rows:
        if len(row) > MAX_COLUMNS:
            raise Unreadable(f"The table has more than {MAX_COLUMNS:,} columns. Check its delimiter, or turn rows and columns.")
        cells = [" ".join(cell.split()) for cell in row]
        if not any(cells) or cells[0].startswith("sep="):
            continue
        if header is not None:
            yield _line(header, cells)
            continue
        waiting.append(cells)
        if len(waiting) == PREAMBLE:
            header = yield from _start(waiting)
    if header is None:
        yield from _start(waiting)


def _start(rows: list[list[str]]) -> Generator[str, None, list[str]]:
    """The first rows of a table; returns its column names, [] if it has none."""
    place = _header_place(rows)
    for cells in rows[: place + 1]:
        yield "; ".join(cell for cell in cells if cell)
    header = rows[place] if place >= 0 else []
    for cells in rows[place + 1 :]:
        yield _line(header, cells)
    return header


def _header_place(rows: list[list[str]]) -> int:
    """Index of the row with the column names: the first one nearly as full as the fullest, if it holds words only; else -1."""
    full = max((sum(map(bool, cells)) for cells in rows), default=0)
    for place, cells in enumerate(rows):
        if sum(map(bool, cells)) >= 0.6 * full:
            words = not any(_is_number(cell) for cell in cells)
            return place if words and len(rows) > place + 1 else -1
    return -1


def _is_number(cell: str) -> bool:
    """Numbers and dates; a bare year may head a column."""
    digits = sum(character.isdigit() for character in cell)
    return digits * 2 > len(cell.strip("%€$ ")) and not (len(cell) == 4 and digits == 4)


def _line(header: list[str], cells: list[str]) -> str:
    names = [*header, *[""] * (len(cells) - len(header))]
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=False) if cell)
