"""The records of a delimited text. A quotation mark that is never closed damages its own row, not the rest."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator

LONGEST_CELL = 2**31 - 1
# Characters; a text in which every line seems to open a cell would otherwise be read once for each of its lines.
MOST_READ_AGAIN = 50_000_000


class Records:
    """Iterates over the records of `lines`, once.

    `repaired` counts the rows whose quotation marks were ignored. If the text `is_cut`, an incomplete last record is
    left out.
    """

    def __init__(self, lines: Iterable[str], dialect: type[csv.Dialect], is_cut: bool = False) -> None:
        csv.field_size_limit(LONGEST_CELL)
        self.repaired = 0
        self._lines = iter(lines)
        self._again: deque[str] = deque()
        self._read_again = 0
        self._taken: list[str] = []
        self._dialect = dialect
        self._is_cut = is_cut
        self._ended = False

    def __iter__(self) -> Iterator[list[str]]:
        rows = csv.reader(self._feed(), self._dialect, strict=True)
        while self._read_again < MOST_READ_AGAIN:
            self._taken.clear()
            try:
                row = next(rows, None)
            except csv.Error:
                if self._is_cut and self._ended:
                    return
                row = self._repair()
                rows = csv.reader(self._feed(), self._dialect, strict=True)
            if row is None:
                return
            yield row
        for line in self._feed():
            yield from csv.reader([line], self._dialect)

    def _feed(self) -> Iterator[str]:
        while True:
            line = self._again.popleft() if self._again else next(self._lines, None)
            if line is None:
                self._ended = True
                return
            line = line.replace("\0", "").replace("\x1a", "")
            self._taken.append(line)
            yield line

    def _repair(self) -> list[str]:
        """Read a malformed row.

        If it spans several lines, its quotation mark was closed by one that opens another cell, or never: only the
        first line is taken, and the others are read again.
        """
        first, *others = self._taken
        if not others:
            return next(csv.reader([first], self._dialect))
        self.repaired += 1
        self._again.extendleft(reversed(others))
        self._read_again += sum(map(len, others)) + 20 * len(others)
        cells = next(csv.reader([first], self._dialect, quoting=csv.QUOTE_NONE, escapechar=None))
        return [cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell for cell in cells]
