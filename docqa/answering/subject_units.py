"""What units are about beside what their words say, before they are read: the title that they stand under, labels as
"step 3", and codes, which are all of a kind for a model."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TypeVar

from docqa.answering.sections import Blocks, Span, numbers_between
from docqa.questions.question import Part
from docqa.questions.wanted import Place
from docqa.search.introductions import explains, introduces
from docqa.search.passages import Passage, ScoredUnit
from docqa.search.weights import share, weights_among
from docqa.text.codes import codes, form
from docqa.text.detect import is_function_word
from docqa.text.units import Unit
from docqa.text.values import Date, dates
from docqa.text.words import terms

Named = TypeVar("Named")

HEADING = 1.0  # of how much a section's title is what is asked for, where it is to be explained


def titled(part: Part, passages: Sequence[Passage]) -> list[Passage]:
    """The passages, their units raised where they stand under a title that names what is asked for, be it that of
    their section or of a list or table in it: the share of the question's weight that it has, times the share of the
    question in it. What a section explains is often named in its title alone."""
    titles = {
        passage.chunk.id: [{_title(passage, scored.unit), _section(passage, scored.unit)} for scored in passage.units]
        for passage in passages
    }
    counts = Counter(
        term
        for passage in passages
        for scored, over in zip(passage.units, titles[passage.chunk.id], strict=True)
        for term in frozenset[str]().union(*over, terms(passage.text[scored.start : scored.end]))
    )
    weights = weights_among(part.terms, counts)

    def named(title: frozenset[str]) -> float:
        return share(weights, title) * len(title & weights.keys()) / len(title) if title else 0.0

    return [
        passage
        if passage.across
        else _raised(passage, (HEADING * max(map(named, over)) for over in titles[passage.chunk.id]))
        for passage in passages
    ]


def _raised(passage: Passage, gains: Iterable[float]) -> Passage:
    """The passage, the coverage of each of its units raised by what it gains."""
    pairs = zip(passage.units, gains, strict=True)
    return replace(passage, units=tuple(replace(scored, coverage=scored.coverage + gain) for scored, gain in pairs))


def _title(passage: Passage, unit: Unit) -> frozenset[str]:
    """The terms of the heading or line that a unit stands under."""
    return _meaning(passage.heading_of(unit))


def _section(passage: Passage, unit: Unit) -> frozenset[str]:
    """The terms of the heading of its section."""
    return _meaning(passage.section_of(unit))


def _meaning(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(text) if not is_function_word(term))


def introduced(part: Part, passages: Sequence[Passage]) -> list[Passage]:
    """The passages, their units raised where they introduce or explain what is asked about, or stand under it."""
    subject = part.subject
    title = _meaning(subject)

    def is_about(passage: Passage, scored: ScoredUnit) -> bool:
        text = passage.text[scored.start : scored.end]
        return introduces(text, subject) or explains(text, subject) or _title(passage, scored.unit) == title

    return [_raised(passage, (HEADING * is_about(passage, each) for each in passage.units)) for passage in passages]


def coded(part: Part, passages: Sequence[Passage]) -> list[Passage]:
    """The passages for a question that names a code, where they name that one and others of its form: units about it
    are raised, and those about the others left out."""
    forms = frozenset(map(form, part.codes))
    about = [list(_carried(passage, partial(_codes_in, forms=forms))) for passage in passages]
    all_named = frozenset(chain.from_iterable(chain.from_iterable(about)))
    if not part.codes & all_named or not all_named - part.codes:
        return list(passages)
    chosen = (
        _chosen(passage, (bool(named & part.codes) if named else None for named in of_units))
        for passage, of_units in zip(passages, about, strict=True)
    )
    return [passage for passage in chosen if passage]


def dated(part: Part, passages: Sequence[Passage]) -> list[Passage]:
    """The passages for a question that names a day, their units about it raised: of a diary or minutes each entry
    begins with its day, and what follows does not say it again."""
    days = [date for readings in part.claims.dates for date in readings if date.day]
    if not days:
        return list(passages)

    def is_on_day(dates_: frozenset[Date]) -> bool | None:
        return any(_same_day(date, day) for date in dates_ for day in days) or None

    chosen = (
        _chosen(passage, map(is_on_day, _carried(passage, lambda text: frozenset(chain.from_iterable(dates(text))))))
        for passage in passages
    )
    return [passage for passage in chosen if passage]


def _same_day(date: Date, other: Date) -> bool:
    """Whether both are one day; a year that one of them leaves out may be the other's."""
    same_year = date.year is None or other.year is None or date.year == other.year
    return same_year and date[1:] == other[1:]


def labelled(labels: Sequence[Place], blocks: Blocks, passages: Sequence[Passage]) -> list[Passage]:
    """The passages for a question that names labels of one word, given all of that word: units under them are raised,
    and those under the others left out."""
    numbers = {number for label in labels for number in numbers_between(label, blocks)}
    if not numbers:
        return list(passages)
    own, others = _Within(blocks, numbers), _Within(blocks, set(blocks).difference(numbers))
    chosen = (
        _chosen(
            passage,
            (own.holds(passage, each) or (False if others.holds(passage, each) else None) for each in passage.units),
        )
        for passage in passages
    )
    return [passage for passage in chosen if passage]


def _chosen(passage: Passage, about: Iterable[bool | None]) -> Passage | None:
    """The passage with its units as they are about what is asked for, about another of its kind, or about none: raised,
    left out, and as they are; None where no unit is left. Rows are lowered only, for from its first row a table has its
    headings."""
    units = []
    for scored, is_about in zip(passage.units, about, strict=True):
        if is_about is None:
            units.append(scored)
        elif is_about:
            units.append(replace(scored, coverage=(1 + scored.coverage) / 2))
        elif scored.unit.kind == "row":
            units.append(replace(scored, coverage=scored.coverage - 1))
    return replace(passage, units=tuple(units)) if units or not passage.units else None


class _Within:
    """The spans under some labels, by chunk."""

    def __init__(self, blocks: Blocks, numbers: Iterable[tuple[int, ...]]) -> None:
        self._spans: dict[int, list[Span]] = {}
        for span in chain.from_iterable(chain.from_iterable(blocks[number] for number in numbers)):
            self._spans.setdefault(span.chunk.id, []).append(span)

    def holds(self, passage: Passage, scored: ScoredUnit) -> bool:
        """Whether a unit of the passage begins in one of them."""
        start = scored.start - len(passage.before)
        return any(span.start <= start < span.end for span in self._spans.get(passage.chunk.id, ()))


def _codes_in(text: str, forms: frozenset[str]) -> frozenset[str]:
    """The codes of these forms in a text."""
    return frozenset(code for code in codes(text) if form(code) in forms)


def _carried(passage: Passage, named: Callable[[str], frozenset[Named]]) -> Iterator[frozenset[Named]]:
    """What each unit is about, of what is `named` in texts: that in itself, else that of the one before it in its
    paragraph, or of what it stands under."""
    before, group = frozenset[Named](), (0, 0)
    for scored in passage.units:
        unit = scored.unit
        own = named(passage.text[unit.start : unit.end])
        goes_on = unit.kind == "paragraph" and unit.group == group
        before, group = own or (before if goes_on else named(passage.heading_of(unit))), unit.group
        yield before
