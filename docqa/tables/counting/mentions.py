"""The words of a question find what they may mean in a table: its columns, its values, a period, a number, a word of
the languages' lists. Of all ways to divide the question, the one that explains most is taken.

Words compare by their forms and by what they measure ("revenue" for an amount in euros), and, where an embedding model
is at hand, by meaning.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from docqa.formats.columns import IDENTIFIERS, Value, plain
from docqa.languages import words
from docqa.tables.counting.periods import Period, period_at
from docqa.tables.counting.times import minutes_at
from docqa.tables.counting.view import View
from docqa.tables.headings import CONCEPTS, INFLECTED, NEAR, are_opposed, in_concept, likeness, moves_money, nearness
from docqa.tables.phrases import number_of
from docqa.tables.words import codes_of, is_small, vocabulary
from docqa.text.detect import is_function_word
from docqa.text.keys import key

LONGEST = 6  # tokens of one mention
LONGEST_NUMBER = 3  # tokens: twenty-one
MOST_TOKENS = 40
SURELY = 0.85  # likeness from which on a name is meant
_LIMITS = ("<", "<=", ">", ">=")
_NO_PERSON = re.compile(r"[\d()\[\]/&%]")
ALIKE_VALUES = 0.72  # for a value, which must not stand for a kind of thing: books are no paperbacks
ALIKE = 0.5  # the least cosine of a phrase and a name that mean the same, on the embedder's scale


@dataclass(frozen=True)
class Mention:
    """A run of tokens, [start, end), and what it is taken for: a kind of word, `column`, `value`, `rows` (what a row
    is), `number` (with a unit the column's `place`, in its unit), `period`, `paying` (that money is paid or
    comes in), `filler`, or `unknown`."""

    kind: str
    start: int
    end: int
    weight: float = 0.0
    place: int = -1
    values: tuple[Value, ...] = ()
    period: Period | None = None
    operator: str = ""
    is_exact: bool = True


def _may_be_person(name: str) -> bool:
    """Whether it is written as people are called, unlike New Mexico (NM) and Green tea."""
    return not _NO_PERSON.search(name) and (name.islower() or all(word[0].isupper() for word in name.split()))


Alike = Mapping[str, Sequence[tuple[int, str, float]]]  # phrase → (place, value or "" for the column, cosine)


@dataclass
class Reader:
    """Reads one question against one table; `alike` is what an embedder said of its phrases."""

    view: View
    tokens: Sequence[str]
    language: str
    values: Mapping[str, Mapping[int, Sequence[str]]]
    alike: Alike = field(default_factory=dict)

    def mentions(self) -> list[Mention]:
        """The question divided, in order."""
        count = len(self.tokens)
        best: list[tuple[float, tuple[Mention, ...]]] = [(0.0 if at == 0 else -1.0, ()) for at in range(count + 1)]
        for end in range(1, count + 1):
            for start in range(max(0, end - LONGEST), end):
                before, placed = best[start]
                for mention in self._candidates(start, end, placed):
                    if before + mention.weight > best[end][0]:
                        best[end] = (before + mention.weight, (*placed, mention))
        return list(best[count][1])

    def _candidates(self, start: int, end: int, placed: Sequence[Mention]) -> Iterator[Mention]:
        run = self.tokens[start:end]
        phrase, size = " ".join(run), end - start
        bonus = size + 0.1 * (size - 1)
        kind = vocabulary(self.language).get(phrase)
        if kind == "duration" and any(known.words == (run[-1],) for known in self.view.headings):
            kind = None  # "how many hours" asks for that column
        elif kind == "duration" and len(self.view.dates) < 2 and (lasting := self._lasting()):
            kind = None  # nor is there a time between two dates
            yield Mention("column", start, end, 0.98 * bonus, lasting[0])
        if kind == "count" and self._ends_a_name(start, end) or kind == "<=" and self._is_rank(start, end):
            kind = None
        if kind:
            yield Mention(kind, start, end, 0.98 * bonus if kind != "filler" else 0.5 * size)
        elif moves_money(phrase, self.language):
            yield Mention("paying", start, end, 0.6 * bonus)
        if period := period_at(self.tokens, start, end, self.language):
            yield Mention("period", start, end, 1.05 * bonus, period=period)
        if size <= LONGEST_NUMBER and (number := number_of(run, self.language)) is not None:
            yield Mention("number", start, end, 0.9 * bonus, values=(number,))
        if self.view.of_time and (minutes := minutes_at(run, self.language)) is not None:
            place = next(
                (place for place in self.view.of_time if self._is_spoken_of(place)), next(iter(self.view.of_time))
            )
            yield Mention("number", start, end, bonus, place, (plain(Decimal(minutes / self.view.of_time[place])),))
        if size > 1 and (number := self._amount(run[:-1], placed)) is not None:
            measured = self._measured_in(run[-1])
            yield from (Mention("number", start, end, bonus, place, (number,)) for place in measured[:1])
        yield from self._values(run, start, end, bonus, placed)
        yield from self._columns(run, start, end, bonus)
        if size == 1:
            word = run[0]
            noun = max((likeness(word, noun, self.language) for noun in self.view.row_nouns), default=0.0)
            if noun >= NEAR or word in words("tables.rows", self.language):
                yield Mention("rows", start, end, 0.96 * max(noun, 0.9))
            if is_function_word(word) or (len(word) == 1 and not word.isalnum()):
                yield Mention("filler", start, end, 0.5)
            else:
                yield Mention("unknown", start, end, 0.0)
        for place, value, cosine in self.alike.get(phrase, ()):
            weight = min(0.9, 0.35 + cosine * 0.6) * bonus
            if place < 0:
                yield Mention("rows", start, end, weight, is_exact=False)
            elif value and (cosine < ALIKE_VALUES or self._is_another_name(start, end, key(value).split())):
                continue
            elif value:
                yield Mention("value", start, end, weight, place, (value,), is_exact=False)
            elif not any(are_opposed(word, self.view.headings[place].words, self.language) for word in run):
                yield Mention("column", start, end, weight, place, is_exact=False)

    def _is_another_name(self, start: int, end: int, value: Sequence[str]) -> bool:
        """Whether a value shares some words with these tokens and those beside them, but each has one that the other
        lacks: New York, New Mexico."""
        while start and self.tokens[start - 1] in value:
            start -= 1
        while end < len(self.tokens) and self.tokens[end] in value:
            end += 1
        run = [token for token in self.tokens[start:end] if not is_function_word(token)]
        own, other = (
            sum(max((likeness(a, b, self.language) for b in rest), default=0.0) < NEAR for a in some)
            for some, rest in ((run, value), (value, run))
        )
        return 0 < own < len(run) and other > 0

    def _ends_a_name(self, start: int, end: int) -> bool:
        """Whether these words count nothing, as in "the flight number of": the noun before them tells which number."""
        return (
            start > 0
            and is_function_word(self.tokens[end - 1])
            and not is_function_word(self.tokens[start - 1])
            and self.tokens[start - 1] not in vocabulary(self.language)
        )

    def _lasting(self) -> list[int]:
        """The columns of how long something takes."""
        times = (place for place, known in enumerate(self.view.headings) if "time_taken" in known.concepts)
        return [place for place in times if self.view.is_amount(place)]

    def _amount(self, run: Sequence[str], placed: Sequence[Mention]) -> Value:
        """The number that these tokens are, behind a comparison also by an article: more than a week."""
        is_one = len(run) == 1 and run[0] in words("evaluation.articles", self.language)
        return 1 if is_one and placed and placed[-1].kind in _LIMITS else number_of(run, self.language)

    def _measured_in(self, unit: str) -> list[int]:
        """The column whose amounts are in this unit, by its name or what it is called; none where several are."""
        names = (codes_of("unit_names", self.language), codes_of("currency_names", self.language))
        called = {unit, *(codes[unit] for codes in names if unit in codes)}
        places = [
            place
            for place, own in self.view.units.items()
            if own in called or likeness(unit, own, self.language) >= SURELY
        ]
        return places if len(places) == 1 else []

    def _is_spoken_of(self, place: int) -> bool:
        own = self.view.headings[place].words
        return any(likeness(token, word, self.language) >= NEAR for token in self.tokens for word in own)

    def _is_rank(self, start: int, end: int) -> bool:
        """Whether words that limit a number limit none, and their last one is of a rank: au plus, without 5."""
        known = vocabulary(self.language)
        nexts = (self.tokens[end : end + size] for size in range(1, LONGEST_NUMBER + 1))
        is_limit = any(number_of(run, self.language) is not None for run in nexts if run)
        return end - start > 1 and known.get(self.tokens[end - 1]) == "highest" and not is_limit

    def _values(
        self, run: Sequence[str], start: int, end: int, bonus: float, placed: Sequence[Mention]
    ) -> Iterator[Mention]:
        phrase = " ".join(run)
        own = next((mention.place for mention in reversed(placed) if mention.kind == "column"), -1)
        for place, values in self.values.get(phrase, {}).items():
            if place != own and self.view.is_flag(place):  # "no" says what it is of only beside its column
                continue
            yield Mention("value", start, end, (1.1 + 0.05 * (place == own)) * bonus, place, tuple(values))
        if code := codes_of("currency_names", self.language).get(phrase):
            for place, forms in self.view.forms.items():
                yield from (
                    Mention("value", start, end, 1.1 * bonus, place, (value,))
                    for tokens, value in forms
                    if tokens == [code]
                )
        if len(run) > 4 or (len(run) == 1 and (len(run[0]) < 3 or is_function_word(run[0]))):
            return
        names_column = len(run) == 1 and self._is_noun_of_column(run[0])
        for place, forms in self.view.forms.items():
            if self.view.is_flag(place):
                continue
            if len(run) == 1 and "people" in self.view.headings[place].concepts:  # by the first name
                called = [value for tokens, value in forms if tokens[:1] == list(run) != tokens]
                if len(called) == 1 and _may_be_person(called[0]):
                    yield Mention("value", start, end, 0.85 * bonus, place, tuple(called), is_exact=False)
            for tokens, value in forms:
                if len(tokens) < len(run) or tokens == list(run) or names_column and len(tokens) > 1:
                    continue
                near = nearness(run, tokens, self.language)
                if near >= (0.84 if len(run) == len(tokens) else 0.9):
                    yield Mention("value", start, end, 0.9 * near * bonus, place, (value,), is_exact=False)

    def _is_noun_of_column(self, word: str) -> bool:
        """Whether a word is all of the name of a column, but for "number" or "ID": patients are no new patients."""
        nouns = ([own for own in known.words if own not in IDENTIFIERS] for known in self.view.headings)
        return any(len(own) == 1 and likeness(word, own[0], self.language) >= INFLECTED for own in nouns)

    def _columns(self, run: Sequence[str], start: int, end: int, bonus: float) -> Iterator[Mention]:
        for place, known in enumerate(self.view.headings):
            is_small_only = all(is_small(word, self.language) for word in run)
            if is_small_only and tuple(run) != known.words:  # the "de" of "mode de paiement"
                continue
            near = nearness(run, known.words, self.language)
            is_noun = place in self.view.identifiers and len(run) == 1
            is_noun = is_noun and (len(known.words) > 1 or self.view.has_codes(place))
            if near and not (is_noun and run[0] not in IDENTIFIERS):
                yield Mention("column", start, end, near * bonus, place, is_exact=near >= SURELY)
        word = " ".join(run)
        if len(run) == 1 and word in IDENTIFIERS and not in_concept(word, "people", self.language):
            numbered = [place for place in self.view.identifiers if self.view.has_codes(place)]
            yield from (Mention("column", start, end, 0.8 * bonus, place) for place in numbered[:1])
        if unit := codes_of("unit_names", self.language).get(word):
            for place, known in enumerate(self.view.headings):
                if self.view.is_amount(place) and unit in (known.unit.casefold(), *known.words[-1:]):
                    yield Mention("column", start, end, 0.9 * bonus, place)
        for concept in CONCEPTS:
            if not in_concept(word, concept, self.language):
                continue
            fitting = [place for place, known in enumerate(self.view.headings) if concept in known.concepts]
            if concept == "money":
                fitting += self.view.totals
            if concept == "people":
                fitting = [p for p in fitting if not are_opposed(word, self.view.headings[p].words, self.language)]
            if concept in ("age", "money", "quantity", "rating", "time_taken", "price"):
                fitting = [place for place in fitting if self.view.is_amount(place)]
            for place in self._preferred(fitting, concept):
                yield Mention("column", start, end, 0.75 * bonus, place, is_exact=False)

    def _preferred(self, fitting: Sequence[int], concept: str) -> Sequence[int]:
        """Of several columns of one concept: of money what is no price of a unit; the last one, where a sum stands."""
        if concept == "money":
            fitting = [place for place in fitting if not self.view.headings[place].is_rate] or fitting
            if not fitting and any("quantity" in known.concepts for known in self.view.headings):
                fitting = [place for place, known in enumerate(self.view.headings) if "price" in known.concepts]
        fitting = [p for p in fitting if not any(self.view.is_kind_of(p, other) for other in fitting)]  # minimum stock
        return fitting[-1:] if concept in ("money", "quantity") else fitting[:1]
