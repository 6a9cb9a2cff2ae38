"""Which label the items and headings of an OpenDocument text have (OpenDocument 1.3 part 3, 5.3)."""

from typing import Any

from docqa.formats.office.lists import LEVELS, Counter
from docqa.formats.office.odt_styles import TEXT, Styles

_ID = "{http://www.w3.org/XML/1998/namespace}id"


class Lists:
    """The lists of a document while they are read; a list begins anew unless it says that it goes on."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._by_name: dict[str, Counter] = {}
        self._by_style: dict[str, Counter] = {}
        self._headings = Counter()

    def begin(self, node: Any, style: str) -> Counter:
        """The counter of a list that is in no other."""
        counter = self._by_name.get(node.get(TEXT + "continue-list", ""))
        if counter is None and node.get(TEXT + "continue-numbering") == "true":
            counter = self._by_style.get(style)
        counter = counter or Counter()
        self._by_style[style] = counter
        if node.get(_ID):
            self._by_name[node.get(_ID)] = counter
        return counter

    def item_label(self, item: Any, style: str, place: int, counter: Counter) -> str:
        """The label of an item of the level `place`, from 0."""
        levels = self._styles.lists.get(style, {})
        return self._label(item, levels, min(place, LEVELS - 1), counter)

    def heading_label(self, heading: Any, level: int) -> str:
        """The number of a heading of this level, from 1; "" where headings have none."""
        levels = self._styles.lists.get("", {})
        place = min(level, LEVELS) - 1
        if place not in levels or heading.get(TEXT + "is-list-header") == "true":
            return ""
        return self._label(heading, levels, place, self._headings)

    def _label(self, node: Any, levels: Any, place: int, counter: Counter) -> str:
        label = counter.next_label(levels, place, _start(node)) if place in levels else ""
        written = node.find(TEXT + "number")  # as the program that saved the file showed it
        return "".join(written.itertext())[:100].strip() if written is not None else label


def _start(node: Any) -> int | None:
    value = node.get(TEXT + "start-value", "")
    return int(value) if value.isdecimal() and len(value) < 10 else None
