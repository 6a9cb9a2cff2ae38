"""Who may ask one model now: prompts are read one at a time, first come, first served, beside the answers that are being written.

While a prompt is read, those who write hardly get on; so nobody begins to read who would cost one of them more than its patience. What a model is, and how
long a prompt, is not known here.
"""

import asyncio
from dataclasses import dataclass

from docqa.workers.turns import Turns

SMOOTHING = 0.3  # weight of the newest time among the earlier ones


@dataclass(eq=False)
class Place:
    """One question's: it reads, then writes; `waited` are the seconds that it stood still for others."""

    reads: bool = True
    waited: float = 0.0


class Admission:
    """Places of one model, as many as `number` says. `patience` are the seconds that one answer may stand still for others."""

    def __init__(self, patience: float) -> None:
        self.number = 1
        self.reading_seconds = 0.0  # that a prompt takes of late
        self._patience = patience
        self._turns = Turns()
        self._taken: list[Place] = []
        self._changed = asyncio.Event()

    async def take(self) -> Place:
        """A place, with the turn to read. It has to be left."""
        await self._turns.acquire()
        try:
            while self._taken and not self._has_room():
                self._changed.clear()
                await self._changed.wait()
        except asyncio.CancelledError:
            self._turns.release()
            raise
        place = Place()
        self._taken.append(place)
        return place

    def has_read(self, place: Place, seconds: float) -> None:
        """Give the turn to read to the next; it took so many seconds."""
        self.reading_seconds += SMOOTHING * (seconds - self.reading_seconds)
        for other in self._taken:
            if other is not place:
                other.waited += seconds
        self._read(place)

    def leave(self, place: Place) -> None:
        self._taken.remove(place)
        self._read(place)

    def _read(self, place: Place) -> None:
        if place.reads:
            place.reads = False
            self._turns.release()
        self._changed.set()

    def _has_room(self) -> bool:
        return (
            len(self._taken) < self.number
            and self.reading_seconds + max(place.waited for place in self._taken) <= self._patience
        )
