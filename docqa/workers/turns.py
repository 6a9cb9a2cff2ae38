"""Whose turn it is: a lock with two priorities, and turns that go round those who want them."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

LINGER = 0.15  # seconds that the lock is kept for the next urgent call: between two of one chat lie some hundredths
PATIENCE = 2.0  # seconds after which nobody lingers at the cost of the one who has waited so long


class Turns:
    """A lock that urgent waiters get before the others; first come, first served within each.

    After an urgent holder it lingers a moment before it goes to another waiter: the next urgent one is likely at hand,
    and would wait for the whole work of that one. (Anticipatory scheduling: Iyer and Druschel, SOSP 2001, for disks.)
    """

    def __init__(self) -> None:
        self._taken = False
        self._is_urgent = False  # the holder
        self._lingering: asyncio.TimerHandle | None = None
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._others: deque[tuple[asyncio.Future[None], float]] = deque()  # with the time until which they are patient

    async def acquire(self, urgent: bool = False) -> None:
        """Wait for the lock; an `urgent` waiter overtakes those that are not."""
        if urgent and self._lingering:
            self._stop_lingering()
        elif self._taken:
            await self._wait(urgent)
        self._taken, self._is_urgent = True, urgent

    async def _wait(self, urgent: bool) -> None:
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        if urgent:
            self._urgent.append(turn)
        else:
            self._others.append((turn, loop.time() + PATIENCE))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()  # the lock was handed over just before the cancellation
            raise

    def release(self) -> None:
        """Hand the lock to the next waiter, or free it."""
        while self._urgent:
            turn = self._urgent.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        loop = asyncio.get_running_loop()
        if self._is_urgent and (not self._others or loop.time() < self._others[0][1]):
            self._lingering = loop.call_later(LINGER, self._hand_to_others)
        else:
            self._hand_to_others()

    def _hand_to_others(self) -> None:
        self._stop_lingering()
        while self._others:
            turn, _ = self._others.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False

    def _stop_lingering(self) -> None:
        if self._lingering:
            self._lingering.cancel()
            self._lingering = None


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
