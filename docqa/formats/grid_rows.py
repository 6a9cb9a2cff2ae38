"""The rows of a table as they are meant: what stands beside each other set one below another, a label that spans
several rows in each of them, and two numbers that a stroke parts in two columns."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from docqa.formats.counted_rows import TOTALS
from docqa.formats.grid_cells import is_number
from docqa.text.keys import key

Line = TypeVar("Line")
LEAST_PAIRS = 2
_NUMBER_OF_ROW = re.compile(r"\d{1,3}\.?")
_PAIR = re.compile(r"(?P<before>.*?)(?P<open>[(\[]?)(?P<first>[^\s()\[\]]+) / (?P<last>[^\s()\[\]]+)(?P<close>[)\]]?)")


def with_pairs_apart(columns: tuple[str, ...], rows: list[list[str]]) -> tuple[tuple[str, ...], list[list[str]]]:
    """The columns and rows with two columns for one that is headed by two words and a stroke, over two numbers with a
    stroke in each row: Seats (min. / max.) over 8 / 20."""
    for place in range(len(columns) - 1, 0, -1):
        heading = _PAIR.fullmatch(columns[place])
        pairs = [row[place].split(" / ") for row in rows if row[place]]
        if (
            not heading
            or len(pairs) < LEAST_PAIRS
            or any(len(pair) != 2 or not all(map(is_number, pair)) for pair in pairs)
        ):
            continue
        names = (f"{heading['before']}{heading['open']}{heading[name]}{heading['close']}" for name in ("first", "last"))
        columns = (*columns[:place], *names, *columns[place + 1 :])
        rows = [
            [*row[:place], *(row[place].split(" / ") if row[place] else ("", "")), *row[place + 1 :]] for row in rows
        ]
    return columns, rows


def one_below_another(
    columns: tuple[str, ...], rows: Sequence[tuple[Line, list[str]]]
) -> tuple[tuple[str, ...], list[tuple[Line, list[str]]]]:
    """The columns and rows, each with its line, of a table whose headings stand there twice or more, side by side, as
    where a long list is set in two columns: its parts, one below another."""
    size = next((size for size in range(2, len(columns) // 2 + 1) if _recurs(columns, size)), 0)
    if not size:
        return columns, list(rows)
    starts = range(0, len(columns), size)
    parts = ((line, cells[start : start + size]) for start in starts for line, cells in rows)
    return columns[:size], [(line, cells) for line, cells in parts if any(cells)]


def headed_by_names(columns: tuple[str, ...], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The headings, with that over numbers of rows at the names beside them where these have none of their own."""
    headings = list(columns)
    for place in range(len(columns) - 1):
        cells = [row[place] for row in rows if row[place] and any(row[place + 1 :])]
        are_numbers = bool(cells) and all(map(_NUMBER_OF_ROW.fullmatch, cells))
        are_names = any(any(map(str.isalpha, row[place + 1])) for row in rows)
        if headings[place] and not headings[place + 1] and are_numbers and are_names:
            headings[place : place + 2] = ["", columns[place]]
    return tuple(headings)


def _recurs(columns: Sequence[str], size: int) -> bool:
    """Whether the first headings, which differ, are all that there are, again and again."""
    first = [name for name in columns[:size] if name]
    return 0 < len(first) == len(set(first)) and list(columns) == list(columns[:size]) * (len(columns) // size)


def with_labels(rows: Iterable[tuple[Line, list[str]]]) -> Iterator[tuple[Line, list[str]]]:
    """The rows, each with its line, with the label of the row above where they have none and say as much: one cell that
    spans several rows labels each of them. A row of numbers only, or of sums, has no label; a cell alone may go on with
    that above."""
    label, width = "", 0
    for line, cells in rows:
        filled = [cell for cell in cells[1:] if cell]
        if cells[0]:
            label, width = cells[0], len(filled)
        elif 2 * len(filled) > width > 1 < len(filled) and _has_name(filled):
            cells = [label, *cells[1:]]
        yield line, cells


def _has_name(cells: Sequence[str]) -> bool:
    """Whether cells have words, and not first those of sums."""
    in_words = next((cell for cell in cells if any(map(str.isalpha, cell)) and not is_number(cell)), "")
    return bool(in_words) and TOTALS.isdisjoint(key(in_words).split())
