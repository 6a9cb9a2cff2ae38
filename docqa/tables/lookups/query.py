"""A question as the tables of documents see it: its words, how much each says, and their forms in the tables."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from docqa.formats.grids import Grid
from docqa.languages import words
from docqa.tables.lookups.cells import Placed, Tables, attributes, measuring
from docqa.tables.lookups.numbers import Spoken, numbers_in
from docqa.tables.lookups.ranges import Range, ranges_of
from docqa.tables.lookups.wording import is_letter, measures_in, scales, times, without_phrases, words_of
from docqa.tables.words import listed, spoken, totals, weekdays
from docqa.text.detect import is_function_word
from docqa.text.keys import key
from docqa.text.values import names_of_month, quantity
from docqa.text.words import fold

MOST_CANDIDATES = 60
LEAST_LABEL = 0.55  # of a label's words, by weight, that the question has
UNKNOWN = 1.0  # weight of a word that no table has
ASKING = 0.4  # how much a word weighs that only asks, and has no counterpart
MISSED = 1.5  # how much more a word weighs that is not accounted for: it may be what is really asked
VARIED = frozenset(("turnover", "profit", "per_share"))  # what has several kinds, of which a word more tells which
YEAR = re.compile(r"(?:19|20)\d\d")
SAME_MEASURE = 0.9  # how near two words for what is measured are: heavy, weight
PLAIN = 0.15  # how much a word counts in a name that says little in a question
MEASURE = 0.4  # how much a number or unit counts in a name
SHORTEST_DAY = 2  # letters of a weekday
_PHRASE = 0.03  # for each word of a label that stands in the question as it is


# Word of the question → name in a table, or a word of names there → how near they are in meaning.
Alike = Mapping[str, Mapping[str, float]]


class Query:
    """One question against the tables: its words with their weight and their forms.

    `named` are words that name the document, `but` those that say what is to be done with the values, `alike` is what
    an embedder said of the words that no table has. Where it `is_whether`, a dash answers too.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        language: str,
        tables: Tables,
        named: Sequence[str] = (),
        but: frozenset[str] = frozenset(),
        alike: Alike | None = None,
        *,
        wants_number: bool = False,
        is_whether: bool = False,
    ) -> None:
        self.is_whether = is_whether
        self.tables, self.language, self.text = tables, language, " ".join(tokens)
        self.but = but
        self.named, self.alike = set(named), alike or {}
        self.attributes = attributes(tokens, language)
        measured = measuring(self.attributes)
        plain = listed("value_words", language) | but
        tokens = [part for token in tokens for part in tables.glued.get(token, (token,))]
        self._numbers = numbers_in(tokens, language)
        tokens = list(dict.fromkeys(without_phrases(tokens, plain)))
        self.wants_number = wants_number
        self.forms: Mapping[str, Mapping[str, float]] = {
            word: {**tables.forms(word, language), **self.alike.get(word, {})} for word in tokens
        }
        light = listed("light", language)
        letters = {letter for word, letter in pairwise(self.text.split()) if (word, letter) in tables.letters}
        self.words = [
            word
            for word in tokens
            if YEAR.fullmatch(word)
            or word in measured - but
            or word in letters
            or not (is_function_word(word) or word in plain or is_letter(word) and word in light)
            and (self.forms[word] or not (is_letter(word) or word in light or word in scales()))
            and (word in self.forms[word] or not 0 < len(self.forms[word]) == len(light & self.forms[word].keys()))
        ]
        self.years = [word for word in self.words if YEAR.fullmatch(word)]
        self._known: dict[str, dict[str, float]] = {}
        self.within: dict[int, set[str]] = {}  # rows whose range holds a number of the question, with its words
        self.within_cell: dict[int, tuple[int, set[str]]] = {}  # the same of rows that another column tells apart
        self.told_apart: set[tuple[int, str]] = set()  # the tables with such rows, and their label
        self._ranged: dict[str, set[int]] = {}  # the tables with such rows, by the name of what is in the range
        self._numbers_of: dict[str, list[Spoken]] = {}
        self.sums = spoken("sum", self.text.split(), language)
        self.wants_share = bool(spoken("share", self.text.split(), language))
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
        if any(word in own for own in self.attributes.values()):
            return 0.7
        return UNKNOWN

    @cached_property
    def unknown(self) -> list[str]:
        """The words that no table has."""
        measured = measuring(self.attributes)
        return [word for word in self.words if not self.forms[word] and word not in self.named | measured]

    def matched(self, name: str, words_of_name: Sequence[str] | None = None) -> dict[str, float]:
        """The question's words that a name in a table has, in any form, or comes near in meaning, with how near."""
        if name not in self._known:
            self._known[name] = self._matched(name, key(name).split() if words_of_name is None else words_of_name)
        return self._known[name]

    def _matched(self, name: str, own: Sequence[str]) -> dict[str, float]:
        same = [attribute for attribute in attributes(own) if attribute in self.attributes]
        near: dict[str, float] = {}
        for word in self.words:
            like = max((like for form, like in self.forms[word].items() if form in own), default=0.0)
            if any(word in self.attributes[attribute] for attribute in same):
                like = max(like, SAME_MEASURE)
            if word in self.sums and not totals().isdisjoint(own):
                like = max(like, SAME_MEASURE)
            if word in self.attributes.get("price", ()) and any(sign in name for sign in "$€£¥₹"):
                like = max(like, 0.9)
            like = max(like, self.alike.get(word, {}).get(name, 0.0))
            if like:
                near[word] = like
        return near

    def lasting(self, value: str) -> dict[str, float]:
        """The words that ask how long something takes, where a value is a time."""
        asking = self.attributes.get("time_taken", ())
        amount = quantity(value) if asking else None
        return dict.fromkeys(asking, SAME_MEASURE) if amount and key(amount.unit) in times() else {}

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
        rows = self.tables.rows
        for index, bounds in self.tables.ranged.items():
            if words := self.within_bounds(rows[index].grid.columns[0], bounds):
                scores[index] = scores.get(index, 0.0) + 1.0
                self.within[id(rows[index])] = words
                self._ranged.setdefault(key(rows[index].grid.columns[0]), set()).add(id(rows[index].grid))
        for index, (place, bounds) in self.tables.apart.items():
            grid, row = rows[index].grid, rows[index].row
            if index in scores and (words := self.within_bounds(f"{grid.columns[place]} {row.cells[place]}", bounds)):
                self.within_cell[id(rows[index])] = place, words
                self.told_apart.add((id(grid), row.label))
        ranked = sorted(
            scores, key=lambda index: (-scores[index] / (1 + 0.1 * len(rows[index].names.get(0, ()))), index)
        )
        return [rows[index] for index in ranked[:MOST_CANDIDATES]]

    def within_bounds(self, name: str, bounds: Range) -> set[str]:
        """The words of a number of the question, with its unit, that lies within these bounds of what has this name; of
        several numbers only of one beside which the question has the name, or none is beside it."""
        if all(map(str.isdecimal, self.words)):
            return set()
        own = [number for number in self._numbers_named(name) if bounds[0] <= number.value <= bounds[1]]
        return {word for number in own for word in (number.word, number.unit) if word}

    def is_of_another(self, grid: Grid) -> bool:
        """Whether other tables too have a number of the question in a range of the same, and the question has no word
        for this one alone in its title: two of weights."""
        others = self._ranged.get(key(grid.columns[0]), set()) - {id(grid)}
        titles = (self.tables.by_grid[other][0].grid.title for other in others)
        shared = set().union(*map(self.matched, titles))
        return bool(others) and self.matched(grid.title).keys() <= shared

    def _numbers_named(self, name: str) -> Sequence[Spoken]:
        if name not in self._numbers_of:
            words, measured = set(key(name).split()), attributes(key(name).split()).keys()
            self._numbers_of[name] = [
                number
                for number in self._numbers
                if any(words & {word, *self.forms.get(word, ())} for word in number.beside)
                or measured & attributes(sorted(number.beside), self.language).keys()
            ] or [number for number in self._numbers if number.word.isdecimal()]
        return self._numbers_of[name]

    def within_heading(self, columns: tuple[str, ...], place: int) -> set[str]:
        """The words of the question's number that lies within the range that heads a column, as it heads others."""
        bounds = ranges_of(columns).get(place)
        return self.within_bounds(columns[place], bounds) if bounds else set()

    def had(self, own: Sequence[str]) -> set[str]:
        """Which words of a name the question has, in any form, or asks for as a measure."""
        forms = {form for word in self.words for form in self.forms[word]}
        measured = (said for attribute, said in attributes(own).items() if attribute in self.attributes)
        return (forms & set(own)).union(*measured)

    def label_share(self, name: str, own: Sequence[str], grid: Grid) -> float:
        """How much of a name in a table the question has, by weight; a little more where it stands there as it is.

        The last word before a comma is what the name is of, and counts most. A word that names one row alone is as
        good as the whole name. What is only measured alike may be of something else: Pacific Sales are no revenue.
        """
        plain = listed("value_words", self.language)
        have = self.had(own)
        spoken = set(self.text.split())
        telling = [word for word in own if word not in plain or not (word in spoken or is_function_word(word))]
        telling = telling or list(own)
        before, measures = words_of(name.partition(",")[0]) or tuple(own), measures_in(tuple(own))
        head = next((word for word in reversed(before) if word not in measures), before[-1])
        measured = attributes(own)
        said_as = {form for word in self.words for form in self.forms[word] if form in own}
        said_as |= {word for what in measured.keys() & self.attributes.keys() - VARIED for word in measured[what]}
        missed = 1.0 if said_as else MISSED
        if measured.keys() & self.attributes.keys():  # what else is measured makes another thing of it: cost of sales
            plain = plain.difference(*(said for what, said in measured.items() if what not in self.attributes))
        weights = {
            word: self.tables.weight(word)
            * (1.0 if word in have else missed)
            * (PLAIN if word in plain else 1.5 if word == head else MEASURE if word in measures else 1.0)
            for word in telling
        }
        total = sum(weights.values())
        share = sum(weight for word, weight in weights.items() if word in have) / total if total else 0.0
        if any(
            word in said_as and self.tables.tells_apart(word, grid) and len(word) > 2 and word not in measures
            for word in telling
        ):
            share = max(share, LEAST_LABEL + 0.1)
        if len(own) > 1 and f" {' '.join(key(name).split())} " in f" {self.text} ":
            share += _PHRASE * len(own)
        return share

    def says(self, name: str) -> set[str]:
        """The question's words that say a name, a weekday also where it is shortened (Tue, Di); none where they do not
        say all of it."""
        said = [
            {word for word in self.words if own in self.forms[word] or self._is_shortened(own, word)}
            for own in words_of(name)
        ]
        return set().union(*said) if all(said) else set()

    def _is_shortened(self, day: str, word: str) -> bool:
        return len(day) >= SHORTEST_DAY and word.startswith(day) and word in weekdays(self.language)

    def leaves_out(self, said: Iterable[str]) -> bool:
        """Whether the question says more than these words; it may say what the named are, "which lessons"."""
        kinds = {noun for word, noun in pairwise(self.text.split()) if word in listed("list", self.language)}
        return not set(self.words) - kinds <= set(said)

    def is_sought(self, heading: str) -> bool:
        """Whether the question asks for it, with what stands right behind a word that asks: which level."""
        own = set(key(heading).split())
        return bool(own) and own <= self._sought

    @cached_property
    def _sought(self) -> set[str]:
        asking = {fold(word) for word in words("questions.words.asking", self.language)}
        nouns = [noun for word, noun in pairwise(self.text.split()) if word in asking]
        return {form for noun in nouns for form in (noun, *self.forms.get(noun, ()))}

    def left_out(self, *places: Mapping[str, float]) -> float:
        """The weight of the heaviest word that none of these places accounts for; all of it for numbers and months."""
        left = [word for word in self.words if not any(own.get(word) for own in places) and word not in self.named]
        is_heavy = any(word.isdecimal() or names_of_month(word) for word in left)
        return UNKNOWN if is_heavy else max((self.weights[word] for word in left), default=0.0)

    def share(self, *places: Mapping[str, float]) -> float:
        """How much of the question is accounted for by what it shares with these places."""
        got = total = 0.0
        for word, weight in self.weights.items():
            like = max(own.get(word, 0.0) for own in places)
            got += weight * like
            if like or word in self.named:
                total += weight
            else:  # what only asks for a measure need not stand in the table: how long it lasts, in total
                is_asking = word in totals() or any(word in own for own in self.attributes.values())
                total += weight * (ASKING if is_asking else MISSED)
        return got / total if total else 0.0
