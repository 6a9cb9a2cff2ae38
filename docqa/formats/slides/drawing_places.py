"""Where the shapes of a slide lie on the page: in groups, turned and mirrored, or where their placeholders do
(ECMA-376 part 1, 20.1.7)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

from docqa.formats.office.drawing import MC, A
from docqa.formats.pdf.canvas import Box, Point
from docqa.formats.slides.drawing_text import EMU, number_of

_KIN = {"ctrTitle": "title", "subTitle": "body", "obj": "body"}


@dataclass(frozen=True)
class Frame:
    """How the coordinates of a group (EMU) become points of the page."""

    across: float = 1 / EMU
    down: float = 1 / EMU
    left: float = 0.0
    top: float = 0.0

    def within(self, outer: tuple[float, ...], inner: tuple[float, ...]) -> "Frame":
        """That of a group which lies at `outer` and whose own coordinates are `inner`: left, top, width, height."""
        across = self.across * (outer[2] / inner[2] if inner[2] else 1.0)
        down = self.down * (outer[3] / inner[3] if inner[3] else 1.0)
        left, top = self.left + self.across * outer[0], self.top + self.down * outer[1]
        return Frame(across, down, left - across * inner[0], top - down * inner[1])


PAGE = Frame()


@dataclass(frozen=True)
class Placed:
    """Where a shape lies on the page, before it is turned by so many degrees, and mirrored."""

    box: Box
    turn: float = 0.0
    mirrored: tuple[bool, bool] = (False, False)

    def on_page(self, path: Sequence[Point]) -> list[Point]:
        """The points of a path in a square from 0 to 1, on the page."""
        left, top, right, bottom = self.box
        middle = (left + right) / 2, (top + bottom) / 2
        angle = radians(self.turn)
        points = []
        for x, y in path:
            across = left + (right - left) * (1 - x if self.mirrored[0] else x) - middle[0]
            down = top + (bottom - top) * (1 - y if self.mirrored[1] else y) - middle[1]
            points.append(
                (
                    middle[0] + across * cos(angle) - down * sin(angle),
                    middle[1] + across * sin(angle) + down * cos(angle),
                )
            )
        return points

    def upright(self, quarter: int) -> Box:
        """The box that it fills when it is turned by a multiple of 90 degrees."""
        left, top, right, bottom = self.box
        if quarter % 180 == 0:
            return self.box
        x, y, wide, high = (left + right) / 2, (top + bottom) / 2, right - left, bottom - top
        return x - high / 2, y - wide / 2, x + high / 2, y + wide / 2


def members(tree: Any) -> Iterator[Any]:
    """The shapes of a tree; of those given in alternatives (part 3, 7.5), the first."""
    for child in tree:
        if child.tag == MC + "AlternateContent":
            yield from next(iter(child), ())
        elif isinstance(child.tag, str):
            yield child


def local_name(node: Any) -> str:
    """The name of an element without its namespace: diagrams have one of their own for the same shapes."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""  # that of a comment is a function


def child_of(node: Any, name: str) -> Any:
    """The first child of this name, None where there is none."""
    return next((child for child in node if local_name(child) == name), None)


def placeholder(shape: Any) -> Any:
    """What marks a shape as a placeholder, None for one that is none."""
    return next(shape.iterfind("*/{*}nvPr/{*}ph"), None)


def kin(mark: Any) -> str:
    """The kind of placeholder by which it inherits from the layout or the master."""
    kind = str(mark.get("type", "obj"))
    return _KIN.get(kind, kind)


def rectangle(place: Any, start: str, size: str) -> tuple[float, float, float, float] | None:
    """Left, top, width and height, as two children give them; None where one is missing."""
    at, extent = place.find(A + start), place.find(A + size)
    if at is None or extent is None:
        return None
    return (
        number_of(at.get("x"), 0),
        number_of(at.get("y"), 0),
        number_of(extent.get("cx"), 0),
        number_of(extent.get("cy"), 0),
    )


def group_frame(frame: Frame, place: Any) -> Frame:
    """How the coordinates in a group become points, whose place (xfrm) may be None."""
    outer, inner = (
        (None, None) if place is None else (rectangle(place, "off", "ext"), rectangle(place, "chOff", "chExt"))
    )
    return frame.within(outer, inner) if outer and inner else frame


def corners(box: Box) -> list[Point]:
    """The outline of a box."""
    left, top, right, bottom = box
    return [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
