"""The process of the verifier: python -m docqa.models.verifier_child DIR FILE MEASURED KEPT"""

import math
import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from docqa.catalog.machine import find_machine
from docqa.models.embedder_child import ENVIRONMENT
from docqa.models.measured import circumstances, keep, kept
from docqa.models.reader import LONGEST_EXCERPT, Reading
from docqa.workers.heap import give_back, keep_one_heap
from docqa.workers.loop import Answers, Header, Loaded, serve
from docqa.workers.sandbox import BEHIND_SERVER, step_back

if TYPE_CHECKING:
    from docqa.models.reader.network import Reader

SECONDS = 0.3  # that reading may take
SAMPLE = (
    "How long does a charged battery last?",
    ["The lamp is charged with the cable in the box. A charged battery lasts for about eleven hours of use. " * 3] * 4,
)


class Judge:
    """The encoder in the folder `model_dir` with the trained part in `file`, in this process.

    In the file `measured`, "" for none, is kept which precision was the fastest, and the least time that reading has
    taken: other work on the machine only lengthens it, and must not decide what is answered until the next start.
    In the folder `kept_in`, "" for none, are kept its matrices in eight bits.
    Raises KeyError for a part of another model.
    """

    def __init__(self, model_dir: str, file: str, measured: str = "", kept_in: str = "") -> None:
        os.environ |= ENVIRONMENT
        from docqa.models.encoder import precisions, worth

        self._measured = Path(measured) if measured else None
        self._key = circumstances(["verifier", model_dir, file], find_machine().cores)
        known = kept(self._measured, self._key)
        able = precisions()
        tried = [known["precision"]] if known.get("precision") in able else able
        self._model_dir, self._file = Path(model_dir), Path(file)
        self._folder = Path(kept_in) if kept_in else None
        self._reader: Reader | None = None
        seconds: dict[str, float] = {}
        for self.precision in tried:
            reader = self._read_in(self.precision)
            seconds[self.precision] = min(_timed(reader, *SAMPLE)[1] for _ in range(2))
            del reader
        fastest = min(tried, key=lambda precision: worth(precision, seconds[precision]))
        if fastest != self.precision:
            self.precision = fastest
            self._read_in(fastest)
        give_back()
        self._least = known.get("seconds", math.inf)
        self._took(seconds[self.precision])

    @property
    def excerpts(self) -> int:
        """How many like those of the sample it reads in SECONDS on this machine."""
        return int(SECONDS / self._least / len(SAMPLE[1][0]))

    def handle(self, body: Header, _blob: bytes, _cancelled: threading.Event) -> Answers:
        """What it reads in each of the `excerpts` for a `question`, and how many it can read in time."""
        assert self._reader is not None
        readings, seconds = _timed(self._reader, body["question"], body["excerpts"])
        self._took(seconds)
        yield {"readings": readings, "excerpts": self.excerpts}, b""

    def rest(self) -> None:
        """Give back what the last excerpts took."""
        assert self._reader is not None
        self._reader.rest()
        give_back()

    def _read_in(self, precision: str) -> "Reader":
        """The model in this precision, after what is held of the one before has gone back to the system."""
        from docqa.models.reader.network import Reader

        self._reader = None
        give_back()
        self._reader = Reader(self._model_dir, self._file, precision, self._folder)
        return self._reader

    def _took(self, seconds: float) -> None:
        """Keep how long a character took, where none has taken less."""
        if seconds < self._least:
            self._least = seconds
            keep(self._measured, self._key, {"precision": self.precision, "seconds": seconds})


def _timed(reader: "Reader", question: str, excerpts: Sequence[str]) -> tuple[list[Reading], float]:
    """What the reader finds in the excerpts, and the seconds that each of their characters took; of a longer one than
    most, whose end may not be read, only so many count."""
    start = time.perf_counter()
    readings = reader.glance(question, excerpts)
    return readings, (time.perf_counter() - start) / max(1, sum(min(LONGEST_EXCERPT, len(text)) for text in excerpts))


def main(arguments: Sequence[str]) -> NoReturn:
    """Load the model that the arguments name, and answer requests."""
    keep_one_heap()
    step_back(BEHIND_SERVER)
    serve(lambda: _load(*arguments))


def _load(*arguments: str) -> Loaded:
    judge = Judge(*arguments)
    return Loaded({"precision": judge.precision, "excerpts": judge.excerpts}, judge.handle, judge.rest)


if __name__ == "__main__":
    main(sys.argv[1:])
