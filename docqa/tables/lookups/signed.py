"""Signatures in columns side by side, which look like a table: what stands beside an office is that of another.

For the owners      For the agent
Ada Hall            Bo Lind
Chair of the board  Head of Lind and Sons
"""

import re

from docqa.tables.lookups.cells import Placed

# Two to four words with capitals, particles and abbreviations among them: gez. Ada van Hall.
_NAME = re.compile(r"(?:[^\W\d_]{1,5}\. )*[^\W\d_a-z][\w'’.-]*(?: (?:[^\W\d_]{1,3} )?[^\W\d_a-z][\w'’.-]*){1,3}")


def is_signed(placed: Placed) -> bool:
    """Whether a row of a table without headings has what those are whose names stand in the row above it."""
    rows = placed.grid.rows
    at = next((number for number, row in enumerate(rows) if row is placed.row), 0)
    if not at or any(placed.grid.columns):
        return False
    above, below = (list(filter(None, row.cells)) for row in (rows[at - 1], placed.row))
    return len(above) > 1 and all(map(_NAME.fullmatch, above)) and not any(map(_NAME.fullmatch, below))
