"""The process that installs: python -m docqa.setup.install_child WHICH [--packages] [--no-models] [--again]

WHICH is `base` or `test`, for what the server or the tests need, or `rest`, for all that may follow. It tells how far
it is on stdout, a line of JSON for each change; what pip and the compiler print goes into data/install.log. It ends,
with all that it has started, when its stdin is closed: nothing is installed behind the back of a server that has ended.
Standard library only.
"""

import argparse
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
from docqa.settings import Settings
from docqa.setup.packages import Installer
from docqa.setup.progress import DONE, FAILED, RUNNING, Progress
from docqa.setup.steps import Step, needed, rest, run
from docqa.workers.sandbox import step_back

SECONDS = 1.0  # between two looks at how far a step is
MOST = 0.99  # until it is done
# CMake's progress: `[12/180]` by Ninja, `[ 12%]` by Make.
COMPILED = re.compile(rb"^\s*\[ *(\d+)(?:/(\d+)|%)\]", re.MULTILINE)
WHY = re.compile(r"^(?:ERROR|error): +(.+)|^.*\b(?:CMake Error|No space left).*", re.MULTILINE)
LONGEST = 300  # characters of a reason
LARGEST_LOG = 1 << 20  # bytes; a larger one is begun anew
GRACE = 1.0  # seconds in which what was started may end by itself
LOW, LOWEST = 5, 14  # added to the niceness while a server answers; the second for what is compiled, which takes long


class Meter:
    """Measures how far a step is by what has grown in its folders, or by what CMake says of itself in the log."""

    def __init__(self, step: Step, log: Path) -> None:
        self._step, self._log = step, log
        self._log_start = log.stat().st_size
        self._before = self._bytes()
        self._share = 0.0

    def share(self) -> float:
        """The share of the step that is done; it never falls."""
        grown = max(0, self._bytes() - self._before)
        compiled = [
            int(done) / int(of or 100) for done, of in COMPILED.findall(self.printed()) if int(of or 100)
        ]  # the last is the newest
        now = compiled[-1] if compiled else grown / max(1, self._step.size)
        self._share = max(self._share, min(MOST, now))
        return self._share

    def printed(self) -> bytes:
        """What the step has printed so far."""
        with self._log.open("rb") as log:
            log.seek(self._log_start)
            return log.read()

    def _bytes(self) -> int:
        return sum(_size(folder) for folder in self._step.folders)


def _size(folder: Path) -> int:
    """The bytes of all files below a folder, which others change meanwhile."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size
    return total


def install(steps: Sequence[Step], settings: Settings, installer: Installer, log: Path, out: TextIO) -> bool:
    """Do the steps one after the other, and tell how far they are on `out`. Whether all succeeded."""
    failed: set[str] = set()

    def tell(progress: Progress) -> None:
        print(progress.to_line(), file=out, flush=True)

    for step in steps:
        tell(step.progress())
    for step in steps:
        progress = step.progress()
        needs = {"embedding": "embedding", "encoder": "embedding"}.get(step.entry.kind if step.entry else "")
        if needs in failed:
            failed.add(step.name)
            tell(progress.at(FAILED, 0.0, "The packages that run it are missing."))
            continue
        if step.name == "local":
            step_back(LOWEST)
        tell(progress.at(RUNNING, 0.0))
        meter = Meter(step, log)
        failure = _measured(lambda step=step: run(step, settings, installer, _note), meter, progress, tell)  # type: ignore[misc]
        if failure:
            failed.add(step.name)
            reason = _reason(meter.printed().decode(errors="replace")) if "pip failed" in failure else ""
            tell(progress.at(FAILED, meter.share(), f"{failure} {f'It said: {reason}' if reason else ''}".strip()))
        else:
            tell(progress.at(DONE, 1.0))
    return not failed


def _measured(work: Callable[[], str], meter: Meter, progress: Progress, tell: Callable[[Progress], None]) -> str:
    """The result of `work`, while it is told how far it is."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(SECONDS):
            share = meter.share()
            if not ended.is_set():
                tell(progress.at(RUNNING, round(share, 3)))

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        return work()
    except (DocqaError, OSError) as error:
        return str(error)
    finally:
        ended.set()
        watching.join()


def _note(sentence: str) -> None:
    print(sentence, flush=True)  # into the log


def _reason(printed: str) -> str:
    """The last line that says why a command failed, "" if none does."""
    reasons = [(match[1] or match[0]).strip() for match in WHY.finditer(printed)]
    return reasons[-1][:LONGEST] if reasons else ""


def _end_with_parent() -> None:
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

    if os.name != "nt":
        signal.signal(signal.SIGTERM, _stand_still)
    threading.Thread(target=wait, daemon=True).start()


def _stand_still(*_: object) -> None:
    """Wait to be killed: what was started ends first, and must not count as failed."""
    while True:
        time.sleep(GRACE)


def main(arguments: Sequence[str]) -> int:
    """Install what `arguments` say; 1 if something failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("which", choices=["base", "test", "rest"])
    for flag in ("--packages", "--no-models", "--again"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args(arguments)
    settings = Settings.read(os.environ)
    installer = Installer(offline=settings.offline)
    log = installer.root / "data" / "install.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    out = os.fdopen(os.dup(1), "w")
    with log.open("wb" if log.exists() and log.stat().st_size > LARGEST_LOG else "ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    if options.which == "rest":
        steps = rest(settings, installer, packages=options.packages, models=not options.no_models, again=options.again)
        step_back(LOW)
    else:
        steps = needed(installer, test=options.which == "test")
    return 0 if install(steps, settings, installer, log, out) else 1


if __name__ == "__main__":
    _end_with_parent()
    sys.exit(main(sys.argv[1:]))
