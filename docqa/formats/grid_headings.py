"""The headings of a table's columns: how many of its rows they are, and what stands over each column in all of them."""

import re
from collections.abc import Sequence
from itertools import pairwise

from docqa.formats.grid_cells import clean_label, figures_of, is_number, is_year, spread_dates
from docqa.text.values import quantity

LEAST_ROWS = 2
MOST_HEADINGS = 5  # rows of column headings
LEAST_STEPS, ROUND = 4, 2  # numbers of a row that rise; digits of each, without the zeros at its end
_WHOLE, _MARK = re.compile(r"\d{1,3}(?:[.,'’ ]\d{3})*|\d+"), re.compile(r"\D")
_NOTE = re.compile(r"\((?:in|en|em|unaudited|ungeprüft)\b[^)]*\)", re.IGNORECASE)


def heads(rows: Sequence[Sequence[str]], full: Sequence[bool], known: int = 0) -> int:
    """How many rows at the top are column headings: those that are `known` to be; else those before the first row of
    values, if any holds numbers; else the first row; and the row below one that it parts. None where two columns are
    names with a colon and what they are."""
    if not known and (is_form(rows) or is_of_pairs(rows)):
        return 0
    count = known if 0 < known < len(rows) else _heads(rows, full)
    return count + 1 if count == 1 and _parts_headings(rows) else count


def _parts_headings(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the second row says what the headings above it are parted into: it has no label, and no words that stand
    there again but where a heading spans its columns, or over numbers without such words."""
    if len(rows) <= LEAST_ROWS or not rows[0][0] or rows[1][0] or not rows[2][0]:
        return False
    columns = [
        (over, cell, [row[place] for row in rows[2:]]) for place, (over, cell) in enumerate(zip(*rows[:2], strict=True))
    ]
    own = [(over, cell, below) for over, cell, below in columns if cell]
    is_spanned = any(not over for over, _, _ in own)
    has_digits = all(any(map(str.isdigit, cell)) for _, _, below in own for cell in below if cell)
    in_words = all(
        (any(map(str.isalpha, cell)) or is_spanned and is_year(cell)) and cell not in below for _, cell, below in own
    )
    no_digits = not any(any(map(str.isdigit, cell)) for _, cell, _ in own)
    return bool(own) and in_words and (is_spanned or has_digits and no_digits)


def _heads(rows: Sequence[Sequence[str]], full: Sequence[bool]) -> int:
    if _is_of_steps(rows[0]) and len(rows) > LEAST_ROWS and not any(map(_is_of_steps, rows[1:])):
        return 1
    numbers = [sum(is_number(cell) or bool(figures_of(cell)) for cell in row[1:]) for row in rows]
    # An arrow beside a value is no word.
    filled = [sum(any(map(str.isalnum, cell)) for cell in row[1:]) for row in rows]
    if sum(count > 0 for count in numbers) * 3 >= sum(full):
        any_number = next(at for at, count in enumerate(numbers) if count)
        first = next((at for at, count in enumerate(numbers) if count and 2 * count >= filled[at]), any_number)
        first = next((at for at in range(1, first) if _is_of_values(rows[at], rows[at + 1 :])), first)
        if first > 1 and all(rows[0]) and _is_of_words(rows[1]):
            first = 1  # each column has its heading
        if first > LEAST_ROWS and all(rows[0][1:]) and all(map(_is_of_words, rows[1 : LEAST_ROWS + 1])):
            first = 1  # none has so many, with a label beside each
        while first and full[first - 1] and not any(rows[first - 1][1:]):
            first -= 1
        while first and not full[first - 1]:  # a label alone is of the rows below it
            first -= 1
        return min(first, MOST_HEADINGS)
    # Of two columns of words it cannot be told whether the first row heads them.
    width = sum(any(row[place] for row in rows) for place in range(len(rows[0])))
    recurs = any(cell and cell in (row[place] for row in rows[1:]) for place, cell in enumerate(rows[0]))
    return 1 if len(rows) > LEAST_ROWS and width > 2 and not recurs and max(map(len, rows[0])) < 60 else 0


def _is_of_steps(row: Sequence[str]) -> bool:
    """Whether the numbers behind a label are steps that columns may be for, 100, 250, 500 and 1,000 copies: bare and
    round, each more than the one before."""
    label, *cells = row
    numbers = [cell for cell in cells if is_number(cell)]
    steps = [_MARK.sub("", cell) for cell in numbers if _WHOLE.fullmatch(cell)]
    are_round = all(len(step.rstrip("0")) <= ROUND and int(step) % 5 == 0 for step in steps)
    rises = all(int(before) < int(after) for before, after in pairwise(steps))
    return len(steps) == len(numbers) >= LEAST_STEPS and are_round and rises and not any(map(str.isdigit, label))


def _is_of_values(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row that may be one of headings has values: it has a label of its own, and stands over its like, a
    number with the same unit, or a word that comes again in a row with numbers."""
    label, *cells = row
    others = [under for _, *under in below if any(map(is_number, under))]
    if not others or not label or any(label == under[0] for under in below):
        return False
    columns = list(zip(cells, zip(*others, strict=True), strict=True))
    like = ((quantity(cell), quantity(column[0])) for cell, column in columns)
    return (
        any(own and under and own.unit and own.unit == under.unit for own, under in like)
        or any(len(cell) > 1 and not is_year(cell) and cell in column for cell, column in columns)
        or is_number(label)
        and is_number(below[0][0])
    )


def is_form(rows: Sequence[Sequence[str]]) -> bool:
    """Whether these rows of cells are names, each with a colon, and what stands behind them: Date: 4 May."""
    filled = [[cell for cell in row if cell] for row in rows]
    named = sum(len(cells) == 2 and cells[0].endswith((":", "：")) for cells in filled)
    return len(filled[0]) == 2 and filled[0][0].endswith((":", "：")) and 2 * named > len(rows)


def _is_of_words(row: Sequence[str]) -> bool:
    return all(row) and not any(map(_is_unit, row))


def _is_unit(cell: str) -> bool:
    """Whether a cell below a heading says what its numbers are in, or of which year they are."""
    return is_year(cell) or cell.startswith("(") or not any(map(str.isalpha, cell))


def is_of_pairs(rows: Sequence[Sequence[str]]) -> bool:
    """Whether two columns begin with a name and a value with its unit, as most values below it have units or words of
    their own: what stands in the first row heads nothing."""
    filled = [[cell for cell in row if cell] for row in rows]
    if any(len(cells) > 2 for cells in filled) or len(filled[0]) != 2:
        return False
    value, *below = [cells[1] for cells in filled if len(cells) == 2]
    in_words = [any(map(str.isalpha, cell)) for cell in below]
    return value[0].isdigit() and any(map(str.isalpha, value)) and 2 * sum(in_words) > len(in_words)


def joined(heads: Sequence[Sequence[str]], width: int, *, has_notes: bool = True) -> tuple[str, ...]:
    """The full heading of each column: what stands over it, top to bottom; a heading in a row above the last holds for
    the columns to its right that have none of their own."""
    columns: list[list[str]] = [[] for _ in range(width)]
    for number, row in enumerate(heads):
        last = number == len(heads) - 1
        carried = ""
        for place, cell in enumerate(row):
            carried = cell or ("" if last or place == 0 else carried)
            if place == 0:
                carried = ""
            text = cell or carried
            if text and text not in columns[place]:
                columns[place].append(text)
    return spread_dates([clean_label(_NOTE.sub(" ", " ".join(parts)), has_notes=has_notes) for parts in columns])


def without_shared(names: Sequence[str]) -> list[str]:
    """The names without the words that begin them all, where years or what follows a comma are left: 2023, not Years
    ended June 30, 2023."""
    every = [name.split() for name in names if name]
    shared = next((at for at, words in enumerate(zip(*every, strict=False)) if len(set(words)) > 1), 0)
    is_begun = shared > 0 and every[0][shared - 1].endswith(",")
    if len(every) < 2 or not (is_begun or all(is_year(" ".join(words[shared:])) for words in every)):
        return list(names)
    return [" ".join(name.split()[shared:]) for name in names]


def without_empty(rows: list[list[str]], head: int) -> list[list[str]]:
    """The rows without columns that only have a heading, which goes to the column on the right."""
    for place in range(len(rows[0]) - 1, 0, -1):
        if any(row[place] for row in rows[head:]) or len(rows[0]) <= 2:
            continue
        for row in rows:
            heading = row.pop(place)
            if heading and place < len(row):
                row[place] = f"{heading} {row[place]}".strip()
    return rows
