"""A child that was started before it is needed: who leafs through a document does not wait for it to start.

It has seen no file, and gets one only: each page is drawn in a process of its own.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from docqa.workers.process import Process

SECONDS = 60.0  # that it waits for the next page; it takes some 90 MB meanwhile


class Spare:
    """The next child of those that `start` starts; there is none before the first use."""

    def __init__(self, start: Callable[[], AbstractAsyncContextManager[Process]], seconds: float = SECONDS) -> None:
        self._start, self._seconds = start, seconds
        self._waiting: tuple[AsyncExitStack, Process] | None = None
        self._holding: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def child(self) -> AsyncIterator[Process]:
        """A child, ended at the end. Raises as `start` does."""
        async with AsyncExitStack() as stack:
            process = await self._take(stack)
            try:
                yield process
            finally:
                self._renew()

    async def close(self) -> None:
        """End the child that waits."""
        if self._holding and not self._holding.done():
            self._holding.cancel()
            await asyncio.wait((self._holding,))

    async def _take(self, stack: AsyncExitStack) -> Process:
        waiting, self._waiting = self._waiting, None
        if waiting:
            assert self._holding
            self._holding.cancel()
            self._holding = None
            await stack.enter_async_context(waiting[0])
            if not waiting[1].death:
                return waiting[1]
        return await stack.enter_async_context(self._start())

    def _renew(self) -> None:
        if self._holding is None or self._holding.done():
            self._holding = asyncio.create_task(self._hold(), name="spare child")

    async def _hold(self) -> None:
        async with AsyncExitStack() as stack:
            process = await stack.enter_async_context(self._start())
            own = self._waiting = stack.pop_all(), process
        try:
            await asyncio.sleep(self._seconds)
        finally:
            if self._waiting is own:
                self._waiting = None
                await own[0].aclose()
