"""What a sheet holds, whichever file it was read from, and how much of it is taken."""

from dataclasses import dataclass, field
from typing import NamedTuple

from docqa.errors import Unreadable
from docqa.formats.pages import MAX_CHARACTERS

MOST_CELLS = 2_000_000
MOST_ROWS, MOST_COLUMNS = 1 << 20, 1 << 14


class Cell(NamedTuple):
    """A filled cell: its text as the sheet shows it, and the same with all digits of its number, for computing."""

    shown: str
    exact: str


Place = tuple[int, int]  # row and column


@dataclass
class Sheet:
    """A sheet's filled cells by row and column, counted from 0, the rows in order.

    `merged` are the cells that are shown as one, the last of them by the first; `remarks` are the texts beside the
    cells: comments, text boxes.
    """

    name: str
    rows: dict[int, dict[int, Cell]] = field(default_factory=dict)
    merged: dict[Place, Place] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


class Budget:
    """How many more cells and characters of a workbook are read."""

    def __init__(self) -> None:
        self._cells, self._characters = MOST_CELLS, MAX_CHARACTERS

    def spend(self, cells: int, characters: int) -> None:
        """Raises Unreadable when the workbook holds more than can be read."""
        self._cells -= cells
        self._characters -= characters
        if self._cells < 0:
            raise Unreadable(
                f"The workbook has more than {MOST_CELLS:,} filled cells. Split it and upload the parts, "
                "or save its largest sheet as CSV."
            )
        if self._characters < 0:
            raise Unreadable(
                f"The workbook holds more than {MAX_CHARACTERS:,} characters. Split it and upload the parts."
            )


def one_line(text: str) -> str:
    """The text of a cell on a line, without the tabs that part cells."""
    return " ".join(text.split())


def cell_name(row: int, column: int) -> str:
    """B3 for row 2, column 1."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row + 1}"
