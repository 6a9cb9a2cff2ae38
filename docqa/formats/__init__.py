"""Reading files: `extract` reads one in a child process of its own, so that a hostile file costs only itself.

The limits are time and memory. The child is no sandbox: it runs with the rights of the server.
"""

import asyncio
import io
import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

from docqa import ROOT
from docqa.catalog.keys import without_keys
from docqa.errors import ChildDied, Unreadable
from docqa.formats.columns import Column, Table
from docqa.formats.kinds import SUFFIXES
from docqa.formats.pages import Extracted, ExtractedPage
from docqa.formats.pdf.ocr import languages

__all__ = ["SUFFIXES", "Extracted", "ExtractedPage", "extract", "languages", "read", "recognise"]

log = logging.getLogger(__name__)


async def extract(
    data: bytes,
    name: str,
    media_type: str = "",
    *,
    seconds: float,
    memory_mb: int,
    loc: tuple[str | int, ...] = ("body", "file"),
) -> Extracted:
    """The pages of a file, read in a child process that is killed after `seconds` or when this task is cancelled.

    `media_type` (with its charset, if any) is that of a link and must be empty for an upload. `memory_mb` limits the child's
    address space; Windows has no such limit, there only the time holds. Raises Unreadable at `loc` with the reason, ChildDied if no child
    can be started.
    """
    return await _read({"name": name, "media_type": media_type}, data, seconds, memory_mb, loc)


async def recognise(data: bytes, page_number: int, languages: str, *, seconds: float, memory_mb: int) -> ExtractedPage:
    """A scanned page of a PDF, read by text recognition in the same way; `languages` are Tesseract's names joined by "+".

    Raises Unreadable, ChildDied.
    """
    found = await _read(
        {"name": f"page {page_number}", "page_number": page_number, "languages": languages},
        data,
        seconds,
        memory_mb,
        (),
    )
    return found.pages[0]


async def _read(
    request: dict[str, Any], data: bytes, seconds: float, memory_mb: int, loc: tuple[str | int, ...]
) -> Extracted:
    name = request["name"]
    child = await _start(memory_mb, seconds)
    try:
        async with asyncio.timeout(seconds):
            answer, _ = await child.communicate(json.dumps(request).encode() + b"\n" + data)
    except TimeoutError:
        raise Unreadable(
            f"Reading the file took longer than {seconds:g} s. Split it into smaller files.", loc
        ) from None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    pages, reply = await asyncio.to_thread(_parse, answer)
    if reply is None:
        log.warning("the process that read %r ended with code %s", name, child.returncode)
        raise Unreadable(
            "The reader crashed on this file: the file is damaged, or holds something that cannot be read.", loc
        )
    if "memory" in reply:
        raise Unreadable(
            f"Reading the file needs more than {memory_mb:,} MB of memory. Split it into smaller files.", loc
        )
    if "unexpected" in reply:
        log.warning("reading %r failed\n%s", name, reply["unexpected"])
        raise Unreadable("The file is damaged, or holds something that cannot be read.", loc)
    if "refused" in reply:
        raise Unreadable(reply["refused"], loc)
    return Extracted(reply["kind"], reply["title"], pages, reply["notes"], _table(reply["table"]))


def read(path: str) -> list[ExtractedPage]:
    """The pages of a file on disk, read in this process; a suffix that uploads may not have is read as a link to it would be."""
    import mimetypes

    from docqa.formats import reading

    file = Path(path)
    media_type = "" if file.suffix.lower() in SUFFIXES else mimetypes.guess_type(file.name)[0]
    return reading.read_whole(file.read_bytes(), file.name, media_type or "").pages


async def _start(memory_mb: int, seconds: float) -> asyncio.subprocess.Process:
    command = [sys.executable, "-m", "docqa.formats", str(memory_mb), str(int(seconds) + 1)]
    environment = {
        **without_keys(os.environ),
        "OMP_THREAD_LIMIT": "1",
    }  # Tesseract's threads wait for each other longer than they work
    pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        return await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=nowhere, cwd=ROOT, env=environment, start_new_session=True
        )
    except OSError as error:
        raise ChildDied(
            "Files cannot be read at the moment: the system starts no further process. Try again later."
        ) from error


def _parse(answer: bytes) -> tuple[list[ExtractedPage], dict[str, Any] | None]:
    """The child's pages, a line each, and its last line, which says how it ended; None if it ended before it had said so."""
    pages: list[ExtractedPage] = []
    for line in io.BytesIO(answer):
        try:
            reply = json.loads(line)
        except ValueError:
            break
        if isinstance(reply, dict):
            return pages, reply
        text, section, headings, running, tables, unread, rows = reply
        spans = tuple(map(tuple, running)), tuple(map(tuple, tables))
        pages.append(ExtractedPage(text, section, tuple(map(tuple, headings)), *spans, unread, tuple(map(tuple, rows))))
    return pages, None


def _table(reply: list[Any] | None) -> Table | None:
    return Table(tuple(Column(*one) for one in reply[0]), tuple(map(tuple, reply[1]))) if reply else None
