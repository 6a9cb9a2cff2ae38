"""Waiting for a state, in tests of what happens in another process."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


async def until(condition: Callable[[], object], awaited: str, seconds: float = 20.0) -> None:
    """Return as soon as `condition` is true; fail with what was `awaited` if it is not within `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"waited {seconds:g} s in vain: {awaited}") from None


def lives(pid: int) -> bool:
    """Whether a process still runs; one that only waits to be reaped does not."""
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not stat.exists() or stat.read_text().split()[2] != "Z"
    return False
