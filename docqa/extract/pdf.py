"""PDF, read by MuPDF: page texts in reading order, values of form fields, remarks, and sections from the outline."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pymupdf as _pymupdf

from docqa.errors import Unreadable
from docqa.extract.pages import MAX_PAGES, ExtractedPage, Reading

pymupdf: Any = _pymupdf  # its functions carry no type hints
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
_NAMED_FIELDS = ("Text", "ComboBox", "ListBox")


def read(data: bytes, charset: str = "") -> Reading:
    """One page for each page of the file. Raises Unreadable for a damaged, a password-protected or an endless file."""
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    document = _open(data)
    if document.needs_pass and not document.authenticate(""):
        raise Unreadable("The PDF is password-protected. Save it without a password and upload it again.")
    count = _page_count(document)
    if not count:
        # A broken cross-reference table hides the pages; without the pointer to it MuPDF searches the file for them.
        document = _open(data.replace(b"startxref", b"startxxxx"))
        count = _page_count(document)
    if not count:
        raise Unreadable("The PDF has no pages, or is damaged so that none is found.")
    if count > MAX_PAGES:
        raise Unreadable(f"The PDF has {count:,} pages; up to {MAX_PAGES:,} are read. Split it and upload the parts.")
    outline = _outline(document)
    starts = [page for page, _ in outline]
    pages, notes = [], []
    for number in range(count):
        try:
            text = _text(document[number])
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as error:
            if _out_of_memory(error):
                raise MemoryError(str(error)) from error
            text = ""
            notes.append(f"Page {number + 1} is damaged and was left out.")
        section = bisect_right(starts, number) - 1
        pages.append(ExtractedPage(text, outline[section][1] if section >= 0 else ""))
    metadata = document.metadata or {}
    return Reading("pdf", (metadata.get("title") or "").strip(), pages, notes)


def _open(data: bytes) -> Any:
    try:
        return pymupdf.open(stream=data, filetype="pdf")
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as error:
        if _out_of_memory(error):
            raise MemoryError(str(error)) from error
        raise Unreadable("The PDF is damaged and cannot be opened.") from error


def _page_count(document: Any) -> int:
    try:
        return int(document.page_count)
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        return 0  # the same as no pages: the caller repairs or refuses


def _out_of_memory(error: Exception) -> bool:
    return any(word in str(error).lower() for word in ("malloc", "alloc (", "out of memory", "memory"))


def _outline(document: Any) -> list[tuple[int, str]]:
    """(0-based page, title) in page order; the first entry of the page that the last one of it would hide is kept."""
    try:
        entries = document.get_toc(simple=True)
    except (RuntimeError, ValueError, TypeError, pymupdf.mupdf.FzErrorBase):
        return []  # a broken outline costs the section names, which are optional
    first: dict[int, str] = {}
    for _, title, page in entries:
        if page > 0 and title.strip():
            first.setdefault(page - 1, " ".join(title.split()))
    return sorted(first.items())


def _text(page: Any) -> str:
    blocks = [rows for block in page.get_text("dict", flags=_FLAGS)["blocks"] if (rows := _rows(block.get("lines", [])))]
    if _jumbled(blocks):
        blocks.sort(key=lambda rows: (round(rows[-1].bottom), rows[0].left))
    text = "\n\n".join("\n".join(row.text for row in rows) for rows in _joined(blocks))
    extra = [value for value in _values(page) if value not in text]
    return "\n\n".join(part for part in (text, *extra) if part)


@dataclass
class _Row:
    """What stands on one line of the page; `top` and `bottom` in points from the page's upper edge."""

    text: str
    left: float
    top: float
    bottom: float
    level: bool

    def beside(self, other: "_Row") -> bool:
        shared = min(self.bottom, other.bottom) - max(self.top, other.top)
        return self.level and other.level and shared > 0.5 * min(self.bottom - self.top, other.bottom - other.top)

    def add(self, other: "_Row") -> None:
        self.text = f"{self.text} {other.text}"
        self.top, self.bottom = min(self.top, other.top), max(self.bottom, other.bottom)


def _rows(lines: list[dict[str, Any]]) -> list[_Row]:
    """MuPDF makes a line of each table cell; cells that follow each other at one height are one row again, so that a row is understood."""
    rows: list[_Row] = []
    for line in lines:
        text = "".join(span["text"] for span in line["spans"]).strip()
        if not text:
            continue
        left, top, _, bottom = line["bbox"]
        row = _Row(text, left, top, bottom, line["dir"] == (1.0, 0.0))
        if rows and rows[-1].beside(row):
            rows[-1].add(row)
        else:
            rows.append(row)
    return rows


def _joined(blocks: list[list[_Row]]) -> list[list[_Row]]:
    """Blocks of one row each that stand side by side are one row; taller ones are columns and stay apart."""
    joined: list[list[_Row]] = []
    for rows in blocks:
        if joined and len(joined[-1]) == len(rows) == 1 and joined[-1][0].beside(rows[0]):
            joined[-1][0].add(rows[0])
        else:
            joined.append(rows)
    return joined


def _jumbled(blocks: list[list[_Row]]) -> bool:
    """True if the file's own order jumps up the page again and again; columns do that once or twice, forms and tables at random."""
    jumps = sum(after[-1].bottom < before[0].top for before, after in pairwise(blocks))
    return jumps > 3 and jumps * 4 > len(blocks)


def _values(page: Any) -> list[str]:
    """What people filled in or remarked; it stands beside the page's own text."""
    filled = [str(field.field_value or "").strip() for field in page.widgets() if field.field_type_string in _NAMED_FIELDS]
    remarks = [str(remark.info.get("content") or "").strip() for remark in page.annots()]
    return list(dict.fromkeys(value for value in filled + remarks if value))
