"""A page interpreted once by MuPDF, which is most of the work of reading it: its text and its paths come from the
record."""

from functools import cached_property
from typing import Any

import pymupdf as _pymupdf

pymupdf: Any = _pymupdf  # its functions carry no type hints
_mupdf: Any = _pymupdf.mupdf
FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
_EVERYWHERE = _mupdf.FzRect(_mupdf.FzRect.Fixed_INFINITE)
_AS_IT_IS = _mupdf.FzMatrix()


class Recorded:
    """What a page of PyMuPDF shows, without its rotation. Raises what MuPDF raises on a damaged page."""

    def __init__(self, page: Any) -> None:
        rotation = page.rotation
        if rotation:
            page.set_rotation(0)
        try:
            self._box = _mupdf.fz_bound_page(page.this)
            self._list = _mupdf.FzDisplayList(self._box)
            device = _mupdf.fz_new_list_device(self._list)
            # A list leaves out what shows nothing unless it is within a tile, and spaces part the words of a text.
            _mupdf.fz_begin_tile(device, self._box, self._box, 1, 1, _AS_IT_IS)
            _mupdf.fz_run_page(page.this, device, _AS_IT_IS, _mupdf.FzCookie())
            _mupdf.fz_end_tile(device)
            _mupdf.fz_close_device(device)
        finally:
            if rotation:
                page.set_rotation(rotation)

    def shown_to(self, device: Any) -> None:
        """Give all that the page shows to a device of MuPDF."""
        _mupdf.fz_run_display_list(self._list, device, _AS_IT_IS, _EVERYWHERE, _mupdf.FzCookie())
        _mupdf.fz_close_device(device)

    @cached_property
    def text(self) -> Any:
        """Its text, as a TextPage of PyMuPDF made with FLAGS."""
        text = _mupdf.FzStextPage(self._box)
        self.shown_to(_mupdf.fz_new_stext_device(text, _mupdf.FzStextOptions(FLAGS)))
        return pymupdf.TextPage(text)

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """The blocks of PyMuPDF's "dict"."""
        blocks: list[dict[str, Any]] = self.text.extractDICT()["blocks"]
        return blocks

    @property
    def blocks_by_letters(self) -> list[dict[str, Any]]:
        """The blocks of PyMuPDF's "rawdict"."""
        blocks: list[dict[str, Any]] = self.text.extractRAWDICT()["blocks"]
        return blocks

    @cached_property
    def words(self) -> list[tuple[Any, ...]]:
        """PyMuPDF's "words"."""
        words: list[tuple[Any, ...]] = self.text.extractWORDS()
        return words
