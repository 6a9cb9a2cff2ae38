"""PowerPoint 97-2003 (.ppt): one page for each slide in the order of the show, with notes; the title is the section.

Only what is in force after the last edit is read. Section numbers are those of Microsoft's [MS-PPT].
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from docqa.errors import Unreadable
from docqa.formats.compound import Compound, Damaged
from docqa.formats.pages import Reading
from docqa.formats.properties import Properties
from docqa.formats.slides import deck
from docqa.formats.slides.deck import FOOTER, NOTES, Text
from docqa.formats.slides.ppt_records import DOCUMENT, Objects, Record, objects
from docqa.formats.slides.ppt_shapes import BODIES, SLIDE, STRING, bodies, child, plain_lines, sheet_texts

_DOCUMENT_ATOM, _SLIDE_ATOM, _SHOW = 0x03E9, 0x03EF, 0x03F9
_LIST, _PERSIST = 0x0FF0, 0x03F3
_FOOTERS, _FOOTERS_ATOM = 0x0FD9, 0x0FDA
_TAGS, _TAG, _TAG_DATA, _COMMENT = 0x1388, 0x138A, 0x138B, 0x2EE0

_ENCRYPTED = 0xF3D1C4DF
_DAMAGED = "The presentation is damaged and cannot be opened. Open it in PowerPoint, save it as .pptx and upload that."
_PROTECTED = "The presentation is password-protected. Save it without a password and upload it again."
_TOO_OLD = (
    "The presentation was made by PowerPoint 95 or older, which cannot be read. Save it as .pptx and upload that."
)


@dataclass(frozen=True)
class _Listed:
    """A slide or notes page as the document lists it: its persist object, its identifier and its texts in the list."""

    persist: int
    identifier: int
    bodies: list[Text]


def read(data: bytes, charset: str = "") -> Reading:
    """One page for each slide; `charset` is ignored. Of a damaged slide what remains is read, with a note.

    Raises Unreadable for a presentation that is damaged, protected, too old or without slides.
    """
    stream, user, properties = _streams(data)
    persisted = objects(stream, int.from_bytes(user[16:20], "little"))
    if int.from_bytes(user[12:16], "little") == _ENCRYPTED or persisted.encrypted:
        raise Unreadable(_PROTECTED)
    if persisted.document is None:
        raise Unreadable(_DAMAGED)
    slides = list(_listed(persisted.document, 0))
    if not slides:
        raise Unreadable("The presentation has no slides.")
    notes = (
        []
        if persisted.document.is_whole((DOCUMENT, _LIST))
        else ["The list of slides is damaged; slides may be missing."]
    )
    pages = deck.pages(_Slides(persisted, persisted.document).read(slides), notes)
    return Reading("ppt", properties.title, pages, notes, properties=properties)


def _streams(data: bytes) -> tuple[bytes, bytes, Properties]:
    """The streams "PowerPoint Document" (2.1.2) and "Current User" (2.1.1), empty if it is missing; and what the
    file says of itself."""
    try:
        file = Compound(data)
        # Next to this folder is the same presentation for PowerPoint 95.
        folder = "PP97_DUALSTORAGE/" if "PP97_DUALSTORAGE" in file else ""
        if not folder and ("PersistentStorage Directory" in file or "PP40" in file):
            raise Unreadable(_TOO_OLD)
        if folder + "PowerPoint Document" not in file:
            raise Unreadable(_DAMAGED)
        streams = file.stream(folder + "PowerPoint Document"), file.stream(folder + "Current User")
    except Damaged as error:
        raise Unreadable(_DAMAGED) from error
    return *streams, file.properties()


def _listed(document: Record, instance: int) -> Iterator[_Listed]:
    """The slides (instance 0) or notes pages (2) in order, with their outline texts (2.4.14.3 and 2.4.14.6)."""
    lists = [part for part in document.children() if part.kind == _LIST and part.instance == instance]
    records = [record for part in lists for record in part.children()]
    starts = [index for index, record in enumerate(records) if record.kind == _PERSIST]
    for start, end in pairwise([*starts, len(records)]):
        yield _Listed(records[start].number(0), records[start].number(12), bodies(records[start + 1 : end]))


class _Slides:
    """Reads the slides of a document one after the other."""

    def __init__(self, persisted: Objects, document: Record) -> None:
        self.persisted = persisted
        self.notes_pages = {listed.identifier: listed.persist for listed in _listed(document, 2)}
        footers = (part for part in document.children() if part.kind == _FOOTERS and part.instance == 3)
        self.footers = next(footers, None)
        atom = child(document, _DOCUMENT_ATOM)
        self.from_right = bool(atom and bytes(atom.body[38:39]) == b"\1")
        self.unspent = len(persisted.stream)

    def read(self, slides: list[_Listed]) -> Iterator[deck.Slide]:
        for listed in slides:
            slide = self._object(listed.persist)
            if slide is None or slide.kind != SLIDE:
                yield deck.Slide(deck.titled(listed.bodies), damage="only its outline was read")
            else:
                yield self._slide(slide, listed.bodies)

    def _object(self, persist: int | None) -> Record | None:
        """An object, None if it is missing.

        Objects do not share bytes, except in a hostile file, which could expand enormously that way; so they may not
        add up to more than the stream.
        """
        record = None if persist is None else self.persisted.get(persist)
        self.unspent -= len(record.body) if record else 0
        return record if self.unspent >= 0 else None

    def _slide(self, slide: Record, listed: list[Text]) -> deck.Slide:
        """A slide's texts, then its notes (referred to as in 2.5.10) and comments."""
        outline = dict(enumerate(listed))
        drawn = sheet_texts(slide, outline, self.from_right)
        texts = deck.titled([*drawn, *outline.values()])
        known = {text.text for text in texts}
        texts += [text for text in _footers(child(slide, _FOOTERS) or self.footers) if text.text not in known]
        atom, show = child(slide, _SLIDE_ATOM), child(slide, _SHOW)
        notes = self._object(self.notes_pages.get(atom.number(16))) if atom else None
        texts += [
            text._replace(role=FOOTER if text.role == FOOTER else NOTES)
            for text in (sheet_texts(notes, {}, self.from_right) if notes else ())
        ]
        whole = all(sheet.is_whole(BODIES) for sheet in (slide, notes) if sheet)
        hidden = bool(show and show.number(8) >> 16 & 4)  # fHidden (2.6.6)
        return deck.Slide(
            [*texts, *_comments(slide)], hidden=hidden, damage="" if whole else "a part of it was left out"
        )


def _footers(settings: Record | None) -> Iterator[Text]:
    """The date and footer that a slide shows in its master's shapes.

    `settings` are those of the slide (2.5.16), or else those of the document (2.4.15).
    """
    flags = child(settings, _FOOTERS_ATOM)
    for record in settings.children() if settings and flags else ():
        shown = {0: 0x05, 2: 0x20}.get(record.instance, 0) if record.kind == STRING else 0
        if shown and flags and flags.number(0) >> 16 & shown == shown:
            yield Text(FOOTER, plain_lines(_wide(record)))


def _comments(slide: Record) -> Iterator[Text]:
    """The texts of a slide's comments (2.5.19 to 2.5.27), without the names of their authors."""
    tags = child(slide, _TAGS)
    blobs = [child(tag, _TAG_DATA) for tag in (tags.children() if tags else ()) if tag.kind == _TAG]
    comments = [record for blob in blobs if blob for record in blob.children() if record.kind == _COMMENT]
    yield from (
        Text("", plain_lines(_wide(text)))
        for comment in comments
        for text in comment.children()
        if text.kind == STRING and text.instance == 1
    )


def _wide(string: Record) -> str:
    return str(string.body, "utf-16-le", "replace").replace("\r", "\n").replace("\v", "\n")
