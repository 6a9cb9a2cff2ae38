"""What the columns of a table hold, taken together: for a summary of the table."""

from dataclasses import dataclass

from aiosqlite import Connection

from docqa.formats.columns import Column
from docqa.store.sql import fetch_all

FEW_VALUES = 8  # that are named
MOST_VALUES = 5_000  # rows from which they are taken


@dataclass(frozen=True)
class ColumnOverview:
    """A column: from where to where its dates or amounts go, "" for others, or its values where they are few; how many
    rows the table has."""

    name: str
    rows: int
    low: str = ""
    high: str = ""
    values: tuple[str, ...] = ()


async def column_overview(conn: Connection, document: int) -> list[ColumnOverview]:
    """The columns of a document's table in their order; none where it has no table."""
    sql = "SELECT place, name, kind, unit, decimals, is_year FROM table_column WHERE document = ? ORDER BY place"
    columns = await fetch_all(conn, sql, document)
    if not columns:
        return []
    [(rows,)] = await fetch_all(conn, "SELECT count(*) FROM table_row WHERE document = ?", document)
    made = []
    for place, name, kind, unit, decimals, is_year in columns:
        column = Column(name, kind, unit, decimals, bool(is_year))
        cell = f"json_extract(cells, '$[{int(place)}]')"
        low = high = ""
        values: tuple[str, ...] = ()
        if column.kind == "date" or column.is_amount or column.is_year:
            sql = f"SELECT min({cell}), max({cell}) FROM table_row WHERE document = ?"
            [(least, most)] = await fetch_all(conn, sql, document)
            low, high = _written(column, least), _written(column, most)
        elif column.kind == "text":
            sql = f"""SELECT DISTINCT {cell} AS value FROM
                      (SELECT cells FROM table_row WHERE document = ? LIMIT {MOST_VALUES})
                      WHERE value IS NOT NULL AND value != '' ORDER BY value LIMIT {FEW_VALUES + 1}"""
            distinct = [str(row[0]) for row in await fetch_all(conn, sql, document)]
            values = tuple(distinct) if 1 < len(distinct) <= FEW_VALUES and len(distinct) < rows else ()
        made.append(ColumnOverview(name, rows, low, high, values))
    return made


def _written(column: Column, value: str | float | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    number = str(value) if column.is_year else f"{value:,.{column.decimals}f}"
    return f"{number} {column.unit}".strip()
