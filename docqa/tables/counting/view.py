"""A table as questions see it: what its columns are called, what they hold, and what tells its rows apart."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from docqa.formats.columns import IDENTIFIERS
from docqa.languages import every_word
from docqa.store.table_plan import Filter, StoredTable
from docqa.store.tables import Contents
from docqa.tables.counting.times import minutes_of_unit
from docqa.tables.headings import Heading, heading, in_concept, unit_named
from docqa.tables.phrases import key_words
from docqa.tables.words import totals
from docqa.text.keys import key


@dataclass
class View:
    """A table with what its columns hold, as questions see it."""

    table: StoredTable
    contents: Contents

    @cached_property
    def headings(self) -> list[Heading]:
        """The columns' names, read."""
        return [heading(column) for column in self.table.columns]

    @cached_property
    def dates(self) -> list[int]:
        """The columns of dates, the one with the earliest date first; those that some rows lack yet, such as when it
        was paid, after those that say when a row came to be."""
        places = [place for place, column in enumerate(self.table.columns) if column.kind == "date"]
        return sorted(places, key=lambda place: (self.has_gaps(place), str(self.contents.least[place])))

    @cached_property
    def identifiers(self) -> list[int]:
        """The columns whose values tell rows apart."""
        return [
            place
            for place, different in enumerate(self.contents.different)
            if different == self.contents.rows > 1
            and self.table.columns[place].kind != "date"
            and (self.table.columns[place].kind == "text" or self.headings[place].is_identifier)
        ]

    def has_codes(self, place: int) -> bool:
        """Whether its values are numbers or codes, so that its name is what a row is: Order, of P-2017."""
        return any(map(str.isdigit, str(self.contents.least[place])))

    def picks_a_row(self, filters: Iterable[Filter]) -> bool:
        """Whether one of the conditions is on a value that tells rows apart."""
        return any(test.place in self.identifiers and test.operator == "=" for test in filters)

    def picks_by_code(self, filters: Iterable[Filter]) -> bool:
        """Whether one of the conditions is on the code of what several rows may be about: a patient's, not Hall 1."""
        texts = (test for test in filters if test.operator == "=" and self.is_of_text(test.place))
        values = (str(value) for test in texts for value in test.values[:1])
        return any(" " not in value and any(map(str.isdigit, value)) for value in values)

    @cached_property
    def row_nouns(self) -> list[str]:
        """The words for what a row is: of the column that tells rows apart, and of the file's name."""
        nouns = [
            word
            for place in self.identifiers
            for word in self.headings[place].words
            if word not in IDENTIFIERS and len(word) > 2
        ]
        named = [word for word in self.table.key.split() if len(word) > 3 and word.isalpha()]
        return list(dict.fromkeys([*nouns, *named]))

    @cached_property
    def is_of_people(self) -> bool:
        """Whether a row is a person, by the word for what a row is."""
        return any(in_concept(noun, "people") for noun in self.row_nouns if noun not in IDENTIFIERS)

    @cached_property
    def forms(self) -> dict[int, list[tuple[list[str], str]]]:
        """(tokens, value) of the values of columns of words that have few, by place."""
        return {
            place: [(key(value).split(), value) for value in values] for place, values in self.contents.values.items()
        }

    @cached_property
    def totals(self) -> list[int]:
        """The columns of sums beside one of prices, which are sums of money."""
        if not any("price" in known.concepts for known in self.headings):
            return []
        return [place for place, known in enumerate(self.headings) if totals().issuperset(known.words)]

    @cached_property
    def of_time(self) -> dict[int, float]:
        """The columns of amounts of time, with how many minutes their unit is."""
        # A name may have no word: "#".
        units = {
            place: next(filter(None, (known.unit, *known.words[-1:])), "") for place, known in enumerate(self.headings)
        }
        minutes = {place: minutes_of_unit(unit) for place, unit in units.items() if self.is_amount(place)}
        return {place: known for place, known in minutes.items() if known}

    @cached_property
    def units(self) -> dict[int, str]:
        """The columns of amounts that say in one word what these are in, with that as a question says it: "percent",
        "weeks"."""
        units = {
            place: key_words(unit_named(column), "en")
            for place, column in enumerate(self.table.columns)
            if self.is_amount(place)
        }
        return {place: words[0] for place, words in units.items() if len(words) == 1}

    @cached_property
    def of_money(self) -> frozenset[int]:
        """The columns of amounts of money and of prices."""
        return frozenset(
            place
            for place, known in enumerate(self.headings)
            if known.concepts & {"money", "price"} and self.is_amount(place)
        )

    def is_flag(self, place: int) -> bool:
        """Whether a column only says yes or no, or says something in a part of its rows only."""
        values = {key(value) for value in self.contents.values.get(place, ())}
        known = _flags("yes") | _flags("no_words")
        return bool(values) and len(values) <= 2 and (values <= known or len(values) == 1 and self.has_gaps(place))

    def yes(self, place: int) -> Filter:
        """The condition that a column of yes and no says yes."""
        values = self.contents.values[place]
        said = tuple(value for value in values if key(value) in _flags("yes"))
        return Filter(place, "=", said) if said and len(values) > 1 else Filter(place, "present")

    def is_of_text(self, place: int) -> bool:
        """Whether a column has words, and says more than yes or no."""
        return place >= 0 and self.table.columns[place].kind == "text" and not self.is_flag(place)

    def has_gaps(self, place: int) -> bool:
        """Whether some rows have nothing in this column."""
        return self.contents.filled[place] < self.contents.rows

    def is_kind_of(self, place: int, other: int) -> bool:
        """Whether the name of a column is another's with something before it: minimum stock, Mindestbestand."""
        name, wider = (" ".join(self.headings[at].words) for at in (place, other))
        return place != other and len(wider) > 3 and name != wider and name.endswith(wider)

    def is_signed(self, place: int) -> bool:
        """Whether it has amounts of money of which a tenth or more are negative, as what an account pays out is: among
        bills, a few are credit notes."""
        is_of_money = self.is_amount(place) and "money" in self.headings[place].concepts
        negative = self.contents.negative[place] if self.contents.negative else 0
        return is_of_money and 0 < self.contents.filled[place] <= 10 * negative

    def is_amount(self, place: int) -> bool:
        """Whether its numbers say how much."""
        return self.table.columns[place].is_amount and not (
            self.headings[place].is_identifier and self.contents.different[place] == self.contents.rows
        )


@cache
def _flags(name: str) -> frozenset[str]:
    return frozenset(map(key, every_word(f"tables.{name}")))
