"""What a unit stands in: the list that it is an item of, or its paragraph."""

from collections.abc import Sequence

from docqa.answering.evidence import Evidence
from docqa.answering.quoting import words_in
from docqa.questions.question import Kind
from docqa.text.units import Unit


def list_of(passage: Evidence, unit: Unit, kind: Kind, most: int) -> list[Unit]:
    """All units of the list that a unit is an item of; [] where there is none, it is longer than `most` words, or steps
    are asked for and these are clauses."""
    if unit.kind != "item" or words_in(passage.text[slice(*unit.group)]) > most:
        return []
    items = _items(passage, unit)
    if len(items) < 2 or kind == "procedure" and _are_clauses(items):
        return []
    return [unit for item in items for unit in item]


def sublist_of(passage: Evidence, unit: Unit, most: int) -> list[Unit]:
    """The units of a list that stand under the same item as this one; [] where there is none beside it, or they are
    longer than `most` words."""
    under = [other for other in _group(passage, unit) if (other.kind, other.lead_start) == ("item", unit.lead_start)]
    words = sum(words_in(passage.text[other.start : other.end]) for other in under)
    return under if 1 < len(under) < len(_group(passage, unit)) and words <= most else []


def _are_clauses(items: Sequence[Sequence[Unit]]) -> bool:
    """Whether most items of a list are paragraphs of several sentences, which are no steps."""
    return sum(len(item) > 1 for item in items) * 2 > len(items)


def paragraph_of(passage: Evidence, unit: Unit) -> list[Unit]:
    """The sentences of the paragraph that a unit stands in, or of its clause, where its list has such; [] of any other
    unit."""
    if unit.kind == "paragraph":
        return _group(passage, unit)
    if unit.kind != "item" or not _are_clauses(items := _items(passage, unit)):
        return []
    return next(item for item in items if unit in item)


def _items(passage: Evidence, unit: Unit) -> list[list[Unit]]:
    """The items of the list that a unit stands in: each with its sentences, for of a long one each is a unit."""
    items: list[list[Unit]] = []
    for other in _group(passage, unit):
        if other.kind != "item":
            continue
        if items and "\n" not in passage.text[items[-1][-1].end : other.start]:
            items[-1].append(other)
        else:
            items.append([other])
    return items


def _group(passage: Evidence, unit: Unit) -> list[Unit]:
    return [other for other in _units(passage) if other.group == unit.group]


def _units(passage: Evidence) -> list[Unit]:
    """The units of a passage, each once, in its order."""
    return list(dict.fromkeys(candidate.unit for candidate in passage.units))
