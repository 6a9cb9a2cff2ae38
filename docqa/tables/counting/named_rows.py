"""What a question asks of rows that it names: their cells, or all that they have."""

from itertools import pairwise

from docqa.store.table_plan import Filter, Plan
from docqa.tables.counting.groups import PERIODS
from docqa.tables.counting.roles import AGGREGATES, HIGH, LOW
from docqa.tables.counting.shares import Shares
from docqa.tables.headings import NEAR


class NamedRows(Shares):
    """Makes a plan of the rows that the conditions name."""

    def _asks_for_row(self, filters: tuple[Filter, ...]) -> bool:
        """Whether several things are asked of a row that is named: who is M-12, and what do they pay? Of rows that have
        a code in common nothing may be computed: who saw P-12, and on what day?"""
        computes = self.kinds & {"count", "how_much", "share", "top", *AGGREGATES, *HIGH, *LOW}
        if not self.view.picks_a_row(filters) and (computes or not self.view.picks_by_code(filters)):
            return False
        columns = {m.place for at, m in enumerate(self.core) if m.kind == "column" and at not in self.used}
        kinds = self.kinds & {"person", "time", "how_much"}
        if any(a.kind == "list" and b.kind in PERIODS for a, b in pairwise(self.core)):
            kinds |= {"time"}
        return self.form.asks_more or len(columns) > 1 or len(kinds) > 1 or bool(columns and "person" in kinds)

    def _date_wanted(self) -> int | None:
        """The column of dates that "when" means: the one whose name has a word of the question, else the first."""
        dates = self.view.dates
        return next((place for place in dates if self._named(place) >= NEAR), next(iter(dates), None))

    def _looked_up(self, filters: tuple[Filter, ...]) -> Plan | None:
        """The cells of the rows that the question names, or those rows."""
        if not self.view.picks_a_row(filters):
            return None
        if "person" in self.kinds and (people := self._people()) is not None:
            self._use_likeness(people)
            return Plan("different", people, None, filters, is_list=True)
        places = [m.place for at, m in enumerate(self.core) if m.kind == "column" and at not in self.used]
        if len(set(places)) > 1 or any(test.place in places and test.operator == "=" for test in filters):
            return None  # two things, or what the question says itself
        if places:
            return Plan("different", places[0], None, filters, is_list=True)
        if "time" in self.kinds and (date := self._date_wanted()) is not None:
            return Plan("different", date, None, filters, is_list=True)
        return Plan("rows", None, None, filters, is_list=True) if self.kinds & {"list", "rows"} else None
