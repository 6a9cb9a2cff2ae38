"""From what the words of a question mean in a table to a plan: what is measured, of which rows, in which groups.

It fills the parts of a plan one by one instead of demanding that every word has its place; words that were understood
as nothing are counted, and a plan that leaves out something important is not carried out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from docqa.languages import words
from docqa.store.table_plan import Filter, Measure, Plan
from docqa.tables.counting.measures import Measures
from docqa.tables.counting.roles import AGGREGATES, COMPARING, HIGH, LOW
from docqa.tables.headings import CONCEPTS, in_concept
from docqa.tables.words import listed, spoken
from docqa.text.keys import key

AMOUNT_WORDS = ("sum", "mean", "median", "count", "share", "duration", "how_much", "top", *HIGH, *LOW)
_MEASURING = ("count", "how_much", "sum", "mean", "median")
_OF_LISTS = ("list", "different", "rows")
_OF_CONDITIONS = ("column", "value", "period", "number", "or", "missing", "negation", *COMPARING)


@cache
def _plain_rows(language: str) -> frozenset[str]:
    """The words for rows of any table."""
    return frozenset(key(word) for code in ("en", language) for word in words("tables.rows", code))


@dataclass(frozen=True)
class Intent:
    """A plan, and the words of the question that it does not account for."""

    plan: Plan
    unknown: tuple[str, ...] = ()
    noun: str = ""  # the question's word for rows


class Composer(Measures):
    """Makes the plan of one question from its mentions."""

    def intent(self) -> Intent | None:
        """The plan; None where the question is not one of counting, measuring, ranking or looking up."""
        self._limits_and_comparisons()
        self._columns_compared()
        self._conditions()
        group, period = self._group()
        several_columns = len({test.place for test in self.filters}) > 1
        if {"highest", "lowest"} <= self.kinds or ("or" in self.kinds and several_columns):
            return None  # two things are asked
        plan = self._plan(group, period) or self._listed(group) or self._existing(group)
        plan = self.meant(plan) if plan else None
        unknown = (*self._unknown_beside(plan), *self._unaccounted(plan)) if plan else ()
        if (plan is None or unknown) and self._names_row():
            return Intent(Plan("rows", filters=tuple(self.filters), is_list=True))
        return Intent(plan, unknown, self.noun) if plan else None

    def column_wanted(self) -> int | None:
        """The column that a message asks for which says nothing else: who was its nurse?"""
        columns = [m.place for at, m in enumerate(self.core) if m.kind == "column" and at not in self.used]
        if len(set(columns)) == 1:
            return columns[0]
        if columns or self.kinds.isdisjoint(("person", "time")):
            return None
        return self._people() if "person" in self.kinds else self._date_wanted()

    def ranked_among(self, filters: Sequence[Filter]) -> Plan | None:
        """The first of the rows that pass these filters, where a message asks which is, and says nothing else: which of
        them was the highest?"""
        low = bool(self.kinds & set(LOW))
        says_else = self.kinds - {"list", "rows", *HIGH, *LOW}
        if says_else or low == bool(self.kinds & set(HIGH)) or not (amounts := self._main_amount()):
            return None
        return Plan("lowest" if low else "highest", amounts[0], None, tuple(filters), 1)

    def is_of_named_row(self, plan: Plan) -> bool:
        """Whether a plan is for a row as a whole that is named, or for those that share a code."""
        picks = self.view.picks_a_row(plan.filters) or self.view.picks_by_code(plan.filters)
        return plan.measure == "rows" and plan.gives_rows and picks

    def contradicts(self, plan: Plan, of_words: Plan | None) -> bool:
        """Whether another reading of the question leaves out what it says: in total, or the second of two things that
        are asked of a row, of a complete plan of its words; or measures a column for a thing that no column is of: the
        age, by visits."""
        if of_words is not None and self.form.asks_more and self.is_of_named_row(of_words):
            return plan.measure != "rows"
        if (
            of_words is not None
            and of_words.measure in self.kinds & set(AGGREGATES)
            and plan.measure != of_words.measure
        ):
            return True
        concepts = self.view.headings[plan.place].concepts if plan.place is not None else CONCEPTS
        missed = (concept for concept in CONCEPTS if concept not in concepts)
        return any(in_concept(word, concept, self.language) for concept in missed for word in self.unknown())

    def _unknown_beside(self, plan: Plan) -> tuple[str, ...]:
        """The words that mean nothing, but for what "who" does where the plan measures a column that is named: who
        drove the most kilometres? That money moves is no news where the plan measures money, or where what it was paid
        with follows."""
        named = any(m.kind == "column" and m.is_exact and m.place == plan.place for m in self.core)
        does = {self.tokens[b.start] for a, b in pairwise(self.all) if a.kind == "person" and b.kind == "unknown"}
        is_of_money = plan.place in (*self.view.of_money, *self.view.totals)
        pays = [] if is_of_money else self._paid_with_nothing()
        return (*(word for word in self.unknown() if not (named and word in does)), *pays)

    def _paid_with_nothing(self) -> list[str]:
        """The words that money is paid or comes in which no value follows."""
        following = [m for m in self.all if m.kind not in ("filler", "=", "group")]
        lonely = (
            a for a, b in pairwise([*following, None]) if a and a.kind == "paying" and (not b or b.kind != "value")
        )
        return [" ".join(self.tokens[m.start : m.end]) for m in lonely]

    def _names_row(self) -> bool:
        """Whether a number or code stands for one row: that row has all there is to say, whatever is not understood."""
        named = (m for m in self.core if m.kind == "value" and m.is_exact and m.place in self.view.identifiers)
        return self.form.wants_facts and any(any(map(str.isdigit, str(m.values))) for m in named)

    def _listed(self, group: int | None) -> Plan | None:
        """The rows that the conditions let through, or the different values of a column, where the question says
        nothing else: which orders are open, what regions are there."""
        said_else = self.kinds - {*_OF_LISTS, *_OF_CONDITIONS}
        asks_for_rows = self.kinds & {"list", "different"} or "rows" in self.kinds and not self.form.is_whether
        if group is not None or said_else or not asks_for_rows or self.unknown():
            return None
        columns = [m.place for at, m in enumerate(self.core) if m.kind == "column" and at not in self.used]
        filters = tuple(self.filters)
        are_amounts = len(columns) == 1 and self.view.is_amount(columns[0])  # list all expenses for food
        if len(columns) == 1 and "rows" not in self.kinds and not are_amounts:
            return Plan("different", columns[0], None, filters, is_list=True)
        return Plan("rows", None, None, filters, is_list=True) if filters and (are_amounts or not columns) else None

    def _existing(self, group: int | None) -> Plan | None:
        """The rows that the conditions let through, where it is asked whether there are any."""
        filters = tuple(self.filters)
        if not self.form.is_whether or not filters or group is not None or self.compares or self.unknown():
            return None
        return Plan("rows", None, None, filters, is_list=True)

    def _unaccounted(self, plan: Plan) -> tuple[str, ...]:
        """The words for columns and values that the plan has no part for: another thing is asked besides. "All
        buildings" are all rows. The one row that is the first of all has what else is asked of it."""
        every = listed("every", self.language)
        return tuple(
            " ".join(self.tokens[m.start : m.end])
            for at, m in enumerate(self.core)
            if m.kind in ("column", "number", "period")
            and at not in self.used
            and m.place not in plan.places
            and m.is_exact
            and not (m.start and self.tokens[m.start - 1] in every)
            and not (plan.gives_rows and (m.place in self.view.identifiers or self.view.picks_a_row(plan.filters)))
            and not (plan.gives_rows and plan.limit == 1 and self.view.is_of_text(m.place))
        )

    def meant(self, plan: Plan) -> Plan | None:
        """The plan as the table's rows have it, None where they do not."""
        several = self._of_several_rows(plan)
        if several is None:
            return None
        if several.measure == "sum" and several.times is None:  # a sum of prices of one piece is nothing
            several = self._of_product(several, "sum")
        return self._with_sign(several)

    def _with_sign(self, plan: Plan) -> Plan:
        """The plan; of what is paid out or comes in, where a column has both, of that alone: the highest expense is the
        lowest amount."""
        if plan.place is None or not self.view.is_signed(plan.place) or plan.measure in ("rows", "different", "share"):
            return plan
        own = set(self.view.headings[plan.place].words)  # a variance of costs is no cost
        goes_out, comes_in = (bool(spoken(name, self.tokens, self.language) - own) for name in ("outgoing", "incoming"))
        if goes_out == comes_in or any(test.place == plan.place for test in plan.filters):
            return plan
        plan = replace(plan, filters=(*plan.filters, Filter(plan.place, "<" if goes_out else ">", (0,))))
        if comes_in or plan.limit is None and plan.group is None:
            return plan
        ends: dict[Measure, Measure] = {"highest": "lowest", "lowest": "highest"}
        return replace(plan, measure=ends.get(plan.measure, plan.measure), ascending=not plan.ascending)

    def _of_several_rows(self, plan: Plan) -> Plan | None:
        """The plan; of a number of rows that can only be one for each name, the row instead: "how many staplers do we
        have" asks for what stands there. None where names would be ranked by it."""
        if plan.measure != "rows" or plan.is_list:
            return plan
        if plan.group is not None and plan.group in self.view.identifiers:
            return None
        if any(m.kind == "rows" and m.is_exact for m in self.core) or not self.view.picks_a_row(plan.filters):
            return plan
        return replace(plan, is_list=True)

    @property
    def asks_to_count(self) -> bool:
        """Whether the question has a word of counting or measuring and names something of the table."""
        return bool(self.kinds & set(AMOUNT_WORDS)) and bool(self.kinds & {"column", "value", "rows", "period"})

    @property
    def lacks_measured(self) -> bool:
        """Whether a word that means nothing here stands right behind one of counting or measuring."""
        return any(a.kind in _MEASURING and b.kind == "unknown" for a, b in pairwise(self.all))

    @property
    def noun(self) -> str:
        """The question's word for rows, "" where it has none but those for rows of any table."""
        rows = (m for m in self.core if m.kind == "rows")
        nouns = [" ".join(self.tokens[m.start : m.end]) for m in rows if m.is_exact]
        return "" if _plain_rows(self.language) & set(nouns) else next(iter(nouns), "")

    def unknown(self) -> tuple[str, ...]:
        """The words that mean nothing here. One right after a value or a column belongs to its name: phone calls,
        satisfaction level."""
        missed, compared = [], listed("higher", self.language) | listed("lower", self.language)
        for before, mention in pairwise([None, *self.all]):
            if mention is None or mention.kind != "unknown":
                continue
            named = before is not None and before.kind in ("value", "column") and before.is_exact
            if named and before is not None and before.end == mention.start:
                continue
            if self.tokens[mention.start] not in compared:
                missed.append(self.tokens[mention.start])
        return tuple(missed)
