"""The server's side of reading a file: a child process for each, so that a hostile file harms only itself.

The child does all work that grows with what the file holds; it is bounded and confined as `workers.sandbox` says, and
killed with all that it may have started when its time is over or nobody waits for it any more. What it answers is
bounded too, and is stored without being looked at.
"""

import asyncio
import json
import logging
import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, NamedTuple

from docqa import ROOT
from docqa.errors import ChildDied, Unreadable
from docqa.formats.columns import Row
from docqa.formats.pages import ExtractedPage
from docqa.formats.pictures.data import folders
from docqa.ingest.gist import Gist, StoredText, given_of
from docqa.ingest.prepared import CRASHED, Prepared
from docqa.offline.watch import REPORT
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.text.blocks import Block
from docqa.workers.loop import Header
from docqa.workers.process import OUT_OF_TIME, Pieces, Process, size_of
from docqa.workers.sandbox import BEHIND_SERVER, READING, Confinement

log = logging.getLogger(__name__)

Keep = Callable[[Header, bytes], Awaitable[None]]

PIECE = 1 << 18  # bytes of a frame, about
LARGEST_FRAME = 1 << 27  # a line that takes more is no page, row or chunk of a document
# Bytes that may be stored of a file: so many, and so many times its size. A spreadsheet is packed to a twentieth, and
# each of its rows is stored as text, passage, search terms, values and cells.
LEAST_ANSWER, ANSWER_FACTOR, LARGEST_ANSWER = 64_000_000, 150, 1_000_000_000
# Times the seconds of a processor that a file may take until it is given up anyway: a reader steps back for others.
PATIENCE = 3
_WINDOW = 4  # frames that wait to be kept
_READS, _DRAWS = "docqa.ingest.child", "docqa.ingest.drawing_child"
_REQUEST = 1  # the number of the only request that a child gets
_ENVIRONMENT = {
    "OMP_THREAD_LIMIT": "1",  # Tesseract's threads wait for each other longer than they work
    "MALLOC_ARENA_MAX": "1",  # glibc reserves 64 MB of address space per thread, and the limit counts them
}
_TEMPORARY = "docqa-reader-"
_SYSTEM = (
    *("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime"),
    *("/etc/mime.types", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/dev/urandom"),
)


@dataclass(frozen=True)
class Limits:
    """What reading one file may take: `seconds` of a processor, PATIENCE times as many by the clock, and `memory_mb` of
    address space; Windows has the clock only. `folder` is where the answer is kept meanwhile, None for the system's
    temporary one."""

    seconds: float
    memory_mb: int
    folder: Path | None = None


class Drawing(NamedTuple):
    """Which page is drawn, from 1, how wide in pixels, and what is marked on it: passages, and quotes darker. `hint` is
    the ISO 639-1 code of the document's language, for a scan."""

    page_number: int
    width: int
    passages: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    hint: str = ""


async def prepare(
    data: bytes | Pieces,
    name: str,
    media_type: str = "",
    *,
    limits: Limits,
    languages: str = "",
    loc: tuple[str | int, ...] = ("body", "file"),
) -> Prepared:
    """What is stored of a file, made in a child process that is killed at its limits or when this task is cancelled.

    `media_type` (with its charset, if any) is that of a link and must be empty for an upload. `languages` are
    Tesseract's names joined by "+", for pictures; "" takes all that there are data for. Raises Unreadable at `loc` with
    the reason, ChildDied if no child can be started.
    """
    request: Header = {"task": "read", "name": name, "media_type": media_type, "languages": languages}
    return await _prepared(request, data, limits, loc)


async def prepare_tables(pages: list[tuple[int, str]], name: str, limits: Limits) -> Prepared:
    """The tables in the text of stored pages, (page number, text) each, of the document `name`; raises as `prepare`."""
    data = await asyncio.to_thread(lambda: _encoded(pages))
    return await _prepared({"task": "tables", "name": name}, data, limits, ())


async def prepare_gist(
    document: StoredDocument, chunks: Sequence[StoredChunk], pages: Sequence[StoredText], parts: str, limits: Limits
) -> Gist:
    """What a stored document is about; raises as `prepare`. `parts` are those of a table, in a sentence."""
    given = await asyncio.to_thread(lambda: _encoded(given_of(document, chunks, pages, parts)))
    about: Header = {}
    notes: list[tuple[int, int, int, int, float]] = []

    async def keep(header: Header, blob: bytes) -> None:
        if "of" in header:
            notes.extend(tuple(json.loads(line)) for line in blob.splitlines())
        about.update(header)

    await _ask({"task": "gist", "name": document.doc_id}, given, limits, (), keep)
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

    await _ask(request, data, limits, (), keep)
    return pages[-1]


async def draw(data: bytes | Pieces, request: Drawing, languages: str, limits: Limits) -> tuple[bytes, int]:
    """(a page as PNG, how many pieces of lines are marked on it), drawn in a child process as by `prepare`, which reads
    a scan in these `languages`.

    Raises Unreadable, ChildDied.
    """
    drawn: list[tuple[bytes, int]] = []

    async def keep(header: Header, blob: bytes) -> None:
        drawn.append((blob, int(header["marked"])))

    about = {"task": "draw", "name": f"page {request.page_number}", "languages": languages, **request._asdict()}
    await _ask(about, data, limits, ("path", "page_number"), keep, _DRAWS)
    return drawn[-1]


def _encoded(given: Any) -> bytes:
    """As JSON; in UTF-8 as it is, which takes a third of the escapes of other scripts."""
    return json.dumps(given, ensure_ascii=False).encode("utf-8", "surrogatepass")


async def _prepared(request: Header, data: bytes | Pieces, limits: Limits, loc: tuple[str | int, ...]) -> Prepared:
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
        await _ask(request, data, limits, loc, keep)
    except BaseException:
        prepared.close()
        raise
    return prepared


async def _ask(
    request: Header,
    data: bytes | Pieces,
    limits: Limits,
    loc: tuple[str | int, ...],
    keep: Keep,
    module: str = _READS,
) -> None:
    """Give a request to a child that runs `module`, and each frame of its answer to `keep`."""
    async with _child(limits, module) as process:
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


@asynccontextmanager
async def _child(limits: Limits, module: str) -> AsyncIterator[Process]:
    """A child with a temporary folder of its own; both are gone at the end."""
    with TemporaryDirectory(prefix=f"{_TEMPORARY}{os.getpid()}-", ignore_cleanup_errors=True) as temporary:
        process = await _spawn(limits, module, temporary)
        try:
            yield process
        finally:
            await process.kill()


async def _spawn(limits: Limits, module: str, temporary: str) -> Process:
    reads = (*_installed(), *_trained())
    watched, niceness = REPORT in os.environ, READING if module == _READS else BEHIND_SERVER
    bounds = Confinement(limits.memory_mb, int(limits.seconds) + 1, reads, temporary, watched, niceness)
    try:
        return await Process.spawn(
            "file reader",
            "docqa.ingest",
            [json.dumps(bounds._asdict()), module],
            environment={**_ENVIRONMENT, "TMPDIR": temporary},
            own_session=True,
            log_level=logging.DEBUG,  # libraries comment on every fault of a damaged file
            largest=LARGEST_FRAME,
        )
    except OSError as error:
        raise ChildDied(
            "Files cannot be read at the moment: the system starts no further process. Try again later."
        ) from error


def _installed() -> list[str]:
    """What Python and its packages are read from. The folder that DocQA lies in may hold its data, and is not among
    them."""
    paths = [*sys.path, *os.environ.get("PYTHONPATH", "").split(os.pathsep), sys.prefix, sys.base_prefix]
    known = {os.path.realpath(path) for path in (*paths, str(ROOT / "docqa"), *_SYSTEM) if path}
    return [*sorted(known - {str(ROOT), os.path.sep}), "/proc/self"]  # a link, which leads the child to its own


def _trained() -> tuple[str, ...]:
    return tuple(os.path.realpath(folder) for folder in folders() if folder.exists())


def remove_remains() -> None:
    """Remove the temporary folders of readers whose server was killed."""
    if os.name == "nt":  # there `kill` does not ask, but kill
        return
    for folder in Path(gettempdir()).glob(f"{_TEMPORARY}*-*"):
        pid = folder.name.removeprefix(_TEMPORARY).partition("-")[0]
        if pid.isdigit() and not _lives(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # another user's
    return True


def _page(line: bytes) -> ExtractedPage:
    text, section, headings, running, tables, unread, rows, blocks, pictures = json.loads(line)
    spans = tuple(map(tuple, running)), tuple(map(tuple, tables))
    known = tuple(Block(*block) for block in blocks)
    data = tuple(Row(*row) for row in rows)
    return ExtractedPage(text, section, tuple(map(tuple, headings)), *spans, unread, data, known, pictures)
