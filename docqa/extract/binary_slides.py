"""PowerPoint 97-2003 (.ppt): one page for each slide in the order of the presentation, with its notes; the title is the section.

Only what the last edit left in force is read. Section numbers are those of Microsoft's published [MS-PPT].
"""

import io
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import olefile  # type: ignore[import-untyped]

from docqa.errors import Unreadable
from docqa.extract.pages import MAX_CHARACTERS, MAX_PAGES, ExtractedPage, Reading
from docqa.extract.ppt_records import DOCUMENT, Record, objects

_SLIDE, _SLIDE_ATOM, _NOTES = 0x03EE, 0x03EF, 0x03F0
_LIST, _PERSIST = 0x0FF0, 0x03F3
_DRAWING, _ART, _GROUP, _SHAPE, _TEXTBOX = 0x040C, 0xF002, 0xF003, 0xF004, 0xF00D
_PROPERTIES, _TABLE_PROPERTIES, _ANCHOR = 0xF00B, 0xF122, 0xF00F
_HEADER, _CHARACTERS, _BYTES, _OUTLINE = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
_FOOTERS, _FOOTERS_ATOM, _STRING = 0x0FD9, 0x0FDA, 0x0FBA
_STAND_INS = (0x0FD8, 0x0FF7, 0x0FF8, 0x0FF9, 0x0FFA, 0x1015)  # for a slide's number, a date, a header, a footer
_TITLES = (0, 6)
_OTHER = 4
_OPENED = (_SLIDE, _NOTES, _DRAWING, _ART, _GROUP)

_ENCRYPTED = 0xF3D1C4DF
_DAMAGED = "The presentation is damaged and cannot be opened. Open it in PowerPoint, save it as .pptx and upload that."
_PROTECTED = "The presentation is password-protected. Save it without a password and upload it again."
_TOO_OLD = "The presentation was made by PowerPoint 95 or older, which cannot be read. Save it as .pptx and upload that."


@dataclass
class _Body:
    """A text body and its type (2.13.33)."""

    kind: int
    text: str = ""


@dataclass(frozen=True)
class _Listed:
    """A slide or notes page as the document lists it: its object, its identifier and the text bodies that stand in the list."""

    persist: int
    identifier: int
    bodies: list[_Body]


def read(data: bytes, charset: str = "") -> Reading:
    """Raises Unreadable for a presentation that is damaged, protected, too old or without slides; a damaged slide costs itself and a note."""
    stream, user = _streams(data)
    found = objects(stream, int.from_bytes(user[16:20], "little"))
    if int.from_bytes(user[12:16], "little") == _ENCRYPTED or found.encrypted:
        raise Unreadable(_PROTECTED)
    if found.document is None:
        raise Unreadable(_DAMAGED)
    slides = list(_listed(found.document, 0))
    if not slides:
        raise Unreadable("The presentation has no slides.")
    notes_pages = {listed.identifier: found.get(listed.persist) for listed in _listed(found.document, 2)}
    pages, notes, characters = [], [], 0
    if not found.document.is_whole((DOCUMENT, _LIST)):
        notes.append("The list of slides is damaged; slides may be missing.")
    for number, listed in enumerate(slides, 1):
        page, damage = _page(listed, found.get(listed.persist), notes_pages)
        pages.append(page)
        if damage:
            notes.append(f"Slide {number} is damaged; {damage}.")
        characters += len(page.text)
        if number > MAX_PAGES or characters > MAX_CHARACTERS:  # slides that share their bytes make much of little
            break
    return Reading("ppt", "", pages, notes)


def _streams(data: bytes) -> tuple[bytes, bytes]:
    """The streams "PowerPoint Document" (2.1.2) and "Current User" (2.1.1), the second empty where it is missing."""
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            folder = "PP97_DUALSTORAGE/" if ole.exists("PP97_DUALSTORAGE") else ""  # beside it stands the same for PowerPoint 95
            if not folder and (ole.exists("PersistentStorage Directory") or ole.exists("PP40")):
                raise Unreadable(_TOO_OLD)
            stream = ole.openstream(folder + "PowerPoint Document").read()
            user = ole.openstream(folder + "Current User").read() if ole.exists(folder + "Current User") else b""
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, struct.error) as error:
        # olefile checks little: a damaged file shows as whatever the missing part breaks.
        raise Unreadable(_DAMAGED) from error
    return stream, user


def _listed(document: Record, instance: int) -> Iterator[_Listed]:
    """The slides (instance 0) or notes pages (2) in their order, with their outline texts (2.4.14.3 and 2.4.14.6)."""
    lists = [part for part in document.children() if part.kind == _LIST and part.instance == instance]
    records = [record for one in lists for record in one.children()]
    starts = [index for index, record in enumerate(records) if record.kind == _PERSIST]
    for start, end in pairwise([*starts, len(records)]):
        yield _Listed(records[start].number(0), records[start].number(12), _bodies(records[start + 1 : end]))


def _bodies(records: Iterable[Record]) -> list[_Body]:
    """The text bodies in a run of records: each begins with its header (2.9.41), its characters follow (2.9.42, 2.9.43)."""
    found: list[_Body] = []
    for record in records:
        if record.kind == _HEADER:
            found.append(_Body(record.number(0)))
        elif record.kind in (_CHARACTERS, _BYTES) and record.whole:
            if not found:
                found.append(_Body(_OTHER))
            found[-1].text += str(record.body, "utf-16-le" if record.kind == _CHARACTERS else "latin-1", "replace")
        elif record.kind in _STAND_INS and found:
            at = record.number(0)
            if found[-1].text[at : at + 1] == "*":
                # Not taken out yet: the positions of others count it.
                found[-1].text = f"{found[-1].text[:at]}\0{found[-1].text[at + 1 :]}"
    return found


def _child(record: Record, kind: int) -> Record | None:
    return next((child for child in record.children() if child.kind == kind), None)


def _page(listed: _Listed, slide: Record | None, notes_pages: dict[int, Record | None]) -> tuple[ExtractedPage, str]:
    """A slide's texts, then its notes (2.5.10 names them); and what is lost, if it is damaged."""
    if slide is None or slide.kind != _SLIDE:
        return _joined(listed.bodies, []), "only its outline was read"
    outline = dict(enumerate(listed.bodies))
    bodies = [*_texts(slide, outline), *outline.values(), *_footer(slide)]
    atom = _child(slide, _SLIDE_ATOM)
    notes = notes_pages.get(atom.number(16)) if atom else None
    whole = all(sheet.is_whole((*_OPENED, _SHAPE, _TEXTBOX)) for sheet in (slide, notes) if sheet)
    return _joined(bodies, list(_texts(notes, {})) if notes else []), "" if whole else "a part of it was left out"


def _joined(bodies: list[_Body], notes: list[_Body]) -> ExtractedPage:
    titles = (" ".join(_plain(body).split()) for body in bodies if body.kind in _TITLES)
    texts = map(_plain, (*bodies, *notes))
    return ExtractedPage("\n\n".join(filter(None, texts)), next(filter(None, titles), ""))


def _plain(body: _Body) -> str:
    return body.text.replace("\r", "\n").replace("\v", "\n").replace("\0", "").strip()


def _texts(sheet: Record, outline: dict[int, _Body]) -> Iterator[_Body]:
    """The text bodies in drawing order, groups opened; a stack, because a file may nest them deeper than Python recurses."""
    waiting = [sheet]
    while waiting:
        record = waiting.pop()
        if record.kind == _SHAPE:
            yield from _shape(record, outline)
        elif record.kind == _GROUP and _is_table(record):
            yield _table(record, outline)
        elif record.kind in _OPENED:
            waiting.extend([*record.children()][::-1])


def _shape(shape: Record, outline: dict[int, _Body]) -> Iterator[_Body]:
    """A shape's text: its own, or one of its slide's outline (2.9.76 and 2.9.78), which is then used up; or its WordArt."""
    for part in shape.children():
        if part.kind == _TEXTBOX:
            reference = _child(part, _OUTLINE)
            body = outline.pop(reference.number(0), None) if reference else None
            yield from [body] if body else _bodies(part.children())
        elif part.kind == _PROPERTIES:
            yield _Body(_OTHER, _properties(part).get(0x00C0, b"").decode("utf-16-le", "replace").rstrip("\0"))


def _footer(slide: Record) -> Iterator[_Body]:
    """The footer that a slide lends to its master's shape, if it shows one (2.4.15)."""
    settings = _child(slide, _FOOTERS)
    flags = _child(settings, _FOOTERS_ATOM) if settings else None
    if settings and flags and flags.number(0) >> 16 & 0x20:
        yield from (_Body(_OTHER, str(one.body, "utf-16-le", "replace")) for one in settings.children() if one.kind == _STRING and one.instance == 2)


def _properties(table: Record) -> dict[int, bytes]:
    """The values of a shape's properties ([MS-ODRAW] 2.2.9 and 2.3.1): the number, or the data for which it is the length."""
    size = 6 * table.instance
    data = table.body[size:]
    values: dict[int, bytes] = {}
    for offset in range(0, min(size, len(table.body) - 5), 6):
        name, value = struct.unpack_from("<HI", table.body, offset)
        if name & 0x8000:
            values[name & 0x3FFF], data = bytes(data[:value]), data[value:]
        else:
            values[name & 0x3FFF] = value.to_bytes(4, "little")
    return values


def _is_table(group: Record) -> bool:
    """Whether the first shape of a group, which stands for the group, has the property of a table ([MS-ODRAW] tableProperties)."""
    head = _child(group, _SHAPE)
    properties = _child(head, _TABLE_PROPERTIES) if head else None
    return properties is not None and bool(int.from_bytes(_properties(properties).get(0x039F, b""), "little") & 1)


def _table(group: Record, outline: dict[int, _Body]) -> _Body:
    """A table's cells, which are shapes, by row and column."""
    rows: dict[int, list[tuple[int, str]]] = {}
    for shape in group.children():
        anchor = _child(shape, _ANCHOR) if shape.kind == _SHAPE and _child(shape, _TEXTBOX) else None
        if anchor:
            text = " ".join(_plain(body) for body in _shape(shape, outline))
            rows.setdefault(anchor.number(4), []).append((anchor.number(0), " ".join(text.split())))
    lines = [[text for _, text in sorted(rows[top])] for top in sorted(rows)]
    return _Body(_OTHER, "\n".join(" | ".join(line) for line in lines if any(line)))
