"""Texts to vectors: the server's side; `embedder_child` is the process that holds the model, or `remote_embedder` asks
another server.

A vector is float32, little-endian, of length 1.
"""

import asyncio
import logging
import struct
from collections.abc import Iterator, Mapping, Sequence
from operator import mul
from pathlib import Path
from typing import NamedTuple, Protocol

from docqa.models.reader import Reading, Span, TrainedPart, YesNo
from docqa.workers.child import Child
from docqa.workers.loop import Header
from docqa.workers.process import Frame

log = logging.getLogger(__name__)

BATCH = 16
LONG = 3000  # characters of a batch: two passages, a tenth of a second or two, for which a question may have to wait
LONG_REMOTE = 30_000  # to a server of its own, where each request takes its time on the way and no question waits
# The mean cosine of unrelated texts (`pairs.PAIRS`) by all-MiniLM-L6-v2, on whose scale all thresholds are.
UNRELATED = 0.057
# The same on public question sets (a question and any sentence of another document), and the mean cosine of a question
# and the sentence that answers it.
ON_SETS = (0.036, 0.661)
_STEP = struct.Struct("<f")


class Scale(NamedTuple):
    """The mean cosine, by some model, of a question and any sentence of another document, and of a question and the
    sentence that answers it."""

    unrelated: float
    related: float

    def applied(self, cosine: float) -> float:
        """A cosine by that model on the scale of all-MiniLM-L6-v2's, where these two means are ON_SETS."""
        low, high = ON_SETS
        return low + (cosine - self.unrelated) * (high - low) / (self.related - self.unrelated)


class Runner(Protocol):
    """What runs a model for an `Embedder`: a `Child`, or `RemoteVectors`."""

    hello: Header

    @property
    def state(self) -> str:
        """`stopped`, `loading`, `ready` or `failed: why`."""
        ...

    async def start(self) -> Header:
        """Get ready; what it says then, its `dimension` among it. Raises Unavailable."""
        ...

    async def call(self, header: Header, blob: bytes = b"", *, urgent: bool = False) -> Frame:
        """The answer to a request. Raises Unavailable."""
        ...

    async def close(self) -> None:
        """End it for good."""
        ...


class Embedder:
    """The embedding model `name` in `model_dir`; `sha256` (of its weights) and `dimension` come from the catalogue.

    `prefixes` are put before a question and a passage, unless the model's own files name prompts. `reader` is a trained
    part that its process reads with, and `reader_dir` the model that this belongs to, None if it is this one.
    `scales`, where they are known, are those of questions and passages in one language, by its code or "other", and
    "across" two languages, and of "names", single words and headings. In the file `measured` is kept what its process
    measures of itself when it starts for the first time. A model that is `remote` runs elsewhere; its dimension is
    known when it has been loaded.
    """

    rests = False  # whether it was unloaded because nobody asked it

    def __init__(
        self,
        name: str,
        model_dir: Path,
        sha256: str,
        dimension: int,
        languages: tuple[str, ...] = (),
        prefixes: tuple[str, str] = ("", ""),
        reader: TrainedPart | None = None,
        reader_dir: Path | None = None,
        scales: Mapping[str, Scale] | None = None,
        measured: Path | None = None,
        remote: Runner | None = None,
    ) -> None:
        self._scales = scales
        self.name, self.sha256, self.dimension, self.languages, self.reader = name, sha256, dimension, languages, reader
        self.is_remote, self._longest = remote is not None, LONG_REMOTE if remote else LONG
        # A batch is short and cannot be aborted, and loading the model again takes longer: hence the long grace.
        self._runner: Runner = remote or Child(
            "docqa.models.embedder_child",
            [
                str(model_dir),
                str(dimension),
                *prefixes,
                str(reader.path if reader else ""),
                str(reader_dir or model_dir),
                str(measured or ""),
            ],
            name=f"embedding ({name})",
            grace=30.0,
        )

    @property
    def state(self) -> str:
        """`stopped`, `loading`, `ready`, `resting` until the next question, or `failed: why`."""
        state = self._runner.state
        return "resting" if self.rests and state == "stopped" else state

    @property
    def ready(self) -> bool:
        """Whether the model is loaded."""
        return self.state == "ready"

    @property
    def precision(self) -> str:
        """`float32` or `bfloat16`, whichever is faster on this machine; "" before the first start."""
        return str(self._runner.hello.get("precision", ""))

    @property
    def unrelated(self) -> float:
        """The mean cosine of unrelated questions and passages: 0.06 by some models, 0.7 by others."""
        return float(self._runner.hello.get("unrelated", UNRELATED))

    def scaled(self, cosine: float, language: str = "", *, across: bool = False) -> float:
        """The cosine of a question in this language, and of a passage in it or, `across`, in another, on the scale that
        the thresholds were fitted to.

        Without known scales 1 stays 1 and `unrelated` becomes UNRELATED.
        """
        if self._scales:
            key = "across" if across else language if language in self._scales else "other"
            return self._scales[key].applied(cosine)
        return 1 - (1 - cosine) * (1 - UNRELATED) / (1 - self.unrelated)

    def scaled_name(self, cosine: float) -> float:
        """The same of two words or headings: some models find all of them alike."""
        return self._scales["names"].applied(cosine) if self._scales else self.scaled(cosine)

    def crosses(self, question: str, document: str) -> bool:
        """Whether these are two languages, and the model knows both: words do not compare them, vectors do."""
        return document not in ("", question) and self.knows(question) and self.knows(document)

    def knows(self, language: str) -> bool:
        """Whether the model was trained on this language (ISO 639-1); an entry without languages counts as all."""
        return not self.languages or language in self.languages

    @property
    def idle(self) -> float:
        """Seconds since it was last asked; 0 while it is not loaded, or another server runs it."""
        return self._runner.idle if isinstance(self._runner, Child) else 0.0

    async def rest(self) -> None:
        """Unload the model until it is loaded again; what is in hand is finished first."""
        if isinstance(self._runner, Child):
            await self._runner.rest()
            self.rests = True

    async def load(self) -> None:
        """Load the model if it is not loaded. Raises Unavailable."""
        hello = await self._runner.start()
        self.dimension, self.rests = int(hello["dimension"]), False
        log.info("The embedding model is ready: %s", hello)

    async def encode(self, texts: list[str], *, urgent: bool = False) -> list[bytes]:
        """The vectors of `texts` in their order; urgent calls pass waiting batches.

        Raises Unavailable, also for a text that gets no vector.
        """
        vectors = [b""] * len(texts)
        # Texts of similar length together: a batch takes as long as its longest text.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        batches = list(_batches(order, texts, self._longest))

        async def fill(batch: list[int]) -> None:
            for index, vector in zip(
                batch, await self._vectors([texts[index] for index in batch], urgent=urgent), strict=True
            ):
                vectors[index] = vector

        if urgent:  # all queue at once, or each would wait for another caller's batch
            await asyncio.gather(*map(fill, batches))
        else:
            for batch in batches:
                await fill(batch)
        return vectors

    async def encode_question(self, text: str) -> bytes:
        """The vector of one question, ahead of all waiting batches. Raises Unavailable."""
        return (await self._vectors([text], urgent=True, role="query"))[0]

    async def read(self, question: str, passages: list[str]) -> list[list[Span]]:
        """The likeliest answer spans of each passage, best first; requires a `reader`. Raises Unavailable."""
        return [reading.spans for reading in await self.readings(question, passages)]

    async def readings(self, question: str, passages: list[str]) -> list[Reading]:
        """What the reader makes of each passage: spans, and yes or no; requires a `reader`. Raises Unavailable."""
        answer, _ = await self._runner.call({"question": question, "passages": passages}, urgent=True)
        return readings_of(answer)

    async def _vectors(self, texts: list[str], urgent: bool, role: str = "document") -> list[bytes]:
        _, data = await self._runner.call({"texts": texts, "role": role}, urgent=urgent)
        size = 4 * self.dimension
        return [data[start : start + size] for start in range(0, len(data), size)]

    async def close(self) -> None:
        """Unload the model for good."""
        await self._runner.close()


def _batches(order: Sequence[int], texts: Sequence[str], longest: int) -> Iterator[list[int]]:
    """The indexes in batches of up to BATCH texts, and of up to `longest` characters in all: a question waits for
    one."""
    batch: list[int] = []
    length = 0
    for index in order:
        if batch and (len(batch) == BATCH or length + len(texts[index]) > longest):
            yield batch
            batch, length = [], 0
        batch.append(index)
        length += len(texts[index])
    if batch:
        yield batch


def readings_of(answer: Header) -> list[Reading]:
    """The readings in a child's answer."""
    return [
        Reading([Span(*span) for span in spans], YesNo(*yes_no) if yes_no else None)
        for spans, yes_no in answer["readings"]
    ]


def dot(left: bytes, right: bytes) -> float:
    """The cosine of two vectors of length 1."""
    return float(sum(map(mul, memoryview(left).cast("f"), memoryview(right).cast("f"))))


def pack(vectors: Sequence[bytes]) -> bytes:
    """The vectors of a chunk's sentences quantised to a quarter of the size: each a step (float32) and int8 values."""
    packed = []
    for vector in vectors:
        numbers = memoryview(vector).cast("f")
        step = max(map(abs, numbers)) / 127
        packed.append(_STEP.pack(step) + struct.pack(f"{len(numbers)}b", *(round(number / step) for number in numbers)))
    return b"".join(packed)


def packed_dots(vector: bytes, packed: bytes) -> list[float]:
    """The cosine of a vector with each of those packed by `pack`."""
    numbers = memoryview(vector).cast("f").tolist()
    size = _STEP.size + len(numbers)
    return [
        _STEP.unpack_from(packed, start)[0]
        * sum(map(mul, numbers, memoryview(packed)[start + _STEP.size : start + size].cast("b")))
        for start in range(0, len(packed), size)
    ]
