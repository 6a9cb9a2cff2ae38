"""A long-lived child process that serves one request at a time, for libraries that may abort or eat memory.

This is the parent's side; `worker` is the child's. A child ends with its parent, however that ends. A process of its own
keeps a crash and its memory away from the server; it does not keep the library from the machine.
"""

import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

from docqa.errors import ChildDied, TooLarge, Unavailable
from docqa.provider_keys import without_keys
from docqa.turns import Turns
from docqa.worker import LENGTH, Header, frame

log = logging.getLogger(__name__)

ROOT = str(Path(__file__).resolve().parent.parent)
RETRY_SECONDS = 30.0
CLOSE_SECONDS = 2.0


class _Process:
    """One life of a child: frames out and in, its log lines, and how it ended."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.name = name
        self.process = process
        self.ready = False
        self.death = ""
        self._input, self._output, self._log = process.stdin, process.stdout, process.stderr
        # Frames are read by a task of their own: a receiver that is cancelled must not leave half a frame behind.
        self._frames: asyncio.Queue[tuple[Header, bytes] | None] = asyncio.Queue()
        self._last_words = ""
        self._logging = asyncio.create_task(self._follow_log())
        self._pumping = asyncio.create_task(self._pump())

    @classmethod
    async def spawn(cls, name: str, module: str, arguments: list[str]) -> "_Process":
        path = os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH"))))
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
                self._frames.put_nowait((json.loads(head), blob))
        except (asyncio.IncompleteReadError, ConnectionError):
            code = await self._wait()
        # Its last line says why it ended. A grandchild may hold the pipe open, so do not wait for its end.
        await asyncio.wait((self._logging,), timeout=0.5)
        self._logging.cancel()
        self.death = _describe_end(code, self._last_words)
        self._frames.put_nowait(None)

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

    async def send(self, header: Header, blob: bytes = b"") -> None:
        """Send one frame, whole even if the sender is cancelled. Raises ChildDied."""
        try:
            self._input.write(frame(header, blob))
            await self._input.drain()
        except (ConnectionError, RuntimeError) as error:
            raise await self._died() from error

    async def receive(self) -> tuple[Header, bytes]:
        """The next frame. Raises ChildDied."""
        received = await self._frames.get()
        if received is None:
            self._frames.put_nowait(None)
            raise await self._died()
        return received

    async def _died(self) -> ChildDied:
        await asyncio.shield(self._pumping)
        return ChildDied(f"The {self.name} process {self.death} in the middle of its work; it is started again with the next request.")

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


class Child:
    """`python -m module arguments...`, started on first use and again after it died.

    `grace`: seconds an abandoned request may go on before the process is killed. `hello`: what the child said when ready.
    """

    def __init__(self, module: str, arguments: list[str], *, name: str = "", grace: float = 1.0, retry_seconds: float = RETRY_SECONDS) -> None:
        self.name = name or module
        self.hello: Header = {}
        self._command = (module, arguments)
        self._grace, self._retry_seconds = grace, retry_seconds
        self._turns = Turns()
        self._process: _Process | None = None
        self._loading: asyncio.Task[_Process] | None = None
        self._failure = ("", 0.0)
        self._settling: set[asyncio.Task[None]] = set()
        self._number = 0
        self._closed = False

    @property
    def state(self) -> str:
        """`stopped`, `loading`, `ready` or `failed: why`."""
        if self._loading and not self._loading.done():
            return "loading"
        if self._closed or not (self._process or self._failure[0]):
            return "stopped"
        if self._process and self._process.ready and not self._process.death:
            return "ready"
        return f"failed: {self._failure[0] or (self._process.death if self._process else '')}"

    async def start(self) -> Header:
        """Start the child if it does not run; what it said when ready. Raises Unavailable."""
        await self._running()
        return self.hello

    async def call(self, header: Header, blob: bytes = b"", *, urgent: bool = False) -> tuple[Header, bytes]:
        """One request, one answer. Raises ChildDied, or Unavailable or TooLarge with the child's sentence."""
        answer: tuple[Header, bytes] = ({}, b"")
        async with aclosing(self._exchange(header, blob, urgent)) as items:
            async for answer in items:
                pass
        return answer

    async def stream(self, header: Header, *, urgent: bool = False) -> AsyncGenerator[Header, None]:
        """One request, many answers, as they come; leaving early stops the child's work. Raises as `call` does."""
        async with aclosing(self._exchange(header, b"", urgent)) as items:
            async for answer, _ in items:
                yield answer

    async def rest(self) -> None:
        """End the child between two requests; the next one starts it again."""
        await self._turns.take()
        try:
            if self._process and self._process.ready:
                process, self._process = self._process, None
                await process.stop()
        finally:
            self._turns.give()

    async def close(self) -> None:
        """End the child; later requests get Unavailable."""
        self._closed = True
        if self._process:
            await self._process.stop()
        await asyncio.gather(*self._settling)

    async def _exchange(self, header: Header, blob: bytes, urgent: bool) -> AsyncGenerator[tuple[Header, bytes], None]:
        await self._turns.take(urgent)
        process: _Process | None = None
        number = self._number = self._number + 1
        try:
            process = await self._running()
            await process.send({"id": number, "kind": "request", "body": header}, blob)
            while True:
                answer, data = await process.receive()
                if answer["kind"] != "item":
                    process = None
                    break
                yield answer["body"], data
            if answer["kind"] == "error":
                raise TooLarge(answer["message"]) if answer["error"] == "TooLarge" else Unavailable(answer["message"])
        except ChildDied:
            process = None
            raise
        finally:
            # A consumer that leaves is often being cancelled and cannot wait: a task of its own brings the child back in step.
            if process is None:
                self._turns.give()
            else:
                self._settle(self._abandon(process, number))

    def _settle(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)

    async def _abandon(self, process: _Process, number: int) -> None:
        try:
            async with asyncio.timeout(self._grace):
                await process.send({"id": number, "kind": "cancel"})
                while (await process.receive())[0]["kind"] == "item":
                    pass
        except TimeoutError:
            log.warning("%s did not stop within %.1f s and is started afresh", self.name, self._grace)
            await process.kill()
        except ChildDied as error:
            log.warning("%s", error)
        finally:
            self._turns.give()

    async def _running(self) -> _Process:
        if self._closed:
            raise Unavailable("The server is being stopped.")
        if self._process and self._process.ready and not self._process.death:
            return self._process
        why, since = self._failure
        left = self._retry_seconds - (time.monotonic() - since)
        if why and left > 0:
            raise Unavailable(why, retry_after=max(1, round(left)))
        if self._loading is None or self._loading.done():
            self._loading = asyncio.create_task(self._load())
            self._loading.add_done_callback(lambda task: task.cancelled() or task.exception())
        return await asyncio.shield(self._loading)

    async def _load(self) -> _Process:
        self._failure = ("", 0.0)
        try:
            self._process = await _Process.spawn(self.name, *self._command)
            if self._closed:
                await self._process.stop()
            answer, _ = await self._process.receive()
        except OSError as error:
            raise self._failed(str(error)) from error
        except ChildDied as error:
            raise self._failed(f"it {self._process.death}" if self._process else str(error)) from error
        if answer["kind"] != "ready":
            raise self._failed(answer["message"])
        self._process.ready = True
        self.hello = answer["body"]
        return self._process

    def _failed(self, why: str) -> Unavailable:
        self._failure = (f"The {self.name} process could not be started: {why}", time.monotonic())
        return Unavailable(self._failure[0], retry_after=max(1, round(self._retry_seconds)))
