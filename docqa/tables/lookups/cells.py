"""The rows of the tables in a document, by the words of their cells: what a look-up searches."""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import groupby

from docqa.formats.grid_cells import is_number
from docqa.formats.grids import Grid, GridRow
from docqa.formats.page_tables import PageText, page_tables
from docqa.languages import every_word, words
from docqa.store.document_tables import StoredGrid
from docqa.tables.headings import NEAR, is_shortened, likeness
from docqa.tables.lookups.ranges import Range, apart_by_ranges, range_of
from docqa.tables.lookups.turned import turned
from docqa.tables.lookups.wording import has_letter, lettered, stem_behind_prefixes, words_of
from docqa.tables.words import totals
from docqa.text.keys import key
from docqa.text.recurring_names import recurring_names
from docqa.text.values import names_of_month

# What is measured, whatever it is called: how heavy it is, its weight, in kilograms.
ATTRIBUTES = (
    *("price", "quantity", "rating", "time_taken", "weight", "size", "power", "noise"),
    *("turnover", "profit", "per_share", "three_months", "six_months"),
)
_ALSO = {
    "price": ("price", "costs", "cheapest", "dearest"),
    "time_taken": ("time_taken", "duration"),
}  # an attribute that has the words of several lists
MOST_NAMED = 100  # rows with a word that may tell one of them
LONGEST_LIST = 2_000  # rows of a table of which those with a value are listed
LONGEST = 60  # characters of a cell that may have a value of its own, or several
MOST_TELLING = 3  # tables in which a word may name a row and tell it from the others
SAME_STEM = 0.9  # likeness of words that differ in what is written together with them
SHORTENED = 0.75  # likeness of a word and what shortens it
_LONGEST_RUN = 4
_BEGINNING = 3  # letters that two forms of a word share
_SEVERAL, _LONGEST_TITLE = 3, 100
_LONGEST_NAME = 12  # words of a cell that names its row
_PARTED = re.compile(r"[,;]\s")
_WORD = re.compile(r"[^\W\d_]{3,}")
_CAPITAL_INSIDE = re.compile(r"[a-z][A-Z]")


@cache
def _attribute_words(attribute: str, language: str) -> frozenset[tuple[str, ...]]:
    names = _ALSO.get(attribute, (attribute,))
    listed = [
        word
        for name in names
        for word in (words(f"tables.{name}", language) if language else every_word(f"tables.{name}"))
    ]
    return frozenset(tuple(key(word).split()) for word in listed)


def attributes(tokens: Sequence[str], language: str = "") -> dict[str, set[str]]:
    """What these words measure, with the words that say it; in the words of one language, or of all."""
    said: dict[str, set[str]] = {}
    taken: set[int] = set()  # places of words that belong to a longer name: earnings per share are no earnings
    for size in range(_LONGEST_RUN, 0, -1):
        inside: set[int] = set()
        for start in range(len(tokens) - size + 1):
            run, places = tuple(tokens[start : start + size]), set(range(start, start + size))
            for attribute in ATTRIBUTES:
                if run in _attribute_words(attribute, language) and not places & taken:
                    said.setdefault(attribute, set()).update(run)
                    inside |= places
        taken |= inside
    return said


def measuring(said: Mapping[str, Iterable[str]]) -> set[str]:
    """The words that say what is measured, of all that `attributes` gives."""
    return {word for own in said.values() for word in own}


@dataclass(frozen=True)
class Placed:
    """A row of a table on a page of a document."""

    document: int
    page_number: int
    grid: Grid
    row: GridRow

    @cached_property
    def names(self) -> dict[int, tuple[str, ...]]:
        """The words of the cells that may name the row, by column: its label, and other cells of a few words, but those
        of a roster."""
        return {
            place: own
            for place, cell in enumerate(self.row.cells)
            if cell
            and (place == 0 or not (self.grid.is_roster or is_number(cell)))
            and 0 < len(own := words_of(cell)) <= _LONGEST_NAME
        }

    @cached_property
    def is_of_sums(self) -> bool:
        """Whether its label, or what stands first where it has none, says that it holds sums."""
        first = next(iter(self.names.values()), ())
        return not totals().isdisjoint(first)


Answered = tuple[str, list[Placed]]  # an answer's text, and the rows that it rests on


@dataclass
class Tables:
    """All rows of the tables of one document, or of several, with the words that name them."""

    rows: list[Placed] = field(default_factory=list)
    labelled: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    spread: dict[str, int] = field(default_factory=lambda: defaultdict(int))  # how many rows a word names
    ranged: dict[int, Range] = field(default_factory=dict)  # rows that are labelled with a range of numbers
    apart: dict[int, tuple[int, Range]] = field(default_factory=dict)  # rows of one label: the column of their ranges
    letters: set[tuple[str, str]] = field(default_factory=set)  # that stand alone behind a word: tier a
    known: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # words by their beginning
    stems: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # words by what prefixes leave of them
    glued: dict[str, list[str]] = field(default_factory=dict)  # words that capitals part by how they are typed: crcl
    subjects: set[str] = field(default_factory=set)  # of names on many pages: whose report it is
    turned: "Tables | None" = None  # those whose columns are things, with these as rows
    are_things: bool = False  # it is such tables

    @property
    def both_ways(self) -> "tuple[Tables, ...]":
        """These, and those among them whose columns are things turned round."""
        return (self, self.turned) if self.turned else (self,)

    @cached_property
    def rosters(self) -> list[list[Placed]]:
        """The rows of each roster among them."""
        of_tables = (list(rows) for _, rows in groupby(self.rows, key=lambda placed: id(placed.grid)))
        return [rows for rows in of_tables if rows[0].grid.is_roster]

    @cached_property
    def groups(self) -> list[tuple[str, list[Placed]]]:
        """The rows that stand together under a label, with it."""
        rows: dict[tuple[int, str], list[Placed]] = {}
        for placed in self.rows:
            if placed.row.above:
                rows.setdefault((id(placed.grid), placed.row.above), []).append(placed)
        return [(label, group) for (_, label), group in rows.items()]

    @classmethod
    def of(cls, document: int, pages: Iterable[tuple[int, str]]) -> "Tables":
        """The tables on these pages, (page number, text) in order."""
        pages = list(pages)
        made, rows = page_tables(PageText(*page) for page in pages)
        grids: list[StoredGrid] = []
        for number, located in groupby(rows, key=lambda pair: pair[1].table):
            own, table = list(located), made[number]
            cells = tuple(GridRow(row.start, row.end, tuple(json.loads(row.cells)), row.above) for _, row in own)
            grid = Grid(cells[0].start, cells[-1].end, table.title, table.before, table.headings, table.scale, cells)
            grids.append(StoredGrid(grid, tuple(page_number for page_number, _ in own)))
        return cls.stored(document, grids, recurring_names([text for _, text in pages]))

    @classmethod
    def stored(cls, document: int, grids: Iterable[StoredGrid], names: Iterable[str]) -> "Tables":
        """These tables of a document with these names on many of its pages."""
        tables, things = cls(), cls(are_things=True)
        for stored in grids:
            tables._add(document, stored)
            if grid := turned(stored.grid):
                things._add(document, StoredGrid(grid, stored.page_numbers[:1] * len(grid.rows)))
        tables.subjects = things.subjects = set(names) - tables._telling()
        tables.turned = things if things.rows else None
        return tables

    def _add(self, document: int, stored: StoredGrid) -> None:
        grid = stored.grid
        ranges = [range_of(row.label) for row in grid.rows]
        is_ranged = sum(bounds is not None for bounds in ranges) > 1
        first = len(self.rows)
        self.apart |= {first + at: own for at, own in apart_by_ranges([row.cells for row in grid.rows]).items()}
        for page_number, row, bounds in zip(stored.page_numbers, grid.rows, ranges, strict=True):
            placed = Placed(document, page_number, grid, row)
            index = len(self.rows)
            self.rows.append(placed)
            if is_ranged and bounds is not None:
                self.ranged[index] = bounds
            naming = {word for own in placed.names.values() for word in own}
            naming |= {f"~{attribute}" for own in placed.names.values() for attribute in attributes(own)}
            for word in naming:
                self.labelled[word].append(index)
                self.spread[word] += 1
        texts = (
            grid.title,
            *grid.columns,
            *(row.above for row in grid.rows),
            *(c for row in grid.rows for c in row.cells),
        )
        for heading, *cells in zip(grid.columns, *(row.cells for row in grid.rows), strict=True):
            for cell in filter(has_letter, cells):
                self.letters |= lettered(cell) | lettered(f"{heading} {cell}")
        for text in texts:
            for word in key(text).split():
                self.known[word[:_BEGINNING]].add(word)
                if stem := stem_behind_prefixes(word):
                    self.stems[stem].add(word)
            for word in filter(_CAPITAL_INSIDE.search, _WORD.findall(text)):
                self.glued[key(word.casefold()).split()[0]] = key(word).split()

    def _telling(self) -> set[str]:
        """The words that tell tables and columns apart: of several titles or headings."""
        grids_ = {id(placed.grid): placed.grid for placed in self.rows}.values()
        texts = {text for grid in grids_ for text in (*grid.columns[1:], grid.title[-_LONGEST_TITLE:]) if text}
        counts = Counter(word for text in texts for word in set(key(text).split()))
        return {word for word, count in counts.items() if count >= _SEVERAL}

    def joined(self, others: "Sequence[Tables]") -> "Tables":
        """These tables and others as one."""
        whole = Tables(are_things=self.are_things)
        for tables in (self, *others):
            shift = len(whole.rows)
            whole.subjects |= tables.subjects
            whole.rows += tables.rows
            whole.ranged |= {shift + place: bounds for place, bounds in tables.ranged.items()}
            whole.apart |= {shift + place: own for place, own in tables.apart.items()}
            for word, places in tables.labelled.items():
                whole.labelled[word] += [shift + place for place in places]
                whole.spread[word] += tables.spread[word]
            whole.glued |= tables.glued
            whole.letters |= tables.letters
            for beginning, known_words in tables.known.items():
                whole.known[beginning] |= known_words
            for stem, known_words in tables.stems.items():
                whole.stems[stem] |= known_words
        if things := [tables.turned for tables in (self, *others) if tables.turned]:
            whole.turned = things[0].joined(things[1:])
        return whole

    def forms(self, word: str, language: str) -> dict[str, float]:
        """The words of these tables that are forms of a word, with their likeness; else those of headings and labels
        that it shortens, or that shorten it."""
        others = self.known.get(word[:_BEGINNING], ())
        forms = {other: like for other in others if (like := likeness(word, other, language)) >= NEAR}
        forms |= {other: SAME_STEM for other in self.stems.get(stem_behind_prefixes(word), ()) if other != word}
        forms |= {name: 1.0 for name in names_of_month(word) if name in self.known.get(name[:_BEGINNING], ())}
        return forms or {other: SHORTENED for other in others if other in self._naming and is_shortened(word, other)}

    @cached_property
    def _naming(self) -> set[str]:
        """The words of headings, and of the cells that may name a row."""
        headings = {name for placed in self.rows for name in placed.grid.columns}
        return {word for name in headings for word in key(name).split()} | self.labelled.keys()

    def tells_apart(self, word: str, grid: Grid) -> bool:
        """Whether a word names one row only of this table, and stands in few others."""
        places = self.labelled.get(word, ())
        if len(places) > MOST_NAMED:
            return False
        of_word = Counter(id(self.rows[at].grid) for at in places)
        return of_word[id(grid)] == 1 and len(of_word) <= MOST_TELLING

    @cached_property
    def by_grid(self) -> dict[int, list[Placed]]:
        """The rows of each table by its `id`."""
        return {place: list(rows) for place, rows in groupby(self.rows, key=lambda placed: id(placed.grid))}

    @cached_property
    def values(self) -> dict[str, set[tuple[int, int, str]]]:
        """The short values of cells, those that are listed in one each by itself, by their words: the `id` of a table
        that is no longer than a list, the column, the value."""
        values: dict[str, set[tuple[int, int, str]]] = defaultdict(set)
        for grid, rows in self.by_grid.items():
            if len(rows) > LONGEST_LIST:
                continue
            for place in range(len(rows[0].grid.columns)):
                cells = {placed.row.cells[place] for placed in rows}
                for value in {part.strip() for cell in cells if len(cell) <= LONGEST for part in _PARTED.split(cell)}:
                    for word in words_of(value):
                        values[word].add((grid, place, value))
        return values

    def weight(self, word: str) -> float:
        """How much a word tells rows apart: 1 for one that names few of them."""
        rows = len(self.rows)
        return 0.3 + 0.7 * math.log((rows + 1) / (self.spread.get(word, 0) + 1)) / math.log(rows + 1) if rows else 1.0
