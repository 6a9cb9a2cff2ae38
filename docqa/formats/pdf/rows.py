"""What stands on a line of a PDF page: cells side by side, in rows."""

import re
from dataclasses import dataclass

from docqa.formats.pdf.bidi import RIGHT_TO_LEFT

_VALUE = re.compile(r"[\s$€£¥(<>~+±−–—-]*(?:(?:US|CA|A)\$)?\s*(?:\d[\d.,'’\s]*\d|\d)?[\s%)*†‡¢x€£¥₹]*(?:\([a-z0-9]\))?")
_YEAR = re.compile(r"(?:19|20)\d\d(?:\s*[-–/]\s*(?:\d\d){1,2})?[A-Z*]?")
PLACEHOLDER = "\ufdd0"  # no character of any text: a table that was read by its lines stands here
_SLACK = 0.1  # of its height: what is as little out of line is on the same line


@dataclass(slots=True)
class Cell:
    """A line's text and position, in points; `size` is that of its font."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float
    bold: bool

    @property
    def is_value(self) -> bool:
        """Whether it is a number, a sum of money or a dash for nothing; not a year, which heads a column."""
        return bool(_VALUE.fullmatch(self.text)) and not _YEAR.fullmatch(self.text)

    def holds(self, other: "Cell") -> bool:
        """Whether the other one lies within it, on the same line."""
        slack = _SLACK * (self.bottom - self.top)
        level = abs(self.top - other.top) <= slack and abs(self.bottom - other.bottom) <= slack
        return level and self.left <= other.left and other.right <= self.right

    def insert(self, other: "Cell") -> None:
        """Put the text of a cell that it holds where a gap is nearest to it."""
        at = len(self.text) * (other.left - self.left) / max(1.0, self.right - self.left)
        gaps = [0, *(place.start() for place in re.finditer(" ", self.text)), len(self.text)]
        gap = min(gaps, key=lambda place: abs(place - at))
        self.text = f"{self.text[:gap].rstrip()} {other.text} {self.text[gap:].lstrip()}".strip()


class Row:
    """Cells side by side, in reading order, and the box around them; `begins`: the file starts a block here."""

    __slots__ = ("begins", "bottom", "cells", "left", "right", "top")

    def __init__(self, cell: Cell, begins: bool = False) -> None:
        self.cells, self.begins = [cell], begins
        self.left, self.right, self.top, self.bottom = cell.left, cell.right, cell.top, cell.bottom

    @property
    def text(self) -> str:
        """The cells' texts, separated by spaces."""
        return " ".join(cell.text for cell in self.cells)

    def beside(self, other: "Row") -> bool:
        """Whether both are at the same height: they share more than half of the lower one's height. Nothing is beside
        a table that was read by its lines."""
        if self.is_placeholder or other.is_placeholder:
            return False
        top, bottom = other.top, other.bottom
        shared = min(self.bottom, bottom) - max(self.top, top)
        return shared > 0.5 * min(self.bottom - self.top, bottom - top)

    def add(self, other: "Row") -> None:
        """Take over the cells of another row; what is drawn within a cell, in a gap of it, belongs to it."""
        for cell in other.cells:
            near = self.cells if cell.left < self.right else ()
            around = next((own for own in near if own.holds(cell) or cell.holds(own)), None)
            if around is None:
                self.cells.append(cell)
            elif around.holds(cell):
                around.insert(cell)
            else:
                cell.insert(around)
                self.cells[self.cells.index(around)] = cell
        self.left, self.right = min(self.left, other.left), max(self.right, other.right)
        self.top, self.bottom = min(self.top, other.top), max(self.bottom, other.bottom)
        right_to_left = runs_right_to_left(self.text)
        self.cells.sort(key=lambda cell: -cell.right if right_to_left else cell.left)

    @property
    def is_placeholder(self) -> bool:
        """Whether a table that was read by its lines stands here."""
        return self.cells[0].text.startswith(PLACEHOLDER)

    def has_values(self) -> bool:
        """Whether a cell after the first is a value."""
        return any(cell.is_value for cell in self.cells[1:])


def runs_right_to_left(text: str) -> bool:
    """Whether most letters of a text are written from right to left."""
    turned = len(RIGHT_TO_LEFT.findall(text))
    return turned > 0 and 2 * turned > sum(map(str.isalpha, text))
