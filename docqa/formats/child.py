"""The child's side of reading a file: answers `extraction` with pages, a line of JSON each, then attachments, and last
notes and tables."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple
from threading import Event

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.pages import ExtractedPage, Reading
from docqa.workers.loop import Answers, Handler, Header, serve

_BATCH = 1 << 18  # bytes of pages in one frame: a frame for each of 20,000 pages would keep the server's loop busy
# What foreign libraries say when an allocation fails.
_OUT_OF_MEMORY = ("malloc", "out of memory", "memory allocation", "bad_alloc", "cannot allocate")


def main() -> None:
    """Serve requests until the parent closes the pipe or kills the process."""
    serve(_load)


def _load() -> tuple[Header, Handler]:
    return {}, _handle


def _handle(request: Header, data: bytes, _: Event) -> Answers:
    try:
        yield from _answers(request, data)
        return
    except Unreadable:
        raise
    except BaseException as error:
        if not isinstance(error, MemoryError) and not any(sign in str(error).lower() for sign in _OUT_OF_MEMORY):
            raise
    # Raised anew: the traceback of the first one keeps alive what has filled the memory.
    raise MemoryError


def _answers(request: Header, data: bytes) -> Answers:
    if "page_number" in request:
        recognise = reading.recognise_beside if request["beside"] else reading.recognise
        page = recognise(data, request["page_number"], request["languages"], request["hint"])
        document = Reading("pdf", "", [page])
    else:
        document = reading.read(data, request["name"], request["media_type"], request["languages"])
    for batch in _batches(document.pages):
        yield {}, batch
    for attachment in document.attachments:
        yield {"name": attachment.name, "media_type": attachment.media_type}, attachment.data
    # The notes and the tables are complete only now.
    tables = _json([astuple(table) for table in document.tables])
    about = {"kind": document.kind, "title": document.title, "properties": asdict(document.properties)}
    yield {**about, "notes": document.notes}, tables


def _batches(pages: Iterable[ExtractedPage]) -> Iterator[bytes]:
    lines: list[bytes] = []
    size = 0
    for page in pages:
        lines.append(_json(astuple(page)) + b"\n")
        size += len(lines[-1])
        if size >= _BATCH:
            yield b"".join(lines)
            lines, size = [], 0
    if lines:
        yield b"".join(lines)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
