"""The cells that a question sets beside each other: two rows in one column, one row in two columns, all rows of one.

A row or column counts as named where the question has a word for it that no other of them accounts for.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from docqa.formats.grid_cells import is_number
from docqa.formats.grids import Grid
from docqa.tables.lookups.cells import Placed
from docqa.tables.lookups.columns import column_share
from docqa.tables.lookups.lookup import LEAST_LEAD, Cell, around
from docqa.tables.lookups.query import LEAST_LABEL, YEAR, Query

MOST = 6  # rows or columns side by side
_LESS_NEAR = 0.08
LEAST_OPERANDS = 0.6  # of the question that they account for
_ASIDE = 0.05  # what rows lose that are named elsewhere than in the column for it
LEAST_WHOLE = 0.5  # the same for whole rows, of which the reader takes what is meant


@dataclass(frozen=True)
class Operands:
    """Cells side by side, in the order in which the question names them, each with the name that tells it from the
    others; `of` is the column or row that they share, `score` how much of the question they account for."""

    cells: tuple[Cell, ...]
    names: tuple[str, ...]
    of: str
    score: float
    columns: tuple[int, ...] = ()  # all that the rows have, where the question leaves open which


@dataclass(frozen=True)
class _Named:
    place: int  # of a row among the rows of its table, or of a column
    words: frozenset[str]
    share: float
    at: Mapping[str, int]  # where the question has these words

    def first(self, words: Collection[str]) -> int:
        """Where the question first has one of these words of its own."""
        return min(self.at[word] for word in words)


def operands(query: Query, *, of_numbers: bool) -> Operands | None:
    """What the question sets beside each other; None where it names no two cells, or as surely two others.

    `of_numbers`: it is ranked or reckoned with, which leaves rows the only column that has numbers."""
    rows = sorted(query.candidates(), key=lambda placed: (id(placed.grid), placed.page_number, placed.row.start))
    fitting: list[Operands] = []
    for _, of_grid in groupby(rows, key=lambda placed: id(placed.grid)):
        own = list(of_grid)
        fitting += [*_of_rows(query, own, of_numbers), *_of_columns(query, own)]
    fitting.sort(key=lambda each: -each.score)
    if not fitting or fitting[0].score < (LEAST_WHOLE if fitting[0].columns else LEAST_OPERANDS):
        return None
    values = [cell.bare for cell in fitting[0].cells]
    rivals = (each for each in fitting[1:] if each.score > fitting[0].score - LEAST_LEAD)
    return None if any([cell.bare for cell in each.cells] != values for each in rivals) else fitting[0]


def whole_column(grid: Grid, place: int, rows: Sequence[Placed]) -> tuple[Cell, ...]:
    """The cells of a column but those in rows of sums."""
    return tuple(
        Cell(placed, place)
        for placed in rows
        if placed.grid is grid and placed.row.cells[place] and not placed.is_of_sums
    )


def _of_rows(query: Query, rows: Sequence[Placed], of_numbers: bool) -> Iterator[Operands]:
    """Rows that are named, in the column that the rest of the question means."""
    matched: list[Mapping[str, float]] = []
    named: list[_Named] = []
    naming: list[int] = []
    for index, placed in enumerate(rows):
        shares = {
            place: query.label_share(placed.row.cells[place], own, placed.grid) for place, own in placed.names.items()
        }
        by = max(shares, key=lambda place: (shares[place], -place), default=0)
        matched.append(query.matched(placed.row.cells[by], placed.names.get(by)) if shares else {})
        naming.append(by)
        if shares and shares[by] >= LEAST_LABEL:
            named.append(_named(query, index, matched[index], shares[by]))
    most: dict[str, float] = {}
    for each in named:
        for word, like in matched[each.place].items():
            most[word] = max(most.get(word, 0.0), like)
    named = [replace(each, words=_own(matched[each.place], most)) for each in named]
    chosen = _told_apart([each for each in named if each.words])
    if not 2 <= len(chosen) <= MOST:
        return
    first, naming_place = rows[chosen[0].place], naming[chosen[0].place]
    in_labels = {word: like for each in chosen for word, like in matched[each.place].items()}
    columns = _shared_columns(query, [rows[each.place] for each in chosen], naming_place, in_labels, of_numbers)
    if not columns:
        yield from _whole_rows(query, [rows[each.place] for each in chosen], naming_place, in_labels)
    for place in columns:
        cells = tuple(Cell(rows[each.place], place, named_by=naming[each.place]) for each in chosen)
        over = query.matched(first.grid.columns[place])
        kinds = query.matched(first.grid.columns[naming_place])
        if query.years and not any(
            year in own for year in query.years for own in (in_labels, over, around(query, first))
        ):
            continue
        if not _has_word(in_labels, over, kinds):
            continue
        score = query.share(in_labels, over, kinds, around(query, first))
        names = tuple(cell.placed.row.cells[cell.named_by] for cell in cells)
        yield Operands(cells, names, first.grid.columns[place], score)


def _has_word(*places: Mapping[str, float]) -> bool:
    """Whether the question shares more than numbers with these places: the 12 or the 16 may be of anything."""
    return any(not word.isdecimal() or YEAR.fullmatch(word) for own in places for word in own)


def _own(matched: Mapping[str, float], most: Mapping[str, float]) -> frozenset[str]:
    """The words that name this row as well as any other: revenue is Net revenue, rather than Cost of sales."""
    return frozenset(word for word, like in matched.items() if like > most[word] - _LESS_NEAR)


def _whole_rows(
    query: Query, rows: Sequence[Placed], naming: int, in_labels: Mapping[str, float]
) -> Iterator[Operands]:
    """Rows in all their columns, where these have names."""
    grid = rows[0].grid
    columns = tuple(
        place for place, name in enumerate(grid.columns) if place != naming and name and rows[0].row.cells[place]
    )
    if len(columns) > 1:
        cells = tuple(Cell(placed, columns[0], named_by=naming) for placed in rows)
        score = query.share(in_labels, query.matched(grid.columns[naming]), around(query, rows[0]))
        score -= _ASIDE * (naming not in (0, grid.naming))
        yield Operands(cells, tuple(placed.row.cells[naming] for placed in rows), "", score, columns)


def _shared_columns(
    query: Query, rows: Sequence[Placed], naming: int, in_labels: Mapping[str, float], of_numbers: bool
) -> Sequence[int]:
    """The column that is meant, of those that have a value in each row: the named one, the only one of numbers where
    there is no other or it must be one, or the latest year's."""
    columns = rows[0].grid.columns
    filled = [
        place for place in range(len(columns)) if place != naming and all(placed.row.cells[place] for placed in rows)
    ]
    shares = {place: column_share(query, place, rows[0], in_labels) for place in filled}
    most = max(shares.values(), default=0.0)
    if most > 0:
        return [place for place in filled if shares[place] >= most - 1e-9][:1]
    numbers = [place for place in filled if all(is_number(placed.row.cells[place]) for placed in rows)]
    years = {place: max(YEAR.findall(columns[place]), default="") for place in numbers}
    if len(numbers) > 1 and all(years.values()):
        latest = max(years.values())
        numbers = [place for place in numbers if years[place] == latest]
    elif not of_numbers and numbers != filled:
        return []
    return numbers if len(numbers) == 1 else []


def _of_columns(query: Query, rows: Sequence[Placed]) -> Iterator[Operands]:
    """Columns that are named, of each row that is."""
    for placed in rows:
        own = placed.names.get(0, ())
        share = query.label_share(placed.row.label, own, placed.grid) if own else 0.0
        in_label = query.matched(placed.row.label, own) if own else {}
        if share < LEAST_LABEL or not in_label:
            continue
        headings = [query.matched(name) for name in placed.grid.columns]
        named = [
            _named(query, place, {word: like for word, like in headings[place].items() if word not in in_label}, share)
            for place in range(1, len(headings))
            if placed.row.cells[place]
        ]
        chosen = _told_apart([each for each in named if each.words])
        if not 2 <= len(chosen) <= MOST:
            continue
        over = {word: like for each in chosen for word, like in headings[each.place].items()}
        if not _has_word(in_label, over):
            continue
        cells = tuple(Cell(placed, each.place) for each in chosen)
        score = query.share(in_label, over, query.matched(placed.grid.columns[0]), around(query, placed))
        score *= 0.6 + 0.4 * min(1.0, share)
        yield Operands(cells, tuple(cell.heading for cell in cells), placed.row.label, score)


def _named(query: Query, place: int, matched: Mapping[str, float], share: float) -> _Named:
    forms = query.text.split()
    return _Named(
        place, frozenset(matched), share, {word: forms.index(word) if word in forms else len(forms) for word in matched}
    )


def _told_apart(named: Sequence[_Named]) -> list[_Named]:
    """Those that have a word of the question to themselves, the surest first to choose; in the question's order. None
    where two are named by the same words alike."""
    chosen: list[_Named] = []
    taken: set[str] = set()
    for each in sorted(named, key=lambda each: (-round(each.share, 6), -len(each.words), each.first(each.words))):
        if each.words - taken:
            chosen.append(each)
            taken |= each.words
        elif any(each.words == other.words and each.share >= other.share - 1e-9 for other in chosen):
            return []
    others = ((each, [other.words for other in chosen if other is not each]) for each in chosen)
    apart = [(each, own) for each, words in others if (own := each.words.difference(*words))]
    return [each for each, _ in sorted(apart, key=lambda pair: pair[0].first(pair[1]))]
