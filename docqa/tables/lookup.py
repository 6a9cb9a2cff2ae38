"""Look-ups in the tables of documents: which row, which column, and whether the question asks for that at all.

A row is found by the words that its label shares with the question, the column by those that are left: a year, a
quarter, a region. It answers only where nearly all that the question says is accounted for by the row's label, the
column's heading and what stands above the table; else the passages answer.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from docqa.formats.grid_cells import is_number
from docqa.languages import every_word, words
from docqa.tables.cells import Placed, Tables, attributes, words_of
from docqa.text.detect import is_function_word
from docqa.text.keys import key

MOST_CANDIDATES = 60
LEAST_LABEL = 0.55  # of a label's words, by weight, that the question has
LEAST_QUESTION = 0.7  # of the question's words that are accounted for
LEAST_LEAD = 0.04  # before the next row with another value
UNKNOWN = 1.0  # weight of a word that no table has
MISSED = 1.5  # how much more a word weighs that is not accounted for: it may be what is really asked
YEAR = re.compile(r"(?:19|20)\d\d")
_IN_ABOVE, _IN_TITLE, _IN_PROSE, _IN_BEFORE = 0.9, 0.8, 0.5, 0.3
_LONGEST_HEADING = 160  # characters above a table; what is longer speaks of other things too
_PHRASE = 0.03  # for each word of a label that stands in the question as it is


@cache
def listed(name: str, language: str) -> frozenset[str]:
    """The keys of a list of words about tables, of this language and of English."""
    return frozenset(key(word) for code in ("en", language) for word in words(f"tables.{name}", code))


@cache
def totals() -> frozenset[str]:
    """The words that rows of sums are labelled with."""
    return frozenset(word for name in every_word("tables.totals") for word in key(name).split())


def without_phrases(tokens: Sequence[str], plain: frozenset[str]) -> list[str]:
    """The tokens without those of a listed phrase of several."""
    left: list[str] = []
    at = 0
    while at < len(tokens):
        size = next((n for n in (4, 3, 2) if " ".join(tokens[at : at + n]) in plain and at + n <= len(tokens)), 0)
        left += tokens[at : at + 1] if not size else []
        at += size or 1
    return left


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

    @property
    def value(self) -> str:
        """What stands there."""
        return self.placed.row.cells[self.column]

    @property
    def heading(self) -> str:
        """What stands over it."""
        return self.placed.grid.columns[self.column]


Alike = Mapping[str, Mapping[str, float]]  # word of the question → name in a table → how near they are in meaning


class Query:
    """One question against the tables: its words with their weight and their forms.

    `named` are words that name the document, `but` those that say what is to be done with the values, `alike` is what
    an embedder said of the words that no table has.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        language: str,
        tables: Tables,
        named: Sequence[str] = (),
        but: frozenset[str] = frozenset(),
        alike: Alike | None = None,
    ) -> None:
        self.tables, self.language, self.text = tables, language, " ".join(tokens)
        self.named, self.alike = set(named), alike or {}
        self.attributes = attributes(tokens, language)
        measured = {word for own in self.attributes.values() for word in own}
        plain = listed("value_words", language) | but
        tokens = without_phrases(tokens, plain)
        self.words = [
            word
            for word in dict.fromkeys(tokens)
            if YEAR.fullmatch(word) or word in measured - but or not (is_function_word(word) or word in plain)
        ]
        self.forms: Mapping[str, Mapping[str, float]] = {word: tables.forms(word, language) for word in self.words}
        self.years = [word for word in self.words if YEAR.fullmatch(word)]
        self.numbers = [float(word) for word in self.words if word.isdecimal() and not YEAR.fullmatch(word)]
        self.within: set[int] = set()  # rows whose range holds a number of the question
        self.is_mine = bool(listed("mine", language) & set(tokens))

    @cached_property
    def weights(self) -> dict[str, float]:
        """How much each word says."""
        return {word: self._weight(word) for word in self.words}

    def _weight(self, word: str) -> float:
        if word in self.named:
            return 0.1
        if forms := self.forms[word]:
            return max(self.tables.weight(form) for form in forms)
        # What only asks for a measure, how heavy, says less than a name does.
        return 0.7 if any(word in own for own in self.attributes.values()) else UNKNOWN

    @cached_property
    def unknown(self) -> list[str]:
        """The words that no table has."""
        measured = {word for own in self.attributes.values() for word in own}
        return [word for word in self.words if not self.forms[word] and word not in self.named | measured]

    def matched(self, name: str, words_of_name: Sequence[str] | None = None) -> dict[str, float]:
        """The question's words that a name in a table has, in any form, or comes near in meaning, with how near."""
        own = key(name).split() if words_of_name is None else words_of_name
        same = [attribute for attribute in attributes(own) if attribute in self.attributes]
        near: dict[str, float] = {}
        for word in self.words:
            like = max((like for form, like in self.forms[word].items() if form in own), default=0.0)
            if any(word in self.attributes[attribute] for attribute in same):
                like = max(like, 0.9)
            if word in self.attributes.get("price", ()) and any(sign in name for sign in "$€£¥₹"):
                like = max(like, 0.9)
            like = max(like, self.alike.get(word, {}).get(name, 0.0))
            if like:
                near[word] = like
        return near

    def candidates(self) -> list[Placed]:
        """The rows whose names share most with the question."""
        scores: dict[int, float] = {}
        for word in self.words:
            best: dict[int, float] = {}
            forms = dict(self.forms[word])
            forms |= {f"~{attribute}": 0.8 for attribute, own in self.attributes.items() if word in own}
            for form, like in forms.items():
                for index in self.tables.labelled.get(form, ()):
                    best[index] = max(best.get(index, 0.0), like)
            for index, like in best.items():
                scores[index] = scores.get(index, 0.0) + like * self.weights[word]
        for index in self.tables.ranged:
            if self._is_within(index):
                scores[index] = scores.get(index, 0.0) + 1.0
        rows = self.tables.rows
        self.within = {id(rows[index]) for index in scores if index in self.tables.ranged and self._is_within(index)}
        ranked = sorted(
            scores, key=lambda index: (-scores[index] / (1 + 0.1 * len(rows[index].names.get(0, ()))), index)
        )
        return [rows[index] for index in ranked[:MOST_CANDIDATES]]

    def _is_within(self, index: int) -> bool:
        low, high = self.tables.ranged[index]
        return any(low <= value <= high for value in self.numbers)

    def had(self, own: Sequence[str]) -> set[str]:
        """Which words of a name the question has, in any form, or asks for as a measure."""
        forms = {form for word in self.words for form in self.forms[word]}
        measured = (said for attribute, said in attributes(own).items() if attribute in self.attributes)
        return (forms & set(own)).union(*measured)

    def label_share(self, name: str, own: Sequence[str]) -> float:
        """How much of a name the question has, by weight; a little more where it stands there as it is.

        The last word before a comma is what the name is of, and counts most. A word that names one row alone is as
        good as the whole name.
        """
        plain = listed("value_words", self.language)
        telling = [word for word in own if word not in plain] or list(own)
        have = self.had(own)
        head = (words_of(name.partition(",")[0]) or own)[-1]
        weights = {word: self.tables.weight(word) * (1.5 if word == head else 1.0) for word in telling}
        total = sum(weights.values())
        share = sum(weight for word, weight in weights.items() if word in have) / total if total else 0.0
        if any(word in have and self.tables.spread.get(word) == 1 and len(word) > 3 for word in telling):
            share = max(share, LEAST_LABEL + 0.1)
        if len(own) > 1 and f" {' '.join(key(name).split())} " in f" {self.text} ":
            share += _PHRASE * len(own)
        return share

    def cell(self, placed: Placed, column: int | None = None) -> Cell | None:
        """The best cell of a row, or that in a `column`; None where the question leaves its column open, or names a
        year that is not there."""
        row, grid = placed.row, placed.grid
        shares = {place: self.label_share(row.cells[place], own) for place, own in placed.names.items()}
        named_by = max(shares, key=lambda place: (shares[place], -place), default=0)
        if id(placed) in self.within:
            shares[0], named_by = 1.0, 0
        in_label = self.matched(row.cells[named_by], placed.names.get(named_by))
        if id(placed) in self.within:
            in_label |= {word: 1.0 for word in self.words if word.isdecimal() and not YEAR.fullmatch(word)}
        if not in_label or not shares[named_by]:
            return None
        columns = [place for place, cell in enumerate(row.cells) if any(map(str.isalnum, cell)) and place != named_by]
        columns = [place for place in columns if place or not grid.columns[place] or named_by]
        if column is not None:
            columns = [place for place in columns if place == column]
        if not columns:
            return None
        column, is_guess = self._column(placed, columns, in_label)
        if column is None:
            return None
        above = _IN_TITLE if len(grid.title) < _LONGEST_HEADING else _IN_PROSE
        around = {
            **{word: _IN_BEFORE * like for word, like in self.matched(grid.before).items()},
            **{word: above * like for word, like in self.matched(grid.title).items()},
            **{word: _IN_ABOVE * like for word, like in self.matched(row.above).items()},
        }
        beside = {
            word: like
            for place in placed.names
            if place not in (column, named_by)
            for word, like in self.matched(row.cells[place], placed.names[place]).items()
        }
        over = self.matched(grid.columns[column]) | self.matched(grid.columns[named_by])
        inside = self.matched(row.cells[column]) | self.matched(row.cells[named_by])
        places: tuple[Mapping[str, float], ...] = (in_label, over, around, beside, inside)
        if self.years and not any(year in own for year in self.years for own in places):
            return None
        if len(self.years) > 1:  # each of them is looked up in its turn
            places = (*places, dict.fromkeys(self.years, 1.0))
        if set(placed.names[named_by]) <= totals() and not self._is_total_of(over, around):
            return None
        score = self.share(*places)
        share = shares[named_by]
        score *= 0.6 + 0.4 * share
        for name, loss in ((grid.columns[column], 0.015), (row.cells[named_by], 0.01)):
            own, had = words_of(name), self.had(words_of(name))
            score -= loss * min(6, sum(word not in had and not word.isdecimal() for word in own))
        return Cell(placed, column, score, share, is_guess, named_by)

    def _is_total_of(self, *places: Mapping[str, float]) -> bool:
        """Whether all that the question says besides is said above a row that is labelled with "total" only."""
        telling = [word for word in self.words if word not in totals() and not YEAR.fullmatch(word)]
        return bool(telling) and all(any(own.get(word, 0.0) >= _IN_TITLE * 0.85 for own in places) for word in telling)

    def share(self, *places: Mapping[str, float]) -> float:
        """How much of the question is accounted for by what it shares with these places."""
        got = total = 0.0
        for word, weight in self.weights.items():
            like = max(own.get(word, 0.0) for own in places)
            got += weight * like
            total += weight * (1.0 if like or word in self.named else MISSED)
        return got / total if total else 0.0

    def _column(self, placed: Placed, columns: Sequence[int], in_label: Mapping[str, float]) -> tuple[int | None, bool]:
        """(the column that the question means, whether that is a guess)."""
        cells = placed.row.cells
        if any(f" {word} " in f" {self.text} " for word in listed("or", self.language)):
            offered = [place for place in columns if f" {key(cells[place])} " in f" {self.text} "]
            if len(offered) == 1:
                return offered[0], False
        shares = {place: self._column_share(place, placed, in_label) for place in columns}
        most = max(shares.values())
        tied = [place for place in columns if shares[place] >= most - 1e-9]
        if len(tied) == 1:
            return tied[0], False
        place, is_guess = self._default(placed, tied)
        return place, is_guess and most <= 0

    def _column_share(self, place: int, placed: Placed, in_label: Mapping[str, float]) -> float:
        name = placed.grid.columns[place]
        heading = key(name).split()
        own = self.matched(name)
        share = sum(
            self.weights[word] * like * (1.5 if YEAR.fullmatch(word) else 1.0)
            for word, like in own.items()
            if word not in in_label
        )
        if self.is_mine and listed("yours", self.language) & set(heading):
            share += 0.5  # what is mine to the reader is yours to the text
        # Of two headings that fit alike the one is meant that says less beside; a year says least.
        beside = [word for word in heading if word not in self.had(heading)]
        return share - sum(self._beside(word) for word in beside) * (share > 0)

    def _beside(self, word: str) -> float:
        """How much a heading loses by a word that the question does not have: most by a further year."""
        return (0.3 if self.years else 0.01) if YEAR.fullmatch(word) else 0.01 if word.isdecimal() else 0.02

    def _default(self, placed: Placed, tied: Sequence[int]) -> tuple[int | None, bool]:
        """(one of columns that fit alike, whether that is a guess): the only one of numbers, or the latest period."""
        numbers = [place for place in tied if is_number(placed.row.cells[place])]
        if len(numbers) == 1:
            return numbers[0], False
        years = {place: YEAR.findall(placed.grid.columns[place]) for place in tied}
        if all(years.values()):
            latest = max(max(own) for own in years.values())
            return next(place for place in tied if latest in years[place]), True
        return None, False


def look_up(query: Query) -> list[Cell]:
    """The cells that may answer, best first."""
    cells = [cell for placed in query.candidates() if (cell := query.cell(placed))]
    return sorted(cells, key=lambda cell: -cell.score)


def is_sure(cells: Sequence[Cell], least: float = LEAST_QUESTION) -> bool:
    """Whether the first cell answers: its label and the question account for each other, and no other row does as
    well with another value."""
    if not cells or cells[0].label_share < LEAST_LABEL or cells[0].score < least:
        return False
    first = cells[0]
    return not any(
        cell.value != first.value and cell.score > first.score - LEAST_LEAD and not _says_more(cell, first)
        for cell in cells[1:]
    )


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
