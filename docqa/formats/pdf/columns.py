"""The columns of a table on a PDF page: where they stand, what of a row stands in each, and their headings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import median

from docqa.formats.pdf.rows import Cell, Row, runs_right_to_left

Columns = Sequence[tuple[float, float]]  # where each begins and ends, in points, in reading order


def columns_of(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """(left, right) of the columns in reading order, at least one: those of values, and of other cells beside them."""
    full = [row for row in rows if len(row.cells) > 1]
    values = _merged((cell.left, cell.right) for row in full for cell in row.cells if cell.is_value)
    others = [
        (cell.left, cell.right)
        for row in full
        for cell in row.cells
        if all(cell.right <= left or right <= cell.left for left, right in values)
    ]
    if not values:
        narrow = median(right - left for left, right in others)
        others = [(left, right) for left, right in others if right - left <= 2 * narrow] or others
    return sorted([*values, *_merged(others)], reverse=runs_right_to_left(" ".join(row.text for row in rows)))


def _merged(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for left, right in sorted(spans):
        if merged and left < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def place_of(cell: Cell, columns: Columns) -> tuple[int, bool]:
    """The column of a cell, and whether it spans further ones."""
    left, right = cell.left, cell.right
    shares = [min(right, last) - max(left, first) for first, last in columns]
    best = max(shares)
    if best < right - left:  # it extends beyond its column
        covered = [index for index, column in enumerate(columns) if shares[index] > 0.5 * (column[1] - column[0])]
        if len(covered) > 1:
            return covered[0], True
    return shares.index(best), False


def placed(cells: Iterable[Cell], columns: Columns) -> list[str]:
    """The texts of a row by column."""
    places = [""] * len(columns)
    for cell in cells:
        index, _ = place_of(cell, columns)
        places[index] = f"{places[index]} {cell.text}".strip()
    return places


def headings(rows: Sequence[Row], columns: Columns) -> Iterator[str]:
    """Lines of headings: first those that span columns, then one line with each column's own heading, top to bottom."""
    middles = _middles(rows, columns)
    own: list[Cell] = []
    is_below = False  # a column's own heading
    for row in rows:
        over = [] if is_below else _over_groups(row.cells, columns, middles)
        wide = [cell for cell in row.cells if over or place_of(cell, columns)[1]]
        if wide:
            yield "\t".join(placed(over or wide, columns)).rstrip("\t")
        further = [cell for cell in row.cells if cell not in wide]
        is_below = is_below or any(place_of(cell, columns)[0] for cell in further)
        own += further
    if own:
        yield "\t".join(placed(sorted(own, key=lambda cell: cell.top), columns)).rstrip("\t")


def _middles(rows: Sequence[Row], columns: Columns) -> list[float]:
    """The middle of each column: that of its lowest heading, as numbers may stand right of it, or of its numbers."""
    middles = [(left + right) / 2 for left, right in columns]
    for row in rows:
        for cell in row.cells:
            index, is_wide = place_of(cell, columns)
            if not is_wide:
                middles[index] = (cell.left + cell.right) / 2
    return middles


def _over_groups(cells: Sequence[Cell], columns: Columns, middles: Sequence[float]) -> list[Cell]:
    """Headings that each stand over the middle of as many of the columns, at the first of them; [] if they do not."""
    size, more = divmod(len(columns) - 1, len(cells))
    if size < 2 or more or size % 2 and len({cell.text for cell in cells}) < len(cells):
        return []  # over the middle one of three what is said again may be that column's own
    step = abs(middles[-1] - middles[1]) / (len(columns) - 2)
    if len(cells) == 1 and cells[0].right - cells[0].left < step:
        return []
    near = step / (2 if len(cells) == 1 else 3)
    over = []
    for number, cell in enumerate(cells):
        first, last = 1 + number * size, (number + 1) * size
        if abs(cell.left + cell.right - middles[first] - middles[last]) > 2 * near:
            return []
        over.append(replace(cell, left=columns[first][0], right=columns[first][1]))
    return over
