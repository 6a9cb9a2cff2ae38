"""PDF, read by MuPDF: page texts in reading order (page.py), form field values, annotations, sections from the outline.

Embedded files are not read. A page that shows something but holds no text is marked as unread.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pymupdf as _pymupdf

from docqa.errors import Unreadable
from docqa.formats.grids import grids
from docqa.formats.pages import MAX_PAGES, ExtractedPage, Reading
from docqa.formats.pdf.bullets import with_bullets
from docqa.formats.pdf.layout import has_right_to_left
from docqa.formats.pdf.limits import draws_too_much
from docqa.formats.pdf.opening import BROKEN, open_page, opened, raise_if_memory, rendered
from docqa.formats.pdf.page import Page, arrange
from docqa.formats.pdf.paths import drawn_paths
from docqa.formats.pdf.recorded import Recorded
from docqa.formats.pdf.ruled import RuledTable, ruled_tables
from docqa.formats.pdf.running import marked
from docqa.formats.pdf.scans import is_scan, large_pictures
from docqa.formats.pictures.selection import MOST_ON_A_PAGE, Templates
from docqa.formats.properties import Properties
from docqa.text.blocks import Block
from docqa.workers.helpers import HELPERS

if TYPE_CHECKING:
    from docqa.formats.pictures.decode import Image  # what decodes pictures is imported only where there are some

pymupdf: Any = _pymupdf  # its functions carry no type hints
_STAMP = 60  # characters: a scanned page with less text on top of it still counts as a scan
_NUMBER = 12  # characters that the number of a section takes beside its title
_WRITTEN, _TICKED = ("Text", "ComboBox", "ListBox"), ("CheckBox", "RadioButton")


def read(data: bytes, charset: str = "") -> Reading:
    """One page for each page of the file; `charset` is ignored.

    Raises Unreadable for a file that is damaged, password-protected or too long.
    """
    document, count = opened(data)
    if not count:
        raise Unreadable("The PDF has no pages, or is so damaged that none can be found.")
    if count > MAX_PAGES:
        raise Unreadable(f"The PDF has {count:,} pages; up to {MAX_PAGES:,} are read. Split it and upload the parts.")
    notes: list[str] = []
    if attached := _attached(document):
        notes.append(
            f"The PDF carries {attached} attached file{'s' if attached > 1 else ''}, "
            f"which {'are' if attached > 1 else 'is'} not read; upload {'them' if attached > 1 else 'it'} separately."
        )
    # The title in a PDF's metadata is too often that of a template, or a file name: it names no document.
    reads = HELPERS.in_order(partial(_page, document), page_reader, data, count)
    outline = _outline(document)
    pages = _sections(marked(_pages(reads, notes), outline), outline)
    return Reading("pdf", "", pages, notes, properties=_properties(document))


def recognise(data: bytes, page_number: int, languages: str = "", hint: str = "") -> ExtractedPage:
    """A scanned page, read by text recognition; arguments as for `reading.recognise`.

    Raises Unreadable if the page cannot be rendered.
    """
    from docqa.formats.pictures.recognition import recognise as recognise_picture

    page = open_page(data, page_number)
    return recognise_picture(rendered(page, page.rect), languages, hint)


def pictures(data: bytes, page_number: int) -> "list[Callable[[], Image]]":
    """What renders the large pictures of a page that has a text. Raises Unreadable, as what it returns does."""
    page = open_page(data, page_number)
    try:
        boxes = [box for box, _ in large_pictures(page, _blocks(Recorded(page)))][:MOST_ON_A_PAGE]
    except BROKEN as error:
        raise_if_memory(error)
        raise Unreadable(f"Page {page_number} is damaged and cannot be shown.") from error
    return [partial(rendered, page, pymupdf.Rect(box) * page.rotation_matrix) for box in boxes]


def _attached(document: Any) -> int:
    try:
        return int(document.embfile_count())
    except BROKEN:
        return 0  # a broken list of attachments loses no text


def _properties(document: Any) -> Properties:
    try:
        known = document.metadata or {}
    except BROKEN:
        return Properties()  # they are optional
    return Properties.of(known.get("title"), known.get("author"), known.get("creationDate"))


def _outline(document: Any) -> dict[int, list[tuple[str, int]]]:
    """(title, level from 1) by 0-based page, in the outline's order."""
    try:
        entries = document.get_toc(simple=True)
    except BROKEN:
        return {}  # a broken outline loses only the section names, which are optional
    titles: dict[int, list[tuple[str, int]]] = {}
    for level, title, page in entries:
        if page > 0 and title.strip():
            titles.setdefault(page - 1, []).append((" ".join(title.split()), max(1, level)))
    return titles


class _PageRead(NamedTuple):
    """A page as it is read by itself; `pictures` are what tells its large ones from others, `note` says what was left
    out."""

    page: Page
    pictures: tuple[object, ...] = ()
    note: str = ""


def page_reader(data: bytes) -> Callable[[int], _PageRead]:
    """What reads a page of a file by its number, from 0. Raises Unreadable."""
    return partial(_page, opened(data)[0])


def _page(document: Any, number: int) -> _PageRead:
    try:
        page = document[number]
        if draws_too_much(document, page):
            return _PageRead(Page(), note=f"Page {number + 1} was left out: it draws too much to be read.")
        shown = page.cropbox
        recorded = Recorded(page)
        blocks = lines = _blocks(recorded)
        ruled: list[RuledTable] = []
        if not (page.rotation or any("chars" in line["spans"][0] for block in blocks for line in block["lines"])):
            paths = drawn_paths(recorded)
            blocks, ruled = ruled_tables(recorded, paths, with_bullets(paths, blocks))
        values = list(_values(page))
        letters = (
            sum(len(line["spans"][0].get("text", "more")) for block in blocks for line in block["lines"])
            if len(blocks) < 9
            else _STAMP
        )
        unread = letters < _STAMP and is_scan(page, 0.5 if letters else 0.02)
        pictures = () if unread else tuple(identity for _, identity in large_pictures(page, lines))
    except BROKEN as error:
        raise_if_memory(error)
        return _PageRead(Page(), note=f"Page {number + 1} is damaged and was left out.")
    arranged = arrange(blocks, shown.width, shown.height, [table.table() for table in ruled])
    arranged.text = _with_values(arranged.text, values)
    arranged.grids = grids(arranged.text, list(_headings(arranged)))  # here, where a helper may look for them
    arranged.unread = unread
    return _PageRead(arranged, pictures)


def _headings(page: Page) -> Iterator[int]:
    """Where the lines begin that alone head the columns of a table, in words: more lines, or such with numbers, may be
    rows of it."""
    for start, end, _ in page.tables:
        line = page.text[start:end].strip("\n")
        if "\n" not in line and "\t" in line and not any(map(str.isdigit, line)):
            yield start


def _pages(reads: Iterable[_PageRead], notes: list[str]) -> Iterator[Page]:
    templates = Templates()
    for page, pictures, note in reads:
        if note:
            notes.append(note)
        page.pictures = templates.count(pictures)
        yield page


def _sections(pages: Iterable[Page], outline: dict[int, list[tuple[str, int]]]) -> Iterator[ExtractedPage]:
    """The pages with titles from the outline, and with what looks like a heading; a part begins with its header's."""
    section = part = ""
    for number, page in enumerate(pages):
        if page.part not in ("", part):
            section = part = page.part
        listed = [(_place(page, title), title, level) for title, level in outline.get(number, ())]
        outlined = sorted((place, title) for place, title, _ in listed)
        places = {place for place, _ in outlined}
        headings = sorted([*outlined, *(heading for heading in page.headings if heading[0] not in places)])
        first = next((end for start, end in reversed(page.running) if start == 0), 0)
        begins = next((title for place, title in headings if not page.text[first:place].strip()), section)
        yield ExtractedPage(
            page.text,
            begins,
            tuple(headings),
            tuple(page.running),
            tuple(page.tables),
            page.unread,
            blocks=_with_titles(page, listed),
            pictures=page.pictures,
            grids=page.grids,
        )
        section = headings[-1][1] if headings else section


def _with_titles(page: Page, listed: Iterable[tuple[int, str, int]]) -> tuple[Block, ...]:
    """The blocks of a page; one that holds little more than a title of the outline is a heading of its level."""
    blocks = list(page.blocks)
    for place, title, level in listed:
        at = bisect_right([block.start for block in blocks], place) - 1
        if at >= 0 and place < blocks[at].end and blocks[at].end - blocks[at].start <= len(title) + _NUMBER:
            blocks[at] = blocks[at]._replace(kind="heading", level=level)
    return tuple(blocks)


def _place(page: Page, title: str) -> int:
    """The offset of an outline's title on its page, beside headers that repeat it; 0 if it is not there."""
    wanted, shown = title.casefold(), page.text.casefold()
    for place, heading in page.headings:
        is_title = wanted in heading.casefold() or heading.casefold() in wanted
        if is_title and not page.is_running(place):
            return place
    for block in page.blocks:
        if page.is_running(block.start):
            continue
        if block.end - block.start <= len(title) + _NUMBER and wanted in page.text[block.start : block.end].casefold():
            return block.start
    if len(shown) != len(page.text):
        return 0
    places = (match.start() for match in re.finditer(re.escape(wanted), shown))
    return next((place for place in places if not page.is_running(place)), 0)


def _blocks(page: Recorded) -> list[dict[str, Any]]:
    """The blocks that `arrange` takes; with the position of every character if some run from right to left."""
    blocks = page.blocks
    return page.blocks_by_letters if has_right_to_left(blocks) else blocks


def _values(page: Any) -> Iterator[tuple[str, str]]:
    """(value, label) of what people filled in, ticked or annotated."""
    for field in page.widgets():
        label = " ".join((field.field_label or "").split())
        if field.field_type_string in _WRITTEN:
            yield str(field.field_value or "").strip(), label
        elif field.field_type_string in _TICKED and field.field_value not in (None, False, "", "Off"):
            yield label or str(field.field_name or ""), ""
    for annotation in page.annots():
        yield str(annotation.info.get("content") or "").strip(), ""


def _with_values(text: str, values: Iterable[tuple[str, str]]) -> str:
    """The page's text, followed by the values that it does not contain."""
    parts = [text]
    for value, label in dict.fromkeys(values):
        if value and value not in text:
            parts.append(f"{label}: {value}" if label else value)
    return "\n\n".join(filter(None, parts))
