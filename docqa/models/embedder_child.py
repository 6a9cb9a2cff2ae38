"""The process of an embedding model.

python -m docqa.models.embedder_child DIR DIMENSION QUERY_PREFIX PASSAGE_PREFIX READER READER_DIR MEASURED KEPT

READER is the file of the reader's trained part, or "", and READER_DIR the folder of its base model. In the
file MEASURED, "" for none, is kept what the model measures of itself when it is first loaded on a machine, and in the
folder KEPT, "" for none, its matrices in eight bits.
openvino is imported in the processes of models only.
"""

import math
import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from docqa.catalog.machine import find_machine
from docqa.errors import Unavailable
from docqa.models.batches import at_once
from docqa.models.measured import circumstances, keep, kept
from docqa.models.packing import pack
from docqa.models.pairs import PAIRS
from docqa.workers.heap import give_back, keep_one_heap
from docqa.workers.loop import URGENT, Answers, Header, Loaded, serve
from docqa.workers.sandbox import BEHIND_SERVER, step_back

AGREEMENT = 0.999  # cosine of the vectors with the exact ones
TURNS = 3  # that the precisions take when they are timed
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    # Small products of matrices are not worth a second thread of numpy's, which would spin while it waits.
    "OPENBLAS_NUM_THREADS": "1",
    # OpenVINO keeps the kernels of the last 1024 shapes, and texts come in every shape: 200 MB more.
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "8",
}
SAMPLES = (
    "The contract ends on 31 March unless one of the parties gives written notice three months before. " * 8,
    "Revenue grew by 12 percent to 4.1 million, mainly because of the new plant in the north of the country. " * 8,
    "Wash your hands, open the lid slowly and let the steam out before you take the vessel off the stove. " * 8,
    "Who signed the lease?",
)


class EmbeddingModel:
    """The model in a sentence-transformers folder, in the best precision on this processor that gives the same vectors.

    Raises Unavailable for a model of another dimension.
    """

    def __init__(
        self,
        model_dir: str,
        dimension: int,
        query_prefix: str,
        passage_prefix: str,
        reader: str,
        reader_dir: str,
        measured: str = "",
        kept_in: str = "",
    ) -> None:
        os.environ |= ENVIRONMENT
        from docqa.models.encoder import precisions
        from docqa.models.sentence_encoder import load

        able = precisions()
        file = Path(measured) if measured else None
        key = circumstances(["embedding", model_dir, query_prefix, passage_prefix], find_machine().cores)
        known = kept(file, key)
        is_known = known.get("precision") in able
        folder = Path(kept_in) if kept_in else None
        models = load(Path(model_dir), [known["precision"]] if is_known else able, folder)
        self._model = model = models[0]
        self.dimension = model.dimension
        if self.dimension != dimension:
            raise Unavailable(
                f"The vectors of the model in {model_dir} have {self.dimension} dimensions, "
                f"the catalogue says {dimension}."
            )
        self.max_tokens = model.longest
        own = {name: prompt for name, prompt in model.prompts.items() if prompt}
        self._prefix = {
            "query": own.get("query", query_prefix),
            "document": own.get("document", own.get("passage", passage_prefix)),
        }
        if not is_known:
            self._model, rate = self.choose_precision(models)
            known = {"precision": self._model.precision, "rate": rate, "unrelated": self._unrelated()}
            keep(file, key, known)
        self.precision = self._model.precision
        self.rate, self.unrelated = float(known["rate"]), float(known["unrelated"])
        del model, models
        self._last_question = -math.inf  # on the clock of `time.monotonic`
        self._reader = None
        if reader:
            from docqa.models.reader.network import Reader

            self._reader = Reader(Path(reader_dir), Path(reader), self.precision, folder)
        give_back()

    def choose_precision(self, models: Sequence[Any]) -> tuple[Any, float]:
        """Of a model in several precisions, the exact one first, the best that gives the same vectors on this
        processor, and its speed in texts per second."""
        from docqa.models.encoder import worth

        raced = self._race(models, SAMPLES)
        exact = raced[0][0]
        agreeing = [
            (worth(model.precision, seconds), seconds, model)
            for model, (vectors, seconds) in zip(models, raced, strict=True)
            if float((exact * vectors).sum(axis=1).min()) >= AGREEMENT
        ]
        _, seconds, model = min(agreeing, key=lambda each: each[0])
        return model, len(SAMPLES) / seconds

    def _unrelated(self) -> float:
        """The mean cosine of questions and passages that have nothing to do with each other."""
        questions, passages = (
            [self._prefix[role] + pair[place] for pair in PAIRS] for place, role in enumerate(("query", "document"))
        )
        cosines = self._run(self._model, questions) @ self._run(self._model, passages).T
        return float((cosines.sum() - cosines.trace()) / (cosines.size - len(PAIRS)))

    def _race(self, models: Sequence[Any], texts: Sequence[str]) -> list[tuple[Any, float]]:
        """Of each model the vectors, and the seconds of its fastest run. They take turns: other work on the machine,
        which comes and goes, then slows all of them, and not the one that it happens to meet."""
        runs = [[self._measure(model, texts) for model in models] for _ in range(TURNS)]
        return [(of_model[0][0], min(seconds for _, seconds in of_model)) for of_model in zip(*runs, strict=True)]

    def _measure(self, model: Any, texts: Sequence[str]) -> tuple[Any, float]:
        """The vectors, and the seconds that they took."""
        start = time.perf_counter()
        vectors = self._run(model, list(texts))
        return vectors, time.perf_counter() - start

    def _run(self, model: Any, texts: list[str]) -> Any:
        return model.encode(texts).astype("<f4", copy=False)

    @property
    def knows_parts(self) -> bool:
        """Whether it makes vectors of the parts of a text in one pass over it."""
        return bool(self._model.knows_parts)

    def _pace(self) -> int:
        return at_once(time.monotonic() - self._last_question)

    def handle(self, body: Header, _blob: bytes, _cancelled: threading.Event) -> Answers:
        """The vectors of `texts`, `packed` where that is wanted, and behind them those of `parts` of each, packed; or
        what the reader makes of `passages` for a `question`, or of a `table` and what begins at `starts` in it. What is
        not urgent yields to what is after each few texts. Raises Unavailable."""
        is_urgent = URGENT in body
        if is_urgent:
            self._last_question = time.monotonic()
        if "question" in body:
            yield self._read(body), b""
            return
        # The tokenizer rejects lone surrogates, which some PDFs contain.
        prefix = self._prefix[body["role"]]
        texts = [prefix + text.encode("utf-8", "replace").decode() for text in body["texts"]]
        pace = None if is_urgent else self._pace
        packed: list[bytes] = []
        if "parts" in body:
            by = len(prefix)
            parts = [[(start + by, end + by) for start, end in of_text] for of_text in body["parts"]]
            vectors, of_parts = yield from self._model.encoding_parts(texts, parts, pace)
            packed = [pack(rows, self.dimension) for rows in of_parts]
        else:
            vectors = yield from self._model.encoding(texts, pace)
        for text, vector in zip(texts, vectors, strict=True):
            if not abs(float((vector * vector).sum()) - 1) < 1e-3:
                raise Unavailable(f"The embedding model gave no vector for the text that begins {text[:40]!r}.")
        vectors = vectors.astype("<f4", copy=False)
        own = pack(vectors, self.dimension) if body.get("packed") else vectors.tobytes()
        yield {}, b"".join([own, *packed])

    def _read(self, body: Header) -> Header:
        if self._reader is None:
            raise Unavailable("This embedding model has no reader.")
        if "table" in body:
            return {"table": self._reader.table(body["question"], body["table"], body["starts"])}
        return {"readings": self._reader.readings(body["question"], body["passages"], again=body["again"])}

    def rest(self) -> None:
        """Give back what the last texts took."""
        self._model.rest()
        if self._reader is not None:
            self._reader.rest()
        give_back()


def main(arguments: Sequence[str]) -> NoReturn:
    """Load the model that the arguments name, and answer requests."""
    keep_one_heap()
    step_back(BEHIND_SERVER)
    serve(lambda: _load(*arguments))


def _load(model_dir: str, dimension: str, *prefixes_and_reader: str) -> Loaded:
    model = EmbeddingModel(model_dir, int(dimension), *prefixes_and_reader)
    hello = {
        "dimension": model.dimension,
        "precision": model.precision,
        "max_tokens": model.max_tokens,
        "texts_per_second": round(model.rate),
        "unrelated": round(model.unrelated, 4),
        "knows_parts": model.knows_parts,
    }
    return Loaded(hello, model.handle, model.rest)


if __name__ == "__main__":
    main(sys.argv[1:])
