"""The chart of a slide on a canvas: columns, bars, lines or a pie, with every name and value beside it.

What the chart looks like beyond that (axes, grids, stacks, styles) is not followed; a chart of another kind shows its
words and numbers.
"""

import html
from collections.abc import Iterator, Sequence
from math import cos, isfinite, pi, sin
from typing import TYPE_CHECKING, Any, NamedTuple

from docqa.formats.office.drawing import C, lines
from docqa.formats.office.graphics import Series, chart, series_of
from docqa.formats.pdf.canvas import Box, Colour, Point
from docqa.formats.slides.drawing_places import corners

if TYPE_CHECKING:
    from docqa.formats.slides.drawing_shapes import Painter

_GREY: Colour = (0.75, 0.75, 0.75)
_WHITE: Colour = (1.0, 1.0, 1.0)
_THIN, _THICK = 0.75, 2.0  # points
_COLUMNS, _LINES = ("barChart", "bar3DChart"), ("lineChart", "line3DChart", "areaChart")
_PIES = ("pieChart", "pie3DChart", "doughnutChart")
_MOST_VALUES = 300
_BAR = 0.7  # of the room of a category that its bars take
_STEPS = 48  # of a circle


class _Value(NamedTuple):
    place: int  # of its category
    number: float
    written: str


def paint_chart(painter: "Painter", root: Any, box: Box) -> None:
    """Draw a chart part (21.2) into a box."""
    kinds = {child.tag.removeprefix(C): child for plot in root.iter(C + "plotArea") for child in plot if _holds(child)}
    series = [(each.name, _values(each)) for each in series_of(root)]
    series = [(name, values) for name, values in series if values]
    drawn = len(kinds) == 1 and 0 < sum(len(values) for _, values in series) <= _MOST_VALUES
    kind = next(iter(kinds)) if drawn else ""
    if kind in _COLUMNS:
        direction = kinds[kind].find(C + "barDir")
        _Sketch(painter, box, root, series).bars(is_upright=direction is None or direction.get("val") != "bar")
    elif kind in _LINES:
        _Sketch(painter, box, root, series).curves()
    elif kind in _PIES:
        _Sketch(painter, box, root, series).pie()
    else:
        painter.canvas.outline([corners(box)], None, _GREY, _THIN)
        painter.canvas.text(box, "".join(_line(line, 12) for line in chart(root).split("\n")), shrinks=True)


def _holds(node: Any) -> bool:
    return isinstance(node.tag, str) and node.find(C + "ser") is not None


def _values(series: Series) -> list[_Value]:
    values = []
    for place, written in sorted(series.values.items()):
        try:
            number = float(written)
        except ValueError:
            continue
        if isfinite(number):
            values.append(_Value(place, number, written))
    return values


class _Sketch:
    """A chart while it is drawn: the title above, the names of its series below, the plot between them."""

    def __init__(self, painter: "Painter", box: Box, root: Any, series: Sequence[tuple[str, list[_Value]]]) -> None:
        self._canvas, self._palette, self._series = painter.canvas, painter.palette, series
        left, top, right, bottom = box
        self._size = min(12.0, max(6.0, (bottom - top) / 24))
        self._high = 1.5 * self._size  # of a line of text
        self._names = dict(next((each.categories for each in series_of(root) if each.categories), {}))
        title = root.find(f"{C}chart/{C}title")
        words = "" if title is None else lines(title).strip()
        if words:
            self._write((left, top, right, top + 2 * self._high), words, larger=1.4)
            top += 2 * self._high
        named = [name for name, _ in series if name]
        if named and words != named[0]:
            self._legend((left, bottom - self._high, right, bottom), named)
        self._plot: Box = left + self._size, top + self._high, right - self._size, bottom - 2.5 * self._high
        self._places = sorted({value.place for _, values in series for value in values})
        orders = root.iterfind(f".//{C}catAx/{C}scaling/{C}orientation")
        self._from_top = any(order.get("val") == "maxMin" for order in orders)

    def bars(self, *, is_upright: bool) -> None:
        """Bars that stand beside each other for each category, upright or lying."""
        numbers = [value.number for _, values in self._series for value in values]
        low, high = min(0.0, *numbers), max(0.0, *numbers)
        left, top, right, bottom = self._plot
        if not is_upright:
            left += (right - left) / 4  # for the names
        long, wide = (bottom - top, right - left) if is_upright else (right - left, bottom - top)
        room = wide / max(1, len(self._places))
        thick = _BAR * room / max(1, len(self._series))
        scale = long / ((high - low) or 1.0)
        for number, (_, values) in enumerate(self._series):
            for value in values:
                start = room * self._places.index(value.place) + (1 - _BAR) / 2 * room + thick * number
                zero, end = -low * scale, (value.number - low) * scale
                if is_upright:
                    bar = (left + start, bottom - max(zero, end), left + start + thick, bottom - min(zero, end))
                    label = (bar[0] - room / 2, bar[1] - self._high, bar[2] + room / 2, bar[1])
                else:
                    at = top + start if self._from_top else bottom - start - thick
                    bar = (left + min(zero, end), at, left + max(zero, end), at + thick)
                    label = (bar[2] - 2 * self._high, bar[1], bar[2] + 4 * self._high, bar[1] + self._high)
                self._canvas.outline([corners(bar)], self._colour(number), None, 0)
                self._write(label, value.written)
        for place, name in self._categories():
            if is_upright:
                middle = left + room * (place + 0.5)
                self._write((middle - room / 2, bottom + 2, middle + room / 2, bottom + 2 + self._high), name)
            else:
                from_end = room * (place + 0.5)
                middle = top + from_end if self._from_top else bottom - from_end
                self._write((self._plot[0], middle - self._high / 2, left - 2, middle + self._high / 2), name)

    def curves(self) -> None:
        """A line through the values of each series."""
        numbers = [value.number for _, values in self._series for value in values]
        low, high = min(0.0, *numbers), max(numbers)
        left, top, right, bottom = self._plot
        room = (right - left) / max(1, len(self._places))
        for number, (_, values) in enumerate(self._series):
            points: list[Point] = []
            for value in values:
                x = left + room * (self._places.index(value.place) + 0.5)
                y = bottom - (bottom - top) * (value.number - low) / ((high - low) or 1.0)
                points.append((x, y))
                self._write((x - room, y - self._high, x + room, y), value.written)
            self._canvas.outline([points], None, self._colour(number), _THICK)
        self._canvas.outline([[(left, bottom), (right, bottom)]], None, _GREY, _THIN)
        for place, name in self._categories():
            middle = left + room * (place + 0.5)
            self._write((middle - room / 2, bottom + 2, middle + room / 2, bottom + 2 + self._high), name)

    def pie(self) -> None:
        """The shares of the first series, with the names and values beside them."""
        values = [value for value in self._series[0][1] if value.number > 0]
        left, top, right, bottom = self._plot
        radius = max(1.0, min((right - left) / 2, bottom - top) / 2)
        x, y = left + radius, (top + bottom) / 2
        whole, turned = sum(value.number for value in values), 0.0
        for number, value in enumerate(values):
            share = value.number / whole
            steps = max(2, round(_STEPS * share))
            angles = [2 * pi * (turned + share * step / steps) for step in range(steps + 1)]
            arc = [(x + radius * sin(angle), y - radius * cos(angle)) for angle in angles]
            self._canvas.outline([[(x, y), *arc, (x, y)]], self._colour(number), _WHITE, _THIN)
            turned += share
            at = y - self._high * (len(values) / 2 - number)
            square = (
                x + 1.2 * radius,
                at + 0.3 * self._size,
                x + 1.2 * radius + 0.8 * self._size,
                at + 1.1 * self._size,
            )
            self._canvas.outline([corners(square)], self._colour(number), None, 0)
            words = f"{self._names.get(value.place, '')} {value.written}".strip()
            self._write((square[2] + self._size / 2, at, right, at + self._high), words, aligned="left")

    def _legend(self, box: Box, names: Sequence[str]) -> None:
        signs = [
            f'<span style="color:{_code(self._colour(number))}">■</span> {html.escape(name)}'
            for number, name in enumerate(names)
        ]
        self._canvas.text(box, _line("&nbsp;&nbsp; ".join(signs), self._size, is_html=True), shrinks=True)

    def _categories(self) -> Iterator[tuple[int, str]]:
        for number, place in enumerate(self._places):
            if name := self._names.get(place, ""):
                yield number, name

    def _write(self, box: Box, words: str, *, larger: float = 1.0, aligned: str = "center") -> None:
        self._canvas.text(box, _line(words, self._size * larger, aligned), shrinks=True)

    def _colour(self, number: int) -> Colour:
        return self._palette.named(f"accent{number % 6 + 1}") or _GREY


def _line(words: str, size: float, aligned: str = "center", *, is_html: bool = False) -> str:
    written = words if is_html else html.escape(words)
    return f'<p style="margin:0;text-align:{aligned};font-size:{size:.1f}pt;font-family:sans-serif">{written}</p>'


def _code(colour: Colour) -> str:
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, part))):02x}" for part in colour)
