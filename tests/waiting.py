"""Waiting for what happens in the background; when it does not, the failure says what was awaited."""

import asyncio
import time
from collections.abc import Awaitable, Callable


async def until(condition: Callable[[], Awaitable[object]], awaited: str, seconds: float = 10) -> None:
    """Return once the condition is true. Fails after so many seconds with what was `awaited` and what it was last."""
    end = time.monotonic() + seconds
    while not (last := await condition()):
        assert time.monotonic() < end, f"after {seconds:g} s still not so: {awaited} (last: {last!r})"
        await asyncio.sleep(0.01)
