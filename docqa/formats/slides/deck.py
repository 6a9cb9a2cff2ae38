"""What the readers of presentations share: a slide, its texts already in reading order, → its page."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from docqa.formats.pages import ExtractedPage
from docqa.text.blocks import Block, BlockKind

TITLE, FOOTER, NOTES = "title", "footer", "notes"
# How many slides the notes list individually.
_NAMED = 10


class Line(NamedTuple):
    """A paragraph of a shape, or a row of its table; it may hold line ends. `level` is that of the block."""

    text: str
    kind: BlockKind = "paragraph"
    level: int = 0


class Text(NamedTuple):
    """The text of a shape; its role is TITLE, FOOTER (a header, a date), NOTES or ""."""

    role: str
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The lines, one below the other."""
        return "\n".join(line.text for line in self.lines)


@dataclass
class Slide:
    """A slide's texts in reading order, followed by its notes and comments.

    `part` is the section of the presentation that the slide is in; `damage` says what is lost, "" if nothing is;
    `pictures` is how many large pictures it shows.
    """

    texts: list[Text]
    part: str = ""
    hidden: bool = False
    damage: str = ""
    pictures: int = 0


def titled(texts: list[Text]) -> list[Text]:
    """The texts of a slide, with the first title moved to the front."""
    title = next((index for index, text in enumerate(texts) if text.role == TITLE and text.text.strip()), 0)
    return texts[title : title + 1] + texts[:title] + texts[title + 1 :]


def pages(slides: Iterable[Slide], notes: list[str]) -> Iterator[ExtractedPage]:
    """One page for each slide; hidden and damaged slides are added to `notes`.

    A footer that an earlier slide had too is marked as running.
    """
    hidden: list[str] = []
    damaged = 0
    known: set[str] = set()
    for number, slide in enumerate(slides, 1):
        damaged += bool(slide.damage)
        if slide.damage and damaged <= _NAMED:
            notes.append(f"Slide {number} is damaged; {slide.damage}.")
        if slide.hidden:
            hidden.append(str(number))
        yield _page(slide, known)
        known.update(text.text.strip() for text in slide.texts if text.role == FOOTER)
    if damaged > _NAMED:
        notes.append(f"{damaged - _NAMED} more slides are damaged.")
    if len(hidden) > _NAMED:
        hidden[_NAMED:] = [f"{len(hidden) - _NAMED} more"]
    if len(hidden) == 1:
        notes.append(f"Slide {hidden[0]} is hidden in the show.")
    elif hidden:
        notes.append(f"Slides {', '.join(hidden[:-1])} and {hidden[-1]} are hidden in the show.")


def _page(slide: Slide, known: set[str]) -> ExtractedPage:
    pieces: list[str] = []
    running: list[tuple[int, int]] = []
    blocks: list[Block] = []
    length = 0
    for text in slide.texts:
        piece = text.text.strip()
        if not piece:
            continue
        start = length + 2 * bool(pieces)
        length = start + len(piece)
        pieces.append(piece)
        if text.role == FOOTER and piece in known:
            running.append((start, length))
        blocks += _blocks(text, start, length, is_first=len(pieces) == 1)
    title = next(
        (" ".join(entry.text.split()) for entry in slide.texts if entry.role == TITLE and entry.text.strip()), ""
    )
    section = title or " ".join(slide.part.split())
    if slide.hidden:
        section = f"{section} (hidden slide)" if section else "Hidden slide"
    headings = ((0, section),) if title else ()
    whole = "\n\n".join(pieces)
    return ExtractedPage(whole, section, headings, tuple(running), blocks=tuple(blocks), pictures=slide.pictures)


def _blocks(text: Text, start: int, end: int, *, is_first: bool) -> Iterator[Block]:
    """The blocks of a shape, whose text without the white space around it stands at this place of the page."""
    if text.role == TITLE and is_first:
        yield Block("heading", start, end, 1)
        return
    at = start - (len(text.text) - len(text.text.lstrip()))
    for line in text.lines:
        first, last = max(start, at), min(end, at + len(line.text))
        if first < last and line.text.strip():
            is_note = text.role == NOTES and line.kind in ("paragraph", "item")
            yield Block("note", first, last) if is_note else Block(line.kind, first, last, line.level)
        at += len(line.text) + 1
