"""Whether the evidence states what a sentence states that a model wrote: its numbers, dates, names and codes together
in one unit, and neither denied nor affirmed the other way round.

A clause at a time, so that a sentence may rest on two units. What stays unknown: whether the words between the facts
mean what the unit says.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import permutations
from typing import NamedTuple

from docqa.answering.evidence import Evidence
from docqa.answering.polarity import is_negated, statements
from docqa.answering.table_rows import cells_of, headings_of
from docqa.languages import entry, pattern, phrase
from docqa.questions.wording import WORD, content, points_back
from docqa.text.facts import Claims, Facts
from docqa.text.frequency import is_rare
from docqa.text.sentences import sentences
from docqa.text.units import Unit, in_context
from docqa.text.values import in_words
from docqa.text.words import fold, is_dense, stem, terms

SUPPORT = 0.6  # share of a sentence's words that a unit, or the units of its clauses, must hold to be its source
CLAUSE = 0.5  # of a clause's words: the least beside its facts
ABOUT = 0.5  # of a sentence's words: from here on a unit is about the same
WORTH = 0.6  # of the best unit's score: what fits the question less does not answer it
MOST_NUMBERS = 8  # in a sentence that may compute
LEAST_STEM = 3  # characters
_CODE = re.compile(r"(?<![\w-])[^\W\d_][\w-]*\d[\w-]*")
_COMMA = r"[,;:](?=\s\D)|[；，、：]"


class Verdict(NamedTuple):
    """What the evidence says to a sentence: the passages that it rests on, none where no unit holds enough of its
    words; `is_wrong` where no unit states what it states."""

    passages: tuple[int, ...] = ()
    is_wrong: bool = False


@dataclass(frozen=True)
class _Asserted:
    """What a sentence or clause states, and its words."""

    text: str
    claims: Claims
    codes: frozenset[str]
    words: frozenset[str]

    @property
    def has_facts(self) -> bool:
        """Whether there is anything that can be looked up."""
        return any(self.claims) or bool(self.codes)


@dataclass(frozen=True)
class Stated:
    """A unit, or a sentence of a passage without units. `before` are the sentences that its "it" points back to,
    `above` what it stands under: both may name what it is about. `cells` are those of a row, each with label and
    heading. `answers`: it fits the question nearly as well as the best one."""

    text: str
    before: str
    above: str
    language: str
    passage: int | None
    unit: Unit | None = None
    cells: tuple[str, ...] = ()
    answers: bool = True

    @cached_property
    def facts(self) -> Facts:
        """Those of the unit alone."""
        return Facts.of([self.text], self.language)

    @cached_property
    def named(self) -> Facts:
        """Those that a name may stand among."""
        return Facts.of([self.text, self.before, self.above], self.language)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the unit and of what it points back to."""
        return words_of(f"{self.text} {self.before}", self.language)

    @cached_property
    def cell_facts(self) -> tuple[Facts, ...]:
        """The facts of each cell."""
        return tuple(Facts.of([cell], self.language) for cell in self.cells)

    def holds(self, asserted: _Asserted) -> bool:
        """Whether all facts stand here; of a row in one cell, unless several of its values are named."""
        claims = asserted.claims
        if not all(self.named.have(Claims([], [], claims.names))) or not asserted.codes <= self.named.terms:
            return False
        numbers = claims._replace(names=[])
        if not all(self.facts.have(numbers)):
            return False
        if len(self.cells) < 2 or len(claims.numbers) + len(claims.dates) < 2:
            return True
        if any(all(cell.have(numbers)) for cell in self.cell_facts):
            return True
        return sum(any(cell.have(numbers)) for cell in self.cell_facts) > 1 and len(claims.numbers) > 2


def words_of(text: str, language: str) -> frozenset[str]:
    """The stems of the words that say what a text is about, without numbers and negations; pairs of characters of
    dense scripts."""
    if is_dense(text):
        return frozenset(term for term in terms(text) if not any(map(str.isdigit, term)))
    return frozenset(
        _stem(word)
        for word in content(text, language)
        if not any(map(str.isdigit, word)) and not is_negated(word, language) and not in_words(fold(word), language)
    )


def _stem(word: str) -> str:
    """The beginning of a word, without the s of "needs"."""
    short = stem(word)
    return short[:-1] if len(short) > LEAST_STEM and short[-1] == "s" and short[-2] != "s" else short


class Grounds:
    """The units of the evidence, and what an answer in `language` may state by them.

    `earlier` passages count too, but are no sources here. `strict`, for a small model: what no unit that fits the
    question is about is wrong, although it names no fact.
    """

    def __init__(
        self, stated: Sequence[Stated], language: str, *, earlier: Sequence[str] = (), strict: bool = False
    ) -> None:
        self.language = language
        self._stated = [*stated, *(item for text in earlier for item in _sentences_of(text, language))]
        self._strict = strict
        self._any_foreign = any(map(self._is_foreign, self._stated))
        names = [name for item in self._stated for name in Claims.of(item.text, item.language).names]
        self._known_names = {term for name in names for term in terms(name)}

    def judge(self, sentence: str) -> Verdict:
        """Whether a sentence is stated, and where."""
        asserted = self._asserted(_without_yes_or_no(sentence, self.language))
        if not asserted.words and not asserted.has_facts:
            return Verdict()
        stated = self._stating(asserted)
        if stated is None:
            return Verdict(is_wrong=True)
        sources = self._sources(asserted, stated)
        if self._strict and not self._any_foreign and not (sources and any(item.answers for item in stated)):
            return Verdict(is_wrong=True)
        return Verdict(sources)

    def _stating(self, asserted: _Asserted) -> list[Stated] | None:
        """The units that state it, none where no fact can be looked up; None where it is wrong."""
        by_share = sorted(self._stated, key=lambda item: -self._share(asserted, item))
        if not asserted.has_facts:
            about = [item for item in by_share if self._share(asserted, item) >= ABOUT]
            return self._agreeing(asserted, about) or (None if about else [])
        holders = [item for item in by_share if item.holds(asserted)]
        near = [item for item in holders if self._is_foreign(item) or self._share(asserted, item) >= CLAUSE]
        return self._agreeing(asserted, near) or (None if near else self._by_clauses(asserted))

    def _agreeing(self, asserted: _Asserted, by_share: Sequence[Stated]) -> list[Stated]:
        """The unit with most of the words that does not say the opposite, unless one with more of them does."""
        best = next((item for item in by_share if self._agrees(asserted, item)), None)
        return [best] if best and self._share(asserted, best) >= self._share(asserted, by_share[0]) else []

    def nearest(self, sentence: str) -> Stated | None:
        """The unit that is about the same as the sentence; None where none is."""
        asserted = self._asserted(sentence)
        best = max(
            (item for item in self._stated if item.passage is not None),
            key=lambda item: self._share(asserted, item),
            default=None,
        )
        return best if best and asserted.words and self._share(asserted, best) >= ABOUT else None

    def _asserted(self, text: str) -> _Asserted:
        claims = Claims.of(text, self.language)
        # "two pumps"; "one" is most often no number.
        spelled = (in_words(fold(word), self.language) for word in WORD.findall(text) if word.isalpha())
        claims.numbers.extend({Decimal(value)} for value in spelled if value and value > 1)
        claims = claims._replace(numbers=_not_computed(claims.numbers))
        first = re.match(r"\W*([^\W\d_]{2,})", text)
        if first and first[1][0].isupper() and first[1] not in claims.names and self._is_name(first[1]):
            claims.names.append(first[1])
        codes = frozenset(code.casefold() for code in _CODE.findall(text))
        return _Asserted(text, claims, codes, words_of(text, self.language))

    def _is_name(self, word: str) -> bool:
        """Whether a word that a sentence begins with is a name: it is one elsewhere, or hardly a word."""
        if not self._known_names.isdisjoint(terms(word)):
            return True
        return not entry("text.nouns_have_capitals", self.language) and is_rare(word, self.language)

    def _by_clauses(self, asserted: _Asserted) -> list[Stated] | None:
        """A unit for each clause that states facts; what a clause names counts for the next that names nothing."""
        clauses = [clause for clause in _clauses(self.language).split(asserted.text) if clause and clause.strip()]
        if len(clauses) < 2:
            return None
        chosen: list[Stated] = []
        names: list[str] = []
        codes: frozenset[str] = frozenset()
        for clause in clauses:
            part = self._asserted(clause)
            own = [name for name in asserted.claims.names if name in clause]
            names, codes = (own, part.codes) if own or part.codes else (names, codes)
            part = _Asserted(clause, part.claims._replace(names=names), codes, part.words)
            if not any(part.claims[:2]) and not own and not part.codes:
                continue
            holders = [
                item
                for item in self._stated
                if item.holds(part)
                and (not part.words or self._is_foreign(item) or self._share(part, item) >= CLAUSE)
                and self._agrees(part, item)
            ]
            if not holders:
                return None
            chosen.append(max(holders, key=lambda item: (item in chosen, self._share(part, item))))
        return chosen

    def _sources(self, asserted: _Asserted, chosen: Sequence[Stated]) -> tuple[int, ...]:
        """The passages of the chosen units, where these hold enough of the words."""
        held = frozenset[str]().union(*(item.words for item in chosen))
        enough = not asserted.words or len(asserted.words & held) >= SUPPORT * len(asserted.words)
        if not enough and not any(map(self._is_foreign, chosen)):
            return ()
        return tuple(dict.fromkeys(item.passage for item in chosen if item.passage is not None))

    def _share(self, asserted: _Asserted, item: Stated) -> float:
        """How many of the words the unit holds, 0 to 1."""
        return len(asserted.words & item.words) / len(asserted.words) if asserted.words else 0.0

    def _is_foreign(self, item: Stated) -> bool:
        """Whether it is in another language than the answer: their words cannot be compared."""
        return item.language != self.language

    def _agrees(self, asserted: _Asserted, item: Stated) -> bool:
        """Whether neither denies what the other says: of each statement, by the one in the unit that is about it."""
        if self._is_foreign(item):
            return True
        held = [(statement, words_of(statement, self.language)) for statement in statements(item.text, self.language)]
        for statement in statements(asserted.text, self.language):
            words = words_of(statement, self.language)
            about, shared = max(
                ((text, len(words & known)) for text, known in held), key=lambda pair: pair[1], default=("", 0)
            )
            is_about = words and shared >= ABOUT * len(words)
            if is_about and is_negated(statement, self.language) != is_negated(about, self.language):
                return False
        return True


def stated_in(evidence: Sequence[Evidence], language: str) -> list[Stated]:
    """All units of the evidence, of passages without units their sentences; `language` is for those whose language is
    not known."""
    best = max((candidate.score for passage in evidence for candidate in passage.units), default=0.0)
    least = min(best, WORTH * best)
    return [item for index, passage in enumerate(evidence) for item in _units_of(passage, index, language, least)]


def _units_of(passage: Evidence, index: int, language: str, least: float) -> list[Stated]:
    units = sorted({candidate.unit for candidate in passage.units}, key=lambda unit: unit.start)
    known = passage.language or language
    if not units:
        return list(_sentences_of(passage.text, known, index, passage.about))
    fitting = {candidate.unit for candidate in passage.units if candidate.score >= least}
    stated = []
    before = ""
    for number, unit in enumerate(units):
        text = in_context(passage.text, unit)
        follows = number > 0 and units[number - 1].group == unit.group and unit.kind == "paragraph"
        before = before if follows and points_back(text, known) else ""
        lead = passage.text[unit.lead_start : unit.lead_end] if unit.lead_start is not None else ""
        heads, cells = _row(passage, unit, units) if unit.kind == "row" else ("", ())
        text = f"{heads}\n{text}" if heads else text
        stated.append(Stated(text, before, f"{passage.about} {lead}", known, index, unit, cells, unit in fitting))
        before = f"{before} {text}"
    return stated


def _row(passage: Evidence, unit: Unit, units: Sequence[Unit]) -> tuple[str, tuple[str, ...]]:
    """The lines of column headings, and the cells of a row, each with its label and headings."""
    lines = headings_of(passage, unit, units)
    label, *values = cells_of(passage.text[unit.start : unit.end]) or [""]
    heads = [cells_of(line) for line in lines]
    cells = []
    for place, value in enumerate(values, 1):
        above = [
            line[len(line) - len(values) - 1 + place] for line in heads if len(values) <= len(line) <= len(values) + 1
        ]
        cells.append(" ".join([label, *above, value]))
    return "\n".join(lines), tuple(cells)


def _sentences_of(text: str, language: str, index: int | None = None, about: str = "") -> list[Stated]:
    stated = []
    before = ""
    for start, end in sentences(text):
        sentence = text[start:end]
        before = before if points_back(sentence, language) else ""
        stated.append(Stated(sentence, before, about, language, index))
        before = f"{before} {sentence}"
    return stated


def _not_computed(numbers: Sequence[set[Decimal]]) -> list[set[Decimal]]:
    """The numbers without sum, difference, change in percent and quotient of two others, as they are rounded."""
    if not 3 <= len(numbers) <= MOST_NUMBERS:
        return list(numbers)
    values = [max(readings) for readings in numbers]
    kept = []
    for place, readings in enumerate(numbers):
        others = [value for other, value in enumerate(values) if other != place]
        computed = [result for left, right in permutations(others, 2) for result in _results(left, right)]
        if not any(round(result, _places(value)) == value for value in readings for result in computed):
            kept.append(readings)
    return kept if len(kept) > 1 else list(numbers)


def _results(left: Decimal, right: Decimal) -> list[Decimal]:
    sums = [left + right, abs(left - right)]
    return [*sums, left / right, 100 * abs(left - right) / right, 100 * left / right] if right else sums


def _places(value: Decimal) -> int:
    """The decimal places that a number is written with."""
    return max(0, -int(value.as_tuple().exponent))


def _clauses(language: str) -> re.Pattern[str]:
    """What parts the clauses of a sentence: commas, and words such as "and" and "but"."""
    words = "|".join(
        filter(None, (pattern("text.conjunctions", language), pattern("polarity.clause_breaks", language)))
    )
    return re.compile(rf"{_COMMA}|(?<!\w)(?:{words})(?!\w)" if words else _COMMA, re.IGNORECASE)


def _without_yes_or_no(sentence: str, language: str) -> str:
    """A "no" at the beginning answers the question and denies nothing in the sentence."""
    answers = "|".join(re.escape(phrase(f"polarity.{word}", language)) for word in ("yes", "no"))
    return re.sub(rf"^\W*(?:{answers})\s*[,.:;!，。：、—–-]+\s*", "", sentence, flags=re.IGNORECASE)
