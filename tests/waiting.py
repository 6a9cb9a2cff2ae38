"""Waits for a state that another task or process reaches, and fails with what was awaited."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable

PATIENCE = 30.0  # seconds: far more than any awaited state takes, even on a busy machine


async def until(condition: Callable[[], bool | Awaitable[bool]], awaited: str, seconds: float = PATIENCE) -> None:
    """Poll `condition` until it holds. Raises AssertionError naming what was `awaited`."""
    for _ in range(int(seconds / 0.02)):
        result = condition()
        if await result if inspect.isawaitable(result) else result:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"within {seconds:g} s it did not happen that {awaited}")


async def happens(event: asyncio.Event, awaited: str, seconds: float = PATIENCE) -> None:
    """Wait for an event. Raises AssertionError naming what was `awaited`."""
    await until(event.is_set, awaited, seconds)
