"""The process of the verifier: python -m docqa.models.verifier_child DIR FILE MEASURED"""

import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from docqa.catalog.machine import find_machine
from docqa.models.embedder_child import ENVIRONMENT
from docqa.models.measured import circumstances, keep, kept
from docqa.workers.loop import Answers, Handler, Header, serve
from docqa.workers.sandbox import BEHIND_SERVER, step_back

if TYPE_CHECKING:
    from docqa.models.reader.network import Reader

# The faster on this machine is kept. Eight bits are no choice: the scores have little to do with the exact ones then
# (correlation 0.3, with a scale for each row of a matrix 0.7).
PRECISIONS = ("bfloat16", "float32")
SECONDS = 0.3  # that reading may take
SAMPLE = (
    "How long does a charged battery last?",
    ["The lamp is charged with the cable in the box. A charged battery lasts for about eleven hours of use. " * 3] * 4,
)


class Judge:
    """The encoder in the folder `model_dir` with the trained part in `file`, in this process.

    In the file `measured`, "" for none, is kept which precision was the faster. Raises KeyError for a part of another
    model.
    """

    def __init__(self, model_dir: str, file: str, measured: str = "") -> None:
        os.environ |= ENVIRONMENT
        from docqa.models.reader.network import Reader

        kept_in = Path(measured) if measured else None
        key = circumstances(["verifier", model_dir, file], find_machine().cores)
        known = kept(kept_in, key).get("precision")
        tried = (known,) if known in PRECISIONS else PRECISIONS
        readers = {name: Reader(Path(model_dir), Path(file), name) for name in tried}
        seconds = {name: _seconds(reader) for name, reader in readers.items()}
        self.precision = min(tried, key=seconds.__getitem__)
        self.excerpts = int(SECONDS * len(SAMPLE[1]) / seconds[self.precision])
        self._reader = readers[self.precision]
        keep(kept_in, key, {"precision": self.precision})

    def handle(self, body: Header, _blob: bytes, _cancelled: threading.Event) -> Answers:
        """What it reads in each of the `excerpts` for a `question`."""
        yield {"readings": self._reader.glance(body["question"], body["excerpts"])}, b""


def _seconds(reader: "Reader") -> float:
    """The faster of two runs over the sample."""
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        reader.glance(*SAMPLE)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _load() -> tuple[Header, Handler]:
    judge = Judge(*sys.argv[1:])
    return {"precision": judge.precision, "excerpts": judge.excerpts}, judge.handle


if __name__ == "__main__":
    step_back(BEHIND_SERVER)
    serve(_load)
