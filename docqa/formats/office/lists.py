"""Lists: the levels of a list, and the labels that its items get one after the other (ECMA-376 part 1, 17.9)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from docqa.formats.office.numerals import numeral

LEVELS = 9
BULLET = "•"
_PLACE = re.compile(r"%([1-9])")
_LARGEST = 1 << 31


@dataclass(frozen=True)
class Level:
    """A level of a list. `text` is its label with %1 to %9 for the numbers of the levels, a bullet, or "".

    `restarts_after` is the level, counted from 1, whose next item lets this one begin anew, with all above it; 0 for
    none. `is_legal`: the numbers of all levels are shown in digits.
    """

    style: str = "decimal"
    text: str = ""
    start: int = 1
    restarts_after: int = LEVELS
    is_legal: bool = False


@dataclass
class Counter:
    """The numbers that the levels of a list have reached, None before their first item."""

    numbers: list[int | None] = field(default_factory=lambda: [None] * LEVELS)

    def next_label(self, levels: Mapping[int, Level], place: int, number: int | None = None) -> str:
        """Count an item of the level `place` (from 0), and return its label: "2.1", "b)", "•", or "".

        `number` is what the item says that it is, None if it is the next.
        """
        level = levels.get(place, Level())
        reached = self.numbers[place]
        if number is None:
            number = level.start if reached is None else min(reached + 1, _LARGEST)
        self.numbers[place] = number
        for above in range(place):
            if self.numbers[above] is None and f"%{above + 1}" in level.text:
                self.numbers[above] = levels.get(above, Level()).start
        for below in range(place + 1, LEVELS):
            if place < levels.get(below, Level()).restarts_after:
                self.numbers[below] = None
        if level.style == "bullet":
            return level.text
        return _PLACE.sub(lambda match: self._shown(levels, level, int(match[1]) - 1), level.text).strip()

    def _shown(self, levels: Mapping[int, Level], shown_in: Level, place: int) -> str:
        own = levels.get(place, Level())
        number = self.numbers[place]
        style = "decimal" if shown_in.is_legal and own.style != "none" else own.style
        return numeral(own.start if number is None else number, style)


class Counters:
    """The counters of a Word document's lists: those of one definition count on together (17.9.15)."""

    def __init__(self) -> None:
        self._counters: dict[object, Counter] = {}
        self._begun: set[object] = set()

    def next_label(
        self, definition: object, number: object, levels: Mapping[int, Level], restarted: Iterable[int], place: int
    ) -> str:
        """The label of the next item of the list `number`; its levels `restarted` begin anew with its first item."""
        counter = self._counters.setdefault(definition, Counter())
        if number not in self._begun:
            self._begun.add(number)
            for level in restarted:
                counter.numbers[level] = None
        return counter.next_label(levels, place)
