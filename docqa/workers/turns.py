"""A lock with two priorities, for something that serves one request at a time."""

import asyncio
from collections import deque


class Turns:
    """A lock that urgent waiters get before the others; first come, first served within each."""

    def __init__(self) -> None:
        self._taken = False
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    async def acquire(self, urgent: bool = False) -> None:
        """Wait for the lock; an `urgent` waiter overtakes those that are not."""
        if not self._taken:
            self._taken = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._urgent if urgent else self._others).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()  # the lock was handed over just before the cancellation
            raise

    def release(self) -> None:
        """Hand the lock to the next waiter, or free it."""
        for waiting in (self._urgent, self._others):
            while waiting:
                turn = waiting.popleft()
                if not turn.done():
                    turn.set_result(None)
                    return
        self._taken = False
