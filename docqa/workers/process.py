"""One life of a child process: frames out and in by the numbers of their requests, its log lines, and how it ended. What is asked of it is not known here."""

import asyncio
import json
import logging
import os
import signal
import sys
from contextlib import suppress

from docqa import ROOT
from docqa.catalog.keys import without_keys
from docqa.errors import ChildDied
from docqa.workers.loop import LENGTH, Header, frame

log = logging.getLogger(__name__)

CLOSE_SECONDS = 2.0
START = 0  # the number of no request: what a child says by itself, when it is ready

Frame = tuple[Header, bytes]


class Process:
    """One life of a child: frames out and in, its log lines, and how it ended."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.name = name
        self.process = process
        self.ready = False
        self.death = ""
        self._input, self._output, self._log = process.stdin, process.stdout, process.stderr
        # Frames are read by a task of their own: a receiver that is cancelled must not leave half a frame behind.
        self._received: dict[int, asyncio.Queue[Frame | None]] = {START: asyncio.Queue()}
        self._last_words = ""
        self._logging = asyncio.create_task(self._follow_log())
        self._pumping = asyncio.create_task(self._pump())

    @classmethod
    async def spawn(cls, name: str, module: str, arguments: list[str]) -> "Process":
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", module, *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**without_keys(os.environ), "PYTHONPATH": path, "PYTHONUTF8": "1"},
        )
        return cls(name, process)

    async def _pump(self) -> None:
        try:
            while True:
                head = await self._output.readexactly(*LENGTH.unpack(await self._output.readexactly(LENGTH.size)))
                blob = await self._output.readexactly(*LENGTH.unpack(await self._output.readexactly(LENGTH.size)))
                header = json.loads(head)
                if frames := self._received.get(
                    header.get("id", START)
                ):  # else it was killed for not ending, and nobody waits any more
                    frames.put_nowait((header, blob))
        except (asyncio.IncompleteReadError, ConnectionError):
            code = await self._wait()
        # Its last line says why it ended. A grandchild may hold the pipe open, so do not wait for its end.
        await asyncio.wait((self._logging,), timeout=0.5)
        self._logging.cancel()
        self.death = _describe_end(code, self._last_words)
        for frames in self._received.values():
            frames.put_nowait(None)

    async def _wait(self) -> int:
        try:
            return await asyncio.wait_for(self.process.wait(), CLOSE_SECONDS)
        except TimeoutError:
            self._kill()
            return await self.process.wait()

    async def _follow_log(self) -> None:
        rest = b""
        while piece := await self._log.read(1 << 16):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                self._last_words = line.decode(errors="replace").strip() or self._last_words
                log.info("%s: %s", self.name, line.decode(errors="replace").rstrip())

    async def request(self, number: int, body: Header, blob: bytes) -> None:
        """Send a request, whose answers can then be received until it is `done`. Raises ChildDied."""
        self._received[number] = frames = asyncio.Queue[Frame | None]()
        if self.death:
            frames.put_nowait(None)
        await self.send({"id": number, "kind": "request", "body": body}, blob)

    def done(self, number: int) -> None:
        self._received.pop(number, None)

    async def send(self, header: Header, blob: bytes = b"") -> None:
        """Send one frame, whole even if the sender is cancelled. Raises ChildDied."""
        try:
            self._input.write(frame(header, blob))
            await self._input.drain()
        except (ConnectionError, RuntimeError) as error:
            raise await self._died() from error

    async def receive(self, number: int = START) -> Frame:
        """The next frame that answers a request, or what is said at the start. Raises ChildDied."""
        received = await self._received[number].get()
        if received is None:
            self._received[number].put_nowait(None)
            raise await self._died()
        return received

    async def _died(self) -> ChildDied:
        await asyncio.shield(self._pumping)
        return ChildDied(
            f"The {self.name} process {self.death} in the middle of its work; it is started again with the next request."
        )

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()

    async def kill(self) -> None:
        self._kill()
        await asyncio.shield(self._pumping)

    async def stop(self) -> None:
        """Close the child's stdin, at which it ends itself; killed if that takes too long."""
        self._input.close()
        await self._wait()
        await asyncio.shield(self._pumping)


def _describe_end(code: int, last_words: str) -> str:
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}" + (f" ({last_words})" if code and last_words else "")
