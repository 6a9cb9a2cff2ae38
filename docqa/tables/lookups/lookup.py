"""Look-ups in the tables of documents: which row, which column, and whether the question asks for that at all.

A row is found by the words that its label shares with the question, the column by those that are left: a year, a
quarter, a region. It answers only where nearly all that the question says is accounted for by the row's label, the
column's heading and what stands above the table; else the passages answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from docqa.languages import every_word
from docqa.tables.lookups.cells import Placed, measuring
from docqa.tables.lookups.columns import column_meant
from docqa.tables.lookups.query import LEAST_LABEL, YEAR, Query
from docqa.tables.lookups.ranges import in_brackets, range_of
from docqa.tables.lookups.wording import words_of
from docqa.tables.words import listed, totals
from docqa.text.keys import key

LEAST_QUESTION = 0.7  # of the question's words that are accounted for
MOST_LEFT_OUT = 0.9  # how much a word may say that nothing accounts for, where rows are named alike
LEAST_ALIKE, ALIKE, MOST_ROWS = 0.65, 0.15, 5  # of rows that are named alike
LEAST_FOR_ROW = 0.9  # of a label, for several values of its row
LEAST_AGREED = 3  # tables that give one value
LEAST_LEAD = 0.04  # before the next row with another value
_IN_ABOVE, _IN_TITLE, _IN_PROSE, _IN_BEFORE = 0.9, 0.8, 0.5, 0.3
_SIGNS = str.maketrans("", "", "$€£¥₹")
_ASIDE = 0.03  # what a row loses that is named by another cell than its label
_OF_A_PART = 0.06  # what a table of a segment loses where the question names none
_LONGEST_HEADING = 160  # characters above a table; what is longer speaks of other things too


@dataclass(frozen=True)
class Cell:
    """A row, the cell that names it and the one that was chosen.

    `score` says how much of the question the two account for, `label_share` how much of the name the question has;
    `is_guess` marks a column that the question leaves open.
    """

    placed: Placed
    column: int
    score: float = 1.0
    label_share: float = 1.0
    is_guess: bool = False
    named_by: int = 0
    also: tuple[int, ...] = ()  # further columns that the question may mean as well
    left_out: float = 0.0  # how much the word says that says most of those that nothing accounts for
    is_named: bool = False  # the question has words of the column's heading that the name of the row has not
    apart: int = -1  # the column by whose range the question tells the row from others with its label

    @property
    def value(self) -> str:
        """What stands there."""
        return self.placed.row.cells[self.column]

    @property
    def bare(self) -> str:
        """The same without spaces and signs of currencies, which one table has and another leaves out."""
        return "".join(self.value.translate(_SIGNS).split())

    @property
    def heading(self) -> str:
        """What stands over it."""
        return self.placed.grid.columns[self.column]


def cell_of(query: Query, placed: Placed, column: int | None = None) -> Cell | None:
    """The best cell of a row, or that in a `column`; None where the question leaves its column open, or names a
    year that is not there."""
    row, grid = placed.row, placed.grid
    shares = {place: query.label_share(row.cells[place], own, grid) for place, own in placed.names.items()}
    named_by = max(shares, key=lambda place: (shares[place], -place), default=0)
    if id(placed) in query.within:
        shares[0], named_by = 1.0, 0
    in_label = query.matched(row.cells[named_by], placed.names.get(named_by))
    if id(placed) in query.within:
        reaching = listed("after", query.language) | listed("since", query.language)  # after 4 years
        in_label = in_label | {
            word: 1.0 for word in query.words if word in query.within[id(placed)] or word in reaching
        }
    if not in_label or not shares[named_by]:
        return None
    apart, in_range = query.within_cell.get(id(placed), (-1, set()))
    in_range = in_range | _within_brackets(query, row.cells[named_by])
    if apart < 0 and (id(grid), row.label) in query.told_apart:
        return None  # the question's number is in the range of another row with this label
    filled = [place for place, cell in enumerate(row.cells) if any(map(str.isalnum, cell)) or query.is_whether and cell]
    columns = [place for place in filled if place not in (named_by, apart)]
    columns = [place for place in columns if place or not grid.columns[place] or named_by]
    if column is not None:
        columns = [place for place in columns if place == column]
    if not columns:
        return None
    chosen, is_guess, is_named = column_meant(query, placed, columns, in_label)
    if not chosen or (len(chosen) > 1 and shares[named_by] < LEAST_FOR_ROW):
        return None
    column, *others = chosen
    beside = {
        word: like
        for place in placed.names
        if place not in (column, named_by)
        for word, like in query.matched(row.cells[place], placed.names[place]).items()
    }
    over = query.matched(grid.columns[named_by])
    for place in chosen:
        over = over | query.matched(grid.columns[place])
        over = over | dict.fromkeys(query.within_heading(grid.columns, place), 1.0)
    inside = query.matched(row.cells[column]) | query.matched(row.cells[named_by]) | query.lasting(row.cells[column])
    above = around(query, placed)
    places: tuple[Mapping[str, float], ...] = (in_label, over, above, beside, inside, dict.fromkeys(in_range, 1.0))
    if query.years and not any(year in own for year in query.years for own in places):
        return None
    if len(query.years) > 1:  # each of them is looked up in its turn
        places = (*places, dict.fromkeys(query.years, 1.0))
    if id(placed) in query.within and query.is_of_another(grid):
        return None
    if set(placed.names[named_by]) <= totals() and not _is_total_of(query, over, above):
        return None
    score = query.share(*places)
    share = shares[named_by]
    score *= 0.6 + 0.4 * share
    for name, loss in ((grid.columns[column], 0.015), (row.cells[named_by], 0.01)):
        own, had = words_of(name), query.had(words_of(name))
        score -= loss * min(6, sum(word not in had and not word.isdecimal() for word in own))
    score -= _ASIDE * (named_by not in (0, grid.naming))
    is_share = "%" in row.cells[named_by] or "%" in row.cells[column]
    if query.wants_share != is_share and (query.wants_share or "%" in row.cells[named_by]):
        score -= _OF_A_PART
    if _parts_named(grid.title) and not query.matched(grid.title).keys() - in_label.keys():
        score -= _OF_A_PART
    return Cell(
        placed,
        column,
        score,
        share,
        is_guess,
        named_by,
        tuple(others),
        query.left_out(*places),
        is_named and not others,
        apart,
    )


def _within_brackets(query: Query, name: str) -> set[str]:
    """The words of the question's number that lies within a range that a name has in brackets: child (3 to 11)."""
    ranges = ((text, range_of(text)) for text in in_brackets(name))
    return set().union(*(query.within_bounds(f"{name} {text}", bounds) for text, bounds in ranges if bounds))


@lru_cache(4096)
def _parts_named(title: str) -> frozenset[str]:
    """The words of a title that say that a table is of a part of the whole: a segment, a division."""
    return frozenset(key(title).split()) & {word for part in every_word("tables.segment") for word in key(part).split()}


def around(query: Query, placed: Placed) -> dict[str, float]:
    """The question's words that stand above a row or its table, with how much they count there."""
    grid = placed.grid
    above = _IN_TITLE if len(grid.title) < _LONGEST_HEADING else _IN_PROSE
    return {
        **{word: _IN_BEFORE * like for word, like in query.matched(grid.before).items()},
        **{word: above * like for word, like in query.matched(grid.title).items()},
        **{word: _IN_ABOVE * like for word, like in query.matched(placed.row.above).items()},
    }


def _is_total_of(query: Query, *places: Mapping[str, float]) -> bool:
    """Whether all that the question says besides, if anything, is said above a row labelled with "total" only."""
    asking = totals() | measuring(query.attributes)
    telling = [word for word in query.words if word not in asking and not YEAR.fullmatch(word)]
    return all(any(own.get(word, 0.0) >= _IN_TITLE * 0.85 for own in places) for word in telling)


def look_up(query: Query) -> list[Cell]:
    """The cells that may answer, best first."""
    cells = [cell for placed in query.candidates() if (cell := cell_of(query, placed))]
    return _agreed(sorted(cells, key=lambda cell: -cell.score))


def _agreed(cells: list[Cell]) -> list[Cell]:
    """The cells with the first replaced by what several tables have under its name, sums or not, where no other has its
    value: total sales of a subsidiary, where all statements have others."""
    fitting = [cell for cell in cells if cell.score >= LEAST_QUESTION and _name(cell) == _name(cells[0])]
    given: dict[str, dict[int, Cell]] = {}
    for cell in fitting:
        given.setdefault(cell.bare, {}).setdefault(id(cell.placed.grid), cell)
    most = max(given.values(), key=len, default={})
    if not fitting or len(given[fitting[0].bare]) > 1 or len(most) < LEAST_AGREED:
        return cells
    return [replace(next(iter(most.values())), score=cells[0].score + 2 * LEAST_LEAD), *cells]


def _name(cell: Cell) -> frozenset[str]:
    return frozenset(cell.placed.names.get(cell.named_by, ())) - totals()


def rows_of(cells: Iterable[Cell]) -> list[Placed]:
    """The rows of some cells, each once."""
    return list({id(cell.placed.row): cell.placed for cell in cells}.values())


def is_sure(cells: Sequence[Cell], least: float = LEAST_QUESTION) -> bool:
    """Whether the first cell answers: its label and the question account for each other, and no other row does as
    well with another value."""
    if not cells or cells[0].label_share < LEAST_LABEL or cells[0].score < least:
        return False
    first = cells[0]
    return not any(
        cell.bare != first.bare and cell.score > first.score - LEAST_LEAD and not _says_more(cell, first)
        for cell in cells[1:]
    )


def rows_alike(query: Query, cells: Sequence[Cell]) -> list[Cell]:
    """The cells of a named column in a few rows of a table that the question names alike, as well as any other: the
    excess for windscreens, where repair and replacement have rows of their own; [] where there are none or many."""
    if not cells or not cells[0].is_named or cells[0].score < LEAST_ALIKE or cells[0].left_out >= MOST_LEFT_OUT:
        return []
    first, words = cells[0], _words_said(query, cells[0])
    own = [cell for cell in cells if _is_beside(cell, first) and _words_said(query, cell) == words]
    others = [cell for cell in cells if all(cell is not each for each in own)]
    is_open = any(cell.score > first.score - ALIKE for cell in others)
    own.sort(key=lambda cell: (cell.placed.page_number, cell.placed.row.start))
    names = {cell.placed.row.cells[cell.named_by] for cell in own}
    return own if 1 < len(own) == len(names) <= MOST_ROWS and not is_open else []


def _is_beside(cell: Cell, other: Cell) -> bool:
    return cell.placed.grid is other.placed.grid and (cell.column, cell.named_by) == (other.column, other.named_by)


def _words_said(query: Query, cell: Cell) -> frozenset[str]:
    return frozenset(query.matched(cell.placed.row.cells[cell.named_by], cell.placed.names.get(cell.named_by)))


def _says_more(cell: Cell, other: Cell) -> bool:
    """Whether a row of the same table is another one's with a word more: paid memberships beside memberships."""
    own, plain = (set(each.placed.names.get(each.named_by, ())) for each in (cell, other))
    return cell.placed.grid is other.placed.grid and own > plain


def over_years(query: Query, cell: Cell) -> list[Cell]:
    """The cells of the row for each of several years that the question names; [] where one of them has none."""
    cells = []
    for year in query.years:
        column = next(
            (
                place
                for place, heading in enumerate(cell.placed.grid.columns)
                if place and year in YEAR.findall(heading)
            ),
            None,
        )
        if column is None or not cell.placed.row.cells[column]:
            return []
        cells.append(replace(cell, column=column))
    return cells
