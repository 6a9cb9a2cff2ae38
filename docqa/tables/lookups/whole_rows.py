"""Rows that stand together under a label of their own: what starters there are, what current assets consist of.

Starters
Soup      5.80
Mackerel  8.20       "what starters do you have?"  →  Starters: Soup 5.80; Mackerel 8.20.
"""

from docqa.questions.question import Part
from docqa.tables.lookups.arithmetic import Answered
from docqa.tables.lookups.cells import Placed
from docqa.tables.lookups.lookup import Cell
from docqa.tables.lookups.query import Query
from docqa.tables.lookups.values import sentence

MOST = 20  # rows of a group that are told


def grouped(query: Query, part: Part, language: str) -> Answered | None:
    """The rows under the label that the question names, where it says nothing else; None where there is none, or there
    are several such groups."""
    if part.expects is not None or part.kind == "whether" or not query.words:
        return None
    named = [(label, rows) for label, rows in query.tables.groups if set(query.words) <= query.says(label)]
    if len(named) != 1 or len(named[0][1]) > MOST:
        return None
    [(label, rows)] = named
    return "\n- ".join([f"{label}:", *(_row(placed, language) for placed in rows)]), rows


def numbered(query: Query, language: str) -> Answered | None:
    """The only row that has a number of the question in a column that it names, where it says nothing else; None for
    any other."""
    numbers, words = set(filter(str.isdecimal, query.words)), set(query.words)
    if not numbers or numbers == words:
        return None
    holding = {
        id(placed): placed
        for placed in query.tables.rows
        for place, cell in enumerate(placed.row.cells)
        if cell in numbers and words == query.says(placed.grid.columns[place]) | {cell}
    }
    if len(holding) != 1:
        return None
    [placed] = holding.values()
    return _row(placed, language), [placed]


def _row(placed: Placed, language: str) -> str:
    """A row with its values, each with the name of its column."""
    naming = placed.grid.naming
    filled = [place for place, cell in enumerate(placed.row.cells) if place > naming and cell] or [naming]
    return sentence(Cell(placed, filled[0], named_by=naming, also=tuple(filled[1:])), language)
