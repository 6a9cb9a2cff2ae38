"""Charts and SmartArt diagrams of Office documents → lines of text: a chart's numbers with their categories.

A chart's data are read from the cache in the document; the workbook behind it is not opened.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any, NamedTuple

from docqa.formats.office.drawing import CX, DGM, C, lines

_C15 = "{http://schemas.microsoft.com/office/drawing/2012/chart}"

_RICH, _TITLES, _VALUES = ((C + name, CX + name) for name in ("rich", "title", "v"))

_NO_CODE = re.compile(r'"[^"]*"|\[[^\]]*\]|[\\_*].')
_FIRST_DAY = date(1899, 12, 30)
_LAST_DAY = 2_958_465

# A larger table would be mostly empty: its series have their points in different places.
_MOST_CELLS = 1_000_000

Points = dict[int, str]


class Series(NamedTuple):
    """A series of a chart: its categories and values as they are written, by their place."""

    name: str
    categories: Points
    values: Points


def chart(root: Any) -> str:
    """Titles and labels, then each series' values with their categories.

    `root` is that of a chart part (ECMA-376 part 1, 21.2) or of a chartex part ([MS-ODRAWXML]).
    """
    words = dict.fromkeys(filter(None, (line.strip() for line in _labels(root))))
    series = list(_chartex_series(root) if root.tag.startswith(CX) else series_of(root))
    return "\n".join((*words, *_rows(series)))


def diagram(root: Any) -> str:
    """The texts of a diagram's data model (ECMA-376 part 1, 21.4), a line per paragraph, parents before children."""
    points = {point.get("modelId", ""): point for point in root.iter(DGM + "pt")}
    below: dict[str, list[tuple[int, str]]] = {}
    for link in root.iter(DGM + "cxn"):
        if link.get("type", "parOf") == "parOf":
            place = link.get("srcOrd", "")
            below.setdefault(link.get("srcId", ""), []).append(
                (int(place) if place.isdecimal() else 0, link.get("destId", ""))
            )
    tops = [key for key, point in points.items() if point.get("type") == "doc"]
    order, waiting = dict[str, None](), tops[::-1]
    while waiting:
        key = waiting.pop()
        if key in points and key not in order:
            order[key] = None
            waiting += [lower for _, lower in sorted(below.get(key, []))[::-1]]
    order |= dict.fromkeys(points)  # labels of arrows, and points that a damaged model leaves unconnected
    texts = (lines(points[key]) for key in order if points[key].get("type") != "pres")
    return "\n".join(line for text in texts for line in text.split("\n") if line.strip())


def _labels(root: Any) -> Iterator[str]:
    """Titles of the chart and its axes, typed or from a cell, and custom labels, in file order."""
    for node in root.iter(*_RICH, *_VALUES):
        if node.tag in _RICH and next(node.iterancestors(*_RICH), None) is None:
            yield lines(node)
        elif node.tag in _VALUES and next(node.iterancestors(*_TITLES), None) is not None:
            yield node.text or ""


def series_of(root: Any) -> Iterator[Series]:
    """The series of a chart part, in its order."""
    first: Points = {}
    for series in root.iter(C + "ser"):
        name = " ".join(value.text or "" for value in series.iterfind(f"{C}tx//{C}v"))
        categories = _points(series, C + "cat", C + "xVal") or first
        first = first or categories
        yield Series(name, categories, _points(series, C + "val", C + "yVal"))
        for more in (_points(series, C + "bubbleSize"), _cached(series.iter(_C15 + "dlblRangeCache"))):
            if more:
                yield Series("", categories, more)


def _chartex_series(root: Any) -> Iterator[Series]:
    data = {block.get("id", ""): block for block in root.iter(CX + "data")}
    for series in root.iter(CX + "series"):
        name = " ".join(value.text or "" for value in series.iterfind(f"{CX}tx//{CX}v"))
        keys = (key.get("val") for key in series.iterfind(CX + "dataId"))
        source = next((data[key] for key in keys if key in data), None)
        if source is not None:
            numbers = [_cached([dimension]) for dimension in source.iterfind(CX + "numDim")]
            categories = _cached(source.iterfind(CX + "strDim"))
            for values in numbers or [dict.fromkeys(categories, "")]:
                yield Series(name, categories, values)


def _points(series: Any, *names: str) -> Points:
    return _cached(source for name in names for source in series.iterfind(name))


def _cached(sources: Iterable[Any]) -> Points:
    """The cached values of ranges of cells, by index.

    Of several levels the first is the innermost; a point of another level applies until the next point of that level.
    """
    points: Points = {}
    for source in sources:
        is_number = source.tag == CX + "numDim" or next(source.iter(C + "numCache", C + "numLit"), None) is not None
        code = next((node.text or "" for node in source.iter(C + "formatCode")), "")
        levels = list(source.iter(C + "lvl", CX + "lvl")) or [source]
        points |= _joined([_level(level, level.get("formatCode", code), is_number) for level in levels])
    return points


def _level(level: Any, code: str, is_number: bool) -> Points:
    points = (
        (point.get("idx", ""), (point.findtext(C + "v") or point.text or "").strip(), point)
        for point in level.iter(C + "pt", CX + "pt")
    )
    return {
        int(index): _shown(value, point.get("formatCode", code)) if is_number else value
        for index, value, point in points
        if index.isdecimal()
    }


def _joined(levels: list[Points]) -> Points:
    inner, *outer = levels
    labels: Points = {}
    current = ["" for _ in outer]
    for index in sorted({index for level in levels for index in level}):
        current = [level.get(index, before) for level, before in zip(outer, current, strict=True)]
        if index in inner or not outer:
            labels[index] = " ".join(filter(None, (*current[::-1], inner.get(index, ""))))
    return labels


def _rows(series: list[Series]) -> Iterator[str]:
    """A table for each group of series with the same categories: their names, then a line for each category."""
    tables: dict[tuple[tuple[int, str], ...], list[Series]] = {}
    table_of: dict[int, list[Series]] = {}
    for line in series:
        if id(line.categories) not in table_of:
            table_of[id(line.categories)] = tables.setdefault(tuple(line.categories.items()), [])
        table_of[id(line.categories)].append(line)
    for group in tables.values():
        indices = group[0].categories.keys() | {index for line in group for index in line.values}
        if len(indices) * len(group) <= _MOST_CELLS:
            yield from _table(group, indices)
        else:
            yield from _table(group[:1], indices)
            yield from (row for line in group[1:] for row in _table([line], set(line.values)))


def _table(group: list[Series], indices: set[int]) -> Iterator[str]:
    categories = group[0].categories
    if any(series.name for series in group):
        yield " | ".join([""] * bool(categories) + [series.name for series in group])
    for index in sorted(indices):
        first = [categories.get(index, "")] if categories else []
        yield " | ".join(first + [series.values.get(index, "") for series in group]).removesuffix(" | ")


def _shown(value: str, code: str) -> str:
    """A number as its format code (ECMA-376 part 1, 18.8.31) shows it, for per cent and dates only.

    Other numbers keep the 15 digits that a spreadsheet has.
    """
    try:
        number = float(value)
    except ValueError:
        return value
    code = _NO_CODE.sub("", code).lower()
    if "%" in code:
        return f"{number * 100:.10g}%"
    if ("y" in code or "d" in code) and code != "standard" and 0 < number <= _LAST_DAY:
        return (_FIRST_DAY + timedelta(days=int(number))).isoformat()
    text = f"{number:.15g}"
    return value if "e" in text else text
