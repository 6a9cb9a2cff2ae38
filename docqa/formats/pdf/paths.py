"""The paths that a page draws: where they are, the quickest look at whether it has lines at all, and their straight
pieces, as PyMuPDF's get_cdrawings has them. Text, which most of what is drawn is, stays in MuPDF."""

from typing import Any

import pymupdf as _pymupdf

from docqa.formats.pdf.recorded import Recorded

_mupdf: Any = _pymupdf.mupdf  # its functions carry no type hints
Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom, in points
Line = tuple[float, float, float]  # where it lies; from, to

THIN = 2.5  # points: a filled box no thicker than this is a line
# A page draws hundreds of paths, and what is read as a property takes ten times as long.
_LEFT, _TOP, _RIGHT, _BOTTOM = (getattr(_mupdf.fz_rect, name).fget for name in ("x0", "y0", "x1", "y1"))
_ACROSS, _DOWN = (getattr(_mupdf.fz_point, name).fget for name in ("x", "y"))
_SKEW, _TILT = (getattr(_mupdf.fz_matrix, name).fget for name in ("b", "c"))


def drawn_paths(page: Recorded) -> list[tuple[bool, Box]]:
    """(whether it is stroked, and not filled; its box) of each path on a page."""
    device = _Paths()
    page.shown_to(device)
    return device.paths


def straight_pieces(page: Recorded) -> list[Box]:
    """The boxes of the straight lines that the paths on a page are made of: of a filled rectangle the whole, of a
    stroked one its sides."""
    device = _StraightPieces()
    page.shown_to(device)
    return device.pieces


def _box(path: Any, stroke: Any, matrix: Any) -> Box:
    box = _mupdf.ll_fz_bound_path(path, stroke, matrix).this
    return _LEFT(box), _TOP(box), _RIGHT(box), _BOTTOM(box)


class _Paths(_mupdf.FzDevice2):  # type: ignore[misc]
    """A device of MuPDF that hears of paths alone."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[tuple[bool, Box]] = []
        self.use_virtual_fill_path()
        self.use_virtual_stroke_path()

    def fill_path(self, _: Any, path: Any, even_odd: int, matrix: Any, *colour: Any) -> None:
        """Called by MuPDF."""
        self.paths.append((False, _box(path, None, matrix)))

    def stroke_path(self, _: Any, path: Any, stroke: Any, matrix: Any, *colour: Any) -> None:
        """Called by MuPDF."""
        self.paths.append((True, _box(path, stroke, matrix)))


class _StraightPieces(_mupdf.FzDevice2):  # type: ignore[misc]
    """A device of MuPDF that takes paths apart. Most are a rectangle or a line, which need not be followed."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[Box] = []
        self._walker = _Walker()
        self.use_virtual_fill_path()
        self.use_virtual_stroke_path()

    def fill_path(self, _: Any, path: Any, even_odd: int, matrix: Any, *colour: Any) -> None:
        """Called by MuPDF."""
        if _is_rectangle(path, matrix):
            self.pieces.append(_box(path, None, matrix))
        else:
            self.pieces += [piece for piece, _ in self._walker.parts(path, matrix)]

    def stroke_path(self, _: Any, path: Any, stroke: Any, matrix: Any, *colour: Any) -> None:
        """Called by MuPDF."""
        if _is_rectangle(path, matrix) and _is_thin(box := _box(path, None, matrix)):
            self.pieces.append(box)
            return
        for piece, is_rectangle in self._walker.parts(path, matrix, is_stroked=True):
            if is_rectangle and not _is_thin(piece):
                left, top, right, bottom = piece
                self.pieces += [(left, top, right, top), (left, bottom, right, bottom)]
                self.pieces += [(left, top, left, bottom), (right, top, right, bottom)]
            else:
                self.pieces.append(piece)


def _is_rectangle(path: Any, matrix: Any) -> bool:
    skewed = matrix.this
    return not (_SKEW(skewed) or _TILT(skewed)) and bool(_mupdf.ll_fz_path_is_rect(path, matrix))


def _is_thin(box: Box) -> bool:
    left, top, right, bottom = box
    return bottom - top <= THIN or right - left <= THIN


class _Walker(_mupdf.FzPathWalker2):  # type: ignore[misc]
    """Follows a path of MuPDF, line by line; curves are left out."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[tuple[Box, bool]] = []
        self._matrix: Any = None
        self._is_stroked = False
        self._begin: Point | None = None  # of the figure that is open
        self._run: list[Point] = [(0.0, 0.0)]  # through which lines lead, one after the other
        self.use_virtual_moveto()
        self.use_virtual_lineto()
        self.use_virtual_curveto()
        self.use_virtual_closepath()

    def parts(self, path: Any, matrix: Any, *, is_stroked: bool = False) -> list[tuple[Box, bool]]:
        """The box of each line; where three lines are closed to a rectangle, that, and True. Four lines that end where
        they begin are a figure of another kind where they are stroked, and left out."""
        self._parts, self._matrix, self._is_stroked = [], matrix, is_stroked
        _mupdf.ll_fz_walk_path(path, self.m_internal, self.m_internal)
        return self._parts

    def moveto(self, _: Any, x: float, y: float) -> None:
        """Called by MuPDF."""
        self._begin = self._shown(x, y)
        self._run = [self._begin]

    def lineto(self, _: Any, x: float, y: float) -> None:
        """Called by MuPDF."""
        self._go_to(self._shown(x, y))
        if self._is_stroked and len(self._run) == 5 and self._run[0] == self._run[4]:
            del self._parts[-4:], self._run[:4]

    def curveto(self, _: Any, *coordinates: float) -> None:
        """Called by MuPDF."""
        self._run = [self._shown(*coordinates[-2:])]

    def closepath(self, _: Any) -> None:
        """Called by MuPDF."""
        if len(self._run) == 4:
            (x, y), (u, v), (w, z), (left, top) = self._run
            if y == v and x == left and z == top and w == u:
                # As it was drawn: from right to left its width is below zero, and it counts as an upright line.
                self._parts[-3:] = [((left, top, u, v) if top < v else (x, y, w, z), True)]
                del self._run[:3]
                return
        if self._begin and self._run[-1] != self._begin:
            self._go_to(self._begin)
        self._begin, self._run = None, self._run[-1:]

    def _go_to(self, point: Point) -> None:
        (x, y), (u, v) = self._run[-1], point
        self._parts.append(((min(x, u), min(y, v), max(x, u), max(y, v)), False))
        self._run.append(point)

    def _shown(self, x: float, y: float) -> Point:
        point = _mupdf.ll_fz_transform_point_xy(x, y, self._matrix).this
        return _ACROSS(point), _DOWN(point)
