"""What a message asks of a table that goes on from the question before: how many of them are open, and in 2024, and the
least?"""

from collections.abc import Sequence
from dataclasses import replace

from docqa.store.table_plan import Filter, Plan
from docqa.tables.counting.intent import Composer
from docqa.tables.counting.roles import HIGH, LOW

_OF_ROWS = ("list", "different", "rows")


def continued(before: Plan, about: Sequence[Filter], composer: Composer, *, points_back: bool) -> Plan | None:
    """The plan of a message that follows the question with the plan `before`, whose answer is `about` the rows that
    pass these filters; None where the message stands alone, or has words that the table does not know."""
    intent = composer.intent()
    if composer.unknown():
        return None
    if intent is not None and not intent.unknown:
        leaves_out = intent.plan.place is None and "rows" not in composer.kinds
        if not points_back and not (leaves_out and composer.filters):
            return None
        return replace(intent.plan, filters=_merged(about, intent.plan.filters))
    if points_back and (ranked := composer.ranked_among(about)):
        return ranked
    if "time" in composer.kinds and (place := composer.column_wanted()) is not None:
        return Plan("different", place, None, _merged(about, composer.filters), is_list=True)
    if composer.filters:
        own = tuple(composer.filters)
        if before.counted and {test.place for test in own} <= {test.place for test in before.counted}:
            return replace(before, counted=own)
        return replace(before, filters=_merged(before.filters, own))
    if points_back and (place := composer.column_wanted()) is not None:
        return Plan("different", place, None, tuple(about), is_list=True)
    return _turned(before, composer)


def _merged(filters: Sequence[Filter], own: Sequence[Filter]) -> tuple[Filter, ...]:
    """The filters with one's own, which stand in the place of those of the same columns."""
    places = {test.place for test in own}
    return (*(test for test in filters if test.place not in places), *own)


def _turned(before: Plan, composer: Composer) -> Plan | None:
    """The plan from its other end: and the least?"""
    low, high = (bool(composer.kinds & set(ends)) for ends in (LOW, HIGH))
    if low == high or before.limit is None or not composer.kinds <= {*LOW, *HIGH, *_OF_ROWS}:
        return None
    if before.group is not None:
        return replace(before, ascending=low)
    return replace(before, measure="lowest" if low else "highest")
