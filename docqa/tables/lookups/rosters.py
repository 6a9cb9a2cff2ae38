"""Timetables and rosters: tables in which the same names stand again and again, in several rows and several columns.
What is asked is what a column holds, or where a name stands; what a row holds at one place is looked up as anywhere.

    Time    Monday    Tuesday
    8:00    Maths     English       "when is maths?"           →  Maths: Monday 8:00; Tuesday 9:00.
    9:00    French    Maths         "what is on on Tuesday?"   →  Tuesday: 8:00 English; 9:00 Maths.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, groupby
from typing import NamedTuple

from docqa.formats.grids import names_in
from docqa.languages import entry, phrase
from docqa.questions.question import Part
from docqa.tables.lookups.arithmetic import Answered
from docqa.tables.lookups.cells import Placed
from docqa.tables.lookups.query import Query
from docqa.text.keys import key


class _Cell(NamedTuple):
    """A cell with a name, in the column at `place`."""

    place: int
    placed: Placed
    name: str

    @property
    def column(self) -> str:
        """The heading of its column."""
        return self.placed.grid.columns[self.place]

    def order(self) -> tuple[str, int]:
        """By the name, then by the column."""
        return key(self.name), self.place


def rostered(query: Query, part: Part, language: str) -> Answered | None:
    """What a roster among the query's tables answers, where the question says nothing else; None for any other."""
    for rows in query.tables.rosters:
        if answer := _answered(query, part, rows, language):
            return answer
    return None


def _answered(query: Query, part: Part, rows: Sequence[Placed], language: str) -> Answered | None:
    grid = rows[0].grid
    cells = [_Cell(place, placed, name) for placed in rows for place, name in names_in(placed.row.cells)]
    names = {key(name): said for _, _, name in cells if (said := query.says(name))}
    columns = {place: said for place, name in enumerate(grid.columns) if place and (said := query.says(name))}
    labels = {label: said for label in (placed.row.label for placed in rows) if (said := query.says(label))}
    if query.leaves_out(chain(*names.values(), *columns.values(), *labels.values())):
        return None
    within = [
        cell
        for cell in cells
        if (not columns or cell.place in columns) and (not labels or cell.placed.row.label in labels)
    ]
    if names:
        holding = [cell for cell in cells if key(cell.name) in names]
        is_asked = part.kind == "whether" or part.expects == "date" or columns and part.expects in (None, "person")
        return _where(holding, [cell for cell in holding if cell in within], part, language) if is_asked else None
    if not columns or part.kind == "whether" or part.expects not in (None, "person"):
        return None
    lines = [f"{grid.columns[place]}: {_held([cell for cell in within if cell.place == place])}" for place in columns]
    return _closed(lines, language), _rows(within)


def _where(holding: Sequence[_Cell], within: Sequence[_Cell], part: Part, language: str) -> Answered | None:
    """Where the names stand, of all cells that hold them those within what the question names; all of them after no."""
    if not within and part.kind != "whether":
        return None
    lines = []
    for _, own in groupby(sorted(within or holding, key=_Cell.order), key=lambda cell: key(cell.name)):
        same = list(own)
        labels: dict[str, list[str]] = defaultdict(list)
        for cell in same:
            labels[cell.column].append(cell.placed.row.label)
        lines.append(f"{same[0].name}: " + "; ".join(f"{name} {', '.join(each)}" for name, each in labels.items()))
    text = _closed(lines, language)
    if part.kind == "whether":
        text = f"{entry('polarity.yes' if within else 'polarity.no', language)}{phrase('full_stop', language)} {text}"
    return text, _rows(within or holding)


def _held(cells: Sequence[_Cell]) -> str:
    """What stands in these cells of a column, with the labels of the rows."""
    return "; ".join(f"{cell.placed.row.label} {cell.name}" for cell in cells)


def _rows(cells: Iterable[_Cell]) -> list[Placed]:
    return list({id(cell.placed): cell.placed for cell in cells}.values())


def _closed(lines: Iterable[str], language: str) -> str:
    return "\n".join(f"{line}{phrase('full_stop', language)}" for line in lines)
