"""Charts and SmartArt diagrams of Office documents → lines of text: a chart's numbers with the categories they belong to.

What is read is what the file remembers of the chart's data; the workbook behind it is not opened.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any, NamedTuple

from docqa.formats.slides.pptx_shapes import lines

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_C15 = "{http://schemas.microsoft.com/office/drawing/2012/chart}"
_CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
_DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"

_RICH, _TITLES, _VALUES = ((_C + name, _CX + name) for name in ("rich", "title", "v"))

_NO_CODE = re.compile(r'"[^"]*"|\[[^\]]*\]|[\\_*].')
_FIRST_DAY = date(1899, 12, 30)
_LAST_DAY = 2_958_465

# A larger table is mostly holes: its series have their points in different places.
_MOST_CELLS = 1_000_000

Points = dict[int, str]


class _Series(NamedTuple):
    name: str
    categories: Points
    values: Points


def chart(root: Any) -> str:
    """Titles and labels, then each series' values beside their categories (ECMA-376 part 1, 21.2; [MS-ODRAWXML] for chartex)."""
    words = dict.fromkeys(filter(None, (line.strip() for line in _labels(root))))
    series = list(_chartex_series(root) if root.tag.startswith(_CX) else _series(root))
    return "\n".join((*words, *_rows(series)))


def diagram(root: Any) -> str:
    """The texts of a diagram's data model (21.4), a line for each paragraph, each point before those below it."""
    points = {point.get("modelId", ""): point for point in root.iter(_DGM + "pt")}
    below: dict[str, list[tuple[int, str]]] = {}
    for link in root.iter(_DGM + "cxn"):
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
    order |= dict.fromkeys(points)  # labels of arrows, and points that a damaged model leaves outside
    texts = (lines(points[key]) for key in order if points[key].get("type") != "pres")
    return "\n".join(line for text in texts for line in text.split("\n") if line.strip())


def _labels(root: Any) -> Iterator[str]:
    """Titles of the chart and of its axes, typed or from a cell, and labels written by hand, as they stand in the file."""
    for node in root.iter(*_RICH, *_VALUES):
        if node.tag in _RICH and next(node.iterancestors(*_RICH), None) is None:
            yield lines(node)
        elif node.tag in _VALUES and next(node.iterancestors(*_TITLES), None) is not None:
            yield node.text or ""


def _series(root: Any) -> Iterator[_Series]:
    first: Points = {}
    for one in root.iter(_C + "ser"):
        name = " ".join(value.text or "" for value in one.iterfind(f"{_C}tx//{_C}v"))
        categories = _points(one, _C + "cat", _C + "xVal") or first
        first = first or categories
        yield _Series(name, categories, _points(one, _C + "val", _C + "yVal"))
        for more in (_points(one, _C + "bubbleSize"), _cached(one.iter(_C15 + "dlblRangeCache"))):
            if more:
                yield _Series("", categories, more)


def _chartex_series(root: Any) -> Iterator[_Series]:
    data = {one.get("id", ""): one for one in root.iter(_CX + "data")}
    for one in root.iter(_CX + "series"):
        name = " ".join(value.text or "" for value in one.iterfind(f"{_CX}tx//{_CX}v"))
        source = next((data[key.get("val")] for key in one.iterfind(_CX + "dataId") if key.get("val") in data), None)
        if source is not None:
            numbers = [_cached([dimension]) for dimension in source.iterfind(_CX + "numDim")]
            categories = _cached(source.iterfind(_CX + "strDim"))
            for values in numbers or [dict.fromkeys(categories, "")]:
                yield _Series(name, categories, values)


def _points(series: Any, *names: str) -> Points:
    return _cached(one for name in names for one in series.iterfind(name))


def _cached(sources: Iterable[Any]) -> Points:
    """What is remembered of a range of cells. Of several levels the first is the innermost; a point of another holds until the next of its level."""
    found: Points = {}
    for source in sources:
        is_number = source.tag == _CX + "numDim" or next(source.iter(_C + "numCache", _C + "numLit"), None) is not None
        code = next((one.text or "" for one in source.iter(_C + "formatCode")), "")
        levels = list(source.iter(_C + "lvl", _CX + "lvl")) or [source]
        found |= _joined([_level(level, level.get("formatCode", code), is_number) for level in levels])
    return found


def _level(level: Any, code: str, is_number: bool) -> Points:
    points = (
        (one.get("idx", ""), (one.findtext(_C + "v") or one.text or "").strip(), one)
        for one in level.iter(_C + "pt", _CX + "pt")
    )
    return {
        int(index): _shown(value, one.get("formatCode", code)) if is_number else value
        for index, value, one in points
        if index.isdecimal()
    }


def _joined(levels: list[Points]) -> Points:
    inner, *outer = levels
    found: Points = {}
    current = ["" for _ in outer]
    for index in sorted({index for level in levels for index in level}):
        current = [level.get(index, before) for level, before in zip(outer, current, strict=True)]
        if index in inner or not outer:
            found[index] = " ".join(filter(None, (*current[::-1], inner.get(index, ""))))
    return found


def _rows(series: list[_Series]) -> Iterator[str]:
    """A table for the series that share their categories: their names, then a line for each category."""
    tables: dict[tuple[tuple[int, str], ...], list[_Series]] = {}
    table_of: dict[int, list[_Series]] = {}
    for one in series:
        if id(one.categories) not in table_of:
            table_of[id(one.categories)] = tables.setdefault(tuple(one.categories.items()), [])
        table_of[id(one.categories)].append(one)
    for together in tables.values():
        indices = together[0].categories.keys() | {index for one in together for index in one.values}
        if len(indices) * len(together) <= _MOST_CELLS:
            yield from _table(together, indices)
        else:
            yield from _table(together[:1], indices)
            yield from (row for one in together[1:] for row in _table([one], set(one.values)))


def _table(together: list[_Series], indices: set[int]) -> Iterator[str]:
    categories = together[0].categories
    if any(one.name for one in together):
        yield " | ".join([""] * bool(categories) + [one.name for one in together])
    for index in sorted(indices):
        first = [categories.get(index, "")] if categories else []
        yield " | ".join(first + [one.values.get(index, "") for one in together]).removesuffix(" | ")


def _shown(value: str, code: str) -> str:
    """A number as its format shows it, as far as per cent and dates go (18.8.31); else with the 15 digits that a spreadsheet knows."""
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
