"""What a question asks of a table, as the reader takes it: the likeliest part of each column and value, made a plan.

After Hwang et al., "A Comprehensive Exploration on WikiSQL with Table-Aware Word Contextualization", 2019: each part of
a plan is chosen by itself from what the model makes of the columns beside the question.
"""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeVar

from docqa.formats.columns import Value
from docqa.models.reader import TableReading
from docqa.store.table_plan import Filter, Measure, Operator, Plan
from docqa.tables.counting.mentions import Mention
from docqa.tables.counting.view import View
from docqa.tables.reading.layout import Layout

# The outputs of the reader's heads. Of the whole table:
WHOLE = ("count", "list", "none", "ungrouped")
# Of a column: what is measured of it, how it groups, and what its cells are tested for.
MEASURES = ("sum", "mean", "highest", "lowest", "value", "different", "count_different")
GROUPS = ("most", "least", "each")
TESTS = ("missing", "present", "=", ">", ">=", "<", "<=", "zero", "contains", "!=")
OF_COLUMN = (*MEASURES, *GROUPS, *TESTS)
FIRST_TEST = len(MEASURES) + len(GROUPS)  # where those begin
# Of a value of a column:
OF_VALUE = ("=", "!=")
OUTPUTS = len(OF_COLUMN) + len(OF_VALUE)
_Part = TypeVar("_Part")
_OF_GROUPS: dict[str, Measure] = {"count": "rows", "sum": "sum", "mean": "mean"}
_BEYOND = ("share", "median")  # kinds of words that ask for what no part says
_OPERATORS: dict[str, Operator] = {"=": "=", ">": ">", ">=": ">=", "<": "<", "<=": "<="}


@dataclass(frozen=True)
class Parts:
    """The likeliest parts of a plan: what is measured of which column, None for the whole; by which groups in which
    order, None for no groups; the tests that hold, (number of the spot, test); and how likely all of it is right."""

    measure: tuple[str, int | None]
    group: tuple[str, int] | None
    holds: frozenset[tuple[int, str]]
    chance: float


def likeliest(layout: Layout, reading: TableReading) -> Parts:
    """The parts that the reader's scores say."""
    columns = [(spot.place, reading.spots[at]) for at, spot in enumerate(layout.spots) if spot.value is None]
    *whole, ungrouped = reading.whole
    measured: list[tuple[tuple[str, int | None], float]] = [
        ((name, None), score) for name, score in zip(WHOLE, whole, strict=False)
    ]
    measured += [((name, place), scores[at]) for place, scores in columns for at, name in enumerate(MEASURES)]
    grouped: list[tuple[tuple[str, int] | None, float]] = [(None, ungrouped)]
    grouped += [
        ((name, place), scores[at]) for place, scores in columns for at, name in enumerate(GROUPS, len(MEASURES))
    ]
    (measure, chance), (group, likely) = _best(measured), _best(grouped)
    chance *= likely
    holds = set[tuple[int, str]]()
    for number, (spot, scores) in enumerate(zip(layout.spots, reading.spots, strict=True)):
        names, first = (TESTS, FIRST_TEST) if spot.value is None else (OF_VALUE, len(OF_COLUMN))
        for name, score in zip(names, scores[first:], strict=False):
            chance /= 1 + math.exp(-abs(score))
            if score > 0:
                holds.add((number, name))
    return Parts(measure, group, frozenset(holds), chance)


def is_readable(kinds: AbstractSet[str], plan: Plan | None) -> bool:
    """Whether the parts can say what is meant, by the kinds of words in the question and the plan that they make, if
    they make one: shares, medians, times between dates, groups by months and products are for the words alone."""
    beyond = () if plan is None else (plan.times, plan.since, plan.period)
    return kinds.isdisjoint(_BEYOND) and all(part is None for part in beyond)


def _best(scored: Sequence[tuple[_Part, float]]) -> tuple[_Part, float]:
    """The part of the highest score, and its chance."""
    part, best = max(scored, key=lambda each: each[1])
    return part, 1 / sum(math.exp(score - best) for _, score in scored)


def planned(view: View, mentions: Sequence[Mention], layout: Layout, parts: Parts, limit: int = 1) -> Plan | None:
    """The plan of these parts, with the question's figures, of which `limit` says how many are wanted of a rank; None
    where they do not go together, the table does not answer, a test lacks its figure, or a figure has no part."""
    tests = _Tests(view, mentions)
    for number, test in sorted(parts.holds):
        spot = layout.spots[number]
        tests.add(spot.place, test, spot.value)
    filters = tests.filters()
    plan = None if filters is None else _plan(parts, tuple(filters), limit)
    is_of_words = plan and plan.place is not None and view.table.columns[plan.place].kind == "text"
    if plan and plan.measure in ("highest", "lowest") and is_of_words:  # the last of the alphabet is no highest
        return None
    return None if plan is None or tests.leave_out_figures(plan) else plan


class _Tests:
    """The filters so far, made with the numbers and periods that the question has."""

    def __init__(self, view: View, mentions: Sequence[Mention]) -> None:
        self._view = view
        self._numbers = [mention.values[0] for mention in mentions if mention.kind == "number"]
        self._periods = [mention.period for mention in mentions if mention.kind == "period" and mention.period]
        self._named: dict[int, set[Value]] = {}
        for mention in mentions:
            if mention.kind == "value" and mention.is_exact:
                self._named.setdefault(mention.place, set()).update(mention.values)
        self._values: dict[tuple[int, str], list[str]] = {}
        self._compared: dict[int, list[str]] = {}
        self._given: list[Filter] = []

    def add(self, place: int, name: str, value: str | None) -> None:
        """Take up a test."""
        if value is not None:
            self._values.setdefault((place, name), []).append(value)
        elif name == "missing":
            self._given.append(Filter(place, "missing"))
        elif name == "present":
            self._given.append(Filter(place, "present"))
        elif name == "zero":
            self._given.append(Filter(place, "=", (0,)))
        else:
            self._compared.setdefault(place, []).append(name)

    def filters(self) -> list[Filter] | None:
        """All of them; None where a number or a period is missing, or there are several."""
        made = [*self._given]
        for (place, name), values in self._values.items():
            operator: Operator = "=" if name == "=" else "!="
            # Of values that are alike, such as 9A and 9B, the one that the question has word for word.
            named = [value for value in values if value in self._named.get(place, ())]
            made.append(Filter(place, operator, tuple(named or values)))
        for place, names in self._compared.items():
            column = self._view.table.columns[place]
            of_dates = column.kind == "date"
            given = self._periods if of_dates else self._years if column.is_year else self._numbers
            if len(given) != 1:
                return None
            if of_dates:
                word = names[0] if len(names) == 1 and names[0] in _OPERATORS else "="
                made += self._periods[0].filters(place, word)
            elif len(names) > 1 or names[0] not in _OPERATORS or not isinstance(given[0], int | float):
                return None
            else:
                made.append(Filter(place, _OPERATORS[names[0]], (given[0],)))
        return made

    @property
    def _years(self) -> list[int]:
        return [int(period.start[:4]) for period in self._periods if period.start.endswith("-01-01")]

    def leave_out_figures(self, plan: Plan) -> bool:
        """Whether the question has a number or a period that the plan does not use."""
        numbers = {value for test in plan.filters for value in test.values} | {plan.limit}
        columns = (self._view.table.columns[test.place] for test in plan.filters if test.values)
        of_time = any(column.kind == "date" or column.is_year for column in columns)
        return bool(set(self._numbers) - numbers) or bool(self._periods) and not of_time


def _plan(parts: Parts, filters: tuple[Filter, ...], limit: int) -> Plan | None:
    measure, place = parts.measure
    counted = _OF_GROUPS.get(measure)
    if parts.group:
        order, group = parts.group
        if counted is None:
            return None
        return Plan(counted, place, group, filters, None if order == "each" else limit, ascending=order == "least")
    match measure:
        case "highest" | "lowest":
            return Plan(measure, place, None, filters, limit)
        case "list":
            return Plan("rows", None, None, filters, is_list=True) if filters else None
        case "value" | "different" | "count_different":
            return Plan("different", place, None, filters, is_list=measure != "count_different")
    # How many there are in all the words tell.
    return Plan(counted, place, None, filters) if counted and (filters or place is not None) else None
