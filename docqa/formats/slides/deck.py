"""What the readers of presentations share: a slide, its texts already in reading order, → its page."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from docqa.formats.pages import ExtractedPage

TITLE, FOOTER = "title", "footer"
# How many slides the notes list individually.
_NAMED = 10


class Text(NamedTuple):
    """The text of a shape; its role is TITLE, FOOTER (a header, a date) or ""."""

    role: str
    text: str


@dataclass
class Slide:
    """A slide's texts in reading order, followed by its notes and comments.

    `part` is the section of the presentation that the slide is in; `damage` says what is lost, "" if nothing is.
    """

    texts: list[Text]
    part: str = ""
    hidden: bool = False
    damage: str = ""


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
    length = 0
    for role, text in slide.texts:
        piece = text.strip()
        if not piece:
            continue
        start = length + 2 * bool(pieces)
        length = start + len(piece)
        pieces.append(piece)
        if role == FOOTER and piece in known:
            running.append((start, length))
    title = next(
        (" ".join(entry.text.split()) for entry in slide.texts if entry.role == TITLE and entry.text.strip()), ""
    )
    section = title or " ".join(slide.part.split())
    if slide.hidden:
        section = f"{section} (hidden slide)" if section else "Hidden slide"
    return ExtractedPage("\n\n".join(pieces), section, ((0, section),) if title else (), tuple(running))
