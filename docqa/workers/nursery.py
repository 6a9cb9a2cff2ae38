"""Processes that are forked from one that has imported everything, the server's side; `forking` is the other one.

A child started by itself takes 0.7 s of a processor until it has imported what it needs, a forked one some
milliseconds. Linux only, where a process with one thread can be forked without fear; whoever gets no child here starts
one by itself.
"""

import asyncio
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Any

from docqa.workers.forking import READY, STATUS

log = logging.getLogger(__name__)

_PAUSE = 0.02  # seconds between two looks whether it is ready
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Forked:
    """A forked process, in the words of `asyncio.subprocess.Process`. `life` is the line on which the nursery tells how
    it ended, and is told which signals to send it."""

    def __init__(self, talk: Stream, stderr: asyncio.StreamReader, life: Stream) -> None:
        self.stdout, self.stdin = talk
        self.stderr = stderr
        self._end, self._order = life
        self._ended = asyncio.create_task(self._follow())

    async def wait(self) -> int:
        """Its exit code, or the number of the signal that ended it, below zero."""
        return await asyncio.shield(self._ended)

    def kill(self) -> None:
        """Have it killed with its session, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Have the signal sent to it and its session, unless it has ended."""
        if not self._ended.done():
            self._order.write(bytes([number]))

    async def _follow(self) -> int:
        try:
            code, seconds, kilobytes = STATUS.unpack(await self._end.readexactly(STATUS.size))
            log.debug("A child took %.2f s of a processor and %d MB.", seconds, kilobytes // 1024)
        except (asyncio.IncompleteReadError, ConnectionError):
            code = -signal.SIGKILL  # the nursery has ended, and its children with it
        finally:
            self._order.close()
        return int(code)


class Nursery:
    """`python -m module`, from which children are forked.

    It ends when nothing was asked of it for a while, and with this process, however that ends. It belongs to the
    process, not to an event loop.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._ready = False

    @property
    def runs(self) -> bool:
        """Whether it has been started, and has not ended."""
        return self._process is not None and self._process.poll() is None

    @property
    def ready(self) -> bool:
        """Whether children can be forked from it."""
        if not self._ready and self._control:
            with suppress(BlockingIOError):
                self._ready = self._control.recv(len(READY)) == READY
        return self._ready

    def start(self, environment: Mapping[str, str]) -> None:
        """Start it unless it runs, or could not; it is ready a second later. Raises OSError."""
        if sys.platform != "linux" or self.runs or (self._process and self._process.returncode):
            return
        self.close()
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        control.setblocking(False)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", self._module, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=True,
            )
        self._control = control

    async def awaited(self, seconds: float) -> None:
        """Wait while it is being started, for as long at most."""
        end = time.monotonic() + seconds
        while self.runs and not self.ready and time.monotonic() < end:
            await asyncio.sleep(_PAUSE)

    def close(self) -> None:
        """End it, and its children with it."""
        if self._control:
            self._control.close()
        if self._process:
            self._process.kill()
            self._process.wait()
        self._process = self._control = None
        self._ready = False

    async def fork(self, request: Mapping[str, Any], environment: Mapping[str, str]) -> Forked | None:
        """A child that runs `request` in this environment; None if none can be had at once. Raises OSError."""
        self.start(environment)
        if self._control is None or not self.ready:
            return None
        with ExitStack() as ours:
            talk, life = socket.socketpair(), socket.socketpair()
            stderr, their_stderr = os.pipe()
            errors = ours.enter_context(os.fdopen(stderr, "rb", buffering=0))
            ours.enter_context(talk[0])
            ours.enter_context(life[0])
            with talk[1], life[1], os.fdopen(their_stderr, "wb", buffering=0):
                message = json.dumps({"request": request, "environment": dict(environment)}).encode()
                try:
                    socket.send_fds(self._control, [message], [talk[1].fileno(), their_stderr, life[1].fileno()])
                except OSError:  # it has just ended, or cannot take more at the moment
                    return None
            line = await asyncio.open_connection(sock=life[0])
            words = await asyncio.open_connection(sock=talk[0])
            reader = asyncio.StreamReader()
            await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), errors)
            ours.pop_all()
        return Forked(words, reader, line)
