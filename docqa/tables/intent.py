"""From what the words of a question mean in a table to a plan: what is measured, of which rows, in which groups.

It fills the parts of a plan one by one instead of demanding that every word has its place; words that were understood
as nothing are counted, and a plan that leaves out something important is not carried out.
"""

from dataclasses import dataclass
from itertools import pairwise

from docqa.store.table_plan import Plan
from docqa.tables.measures import Measures
from docqa.tables.roles import HIGH, LOW

AMOUNT_WORDS = ("sum", "mean", "median", "count", "share", "duration", "how_much", "top", *HIGH, *LOW)


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
        self._conditions()
        group, period = self._group()
        plan = self._plan(group, period)
        if plan is None:
            return None
        return Intent(plan, (*self._unknown(), *self._unaccounted(plan)), self._noun())

    def _unaccounted(self, plan: Plan) -> tuple[str, ...]:
        """The words for columns and values that the plan has no part for: another thing is asked besides."""
        return tuple(
            " ".join(self.tokens[m.start : m.end])
            for at, m in enumerate(self.core)
            if m.kind in ("column", "number", "period")
            and at not in self.used
            and m.place not in plan.places
            and m.is_exact
            and not (plan.gives_rows and m.place in self.view.identifiers)
        )

    @property
    def asks_to_count(self) -> bool:
        """Whether the question has a word of counting or measuring and names something of the table."""
        return bool(self.kinds & set(AMOUNT_WORDS)) and bool(self.kinds & {"column", "value", "rows", "period"})

    def _noun(self) -> str:
        return next((" ".join(self.tokens[m.start : m.end]) for m in self.core if m.kind == "rows"), "")

    def _unknown(self) -> tuple[str, ...]:
        """The words that mean nothing here. One right after a value or a column belongs to its name: phone calls,
        satisfaction level."""
        missed = []
        for before, mention in pairwise([None, *self.all]):
            if mention is None or mention.kind != "unknown":
                continue
            if before is not None and before.kind in ("value", "column") and before.end == mention.start:
                continue
            missed.append(self.tokens[mention.start])
        return tuple(missed)
