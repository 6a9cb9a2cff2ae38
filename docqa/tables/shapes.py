"""From a question whose words have found their places to a plan, where it has one of the common shapes: counting,
measuring, ranking, listing.

It does not know two measures at once, arithmetic between columns, or comparisons of groups.
"""

from collections.abc import Sequence

from docqa.store.table_plan import Filter, Measure, Plan, StoredTable
from docqa.tables.conditions import filtered
from docqa.tables.parse import Item, NamedValues, items
from docqa.tables.words import VOCABULARY

TOP = 5  # of "the top products by price"
_MEASURES: tuple[Measure, ...] = ("sum", "mean", "median")


def plan(words: Sequence[str], language: str, table: StoredTable, values: NamedValues) -> Plan | None:
    """What a question of these words asks of the table; None where it is no question for it.

    `values` are those of the table among the question's phrases.
    """
    parts = items(words, language, table, values)
    conditions_and_rest = filtered(parts, table) if parts else None
    if conditions_and_rest is None:
        return None
    rest = _Rest(table, *conditions_and_rest)
    for shape in (rest.ranked, rest.measured, rest.counted, rest.listed):
        if made := shape():
            return made
    return None


class _Rest:
    """What is left of a question besides its conditions; each shape is None where the question has not exactly that
    shape."""

    def __init__(self, table: StoredTable, conditions: tuple[Filter, ...], rest: list[Item]) -> None:
        self.table = table
        self.conditions = conditions
        self.group, rest = _group(rest)
        self.columns = [item for item in rest if item.kind == "column"]
        self.kinds = {item.kind for item in rest if item.kind not in ("column", "number")}
        self.limits = [int(item.values[0] or 0) for item in rest if item.kind == "number"]

    def ranked(self) -> Plan | None:
        """The rows or groups at one end: the highest price, the top 3 products by price, which region has the highest
        total amount."""
        ends = self.kinds & {"highest", "lowest"}
        if len(ends) > 1 or not (ends or "top" in self.kinds) or len(self.limits) > 1:
            return None
        end: Measure = "lowest" if "lowest" in ends else "highest"
        limit = self.limits[0] if self.limits else 1 if ends else TOP
        by_group = self.group is not None and not self._is_amount(self.group)
        places = self._places(with_group=not by_group)
        measures = [place for place in places if self._is_amount(place)] or [
            place for place in places if self.table.columns[place].kind == "date"
        ]
        others = self.kinds - ends - {"top", "list"}
        if others - {"rows"} or not measures:
            # Groups can share the first place, so the others are shown too.
            return self._ranked_groups(others, limit if limit > 1 else None, ascending=end == "lowest")
        if len(measures) != 1 or len(self.columns) > 2:
            return None
        if by_group:  # the highest price of each category
            single = len(self.columns) == 1 and not self.limits and "top" not in self.kinds
            return Plan(end, measures[0], self.group, self.conditions) if single else None
        return Plan(end, measures[0], None, self.conditions, limit)

    def _ranked_groups(self, others: set[str], limit: int | None, *, ascending: bool) -> Plan | None:
        places = self._places(with_group=False)
        measures = [place for place in places if self._is_amount(place)]
        groups = [self.group] if self.group is not None else [place for place in places if not self._is_amount(place)]
        if len(others) == 1 and others <= {"sum", "mean"} and len(measures) == len(groups) == 1 and len(places) <= 2:
            return Plan("sum" if "sum" in others else "mean", measures[0], groups[0], self.conditions, limit, ascending)
        if others <= {"rows", "count"} and "rows" in others and len(groups) == 1 and not measures and len(places) <= 1:
            return Plan("rows", None, groups[0], self.conditions, limit, ascending)
        return None

    def measured(self) -> Plan | None:
        """The sum, mean or median of a column; its name may say so itself: what is the total amount?"""
        named = [measure for measure in _MEASURES if measure in self.kinds]
        if not named and self.kinds <= {"list"} and len(self.columns) == 1:
            [first, *_] = self.table.names[self.columns[0].place]
            named = [measure for measure in _MEASURES if VOCABULARY.get(first) == measure]
        if len(named) != 1 or not self.kinds <= {named[0], "list", "rows"} or len(self.columns) != 1 or self.limits:
            return None
        place = self.columns[0].place
        if not self._is_amount(place) or (named[0] == "median" and self.group is not None):
            return None
        return Plan(named[0], place, self.group, self.conditions)

    def counted(self) -> Plan | None:
        """How many rows there are, or how many different values a column has."""
        if "count" not in self.kinds or not self.kinds <= {"count", "rows", "different", "list"} or self.limits:
            return None
        if not self.columns and "different" not in self.kinds:
            is_told = "rows" in self.kinds or self.conditions or self.group is not None
            return Plan("rows", None, self.group, self.conditions) if is_told else None
        if len(self.columns) != 1 or "rows" in self.kinds or self._is_amount(self.columns[0].place):
            return None
        return Plan("different", self.columns[0].place, self.group, self.conditions)

    def listed(self) -> Plan | None:
        """The rows that the conditions let through, or the different values of a column."""
        if (
            not self.kinds & {"list", "different"}
            or not self.kinds <= {"list", "different", "rows"}
            or self.group is not None
            or self.limits
        ):
            return None
        if (
            len(self.columns) == 1
            and "rows" not in self.kinds
            and (self.conditions or not self._is_amount(self.columns[0].place))
        ):
            return Plan("different", self.columns[0].place, None, self.conditions, is_list=True)
        if not self.columns and self.kinds == {"list", "rows"} and self.conditions:
            return Plan("rows", None, None, self.conditions, is_list=True)
        return None

    def _places(self, *, with_group: bool) -> list[int]:
        return [item.place for item in self.columns] + ([self.group] if with_group and self.group is not None else [])

    def _is_amount(self, place: int) -> bool:
        return self.table.columns[place].is_amount


def _group(rest: Sequence[Item]) -> tuple[int | None, list[Item]]:
    """(the column after "by", or before it where the language has it so; what is left). A "by" without one stays, and
    no shape takes it."""
    by = [at for at, item in enumerate(rest) if item.kind == "group"]
    if len(by) == 1:
        for beside in (by[0] + 1, by[0] - 1):
            if 0 <= beside < len(rest) and rest[beside].kind == "column":
                return rest[beside].place, [item for at, item in enumerate(rest) if at not in (by[0], beside)]
    return None, list(rest)
