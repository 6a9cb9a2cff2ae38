"""Which column of a row a question means: by its heading, else by the kind of its values or the latest period."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from docqa.formats.columns import Column
from docqa.formats.grid_cells import is_number
from docqa.tables.headings import heading
from docqa.tables.lookups.cells import Placed
from docqa.tables.lookups.query import YEAR, Query
from docqa.tables.lookups.wording import words_of
from docqa.tables.words import listed, spoken
from docqa.text.keys import key
from docqa.text.values import kind

MOST_TOLD = 3  # values of a row
OF_CHANGE = 0.3  # what a heading loses that speaks of a change where the question does not: as a further year
_ONE_AMOUNT = re.compile(r"[^\d<>≤≥]{0,4}\d(?:[\d.,'’ ]*\d)?[^\d]*")  # no range, and no bound


class Meant(NamedTuple):
    """The column that a question means, or the few that it may mean alike; whether that is a guess, and whether it has
    words of their headings that the row's label has not."""

    columns: list[int]
    is_guess: bool
    is_named: bool


def column_meant(query: Query, placed: Placed, columns: Sequence[int], in_label: Mapping[str, float]) -> Meant:
    """Which of the columns the question means."""
    cells = placed.row.cells
    shares = {place: column_share(query, place, placed, in_label) for place in columns}
    if any(f" {word} " in f" {query.text} " for word in listed("or", query.language)):
        offered = [place for place in columns if f" {key(cells[place])} " in f" {query.text} "]
        if len(offered) == 1:
            return Meant(offered, is_guess=False, is_named=shares[offered[0]] > 0)
    most = max(shares.values())
    tied = [place for place in columns if shares[place] >= most - 1e-9]
    if len(tied) == 1:
        return Meant(tied, is_guess=False, is_named=most > 0)
    chosen, is_guess = _default(query, placed, tied)
    return Meant(chosen, is_guess and most <= 0, is_named=most > 0)


def column_share(query: Query, place: int, placed: Placed, in_label: Mapping[str, float]) -> float:
    """How much of the question's weight a column's heading has beside what the row's label has."""
    name = placed.grid.columns[place]
    heading = key(name).split()
    own = query.matched(name) | dict.fromkeys(query.within_heading(placed.grid.columns, place), 1.0)
    share = sum(
        query.weights.get(word, 0.0) * like * (1.5 if YEAR.fullmatch(word) else 1.0)
        for word, like in own.items()
        if word not in in_label
    )
    if query.is_mine and listed("yours", query.language) & set(heading):
        share += 0.5  # what is mine to the reader is yours to the text
    if query.is_sought(name):
        share += 1.0  # which level
    if _of_change(heading, query.language) and not _of_change(query.text.split(), query.language):
        share -= OF_CHANGE
    # Of two headings that fit alike the one is meant that says less beside; a year says least.
    beside = [word for word in heading if word not in query.had(heading)]
    return share - sum(_beside(query, word) for word in beside) * (share > 0)


def _of_change(tokens: Sequence[str], language: str) -> bool:
    """Whether the words speak of how something changed, which a year in a heading may be the beginning of."""
    return any(spoken(name, tokens, language) for name in ("rise", "fall", "change"))


def _beside(query: Query, word: str) -> float:
    """How much a heading loses by a word that the question does not have: most by a further year."""
    return (0.3 if query.years else 0.01) if YEAR.fullmatch(word) else 0.01 if word.isdecimal() else 0.02


def _default(query: Query, placed: Placed, tied: Sequence[int]) -> tuple[list[int], bool]:
    """(one of columns that fit alike, whether that is a guess): the only one of numbers that tell no rows apart, or the
    latest period; else all of them, where they are few and have headings that tell them apart."""
    columns = placed.grid.columns
    spoken = set(query.text.split())
    named = {place: len(spoken & set(words_of(columns[place]))) for place in tied}
    tied = [place for place in tied if named[place] == max(named.values())]  # by a word light elsewhere: paid
    tied = [place for place in tied if not _tells_rows_apart(placed, place)] or tied
    if len(tied) == 1:
        return tied, False
    amounts = [place for place in tied if kind(placed.row.cells[place]) != "date"]
    numbers = [place for place in amounts if is_number(placed.row.cells[place])]
    single = [place for place in amounts if _ONE_AMOUNT.fullmatch(placed.row.cells[place])]
    if len(single) == 1 and (query.wants_number or single == numbers):  # before a range that it should be in
        return single, False
    if len(numbers) == 1 and not single:
        return numbers, False
    digits = [place for place in amounts if any(map(str.isdigit, placed.row.cells[place]))]
    if query.wants_number and len(digits) == 1:
        return digits, False
    if not any(columns) and len(tied) <= MOST_TOLD:
        shares = [place for place in tied if "%" in placed.row.cells[place]]
        return shares if query.wants_share and shares else list(tied), False
    headings = [columns[place] for place in tied]
    years = {place: YEAR.findall(heading) for place, heading in zip(tied, headings, strict=True)}
    if all(years.values()):
        latest = max(max(own) for own in years.values())
        newest = [place for place in tied if latest in years[place]]
        if len(newest) == 1 or len(tied) > MOST_TOLD:
            return newest[:1], True
    if len(tied) <= MOST_TOLD and all(headings) and len(set(headings)) == len(tied):
        return list(tied), False
    return [], False


def _tells_rows_apart(placed: Placed, place: int) -> bool:
    """Whether the cell there is the number of its row."""
    name = placed.grid.columns[place]
    if not name:
        return place == 0 and placed.grid.is_numbered
    return is_number(placed.row.cells[place]) and heading(Column(name)).is_identifier
