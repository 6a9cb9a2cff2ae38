"""What units are about beside what their words say, before they are read: the title that they stand under, and codes,
which are all of a kind for a model."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from docqa.questions.question import Part
from docqa.search.passages import Passage
from docqa.search.weights import share, weights_among
from docqa.text.codes import codes, form
from docqa.text.detect import is_function_word
from docqa.text.units import Unit
from docqa.text.words import terms

HEADING = 1.0  # of how much a section's title is what is asked for, where it is to be explained


def titled(part: Part, passages: Sequence[Passage]) -> list[Passage]:
    """The passages, their units raised where they stand under a title that names what is asked for: the share of the
    question's weight that it has, times the share of the question in it. What a section explains is often named in its
    title alone."""
    titles = {passage.chunk.id: [_title(passage, scored.unit) for scored in passage.units] for passage in passages}
    counts = Counter(
        term
        for passage in passages
        for scored, title in zip(passage.units, titles[passage.chunk.id], strict=True)
        for term in title.union(terms(passage.text[scored.start : scored.end]))
    )
    weights = weights_among(part.terms, counts)

    def named(title: frozenset[str]) -> float:
        return share(weights, title) * len(title & weights.keys()) / len(title) if title else 0.0

    return [
        passage
        if passage.across
        else replace(
            passage,
            units=tuple(
                replace(scored, coverage=scored.coverage + HEADING * named(title))
                for scored, title in zip(passage.units, titles[passage.chunk.id], strict=True)
            ),
        )
        for passage in passages
    ]


def _title(passage: Passage, unit: Unit) -> frozenset[str]:
    """The terms of the heading or line that a unit stands under."""
    return frozenset(term for term in terms(passage.heading_of(unit)) if not is_function_word(term))


def coded(part: Part, passages: Sequence[Passage]) -> list[Passage]:
    """The passages for a question that names a code, where they name that one and others of its form: units about it
    are raised, and those about the others left out. Rows of these are lowered only, for from its first row a table has
    its headings."""
    forms = frozenset(map(form, part.codes))
    about = [list(_codes_of(passage, forms)) for passage in passages]
    all_named = frozenset(chain.from_iterable(chain.from_iterable(about)))
    if not part.codes & all_named or not all_named - part.codes:
        return list(passages)
    kept = []
    for passage, of_units in zip(passages, about, strict=True):
        units = []
        for scored, named in zip(passage.units, of_units, strict=True):
            if not named:
                units.append(scored)
            elif named & part.codes:
                units.append(replace(scored, coverage=(1 + scored.coverage) / 2))
            elif scored.unit.kind == "row":
                units.append(replace(scored, coverage=scored.coverage - 1))
        if units or not passage.units:
            kept.append(replace(passage, units=tuple(units)))
    return kept


def _codes_of(passage: Passage, forms: frozenset[str]) -> Iterator[frozenset[str]]:
    """The codes of these forms that each unit is about: that it names, else the one before it in its paragraph, or what
    it stands under."""

    def codes_in(text: str) -> frozenset[str]:
        return frozenset(code for code in codes(text) if form(code) in forms)

    before, group = frozenset[str](), (0, 0)
    for scored in passage.units:
        unit = scored.unit
        own = codes_in(passage.text[unit.start : unit.end])
        goes_on = unit.kind == "paragraph" and unit.group == group
        before, group = own or (before if goes_on else codes_in(passage.heading_of(unit))), unit.group
        yield before
