"""Tables in the text of a page, whatever format it was read from: rows of cells parted by tabs, bars or runs of spaces.

Column headings are resolved: rows of them are joined, one that spans columns holds for each of them, the years may
stand in a line of their own, one short of the label's column. Offsets are in characters of the page's text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

from docqa.formats.grid_cells import (
    are_numbers_of_rows,
    clean_label,
    decimal_mark,
    is_number,
    is_year,
    scale_of,
    spaced_range,
    split_numbers,
    with_currency,
)
from docqa.formats.grid_headings import LEAST_ROWS, heads, joined, without_empty
from docqa.formats.grid_lines import GAP, Line, lines_of
from docqa.formats.grid_rows import headed_by_names, one_below_another, with_labels, with_pairs_apart
from docqa.formats.value_lists import value_lists
from docqa.text.keys import key

LONGEST_TITLE = 300  # characters before a table that say what it shows
LONGEST_LABEL = 100
MOST_LABELS = 3  # one below another above further rows
LONGEST_NAME = 40  # characters of a cell with a name
MOST_IN_ROSTER = 200  # rows
LEAST_COLUMNS, RECURRING = 3, 0.4  # of a roster, and of its names those that stand in another row and another column
_CELL = re.compile(r"\S+(?: \S+)*")
_RULE = re.compile(r"[\s|:+=_-]+")


@dataclass(frozen=True)
class GridRow:
    """A row: its line [start, end), its cells by column, the label of the rows that it stands under."""

    start: int
    end: int
    cells: tuple[str, ...]
    above: str = ""

    @property
    def label(self) -> str:
        """What the row is about: its first cell."""
        return self.cells[0]


@dataclass(frozen=True)
class Grid:
    """A table: the full heading of each column, "" where it has none, and the rows under them.

    `title` is the line or paragraph above it, `before` the one above that, `scale` what its numbers are in:
    "millions", "".
    """

    start: int
    end: int
    title: str
    before: str
    columns: tuple[str, ...]
    scale: str
    rows: tuple[GridRow, ...]

    @cached_property
    def decimal_mark(self) -> str:
        """The decimal mark of its numbers."""
        return decimal_mark(zip(*(row.cells[1:] for row in self.rows), strict=True))

    @cached_property
    def naming(self) -> int:
        """The column that names the rows: the first, or the second where the first numbers them, or holds years."""
        labels = [row.label for row in self.rows if row.label]
        is_numbered = self.is_numbered or bool(labels) and all(map(is_year, labels))
        return int(is_numbered and len(self.columns) > 2 and all(any(map(str.isalpha, r.cells[1])) for r in self.rows))

    @cached_property
    def naming_places(self) -> list[int]:
        """The columns that say what the rows are: the first, or that beside it, and those with words of its own in each
        row."""
        places = [0, self.naming]
        for place in range(1, len(self.columns)):
            cells = {row.cells[place] for row in self.rows}
            in_words = (any(map(str.isalpha, cell)) and not is_number(cell) for cell in cells)
            if len(cells) == len(self.rows) and all(in_words):
                places.append(place)
        return list(dict.fromkeys(places))

    @cached_property
    def is_numbered(self) -> bool:
        """Whether the first column only numbers the rows."""
        return are_numbers_of_rows([row.label for row in self.rows])

    @cached_property
    def is_roster(self) -> bool:
        """Whether the same names stand again and again, in several rows and in several columns, as in a timetable: none
        of them names its row."""
        if len(self.columns) < LEAST_COLUMNS or not all(self.columns[1:]) or len(self.rows) > MOST_IN_ROSTER:
            return False
        places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, row in enumerate(self.rows):
            for place, name in names_in(row.cells):
                places[key(name)].append((at, place))
        recurring = [own for own in places.values() if all(len(set(ends)) > 1 for ends in zip(*own, strict=True))]
        return sum(map(len, recurring)) >= max(LEAST_COLUMNS, RECURRING * sum(map(len, places.values())))


def names_in(cells: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The cells of a row behind its label that hold a name, with their places."""
    for place, cell in enumerate(cells[1:], 1):
        if any(map(str.isalpha, cell)) and len(cell) <= LONGEST_NAME:
            yield place, cell


def grids(text: str, headings: Collection[int] = ()) -> list[Grid]:
    """The tables of a page's text in order; `headings` are where lines of column headings begin that its reader
    knows."""
    tables = [grid for lines, before in _runs(text) if (grid := _grid(lines, before, headings))]
    return sorted([*tables, *_listed(text, tables)], key=lambda grid: grid.start)


def going_on(grid: Grid, text: str, previous: Grid) -> Grid:
    """The first table of a page's text, with the headings of the last one of the page before where it has none of its
    own, or the same once more as its first row: what no words stand before goes on."""
    if any(grid.columns) or len(grid.columns) != len(previous.columns):
        return grid
    if _above(text, grid.start).strip()[:1].isalpha():
        return grid
    rows = grid.rows[1:] if grid.rows and grid.rows[0].cells == previous.columns else grid.rows
    return replace(grid, columns=previous.columns, scale=previous.scale, title=previous.title, rows=rows)


def _listed(text: str, tables: Sequence[Grid]) -> Iterator[Grid]:
    """The lists of labels with values beside the tables."""
    for head, lines in value_lists(text):
        start, end = lines[0][0], lines[-1][1]
        if all(end <= grid.start or grid.end <= start for grid in tables):
            rows = tuple(GridRow(first, last, (clean_label(label), value)) for first, last, label, value in lines)
            title, further = _title(_above(text, start), [])
            yield Grid(start, end, title, further, ("", clean_label(head)), scale_of(head), rows)


# --- lines ------------------------------------------------------------------------------------------------------------


def _runs(text: str) -> Iterator[tuple[list[Line], str]]:
    """(the lines of a table, the text before it) for each run of lines that have their cells parted alike."""
    run: list[Line] = []
    begin = 0
    last = Line(len(text), len(text), "", "end", ())
    for line in [*lines_of(text), last]:
        if run and _goes_on(run, line):
            run.append(line)
            continue
        while run and not run[-1].mark:
            run.pop()
        if len(run) >= LEAST_ROWS and _is_regular(run):
            start = run[0].start
            yield run, _above(text, start, begin)
            begin = run[-1].end
        run = [line] if line.mark and line is not last else []


def _goes_on(run: Sequence[Line], line: Line) -> bool:
    """Whether a line belongs to the run: parted alike, a rule, or a label that stands alone above further rows."""
    if line.mark:
        return line.mark == next(before.mark for before in reversed(run) if before.mark)
    if run[-1].end + 1 != line.start:
        return False
    if _RULE.fullmatch(line.text):
        return True
    since = next(at for at, before in enumerate(reversed(run)) if before.mark)
    single = sum(not _RULE.fullmatch(before.text) for before in run[len(run) - since :])
    is_label = 0 < len(line.text.strip()) <= LONGEST_LABEL and not line.text.rstrip().endswith((".", "?", "!"))
    return single < MOST_LABELS and is_label


def _is_regular(run: Sequence[Line]) -> bool:
    """Whether most lines have as many cells as the fullest kind; runs of spaces must stand under each other too."""
    full = [line for line in run if line.mark]
    widths = Counter(len(line.cells) for line in full)
    if max(widths) < 2 or len(full) < LEAST_ROWS:
        return False
    if full[0].mark == "bar":
        return len(full) > LEAST_ROWS or any(is_number(cell) for line in full[1:] for cell in line.cells[1:])
    if full[0].mark == "tab":
        return True
    usual, count = widths.most_common(1)[0]
    if count < 3 or count < 0.6 * len(full):
        return False
    starts = [[match.end() for match in GAP.finditer(line.text)] for line in full if len(line.cells) == usual]
    ends = [[match.start() for match in GAP.finditer(line.text)] for line in full if len(line.cells) == usual]
    return any(
        all(max(column) - min(column) <= 3 for column in zip(*places, strict=False) if len(column) == len(places))
        for places in (starts, [end[1:] for end in ends])
        if places and places[0]
    )


# --- columns ----------------------------------------------------------------------------------------------------------


def _grid(lines: Sequence[Line], before: str, headings: Collection[int]) -> Grid | None:
    body = [line for line in lines if not _RULE.fullmatch(line.text)]
    known = sum(1 for _ in takewhile(lambda line: _begins(line) in headings, body))
    width = max(len(line.cells) for line in body if line.mark)
    spans = _spans(body, width)
    rows = [_padded(line, width, spans) for line in body]
    head = heads(rows, [bool(line.mark) for line in body], known)
    title, further = _title(before, [line for line, row in zip(body[:head], rows, strict=False) if not line.mark])
    is_written = any(len(line.cells) == width and not line.cells[0] for line in body[:head])
    if body[0].mark == "bar" and not is_written:  # the cell over the labels is left out where it is empty
        firsts = Counter(row[0] for row in rows[:head])  # one that spans several rows stands in each
        rows[:head] = [
            ["", *row[:-1]] if row[0] and firsts[row[0]] == 1 and len(line.cells) == width - 1 and not row[-1] else row
            for line, row in zip(body[:head], rows[:head], strict=True)
        ]
    rows = without_empty(rows, head)
    has_notes = any("(a)" in line.text for line in lines)  # else (l) and (g) are units
    columns = joined(rows[:head], len(rows[0]), has_notes=has_notes)
    values, columns = split_numbers(rows[head:], columns)
    columns, values = with_pairs_apart(columns, values)
    columns, placed = one_below_another(columns, list(zip(body[head:], values, strict=True)))
    columns = headed_by_names(columns, [cells for _, cells in placed])
    made: list[GridRow] = []
    above = ""
    for line, cells in with_labels(placed):
        label = clean_label(cells[0], has_notes=has_notes)
        if not any(cells[1:]):
            above = label.rstrip(":")
            continue
        made.append(GridRow(line.start, line.end, (label, *cells[1:]), above))
    if len(made) < (1 if any(columns) else LEAST_ROWS):
        return None
    scale = (
        scale_of(" ".join(" ".join(row) for row in rows[:head])) or scale_of(title[-160:]) or scale_of(further[-160:])
    )
    return Grid(body[0].start, body[-1].end, title, further, columns, scale, tuple(made))


def _begins(line: Line) -> int:
    """Where the first character of a line stands that is no white space."""
    return line.start + len(line.text) - len(line.text.lstrip())


def _spans(lines: Sequence[Line], width: int) -> list[tuple[int, int]]:
    """Where the cells of each column stand in their lines, of a table whose cells are parted by spaces."""
    full = [[match.span() for match in _CELL.finditer(line.text)] for line in lines if line.mark == "spaces"]
    full = [spans for spans in full if len(spans) == width]
    return [(min(s for s, _ in column), max(e for _, e in column)) for column in zip(*full, strict=True)]


def _under(line: Line, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The cells of a line that has fewer than the table, each in the column that it stands under."""
    placed = [""] * len(spans)
    for match in _CELL.finditer(line.text):
        shared = [min(match.end(), end) - max(match.start(), start) for start, end in spans]
        place = shared.index(max(shared))
        placed[place] = f"{placed[place]} {match.group()}".strip()
    return placed


def _padded(line: Line, width: int, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The cells of a line, as many as the table has columns; headings that leave out the label's column are moved."""
    if line.mark == "spaces" and len(line.cells) < width and spans:
        return _under(line, spans)
    cells = with_currency([spaced_range(" ".join(cell.split())) for cell in line.cells])
    if line.mark == "tab":
        return [*cells, *[""] * (width - len(cells))]
    short = width - len(cells)
    if line.mark and short == 1 and all(is_year(cell) or not cell for cell in cells):
        return ["", *cells]
    return [*cells, *[""] * short]


def _above(text: str, start: int, begin: int = 0) -> str:
    """What stands above a table that begins at `start`, from `begin` at most, as far as it can be its title."""
    return text[max(begin, start - 2 * LONGEST_TITLE) : start]


def _title(before: str, labels: Sequence[Line]) -> tuple[str, str]:
    """(the line or paragraph right above a table, with labels that stand in its head; the one above that)."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", before) if part.strip()]
    title = " ".join([*paragraphs[-1:], *(line.text for line in labels)])
    return title[-LONGEST_TITLE:], "".join(paragraphs[-2:-1])[-LONGEST_TITLE:]
