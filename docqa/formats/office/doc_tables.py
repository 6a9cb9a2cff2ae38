"""A table of a Word document while it is read: its rows say only where the edges of their cells are."""

from bisect import bisect_left
from itertools import pairwise

from docqa.formats.office.flow import Cell, Flow, Line, Row

DEEPEST = 20
MOST_COLUMNS = 63
_ALIGNED = 40  # twentieths of a point: edges that are as close are the same


class Table:
    """A table; what it holds goes to `cell`, the flow of the cell that is read. `asides` follow its row."""

    def __init__(self) -> None:
        self.cell = Flow()
        self.asides: list[Line] = []
        self._cells: list[Flow] = []
        self._rows: list[tuple[list[Flow], tuple[int, ...], bool, list[Line]]] = []

    def end_cell(self) -> None:
        """The end of a cell."""
        self._cells.append(self.cell)
        self.cell = Flow()

    def end_row(self, edges: tuple[int, ...], *, is_head: bool) -> None:
        """The end of a row, whose cells lie between these edges; none are given where they are not known."""
        if any(line.text for line in self.cell.closed()):
            self.end_cell()
        self._rows.append((self._cells, edges, is_head, self.asides))
        self.cell, self._cells, self.asides = Flow(), [], []

    def rows(self) -> list[Row]:
        """The rows, with cells that span as many columns as other rows have edges in them."""
        if self._cells or any(line.text for line in self.cell.closed()):
            self.end_row((), is_head=False)
        columns: list[int] = []
        for edge in sorted({edge for _, edges, _, _ in self._rows for edge in edges}):
            if not columns or edge - columns[-1] > _ALIGNED:
                columns.append(edge)
        rows = []
        bold = []
        for flows, edges, is_head, asides in self._rows:
            cells = [[line for line in flow.closed() if line.text] for flow in flows]
            places = [bisect_left(columns, edge - _ALIGNED) for edge in edges]
            if len(places) != len(cells) + 1 or len(columns) > MOST_COLUMNS:
                places = list(range(len(cells) + 1))
            spans = [max(1, end - start) for start, end in pairwise(places)]
            before = [Cell() for _ in range(places[0])]
            rows.append(Row([*before, *map(Cell, cells, spans)], is_head, asides))
            bold.append(any(cells) and all(line.is_bold for cell in cells for line in cell))
        if len(rows) > 1 and not any(row.is_heading for row in rows):
            rows[0].is_heading = bold[0] and not any(bold[1:])
        return rows
