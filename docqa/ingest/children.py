"""The processes that read files and draw pages, the server's side: one for each file, forked or started by itself,
confined as `workers.sandbox` says, with a temporary folder of its own."""

import json
import logging
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import NamedTuple

from docqa import IN_CHECKOUT, ROOT
from docqa.errors import ChildDied
from docqa.formats.pictures.data import folders
from docqa.ingest import bytecode
from docqa.offline.watch import REPORT
from docqa.workers.environment import child_environment
from docqa.workers.nursery import Nursery
from docqa.workers.precedence import Precedence
from docqa.workers.process import Process
from docqa.workers.sandbox import Confinement

NURSERY = Nursery("docqa.ingest.nursery")
LARGEST_FRAME = 1 << 27  # bytes; a line that takes more is no page, row or chunk of a document
_NAME = "file reader"
_LOGGED = logging.DEBUG  # what it writes: libraries comment on every fault of a damaged file
_ENVIRONMENT = {
    "OMP_THREAD_LIMIT": "1",  # Tesseract's threads wait for each other longer than they work
    "MALLOC_ARENA_MAX": "1",  # glibc reserves 64 MB of address space per thread, and the limit counts them
}
_STARTING = 2.0  # seconds that a reader waits for the nursery, which takes half a one: a child of its own takes longer
_TEMPORARY = "docqa-reader-"
_SYSTEM = (
    *("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime"),
    *("/etc/mime.types", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/dev/urandom"),
)


class Work(NamedTuple):
    """What a child does: the module it runs, how far it steps back for others, and how many further processes help it,
    where it is forked."""

    module: str
    niceness: int
    helpers: int = 0


@dataclass(frozen=True)
class Limits:
    """What reading one file may take: `seconds` of a processor, PATIENCE times as many by the clock, and `memory_mb` of
    address space; Windows has the clock only. `folder` is where the answer is kept meanwhile, None for the system's
    temporary one. What is urgent to `behind` stops it."""

    seconds: float
    memory_mb: int
    folder: Path | None = None
    behind: Precedence | None = None


@asynccontextmanager
async def reading_child(limits: Limits, work: Work) -> AsyncIterator[Process]:
    """A child with a temporary folder of its own; both are gone at the end. Raises ChildDied."""
    with TemporaryDirectory(prefix=f"{_TEMPORARY}{os.getpid()}-", ignore_cleanup_errors=True) as temporary:
        process = await _start(limits, work, temporary)
        try:
            with limits.behind.stops(process.process) if limits.behind else nullcontext():
                yield process
        finally:
            await process.kill()


async def _start(limits: Limits, work: Work, temporary: str) -> Process:
    reads = (*_installed(), *_trained())
    watched = REPORT in os.environ
    bounds = Confinement(limits.memory_mb, int(limits.seconds) + 1, reads, temporary, watched, work.niceness)._asdict()
    environment = {**_environment(), "TMPDIR": temporary}
    request = {"bounds": bounds, "module": work.module, "helpers": work.helpers}
    try:
        NURSERY.start(_environment())
        await NURSERY.awaited(_STARTING)
        if forked := await NURSERY.fork(request, environment):
            return Process(_NAME, forked, log_level=_LOGGED, largest=LARGEST_FRAME)
        return await Process.spawn(
            _NAME,
            "docqa.ingest",
            [json.dumps(bounds), work.module],
            environment=environment,
            own_session=True,
            log_level=_LOGGED,
            largest=LARGEST_FRAME,
        )
    except OSError as error:
        raise ChildDied(
            "Files cannot be read at the moment: the system starts no further process. Try again later."
        ) from error


def _environment() -> dict[str, str]:
    return child_environment(_ENVIRONMENT)


@contextmanager
def at_hand() -> Iterator[None]:
    """Meanwhile have what readers import loaded, or at least compiled, before the first one is wanted."""
    NURSERY.start(_environment())
    with nullcontext() if NURSERY.runs else bytecode.kept():
        try:
            yield
        finally:
            NURSERY.close()


def _installed() -> list[str]:
    """What Python and its packages are read from. A checkout may hold data, and is not among them."""
    paths = [*sys.path, *os.environ.get("PYTHONPATH", "").split(os.pathsep), sys.prefix, sys.base_prefix]
    known = {os.path.realpath(path) for path in (*paths, str(ROOT / "docqa"), *_SYSTEM) if path}
    without = {str(ROOT), os.path.sep} if IN_CHECKOUT else {os.path.sep}
    return [*sorted(known - without), "/proc/self"]  # a link, which leads the child to its own


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
