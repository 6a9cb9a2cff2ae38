"""All rows that fulfil what a question says of a column, or of several.

Day        Course    Room
Monday     Pottery   attic
Wednesday  Weaving   barn
Wednesday  Drawing   attic       "what is on on Wednesdays?"  →  Wednesday: Weaving, barn; Drawing, attic.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from docqa.formats.grid_cells import is_number
from docqa.formats.grids import Grid
from docqa.languages import phrase
from docqa.questions.question import Part
from docqa.tables.lookups.cells import Answered, Placed
from docqa.tables.lookups.lookup import Cell
from docqa.tables.lookups.query import Query
from docqa.tables.lookups.ranges import range_of
from docqa.tables.lookups.values import sentence
from docqa.tables.lookups.wording import words_of
from docqa.tables.words import listed
from docqa.text.keys import key
from docqa.text.values import kind

LEAST_ROWS, MOST_ROWS = 2, 20
MOST_TABLES, MOST_SEARCHED = 3, 40
MOST_WORDS = 50  # of all rows; of more only what names them and what the question names is said
_SHORTEST = 3  # letters of a value that needs no heading beside it


@dataclass(frozen=True)
class _Condition:
    place: int
    value: str
    said: frozenset[str]  # words of the question


def fulfilling(query: Query, part: Part, language: str) -> Answered | None:
    """The rows of a table in which the cells have the values that the question names, where it says nothing else but
    what the table's headings and title say, and those of a few other tables that have them too; None where there are
    not several such rows."""
    if part.kind == "whether" or part.expects == "number" or not query.words:
        return None
    chosen: list[tuple[list[_Condition], list[Placed]]] = []
    for rows in _with_values(query):
        conditions = _longest(_conditions(query, rows))
        if not conditions or query.leaves_out(_accounted(query, rows, conditions)):
            continue
        own = [placed for placed in rows if _fulfils(placed, conditions)]
        if 0 < len(own) < len(rows):
            chosen.append((conditions, own))
    most = max((_headed(query, own) for _, own in chosen), default=0)
    chosen = [(conditions, own) for conditions, own in chosen if _headed(query, own) == most]
    several = [own for own in chosen if len(own[1]) >= LEAST_ROWS]
    chosen = chosen if _are_of_one(chosen) else several if len(several) == 1 else []
    rows = [placed for _, own in chosen for placed in own]
    lists = [_listed(query, part, conditions, own, language) for conditions, own in chosen]
    return ("\n\n".join(lists), rows) if LEAST_ROWS <= len(rows) <= MOST_ROWS and all(lists) else None


def _headed(query: Query, rows: Sequence[Placed]) -> int:
    """How many words of the question stand over the columns: which clubs are free, of a table of clubs."""
    return len({word for heading in rows[0].grid.columns for word in query.matched(heading)})


def _are_of_one(chosen: Sequence[tuple[Sequence[_Condition], Sequence[Placed]]]) -> bool:
    """Whether a few tables have the same value, the only one, that labels no row: who is to do something."""
    values = {(len(conditions), key(each.value)) for conditions, _ in chosen for each in conditions}
    is_beside = all(each.place > 0 for conditions, _ in chosen for each in conditions)
    return len(values) == 1 and is_beside and 1 < len(chosen) <= MOST_TABLES


def _with_values(query: Query) -> Iterator[list[Placed]]:
    """The rows of each table that has a word of the question among its values; none where too many tables do."""
    forms = (form for word in query.words for form in query.forms[word])
    grids = {grid for form in forms for grid, *_ in query.tables.values.get(form, ())}
    if len(grids) <= MOST_SEARCHED:
        yield from (rows for grid, rows in query.tables.by_grid.items() if grid in grids)


def _conditions(query: Query, rows: Sequence[Placed]) -> Iterator[_Condition]:
    """The values of these rows that the question names: one in words wherever it stands, a number or a letter where it
    names the column too. What labels a row elsewhere is that row."""
    grid = rows[0].grid
    if grid.is_roster or not any(grid.columns):
        return
    forms = {form for word in query.words for form in query.forms[word]}
    values = sorted({own for form in forms for own in query.tables.values.get(form, ()) if own[0] == id(grid)})
    headed = {word for heading in grid.columns for word in query.matched(heading)}
    for _, place, value in values:
        said, heading = query.says(value), grid.columns[place]
        is_name = not is_number(value) and len("".join(filter(str.isalpha, value))) >= _SHORTEST
        is_said = said - headed and (is_name or query.matched(heading).keys() - said)
        if is_said and not range_of(value) and not _is_label(query, value, grid):
            yield _Condition(place, value, frozenset(said))


def _is_label(query: Query, value: str, grid: Grid) -> bool:
    """Whether a row of another table has this value as its label."""
    own = words_of(value)
    rows = (query.tables.rows[at] for at in query.tables.labelled.get(own[0], ()))
    return any(placed.grid is not grid and words_of(placed.row.label) == own for placed in rows)


def _longest(conditions: Iterable[_Condition]) -> list[_Condition]:
    """The conditions without those whose words are a part of another one's: flammable of highly flammable."""
    own = list(conditions)
    return [each for each in own if not any(each.said < other.said for other in own)]


def _accounted(query: Query, rows: Sequence[Placed], conditions: Sequence[_Condition]) -> set[str]:
    grid = rows[0].grid
    texts = (*grid.columns, grid.title, *{placed.row.above for placed in rows})
    light = listed("light", query.language) & set(query.words)
    return set(light).union(*map(query.matched, texts), *(each.said for each in conditions))


def _fulfils(placed: Placed, conditions: Sequence[_Condition]) -> bool:
    """Whether the row has, in each column of a condition, one of the values named there, be it among others."""
    by_place: Mapping[int, list[_Condition]] = {
        each.place: [other for other in conditions if other.place == each.place] for each in conditions
    }
    return all(
        any(set(words_of(each.value)) <= set(words_of(placed.row.cells[place])) for each in own)
        for place, own in by_place.items()
    )


def _listed(query: Query, part: Part, conditions: Sequence[_Condition], rows: Sequence[Placed], language: str) -> str:
    """The rows under the values that they share, each by its name with what else it has; of many or long rows only what
    the question names; nothing where no column names them, as in accounts."""
    grid = rows[0].grid
    places = {each.place for each in conditions}
    others = [place for place, name in enumerate(grid.columns) if place not in places and name]
    of_table = query.tables.by_grid[id(grid)]
    kinds = [place for place in others if query.matched(grid.columns[place]) and _are_names(rows, place)]
    naming = kinds + [place for own in (of_table, rows) for place in others if _names(own, place)]
    if not naming:
        return ""
    name = naming[0]
    beside = [place for place in others if place != name]
    lines = [_row(placed, name, beside, language) for placed in rows]
    if sum(len(line.split()) for line in lines) > MOST_WORDS:
        beside = [place for place in beside if place and _is_named(query, part, rows, place)]
        lines = [_row(placed, name, beside, language) for placed in rows]
    said = {
        each.value if not is_number(each.value) else f"{grid.columns[each.place]} {each.value}" for each in conditions
    }
    return "\n- ".join([f"{', '.join(sorted(said))}:", *lines])


def _names(rows: Sequence[Placed], place: int) -> bool:
    """Whether the cells there are names that tell the rows apart."""
    return len({placed.row.cells[place] for placed in rows}) == len(rows) and _are_names(rows, place)


def _are_names(rows: Sequence[Placed], place: int) -> bool:
    """Whether most cells there are words, and no codes."""
    return 2 * sum(_is_name(placed.row.cells[place]) for placed in rows) > len(rows)


def _is_name(cell: str) -> bool:
    return any(word.isalpha() and len(word) > 1 for word in key(cell).split()) and not _is_code(cell)


def _is_code(cell: str) -> bool:
    return any(map(str.isdigit, cell)) and len(cell.split()) == 1 or kind(cell) == "date"


def _is_named(query: Query, part: Part, rows: Sequence[Placed], place: int) -> bool:
    cells = [placed.row.cells[place] for placed in rows]
    if part.expects == "date" and all(kind(cell) == "date" for cell in cells if cell):
        return True
    return bool(query.matched(rows[0].grid.columns[place]))


def _row(placed: Placed, name: int, beside: Sequence[int], language: str) -> str:
    filled = [place for place in beside if placed.row.cells[place]]
    if not filled:
        return f"{placed.row.cells[name]}{phrase('full_stop', language)}"
    return sentence(Cell(placed, filled[0], named_by=name, also=tuple(filled[1:])), language)
