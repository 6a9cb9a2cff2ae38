"""The process that installs or downloads, seen from outside: by a start that waits for it, and by a server that serves
meanwhile.

Standard library only.
"""

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from docqa import ROOT
from docqa.setup.progress import DONE, FAILED, Progress, current
from docqa.workers.environment import child_environment

log = logging.getLogger(__name__)

MODULE = "docqa.setup.install_child"
BROKEN_OFF = "The installer ended unexpectedly; data/install.log says why, and the next start goes on."
OWN_GROUP = {"process_group": 0} if os.name == "posix" else {}  # Ctrl-C in a terminal goes to the server alone
Show = Callable[[Sequence[Progress]], None]


def _command(module: str, arguments: Iterable[str]) -> list[str]:
    return [sys.executable, "-P", "-m", module, *arguments]


class Steps:
    """The steps as they were last told of, in their order."""

    def __init__(self) -> None:
        self._latest: dict[str, Progress] = {}

    def all(self) -> list[Progress]:
        """All steps."""
        return list(self._latest.values())

    def take(self, line: str) -> Progress:
        """The step that a line of the child tells of. Raises ValueError."""
        step = Progress.from_line(line)
        self._latest[step.name] = step
        return step

    def break_off(self, why: str) -> None:
        """The child has ended: what was not finished has failed."""
        for step in self.all():
            if step.state not in (DONE, FAILED):
                self._latest[step.name] = step.at(FAILED, step.share, why)


def install_now(arguments: Sequence[str], show: Show) -> list[Progress]:
    """Install and wait for the end; the steps as they ended. `arguments` are those of the child."""
    steps = Steps()
    process = subprocess.Popen(
        _command(MODULE, arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=child_environment({}),
        **OWN_GROUP,  # type: ignore[call-overload]
    )
    assert process.stdin and process.stdout
    try:
        for line in process.stdout:
            steps.take(line)
            show(steps.all())
    finally:
        process.stdin.close()  # ends it, if this is Ctrl-C
        process.stdout.close()
        process.wait()
    if current(steps.all()):
        steps.break_off(BROKEN_OFF)
        show(steps.all())
    return steps.all()


class Installation:
    """What is installed while the server serves, by a process that ends with it: `module` with these `arguments`, and
    with `environment` on top of ours. Where it ends before its work does, `broken_off` says so.

    `on_change` is called at every change, `on_done` when a step was completed.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        root: Path = ROOT,
        *,
        module: str = MODULE,
        environment: Mapping[str, str] | None = None,
        broken_off: str = BROKEN_OFF,
    ) -> None:
        self._command, self._root, self._broken_off = _command(module, arguments), root, broken_off
        self._environment = child_environment(environment or {})
        self._steps = Steps()
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._closing = False
        self.on_change: Show = lambda _: None
        self.on_done: Callable[[Progress], None] = lambda _: None

    @property
    def steps(self) -> list[Progress]:
        """All steps with how far they are."""
        return self._steps.all()

    @property
    def running(self) -> bool:
        """Whether the installer is at work."""
        return self._reading is not None and not self._reading.done()

    async def start(self) -> None:
        """Start the installer."""
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=self._root,
            env=self._environment,
            **OWN_GROUP,  # type: ignore[arg-type]
        )
        self._reading = asyncio.create_task(self._read(self._process), name="installation")

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout
        async for line in process.stdout:
            try:
                step = self._steps.take(line.decode())
            except ValueError as error:
                log.warning("the installer said something else than its progress: %s", error)
                continue
            if step.state == DONE:
                self.on_done(step)
            self.on_change(self.steps)
        await process.wait()
        if current(self.steps) and not self._closing:
            self._steps.break_off(self._broken_off)
            self.on_change(self.steps)

    async def close(self) -> None:
        """End the installer and all that it has started; the next start goes on."""
        self._closing = True
        if self._process is None or self._process.stdin is None:
            return
        self._process.stdin.close()
        await self._process.wait()
        if self._reading:
            await self._reading
