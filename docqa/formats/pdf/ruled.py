"""Tables that a PDF draws with lines around their cells: what stands within the same lines is one cell, whatever the
gaps between its words and however many lines it has.

The text of such a table is taken out of the page's blocks, and a placeholder put in, which `page.py` writes as a table.
Boxes around prose and forms with a few large fields are left as they are.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Any

from docqa.formats.grid_headings import is_of_pairs
from docqa.formats.pdf.level_rules import NEAR
from docqa.formats.pdf.lines import LEAST_LINES, distinct, meeting, ruling_lines
from docqa.formats.pdf.paths import Box, Line
from docqa.formats.pdf.recorded import Recorded
from docqa.formats.pdf.rows import PLACEHOLDER
from docqa.formats.pdf.table import Table
from docqa.text.values import kind

_LONGEST_CELL = 700  # characters; a box with more holds prose
_USUAL_CELL = 90
_MOST_ROWS = 60  # between two lines


@dataclass
class RuledTable:
    """A table within its lines: the text by cell, row by row; its place is where it is drawn."""

    box: Box
    cells: list[list[str]] = field(default_factory=list)

    def table(self) -> Table:
        """Its lines as a page writes them, without empty rows and columns; the first row has the headings unless
        numbers stand in it, the second too where numbers begin below it."""
        columns = [column for column in zip(*self.cells, strict=True) if any(column)]
        rows = [row for row in zip(*columns, strict=True) if any(row)]
        with_numbers = [any(kind(cell) == "number" for cell in row[1:]) for row in rows[:3]]
        head = 0 if is_of_pairs(rows) else with_numbers.index(True) if True in with_numbers else 1
        return Table(["\t".join(row).rstrip("\t") for row in rows], head)


def ruled_tables(
    page: Recorded, paths: Sequence[tuple[bool, Box]], blocks: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[RuledTable]]:
    """(the blocks with a placeholder for each table, the tables) of a page that is not rotated; `paths` and `blocks`
    are its own."""
    grids = [grid for grid in _grids(*ruling_lines(page, paths)) if len(grid.across) >= LEAST_LINES <= len(grid.down)]
    if not grids:
        return blocks, []
    tables: list[RuledTable] = []
    written = page.words
    for grid in grids:
        if _is_part(grid, written):
            continue
        inside = [word for word in written if grid.holds(*_centre(word[:4]))]
        table = RuledTable(grid.box, grid.cells(list(_parted(inside, grid, page))))
        if _is_table(table.cells):
            blocks = list(_without(blocks, grid, len(tables)))
            tables.append(table)
    return blocks, tables


def _is_table(cells: Sequence[Sequence[str]]) -> bool:
    """Whether these are cells of a table and not boxes around prose, nor an empty form."""
    texts = [cell for row in cells for cell in row if cell]
    full = [row for row in cells if sum(map(bool, row)) > 1]
    if len(full) < 2 or max(map(len, texts)) > _LONGEST_CELL:
        return False
    return sorted(map(len, texts))[len(texts) // 2] <= _USUAL_CELL and 2 * len(full) >= len(
        [r for r in cells if any(r)]
    )


@dataclass
class _Grid:
    """Lines that meet: where they lie across (heights) and down (lefts), and the upright ones themselves."""

    across: list[float]
    down: list[float]
    level: list[Line]
    upright: list[Line]

    @property
    def box(self) -> Box:
        return self.down[0], self.across[0], self.down[-1], self.across[-1]

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is within the outer lines."""
        left, top, right, bottom = self.box
        return left <= x <= right and top <= y <= bottom

    def cells(self, words: Sequence[Sequence[Any]]) -> list[list[str]]:
        """The text of each cell; one that spans columns stands in its first."""
        placed: list[dict[int, list[Sequence[Any]]]] = [{} for _ in self.across[:-1]]
        for word in words:
            x, y = _centre(word[:4])
            row = max(at for at, top in enumerate(self.across[:-1]) if top <= y or at == 0)
            column = max(at for at, left in enumerate(self.down[:-1]) if left <= x or at == 0)
            while column and not self.parts(self.down[column], y):
                column -= 1
            while row and not self._lies(self.across[row], x):
                row -= 1
            placed[row].setdefault(column, []).append(word)
        columns = range(len(self.down) - 1)
        return [[_text(row.get(column, ())) for column in columns] for own in placed for row in _rows_within(own)]

    def parts(self, left: float, y: float) -> bool:
        """Whether a line stands at this one of the places `down`, at this height."""
        return any(top - 1 <= y <= bottom + 1 for top, bottom in self._standing[left])

    @cached_property
    def _standing(self) -> dict[float, list[tuple[float, float]]]:
        return {
            left: [(top, bottom) for at, top, bottom in self.upright if abs(at - left) <= NEAR] for left in self.down
        }

    @cached_property
    def _lying(self) -> dict[float, list[tuple[float, float]]]:
        level = sorted(self.level)
        near = {top: (bisect_left(level, (top - NEAR,)), bisect_right(level, (top + NEAR, inf))) for top in self.across}
        return {top: [line[1:] for line in level[first:last]] for top, (first, last) in near.items()}

    def _lies(self, top: float, x: float) -> bool:
        return any(left - 1 <= x <= right + 1 for left, right in self._lying[top])


def _grids(level: Sequence[Line], upright: Sequence[Line]) -> list[_Grid]:
    """The grids of lines that meet, from the top of the page down."""
    made = [
        _Grid(distinct(line[0] for line in flat), distinct(line[0] for line in standing), flat, standing)
        for flat, standing in meeting(level, upright)
        if flat
    ]
    return sorted(made, key=lambda grid: grid.across[0])


# --- text -------------------------------------------------------------------------------------------------------------


def _is_part(grid: _Grid, words: Sequence[Sequence[Any]]) -> bool:
    """Whether the rows go on close beside the grid: lines around some columns of a table are not around its cells."""
    first, _, last, _ = grid.box
    close = (
        (top + bottom) / 2
        for left, top, right, bottom, *_ in words
        if 0 <= max(first - right, left - last) + NEAR < bottom - top
    )
    rows = {bisect_right(grid.across, y) for y in close} & set(range(1, len(grid.across)))
    return 2 * len(rows) > len(grid.across) - 1


def _centre(box: Sequence[float]) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _rows_within(cells: dict[int, list[Sequence[Any]]]) -> list[dict[int, list[Sequence[Any]]]]:
    """The rows that a row of the grid holds, by column: several where numbers stand below each other in most columns,
    each beside a line of the first, as between lines that are drawn at every fifth row."""
    heights = distinct(_centre(word[:4])[1] for word in cells[min(cells)]) if cells else []
    if not 1 < len(heights) <= _MOST_ROWS:
        return [cells]
    rows: list[dict[int, list[Sequence[Any]]]] = [{} for _ in heights]
    for column, words in cells.items():
        for word in words:
            y = _centre(word[:4])[1]
            at = min(range(len(heights)), key=lambda place: abs(heights[place] - y))
            if abs(heights[at] - y) > NEAR:
                return [cells]
            rows[at].setdefault(column, []).append(word)
    numbers = sum(
        all(kind(_text(row[column])) == "number" for row in rows if column in row)
        for column in cells
        if column != min(cells)
    )
    return rows if 2 * numbers > len(cells) else [cells]


def _text(words: Sequence[Sequence[Any]]) -> str:
    """The words of a cell, in the order of the file; a word broken at a line's end is joined."""
    text = ""
    line = None
    for *_, word, block, number, _ in words:
        is_broken = text.endswith("-") and text[-2:-1].isalpha() and word[:1].islower() and line != (block, number)
        text = text[:-1] + word if is_broken else f"{text} {word}" if text else word
        line = (block, number)
    return " ".join(text.split())


def _parted(words: Iterable[Sequence[Any]], grid: _Grid, page: Recorded) -> Iterator[Sequence[Any]]:
    """The words, those that a line within the grid runs through cut there: without spaces two cells are one word. One
    that is too long for the last column is whole."""
    characters: list[tuple[Box, str]] | None = None
    for word in words:
        left, top, right, bottom = word[:4]
        y = (top + bottom) / 2
        cuts = [at for at in grid.down[1:-1] if left + 1 < at < right - 1 and grid.parts(at, y)]
        if not cuts:
            yield word
            continue
        if characters is None:
            characters = [
                (char["bbox"], char["c"])
                for block in page.blocks_by_letters
                for line in block.get("lines", ())
                for span in line["spans"]
                for char in span["chars"]
            ]
        own = [
            (box, c)
            for box, c in characters
            if box[0] >= left - 1 and box[2] <= right + 1 and top < _centre(box)[1] < bottom
        ]
        for first, last in pairwise([left - 1, *cuts, right + 1]):
            if text := "".join(c for box, c in own if first <= _centre(box)[0] < last).strip():
                yield (first + 1, top, last - 1, bottom, text, *word[5:])


def _without(blocks: Iterable[dict[str, Any]], grid: _Grid, number: int) -> Iterator[dict[str, Any]]:
    """The blocks without the lines within the grid, its placeholder where the first of them stood."""
    placed = False
    left, top, right, _ = grid.box
    for block in blocks:
        lines = block.get("lines", ())
        rest = [line for line in lines if not grid.holds(*_centre(line["bbox"]))]
        if len(rest) < len(lines) and not placed:
            placed = True
            above = [line for line in rest if line["bbox"][1] < top]
            if above:
                yield block | {"lines": above}
            span = {"text": f"{PLACEHOLDER}{number}", "size": 1.0, "flags": 0, "bbox": (left, top, right, top + 1)}
            yield {"lines": [{"spans": [span], "bbox": span["bbox"], "dir": (1.0, 0.0), "wmode": 0}]}
            rest = [line for line in rest if line["bbox"][1] >= top]
        if rest:
            yield block | {"lines": rest}
