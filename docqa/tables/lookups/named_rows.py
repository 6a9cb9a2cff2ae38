"""Rows of documents' tables that have the names a question's terms stand for: what a search goes to beside passages.

A statement of cash flows says "purchases of property, plant and equipment", and hardly a sentence says "capex".
"""

from collections.abc import Sequence

from docqa.tables.lookups.cells import Placed, Tables
from docqa.tables.lookups.derived import amount
from docqa.tables.lookups.query import LEAST_LABEL, Query
from docqa.text.keys import key

LEAST_NAMED = 0.9  # of a name, in the row's label
LEAST_VALUES = 2  # numbers of a row, as a table over several periods has


def rows_named(tables: Tables, names: Sequence[str], language: str) -> list[tuple[Placed, float]]:
    """The rows that are labelled with one of these names, each with how well its table is labelled with all of them, 0
    to 1."""
    rows: list[tuple[Placed, float]] = []
    of_table: dict[int, dict[str, float]] = {}
    for name in names:
        query = Query(key(name).split(), language, tables)
        for placed in query.candidates():
            own = placed.names.get(0, ())
            label = min(1.0, query.label_share(placed.row.label, own, placed.grid)) if own else 0.0
            if label < LEAST_LABEL or query.share(query.matched(placed.row.label, own)) < LEAST_NAMED:
                continue
            if sum(amount(cell, placed.grid) is not None for cell in placed.row.cells[1:]) < LEAST_VALUES:
                continue
            rows.append((placed, label))
            labelled = of_table.setdefault(id(placed.grid), {})
            labelled[name] = max(labelled.get(name, 0.0), label)
    scores = {grid: sum(labelled.values()) / len(names) for grid, labelled in of_table.items()}
    return sorted(((placed, scores[id(placed.grid)]) for placed, _ in rows), key=lambda pair: -pair[1])
