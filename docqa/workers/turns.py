"""Who may go next: a lock for something that serves one at a time. It does not know what is served."""

import asyncio
from collections import deque


class Turns:
    """A lock that lets urgent takers pass the others; fair among equals."""

    def __init__(self) -> None:
        self._taken = False
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    async def take(self, urgent: bool = False) -> None:
        if not self._taken:
            self._taken = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._urgent if urgent else self._others).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give()  # handed over in the same moment
            raise

    def give(self) -> None:
        for waiting in (self._urgent, self._others):
            while waiting:
                turn = waiting.popleft()
                if not turn.done():
                    turn.set_result(None)
                    return
        self._taken = False
