"""The cells of a table as it stands in a passage, and its lines of column headings."""

from collections.abc import Sequence

from docqa.answering.evidence import Evidence
from docqa.answering.quoting import CELL
from docqa.text.units import Unit


def cells_of(line: str) -> list[str]:
    """The cells of a row or of a line of column headings, each on one line."""
    return [" ".join(cell.split()) for cell in CELL.split(line.strip("\n"))]


def headings_of(passage: Evidence, unit: Unit, units: Sequence[Unit]) -> list[str]:
    """The lines of column headings of a row's table: above its first row, else those stored with the passage."""
    first = min((other.start for other in units if other.group == unit.group), default=unit.start)
    above = [line for line in passage.text[unit.group_start : first].splitlines() if line.strip()]
    return above or [line for line in passage.columns.splitlines() if line.strip()]


def markdown(headings: Sequence[str], rows: Sequence[str]) -> str:
    """A table in Markdown; of several lines of headings the last ones are the table's, the others stand above it."""
    cells = [cells_of(row) for row in rows]
    width = max(map(len, cells))
    *above, head = [cells_of(line) for line in headings] or [[""] * width]
    head = [""] * (width - len(head)) + head if len(head) < width else head
    width = max(width, len(head))
    lines = [head, ["---"] * width, *(row + [""] * (width - len(row)) for row in cells)]
    return "\n".join(
        [*(" ".join(filter(None, line)) for line in above), *(f"| {' | '.join(line)} |" for line in lines)]
    )
