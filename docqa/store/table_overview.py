"""What the columns of a table hold, taken together: for a summary of the table."""

from dataclasses import dataclass

from docqa.formats.columns import Column
from docqa.store.sql import Connection, fetch_all

FEW_VALUES = 8  # that are named
MOST_VALUES = 5_000  # rows from which they are taken
_ROWS = "table_row WHERE in_table = ? AND cells IS NOT NULL"


@dataclass(frozen=True)
class ColumnOverview:
    """A column: from where to where its dates or amounts go, "" for others, or its values where they are few; how many
    rows the table has."""

    name: str
    rows: int
    low: str = ""
    high: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableOverview:
    """The columns of a table in their order, and the sheet that it stands on, "" where it stands on none."""

    sheet: str
    columns: list[ColumnOverview]


async def table_overviews(conn: Connection, document: int, most: int) -> list[TableOverview]:
    """The first tables of a document whose rows are counted."""
    sql = """SELECT t.id, t.name FROM document_table t WHERE document = ?
             AND EXISTS (SELECT 1 FROM table_column WHERE in_table = t.id) ORDER BY number LIMIT ?"""
    tables = await fetch_all(conn, sql, document, most)
    return [TableOverview(sheet, await _columns(conn, id_)) for id_, sheet in tables]


async def _columns(conn: Connection, id_: int) -> list[ColumnOverview]:
    sql = "SELECT place, name, kind, unit, decimals, is_year FROM table_column WHERE in_table = ? ORDER BY place"
    columns = await fetch_all(conn, sql, id_)
    [(rows,)] = await fetch_all(conn, f"SELECT count(*) FROM {_ROWS}", id_)
    made = []
    for place, name, kind, unit, decimals, is_year in columns:
        column = Column(name, kind, unit, decimals, bool(is_year))
        cell = f"json_extract(cells, '$[{int(place)}]')"
        low = high = ""
        values: tuple[str, ...] = ()
        if column.kind == "date" or column.is_amount or column.is_year:
            [(least, most)] = await fetch_all(conn, f"SELECT min({cell}), max({cell}) FROM {_ROWS}", id_)
            low, high = _written(column, least), _written(column, most)
        elif column.kind == "text":
            sql = f"""SELECT DISTINCT {cell} AS value FROM
                      (SELECT cells FROM {_ROWS} LIMIT {MOST_VALUES})
                      WHERE value IS NOT NULL AND value != '' ORDER BY value LIMIT {FEW_VALUES + 1}"""
            distinct = [str(row[0]) for row in await fetch_all(conn, sql, id_)]
            values = tuple(distinct) if 1 < len(distinct) <= FEW_VALUES and len(distinct) < rows else ()
        made.append(ColumnOverview(name, rows, low, high, values))
    return made


def _written(column: Column, value: str | float | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    number = str(value) if column.is_year else f"{value:,.{column.decimals}f}"
    return f"{number} {column.unit}".strip()
