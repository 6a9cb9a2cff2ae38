"""Admission to one model: prompts are read one at a time, in order of arrival, while other answers are written.

Reading a prompt nearly stalls the answers being written, so a prompt is admitted only if no running answer stalls
longer than `patience` in total. Nothing here knows what a model is, nor how long a prompt.
"""

import asyncio
from dataclasses import dataclass

SMOOTHING = 0.3  # weight of the newest time in the moving average


@dataclass(eq=False)
class Slot:
    """One question's place: first `reading`, then writing; `stalled` seconds of which it stood still for others."""

    reading: bool = True
    stalled: float = 0.0


class Admission:
    """The slots of one model. `patience`: seconds that one answer may stall for others."""

    def __init__(self, patience: float) -> None:
        self.slots = 1  # answers in progress at once
        self.reading_seconds = 0.0  # of a prompt, a moving average
        self._patience = patience
        self._turn = asyncio.Lock()  # to read
        self._taken: list[Slot] = []
        self._changed = asyncio.Event()

    async def acquire(self) -> Slot:
        """A slot, with the turn to read; the caller has to `release` it."""
        await self._turn.acquire()
        try:
            while self._taken and not self._has_room():
                self._changed.clear()
                await self._changed.wait()
        except asyncio.CancelledError:
            self._turn.release()
            raise
        slot = Slot()
        self._taken.append(slot)
        return slot

    def prompt_read(self, slot: Slot, seconds: float) -> None:
        """Pass the turn to read on; reading took `seconds`, for which the other answers stalled."""
        self.reading_seconds += SMOOTHING * (seconds - self.reading_seconds)
        for other in self._taken:
            if other is not slot:
                other.stalled += seconds
        self._pass_on(slot)

    def release(self, slot: Slot) -> None:
        """Free the slot, and the turn to read if it still has it."""
        self._taken.remove(slot)
        self._pass_on(slot)

    def _pass_on(self, slot: Slot) -> None:
        if slot.reading:
            slot.reading = False
            self._turn.release()
        self._changed.set()

    def _has_room(self) -> bool:
        longest_stall = max(slot.stalled for slot in self._taken)
        return len(self._taken) < self.slots and self.reading_seconds + longest_stall <= self._patience
