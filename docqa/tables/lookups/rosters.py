"""Timetables and rosters: tables in which the same names stand again and again, in several rows and several columns.
What is asked is what a column holds, or where a name stands; what a row holds at one place is looked up as anywhere.

    Time    Monday    Tuesday
    8:00    Maths     English       "when is maths?"           →  Maths: Monday 8:00; Tuesday 9:00.
    9:00    French    Maths         "what is on on Tuesday?"   →  Tuesday: 8:00 English; 9:00 Maths.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, groupby

from docqa.formats.grids import names_in
from docqa.languages import entry, phrase
from docqa.questions.question import Part
from docqa.tables.lookups.cells import Answered, Placed
from docqa.tables.lookups.lookup import Cell, rows_of
from docqa.tables.lookups.query import Query
from docqa.text.keys import key


def rostered(query: Query, part: Part, language: str) -> Answered | None:
    """What a roster among the query's tables answers, where the question says nothing else; None for any other."""
    for rows in query.tables.rosters:
        if answer := _answered(query, part, rows, language):
            return answer
    return None


def _answered(query: Query, part: Part, rows: Sequence[Placed], language: str) -> Answered | None:
    grid = rows[0].grid
    cells = [Cell(placed, place) for placed in rows for place, _ in names_in(placed.row.cells)]
    names = {key(cell.value): said for cell in cells if (said := query.says(cell.value))}
    columns = {place: said for place, name in enumerate(grid.columns) if place and (said := query.says(name))}
    labels = {label: said for label in (placed.row.label for placed in rows) if (said := query.says(label))}
    if query.leaves_out(chain(*names.values(), *columns.values(), *labels.values())):
        return None
    within = [
        cell
        for cell in cells
        if (not columns or cell.column in columns) and (not labels or cell.placed.row.label in labels)
    ]
    if names:
        holding = [cell for cell in cells if key(cell.value) in names]
        is_asked = part.kind == "whether" or part.expects == "date" or columns and part.expects in (None, "person")
        return _where(holding, [cell for cell in holding if cell in within], part, language) if is_asked else None
    if not columns or part.kind == "whether" or part.expects not in (None, "person"):
        return None
    lines = [f"{grid.columns[place]}: {_held([cell for cell in within if cell.column == place])}" for place in columns]
    return _closed(lines, language), rows_of(within)


def _where(holding: Sequence[Cell], within: Sequence[Cell], part: Part, language: str) -> Answered | None:
    """Where the names stand, of all cells that hold them those within what the question names; all of them after no."""
    if not within and part.kind != "whether":
        return None
    lines = []
    for _, own in groupby(sorted(within or holding, key=_name_and_place), key=lambda cell: key(cell.value)):
        same = list(own)
        labels: dict[str, list[str]] = defaultdict(list)
        for cell in same:
            labels[cell.heading].append(cell.placed.row.label)
        lines.append(f"{same[0].value}: " + "; ".join(f"{name} {', '.join(each)}" for name, each in labels.items()))
    text = _closed(lines, language)
    if part.kind == "whether":
        text = f"{entry('polarity.yes' if within else 'polarity.no', language)}{phrase('full_stop', language)} {text}"
    return text, rows_of(within or holding)


def _held(cells: Sequence[Cell]) -> str:
    """What stands in these cells of a column, with the labels of the rows."""
    return "; ".join(f"{cell.placed.row.label} {cell.value}" for cell in cells)


def _name_and_place(cell: Cell) -> tuple[str, int]:
    return key(cell.value), cell.column


def _closed(lines: Iterable[str], language: str) -> str:
    return "\n".join(f"{line}{phrase('full_stop', language)}" for line in lines)
