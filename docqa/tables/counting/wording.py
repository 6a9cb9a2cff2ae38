"""The text of an answer that a table gives by counting: the result in a sentence with its unit, then groups or rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from docqa.formats.columns import Column, Value
from docqa.languages import entry, every, phrase
from docqa.store.table_plan import Filter, Period, Plan, StoredTable
from docqa.tables.headings import heading, title_of
from docqa.tables.results import written

COUNT = Column("", "number")
_MONTH = re.compile(r"(\d{4})-(\d\d)")


@dataclass(frozen=True)
class Said:
    """What is answered: a sentence without its sources' marks, and the items under it."""

    sentence: str
    items: list[str]


def said(
    table: StoredTable, plan: Plan, result: Sequence[tuple[Any, ...]], language: str, count: int, noun: str = ""
) -> Said:
    """The result in one sentence, with the groups or values, as many as `count`. `noun` is the question's word for
    rows."""
    title, column = _title(table, plan, language, noun), _measured_as(table, plan)
    if plan.group is not None:
        return _of_groups(table, plan, result, language, count, title)
    if plan.measure == "share":
        [(counted, whole)] = result
        return Said(_sentence(title, _share(counted or 0, whole or 0, column, language), language), [])
    if plan.is_list and plan.measure == "different":
        values = [written(row[0], column, language) for row in result[:count]]
        named = table.columns[plan.place or 0].name + _conditions(table, plan.filters, language)
        if len(result) == 1:
            return Said(_sentence(named, values[0], language), [])
        return Said(_sentence(named, written(len(result), COUNT, language), language), values)
    if plan.gives_rows and plan.limit != 1:
        return Said(f"{title}:", [])
    value = result[0][-1] if result else None
    if value is None and not plan.filters:
        return Said(_sentence(title, "–", language), [])
    if value is None:
        nothing = phrase("phrases.tables.rows", language) + _conditions(table, plan.filters, language)
        return Said(_sentence(nothing, written(0, COUNT, language), language), [])
    if plan.since is not None:
        return Said(_sentence(title, _time(value, language), language), [])
    return Said(_sentence(title, written(value, column, language), language), [])


def short_row(table: StoredTable, plan: Plan, cells: Sequence[Any], names: Sequence[int], language: str) -> str:
    """A row by what tells it apart, what it is ranked by, and what the conditions are of."""
    places = [*names, *(test.place for test in plan.filters)]
    places += [place for place in (plan.since, plan.place, plan.times) if place is not None]
    values = ((table.columns[place], cells[place]) for place in dict.fromkeys(places))
    return "; ".join(f"{title_of(column)}: {written(value, _with_unit(column), language)}" for column, value in values)


def _with_unit(column: Column) -> Column:
    """The column with its unit, and money with no single decimal."""
    if column.kind != "number":
        return column
    known = heading(column)
    is_of_money = column.decimals == 1 and bool(known.concepts & {"money", "price"})
    return replace(column, unit=known.unit, decimals=2 if is_of_money else column.decimals)


def _of_groups(
    table: StoredTable, plan: Plan, result: Sequence[tuple[Any, ...]], language: str, count: int, title: str
) -> Said:
    assert plan.group is not None
    group, column = table.columns[plan.group], _measured_as(table, plan)
    items = []
    for name, *values in result[:count]:
        if plan.measure == "share":
            value = _share(values[0] or 0, values[1] or 0, column, language)
        elif plan.since is not None:
            value = _time(values[0], language)
        else:
            value = written(values[0], column, language)
        items.append(
            f"{_period(name, plan.period, language) if plan.period else written(name, group, language)}: {value}"
        )
    if plan.is_first and items:
        tied = sum(row[1:] == result[0][1:] for row in result[:count])
        firsts, others = "; ".join(items[:tied]), "; ".join(items[tied:])
        ends = phrase("full_stop", language)
        following = f" {phrase('phrases.tables.then', language)}: {others}{ends}" if others else ""
        return Said(f"{firsts} ({_lower(title, language)}){ends}{following}", [])
    return Said(f"{title}:", items)


def _lower(title: str, language: str) -> str:
    """The title within a sentence; German nouns keep their capital."""
    return title if language == "de" else title[:1].lower() + title[1:]


def _title(table: StoredTable, plan: Plan, language: str, noun: str) -> str:
    measured = title_of(table.columns[plan.place]) if plan.place is not None else ""
    if plan.times is not None:
        measured = phrase("phrases.tables.product", language).format(measured, title_of(table.columns[plan.times]))
    if plan.since is not None:
        measured = phrase("phrases.tables.difference", language).format(title_of(table.columns[plan.since]), measured)
    if plan.measure == "share":
        title = phrase("phrases.tables.share", language).format(
            measured or noun or phrase("phrases.tables.all_rows", language)
        )
    elif plan.measure == "rows" and plan.is_list:
        rows = phrase("phrases.tables.all_rows", language)
        title = rows[:1].upper() + rows[1:]
    elif plan.measure == "rows" and noun:
        title = phrase("phrases.tables.counted", language).format(noun)
    else:
        title = phrase(f"phrases.tables.{plan.measure}", language).format(measured)
    if plan.group is not None:
        named = title_of(table.columns[plan.group])
        if plan.period:
            named = (entry(f"tables.{plan.period}", language) or entry(f"tables.{plan.period}", "en"))[0]
            named = named.capitalize() if language == "de" else named
        title = phrase("phrases.tables.grouped", language).format(title, named)
    return title + _conditions(table, (*plan.filters, *plan.counted), language)


def _measured_as(table: StoredTable, plan: Plan) -> Column:
    """How a result is written: a count is a number of its own, a mean has at least two decimals."""
    if plan.place is None or (plan.measure in ("rows", "different") and not plan.is_list):
        return COUNT
    column = _with_unit(table.columns[plan.place])
    if plan.times is not None:
        column = replace(column, decimals=max(column.decimals, table.columns[plan.times].decimals))
    return replace(column, decimals=max(2, column.decimals)) if plan.measure in ("mean", "median") else column


def _sentence(what: str, value: str, language: str) -> str:
    return f"{what}: {value}{phrase('full_stop', language)}"


def _share(counted: float, whole: float, column: Column, language: str) -> str:
    of_all = phrase("phrases.tables.of_all", language)
    per_cent = 100 * counted / whole if whole else 0.0
    numbers = (written(number, column, language) for number in (counted, whole))
    return of_all.format(written(per_cent, Column("", "number", decimals=1), language), *numbers)


def _time(days: float | None, language: str) -> str:
    """A span of time, in hours where it is shorter than a day and times were recorded."""
    if days is None:
        return "–"
    whole = float(days).is_integer()
    if 0 < abs(days) < 1:
        hours = written(24 * days, Column("", "number", decimals=1), language)
        return f"{hours} {phrase('phrases.tables.hours', language)}"
    decimals = 0 if whole else 2
    return (
        f"{written(days, Column('', 'number', decimals=decimals), language)} {phrase('phrases.tables.days', language)}"
    )


# --- conditions -------------------------------------------------------------------------------------------------------


def _conditions(table: StoredTable, filters: Sequence[Filter], language: str) -> str:
    """Which rows were counted, in brackets; "" where it was all of them."""
    parts, taken = [], set()
    for at, test in enumerate(filters):
        if at in taken:
            continue
        column = table.columns[test.place]
        end = next(
            (i for i in range(at + 1, len(filters)) if filters[i].place == test.place and filters[i].operator == "<"),
            None,
        )
        if test.operator == ">=" and end is not None and column.kind == "date":
            taken.add(end)
            parts.append(f"{column.name}: {_span(str(test.values[0]), str(filters[end].values[0]), language)}")
        elif test.operator in ("missing", "present"):
            parts.append(phrase(f"phrases.tables.{test.operator}", language).format(column.name))
        elif test.than is not None:
            parts.append(f"{column.name} {test.operator} {table.columns[test.than].name}")
        else:
            values = " / ".join(
                _period(_in_full(value, test.period), test.period, language)
                if test.period
                else written(value, column, language)
                for value in test.values
            )
            parts.append(f"{column.name} {'≠' if test.operator == '!=' else test.operator} {values}")
    return f" ({', '.join(parts)})" if parts else ""


def _in_full(value: Value, period: Period) -> str:
    return f"-Q{value}" if period == "quarter" else f"-{value}" if period == "month" else str(value)


def _span(start: str, end: str, language: str) -> str:
    """[start, end) as a reader writes it: a year, a month, a day or its first and last day."""
    if len(start) == 4:
        return start
    if len(start) == 7:
        return _period(start, "month", language)
    first, last = date.fromisoformat(start), date.fromisoformat(end) - timedelta(1)
    if first == last:
        return start
    if first.day == 1 and (last + timedelta(1)).day == 1:
        months = 12 * (last.year - first.year) + last.month - first.month + 1
        if months == 1:
            return _period(start[:7], "month", language)
        if months == 12 and first.month == 1:
            return start[:4]
        if months == 3 and first.month % 3 == 1:
            return _period(f"{first.year}-Q{first.month // 3 + 1}", "quarter", language)
    return f"{first} – {last}"


def _period(name: Value, period: Period | None, language: str) -> str:
    """A group of dates as a reader writes it: May 2025, Q2 2025, Monday."""
    if name is None:  # a month has no day of the week
        return "–"
    text = str(name)
    if period == "quarter":
        year, _, quarter = text.partition("-")
        return f"{quarter} {year}".strip()
    if period == "weekday":
        names = entry("tables.weekday_names", language) or every("tables.weekday_names")["en"]
        return str(names[int(text)]).capitalize()
    if period == "month":
        year, _, month = text.partition("-")
        names = entry("text.months", language)
        if names and month.isdecimal():
            month = names[int(month) - 1].partition("|")[0]
            return f"{month.capitalize() if language in ('de', 'en') else month} {year}".strip()
    return text


# --- values -----------------------------------------------------------------------------------------------------------


def code(sql: str) -> str:
    """As code of Markdown, whatever the names in it hold."""
    fence = "`" * (max((len(run) for run in re.findall("`+", sql)), default=0) + 1)
    return f"{fence}{sql}{fence}"
