"""What each unit of the evidence states: its facts, its words, and what it is understood with."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

from docqa.answering.evidence import Evidence
from docqa.answering.polarity import is_negated
from docqa.answering.table_rows import headings_of, line_of, named_cells
from docqa.questions.wording import content, points_back
from docqa.text.facts import Claims, Facts
from docqa.text.sentences import sentences
from docqa.text.units import Unit, in_context
from docqa.text.values import in_words
from docqa.text.words import fold, is_dense, stem, terms

WORTH = 0.6  # of the best unit's score: what fits the question less does not answer it
LEAST_STEM = 3  # characters


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
        return Facts([self.text], self.language)

    @cached_property
    def named(self) -> Facts:
        """Those that a name may stand among."""
        return Facts([self.text, self.before, self.above], self.language)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the unit and of what it points back to."""
        return words_of(f"{self.text} {self.before}", self.language)

    @cached_property
    def cell_facts(self) -> tuple[Facts, ...]:
        """The facts of each cell."""
        return tuple(Facts([cell], self.language) for cell in self.cells)

    def make_out(self) -> None:
        """Make all of it that a comparison with a sentence begins with."""
        _ = self.words, self.facts.numbers, self.facts.dates, self.named.terms

    def holds(self, claims: Claims, codes: frozenset[str]) -> bool:
        """Whether all facts stand here; of a row in one cell, unless several of its values are named."""
        if not all(self.named.have(Claims([], [], claims.names))) or not codes <= self.named.terms:
            return False
        numbers = claims._replace(names=[])
        if not all(self.facts.have(numbers)):
            return False
        if len(self.cells) < 2 or len(claims.numbers) + len(claims.dates) < 2:
            return True
        if any(all(cell.have(numbers)) for cell in self.cell_facts):
            return True
        return sum(any(cell.have(numbers)) for cell in self.cell_facts) > 1 and len(claims.numbers) > 2


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
        return list(sentences_of(passage.text, known, index, passage.about))
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
    lines = headings_of(passage.text, passage.columns, unit, units)
    names, (label, *values) = named_cells(line_of(passage.text, unit), lines)
    cells = [" ".join(filter(None, (label, name, value))) for name, value in zip_longest(names[1:], values)]
    return "\n".join(lines), tuple(cells)


def sentences_of(text: str, language: str, index: int | None = None, about: str = "") -> list[Stated]:
    """The sentences of a text, of passage `index` if it is one; `about` is what the whole stands under."""
    stated = []
    before = ""
    for start, end in sentences(text):
        sentence = text[start:end]
        before = before if points_back(sentence, language) else ""
        stated.append(Stated(sentence, before, about, language, index))
        before = f"{before} {sentence}"
    return stated


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
