"""Timetables and rosters: tables in which the same names stand again and again, in several rows and several columns.
What is asked is what a column holds, or where a name stands; what a row holds at one place is looked up as anywhere.

    Time    Monday    Tuesday
    8:00    Maths     English       "when is maths?"           →  Maths: Monday 8:00; Tuesday 9:00.
    9:00    French    Maths         "what is on on Tuesday?"   →  Tuesday: 8:00 English; 9:00 Maths.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, groupby, pairwise
from typing import NamedTuple

from docqa.formats.grids import names_in
from docqa.languages import entry, phrase
from docqa.questions.question import Part
from docqa.tables.lookups.arithmetic import Answered
from docqa.tables.lookups.cells import Placed, words_of
from docqa.tables.lookups.query import Query
from docqa.tables.words import listed
from docqa.text.keys import key

SHORTEST = 2  # letters of a weekday


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
    names = {key(name): said for _, _, name in cells if (said := _said(query, name))}
    columns = {place: said for place, name in enumerate(grid.columns) if place and (said := _said(query, name))}
    labels = {label: said for label in (placed.row.label for placed in rows) if (said := _said(query, label))}
    if _leaves_out(query, chain(*names.values(), *columns.values(), *labels.values())):
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


def _said(query: Query, name: str) -> set[str]:
    """The words of the question that say a name; none where they do not say all of it."""
    said = [
        {word for word in query.words if own in query.forms[word] or _is_short(own, word, query)}
        for own in words_of(name)
    ]
    return set().union(*said) if all(said) else set()


def _is_short(name: str, word: str, query: Query) -> bool:
    """Whether a heading is the beginning of a weekday that the question names: Tue, Di."""
    days = {day for code in ("en", query.language) for day in entry("tables.weekday_names", code) or ()}
    return len(name) >= SHORTEST and word in days and word.startswith(name)


def _leaves_out(query: Query, said: Iterable[str]) -> bool:
    """Whether the question says more than these words: beside them it may say what the names are, "which lessons"."""
    kinds = {noun for word, noun in pairwise(query.text.split()) if word in listed("list", query.language)}
    return not set(query.words) - kinds <= set(said)


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
