"""Waiting for a state that another task or process reaches, and looking at such a process."""

import asyncio
import inspect
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 30.0  # seconds: far more than any awaited state takes, even on a busy machine


async def until(
    condition: Callable[[], object | Awaitable[object]], awaited: str, seconds: float = PATIENCE, pause: float = 0.02
) -> None:
    """Poll `condition` until it holds, after each `pause`. Raises AssertionError naming what was `awaited`."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while loop.time() < end:
        result = condition()
        if await result if inspect.isawaitable(result) else result:
            return
        await asyncio.sleep(pause)
    raise AssertionError(f"waited {seconds:g} s in vain: {awaited}")


async def happens(event: asyncio.Event, awaited: str, seconds: float = PATIENCE) -> None:
    """Wait for an event. Raises AssertionError naming what was `awaited`."""
    await until(event.is_set, awaited, seconds)


def can_fork() -> bool:
    """Whether readers can be forked here, as `docqa.workers.forking` does it."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return sys.platform == "linux"


def resident_mb(pid: int) -> float:
    """The resident memory of a process, without its children's."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def lives(pid: int) -> bool:
    """Whether a process still runs; one that only waits to be reaped does not."""
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return _state(pid) != "Z"
    return False


def stopped(pid: int) -> bool:
    """Whether a process stands still, by a signal; Linux only."""
    return _state(pid) == "T"


def _state(pid: int) -> str:
    """The letter that Linux gives the state of a process; "" elsewhere."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.read_text().rpartition(")")[2].split()[0] if stat.exists() else ""


def children_of(pid: int) -> list[int]:
    """The processes that the main thread of a process has started and not yet seen end; Linux only."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def readers_of(pid: int) -> list[int]:
    """The processes that read files for a server, or this one: its own children, or those of its nursery."""
    readers: list[int] = []
    for child in children_of(pid):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            command = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if b"docqa.ingest.nursery" in command:
                readers += children_of(child)
            elif b"docqa.ingest" in command:
                readers.append(child)
    return readers
