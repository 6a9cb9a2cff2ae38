"""The nursery's own side of `nursery`: it forks children, sends them signals as it is told, and says how each ended.

It never sees a file: what is hostile reaches the children only.
"""

import json
import os
import selectors
import signal
import socket
import struct
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from docqa.workers.loop import PARENT
from docqa.workers.sandbox import die_with_parent

READY = b"ready"
# How a child ended: its exit code, or the number of the signal below zero; seconds of a processor; most kB of memory.
STATUS = struct.Struct("<ddd")
IDLE_SECONDS = 60.0  # without a child, after which the nursery ends: it holds up to 85 MB, and saves half a second
_LARGEST = 1 << 20  # bytes of a request with its environment
_MOST_SIGNALS = 64  # at a time

Run = Callable[[Mapping[str, Any]], None]


def serve_forks(control: socket.socket, run: Run, idle: float = IDLE_SECONDS) -> None:
    """Fork a child that calls `run` with each request that comes, until the server is gone or nothing was asked and no
    child lived for `idle` seconds. Raises OSError where the system has no descriptors of processes."""
    assert threading.active_count() == 1, "what another thread has locked would stay locked in a child"
    os.close(os.pidfd_open(os.getpid()))
    Forks(control, run).serve(idle)


class Forks:
    """The children that live; each has a line to the server, by process id."""

    def __init__(self, control: socket.socket, run: Run) -> None:
        self._control, self._run = control, run
        self._selector = selectors.DefaultSelector()
        self._lines: dict[int, socket.socket] = {}
        self._open = True

    def serve(self, idle: float) -> None:
        """As `serve_forks`."""
        self._selector.register(self._control, selectors.EVENT_READ, self._take)
        with suppress(BrokenPipeError):  # the server has gone; it is seen below
            self._control.send(READY)
        while self._open or self._lines:
            events = self._selector.select(None if self._lines else idle)
            for key, _ in events:
                key.data()
            if not events:
                self._control.shutdown(socket.SHUT_RD)  # what comes from now on is refused, what has come is done

    def _take(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._control, _LARGEST, 3)
        if not message:
            self._open = False
            self._selector.unregister(self._control)
            return
        talk, stderr, life = descriptors
        line = socket.socket(fileno=life)
        own = os.getpid()
        pid = os.fork()
        if not pid:
            self._be_child(own, json.loads(message), (talk, talk, stderr))
        os.close(talk)
        os.close(stderr)
        self._lines[pid] = line
        self._selector.register(line, selectors.EVENT_READ, lambda: self._obey(pid))
        ending = os.pidfd_open(pid)
        self._selector.register(ending, selectors.EVENT_READ, lambda: self._bury(pid, ending))

    def _be_child(self, nursery: int, message: Mapping[str, Any], standard: tuple[int, ...]) -> NoReturn:
        try:
            die_with_parent(nursery)
            os.setsid()
            for number, descriptor in enumerate(standard):
                os.dup2(descriptor, number)
            os.closerange(3, 1 + max(map(int, os.listdir("/proc/self/fd"))))
            os.environ.clear()
            os.environ.update(message["environment"], **{PARENT: str(nursery)})
            self._run(message["request"])
        except BaseException:  # noqa: BLE001 - a child must not go on as a second nursery
            traceback.print_exc()
        os._exit(1)

    def _obey(self, pid: int) -> None:
        """Send a child the signals whose numbers come, a byte each; kill it if the server is gone or leaves it."""
        if (line := self._lines.get(pid)) is None:
            return  # it has ended meanwhile
        try:
            numbers = line.recv(_MOST_SIGNALS)
        except ConnectionError:
            numbers = b""
        if not numbers:
            self._selector.unregister(line)
        for number in numbers or bytes([signal.SIGKILL]):
            self._signal(pid, number)

    def _bury(self, pid: int, ending: int) -> None:
        self._signal(pid, signal.SIGKILL)  # what it has started, while its number is not given to another
        _, status, used = os.wait4(pid, 0)
        self._selector.unregister(ending)
        os.close(ending)
        with self._lines.pop(pid) as line:
            with suppress(KeyError):
                self._selector.unregister(line)
            with suppress(OSError):  # nobody follows it any more
                seconds = used.ru_utime + used.ru_stime
                line.send(STATUS.pack(os.waitstatus_to_exitcode(status), seconds, used.ru_maxrss))

    @staticmethod
    def _signal(pid: int, number: int) -> None:
        """To its session, too."""
        try:
            os.killpg(pid, number)
        except ProcessLookupError:  # it leads none yet
            os.kill(pid, number)
