"""Tables of which only the rows are ruled, as a browser prints them: each cell draws its own piece of the line above or
below it, so that the places where pieces meet part the columns. What is not drawn is put in: the lines between the
columns, the one above the headings and the one below the last row."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile
from math import inf
from operator import itemgetter
from typing import Any, NamedTuple

from docqa.formats.pdf.paths import Line
from docqa.formats.pdf.recorded import Recorded

_SAME = 1.0  # points between the heights of pieces of one line
NEAR = 3.0  # between pieces that meet, or places that are one
_LEAST = 8.0  # a piece's length; shorter ones underline a letter
_APART = 0.6  # of a line of text: more between two lines parts a heading from the table below it
_PADDING = 1.5  # lines of text that may have place between a cell's text and its line
_SPACE = 0.3  # of a line of text: no more is between two words of a sentence
_GAP = 0.7  # more than this parts cells
_CLOSE = 8.0  # points that text right above a rule is away at most
_MOST_RULES = 400  # on a page; with more it is a drawing
_MOST_OPEN = 8  # tables side by side
_MOST_PLACES = 60  # in a line across a table
_MOST_WORDS = 2_000  # looked at for a row
_TOP, _FOOT, _BOX_AND_TEXT = itemgetter(1), itemgetter(3), itemgetter(0, 1, 2, 3, 4)


class _Word(NamedTuple):
    """A word and its box."""

    left: float
    top: float
    right: float
    bottom: float
    text: str

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def turned(self) -> "_Word":
        """The word with heights counted the other way."""
        return _Word(self.left, -self.bottom, self.right, -self.top, self.text)


class _Rule(NamedTuple):
    """A line across a table: its height, and where its pieces begin and end."""

    y: float
    places: list[float]

    def crossed(self, words: Sequence[_Word]) -> list[float]:
        """The places between columns that words run across, or a sentence does."""
        near = [
            (left.middle, right.middle)
            for line in _lines(words)
            for left, right in pairwise(sorted(line))
            if 0 <= right.left - left.right < _SPACE * left.height
        ]
        runs = [*near, *((word.left + 2, word.right - 2) for word in words)]
        return [place for place in self.places[1:-1] if any(left < place < right for left, right in runs)]


class _Band(NamedTuple):
    """A row of a table: from where to where it reaches, the rule of its columns, its words, and how far they stand from
    that rule."""

    top: float
    bottom: float
    rule: _Rule
    words: list[_Word]
    padding: float = 0.0

    def places(self) -> list[float]:
        """Where its cells begin and end: one may span columns."""
        crossed = self.rule.crossed(sorted(self.words, key=_TOP))
        return [place for place in self.rule.places if place not in crossed]

    def cells(self) -> list[list[_Word]]:
        """The words of each cell."""
        return [[word for word in self.words if left < word.middle < right] for left, right in pairwise(self.places())]


def implied_lines(level: Sequence[Line], upright: Iterable[Line], recorded: Recorded) -> tuple[list[Line], list[Line]]:
    """(level lines, upright lines) that are not drawn of the tables that these lines of a page rule piece by piece,
    where no upright ones part the columns."""
    drawn = {round(line[0]) + near for line in upright for near in (-1, 0, 1)}
    rules = [rule for rule in _rules(level) if drawn.isdisjoint(map(round, rule.places[1:-1]))]
    if not 1 < len(rules) <= _MOST_RULES:
        return [], []
    words = recorded.words
    rules = _without_neighbours(rules, words)
    if len(rules) < 2:
        return [], []
    page = _Page.of(words)
    closing: list[Line] = []
    between: list[Line] = []
    for bands in _tables(rules, page):
        if len(bands) < 2:
            continue
        table = [*_begun(bands), *page.last_row(bands[-1])]
        if page.goes_on(table) or not all(map(_is_row, table)):
            continue
        left, right = table[0].rule.places[0], table[0].rule.places[-1]
        closing += [(table[0].top, left, right), (table[-1].bottom, left, right)]
        between += [(place, band.top, band.bottom) for band in table for place in band.places()]
    return closing, between


def _rules(level: Sequence[Line]) -> Iterator[_Rule]:
    """The lines of several pieces, from the top of the page down."""
    rows: list[list[Line]] = []
    for line in sorted(level):
        if rows and line[0] - rows[-1][0][0] <= _SAME:
            rows[-1].append(line)
        else:
            rows.append([line])
    for row in rows:
        run: list[float] = []
        for _, left, right in sorted(row, key=lambda line: line[1:]):
            if right - left < _LEAST or run and right <= run[-1] + NEAR:
                continue
            if run and left - run[-1] > NEAR:
                if 2 < len(run) <= _MOST_PLACES:
                    yield _Rule(row[0][0], run)
                run = []
            run += [right] if run else [left, right]
        if 2 < len(run) <= _MOST_PLACES:
            yield _Rule(row[0][0], run)


def _without_neighbours(rules: Sequence[_Rule], words: Sequence[Sequence[Any]]) -> list[_Rule]:
    """The rules without those that text stands beside, right above them: most lines of sums, found quickly."""
    by_foot = sorted(words, key=_FOOT)
    alone = []
    for rule in rules:
        left, right = rule.places[0], rule.places[-1]
        first, last = (bisect_left(by_foot, y, key=_FOOT) for y in (rule.y - _CLOSE, rule.y + 1))
        if not any(word[2] < left or right < word[0] for word in by_foot[first:last]):
            alone.append(rule)
    return alone


@dataclass
class _Page:
    """The words of a page from its top down and from its foot up; of the latter, heights are counted upwards."""

    down: list[_Word]
    up: list[_Word]

    @classmethod
    def of(cls, words: Iterable[Sequence[Any]]) -> "_Page":
        """The page with these words."""
        down = sorted(map(_Word._make, map(_BOX_AND_TEXT, words)), key=_TOP)
        return cls(down, sorted(map(_Word.turned, down), key=_TOP))

    def row_above(self, rule: _Rule, above: float | None) -> tuple[_Band, bool]:
        """The row above a rule, and whether it reaches up to the one at `above`, if there is one."""
        if above is not None:
            words = _within(self.up, -rule.y, -above, rule)
            held = [word.turned() for word in words]
            if not held:
                return _Band(above, rule.y, rule, held), True
            padding = rule.y - max(word.bottom for word in held)
            first = min(held, key=_TOP)
            is_near = first.top - above <= max(0.0, padding) + _APART * first.height
            band = _Band(above, rule.y, rule, held, padding)
            if is_near and (sum(map(bool, band.cells())) > 1 or len(list(_lines(words))) == 1):
                return band, True
        words, end, padding = _closely(self.up, -rule.y, rule)
        return _Band(-end - 1, rule.y, rule, [word.turned() for word in words], padding), False

    def last_row(self, band: _Band) -> list[_Band]:
        """The row below the last rule of a table, where there is one in its columns."""
        words, end, padding = _closely(self.down, band.rule.y, band.rule)
        below = _Band(band.rule.y, end + 1, band.rule, words, padding)
        return [below] if _has_cells(words, band.rule) and padding <= band.padding + _APART * words[0].height else []

    def goes_on(self, table: Sequence[_Band]) -> bool:
        """Whether rows without lines stand right above or below a table, or one goes on beside it: its lines are those
        of sums, or of some columns."""
        first, last = table[0], table[-1]
        above, _, _ = _closely(self.up, -first.top, first.rule)
        below, _, _ = _closely(self.down, last.bottom, last.rule)
        return _has_cells(above, first.rule) or _has_cells(below, last.rule) or any(map(self._goes_on_beside, table))

    def _goes_on_beside(self, band: _Band) -> bool:
        at = bisect_left(self.down, band.top, key=_TOP)
        left, right = band.rule.places[0], band.rule.places[-1]
        level = takewhile(lambda word: word.top < band.bottom, islice(self.down, at, at + _MOST_WORDS))
        return any(word.right < left or right < word.left for word in level)


def _within(words: Sequence[_Word], start: float, end: float, rule: _Rule) -> list[_Word]:
    """The words between two heights that stand between the ends of a rule."""
    at = bisect_left(words, start - 1, key=_TOP)
    near = takewhile(lambda word: (word.top + word.bottom) / 2 < end, islice(words, at, at + _MOST_WORDS))
    return [word for word in near if rule.places[0] < word.middle < rule.places[-1]]


def _closely(words: Sequence[_Word], start: float, rule: _Rule) -> tuple[list[_Word], float, float]:
    """(the words from a height on that stand within the columns of a rule, in lines that follow each other closely; the
    height where they end; how far the first is away)."""
    held: list[_Word] = []
    reached, padding = start, 0.0
    for line in _lines(_within(words, start, inf, rule)):
        gap = line[0].top - reached
        if gap > (_APART if held else _PADDING) * line[0].height or rule.crossed(line):
            break
        padding = padding if held else max(0.0, gap)
        held += line
        reached = max(reached, *(word.bottom for word in line))
    return held, reached, padding


def _lines(words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """Words sorted by their height, those beside each other together."""
    line: list[_Word] = []
    for word in words:
        if line and word.top > line[0].top + word.height / 2:
            yield line
            line = []
        line.append(word)
    if line:
        yield line


def _tables(rules: Sequence[_Rule], page: _Page) -> Iterator[list[_Band]]:
    """The rows that follow each other without a gap, between lines of the same columns."""
    open_tables: list[list[_Band]] = []
    for rule in rules:
        table = next((table for table in open_tables if _fits(rule, table[0].rule)), None)
        band, is_next = page.row_above(rule, table[-1].rule.y if table else None)
        if table and is_next:
            table.append(band)
            continue
        if table:
            open_tables.remove(table)
            yield table
        open_tables.append([band])
        if len(open_tables) > _MOST_OPEN:
            yield open_tables.pop(0)
    yield from open_tables


def _fits(rule: _Rule, first: _Rule) -> bool:
    """Whether a line goes across the columns of a table, or some of them."""
    within = first.places[0] - NEAR <= rule.places[0] and rule.places[-1] <= first.places[-1] + NEAR
    return within and all(any(abs(place - own) <= NEAR for own in first.places) for place in rule.places)


def _begun(table: list[_Band]) -> list[_Band]:
    """The table without what stands above its uppermost line, where that is farther away than text is within it: a
    title, below which the table is closed by a line."""
    first, *rest = table
    if rest and first.words and first.padding > rest[0].padding + _APART / 2 * first.words[0].height:
        return [first._replace(top=first.bottom, words=[]), *rest]
    return table


def _is_row(band: _Band) -> bool:
    """Whether no values stand below each other in a column: between the lines above and below a sum are many rows."""
    for cell in band.cells():
        lines: dict[int, list[str]] = {}
        for word in cell:
            lines.setdefault(round(word.bottom / NEAR), []).append(word.text)
        if sum(map(_is_value, map(" ".join, lines.values()))) > 1:
            return False
    return True


def _is_value(text: str) -> bool:
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _has_cells(words: Sequence[_Word], rule: _Rule) -> bool:
    """Whether a line has cells beside each other, and not a sentence across them."""
    return any(
        right.left - left.right > _GAP * left.height
        and any(left.middle < place < right.middle for place in rule.places)
        for line in _lines(words)
        for left, right in pairwise(sorted(line))
    )
