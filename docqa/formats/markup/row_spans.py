"""Cells of a table that span rows (HTML, 4.9.12): what stands beside them in the rows below keeps its column."""

from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_ROWS = 1_000
LONGEST_REPEATED = 60  # characters of a cell that is said in each of its rows, as a row is read and quoted by itself


@dataclass(frozen=True)
class SpanCell:
    """A cell: its element's name, its text, and how many columns and rows it spans."""

    name: str
    text: str = ""
    columns: int = 1
    rows: int = 1


@dataclass
class RowSpans:
    """The cells of a table that reach into its next rows."""

    reaching: dict[int, tuple[int, SpanCell]] = field(default_factory=dict)  # column → rows that are left, the cell

    def row(self, cells: Sequence[SpanCell]) -> list[list[SpanCell]]:
        """The next row: the cells from above that stand before each of its own, and those behind the last."""
        above: list[list[SpanCell]] = []
        left = {place: (rows - 1, cell) for place, (rows, cell) in self.reaching.items() if rows > 1}
        place = 0
        for cell in cells:
            above.append(self._from(place))
            place += len(above[-1])
            for at in range(cell.columns) if cell.rows > 1 else ():
                is_said = at == 0 and len(cell.text) <= LONGEST_REPEATED
                left[place + at] = min(cell.rows, MOST_ROWS) - 1, SpanCell(cell.name, cell.text if is_said else "")
            place += cell.columns
        above.append(self._from(place))
        self.reaching = left
        return above

    def _from(self, place: int) -> list[SpanCell]:
        cells = []
        while place in self.reaching:
            cells.append(self.reaching[place][1])
            place += 1
        return cells
