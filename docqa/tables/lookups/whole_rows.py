"""Rows that stand together under a label of their own: what starters there are, what current assets consist of.

Starters
Soup      5.80
Mackerel  8.20       "what starters do you have?"  →  Starters: Soup 5.80; Mackerel 8.20.
"""

from collections.abc import Sequence

from docqa.questions.question import Part
from docqa.tables.lookups.cells import Answered, Placed
from docqa.tables.lookups.lookup import LEAST_FOR_ROW, Cell
from docqa.tables.lookups.query import Query
from docqa.tables.lookups.values import sentence
from docqa.tables.words import listed

MOST_UNSAID = 1  # words of a question that a row has not, which is said whole
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
    return "\n- ".join([f"{label}:", *(whole_row(placed, language) for placed in rows)]), rows


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
    return whole_row(placed, language), [placed]


def row_of_both(query: Query, before: Answered, language: str) -> Answered | None:
    """All of the row that answers the part of a question before this one, which asks for more of the same with no more
    than one word that the row has not; None where several rows answer that."""
    _, rows = before
    if len(rows) != 1 or len(_unsaid(query, rows[0])) > MOST_UNSAID:
        return None
    return whole_row(rows[0], language), rows


def row_of_same(answers: Sequence[Answered | None], language: str) -> Answered | None:
    """All of the one row that answers several parts of a question alike, of which each asks for something else."""
    rows = [placed for answer in answers if answer for placed in answer[1]]
    is_same = len(rows) == len(answers) > 1 and len({id(placed.row) for placed in rows}) == 1
    texts = {answer[0] for answer in answers if answer}
    return (whole_row(rows[0], language), rows[:1]) if is_same and len(texts) < len(rows) else None


def row_of_all(query: Query, language: str) -> Answered | None:
    """The only row whose name a question with several parts has, with a column of it and hardly a word besides,
    whole."""
    named = ((placed, place) for placed in query.candidates() for place in _named_by(query, placed))
    rows = {id(placed.row): (placed, place) for placed, place in named}
    if len(rows) != 1:
        return None
    [(placed, place)] = rows.values()
    return whole_row(placed, language, place), [placed]


def _named_by(query: Query, placed: Placed) -> list[int]:
    """The cells that name a row so that the question says its name, one of its columns, and hardly more."""
    places = []
    for place, own in placed.names.items():
        if query.label_share(placed.row.cells[place], own, placed.grid) >= LEAST_FOR_ROW:
            in_label = query.matched(placed.row.cells[place], own).keys()
            others = (name for at, name in enumerate(placed.grid.columns) if at != place)
            if any(query.matched(name).keys() - in_label for name in others):
                places.append(place)
    return places if len(_unsaid(query, placed)) <= MOST_UNSAID else []


def _unsaid(query: Query, placed: Placed) -> set[str]:
    """The words of the question that neither the row has, nor what stands over it."""
    texts = (*placed.grid.columns, *placed.row.cells, placed.row.above, placed.grid.title)
    return set(query.words).difference(listed("light", query.language), *map(query.matched, texts))


def whole_row(placed: Placed, language: str, named_by: int | None = None) -> str:
    """A row with its values, each with the name of its column, after the cell that names it: that given, its label, or
    what tells it from other rows with the label."""
    grid = placed.grid
    naming, first = grid.naming if named_by is None else named_by, 0
    if named_by is None and sum(row.cells[naming] == placed.row.cells[naming] for row in grid.rows) > 1:
        naming = next((place for place in grid.naming_places if place != naming), naming)
    elif named_by is None:
        first = naming + 1
    filled = [place for place, cell in enumerate(placed.row.cells) if place >= first and place != naming and cell]
    filled = filled or [naming]
    return sentence(Cell(placed, filled[0], named_by=naming, also=tuple(filled[1:])), language)
