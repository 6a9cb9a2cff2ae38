"""The server's side of reading a file: a child process for each, so that a hostile file harms only itself.

The child does all work that grows with what the file holds, and is killed with all that it may have started when its
time is over or nobody waits for it any more. What it answers is bounded too, and is stored without being looked at.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from docqa.errors import ChildDied, Unreadable
from docqa.formats.columns import Row
from docqa.formats.pages import ExtractedPage
from docqa.ingest.children import Limits, Work, reading_child
from docqa.ingest.gist import Gist, StoredText, given_of
from docqa.ingest.prepared import CRASHED, Prepared
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.text.blocks import Block
from docqa.workers.loop import Header
from docqa.workers.process import OUT_OF_TIME, Pieces, size_of
from docqa.workers.sandbox import READING

log = logging.getLogger(__name__)

Keep = Callable[[Header, bytes], Awaitable[None]]

# Bytes that may be stored of a file: so many, and so many times its size. A spreadsheet is packed to a twentieth, and
# each of its rows is stored as text, passage, search terms, values and cells.
LEAST_ANSWER, ANSWER_FACTOR, LARGEST_ANSWER = 64_000_000, 150, 1_000_000_000
# Times the seconds of a processor that a file may take until it is given up anyway: a reader steps back for others.
PATIENCE = 3
HELPED = 200_000  # bytes of a file: a smaller one is read as soon as a helper is at work
_WINDOW = 4  # frames that wait to be kept
_REQUEST = 1  # the number of the only request that a child gets


READS = Work("docqa.ingest.child", READING)


async def prepare(
    data: bytes | Pieces,
    name: str,
    media_type: str = "",
    *,
    limits: Limits,
    languages: str = "",
    loc: tuple[str | int, ...] = ("body", "file"),
    helpers: int = 0,
) -> Prepared:
    """What is stored of a file, made in a child process that is killed at its limits or when this task is cancelled.

    `media_type` (with its charset, if any) is that of a link and must be empty for an upload. `languages` are
    Tesseract's names joined by "+", for pictures; "" takes all that there are data for. So many `helpers` read pages
    beside it where that is worth it. Raises Unreadable at `loc` with the reason, ChildDied if no child can be started.
    """
    request: Header = {"task": "read", "name": name, "media_type": media_type, "languages": languages}
    helpers = helpers if size_of(data) >= HELPED else 0
    return await _prepared(request, data, limits, loc, READS._replace(helpers=helpers))


async def prepare_tables(pages: list[tuple[int, str]], name: str, limits: Limits) -> Prepared:
    """The tables in the text of stored pages, (page number, text) each, of the document `name`; raises as `prepare`."""
    data = await asyncio.to_thread(lambda: encoded(pages))
    return await _prepared({"task": "tables", "name": name}, data, limits, ())


async def prepare_gist(
    document: StoredDocument, chunks: Sequence[StoredChunk], pages: Sequence[StoredText], parts: str, limits: Limits
) -> Gist:
    """What a stored document is about; raises as `prepare`. `parts` are those of a table, in a sentence."""
    given = await asyncio.to_thread(lambda: encoded(given_of(document, chunks, pages, parts)))
    about: Header = {}
    notes: list[tuple[int, int, int, int, float]] = []

    async def keep(header: Header, blob: bytes) -> None:
        if "of" in header:
            notes.extend(tuple(json.loads(line)) for line in blob.splitlines())
        about.update(header)

    await ask({"task": "gist", "name": document.doc_id}, given, limits, (), keep)
    return Gist(str(about["language"]), str(about["summary"]), notes)


async def recognise(
    data: bytes | Pieces, page_number: int, languages: str, hint: str = "", *, beside: bool = False, limits: Limits
) -> ExtractedPage:
    """A page that waits for text recognition, or `beside` its text only its pictures, read in a child process as by
    `prepare`.

    `page_number` counts from 1; `hint` is the ISO 639-1 code of the document's language, "" if it is not known. Raises
    Unreadable, ChildDied.
    """
    about: Header = {"page_number": page_number, "languages": languages, "hint": hint, "beside": beside}
    request = {"task": "recognise", "name": f"page {page_number}", **about}
    pages: list[ExtractedPage] = []

    async def keep(_: Header, blob: bytes) -> None:
        pages.append(await asyncio.to_thread(_page, blob))

    await ask(request, data, limits, (), keep)
    return pages[-1]


def encoded(given: Any) -> bytes:
    """As JSON; in UTF-8 as it is, which takes a third of the escapes of other scripts."""
    return json.dumps(given, ensure_ascii=False).encode("utf-8", "surrogatepass")


async def _prepared(
    request: Header, data: bytes | Pieces, limits: Limits, loc: tuple[str | int, ...], work: Work = READS
) -> Prepared:
    prepared = await asyncio.to_thread(Prepared.empty, limits.folder)
    most = min(LEAST_ANSWER + ANSWER_FACTOR * size_of(data), LARGEST_ANSWER)

    async def keep(header: Header, blob: bytes) -> None:
        if prepared.size + len(blob) > most:
            raise Unreadable(
                f"What is in the file takes more than {most // 1_000_000:,} MB to store, which is the limit for a file "
                "of its size. Split it into smaller files.",
                loc,
            )
        await asyncio.to_thread(prepared.add if "of" in header else prepared.finish, header, blob)

    try:
        await ask(request, data, limits, loc, keep, work)
    except BaseException:
        prepared.close()
        raise
    return prepared


async def ask(
    request: Header,
    data: bytes | Pieces,
    limits: Limits,
    loc: tuple[str | int, ...],
    keep: Keep,
    work: Work = READS,
) -> None:
    """Give a request to a child that does such `work`, and each frame of its answer to `keep`.

    Raises Unreadable at `loc`, ChildDied.
    """
    async with reading_child(limits, work) as process:
        try:
            async with asyncio.timeout(limits.seconds * PATIENCE):
                await process.request(_REQUEST, request, data, window=_WINDOW)
                while (frame := await process.receive(_REQUEST))[0]["kind"] == "item":
                    await keep(frame[0]["body"], frame[1])
        except TimeoutError:
            raise _too_long(limits, loc) from None
        except ChildDied as error:
            if process.death == OUT_OF_TIME:
                raise _too_long(limits, loc) from None
            log.warning("the process reading %r %s%s", request["name"], process.death, process.last_words)
            raise Unreadable(CRASHED, loc) from error
    end, _ = frame
    if end["kind"] != "error":
        return
    if end["error"] == "Unreadable":
        raise Unreadable(end["message"], loc)
    if end["error"] == "MemoryError":
        raise Unreadable(
            f"Reading the file needs more than {limits.memory_mb:,} MB of memory. Split it into smaller files.", loc
        )
    log.warning("reading %r failed: %s%s", request["name"], end["message"], process.last_words)
    raise Unreadable("The file is damaged, or holds something that cannot be read.", loc)


def _too_long(limits: Limits, loc: tuple[str | int, ...]) -> Unreadable:
    return Unreadable(f"Reading the file took longer than {limits.seconds:g} s. Split it into smaller files.", loc)


def _page(line: bytes) -> ExtractedPage:
    text, section, headings, running, tables, unread, rows, blocks, pictures, _ = json.loads(line)
    spans = tuple(map(tuple, running)), tuple(map(tuple, tables))
    known = tuple(Block(*block) for block in blocks)
    data = tuple(Row(*row) for row in rows)
    return ExtractedPage(text, section, tuple(map(tuple, headings)), *spans, unread, data, known, pictures)
