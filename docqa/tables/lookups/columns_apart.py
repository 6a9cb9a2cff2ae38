"""Columns set side by side where a question names them and no row: in what they differ.

            Basic     Plus
Storage     5 GB      50 GB
Support     e-mail    e-mail
Price       €3        €8          "what is the difference between Basic and Plus?"  →  Storage and Price of both.
"""

from collections.abc import Sequence

from docqa.tables.lookups.cells import Answered, Placed
from docqa.tables.lookups.lookup import Cell
from docqa.tables.lookups.query import YEAR, Query
from docqa.tables.lookups.values import column_name, value_of

MOST_ROWS, MOST_COLUMNS = 20, 3
MOST_WORDS = 100


def columns_apart(query: Query) -> Answered | None:
    """The rows in which the columns differ that the question names, where it says nothing else but the title and what
    the rows are; None where no table or several have them, and for columns of years."""
    fitting = [(rows, places) for rows in query.tables.by_grid.values() if (places := _named(query, rows))]
    if len(fitting) != 1:
        return None
    [(rows, places)] = fitting
    differing = [placed for placed in rows if len({placed.row.cells[place] for place in places}) > 1]
    heads = [column_name(Cell(rows[0], place)) for place in places]
    lines = [
        f"- {placed.row.label}: {'; '.join(value_of(Cell(placed, place)) or '–' for place in places)}"
        for placed in differing
    ]
    text = "\n".join([f"{'; '.join(heads)}:", *lines])
    is_short = 0 < len(differing) <= MOST_ROWS and len(text.split()) <= MOST_WORDS
    return (text, differing) if is_short else None


def _named(query: Query, rows: Sequence[Placed]) -> list[int]:
    """The columns that the question names, each by a word of its own."""
    grid = rows[0].grid
    said = {place: own for place, name in enumerate(grid.columns) if place and (own := query.says(name))}
    if not 1 < len(said) <= MOST_COLUMNS or any(YEAR.search(grid.columns[place]) for place in said):
        return []
    others = {place: set().union(*(own for at, own in said.items() if at != place)) for place in said}
    if not all(said[place] - others[place] for place in said):
        return []
    over = query.matched(grid.title).keys() | query.matched(grid.columns[0]).keys()
    return [] if query.leaves_out(over.union(*said.values())) else list(said)
