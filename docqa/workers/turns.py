"""Whose turn it is: turns that go round those who want them."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class FairTurns:
    """`at_once` turns, of which one party, known by a number, has at most `of_one` at a time.

    Who waits gets the next free one in order of the parties, not of arrival: one with many waiting requests delays
    another's by one of them at most. First come, first served within a party.
    """

    def __init__(self, at_once: int, of_one: int | None = None) -> None:
        self.at_once = at_once
        self._of_one = of_one or at_once
        self._taken: Counter[int] = Counter()
        self._waiting: dict[int, deque[asyncio.Future[None]]] = {}  # the party that had a turn last comes last

    @property
    def free(self) -> int:
        """How many turns nobody has."""
        return self.at_once - self._taken.total()

    @asynccontextmanager
    async def turn(self, party: int) -> AsyncIterator[None]:
        """Wait for a turn of this party, and pass it on at the end."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(party, deque()).append(turn)
        self._hand_out()
        try:
            await turn
            yield
        finally:
            if turn.done() and not turn.cancelled():
                self._taken[party] -= 1
                self._taken += Counter()  # drops those that have none
            self._hand_out()

    def _hand_out(self) -> None:
        while self._taken.total() < self.at_once and (party := self._next()) is not None:
            waiting = self._waiting.pop(party)
            turn = waiting.popleft()
            if waiting:
                self._waiting[party] = waiting
            if not turn.cancelled():
                turn.set_result(None)
                self._taken[party] += 1

    def _next(self) -> int | None:
        return next((party for party in self._waiting if self._taken[party] < self._of_one), None)
