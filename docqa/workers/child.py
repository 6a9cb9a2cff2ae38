"""A long-lived child process, for libraries that may abort or use much memory; it serves one request at a time or more.

This is the parent's side; `process` is one life of the child, `loop` the child's side. A child exits with its parent,
however the parent ends. The separate process protects the server from crashes and memory use; it is not a sandbox.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any

from docqa.errors import ChildDied, TooLarge, Unavailable
from docqa.workers.environment import child_environment
from docqa.workers.loop import URGENT, Header
from docqa.workers.nursery import Nursery
from docqa.workers.process import Frame, Process

log = logging.getLogger(__name__)

RETRY_SECONDS = 30.0
NURSING = 60.0  # seconds that a child waits for its nursery to be ready


class Child:
    """`python -m module arguments...`, started on first use and restarted after it has died.

    `grace`: seconds an abandoned request may run on before the process is killed. `retry_seconds`: how long a child
    that failed to start is not tried again. `shared`: requests are sent at once, to a child that interleaves them;
    otherwise, as urgent ones always, one at a time, first come, first served. `nursery`: from which it is forked, where
    there can be one. `hello`: what the child said when it was ready.
    """

    def __init__(
        self,
        module: str,
        arguments: list[str],
        *,
        name: str = "",
        grace: float = 1.0,
        retry_seconds: float = RETRY_SECONDS,
        shared: bool = False,
        nursery: Nursery | None = None,
    ) -> None:
        self.name = name or module
        self.hello: Header = {}
        self._command = (module, arguments)
        self._nursery = nursery
        self._grace, self._retry_seconds = grace, retry_seconds
        self._shared, self._turn = shared, asyncio.Lock()
        self._in_hand, self._last_used = 0, time.monotonic()
        self._free = asyncio.Event()  # set while no request is in hand
        self._process: Process | None = None
        self._ending: asyncio.Task[None] | None = None
        self._loading: asyncio.Task[Process] | None = None
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

    @property
    def idle(self) -> float:
        """Seconds since it was ready and its last request was answered; 0 while one is in hand or it does not run."""
        return time.monotonic() - self._last_used if self.state == "ready" and not self._in_hand else 0.0

    async def start(self) -> Header:
        """Start the child unless it runs; returns what it said when ready. Raises Unavailable."""
        await self._running()
        return self.hello

    async def call(self, header: Header, blob: bytes = b"", *, urgent: bool = False) -> Frame:
        """Send one request and return its last answer; a child that is shared serves an `urgent` one before all others.

        Raises ChildDied, or Unavailable or TooLarge with the child's message.
        """
        answer: Frame = ({}, b"")
        async with aclosing(self._exchange(header, blob, urgent)) as items:
            async for answer in items:
                pass
        return answer

    async def stream(self, header: Header) -> AsyncGenerator[Header, None]:
        """Send one request and yield its answers as they come; closing early stops the child's work.

        Raises as `call` does.
        """
        async with aclosing(self._exchange(header, b"", urgent=False)) as items:
            async for answer, _ in items:
                yield answer

    async def rest(self) -> None:
        """End the child once no request is in hand; the next one starts it again."""
        while self._in_hand:
            await self._free.wait()
        process = self._process
        if process and process.ready:
            self._process = None
            self._ending = asyncio.create_task(process.stop())
            await asyncio.shield(self._ending)

    async def close(self) -> None:
        """End the child at once; later requests raise Unavailable."""
        self._closed = True
        if self._process:
            await self._process.stop()
        await asyncio.gather(*self._settling)

    async def _exchange(self, header: Header, blob: bytes, urgent: bool) -> AsyncGenerator[Frame, None]:
        takes_turns = urgent or not self._shared
        if takes_turns:
            await self._turn.acquire()
        self._in_hand += 1
        self._free.clear()
        process: Process | None = None
        number = self._number = self._number + 1
        try:
            process = await self._running()
            await process.request(number, {**header, URGENT: True} if urgent else header, blob)
            while True:
                answer, data = await process.receive(number)
                if answer["kind"] != "item":
                    process.done(number)
                    process = None
                    break
                yield answer["body"], data
            if answer["kind"] == "error":
                raise TooLarge(answer["message"]) if answer["error"] == "TooLarge" else Unavailable(answer["message"])
        except ChildDied:
            process = None
            raise
        finally:
            # A consumer that leaves early is often being cancelled and cannot wait: a task drains the child's answers.
            if process is None:
                self._release(takes_turns)
            else:
                self._settle(self._abandon(process, number, takes_turns))

    def _settle(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)

    async def _abandon(self, process: Process, number: int, takes_turns: bool) -> None:
        try:
            async with asyncio.timeout(self._grace):
                await process.send({"id": number, "kind": "cancel"})
                while (await process.receive(number))[0]["kind"] == "item":
                    pass
        except TimeoutError:
            log.warning("%s did not stop within %.1f s and is killed", self.name, self._grace)
            await process.kill()
        except ChildDied as error:
            log.warning("%s", error)
        finally:
            process.done(number)
            self._release(takes_turns)

    def _release(self, takes_turns: bool) -> None:
        self._in_hand -= 1
        self._last_used = time.monotonic()
        if not self._in_hand:
            self._free.set()
        if takes_turns:
            self._turn.release()

    async def _running(self) -> Process:
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

    async def _load(self) -> Process:
        self._failure = ("", 0.0)
        if self._ending:
            await self._ending  # two processes would need twice the memory
        try:
            self._process = await self._born()
            if self._closed:
                await self._process.stop()
            answer, _ = await self._process.receive()
        except OSError as error:
            raise self._failed(str(error)) from error
        except ChildDied as error:
            raise self._failed(f"it {self._process.death}" if self._process else str(error)) from error
        if answer["kind"] != "ready":
            raise self._failed(answer["message"])
        self._process.ready, self._last_used = True, time.monotonic()
        self.hello = answer["body"]
        return self._process

    async def _born(self) -> Process:
        module, arguments = self._command
        if self._nursery:
            environment = child_environment({})
            self._nursery.start(environment)
            await self._nursery.awaited(NURSING)
            if forked := await self._nursery.fork({"module": module, "arguments": arguments}, environment):
                return Process(self.name, forked)
        return await Process.spawn(self.name, module, arguments)

    def _failed(self, why: str) -> Unavailable:
        self._failure = (f"The {self.name} process could not be started: {why}", time.monotonic())
        return Unavailable(self._failure[0], retry_after=max(1, round(self._retry_seconds)))
