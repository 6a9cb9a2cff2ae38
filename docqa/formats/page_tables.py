"""The tables in the text of a document's pages, whatever format it was read from; those that go on over a page's end
are one."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from docqa.formats.columns import Row, Table
from docqa.formats.counted_rows import counted
from docqa.formats.grids import Grid, GridRow, going_on, grids
from docqa.text.contents import are_pages
from docqa.text.marks import heads_contents, is_page_number

_FOOTER = 120  # characters that may follow a table on its page
_ABOVE = 200  # characters before a table in which "Contents" may stand
_LONGEST_NAME = 60  # characters
_LEADERS = re.compile(r"(?:[.·…_] ?){4}")


class PageText(NamedTuple):
    """A page's number and text, and the tables in it where they are known, else where the lines of column headings
    begin that are."""

    number: int
    text: str
    grids: Sequence[Grid] | None = None
    headings: Sequence[int] = ()


def page_tables(pages: Iterable[PageText]) -> tuple[list[Table], list[tuple[int, Row]]]:
    """The tables on these pages, in order, and their rows with their pages' numbers."""
    tables: list[tuple[Grid, list[GridRow], list[int]]] = []  # with all rows, and the page number of each
    last: Grid | None = None
    before, listed = 0, -1  # pages: the last one, and the last one with a table of contents
    for number, text, known, headings in pages:
        every_grid = grids(text, headings) if known is None else known
        own = [grid for grid in every_grid if not _lists_contents(grid, text, goes_on=listed == number - 1)]
        if len(own) < len(every_grid):
            listed = number
        previous = last if number == before + 1 else None
        if previous and own:
            own[0] = going_on(own[0], text, previous)
        for at, grid in enumerate(own):
            if at == 0 and previous and _goes_on(grid, previous):
                _, of_table, numbers = tables[-1]
                of_table += grid.rows
                numbers += [number] * len(grid.rows)
            else:
                tables.append((grid, [*grid.rows], [number] * len(grid.rows)))
        ends_page = bool(own) and len(text[own[-1].end :].strip()) < _FOOTER
        last, before = (own[-1] if ends_page else None), number
    made: list[Table] = []
    rows: list[tuple[int, Row]] = []
    for place, (grid, of_table, numbers) in enumerate(tables):
        names = grid.columns if all(map(_is_name, grid.columns)) else ()
        own_rows = counted(names, [row.cells for row in of_table], scale=grid.scale)
        made.append(Table(own_rows.columns, own_rows.values, "", grid.columns, grid.title, grid.before, grid.scale))
        rows += [
            (number, Row(place, row.start, row.end, values, json.dumps(row.cells, ensure_ascii=False), row.above))
            for number, row, values in zip(numbers, of_table, own_rows.rows, strict=True)
        ]
    return made, rows


def _lists_contents(grid: Grid, text: str, *, goes_on: bool) -> bool:
    """Whether it is a table of contents, by what stands over it in the page's text, or because one `goes_on` from the
    page before: what it says is where something stands."""
    heading = grid.columns[-1]
    above = text[max(0, grid.start - _ABOVE) : grid.start].split("\n")
    is_headed = any(map(heads_contents, (heading, grid.title, *above))) or goes_on and not any(grid.columns)
    if not is_headed and (len(grid.columns) > 2 or not is_page_number(heading)):
        return False
    return are_pages([row.cells[-1] for row in grid.rows])


def _is_name(heading: str) -> bool:
    """Whether a heading can be the name of what is counted: no sentence, and no line of a table of contents."""
    return len(heading) <= _LONGEST_NAME and not _LEADERS.search(heading)


def _goes_on(grid: Grid, last: Grid) -> bool:
    """Whether a table at the top of a page has taken over the headings of the one that ended the page before."""
    return any(grid.columns) and grid.columns == last.columns and grid.title == last.title
