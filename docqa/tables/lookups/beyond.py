"""Rows whose value lies below or above the range that stands beside it: which results are below the normal range.

Test       Result   Normal range
Iron       13.1     13.5–17.5
Salt       139      135–145        "which result is below the range?"  →  Iron: Result 13.1; Normal range 13.5–17.5.
"""

from collections.abc import Sequence

from docqa.tables.lookups.cells import Answered, Placed
from docqa.tables.lookups.derived import amount
from docqa.tables.lookups.query import Query
from docqa.tables.lookups.ranges import range_of
from docqa.tables.lookups.whole_rows import MOST, MOST_UNSAID, whole_row
from docqa.tables.words import listed, spoken

_SIDES = (("less", "lower"), ("more", "higher"))  # lists of words
LEAST_SHARE = 0.6  # of the cells of a column of ranges


def beyond_range(query: Query, language: str) -> Answered | None:
    """The rows with a value beyond their range, where the question names the column of ranges and says hardly a word
    besides; None where it does not say on which side, or there is no such row."""
    words = query.text.split()
    below, above = (set().union(*(spoken(name, words, query.language) for name in names)) for names in _SIDES)
    if bool(below) == bool(above):
        return None
    for rows in query.tables.by_grid.values():
        for ranges, values in _columns(query, rows, below | above):
            beyond = [placed for placed in rows if _is_beyond(placed, ranges, values, is_below=bool(below))]
            if 0 < len(beyond) <= MOST and _says_hardly_more(query, rows, below | above):
                lines = [whole_row(placed, language) for placed in beyond]
                return ("\n".join(f"- {line}" for line in lines) if len(lines) > 1 else lines[0]), beyond
    return None


def _says_hardly_more(query: Query, rows: Sequence[Placed], sides: set[str]) -> bool:
    """Whether the question has, beside what stands over the columns, no more than a word, and none that names a row."""
    grid = rows[0].grid
    texts = (*grid.columns, grid.title)
    besides = set(query.words).difference(sides, listed("light", query.language), *map(query.matched, texts))
    names = any(query.tables.tells_apart(form, grid) for word in besides for form in query.forms[word])
    return len(besides) <= MOST_UNSAID and not names


def _columns(query: Query, rows: Sequence[Placed], but: set[str]) -> list[tuple[int, int]]:
    """The columns of ranges that the question names, each with the nearest one of numbers before it."""
    grid = rows[0].grid
    pairs = []
    for place in range(2, len(grid.columns)):
        if not query.matched(grid.columns[place]).keys() - but:
            continue
        cells = [placed.row.cells[place] for placed in rows if placed.row.cells[place]]
        are_ranges = sum(range_of(cell) is not None for cell in cells) >= max(2, LEAST_SHARE * len(cells))
        if not are_ranges:
            continue
        for at in range(place - 1, 0, -1):
            if all(amount(placed.row.cells[at], grid) is not None for placed in rows if placed.row.cells[at]):
                pairs.append((place, at))
                break
    return pairs


def _is_beyond(placed: Placed, ranges: int, values: int, *, is_below: bool) -> bool:
    bounds, value = range_of(placed.row.cells[ranges]), amount(placed.row.cells[values], placed.grid)
    if bounds is None or value is None:
        return False
    return float(value) < bounds[0] if is_below else float(value) > bounds[1]
