"""How many requests are in hand: beyond it a request is refused at once, before its body is read.

What is refused costs nothing and says when to ask again; what is let in is served.
"""

import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from docqa.errors import Busy
from docqa.settings import Settings
from docqa.workers.turns import FairTurns

SMOOTHING = 0.3  # weight of the newest time in the moving average
LONGEST_WAIT = 60  # seconds that a client is told to wait at most


class Lane:
    """Requests of one kind. Of one account `most` may be in hand; with `turns` only some of those are worked on, in
    turns of the accounts. `what` names them in a sentence."""

    def __init__(self, what: str, most: int, turns: FairTurns | None = None) -> None:
        self._what, self._most, self._turns = what, most, turns
        self.in_hand: Counter[int] = Counter()  # by account
        self._seconds = 1.0  # that one takes, a moving average

    @contextmanager
    def place(self, account: int) -> Iterator[None]:
        """A place for one request of the account, from before its body is read until its answer is sent. Raises
        Busy."""
        if self.in_hand[account] >= self._most:
            at_once = self._turns.at_once if self._turns else self._most
            wait = min(LONGEST_WAIT, math.ceil(self._seconds * (1 + self._most / at_once) / 2))
            raise Busy(
                f"{self._most} {self._what} of this account are in hand, the most at a time. Try again in {wait} s.",
                wait,
            )
        self.in_hand[account] += 1
        try:
            yield
        finally:
            self.in_hand[account] -= 1
            if not self.in_hand[account]:
                del self.in_hand[account]

    @property
    def takes_turns(self) -> bool:
        """Whether requests wait for a `turn` to be worked on."""
        return self._turns is not None

    @asynccontextmanager
    async def turn(self, account: int) -> AsyncIterator[None]:
        """The request's turn to be worked on, which lasts until its answer is sent."""
        assert self._turns is not None
        async with self._turns.turn(account):
            started = time.monotonic()
            try:
                yield
            finally:
                self._seconds += SMOOTHING * (time.monotonic() - started - self._seconds)


class Lanes:
    """Every request of an account counts among its `requests`; those of a kind that takes time are in a lane besides:
    `chats`, which take turns, and `uploads` and `pictures`, which take them where files are read and pages drawn."""

    def __init__(self, settings: Settings) -> None:
        parallel = settings.chat_parallel
        # One account's slow answers must not keep all others from theirs.
        turns = FairTurns(parallel, max(1, parallel * 3 // 4))
        self.requests = Lane("requests", settings.account_requests)
        self.chats = Lane("questions", parallel + settings.chat_queue, turns)
        self.copies = FairTurns(1)  # of files out of the database: each keeps one of its few readers meanwhile
        self.uploads = Lane("uploads", settings.extract_parallel + settings.extract_queue)
        self.pictures = Lane("pictures of pages", settings.extract_parallel + settings.extract_queue)

    def of(self, kind: str) -> list[Lane]:
        """The lanes of an endpoint's kind: `chats`, `uploads`, `pictures`, or "" for any other."""
        kinds = {"chats": [self.chats], "uploads": [self.uploads], "pictures": [self.pictures], "": []}
        return [self.requests, *kinds[kind]]
