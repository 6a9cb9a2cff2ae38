"""What one part of a question gets from the tables of documents: the value of a cell, several of a row, a change, the
first of a rank, the rows that are short of a target, the year in which a value was highest, a column of a roster."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise

from docqa.formats.grid_cells import CURRENCY
from docqa.languages import phrase
from docqa.questions.question import Part
from docqa.tables.lookups.arithmetic import LEAST_DERIVED, calculated, changed
from docqa.tables.lookups.beyond import beyond_range
from docqa.tables.lookups.cells import Answered, Tables, attributes, measuring
from docqa.tables.lookups.conditions import fulfilling
from docqa.tables.lookups.derived import against, by_year, periods, ranked, wants_change
from docqa.tables.lookups.lookup import Cell, is_sure, look_up, over_years, rows_alike, rows_of
from docqa.tables.lookups.query import YEAR, Alike, Query
from docqa.tables.lookups.rosters import rostered
from docqa.tables.lookups.signed import is_signed
from docqa.tables.lookups.values import is_of_money, name_of, said_of_each, sentence, value_of, with_unit
from docqa.tables.lookups.whether import said_of_cell
from docqa.tables.lookups.whole_rows import grouped, numbered
from docqa.tables.lookups.wording import words_of
from docqa.tables.phrases import tokens as question_tokens
from docqa.tables.words import codes_of, listed, spoken
from docqa.text.keys import key
from docqa.text.values import kind, quantity

MOST_TOKENS = 40
_LONGEST_TIME, _LONGEST_VALUE = 5, 40  # characters: 20.00; a longer one with a number in it says something else
SURE_LABEL = 0.75
_NUMBER = re.compile(r"(?<![^\W_])\d")  # not F2
_AMOUNT = re.compile(r"^\W*\d|[$€£¥₹%]")
_CLOCK = re.compile(r"(?<!\d)\d{1,2}\s?(?:[:.h]\s?\d\d|[ap]\.?m|h\b|uhr|点|時)", re.IGNORECASE)
_RANKS = (
    "highest",
    "lowest",
    "best",
    "worst",
    "top",
    "busiest",
    "quietest",
    "cheapest",
    "dearest",
    "fastest",
    "slowest",
)
_LOW = ("lowest", "worst", "quietest", "cheapest", "fastest")


def tokens_of(part: Part) -> list[str]:
    """The words that a part of a question is looked up by."""
    return question_tokens(part.searched if part.follows else part.text)


def own_tokens(part: Part) -> list[str]:
    """The words of a part without those of what it follows."""
    return question_tokens(part.text)


def wordings(part: Part) -> Iterator[str]:
    """The question, and the same with other names of the things in it: R&D is research and development."""
    text = part.searched if part.follows else part.text
    yield text
    for expansion in part.expansions:
        if expansion.is_name:
            yield from (text.replace(expansion.term, name) for name in expansion.means)


def naming(part: Part, tables: Tables) -> list[str]:
    """The words by which it names documents, or whom all of a document is about: the company of a report."""
    documents = [word for own in part.named.values() for term in own for word in key(term).split()]
    names = [word for name in part.claims.names for word in key(name).split()]
    return documents + [word for word in names if word in tables.subjects]


def answered(tables: Tables, part: Part, language: str, alike: Alike | None = None) -> Answered | None:
    """The answer of the tables to this part, in a language; None where they do not surely answer it.

    `alike` is what an embedder said of the words that no table has.
    """
    for text in wordings(part):
        tokens = question_tokens(text)
        if 0 < len(tokens) <= MOST_TOKENS and (answer := _answered(tables, tokens, part, language, alike)):
            return answer
    return None


def rows_listed(tables: Tables, part: Part, language: str) -> Answered | None:
    """The rows that have the values that a part names, of one that may be taken for a question of another kind: what
    Ada has to do. None where it says anything else."""
    tokens = tokens_of(part)
    if not 0 < len(tokens) <= MOST_TOKENS:
        return None
    return fulfilling(Query(tokens, part.language, tables, naming(part, tables)), part, language)


def _answered(tables: Tables, tokens: Sequence[str], part: Part, language: str, alike: Alike | None) -> Answered | None:
    named = naming(part, tables)
    if tables.rosters and (on := rostered(Query(tokens, part.language, tables, named, alike=alike), part, language)):
        return on
    if part.kind == "whether":
        changes = bool(spoken("rise", tokens, part.language) | spoken("fall", tokens, part.language))
        return calculated(tables, tokens, part, named, language, alike) or (
            _change(tokens, part, tables, named, language)
            if changes
            else said_of_cell(
                Query(tokens, part.language, tables, named, alike=alike, is_whether=True),
                part,
                language,
            )
        )
    if spoken("explaining", tokens, part.language):
        return None
    for each in tables.both_ways:
        if answer := calculated(each, tokens, part, named, language, alike):
            return answer
    ranks = {name: spoken(name, tokens, part.language) for name in _RANKS}
    in_years = _asks_for_year(tokens, part.language)
    if in_years:
        return _year_of(tokens, part, tables, named, language)
    if any(ranks.values()):
        which = listed("list", part.language) & set(tokens)
        but = frozenset(chain(*ranks.values())) - measuring(attributes(tokens, part.language))
        is_low = any(ranks[name] for name in _LOW)
        for each in tables.both_ways if which else (tables,):
            if first := _first(Query(tokens, part.language, each, named, but), is_low, language):
                return first
    for name in ("missed", "reached"):
        words = spoken(name, tokens, part.language)
        if words and (part.kind == "list" or listed("list", part.language) & set(tokens)):
            query = Query(tokens, part.language, tables, named, frozenset(words))
            if answer := _against(query, language, short=name == "missed"):
                return answer
    query = Query(tokens, part.language, tables, named, alike=alike, wants_number=part.expects == "number")
    rows = grouped(query, part, language) or numbered(query, language) or beyond_range(query, language)
    if rows := rows or (None if any(ranks.values()) else fulfilling(query, part, language)):
        return rows
    cells = _of_amounts(look_up(query), query, tokens, part)
    if cells and wants_change(tokens, words_of(cells[0].placed.row.cells[cells[0].named_by]), part.language):
        return _change(tokens, part, tables, named, language)
    if not is_sure(cells) and not any(ranks.values()) and part.kind != "list" and (several := rows_alike(query, cells)):
        return said_of_each(several, language), rows_of(several)
    if not is_sure(cells) or any(ranks.values()) and not _is_called(cells[0], chain(*ranks.values())):
        return None
    return _looked_up(query, cells[0], tokens, part, language)


def _of_amounts(cells: Sequence[Cell], query: Query, tokens: Sequence[str], part: Part) -> list[Cell]:
    """Where the question is how much, the cells in columns of amounts: no notes and no meanings of abbreviations; where
    it is how many, those that are no sums of money."""
    if spoken("count", tokens, part.language):
        return [cell for cell in cells if not is_of_money(cell)]
    if "price" not in query.attributes and not spoken("how_much", tokens, part.language):
        return list(cells)
    columns = {(id(cell.placed.grid), cell.column): cell for cell in cells}
    of_amounts = {
        place
        for place, cell in columns.items()
        if any(_AMOUNT.search(row.cells[cell.column]) for row in cell.placed.grid.rows)
    }
    return [cell for cell in cells if (id(cell.placed.grid), cell.column) in of_amounts]


def _is_called(cell: Cell, ranks: Iterable[str]) -> bool:
    """Whether words for ranks are part of the names of a cell that the question names: maximum flow."""
    names = set(key(f"{cell.placed.row.cells[cell.named_by]} {cell.heading}").split())
    return names.issuperset(ranks) and not cell.is_guess


def _looked_up(query: Query, cell: Cell, tokens: Sequence[str], part: Part, language: str) -> Answered | None:
    """The cell that is named, or that of each year; of several that may be meant those that hold what is asked for."""
    if len(query.years) > 1:
        several = over_years(query, cell)
        values = "; ".join(f"{_year(each, query)}: {value_of(each)}" for each in several)
        stop = phrase("full_stop", language)
        return (f"{name_of(cell, with_column=False)}: {values}{stop}", [cell.placed]) if several else None
    if is_signed(cell.placed) or cell.is_guess and part.expects != "number" and part.has_question_word:
        return None
    cells = [each for place in (cell.column, *cell.also) if _says_something(each := replace(cell, column=place))]
    if part.expects in ("number", "date"):
        cells = [each for each in cells if _is_of_kind(each, tokens, part)]
    if not cells or not _is_of_kind(cells[0], tokens, part):
        return None
    return sentence(replace(cells[0], also=tuple(each.column for each in cells[1:])), language), [cell.placed]


def _says_something(cell: Cell) -> bool:
    """Whether the value is a number or more than words of its row's name: not income of "income: interest"."""
    said = frozenset(words_of(cell.value))
    named = words_of(cell.placed.row.cells[cell.named_by])
    return not said or any(map(str.isdigit, cell.value)) or not said.issubset(named)


def _year(cell: Cell, query: Query) -> str:
    return next((year for year in query.years if year in cell.heading), cell.heading)


def _is_of_kind(cell: Cell, tokens: Sequence[str], part: Part) -> bool:
    """Whether the value is what is asked for: a number for "how many", words for "who" and "where", a time of the day
    for "at what time"."""
    has_digit = bool(_NUMBER.search(cell.value))
    if spoken("clock", tokens, part.language) and not _CLOCK.search(cell.value):
        return False
    if part.expects in ("person", "place"):
        return not has_digit
    if spoken("count", tokens, part.language) and CURRENCY.search(value_of(cell)):
        return any(name in tokens for name in codes_of("currency_names", part.language))  # how many euros
    if part.expects == "number" and not any(spoken(name, tokens, part.language) for name in ("count", "how_much")):
        # Its kind is a model's opinion, and may be wrong.
        return has_digit and kind(cell.value) != "date" or cell.label_share >= SURE_LABEL
    amount = quantity(cell.value) if part.expects == "date" else None
    if amount and (amount.unit or len(amount.digits) > _LONGEST_TIME):
        return False  # when was it paid: no sum
    return has_digit and len(cell.value) <= _LONGEST_VALUE or part.expects not in ("number", "date")


def _first(query: Query, lowest: bool, language: str) -> Answered | None:
    """The row at one end of a column: which product has the best margin; of several columns that of each."""
    columns: dict[int, list[Cell]] = {}
    for first in ranked(query, query.tables, lowest=lowest):
        grid = first.placed.grid
        kinds = (place for place in grid.naming_places if place != first.column and query.matched(grid.columns[place]))
        cell = Cell(first.placed, first.column, named_by=next(kinds, grid.naming))
        columns.setdefault(id(first.placed), []).append(cell)
    if not columns:
        return None
    cells = [replace(first, also=tuple(cell.column for cell in also)) for first, *also in columns.values()]
    return " ".join(sentence(cell, language) for cell in cells), [cell.placed for cell in cells]


def _asks_for_year(tokens: Sequence[str], language: str) -> bool:
    """Whether the question is in which year something was so."""
    lists, years = listed("list", language), listed("year", language)
    return any(first in lists and second in years for first, second in pairwise(tokens))


def _year_of(tokens: Sequence[str], part: Part, tables: Tables, named: Sequence[str], language: str) -> Answered | None:
    """The year in which a value was highest or lowest: in which year was revenue larger."""
    high = listed("highest", part.language) | listed("higher", part.language)
    low = listed("lowest", part.language) | listed("lower", part.language)
    spoken = f" {' '.join(tokens)} "
    is_high, is_low = (any(f" {word} " in spoken for word in some) for some in (high, low))
    if is_high == is_low:
        return None
    but = frozenset(word for some in (high, low) for phrase_ in some for word in phrase_.split())
    query = Query(tokens, part.language, tables, named, but)
    cells = look_up(Query([t for t in tokens if t not in query.years], part.language, tables, named, but))
    if not is_sure(cells) or (cell := by_year(query, cells[0], lowest=is_low)) is None:
        return None
    year = YEAR.findall(cell.heading)[0]
    return f"{year} ({name_of(cell, with_column=False)}: {value_of(cell)}){phrase('full_stop', language)}", [
        cell.placed
    ]


def _against(query: Query, language: str, *, short: bool) -> Answered | None:
    rows = against(query, query.tables, short=short)
    if not rows:
        return None
    said = phrase("phrases.tables.against", language)
    items = [
        said.format(
            row.placed.row.label,
            with_unit(row.placed.row.cells[row.column], Cell(row.placed, row.column)),
            with_unit(row.placed.row.cells[row.other], Cell(row.placed, row.other)),
        )
        for row in rows
    ]
    return "; ".join(items) + phrase("full_stop", language), [row.placed for row in rows]


def _change(tokens: Sequence[str], part: Part, tables: Tables, named: Sequence[str], language: str) -> Answered | None:
    """How a value changed from one period to another, with both values."""
    but = {word for name in ("rise", "fall", "change", "share") for word in spoken(name, tokens, part.language)}
    query = Query([token for token in tokens if token not in but], part.language, tables, named)
    plain = Query([token for token in query.text.split() if token not in query.years], part.language, tables, named)
    cells = look_up(plain)
    if not is_sure(cells, LEAST_DERIVED):
        return None
    pair = periods(query, cells[0])
    if pair is None:
        return None
    rise, fall = (bool(spoken(name, tokens, part.language)) for name in ("rise", "fall"))
    return changed(*pair, language, (rise - fall) * (part.kind == "whether"))
