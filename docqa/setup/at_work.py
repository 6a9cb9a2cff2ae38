"""What the processes that install and download have in common: they tell how far they are, print into a log, and end
with the process that started them. Standard library only."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from docqa.errors import DocqaError

SECONDS = 1.0  # between two looks at how far a step is
MOST = 0.99  # until it is done
# CMake's progress: `[12/180]` by Ninja, `[ 12%]` by Make.
COMPILED = re.compile(rb"^\s*\[ *(\d+)(?:/(\d+)|%)\]", re.MULTILINE)
LARGEST_LOG = 1 << 20  # bytes; a larger one is begun anew
GRACE = 1.0  # seconds in which what was started may end by itself


class Meter:
    """Measures how far work is by what has grown in its `folders`, of `size` bytes in all, or by what CMake says of
    itself in the log. `left` bytes of it are there from an earlier try."""

    def __init__(self, size: int, folders: Sequence[Path], log: Path, left: int = 0) -> None:
        self._size, self._log = size, log
        self._folders = [folder for folder in folders if not any(other in folder.parents for other in folders)]
        self._log_start = log.stat().st_size
        self._before = self._bytes() - left
        self._share = 0.0

    def share(self) -> float:
        """The share of the work that is done; it never falls."""
        grown = max(0, self._bytes() - self._before)
        compiled = [
            int(done) / int(of or 100) for done, of in COMPILED.findall(self.printed()) if int(of or 100)
        ]  # the last is the newest
        now = compiled[-1] if compiled else grown / max(1, self._size)
        self._share = max(self._share, min(MOST, now))
        return self._share

    def printed(self) -> bytes:
        """What the work has printed so far."""
        with self._log.open("rb") as log:
            log.seek(self._log_start)
            return log.read()

    def _bytes(self) -> int:
        return sum(map(size_of, self._folders))


def size_of(folder: Path) -> int:
    """The bytes of all files below a folder, which others change meanwhile."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size
    return total


def measured(work: Callable[[], str], meter: Meter, tell: Callable[[float], None]) -> str:
    """The result of `work`, "" or why it failed; meanwhile `tell` gets the share that is done."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(SECONDS):
            share = meter.share()
            if not ended.is_set():
                tell(round(share, 3))

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        return work()
    except (DocqaError, OSError) as error:
        return str(error)
    finally:
        ended.set()
        watching.join()


def print_into(log: Path) -> TextIO:
    """Have all that is printed from here on, by what is started too, go into `log`; what stdout was."""
    log.parent.mkdir(parents=True, exist_ok=True)
    out = os.fdopen(os.dup(1), "w")
    with log.open("wb" if log.exists() and log.stat().st_size > LARGEST_LOG else "ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    return out


def end_with_parent() -> None:
    """End this process and all that it has started as soon as its stdin is closed."""

    def wait() -> None:
        while os.read(0, 1):  # not by sys.stdin, whose lock the interpreter needs at its end
            pass
        if os.name == "nt":
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(os.getpid())], capture_output=True, check=False)
        else:
            # Ninja has each compiler in a process group of its own, and ends them when it is told to end.
            os.killpg(0, signal.SIGTERM)
            time.sleep(GRACE)
            os.killpg(0, signal.SIGKILL)

    if sys.platform != "win32":
        signal.signal(signal.SIGTERM, _stand_still)
    threading.Thread(target=wait, daemon=True).start()


def _stand_still(*_: object) -> None:
    """Wait to be killed: what was started ends first, and must not count as failed."""
    while True:
        time.sleep(GRACE)
