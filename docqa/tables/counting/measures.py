"""What a question measures: rows, a column, a share, the time between two dates, the ends of a rank."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from docqa.store.table_plan import Filter, Measure, Period, Plan
from docqa.tables.counting.mentions import Mention
from docqa.tables.counting.named_rows import NamedRows
from docqa.tables.counting.roles import AGGREGATES, HIGH, LOW
from docqa.tables.headings import CONCEPTS, NEAR, in_concept, likeness, moves_money
from docqa.tables.words import listed, spoken

# What a rank is by where the question names no column.
_RANKED_BY = (
    ({"cheapest", "dearest"}, {"price", "money"}),
    ({"fastest", "slowest"}, {"time_taken"}),
    ({"best", "worst"}, {"rating"}),
)
TOP = 5  # of "the top products by price"


class Measures(NamedRows):
    """Makes a plan of the conditions and groups, and of what is measured."""

    def _plan(self, group: int | None, period: Period | None) -> Plan | None:
        kinds = self.kinds
        filters = tuple(self.filters)
        low = bool(kinds & set(LOW)) and not kinds & set(HIGH)
        ranked = bool(kinds & {*HIGH, *LOW, "top"})
        limit = self.limit or ((1 if kinds & {*HIGH, *LOW} else TOP) if ranked else None)
        if self._asks_for_row(filters):
            own = tuple(test for test in filters if self.view.picks_a_row([test]))
            return Plan("rows", None, None, own or filters, is_list=True)
        if "share" in kinds and (plan := self._share(group, period, limit, low)):
            return plan
        if plan := self._duration(group, period, limit, low):
            return plan
        aggregate = next((measure for measure in AGGREGATES if measure in kinds), None)
        amounts = self._amounts()
        counts_rows = self._counts_rows()
        if not amounts and not counts_rows and "duration" not in kinds and kinds & {"mean", "median", "how_much"}:
            amounts = self._main_amount()
        if not amounts and kinds.isdisjoint(("rows", "count")) and self._speaks_of_paying():
            amounts = self._main_amount()
        if group is None and kinds.isdisjoint((*HIGH, *LOW)) and (compared := self._compared()) is not None:
            group = compared
        if ranked and (aged := self._by_age(group, filters, limit or 1)):
            return aged
        if ranked and self._ranks_rows() and not period:
            group = None
        if ranked:
            return self._ranked(group, period, amounts, aggregate, limit or 1, low=low)
        if amounts and counts_rows and not aggregate:
            return self._counted(group, period, filters)
        if amounts and (aggregate or group is not None or self._asks_how_much()):
            place = amounts[0]
            if "count" in kinds and not aggregate and self._is_money_for_something(place):
                return None
            measure: Measure = aggregate or self._usual(place)
            if group is not None and measure == "median":
                return None
            if aggregate is None and group is None and self.view.picks_a_row(filters):
                return Plan("different", place, None, filters, is_list=True)
            return self._of_product(Plan(measure, place, group, filters, period=period), aggregate)
        if aggregate in ("mean", "median"):
            return None
        if "different" in kinds or ("count" in kinds and self._counts_values(group)):
            named = [m.place for at, m in enumerate(self.core) if m.kind == "column" and at not in self.used]
            if named and not self.view.is_amount(named[0]):
                return Plan("different", named[0], group, filters, is_list="count" not in kinds)
        if "count" in kinds or group is not None or (kinds & {"sum", "how_much"} and "rows" in kinds):
            return self._counted(group, period, filters)
        return self._looked_up(filters)

    def _speaks_of_paying(self) -> bool:
        """Whether a word says that money is paid or comes in, also as a value: who has paid the most?"""
        said = (" ".join(self.tokens[m.start : m.end]) for m in self.all if m.kind in ("paying", "value"))
        return any(moves_money(phrase, self.language) for phrase in said)

    def _counted(self, group: int | None, period: Period | None, filters: tuple[Filter, ...]) -> Plan | None:
        """The number of rows; of an amount that is named beside, of those that have one."""
        given = [
            Filter(m.place, "present")
            for at, m in enumerate(self.core)
            if m.kind == "column" and at not in self.used and m.place != group and self.view.has_gaps(m.place)
        ]
        if "count" not in self.kinds and given:
            return None
        if "rows" not in self.kinds and not filters and not given and group is None:
            return None
        return Plan("rows", None, group, (*filters, *given), period=period)

    def _counts_values(self, group: int | None) -> bool:
        """Whether "how many" asks for the values of a column: how many customers are there?"""
        columns = [m.place for at, m in enumerate(self.core) if m.kind == "column" and at not in self.used]
        return (
            "rows" not in self.kinds
            and len(columns) == 1
            and columns[0] != group
            and not self.view.is_amount(columns[0])
            and not (columns[0] in self.view.dates)
        )

    def _counts_rows(self) -> bool:
        """Whether "how many" stands right before the word for rows: how many orders."""
        return any(a.kind == "count" and b.kind in ("rows", "value") for a, b in pairwise(self.core)) and any(
            m.kind == "rows" for m in self.core
        )

    def _asks_how_much(self) -> bool:
        named = [m for m in self.core if m.kind == "column" and m.is_exact]
        bare = {"column", "value", "period", "list", "rows"}
        says_what = any(
            a.kind == "list" and b.kind == "=" for a, b in pairwise(self.all)
        )  # what is the revenue in May?
        if not named and self.kinds <= bare - (set() if says_what else {"list"}):  # what the trips cost, of Costs
            named = [m for m in self.core if m.kind == "column" and m.place in self.view.of_money]
        if any(
            m.kind == "column" and spoken("duration", self.tokens[m.start : m.end], self.language) for m in self.core
        ):
            return True  # how long does it take?
        return bool(self.kinds & {"how_much", "count", "sum"}) or (
            bool(named) and (self.kinds <= {"column"} or self.kinds <= bare and self._is_sum(named[0].place))
        )

    def _is_money_for_something(self, place: int) -> bool:
        """Whether it is a column of money, which the question does not speak of: how many employees, of their costs."""
        is_named = any(
            in_concept(word, concept, self.language) for word in self.tokens for concept in ("money", "price", "costs")
        )
        return place in self.view.of_money and not is_named

    def _is_sum(self, place: int) -> bool:
        return self.view.is_amount(place) and not self.view.headings[place].is_rate

    def _by_age(self, group: int | None, filters: Sequence[Filter], limit: int) -> Plan | None:
        """The oldest or the youngest rows, where a column has ages."""
        ages = [p for p, known in enumerate(self.view.headings) if "age" in known.concepts and self.view.is_amount(p)]
        if not ages or not any(in_concept(token, "age", self.language) for token in self.tokens):
            return None
        if any(m.kind == "column" and m.place != group and not self._is_age(m) for m in self.core):
            return None
        is_low = "youngest" in self.kinds
        if group is None or group in self.view.identifiers:
            return Plan("lowest" if is_low else "highest", ages[0], None, tuple(filters), limit)
        return Plan("mean", ages[0], group, tuple(filters), limit, is_low)

    def _ranks_rows(self) -> bool:
        """Whether it is a row that is the first of its kind: the most expensive visit, not the most visits; which visit
        was the most expensive?"""
        ends, most = {*HIGH, *LOW}, listed("most", self.language)
        return any(
            a.kind in ends and self.tokens[a.end - 1] not in most or a.kind == "list" and self._ends_at(b)
            for a, b in pairwise(self.core)
            if b.kind == "rows" or b.kind == "column" and b.place in self.view.identifiers
        ) or any(a.kind == "rows" and b.kind in ends and b is self.core[-1] for a, b in pairwise(self.core))

    def _ends_at(self, noun: Mention) -> bool:
        """Whether no name of a column follows the noun right behind: which visit, not which visit reason."""
        return not any(m.kind == "column" and m.start == noun.end for m in self.core)

    def _is_of_number(self) -> bool:
        """Whether the rank is one of how many: of what we have the most."""
        ranks = (" ".join(self.tokens[m.start : m.end]) for m in self.core if m.kind in (*HIGH, *LOW))
        return not listed("most", self.language).isdisjoint(ranks)

    def _in_stock(self) -> list[int]:
        """The column of how many there are of each, by which a row has the most."""
        places = [place for place, known in enumerate(self.view.headings) if "quantity" in known.concepts]
        places = [place for place in places if self._is_sum(place)]
        own = [place for place in places if not any(self.view.is_kind_of(place, other) for other in places)]
        return own[:1] or self._main_amount()  # no minimum stock

    def _is_age(self, mention: Mention) -> bool:
        return "age" in self.view.headings[mention.place].concepts or mention.place in self.view.identifiers

    def _usual(self, place: int) -> Measure:
        return "mean" if self.view.headings[place].is_rate else "sum"

    def _of_product(self, plan: Plan, aggregate: Measure | None) -> Plan:
        """The plan over price times quantity, where money is asked for that only they give."""
        assert plan.place is not None
        times = self._times(plan.place)
        return plan if times is None else replace(plan, times=times, measure=plan.measure if aggregate else "sum")

    def _times(self, place: int) -> int | None:
        """The column of quantities that a price is multiplied with where money is asked for and no column has it."""
        known = self.view.headings[place]
        named = any(m.kind == "column" and m.place == place and m.is_exact for m in self.core)
        is_said = any(in_concept(token, "price", self.language) for token in self.tokens)
        if named or is_said or "price" not in known.concepts:
            return None
        return next(
            (
                p
                for p, h in enumerate(self.view.headings)
                if "quantity" in h.concepts and "price" not in h.concepts and self.view.is_amount(p)
            ),
            None,
        )

    def _ranked(
        self,
        group: int | None,
        period: Period | None,
        amounts: list[int],
        aggregate: Measure | None,
        limit: int,
        *,
        low: bool,
    ) -> Plan | None:
        filters = tuple(self.filters)
        if not amounts and period and self.kinds & {"best", "worst"}:
            amounts = [place for place in self._main_amount() if self._is_sum(place)]
        for kinds, concepts in _RANKED_BY:
            if not amounts and self.kinds & kinds:
                amounts = [
                    place
                    for place, known in enumerate(self.view.headings)
                    if known.concepts & concepts and self.view.is_amount(place)
                ][:1]
        end: Measure = "lowest" if low else "highest"
        if group in self.view.identifiers and amounts:  # each has a row of its own
            return Plan(end, amounts[0], None, filters, limit)
        if group is not None:
            if not amounts and self.kinds & {"best", "worst"}:
                amounts = [place for place in self._main_amount() if self._is_sum(place)]
            if not amounts and (group in self.view.identifiers or not self._counts_in_rank()):
                return None
            if not amounts:
                return Plan("rows", None, group, filters, limit, low, period=period)
            place = amounts[0]
            measure: Measure = aggregate or self._usual(place)
            if measure == "median":
                return None
            each_end = "group" in self.kinds and self.kinds.isdisjoint(("list", "top"))
            if each_end and not aggregate and self.kinds & {"highest", "lowest"}:  # the highest price of each region
                return Plan(end, place, group, filters)
            return self._of_product(Plan(measure, place, group, filters, limit, low, period=period), aggregate)
        if not amounts and self._ranks_rows() and self.kinds.isdisjoint(("fastest", "slowest", "youngest")):
            amounts = self._in_stock() if self._is_of_number() else self._main_amount()
        if amounts:
            return Plan(end, amounts[0], None, filters, limit)
        dates = [
            m.place
            for at, m in enumerate(self.core)
            if m.kind == "column" and m.place in self.view.dates and at not in self.used
        ]
        return Plan(end, dates[0], None, filters, limit) if dates else None

    def _duration(self, group: int | None, period: Period | None, limit: int | None, low: bool) -> Plan | None:
        """The days between two dates: from opening to closing, until delivery."""
        dates = self.view.dates
        spans = self.kinds & {"duration", "fastest", "slowest"}
        if len(dates) < 2 or not (spans or self.kinds & {"mean", "median"} and "time_taken" in self._concepts()):
            return None
        if any(m.kind == "column" and m.is_exact and self.view.is_amount(m.place) for m in self.core):
            return None
        named = [place for place in dates if self._named(place) >= NEAR]
        is_plain = "duration" in self.kinds or (spans and "rows" in self.kinds)
        if not named and (len(dates) > 2 or not is_plain):
            return None
        if len(named) < 2:
            end = next((place for place in named if place != dates[0]), dates[-1])
            named = [dates[0], end]
        start, end = named[0], named[-1]
        aggregate: Measure = "median" if "median" in self.kinds else "mean"
        words_of_dates = {at for at, m in enumerate(self.core) if m.place in (start, end)}
        filters = tuple(test for test in self.filters if not self._is_date_word(test))
        self.used |= words_of_dates
        for place in (start, end):
            self._use_likeness(place)
        if self.kinds & {"fastest", "slowest", "highest", "lowest"} and group is None:
            is_low = bool(self.kinds & {"fastest", "lowest"})
            return Plan("lowest" if is_low else "highest", end, None, filters, limit or 1, since=start)
        if group is not None and "median" in self.kinds:
            return None
        ascending = low or "fastest" in self.kinds
        return Plan(
            aggregate, end, group, filters, limit if group is not None else None, ascending, since=start, period=period
        )

    def _concepts(self) -> set[str]:
        return {c for c in CONCEPTS for token in self.tokens if in_concept(token, c, self.language)}

    def _is_date_word(self, test: Filter) -> bool:
        """Whether a condition came of a word that names a date: closed, for Closed."""
        dates = self.view.dates
        return any(
            likeness(str(value).casefold(), word, self.language) >= NEAR
            for value in test.values
            for place in dates
            for word in self.view.headings[place].words
        )
