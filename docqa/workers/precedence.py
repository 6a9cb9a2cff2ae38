"""Who goes first: processes that stop while something more urgent is worked on.

Niceness alone leaves them a share of the processor, and its cache, and two of them on two cores doubled the time of an
answer.
"""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

LONGEST = 0.5  # seconds that they stop at a time: what takes longer mostly waits for a model


class Stoppable(Protocol):
    """What is needed of a process."""

    def send_signal(self, number: int, /) -> None:
        """Send it a signal; may raise ProcessLookupError."""


class Precedence:
    """Stops processes while something urgent is at work (POSIX), `longest` seconds at most. Then they go on for as long
    as they stopped: who always asks gets half of the time."""

    def __init__(self, longest: float = LONGEST) -> None:
        self._longest = longest
        self._processes: set[Stoppable] = set()
        self._urgent = 0  # that are at work
        self._not_before = 0.0  # they stop again
        self._stopped: asyncio.TimerHandle | None = None  # has them go on at last, while they are

    @contextmanager
    def urgent(self) -> Iterator[None]:
        """The block is urgent."""
        self._urgent += 1
        self._stop()
        try:
            yield
        finally:
            self._urgent -= 1
            if not self._urgent:
                self._go_on()

    @contextmanager
    def stops(self, process: Stoppable) -> Iterator[None]:
        """Meanwhile the process stops for what is urgent."""
        self._processes.add(process)
        if self._stopped is not None:
            _send(process, "SIGSTOP")
        try:
            yield
        finally:
            self._processes.discard(process)

    def _stop(self) -> None:
        loop = asyncio.get_running_loop()
        if self._stopped is None and loop.time() >= self._not_before:
            self._stopped = loop.call_later(self._longest, self._go_on)
            for process in self._processes:
                _send(process, "SIGSTOP")

    def _go_on(self) -> None:
        if self._stopped is None:
            return
        now, since = asyncio.get_running_loop().time(), self._stopped.when() - self._longest
        self._stopped.cancel()
        self._not_before = now + (now - since)
        self._stopped = None
        for process in self._processes:
            _send(process, "SIGCONT")


def _send(process: Stoppable, name: str) -> None:
    if number := getattr(signal, name, None):  # Windows has neither
        with suppress(ProcessLookupError):
            process.send_signal(number)
