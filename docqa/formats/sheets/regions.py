"""The tables on a sheet and the lines around them: told apart by blank rows and, where either side is a table of its
own, by blank columns.

A row of values after a blank row goes on with the table above, where its numbers stand in the same columns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from docqa.formats.column_names import is_header
from docqa.formats.grid_cells import is_number
from docqa.formats.sheets.cells import MOST_CELLS, Cell, Sheet

MOST_HEADS = 5  # rows of column headings
_FULL = 0.6  # of the cells of the fullest row, in the row that heads a table
_SAMPLE = 200  # rows by which headings are judged
_LONGEST_LABEL = 60  # characters of a merged cell that is a label for each of its rows
_TALLEST = 1_000  # rows of a label
MOST_PLACES = 8_000_000  # filled or not, of a table; what is scattered more widely is lines only
_MOST_GAPS = 50  # columns that are blank in a part of a sheet
_NOTHING = Cell("", "")

Row = tuple[int, dict[int, Cell]]  # its number, and its filled cells by column


@dataclass
class Region:
    """Lines above a table, its rows with a cell for each of its columns, and lines below it.

    Where there are no `rows`, it is lines only. The first `heads` rows are column headings. A row of one cell among the
    others is a label for those below it.
    """

    above: list[str] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    heads: int = 0
    below: list[str] = field(default_factory=list)
    columns: tuple[int, ...] = ()  # where its columns stand on the sheet


def regions(sheet: Sheet) -> list[Region]:
    """The regions of a sheet, from top to bottom and from left to right."""
    _spread_labels(sheet)
    parts: list[Region] = []
    for block in _headed(list(_blocks(list(sheet.rows.items())))):
        region = _region(block, sheet)
        before = parts[-1] if parts else region
        if before is not region and before.columns == region.columns and _goes_on(before, region):
            before.rows += [[Cell(line, line), *[_NOTHING] * (len(region.columns) - 1)] for line in region.above]
            before.rows += region.rows
            before.below = region.below
        else:
            parts.append(region)
    return parts


def _spread_labels(sheet: Sheet) -> None:
    """A short text in a cell that is merged over several rows is a label for each of them."""
    steps = 0
    for (top, left), (bottom, _) in sheet.merged.items():
        cell = sheet.rows.get(top, {}).get(left)
        if cell is None or not 0 < bottom - top < _TALLEST or len(cell.shown) > _LONGEST_LABEL:
            continue
        steps += bottom - top
        if steps > MOST_CELLS:
            return
        for number in range(top + 1, bottom + 1):
            if number in sheet.rows:
                sheet.rows[number].setdefault(left, cell)


# --- blocks -----------------------------------------------------------------------------------------------------------


def _blocks(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The parts of a sheet between blank rows, and between blank columns where both sides are tables."""
    for band in _bands(rows):
        sides = _sides(band)
        if len(sides) == 1:
            yield band
        else:
            for first, last in sides:
                side = [(number, _between(cells, first, last)) for number, cells in band]
                yield from _bands([(number, cells) for number, cells in side if cells])


def _between(cells: dict[int, Cell], first: int, last: int) -> dict[int, Cell]:
    return {column: cell for column, cell in cells.items() if first <= column <= last}


def _bands(rows: Sequence[Row]) -> Iterator[list[Row]]:
    band: list[Row] = []
    for number, cells in rows:
        if band and number != band[-1][0] + 1:
            yield band
            band = []
        band.append((number, cells))
    if band:
        yield band


def _sides(band: Sequence[Row]) -> list[tuple[int, int]]:
    """(first, last column) of the tables that stand beside each other, one for the whole where there are none."""
    filled = [cells for _, cells in band if len(cells) > 1]
    columns = sorted({column for cells in filled for column in cells})
    everywhere = sorted({column for _, cells in band for column in cells})
    if sum(column - before > 1 for before, column in pairwise(columns)) > _MOST_GAPS:
        return [(everywhere[0], everywhere[-1])]
    sides = [[columns[0], columns[0]]] if columns else []
    for before, column in pairwise(columns):
        if column - before > 1 and _is_own(filled, sides[-1][0], before) and _is_labelled(filled, column, columns[-1]):
            sides.append([column, column])
        sides[-1][1] = column
    if len(sides) < 2:
        return [(everywhere[0], everywhere[-1])]
    ends = [first - 1 for first, _ in sides[1:]] + [everywhere[-1]]
    return list(zip([everywhere[0], *(first for first, _ in sides[1:])], ends, strict=True))


def _is_own(rows: Sequence[dict[int, Cell]], first: int, last: int) -> bool:
    """Whether at least two rows have two cells or more between these columns."""
    return sum(len(_between(cells, first, last)) > 1 for cells in rows) > 1


def _is_labelled(rows: Sequence[dict[int, Cell]], first: int, last: int) -> bool:
    """Whether a table with labels of its own begins at a column: most of its cells are words, with values beside."""
    cells = [row[first].shown for row in rows if first in row]
    words = sum(not is_number(cell) for cell in cells)
    beside = sum(first in row and first + 1 in row for row in rows)
    return first < last and 2 * words > len(cells) > 1 and beside > 1


def _headed(blocks: Sequence[list[Row]]) -> Iterator[list[Row]]:
    """The blocks, those of column headings alone together with the block of numbers below them."""
    waiting: list[Row] = []
    for block in blocks:
        if waiting and not _heads_numbers(waiting, block):
            yield waiting
            waiting = []
        block = [*waiting, *block]
        waiting = []
        if _may_head(block):
            waiting = block
        else:
            yield block
    if waiting:
        yield waiting


def _may_head(block: Sequence[Row]) -> bool:
    """Whether a block ends in a row of words or years, and has no numbers."""
    if len(block) > 2 * MOST_HEADS or len(block[-1][1]) < 2:
        return False
    return not any(is_number(cell.shown) for _, cells in block for cell in cells.values())


def _heads_numbers(block: Sequence[Row], below: Sequence[Row]) -> bool:
    """Whether words stand above most columns of numbers of a block, which begins with a row that has some."""
    numeric: dict[int, int] = {}
    for _, cells in below[:_SAMPLE]:
        for column, cell in cells.items():
            numeric[column] = numeric.get(column, 0) + (1 if is_number(cell.shown) else -1)
    columns = {column for column, votes in numeric.items() if votes > 0}
    named = {column for _, cells in block[-MOST_HEADS:] for column in cells}
    first = {column for column, cell in below[0][1].items() if is_number(cell.shown)}
    return bool(columns & first) and len(columns & named) > len(columns) / 2


# --- tables -----------------------------------------------------------------------------------------------------------


def _region(block: Sequence[Row], sheet: Sheet) -> Region:
    wide = [place for place, (_, cells) in enumerate(block) if len(cells) > 1]
    if not wide:
        return Region([_line(row) for row in block])
    columns = tuple(sorted({column for _, cells in block[wide[0] : wide[-1] + 1] for column in cells}))
    start = next((at for at in range(wide[0]) if not _is_title(block[at], columns, sheet)), wide[0])
    above, rows = [_line(row) for row in block[:start]], block[start : wide[-1] + 1]
    below = [_line(row) for row in block[wide[-1] + 1 :]]
    columns = tuple(sorted({*columns, *(column for _, cells in rows[: wide[0] - start] for column in cells)}))
    if len(rows) * len(columns) > MOST_PLACES:
        return Region([*above, *map(_line, rows), *below])
    table = [[cells.get(column, _NOTHING) for column in columns] for _, cells in rows]
    return Region(above, table, _heads([[cell.shown for cell in cells] for cells in table]), below, columns)


def _line(row: Row) -> str:
    return "\t".join(cell.shown for _, cell in sorted(row[1].items()))


def _is_title(row: Row, columns: Sequence[int], sheet: Sheet) -> bool:
    """Whether a row of one cell stands above the whole table with these columns, and not over some of them."""
    number, cells = row
    column = next(iter(cells))
    if column <= columns[0]:
        return True
    last = sheet.merged.get((number, column))
    return last is None or last[1] >= columns[-1] and column <= columns[0] + 1


def _heads(rows: Sequence[Sequence[str]]) -> int:
    """How many rows at the top are column headings."""
    sample = rows[:_SAMPLE]
    filled = [sum(map(bool, row)) for row in sample]
    full = max(filled)
    if full < 2 or len(rows) < 2:
        return 0
    place = next(at for at, count in enumerate(filled) if count >= _FULL * full)
    if place >= MOST_HEADS or not _is_head(sample, place):
        return 0
    heads = place + 1
    while heads < min(MOST_HEADS, len(sample) - 1) and filled[heads] > 1 and _goes_below(sample, heads):
        heads += 1
    return heads


def _is_head(rows: Sequence[Sequence[str]], place: int) -> bool:
    below = rows[place + 1 :]
    if not below or not is_header(rows[place], below):
        return False
    if len(rows[0]) > 2:
        return True
    # Of two columns of words it cannot be told whether the first row heads them.
    return any(is_number(cell) for row in below for cell in row)


def _goes_below(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether a row under column headings is one more of them: words or years above columns of numbers."""
    row, below = rows[place], rows[place + 1 :]
    over = [is_number(cell) for at, cell in enumerate(row) if cell and _is_numeric(below, at)]
    return bool(over) and not any(over) and not any(is_number(cell) for cell in row) and is_header(row, below)


def _is_numeric(rows: Sequence[Sequence[str]], place: int) -> bool:
    cells = [row[place] for row in rows if row[place]]
    return 2 * sum(map(is_number, cells)) > len(cells)


def _goes_on(table: Region, further: Region) -> bool:
    """Whether rows after a blank one belong to the table above: they have no headings of their own, and numbers where
    it has some."""
    if not table.heads or further.heads or not further.rows or table.below:
        return False
    body = [[cell.shown for cell in row] for row in table.rows[table.heads :][:_SAMPLE]]
    own = [[cell.shown for cell in row] for row in further.rows[:_SAMPLE]]
    numeric = [place for place in range(len(table.columns)) if _is_numeric(body, place)]
    return bool(numeric) and any(_is_numeric(own, place) and any(row[place] for row in own) for place in numeric)
