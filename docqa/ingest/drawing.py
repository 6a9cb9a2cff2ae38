"""The server's side of drawing a page: as `reader`, but somebody waits to see it."""

from contextlib import AbstractAsyncContextManager
from typing import NamedTuple

from docqa.ingest.reader import Limits, ask, started
from docqa.workers.loop import Header
from docqa.workers.process import Pieces, Process
from docqa.workers.sandbox import BEHIND_SERVER


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


async def draw(
    data: bytes | Pieces, request: Drawing, languages: str, limits: Limits, child: AbstractAsyncContextManager[Process]
) -> PagePicture:
    """A page drawn by a `child` of `drawing_child`, which reads a scan in these `languages`. Raises Unreadable,
    ChildDied."""
    drawn: list[PagePicture] = []

    async def keep(header: Header, blob: bytes) -> None:
        drawn.append(PagePicture(blob, header["marked"], header["top"]))

    about = {"task": "draw", "name": f"page {request.page_number}", "languages": languages, **request._asdict()}
    await ask(about, data, limits, ("path", "page_number"), keep, child)
    return drawn[-1]


def drawing_child(limits: Limits) -> AbstractAsyncContextManager[Process]:
    """A child that draws a page, confined as one that reads is; somebody waits for it, so it steps back less."""
    return started(limits, "docqa.ingest.drawing_child", BEHIND_SERVER)
