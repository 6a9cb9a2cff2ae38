"""How fast a service is on this machine: it is given a text that was made for it, and asked.

Seconds depend on the machine and on what else it does. So each measure also says how often a piece of work that is
always the same could have been done meanwhile, as timed right before and after: that tells versions of the program
apart, and machines and moments less.
"""

import io
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from docqa.cli.client.service import Scope, Service
from docqa.errors import Unavailable
from docqa.workers.forking import IDLE_SECONDS
from docqa.workers.loop import QUIET_SECONDS

SENTENCE = "Chapter {n}: the pump of type {n} needs {m} litres of oil every {n} months, says the manual of the works. "
QUESTION = "How many litres of oil does the pump of type {n} need?"
TASK = "Write some sentences about how the pumps of type {n} are looked after."
QUOTES, LOCAL = "QUOTES", "local"  # the model that only quotes; the provider of language models on this machine
QUOTED = "answer in quotes"
PATIENCE, PAUSE = 900.0, 0.02  # seconds
_WORDS = 100_000  # of the yardstick
COMING = "stopped", "loading"  # states of a model that is not there yet

Work = Callable[[], float]


@dataclass(frozen=True)
class Measure:
    """How many `seconds` something takes, and how many `yardsticks` could be done meanwhile; `name` stays what it
    is."""

    name: str
    seconds: float
    yardsticks: float


@dataclass(frozen=True)
class Extent:
    """How much is measured: sentences of the text, questions of each kind, starts of a server; seconds after the
    questions, before memory is measured: what is idle gives back what work took, and what reads files ends."""

    sentences: int
    questions: int
    starts: int
    rest: float


WHOLE, QUICK = Extent(2600, 20, 3, max(QUIET_SECONDS, IDLE_SECONDS) + 1), Extent(400, 5, 1, 0)


def yardstick() -> float:
    """Seconds for the work that is always the same: words are made and sorted."""
    return taken(lambda: sorted(str(number * 7919 % 100_003) for number in range(_WORDS)))


def taken(work: Callable[[], object]) -> float:
    """The seconds that a work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def measured(name: str, works: Sequence[Work]) -> Measure:
    """The median of works that tell their seconds."""
    seconds, ratios, before = [], [], yardstick()
    for work in works:
        took, after = work(), yardstick()
        seconds.append(took)
        ratios.append(2 * took / (before + after))
        before = after
    return Measure(name, statistics.median(seconds), statistics.median(ratios))


class Bench:
    """What is measured on a service that has been `started` just now, by `perf_counter`, and has no documents."""

    def __init__(self, service: Service, extent: Extent, started: float) -> None:
        self._service, self._extent, self._started = service, extent, started
        self._scope = Scope()

    def measures(self) -> Iterator[Measure]:
        """One after the other: each needs what the ones before have left. Raises Refused, Unreachable, Unavailable."""
        embeds = self._models_are_ready()
        if embeds:
            seconds = time.perf_counter() - self._started
            yield measured("embedder ready", [lambda: seconds])
            # It takes both cores for some seconds where it is loaded for the first time.
            self._wait(lambda: not self._state("verifier").startswith(COMING))
        yield measured("page read in", [self._read_in])
        yield measured("first answer", [lambda: self._answer(1)[0]])
        if embeds:
            yield measured("passage embedded", [self._embed])
        numbers = range(2, 2 + self._extent.questions)
        yield measured("retrieval", [lambda n=n: self._retrieve(n) for n in numbers])  # type: ignore[misc]
        yield measured(QUOTED, [lambda n=n: self._answer(n)[1] for n in numbers])  # type: ignore[misc]
        for model in self._local_models():
            yield from self._written(model)

    def _models_are_ready(self) -> bool:
        """Wait until the embedding model has been loaded; whether there is one."""
        self._wait(lambda: not self._state("embedding").startswith(COMING))
        return self._state("embedding") == "ready"

    def _state(self, name: str) -> str:
        return str(self._service.call("GET", "/healthz")[name])

    def _wait(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise Unavailable(f"The server has not done its work in {PATIENCE:g} s; its log says more.")
            time.sleep(PAUSE)

    def _read_in(self) -> float:
        text = "".join(SENTENCE.format(n=n, m=n * 3) for n in range(1, self._extent.sentences)).encode()
        started = time.perf_counter()
        doc_id = self._service.upload("pumps.txt", io.BytesIO(text))
        seconds = time.perf_counter() - started
        self._scope = Scope((doc_id,))
        return seconds / int(self._service.call("GET", f"/v1/api/documents/{doc_id}/status")["pages"])

    def _embed(self) -> float:
        """Seconds for each passage that had no vectors yet; the first ones got theirs before this begins."""
        path = f"/v1/api/documents/{self._scope.doc_ids[0]}/status"
        begun = self._service.call("GET", path)
        left = max(1, int(begun["chunks"]) - int(begun["chunks_done"]))
        return taken(lambda: self._wait(lambda: self._service.call("GET", path)["state"] != "indexing")) / left

    def _retrieve(self, number: int) -> float:
        body = {"query": QUESTION.format(n=number), "top_k": 5, **self._scope.place()}
        return taken(lambda: self._service.call("POST", "/v1/api/retrieve", body=body))

    def _answer(self, number: int, model: str = QUOTES, question: str = QUESTION) -> tuple[float, float]:
        """Seconds to the first words, and to the end."""
        messages = [{"sender": "user", "message": question.format(n=number)}]
        started = time.perf_counter()
        first = 0.0
        with self._service.chat(self._scope, messages, model_name=model) as reply:
            for _ in reply.pieces:
                first = first or time.perf_counter() - started
        return first, time.perf_counter() - started

    def _local_models(self) -> list[str]:
        """The names of the language models on this machine."""
        models = self._service.call("GET", "/v1/api/models")
        return [model["name"] for model in models if model["model_provider_name"] == LOCAL]

    def _written(self, model: str) -> Iterator[Measure]:
        """What answers take that a language model is asked for: its words are compared with the documents, and quotes
        stand in the place of wrong ones."""
        self._answer(1, model, TASK)  # loads it
        numbers = range(2, 2 + max(2, self._extent.questions // 4))
        yield measured(f"first words from {model}", [lambda n=n: self._answer(n, model, TASK)[0] for n in numbers])  # type: ignore[misc]
        numbers = range(numbers.stop, numbers.stop + len(numbers))
        yield measured(f"answer from {model}", [lambda n=n: self._answer(n, model, TASK)[1] for n in numbers])  # type: ignore[misc]
