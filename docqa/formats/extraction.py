"""The server's side of reading a file: a child process for each, so that a hostile file harms only itself.

Its time and memory are limited. It is not sandboxed: it runs with the rights of the server.
"""

import asyncio
import io
import json
import logging

from docqa.errors import ChildDied, Unreadable
from docqa.formats.columns import Column, Row, Table
from docqa.formats.pages import Attachment, Extracted, ExtractedPage
from docqa.formats.properties import Properties
from docqa.text.blocks import Block
from docqa.workers.loop import Header
from docqa.workers.process import Frame, Process

log = logging.getLogger(__name__)

_REQUEST = 1  # the number of the only request that a child gets
_ENVIRONMENT = {
    "OMP_THREAD_LIMIT": "1",  # Tesseract's threads wait for each other longer than they work
    "MALLOC_ARENA_MAX": "1",  # glibc reserves 64 MB of address space per thread, and the limit counts them
}


async def extract(
    data: bytes,
    name: str,
    media_type: str = "",
    *,
    seconds: float,
    memory_mb: int,
    languages: str = "",
    loc: tuple[str | int, ...] = ("body", "file"),
) -> Extracted:
    """The pages of a file, read in a child process that is killed after `seconds` or when this task is cancelled.

    `media_type` (with its charset, if any) is that of a link and must be empty for an upload. `memory_mb` limits the
    child's address space; Windows has no such limit, there only the time is limited. `languages` are Tesseract's names
    joined by "+", for pictures; "" takes all that there are data for. Raises Unreadable at `loc` with
    the reason, ChildDied if no child can be started.
    """
    request: Header = {"name": name, "media_type": media_type, "languages": languages}
    return await _read(request, data, seconds, memory_mb, loc)


async def recognise(
    data: bytes,
    page_number: int,
    languages: str,
    hint: str = "",
    *,
    beside: bool = False,
    seconds: float,
    memory_mb: int,
) -> ExtractedPage:
    """A page that waits for text recognition, or `beside` its text only its pictures, read in a child process as by
    `extract`.

    `page_number` counts from 1; `hint` is the ISO 639-1 code of the document's language, "" if it is not known. Raises
    Unreadable, ChildDied.
    """
    name = f"page {page_number}"
    about: Header = {"page_number": page_number, "languages": languages, "hint": hint, "beside": beside}
    request = {"name": name, **about}
    return (await _read(request, data, seconds, memory_mb, ())).pages[0]


async def _read(request: Header, data: bytes, seconds: float, memory_mb: int, loc: tuple[str | int, ...]) -> Extracted:
    process = await _spawn(memory_mb, seconds)
    frames: list[Frame] = []
    try:
        async with asyncio.timeout(seconds):
            await process.request(_REQUEST, request, data)
            while not frames or frames[-1][0]["kind"] == "item":
                frames.append(await process.receive(_REQUEST))
    except TimeoutError:
        raise Unreadable(
            f"Reading the file took longer than {seconds:g} s. Split it into smaller files.", loc
        ) from None
    except ChildDied as error:
        log.warning("the process reading %r %s%s", request["name"], process.death, process.last_words)
        raise Unreadable(
            "Reading this file crashed: the file is damaged, or holds something that cannot be read.", loc
        ) from error
    finally:
        await process.kill()
    end, _ = frames.pop()
    if end["kind"] != "error":
        return await asyncio.to_thread(_document, frames)
    if end["error"] == "Unreadable":
        raise Unreadable(end["message"], loc)
    if end["error"] == "MemoryError":
        raise Unreadable(
            f"Reading the file needs more than {memory_mb:,} MB of memory. Split it into smaller files.", loc
        )
    log.warning("reading %r failed: %s%s", request["name"], end["message"], process.last_words)
    raise Unreadable("The file is damaged, or holds something that cannot be read.", loc)


async def _spawn(memory_mb: int, seconds: float) -> Process:
    try:
        return await Process.spawn(
            "file reader",
            "docqa.formats",
            [str(memory_mb), str(int(seconds) + 1)],
            environment=_ENVIRONMENT,
            own_session=True,
            log_level=logging.DEBUG,  # libraries comment on every fault of a damaged file
        )
    except OSError as error:
        raise ChildDied(
            "Files cannot be read at the moment: the system starts no further process. Try again later."
        ) from error


def _document(frames: list[Frame]) -> Extracted:
    """The document in a child's answers: pages, a line of JSON each, then its attachments, and last what else there is,
    with its tables."""
    *parts, (body, tables) = frames
    pages = [_page(line) for header, batch in parts if not header["body"] for line in io.BytesIO(batch)]
    attachments = [Attachment(**header["body"], data=data) for header, data in parts if header["body"]]
    answer: Header = body["body"]
    about = answer["notes"], _tables(tables), Properties(**answer["properties"]), attachments
    return Extracted(answer["kind"], answer["title"], pages, *about)


def _page(line: bytes) -> ExtractedPage:
    text, section, headings, running, tables, unread, rows, blocks, pictures = json.loads(line)
    spans = tuple(map(tuple, running)), tuple(map(tuple, tables))
    known = tuple(Block(*block) for block in blocks)
    data = tuple(Row(*row) for row in rows)
    return ExtractedPage(text, section, tuple(map(tuple, headings)), *spans, unread, data, known, pictures)


def _tables(blob: bytes) -> list[Table]:
    return [
        Table(tuple(Column(*column) for column in columns), tuple(map(tuple, values)), name, tuple(headings), *about)
        for columns, values, name, headings, *about in json.loads(blob)
    ]
