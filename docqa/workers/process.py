"""One life of a child process: frames in and out, matched to requests by number, its stderr, and how it ended.

It knows nothing of what the requests mean.
"""

import asyncio
import json
import logging
import os
import re
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Protocol

from docqa.errors import ChildDied
from docqa.workers.environment import child_environment
from docqa.workers.loop import LENGTH, Header, frame_start

log = logging.getLogger(__name__)

CLOSE_SECONDS = 2.0
OUT_OF_TIME = "ended by SIGXCPU"  # the `death` of one that used up its processor time
PIECE = 1 << 18  # bytes of a frame that are sent at once
START = 0  # the request number of frames that answer no request: what a child says when it is ready
LARGEST = (1 << 32) - 1  # bytes that a length of four bytes can announce
LAST_LINES = 40  # of stderr, kept to tell why the process ended: the stack of a crash in native code takes some 25
# A child that parses hostile files may write anything to stderr, and as much as it likes.
LONGEST_LINE = 1000
_CONTROL = re.compile(r"[\0-\x1f\x7f-\x9f]")

Frame = tuple[Header, bytes]


class Pieces(Protocol):
    """Bytes that are not in memory as a whole: `size` of them."""

    size: int

    def pieces(self) -> AsyncIterator[bytes]:
        """All of them, in order."""


class Running(Protocol):
    """What is needed of `asyncio.subprocess.Process`, all three streams being pipes."""

    @property
    def stdin(self) -> asyncio.StreamWriter | None: ...
    @property
    def stdout(self) -> asyncio.StreamReader | None: ...
    @property
    def stderr(self) -> asyncio.StreamReader | None: ...

    async def wait(self) -> int:
        """The exit code, or the number of the signal that ended it, below zero."""

    def kill(self) -> None:
        """Send SIGKILL; may raise ProcessLookupError."""

    def send_signal(self, signal: int) -> None:
        """Send a signal; may raise ProcessLookupError."""


def size_of(blob: bytes | Pieces) -> int:
    """In bytes."""
    return len(blob) if isinstance(blob, bytes) else blob.size


class Process:
    """A running child: frames in and out, its stderr, and, once it has ended, why (`death`). `kill` ends it, if its own
    does not suffice."""

    def __init__(
        self,
        name: str,
        process: Running,
        *,
        kill: Callable[[], None] | None = None,
        log_level: int = logging.INFO,
        largest: int = LARGEST,
    ) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.name = name
        self.process = process
        self.ready = False
        self.death = ""
        self._end, self._log_level, self._largest = kill or process.kill, log_level, largest
        self._given_up = False  # what still comes is dropped
        self._input, self._output, self._stderr = process.stdin, process.stdout, process.stderr
        # Frames are read by a task of their own: a receiver that is cancelled must not leave half a frame behind.
        self._received: dict[int, asyncio.Queue[Frame | None]] = {START: asyncio.Queue()}
        self._sending = asyncio.Lock()
        self._last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self._logging = asyncio.create_task(self._follow_stderr())
        self._pumping = asyncio.create_task(self._pump())

    @classmethod
    async def spawn(
        cls,
        name: str,
        module: str,
        arguments: list[str],
        *,
        environment: Mapping[str, str] | None = None,
        own_session: bool = False,
        log_level: int = logging.INFO,
        largest: int = LARGEST,
    ) -> "Process":
        """Start `python -m module arguments...` with this `environment`, or that of every child.

        `own_session`: the child leads a session of its own, and killing it kills whatever it has started (POSIX).
        `log_level`: at which its stderr is logged, line by line. `largest`: bytes of half a frame; a child that
        announces more is killed. Raises OSError if no process can be started.
        """
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", module, *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=child_environment({}) if environment is None else environment,
            start_new_session=own_session,
        )
        group = own_session and os.name == "posix"
        kill = partial(os.killpg, process.pid, signal.SIGKILL) if group else process.kill
        return cls(name, process, kill=kill, log_level=log_level, largest=largest)

    @property
    def last_words(self) -> str:
        """The last lines of its stderr, indented to stand below a log message; "" if it wrote nothing."""
        return "".join(f"\n  {line}" for line in self._last_lines)

    async def _pump(self) -> None:
        try:
            while True:
                head, blob = await self._half(), await self._half()
                header = json.loads(head)
                # No queue: the request was given up and the process is about to be killed.
                if (frames := self._received.get(header.get("id", START))) and not self._given_up:
                    await frames.put((header, blob))
        except (asyncio.IncompleteReadError, ConnectionError):
            code = await self._wait()
        except (ValueError, AttributeError):  # it does not keep to the frames
            self._kill()
            code = await self._wait()
        # Its last line says why it ended. A grandchild may hold the pipe open, so do not wait for its end.
        await asyncio.wait((self._logging,), timeout=0.5)
        self._logging.cancel()
        self.death = _describe_end(code, self._last_lines[-1] if self._last_lines else "")
        self._input.close()
        for frames in list(self._received.values()):
            await frames.put(None)

    async def _half(self) -> bytes:
        (length,) = LENGTH.unpack(await self._output.readexactly(LENGTH.size))
        if length > self._largest:
            raise ValueError(f"a frame of {length:,} bytes")
        return await self._output.readexactly(length)

    async def _wait(self) -> int:
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                return await self.process.wait()
        except TimeoutError:
            self._kill()
            return await self.process.wait()

    async def _follow_stderr(self) -> None:
        rest = b""
        while piece := await self._stderr.read(1 << 16):
            *lines, rest = (rest + piece).split(b"\n")
            rest = rest[:LONGEST_LINE]
            for line in lines:
                self._log_line(line)
        self._log_line(rest)

    def _log_line(self, line: bytes) -> None:
        text = _CONTROL.sub(" ", line[:LONGEST_LINE].decode(errors="replace")).rstrip()
        if text:
            self._last_lines.append(text)
            log.log(self._log_level, "%s: %s", self.name, text)

    async def request(self, number: int, body: Header, blob: bytes | Pieces, *, window: int = 0) -> None:
        """Send a request, whose answers can then be received until it is `done`. Raises ChildDied.

        `window`: how many frames may wait to be received, 0 for any number; the child waits meanwhile, with all its
        requests.
        """
        self._received[number] = frames = asyncio.Queue[Frame | None](window)
        if self.death:
            frames.put_nowait(None)
        await self.send({"id": number, "kind": "request", "body": body}, blob)

    def done(self, number: int) -> None:
        """Drop what is still received for a request."""
        self._received.pop(number, None)

    async def send(self, header: Header, blob: bytes | Pieces = b"") -> None:
        """Send one frame, whole even if the sender is cancelled. Raises ChildDied."""
        sending = asyncio.create_task(self._send(header, blob))
        sending.add_done_callback(lambda task: task.cancelled() or task.exception())
        await asyncio.shield(sending)

    async def _send(self, header: Header, blob: bytes | Pieces) -> None:
        try:
            async with self._sending:
                self._input.write(frame_start(header, size_of(blob)))
                async for piece in _pieces(blob):
                    self._input.write(piece)
                    await self._input.drain()
                await self._input.drain()
        except (ConnectionError, RuntimeError) as error:
            raise await self._died() from error

    async def receive(self, number: int = START) -> Frame:
        """The next frame for a request, or what the child says at its start. Raises ChildDied."""
        received = await self._received[number].get()
        if received is None:
            self._received[number].put_nowait(None)
            raise await self._died()
        return received

    async def _died(self) -> ChildDied:
        await asyncio.shield(self._pumping)
        return ChildDied(
            f"The {self.name} process {self.death} in the middle of its work; "
            "it is started again with the next request."
        )

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):  # it has ended; macOS: so has all of its group
            self._end()

    async def kill(self) -> None:
        """Kill the child, with its session if it owns one, and wait until it is gone."""
        self._given_up = True
        self._kill()
        for frames in self._received.values():
            while not frames.empty():
                frames.get_nowait()
        await asyncio.shield(self._pumping)

    async def stop(self) -> None:
        """Close the child's stdin, at which it exits by itself; kill it if that takes longer than `CLOSE_SECONDS`."""
        self._input.close()
        await self._wait()
        await asyncio.shield(self._pumping)


def _describe_end(code: int, last_line: str) -> str:
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}" + (f" ({last_line})" if code and last_line else "")


async def _pieces(blob: bytes | Pieces) -> AsyncIterator[bytes | memoryview]:
    if not isinstance(blob, bytes):
        async for piece in blob.pieces():
            yield piece
        return
    # Given all at once, large ones would be copied as a whole, while nothing else can run.
    for start in range(0, len(blob), PIECE):
        yield memoryview(blob)[start : start + PIECE]
