"""Where a page draws paths: the quickest look at whether it has lines at all. Text, which most of what is drawn is,
stays in MuPDF."""

from typing import Any

import pymupdf as _pymupdf

_mupdf: Any = _pymupdf.mupdf  # its functions carry no type hints
Box = tuple[float, float, float, float]  # left, top, right, bottom, in points


class _Paths(_mupdf.FzDevice2):  # type: ignore[misc]
    """A device of MuPDF that hears of paths alone."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[tuple[bool, Box]] = []
        self.use_virtual_fill_path()
        self.use_virtual_stroke_path()

    def fill_path(self, _: Any, path: Any, even_odd: int, matrix: Any, *colour: Any) -> None:
        """Called by MuPDF."""
        self._add(False, _mupdf.ll_fz_bound_path(path, None, matrix))

    def stroke_path(self, _: Any, path: Any, stroke: Any, matrix: Any, *colour: Any) -> None:
        """Called by MuPDF."""
        self._add(True, _mupdf.ll_fz_bound_path(path, stroke, matrix))

    def _add(self, is_stroked: bool, box: Any) -> None:
        self.paths.append((is_stroked, (box.x0, box.y0, box.x1, box.y1)))


def drawn_paths(page: Any) -> list[tuple[bool, Box]]:
    """(whether it is stroked, and not filled; its box) of each path on an unrotated page of PyMuPDF."""
    device = _Paths()
    _mupdf.fz_run_page(page.this, device, _mupdf.FzMatrix(), _mupdf.FzCookie())
    _mupdf.fz_close_device(device)
    return device.paths
