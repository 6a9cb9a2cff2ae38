"""The part of the rows, or of a sum, that a question asks for in per cent."""

from docqa.store.table_plan import Filter, Period, Plan
from docqa.tables.counting.groups import Groups


class Shares(Groups):
    """Makes a plan of a share."""

    def _share(self, group: int | None, period: Period | None, limit: int | None, low: bool) -> Plan | None:
        """How many of the rows, or how much of a sum, in per cent. What stands right at the rows' noun says of which
        rows: of the phone tickets."""
        named = {m.place: at for at, m in enumerate(self.core) if m.kind in ("value", "column")}
        base: list[Filter] = []
        counted = list(self.filters)
        if len({test.place for test in counted}) > 1:
            rows_at = next((at for at, m in enumerate(self.core) if m.kind == "rows"), None)
            for test in self.filters:
                at = named.get(test.place)
                if at is not None and rows_at is not None and at == rows_at - 1 and len(counted) > 1:
                    base.append(test)
                    counted.remove(test)
            periods = [
                test for test in counted if test.place in self.view.dates and test.operator in ("<", ">=", "<=", ">")
            ]
            if len(periods) < len(counted):  # in 2024, what percentage ...
                base += periods
                counted = [test for test in counted if test not in periods]
        summed = next((place for place in self._amounts() if not self.view.headings[place].is_rate), None)
        if summed is not None and (counted or group is not None):
            return Plan("share", summed, group, tuple(base), limit, low, period=period, counted=tuple(counted))
        given = [
            Filter(m.place, "present")
            for at, m in enumerate(self.core)
            if m.kind == "column" and at not in self.used and m.place != group and self.view.has_gaps(m.place)
        ]
        counted += given
        if not counted and group is None:
            return None
        return Plan("share", None, group, tuple(base), limit, low, period=period, counted=tuple(counted))

    def _amounts(self) -> list[int]:
        """The columns of amounts that are named and have no other role, those named by their own words first."""
        free = [
            m
            for at, m in enumerate(self.core)
            if m.kind == "column" and at not in self.used and self.view.is_amount(m.place)
        ]
        return list(dict.fromkeys(m.place for m in sorted(free, key=lambda m: not m.is_exact)))
