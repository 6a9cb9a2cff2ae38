"""What a part of a question that follows from the one before is asked of: in "who handled the most repairs and what did
they cost", the repairs of whoever it is."""

from collections.abc import Sequence
from dataclasses import replace

from docqa import store
from docqa.questions.question import Part
from docqa.store.sql import Connection
from docqa.store.table_plan import Filter
from docqa.tables.counting.choice import Fitting


async def carried_over(conn: Connection, parts: Sequence[Part], fitting: Sequence[Fitting]) -> list[Fitting]:
    """The plans of a question's parts; of parts that follow, narrowed to the rows that the one before is about."""
    narrowed: list[Fitting] = []
    for part, each in zip(parts, fitting, strict=True):
        if narrowed and narrowed[-1].table.id == each.table.id and part.follows:
            about = await rows_of(conn, narrowed[-1])
            own = {test.place for test in each.plan.filters}
            filters = (*(test for test in about if test.place not in own), *each.plan.filters)
            each = replace(each, plan=replace(each.plan, filters=filters))
        narrowed.append(each)
    return narrowed


async def rows_of(conn: Connection, before: Fitting) -> tuple[Filter, ...]:
    """The filters that select what a plan's answer is about: those of its first group or row, if it has one."""
    plan = before.plan
    if plan.limit != 1 or plan.period or plan.times is not None or plan.since is not None:
        return plan.filters
    at = plan.place if plan.group is None else plan.group
    result = await store.tables.result(conn, before.table, plan)
    value = result[0][-1 if plan.group is None else 0] if result else None
    return plan.filters if at is None or value is None else (*plan.filters, Filter(at, "=", (value,)))
