"""The process of an embedding model: the precision it computes in, what it keeps of that, and the memory it gives back."""

import asyncio
import json
import re
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import ANY

import pytest

from conftest import MATRICES, MEASURED
from docqa.catalog.catalog import Catalog
from docqa.errors import Unavailable
from docqa.models.batches import AT_ONCE
from docqa.models.embedder import Embedder
from docqa.models.embedder_child import ENVIRONMENT, SAMPLES, TURNS, EmbeddingModel
from docqa.models.reader import FILE, SHIPPED
from docqa.workers.loop import Header
from later import needs
from passages import BELL, MILL, WELL

CATALOG = Catalog.load(SHIPPED)
ENTRY = CATALOG.embedding("all-MiniLM-L6-v2")
needs_model = pytest.mark.skipif(
    not CATALOG.present(ENTRY) or find_spec("openvino") is None, reason="the embedding model is not installed"
)


@dataclass
class Precise:
    """A model in a precision, of which it is known how long it takes for a text, and how like its vectors are to the
    exact ones."""

    precision: str
    seconds: float
    alike: float = 1.0


class Raced(EmbeddingModel):
    """One whose models are timed by what is known of them; `texts` are the numbers of texts of each."""

    def __init__(self) -> None:
        self.texts: Counter[str] = Counter()

    def _measure(self, model: Any, texts: Sequence[str]) -> tuple[Any, float]:
        import numpy

        self.texts[model.precision] += len(texts)
        return numpy.full((len(texts), 1), model.alike), model.seconds * len(texts)


EXACT = Precise("float32", 1.0)


@needs("openvino")
@pytest.mark.parametrize(
    ("others", "chosen"),
    [
        ([], "float32"),
        ([Precise("bfloat16", 0.5)], "bfloat16"),
        ([Precise("bfloat16", 1.5)], "float32"),
        ([Precise("bfloat16", 0.5, alike=0.9)], "float32"),
        ([Precise("bfloat16", 0.5), Precise("int8", 0.4)], "int8"),
        ([Precise("bfloat16", 0.5), Precise("int8", 0.4, alike=0.99)], "bfloat16"),
        ([Precise("bfloat16", 0.5), Precise("int8", 0.52)], "int8"),
        ([Precise("bfloat16", 0.5), Precise("int8", 0.6)], "bfloat16"),
    ],
)
def test_the_fastest_precision_is_chosen_of_those_that_give_the_same_vectors(
    others: list[Precise], chosen: str
) -> None:
    """That in eight bits also where it is a little slower: it takes half the memory."""
    raced = Raced()
    model, rate = raced.choose_precision([EXACT, *others])
    assert (model.precision, rate) == (chosen, 1 / model.seconds)
    assert set(raced.texts.values()) == {TURNS * len(SAMPLES)}, "each of them has as many turns"


@needs("openvino")
def test_a_single_bad_text_of_the_samples_rules_a_precision_out() -> None:
    class Uneven(Raced):
        def _measure(self, model: Any, texts: Sequence[str]) -> tuple[Any, float]:
            vectors, seconds = super()._measure(model, texts)
            vectors[-1] *= 0.9 if model is not EXACT else 1.0
            return vectors, seconds

    assert Uneven().choose_precision([EXACT, Precise("bfloat16", 0.5)]) == (EXACT, 1.0)


@needs("openvino")
def test_other_work_on_the_machine_for_three_runs_does_not_decide_which_precision_is_kept() -> None:
    class Disturbed(Raced):
        slow: ClassVar[range]
        runs = 0

        def _measure(self, model: Any, texts: Sequence[str]) -> tuple[Any, float]:
            vectors, seconds = super()._measure(model, texts)
            self.runs += 1
            return vectors, seconds * (10 if self.runs - 1 in self.slow else 1)

    for first in range(2 * TURNS - 2):
        Disturbed.slow = range(first, first + 3)
        model, rate = Disturbed().choose_precision([EXACT, Precise("bfloat16", 0.5)])
        assert (model.precision, rate) == ("bfloat16", 2.0)


@needs_model
def test_a_later_start_takes_the_precision_that_was_measured(runner: asyncio.Runner, tmp_path: Path) -> None:
    """What is read from the file is believed, where the processor has that precision: nothing is measured."""
    from docqa.models.encoder import precisions

    file = tmp_path / "precisions.json"

    async def load() -> tuple[str, float]:
        embedder = Embedder(
            ENTRY.name, CATALOG.path(ENTRY), ENTRY.weights.sha256, ENTRY.dimension, measured=file, kept_in=MATRICES
        )
        await embedder.load()
        await embedder.close()
        return embedder.precision, embedder.unrelated

    first = runner.run(load())
    [(key, measured)] = json.loads(file.read_text()).items()
    assert (measured["precision"], round(measured["unrelated"], 4)) == first
    for precision in precisions():
        file.write_text(json.dumps({key: measured | {"precision": precision, "unrelated": 0.25}}))
        assert runner.run(load()) == (precision, 0.25)
    file.write_text(json.dumps({key: measured | {"precision": "float3", "unrelated": 0.25}}))
    assert runner.run(load()) == (ANY, pytest.approx(first[1], abs=0.01)), (
        "what this processor cannot reckon in was measured elsewhere"
    )


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> EmbeddingModel:
    """The real model with the shipped reader, in this process."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)  # which it sets, and this takes back
    folder = str(CATALOG.path(ENTRY))
    return EmbeddingModel(folder, ENTRY.dimension, "", "", str(SHIPPED / FILE), folder, str(MEASURED), str(MATRICES))


def answers(model: EmbeddingModel, **body: object) -> list[tuple[Header, bytes] | None]:
    return list(model.handle(body, b"", threading.Event()))


def memory() -> int:
    """What this process has of its own, in kB."""
    known = re.search(r"RssAnon:\s+(\d+)", Path("/proc/self/status").read_text())
    assert known
    return int(known[1])


@needs_model
@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux counts it")
def test_at_rest_it_gives_back_memory_and_then_answers_as_before(model: EmbeddingModel) -> None:
    texts, question = [WELL * 3, MILL * 3, BELL * 3] * 5, "Who cast the bell?"
    before = answers(model, texts=texts, role="document"), answers(model, question=question, passages=texts, again=True)
    busy = memory()
    model.rest()
    assert memory() < busy
    assert answers(model, texts=texts, role="document") == before[0]
    assert answers(model, question=question, passages=texts, again=True) == before[1]


@needs_model
def test_texts_of_documents_are_read_one_by_one_from_the_moment_that_somebody_asks(
    model: EmbeddingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    tokens = model._model._tokens
    padded = tokens.padded
    monkeypatch.setattr(tokens, "padded", lambda windows: (read.append(len(windows)), padded(windows))[1])
    passages = {"texts": [WELL, MILL, BELL, WELL, MILL, BELL, WELL, MILL], "role": "document"}
    [*_, undisturbed] = answers(model, **passages)
    assert read == [AT_ONCE] * 2
    read.clear()
    work = model.handle(passages, b"", threading.Event())
    assert next(work) is None, "it lets others go first"
    answers(model, texts=["Who cast the bell?"], role="query", urgent=True)
    [*_, disturbed] = work
    assert read == [AT_ONCE, 1, *[1] * AT_ONCE]
    assert undisturbed and disturbed
    np = pytest.importorskip("numpy")
    assert np.allclose(*(np.frombuffer(vectors, "<f4") for _, vectors in (undisturbed, disturbed)), atol=0.02)


@needs_model
def test_a_model_without_a_trained_part_does_not_read(model: EmbeddingModel) -> None:
    model._reader = None
    with pytest.raises(Unavailable, match="has no reader"):
        answers(model, question="Who?", passages=[WELL], again=True)
    model.rest()


@needs_model
def test_a_model_whose_file_is_cut_off_is_a_failed_state_that_names_the_file(
    runner: asyncio.Runner, tmp_path: Path
) -> None:
    for path in CATALOG.path(ENTRY).rglob("*.json"):
        copied = tmp_path / path.relative_to(CATALOG.path(ENTRY))
        copied.parent.mkdir(exist_ok=True)
        copied.write_bytes(path.read_bytes())
    with (CATALOG.path(ENTRY) / "model.safetensors").open("rb") as whole:
        (tmp_path / "model.safetensors").write_bytes(whole.read(1 << 20))

    async def load() -> str:
        embedder = Embedder("cut off", tmp_path, "", ENTRY.dimension)
        try:
            with pytest.raises(Unavailable):
                await embedder.load()
            return embedder.state
        finally:
            await embedder.close()

    state = runner.run(load())
    assert state.startswith("failed: ") and str(tmp_path / "model.safetensors") in state
