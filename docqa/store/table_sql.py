"""A plan as SQL over the rows of a table. Column names are quoted identifiers; a `Mark` writes each value, as a bound
parameter or, where users are shown the statement, as SQL writes it."""

from collections.abc import Callable, Sequence

from docqa.store.sql import quoted
from docqa.store.table_plan import Filter, Period, Plan, StoredTable

Mark = Callable[[str | int | float], str]

SOURCE, ROW = '"source"', '" row"'  # no column's name begins with a space
FUNCTIONS = {
    "rows": "count(*)",
    "different": "count(DISTINCT {})",
    "sum": "sum({})",
    "mean": "avg({})",
    "highest": "max({})",
    "lowest": "min({})",
}
# Dates are stored as ISO 8601 writes them, with or without a time. Weekdays count from Sunday, 0.
_PERIODS: dict[Period, str] = {
    "year": "substr({0}, 1, 4)",
    "quarter": "substr({0}, 1, 4) || '-Q' || ((CAST(substr({0}, 6, 2) AS INTEGER) + 2) / 3)",
    "month": "substr({0}, 1, 7)",
    "week": "strftime('%G-W%V', substr({0}, 1, 10))",
    "weekday": "strftime('%w', substr({0}, 1, 10))",
    "day": "substr({0}, 1, 10)",
}
_PERIODS_OF_ANY_YEAR: dict[Period, str] = {
    "month": "substr({0}, 6, 2)",
    "day": "substr({0}, 6, 5)",
    "quarter": "((CAST(substr({0}, 6, 2) AS INTEGER) + 2) / 3)",
}


def literal(value: str | float) -> str:
    """A value as SQL writes it."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def measured(table: StoredTable, plan: Plan) -> str:
    """What the plan measures of a row: a column, a product of two, the days between two dates; "*" for the row."""
    if plan.place is None:
        return "*"
    column = quoted(table.columns[plan.place].name)
    if plan.times is not None:
        return f"{column} * {quoted(table.columns[plan.times].name)}"
    if plan.since is not None:
        return f"(julianday({column}) - julianday({quoted(table.columns[plan.since].name)}))"
    return column


def statement(table: StoredTable, plan: Plan, mark: Mark, source: str, row: str) -> str:
    """The plan as SQL over `source`; `row` is what is selected from a row."""
    if plan.gives_rows:
        return _rows(table, plan, mark, source, row)
    where = where_clause(table, plan.filters, mark)
    column = measured(table, plan)
    if plan.is_list:
        return f"SELECT DISTINCT {column} FROM {source}{_and(where, f'{column} IS NOT NULL')} ORDER BY {column}"
    if plan.measure == "median":
        # Of an even number of values, the mean of the two in the middle.
        some = _and(where, f"{column} IS NOT NULL")
        middle = f"(SELECT count({column}) FROM {source}{where_clause(table, plan.filters, mark)})"
        again = f"(SELECT (count({column}) - 1) / 2 FROM {source}{where_clause(table, plan.filters, mark)})"
        ordered = f"SELECT {column} FROM {source}{some} ORDER BY {column} LIMIT 2 - {middle} % 2 OFFSET {again}"
        return f"SELECT avg({column}) FROM ({ordered})"
    if plan.measure == "share":
        return _share(table, plan, mark, source)
    function = FUNCTIONS[plan.measure].format(column)
    if plan.group is None:
        return f"SELECT {function} FROM {source}{where}"
    group = _group(table, plan)
    # Groups without a value come last, and months stand in their order unless a rank is asked for.
    in_order = plan.period is not None and plan.limit is None
    order = "1" if in_order else f"2 {'ASC NULLS LAST' if plan.ascending else 'DESC'}, 1"
    limit = f" LIMIT {plan.limit}" if plan.limit else ""
    return (
        f"SELECT {group}, {function} FROM {source}{_and(where, f'{_given(table, plan)} IS NOT NULL')} "
        f"GROUP BY 1 ORDER BY {order}{limit}"
    )


def _given(table: StoredTable, plan: Plan) -> str:
    assert plan.group is not None
    return quoted(table.columns[plan.group].name)


def _group(table: StoredTable, plan: Plan) -> str:
    column = _given(table, plan)
    return _PERIODS[plan.period].format(column) if plan.period else column


def _share(table: StoredTable, plan: Plan, mark: Mark, source: str) -> str:
    """(how many rows count, of how many), or the sums of a column over them; of groups without a condition, what each
    has of all."""
    every = FUNCTIONS["rows" if plan.place is None else "sum"].format(measured(table, plan))
    counted = f"{every} FILTER ({where_clause(table, plan.counted, mark).strip()})" if plan.counted else every
    where = where_clause(table, plan.filters, mark)
    if plan.group is None:
        return f"SELECT {counted}, {every} FROM {source}{where}"
    group = _group(table, plan)
    whole = every if plan.counted else f"sum({every}) OVER ()"
    order = f"ORDER BY 1.0 * {counted} / {whole} {'ASC' if plan.ascending else 'DESC'}, 1"
    limit = f" LIMIT {plan.limit}" if plan.limit else ""
    return (
        f"SELECT {group}, {counted}, {whole} FROM {source}{_and(where, f'{_given(table, plan)} IS NOT NULL')} "
        f"GROUP BY 1 {order}{limit}"
    )


def _rows(table: StoredTable, plan: Plan, mark: Mark, source: str, row: str) -> str:
    where = where_clause(table, plan.filters, mark)
    if plan.place is None:
        return f"SELECT {row} FROM {source}{where}"
    column = measured(table, plan)
    if plan.limit == 1:
        extreme = "max" if plan.measure == "highest" else "min"
        end = f"(SELECT {extreme}({column}) FROM {source}{where_clause(table, plan.filters, mark)})"
        return f"SELECT {row} FROM {source}{_and(where, f'{column} = {end}')}"
    order = f"ORDER BY {column} {'DESC' if plan.measure == 'highest' else 'ASC'} LIMIT {plan.limit}"
    return f"SELECT {row} FROM {source}{_and(where, f'{column} IS NOT NULL')} {order}"


def where_clause(table: StoredTable, filters: Sequence[Filter], mark: Mark) -> str:
    """The conditions as SQL, with a space before them; "" where there are none."""
    tests = " AND ".join(_test(table, test, mark) for test in filters)
    return f" WHERE {tests}" if tests else ""


def _test(table: StoredTable, test: Filter, mark: Mark) -> str:
    column = quoted(table.columns[test.place].name)
    if test.operator in ("missing", "present"):
        return f"{column} IS {'NOT ' if test.operator == 'present' else ''}NULL"
    if test.than is not None:
        return f"{column} {test.operator} {quoted(table.columns[test.than].name)}"
    if test.period:
        column = _PERIODS_OF_ANY_YEAR.get(test.period, _PERIODS[test.period]).format(column)
    marks = [mark(value) for value in test.values]
    if test.operator == "!=":  # a row without a value is not of this value either
        return f"({column} IS NULL OR {column} NOT IN ({', '.join(marks)}))"
    return f"{column} IN ({', '.join(marks)})" if len(marks) > 1 else f"{column} {test.operator} {marks[0]}"


def _and(where: str, test: str) -> str:
    return f"{where} AND {test}" if where else f" WHERE {test}"
