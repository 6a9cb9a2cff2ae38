"""The server's side of drawing a page: as `reader`, but somebody waits to see it."""

from typing import NamedTuple

from docqa.ingest.children import Limits, Work
from docqa.ingest.reader import ask
from docqa.workers.loop import Header
from docqa.workers.process import Pieces
from docqa.workers.sandbox import BEHIND_SERVER

# Somebody waits for the picture, so its child steps back less.
DRAWS = Work("docqa.ingest.drawing_child", BEHIND_SERVER)


class Drawing(NamedTuple):
    """Which page is drawn, from 1, how wide in pixels, and what is marked on it: passages, and quotes darker. On a scan
    they are only looked for if it `recognises` its text, with the ISO 639-1 code of its language as a `hint`."""

    page_number: int
    width: int
    passages: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    recognises: bool = False
    hint: str = ""


class PagePicture(NamedTuple):
    """A page as PNG; `marked` are how many pieces of lines are marked on it, and `top` is the share of the picture
    above the first of them, of the quotes where there are any."""

    png: bytes
    marked: int
    top: float


async def draw(data: bytes | Pieces, request: Drawing, languages: str, limits: Limits) -> PagePicture:
    """A page drawn in a child process, which reads a scan in these `languages`. Raises Unreadable, ChildDied."""
    drawn: list[PagePicture] = []

    async def keep(header: Header, blob: bytes) -> None:
        drawn.append(PagePicture(blob, header["marked"], header["top"]))

    about = {"task": "draw", "name": f"page {request.page_number}", "languages": languages, **request._asdict()}
    await ask(about, data, limits, ("path", "page_number"), keep, DRAWS)
    return drawn[-1]
