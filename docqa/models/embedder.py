"""Texts to vectors: the server's side (`Embedder`) and the child process that holds the model (`python -m docqa.models.embedder`).

A vector is float32, little-endian, of length 1. sentence-transformers and torch are imported in the child only.
"""

import asyncio
import copy
import logging
import os
import struct
import sys
import threading
import time
from collections.abc import Generator, Sequence
from operator import mul
from pathlib import Path
from typing import Any

from docqa.errors import Unavailable
from docqa.models.reader import Span, TrainedPart
from docqa.workers.child import Child
from docqa.workers.loop import Handler, Header, serve

log = logging.getLogger(__name__)

BATCH = 16
AGREEMENT = 0.999
IMITATED = 2.0  # times as slow as float32
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    # Threads that spin while they wait take the core from the one they wait for: on two busy cores 4 texts a second, not 24.
    "OMP_WAIT_POLICY": "PASSIVE",
    # torch keeps the kernels of the last 1024 shapes, and sentences come in every shape: 2 GB after 1,800 questions, with these 0.7 GB.
    "LRU_CACHE_CAPACITY": "16",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "16",
}
# Questions, and passages that answer them in the same order: how near a model puts what has nothing to do with each other.
PAIRS = (
    ("Who signed the lease?", "The lease was signed by the owner of the house and by both tenants."),
    ("How long does the battery last?", "A charged battery lasts for about eleven hours of ordinary use."),
    ("What did the company earn in the second quarter?", "In the second quarter the company earned 4.1 million."),
    ("When was the bridge built?", "The bridge was built between 1904 and 1907."),
    ("Which medicine lowers the blood pressure?", "Tablets that lower the blood pressure are taken in the morning."),
    ("How is the dough kept overnight?", "The dough is covered with a cloth and kept in a cool place overnight."),
    ("What is the penalty for late delivery?", "For each week of delay the supplier pays one percent of the price."),
    ("Where do the birds spend the winter?", "In autumn the birds fly to the south and spend the winter by the sea."),
)
UNRELATED = 0.057  # their mean cosine by all-MiniLM-L6-v2, on whose scale all thresholds of search and refusal are
_STEP = struct.Struct("<f")
SAMPLES = (
    "The contract ends on 31 March unless one of the parties gives written notice three months before. " * 8,
    "Revenue grew by 12 percent to 4.1 million, mainly because of the new plant in the north of the country. " * 8,
    "Wash your hands, open the lid slowly and let the steam out before you take the vessel off the stove. " * 8,
    "Who signed the lease?",
)


class Embedder:
    """The embedding model `name` in `model_dir`; `sha256` (of its weights) and `dimension` are the catalogue's.

    `prefixes` go before a question and before a passage, where the model's own files do not say what does. `reader` is the trained part that
    belongs to the model, where one does.
    """

    def __init__(
        self,
        name: str,
        model_dir: Path,
        sha256: str,
        dimension: int,
        languages: tuple[str, ...] = (),
        prefixes: tuple[str, str] = ("", ""),
        reader: TrainedPart | None = None,
    ) -> None:
        self.name, self.sha256, self.dimension, self.languages, self.reader = name, sha256, dimension, languages, reader
        # A batch is short and cannot be stopped half-way, and loading anew takes longer: so much grace.
        self._child = Child(
            "docqa.models.embedder",
            [str(model_dir), str(dimension), *prefixes, str(reader.path if reader else "")],
            name=f"embedding ({name})",
            grace=30.0,
        )

    @property
    def state(self) -> str:
        """`stopped`, `loading`, `ready` or `failed: why`."""
        return self._child.state

    @property
    def ready(self) -> bool:
        return self.state == "ready"

    @property
    def precision(self) -> str:
        """`float32` or `bfloat16`, what this machine was found to be faster with; empty before the first start."""
        return str(self._child.hello.get("precision", ""))

    @property
    def unrelated(self) -> float:
        """The mean cosine of questions and passages that have nothing to do with each other: 0.06 by some models, 0.7 by others."""
        return float(self._child.hello.get("unrelated", UNRELATED))

    def scaled(self, cosine: float) -> float:
        """A cosine by this model as it would be by the one that the thresholds were fitted to: 1 stays 1, `unrelated` becomes UNRELATED."""
        return 1 - (1 - cosine) * (1 - UNRELATED) / (1 - self.unrelated)

    def knows(self, language: str) -> bool:
        """Whether the model was trained on this language; a model whose entry names none is taken to know all."""
        return not self.languages or language in self.languages

    async def load(self) -> None:
        """Load the model if it is not. Raises Unavailable."""
        log.info("The embedding model is ready: %s", await self._child.start())

    async def encode(self, texts: list[str], *, urgent: bool = False) -> list[bytes]:
        """The vectors of `texts`, in batches that let urgent ones pass. Raises Unavailable, also for a text without a vector."""
        vectors = [b""] * len(texts)
        # Texts of like length together, for a batch takes as long as its longest.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]

        async def fill(batch: list[int]) -> None:
            for index, vector in zip(
                batch, await self._vectors([texts[index] for index in batch], urgent=urgent), strict=True
            ):
                vectors[index] = vector

        if urgent:  # all wait at once, or each would wait for one more of the others
            await asyncio.gather(*map(fill, batches))
        else:
            for batch in batches:
                await fill(batch)
        return vectors

    async def encode_question(self, text: str) -> bytes:
        """The vector of one question, before all waiting batches. Raises Unavailable."""
        return (await self._vectors([text], urgent=True, role="query"))[0]

    async def read(self, question: str, passages: list[str]) -> list[list[Span]]:
        """The likeliest spans of each passage that answer the question, best first; for an embedder with a reader. Raises Unavailable."""
        answer, _ = await self._child.call({"question": question, "passages": passages}, urgent=True)
        return [[Span(*span) for span in spans] for spans in answer["spans"]]

    async def _vectors(self, texts: list[str], urgent: bool, role: str = "document") -> list[bytes]:
        _, data = await self._child.call({"texts": texts, "role": role}, urgent=urgent)
        size = 4 * self.dimension
        return [data[start : start + size] for start in range(0, len(data), size)]

    async def close(self) -> None:
        await self._child.close()


def dot(one: bytes, other: bytes) -> float:
    """The cosine of two vectors of length 1."""
    return float(sum(map(mul, memoryview(one).cast("f"), memoryview(other).cast("f"))))


def pack(vectors: Sequence[bytes]) -> bytes:
    """The vectors of a chunk's sentences in a quarter of their size: for each, what one step is worth (float32) and its numbers (int8)."""
    packed = []
    for vector in vectors:
        numbers = memoryview(vector).cast("f")
        step = max(map(abs, numbers)) / 127
        packed.append(_STEP.pack(step) + struct.pack(f"{len(numbers)}b", *(round(number / step) for number in numbers)))
    return b"".join(packed)


def packed_dots(vector: bytes, packed: bytes) -> list[float]:
    """The cosine of a vector to each of the packed ones."""
    numbers = memoryview(vector).cast("f").tolist()
    size = _STEP.size + len(numbers)
    return [
        _STEP.unpack_from(packed, start)[0]
        * sum(map(mul, numbers, memoryview(packed)[start + _STEP.size : start + size].cast("b")))
        for start in range(0, len(packed), size)
    ]


# The child's side


class _Model:
    """A sentence-transformers model in the faster of two precisions that give the same vectors."""

    def __init__(self, model_dir: str, dimension: int, query_prefix: str, passage_prefix: str, reader: str) -> None:
        os.environ |= ENVIRONMENT
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]
        self._torch = torch
        self._cores = torch.get_num_threads()
        model = SentenceTransformer(model_dir, device="cpu", local_files_only=True).eval()
        self.dimension = model.get_embedding_dimension()
        if self.dimension != dimension:
            raise Unavailable(
                f"The model in {model_dir} gives vectors of {self.dimension} numbers, the catalogue says {dimension}."
            )
        self.max_tokens = model.max_seq_length
        model.default_prompt_name = None  # what goes before a text is put there here
        own = {name: prompt for name, prompt in model.prompts.items() if prompt}
        self._prefix = {
            "query": own.get("query", query_prefix),
            "document": own.get("document", own.get("passage", passage_prefix)),
        }
        self._model, self.precision, self.rate = self._choose(model)
        self._reader = None
        if reader:
            from docqa.models.reader.network import Reader

            self._reader = Reader(Path(model_dir), Path(reader), self.precision)

    def _choose(self, model: Any) -> tuple[Any, str, float]:
        """The model, its precision and its speed in texts per second, measured on this CPU."""
        half = copy.deepcopy(model).bfloat16()
        exact, exact_seconds = self._measure(model, SAMPLES)
        if not self._imitates(model, half):
            rounded, rounded_seconds = self._measure(half, SAMPLES)
            if rounded_seconds < exact_seconds and float((exact * rounded).sum(axis=1).min()) >= AGREEMENT:
                return half, "bfloat16", len(SAMPLES) / rounded_seconds
        return model, "float32", len(SAMPLES) / exact_seconds

    def _imitates(self, model: Any, half: Any) -> bool:
        """Whether this CPU has no bfloat16 and imitates it, which a few short texts show; the samples would take it seconds."""
        texts = [passage for _, passage in PAIRS]
        return self._measure(half, texts)[1] > IMITATED * self._measure(model, texts)[1]

    def unrelated(self) -> float:
        questions, passages = (
            [self._prefix[role] + pair[place] for pair in PAIRS] for place, role in enumerate(("query", "document"))
        )
        cosines = self._run(self._model, questions) @ self._run(self._model, passages).T
        return float((cosines.sum() - cosines.trace()) / (cosines.size - len(PAIRS)))

    def _measure(self, model: Any, texts: Sequence[str]) -> tuple[Any, float]:
        """The vectors and the seconds that the fastest of three tries took."""
        seconds = []
        for _ in range(3):
            start = time.perf_counter()
            vectors = self._run(model, list(texts))
            seconds.append(time.perf_counter() - start)
        return vectors, min(seconds)

    def _run(self, model: Any, texts: list[str]) -> Any:
        # Several threads for one short text wait for each other: with other work on the machine that took 70 times as long.
        self._torch.set_num_threads(1 if len(texts) == 1 else self._cores)
        with self._torch.inference_mode():
            vectors = model.encode(texts, batch_size=BATCH, convert_to_tensor=True, show_progress_bar=False).float()
            vectors = vectors / vectors.norm(dim=1, keepdim=True)
        return vectors.numpy().astype("<f4")

    def handle(
        self, body: Header, _blob: bytes, _cancelled: threading.Event
    ) -> Generator[tuple[Header, bytes], None, None]:
        if "question" in body:
            yield {"spans": self._read(body["question"], body["passages"])}, b""
            return
        # A lone surrogate, as some PDFs give, is no text to the tokenizer.
        texts = [self._prefix[body["role"]] + text.encode("utf-8", "replace").decode() for text in body["texts"]]
        vectors = self._run(self._model, texts)
        for text, vector in zip(texts, vectors, strict=True):
            if not abs(float((vector * vector).sum()) - 1) < 1e-3:
                raise Unavailable(f"The embedding model gives no vector for the text that begins {text[:40]!r}.")
        yield {}, vectors.tobytes()

    def _read(self, question: str, passages: list[str]) -> list[list[Span]]:
        if self._reader is None:
            raise Unavailable("This embedding model has no reader.")
        self._torch.set_num_threads(self._cores)
        return self._reader.read(question, passages)


def _load() -> tuple[Header, Handler]:
    model_dir, dimension, *given = sys.argv[1:]
    model = _Model(model_dir, int(dimension), *given)
    hello = {
        "dimension": model.dimension,
        "precision": model.precision,
        "max_tokens": model.max_tokens,
        "texts_per_second": round(model.rate),
        "unrelated": round(model.unrelated(), 4),
    }
    return hello, model.handle


if __name__ == "__main__":
    serve(_load)
