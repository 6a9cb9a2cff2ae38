"""Whether an excerpt answers a question, by a larger encoder than the reader's: the server's side.

The reader takes the likeliest words even where they answer another question; the verifier reads the best excerpts once
more. `verifier_child` is the process that holds it.
"""

import logging
from collections.abc import Sequence
from pathlib import Path

from docqa.models.embedder import NURSERY, readings_of
from docqa.models.reader import Reading, TrainedPart
from docqa.workers.child import Child

log = logging.getLogger(__name__)

LEAST, MOST = 2, 6  # excerpts of one question


class Verifier:
    """The encoder in the folder `model_dir` with the trained part that belongs to it; in the file `measured` is kept
    which precision was the fastest, and in the folder `kept_in` its matrices in eight bits."""

    rests = False  # whether it was unloaded because nobody asked it

    def __init__(
        self, model_dir: Path, part: TrainedPart, measured: Path | None = None, kept_in: Path | None = None
    ) -> None:
        self.languages = part.languages
        self._excerpts = MOST
        # A few excerpts are read at a time, and reading cannot be aborted.
        self._child = Child(
            "docqa.models.verifier_child",
            [str(model_dir), str(part.path), str(measured or ""), str(kept_in or "")],
            name="verifier",
            grace=30.0,
            nursery=NURSERY,
        )

    @property
    def state(self) -> str:
        """As that of an embedder."""
        state = self._child.state
        return "resting" if self.rests and state == "stopped" else state

    @property
    def ready(self) -> bool:
        """Whether the model is loaded."""
        return self.state == "ready"

    @property
    def excerpts(self) -> int:
        """How many excerpts it reads in a fraction of a second on this machine, 2 to 6."""
        return max(LEAST, min(MOST, self._excerpts))

    @property
    def idle(self) -> float:
        """Seconds since it was last asked; 0 while it is not loaded."""
        return self._child.idle

    async def rest(self) -> None:
        """Unload the model until it is loaded again; what is in hand is finished first."""
        await self._child.rest()
        self.rests = True

    async def load(self) -> None:
        """Load the model if it is not loaded. Raises Unavailable."""
        hello = await self._child.start()
        self._excerpts, self.rests = int(hello["excerpts"]), False
        log.info("The verifier is ready: %s", hello)

    async def readings(self, question: str, excerpts: Sequence[str]) -> list[Reading]:
        """For each excerpt its likeliest spans, best first, and what it says to a yes/no question. Raises
        Unavailable."""
        answer, _ = await self._child.call({"question": question, "excerpts": list(excerpts)}, urgent=True)
        self._excerpts = int(answer["excerpts"])
        return readings_of(answer)

    async def close(self) -> None:
        """Unload the model for good."""
        await self._child.close()
