"""Texts to vectors: the server's side; `embedder_child` is the process that holds the model, or `remote_embedder` asks
another server.

A vector is float32, little-endian, of length 1.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from docqa.models.batches import batches
from docqa.models.cosines import ALONE, IN_PASSING, UNRELATED, Scale
from docqa.models.packing import size_of
from docqa.models.reader import Reading, Span, TableReading, TrainedPart, YesNo
from docqa.text.units import Unit, under_title
from docqa.workers.child import Child
from docqa.workers.loop import Header
from docqa.workers.nursery import Nursery
from docqa.workers.process import Frame

log = logging.getLogger(__name__)

NURSERY = Nursery("docqa.models.nursery")  # of the processes of all encoders
LONGEST_UNIT = 2000  # characters of a unit with what it stands under: models read less
_Made = TypeVar("_Made")
Passages = Sequence[tuple[str, Sequence[Unit]]]


class Encoded(NamedTuple):
    """The vector of a passage, and those of its units as `packing` packs them."""

    vector: bytes
    units: bytes


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
    measures of itself when it starts for the first time, and in the folder `kept_in` its matrices in eight bits. A
    model that is `remote` runs elsewhere; its dimension is known when it has been loaded. Units of a passage
    get their vectors in the pass over it where `in_passing`, and the model can; else each is read by itself.
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
        kept_in: Path | None = None,
        remote: Runner | None = None,
        in_passing: bool = False,
    ) -> None:
        self._scales, self._in_passing = scales, in_passing
        self.name, self.sha256, self.dimension, self.languages, self.reader = name, sha256, dimension, languages, reader
        self.is_remote = remote is not None
        # What is in work is short and cannot be aborted, and loading the model takes longer: hence the long grace.
        self._runner: Runner = remote or Child(
            "docqa.models.embedder_child",
            [
                str(model_dir),
                str(dimension),
                *prefixes,
                str(reader.path if reader else ""),
                str(reader_dir or model_dir),
                str(measured or ""),
                str(kept_in or ""),
            ],
            name=f"embedding ({name})",
            grace=30.0,
            shared=True,
            nursery=NURSERY,
        )

    def reads(self, language: str) -> bool:
        """Whether it finds answers in texts in this language."""
        return self.reader is not None and language in self.reader.languages

    @property
    def reads_tables(self) -> bool:
        """Whether its reader has learned what a question asks of a table."""
        return self.reader is not None and self.reader.reads_tables

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
    def failed(self) -> bool:
        """Whether the model could not be loaded."""
        return self.state.startswith("failed")

    @property
    def precision(self) -> str:
        """One of `encoder.precisions()`, whichever is the fastest on this machine; "" before the first start."""
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

    def scaled_unit(self, cosine: float, language: str = "", *, across: bool = False) -> float:
        """The same of a question and a unit of a passage, whose vector `encode_units` made."""
        if self._reads_in_passing:
            (low, high), (unrelated, related) = ALONE, IN_PASSING
            cosine = low + (cosine - unrelated) * (high - low) / (related - unrelated)
        return self.scaled(cosine, language, across=across)

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
        """The vectors of `texts` in their order; urgent calls go first. Raises Unavailable, also for a text that gets
        none."""
        return await self._each(texts, urgent)

    async def encode_passages(self, passages: Passages) -> list[Encoded]:
        """The vectors of passages, each with its units, and of these. Raises Unavailable."""
        if self._reads_in_passing:
            return await self._in_passes(passages, urgent=False)
        vectors = await self.encode([text for text, _ in passages])
        return list(map(Encoded, vectors, await self._one_by_one(passages, urgent=False)))

    async def encode_units(self, passages: Passages, *, urgent: bool = False) -> list[bytes]:
        """The packed vectors of the units of each passage. Raises Unavailable."""
        if self._reads_in_passing:
            return [encoded.units for encoded in await self._in_passes(passages, urgent)]
        return await self._one_by_one(passages, urgent)

    async def _one_by_one(self, passages: Passages, urgent: bool) -> list[bytes]:
        """The packed vectors of the units of each passage, each read by itself."""
        texts = [under_title(text, unit)[:LONGEST_UNIT] for text, units in passages for unit in units]
        left = iter(await self._each(texts, urgent, packed=True))
        return [b"".join(next(left) for _ in units) for _, units in passages]

    async def _each(self, texts: list[str], urgent: bool, *, packed: bool = False) -> list[bytes]:
        async def vectors(batch: list[int]) -> list[bytes]:
            return await self._vectors([texts[index] for index in batch], urgent=urgent, packed=packed)

        return await self._in_batches(texts, vectors, urgent)

    @property
    def _reads_in_passing(self) -> bool:
        return self._in_passing and bool(self._runner.hello.get("knows_parts"))

    async def _in_passes(self, passages: Passages, urgent: bool) -> list[Encoded]:
        async def encoded(batch: list[int]) -> list[Encoded]:
            chosen = [passages[index] for index in batch]
            parts = [[(unit.start, unit.end) for unit in units] for _, units in chosen]
            header = {"texts": [text for text, _ in chosen], "parts": parts, "role": "document"}
            _, data = await self._runner.call(header, urgent=urgent)
            size, unit = 4 * self.dimension, size_of(self.dimension)
            ends = list(accumulate((len(of_passage) * unit for of_passage in parts), initial=size * len(chosen)))
            return [Encoded(data[size * n :][:size], data[ends[n] : ends[n + 1]]) for n in range(len(chosen))]

        return await self._in_batches([text for text, _ in passages], encoded, urgent)

    async def _in_batches(
        self, texts: Sequence[str], make: Callable[[list[int]], Awaitable[list[_Made]]], urgent: bool
    ) -> list[_Made]:
        """What is made of each text, by the numbers of those that another server is sent at a time."""
        if not texts:
            return []
        if not self.is_remote:
            return await make(list(range(len(texts))))
        made: dict[int, _Made] = {}

        async def fill(batch: list[int]) -> None:
            made.update(zip(batch, await make(batch), strict=True))

        if urgent:
            await asyncio.gather(*map(fill, batches(texts)))
        else:
            for batch in batches(texts):
                await fill(batch)
        return [made[index] for index in range(len(texts))]

    async def encode_question(self, text: str) -> bytes:
        """The vector of one question, ahead of all texts of documents. Raises Unavailable."""
        return (await self._vectors([text], urgent=True, role="query"))[0]

    async def read(self, question: str, passages: list[str]) -> list[list[Span]]:
        """The likeliest answer spans of each passage, best first; requires a `reader`. Raises Unavailable."""
        return [reading.spans for reading in await self.readings(question, passages)]

    async def readings(self, question: str, passages: list[str], *, again: bool = True) -> list[Reading]:
        """What the reader makes of each passage: spans, and yes or no; requires a `reader`. The best is read `again`
        among its neighbours alone, which tells better whether it answers. Raises Unavailable."""
        asked_for = {"question": question, "passages": passages, "again": again}
        answer, _ = await self._runner.call(asked_for, urgent=True)
        return readings_of(answer)

    async def read_table(self, question: str, text: str, starts: Sequence[int]) -> TableReading:
        """What the reader makes of a table laid out as text, as a whole and at each of `starts`, in characters;
        requires a `reader` that `reads_tables`. Raises Unavailable."""
        answer, _ = await self._runner.call({"question": question, "table": text, "starts": list(starts)}, urgent=True)
        return TableReading(*answer["table"])

    async def _vectors(
        self, texts: list[str], urgent: bool, role: str = "document", packed: bool = False
    ) -> list[bytes]:
        header: Header = {"texts": texts, "role": role} | ({"packed": True} if packed else {})
        _, data = await self._runner.call(header, urgent=urgent)
        size = size_of(self.dimension) if packed else 4 * self.dimension
        return [data[start : start + size] for start in range(0, len(data), size)]

    async def close(self) -> None:
        """Unload the model for good."""
        await self._runner.close()


def readings_of(answer: Header) -> list[Reading]:
    """The readings in a child's answer."""
    return [
        Reading([Span(*span) for span in spans], YesNo(*yes_no) if yes_no else None)
        for spans, yes_no in answer["readings"]
    ]
