"""Tables of properties turned round: where each column is a thing, such as a model or a tariff, and each row says
something else of it, the things are ranked and compared as the rows of other tables are.

    Parameter     SP-350     SP-550               SP-350    350 W    7,000 l/h
    Power         350 W      550 W          →     SP-550    550 W    10,500 l/h
    Flow          7,000 l/h  10,500 l/h
"""

from collections.abc import Sequence

from docqa.formats.grid_cells import DIGITS, is_number, is_year
from docqa.formats.grids import Grid, GridRow
from docqa.languages import every_word
from docqa.tables.headings import unit_of
from docqa.text.keys import key

LEAST_THINGS, LEAST_PROPERTIES, MOST_PROPERTIES = 2, 2, 100
_OF_STATEMENTS = every_word("tables.currencies") | {"%"}


def turned(grid: Grid) -> Grid | None:
    """The table with a row for each of its columns; None where these are no things, or not told apart: where rows have
    no units, all the same, or none but money and per cent, as those of segments have, and where columns are years or
    sums."""
    things = grid.columns[1:]
    if (
        len(things) < LEAST_THINGS
        or len(grid.rows) > MOST_PROPERTIES
        or not all(things)
        or len(set(map(key, things))) < len(things)
    ):
        return None
    if any(is_year(word) or word.casefold() in every_word("tables.totals") for name in things for word in name.split()):
        return None
    if 0 < sum(map(is_number, things)) < len(things):  # two pairs of a name and a value side by side
        return None
    units = {unit for row in grid.rows if (unit := _unit_throughout(row.cells))}
    if len(units) < LEAST_PROPERTIES or units <= _OF_STATEMENTS:
        return None
    rows = tuple(
        GridRow(grid.start, grid.end, (thing, *(row.cells[place] for row in grid.rows)))
        for place, thing in enumerate(things, 1)
    )
    columns = ("", *(row.label for row in grid.rows))
    return Grid(grid.start, grid.end, grid.title, grid.before, columns, grid.scale, rows)


def _unit_throughout(cells: Sequence[str]) -> str:
    """What all cells of a row but its label have beside a number, or its label in brackets; "" where they have none or
    not the same."""
    label, *values = cells
    around = {DIGITS.sub("", value, count=1).strip() for value in values if DIGITS.search(value)}
    own = around.pop() if len(around) == 1 else ""
    return own or (unit_of(label) if around <= {""} else "")
