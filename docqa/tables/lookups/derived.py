"""What a question makes of the values in a table: a change, a sum, a mean, the first of a rank, what missed its target.

Every figure is computed here from values that are shown beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from docqa.formats.columns import Column
from docqa.formats.grid_cells import CURRENCY, DIGITS, MONTHS, is_number
from docqa.formats.grids import Grid
from docqa.languages import every_word
from docqa.tables.headings import heading
from docqa.tables.lookups.cells import Placed, Tables, attributes, measuring
from docqa.tables.lookups.lookup import Cell
from docqa.tables.lookups.query import YEAR, Query
from docqa.tables.words import listed, spoken
from docqa.text.keys import key
from docqa.text.values import decimal_marks, number

LEAST_COLUMN = 0.7  # of the question's words that a column and the rows' kind account for
MONEY = 0.8  # what asks for a price is near to a column of money, whatever that is called
_AS_GOOD = 0.05
MOST_ALIKE = 4  # columns of prices, or of years, of which each may be meant
_MOST_TAXES = 2  # rows below the first sum of a table


@dataclass(frozen=True)
class Ranked:
    """The row at one end of a column."""

    placed: Placed
    column: int


@dataclass(frozen=True)
class Against:
    """A row whose value in one column is short of, or beyond, that in another."""

    placed: Placed
    column: int
    other: int


def amount(cell: str, grid: Grid) -> Decimal | None:
    """The number in a cell of a table, negative in brackets or after a minus; None where there is none, or more than
    one."""
    runs = DIGITS.findall(cell)
    if len(runs) != 1 or not is_number(cell):
        return None
    digits = runs[0].replace(" ", "").replace("\u00a0", "").replace("\u202f", "")
    marks = decimal_marks(digits)
    if not marks:
        return None
    value = number(digits, grid.decimal_mark if grid.decimal_mark in marks else next(iter(marks)))
    before = cell[: cell.index(runs[0])]
    return -value if "(" in before or any(sign in before for sign in "-−–") else value


def value(cell: Cell) -> Decimal | None:
    """The number in a chosen cell."""
    return amount(cell.value, cell.placed.grid)


def periods(query: Query, cell: Cell) -> tuple[Cell, Cell] | None:
    """The row's cells of the earlier and the later period that a question about a change means: those of its two
    years, of its year and the one before, or of the two latest."""
    columns: dict[str, int] = {}
    kind = _without_dates(cell.heading)
    places = sorted(
        range(len(cell.placed.grid.columns)),
        key=lambda place: (_without_dates(cell.placed.grid.columns[place]) != kind, place),
    )
    for place in places:
        own = YEAR.findall(cell.placed.grid.columns[place])
        if place and len(own) == 1 and amount(cell.placed.row.cells[place], cell.placed.grid) is not None:
            columns.setdefault(own[0], place)
    years = sorted(columns)
    if len(query.years) >= 2:
        wanted = sorted(query.years)
        chosen = [wanted[0], wanted[-1]]
    elif query.years:
        chosen = [str(int(query.years[0]) - 1), query.years[0]]
    else:
        chosen = years[-2:]
    if len(chosen) < 2 or any(year not in columns for year in chosen):
        return None
    first, last = (replace(cell, column=columns[year]) for year in chosen)
    return first, last


def _without_dates(heading: str) -> frozenset[str]:
    """The words of a heading that do not only say when: Six Months Ended, of Six Months Ended July 29, 2023."""
    return frozenset(word for word in key(heading).split() if not any(map(str.isdigit, word)) and word not in MONTHS)


def fitting_columns(query: Query, tables: Tables, *, adds_up: bool = False) -> tuple[Grid | None, list[int]]:
    """The table with the columns of numbers that the question names, with what the rows are, those that fit equally
    well; none where columns of several tables do. `adds_up`: no column of what one thing costs, nor of other rates."""
    scores: list[tuple[float, Grid, int]] = []
    for grid in _grids(tables):
        for place in range(1, len(grid.columns)):
            if adds_up and not _adds_up(grid.columns[place]):
                continue
            if (score := _column_score(query, grid, place)) < LEAST_COLUMN:
                continue
            numbers = [row for row in grid.rows if amount(row.cells[place], grid) is not None]
            if len(numbers) >= 3 and 2 * len(numbers) >= len(grid.rows):
                scores.append((score, grid, place))
    best = max((score for score, _, _ in scores), default=0.0)
    fitting = [(grid, place) for score, grid, place in scores if score >= best - _AS_GOOD]
    if not fitting or any(grid is not fitting[0][0] for grid, _ in fitting):
        return None, []
    grid, places = fitting[0][0], [place for _, place in fitting]
    is_price = "price" in query.attributes and not query.tables.are_things
    are_alike = is_price or all(YEAR.search(grid.columns[place]) for place in places)
    return (grid, places) if len(places) == 1 or are_alike and len(places) <= MOST_ALIKE else (None, [])


def ranked(query: Query, tables: Tables, *, lowest: bool) -> list[Ranked]:
    """The row with the highest or lowest value of the column that the question names; of several columns that it may
    mean that of each, of years that of the latest."""
    grid, places = fitting_columns(query, tables)
    if grid is None:
        return []
    years = {place: own for place in places if len(own := YEAR.findall(grid.columns[place])) == 1}
    if len(years) == len(places):
        places = [max(places, key=lambda place: years[place])]
    rows = _without_sums([placed for placed in tables.rows if placed.grid is grid])
    rows = [placed for placed in rows if query.matched(placed.row.above)] or rows  # the cheapest of the mains
    firsts = []
    for place in places:
        values = [(value, placed) for placed in rows if (value := amount(placed.row.cells[place], grid)) is not None]
        units = {_unit(placed.row.cells[place]) for _, placed in values}
        if values and len(units) == 1:  # ten years are longer than ninety days
            end = (min if lowest else max)(value for value, _ in values)
            firsts.append(Ranked(next(placed for value, placed in values if value == end), place))
    return firsts


def _without_sums(rows: Sequence[Placed]) -> list[Placed]:
    """The rows without those of sums, nor the taxes between them."""
    ordinary = [placed for placed in rows if not placed.is_of_sums]
    before = next((at for at, placed in enumerate(rows) if placed.is_of_sums), len(rows))
    return ordinary[:before] if len(ordinary) - before <= _MOST_TAXES < before else ordinary


def _unit(cell: str) -> str:
    """How the word beside a number begins: month and months are one."""
    return "".join(filter(str.isalpha, cell))[:3].casefold()


def by_year(query: Query, cell: Cell, *, lowest: bool) -> Cell | None:
    """The row's cell of the year in which its value was highest or lowest, among the years that the question names."""
    values: dict[str, tuple[Decimal, int]] = {}
    for place, name in enumerate(cell.placed.grid.columns):
        own = YEAR.findall(name)
        number_ = amount(cell.placed.row.cells[place], cell.placed.grid) if place and len(own) == 1 else None
        if number_ is not None and (not query.years or own[0] in query.years):
            values.setdefault(own[0], (number_, place))
    if len(values) < 2:
        return None
    _, place = (min if lowest else max)(values.values())
    return replace(cell, column=place)


def _grids(tables: Tables) -> list[Grid]:
    return list({id(placed.grid): placed.grid for placed in tables.rows}.values())


def _column_score(query: Query, grid: Grid, place: int) -> float:
    """How much of the question a column accounts for, with what the rows are called, what they stand under and the
    text above; what things are called, a word may say that no table has."""
    around = query.matched(grid.title)
    over = query.matched(grid.columns[place])
    if (price := query.attributes.get("price")) and not query.tables.are_things and _is_money(grid, place):
        over = dict.fromkeys(price, MONEY) | over
    if YEAR.fullmatch(grid.columns[place]):  # what is measured stands above the table
        asking = measuring(query.attributes)
        over = over | {word: like for word, like in around.items() if word not in asking}
    if not over:
        return 0.0
    kinds = {word: like for at in grid.naming_places for word, like in query.matched(grid.columns[at]).items()}
    kinds |= dict.fromkeys(listed("rows", query.language), 1.0)
    if query.tables.are_things:
        kinds = dict.fromkeys(query.unknown[:1], 1.0)
    parts = [query.matched(above) for above in {row.above for row in grid.rows}]
    return query.share(over, kinds, {word: 0.9 * like for word, like in around.items()}, *parts)


def _adds_up(name: str) -> bool:
    """Whether the values of a column are parts of a whole: no prices of pieces, but what is paid per month."""
    times = (every_word(f"tables.{period}") for period in ("month", "year", "week", "day"))
    own = heading(Column(name, "number"))
    return not own.is_rate or "price" in attributes(own.words) and not set().union(*times).isdisjoint(own.words)


def _is_money(grid: Grid, place: int) -> bool:
    """Whether most cells of a column have a currency."""
    return 2 * sum(bool(CURRENCY.search(row.cells[place])) for row in grid.rows) > len(grid.rows)


def against(query: Query, tables: Tables, *, short: bool) -> list[Against]:
    """The rows that are short of what stands in a column that the question names, such as a target, or beyond it."""
    for grid in _grids(tables):
        for place in range(1, len(grid.columns)):
            over = query.matched(grid.columns[place])
            kinds = query.matched(grid.columns[0])
            if not over or not kinds or query.share(over, kinds) < LEAST_COLUMN:
                continue
            other = _measured(grid, place)
            if other is None:
                continue
            rows = [
                Against(placed, other, place)
                for placed in tables.rows
                if placed.grid is grid
                and not placed.is_of_sums
                and (own := amount(placed.row.cells[other], grid)) is not None
                and (wanted := amount(placed.row.cells[place], grid)) is not None
                and (own < wanted if short else own >= wanted)
            ]
            return rows
    return []


def _measured(grid: Grid, place: int) -> int | None:
    """The column that is held against another: the one whose heading shares most with its heading, else the nearest
    before it."""
    own = set(key(grid.columns[place]).split())
    numeric = [
        other
        for other in range(1, len(grid.columns))
        if other != place and sum(amount(row.cells[other], grid) is not None for row in grid.rows) * 2 > len(grid.rows)
    ]
    shared = {other: len(own & set(key(grid.columns[other]).split())) for other in numeric}
    if not numeric:
        return None
    most = max(shared.values())
    fitting = [other for other in numeric if shared[other] == most]
    before = [other for other in fitting if other < place]
    return (before or fitting)[-1] if before else fitting[0]


def wants_change(tokens: Sequence[str], label: Sequence[str], language: str) -> bool:
    """Whether a question asks how a value changed, with words that are not of the row's own label."""
    said = spoken("rise", tokens, language) | spoken("fall", tokens, language) | spoken("change", tokens, language)
    return bool(said - set(label))
