"""The outlines of shapes (ECMA-376 part 1, 20.1.9): as lines between points in a square from 0 to 1.

The commonest preset forms are known, any other is a rectangle; a form of its own is followed along its paths.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, sin
from typing import Any

from docqa.formats.office.drawing import A
from docqa.formats.pdf.canvas import Point
from docqa.formats.slides.drawing_text import number_of

Paths = list[list[Point]]

_ROUND = 0.1667  # of the shorter side: the corner of a rounded rectangle
_STEPS = 12  # of a quarter of a circle, and of a curve
_MOST_POINTS = 20_000
_POLYGONS: dict[str, Sequence[Point]] = {
    "triangle": [(0.5, 0), (1, 1), (0, 1)],
    "rtTriangle": [(0, 0), (1, 1), (0, 1)],
    "diamond": [(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)],
    "flowChartDecision": [(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)],
    "parallelogram": [(0.25, 0), (1, 0), (0.75, 1), (0, 1)],
    "trapezoid": [(0.25, 0), (0.75, 0), (1, 1), (0, 1)],
    "hexagon": [(0.25, 0), (0.75, 0), (1, 0.5), (0.75, 1), (0.25, 1), (0, 0.5)],
    "octagon": [(0.29, 0), (0.71, 0), (1, 0.29), (1, 0.71), (0.71, 1), (0.29, 1), (0, 0.71), (0, 0.29)],
    "pentagon": [(0.5, 0), (1, 0.38), (0.81, 1), (0.19, 1), (0, 0.38)],
    "homePlate": [(0, 0), (0.75, 0), (1, 0.5), (0.75, 1), (0, 1)],
    "chevron": [(0, 0), (0.75, 0), (1, 0.5), (0.75, 1), (0, 1), (0.25, 0.5)],
    "rightArrow": [(0, 0.25), (0.6, 0.25), (0.6, 0), (1, 0.5), (0.6, 1), (0.6, 0.75), (0, 0.75)],
    "leftArrow": [(1, 0.25), (0.4, 0.25), (0.4, 0), (0, 0.5), (0.4, 1), (0.4, 0.75), (1, 0.75)],
    "upArrow": [(0.25, 1), (0.25, 0.4), (0, 0.4), (0.5, 0), (1, 0.4), (0.75, 0.4), (0.75, 1)],
    "downArrow": [(0.25, 0), (0.25, 0.6), (0, 0.6), (0.5, 1), (1, 0.6), (0.75, 0.6), (0.75, 0)],
    "leftRightArrow": [
        (0, 0.5),
        (0.25, 0),
        (0.25, 0.25),
        (0.75, 0.25),
        (0.75, 0),
        (1, 0.5),
        (0.75, 1),
        (0.75, 0.75),
        (0.25, 0.75),
        (0.25, 1),
    ],
    "plus": [
        (0.33, 0),
        (0.67, 0),
        (0.67, 0.33),
        (1, 0.33),
        (1, 0.67),
        (0.67, 0.67),
        (0.67, 1),
        (0.33, 1),
        (0.33, 0.67),
        (0, 0.67),
        (0, 0.33),
        (0.33, 0.33),
    ],
    "star5": [
        (0.5 + (0.5 if n % 2 == 0 else 0.2) * sin(n * pi / 5), 0.5 - (0.5 if n % 2 == 0 else 0.2) * cos(n * pi / 5))
        for n in range(10)
    ],
}
_OVALS = ("ellipse", "flowChartConnector", "donut", "pie", "chord")
_LINES = ("line", "straightConnector1")
_RECTANGLE: Sequence[Point] = [(0, 0), (1, 0), (1, 1), (0, 1)]


def outline_of(properties: Any, width: float, height: float) -> Paths:
    """The paths of a shape with these properties (spPr), which is so wide and high; they are closed unless they are
    lines."""
    own = properties.find(A + "custGeom")
    if own is not None:
        return _own(own)
    preset = properties.find(A + "prstGeom")
    name = "rect" if preset is None else preset.get("prst", "rect")
    if name in _LINES or "Connector" in name:
        bent = name.startswith("bent")
        return [[(0, 0), (0.5, 0), (0.5, 1), (1, 1)] if bent else [(0, 0), (1, 1)]]
    if name in _OVALS:
        return [_closed([_on_circle(step, 0.5, 0.5, 0.5, 0.5) for step in range(4 * _STEPS)])]
    if name.startswith("round"):
        return [_closed(_rounded(preset, width, height))]
    return [_closed(_POLYGONS.get(name, _RECTANGLE))]


def _rounded(preset: Any, width: float, height: float) -> list[Point]:
    guide = next(iter(preset.iter(A + "gd")), None)
    share = (
        _ROUND if guide is None else number_of(guide.get("fmla", "").removeprefix("val "), _ROUND * 100_000) / 100_000
    )
    radius = min(0.5, max(0.0, share)) * min(width, height)
    across, down = radius / max(width, 1e-6), radius / max(height, 1e-6)
    corners = ((1 - across, down), (1 - across, 1 - down), (across, 1 - down), (across, down))
    return [
        _on_circle((quarter - 1) * _STEPS + step, x, y, across, down)
        for quarter, (x, y) in enumerate(corners)
        for step in range(_STEPS + 1)
    ]


def _on_circle(step: int, x: float, y: float, across: float, down: float) -> Point:
    angle = step * pi / 2 / _STEPS
    return x + across * cos(angle), y + down * sin(angle)


def _closed(points: Sequence[Point]) -> list[Point]:
    return [*points, points[0]]


def _own(geometry: Any) -> Paths:
    """The paths of a form that the file draws itself."""
    paths: Paths = []
    count = 0
    for path in geometry.iterfind(f"{A}pathLst/{A}path"):
        width, height = (number_of(path.get(side, ""), 0) or 1.0 for side in "wh")
        current: list[Point] = []
        for step in path:
            points = [
                (number_of(at.get("x"), 0) / width, number_of(at.get("y"), 0) / height) for at in step.iter(A + "pt")
            ]
            count += _STEPS
            if count > _MOST_POINTS:
                return paths
            if step.tag == A + "moveTo" and points:
                current = [points[0]]
                paths.append(current)
            elif step.tag == A + "lnTo" and current:
                current += points
            elif step.tag in (A + "cubicBezTo", A + "quadBezTo") and current and points:
                current += _curve([current[-1], *points])
            elif step.tag == A + "close" and current:
                current.append(current[0])
    return paths


def _curve(controls: Sequence[Point]) -> list[Point]:
    """Points along a Bézier curve (de Casteljau)."""
    out = []
    for step in range(1, _STEPS + 1):
        share, points = step / _STEPS, list(controls)
        while len(points) > 1:
            points = [(a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share) for a, b in pairwise(points)]
        out.append(points[0])
    return out
