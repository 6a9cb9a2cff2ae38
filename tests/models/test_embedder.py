"""Texts become vectors in a child process, and questions do not wait for the bulk of the work."""

import asyncio
import json
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from conftest import MEASURED, installed_embedder
from docqa import ROOT
from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.errors import Unavailable
from docqa.models.batches import BATCH
from docqa.models.cosines import ON_SETS, UNRELATED, Scale, dot
from docqa.models.embedder import Embedder
from docqa.models.packing import size_of
from docqa.search.ranking import unit_cosines
from docqa.store.database import connect
from docqa.store.glances import at_once
from docqa.text.blocks import blocks_of
from docqa.text.units import units

CATALOG = Catalog.load(SHIPPED.parent)
ENTRY = CATALOG.embedding("all-MiniLM-L6-v2")

needs_model = pytest.mark.skipif(
    not CATALOG.present(ENTRY) or find_spec("openvino") is None, reason="the embedding model is not installed"
)


@pytest.fixture(scope="module")
def embedder(runner: asyncio.Runner) -> Iterator[Embedder]:
    """The real model, loaded once for all tests."""
    embedder = installed_embedder(ENTRY.name)
    yield embedder
    runner.run(embedder.close())


def numbers(vector: bytes) -> tuple[float, ...]:
    return struct.unpack("<384f", vector)


@needs_model
def test_a_vector_is_of_length_one_and_near_to_what_means_the_same(runner: asyncio.Runner, embedder: Embedder) -> None:
    cat, kitten, tax = runner.run(embedder.encode(["A cat sleeps.", "The kitten is taking a nap.", "Tax rates rose."]))
    for vector in (cat, kitten, tax):
        assert sum(number * number for number in numbers(vector)) == pytest.approx(1, abs=1e-5)
    assert dot(cat, kitten) > dot(cat, tax) + 0.3
    assert embedder.ready
    assert embedder.precision in ("float32", "bfloat16", "int8")


@pytest.mark.parametrize(("urgent", "most"), [(True, 3), (False, 1)])
def test_another_server_is_sent_the_batches_of_a_question_together_and_those_of_a_document_one_by_one(
    runner: asyncio.Runner, urgent: bool, most: int
) -> None:
    class Counting(Embedder):
        waiting = most = 0

        async def _vectors(self, texts: list[str], *_: object, **__: object) -> list[bytes]:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
            await asyncio.sleep(0)
            self.waiting -= 1
            return [text.encode() for text in texts]

    counting = Counting(ENTRY.name, Path(), "", 1)
    counting.is_remote = True
    texts = [f"Paragraph {number} says {'a word ' * (number % 5)}" for number in range(2 * BATCH + 1)]
    assert runner.run(counting.encode(texts, urgent=urgent)) == [text.encode() for text in texts]
    assert counting.most == most


@needs_model
def test_a_question_gets_the_vector_it_has_in_a_batch(runner: asyncio.Runner, embedder: Embedder) -> None:
    texts = [f"Paragraph {number} is about the number {number}. " * (number % 7 + 1) for number in range(40)]
    vectors = runner.run(embedder.encode(texts))
    for index in (0, 17, 39):
        assert dot(vectors[index], runner.run(embedder.encode_question(texts[index]))) > 0.995


@needs_model
@pytest.mark.parametrize(
    "text",
    ["", " ", "\x00", "\ud800", "日本語", "word " * 50_000],
    ids=["empty", "space", "nul", "surrogate", "japanese", "long"],
)
def test_every_text_has_a_vector(runner: asyncio.Runner, embedder: Embedder, text: str) -> None:
    assert len(runner.run(embedder.encode_question(text))) == 4 * 384


@needs_model
def test_a_question_passes_the_batches_that_wait(runner: asyncio.Runner, embedder: Embedder) -> None:
    async def ask_during_bulk() -> list[str]:
        done: list[str] = []
        bulk = asyncio.create_task(embedder.encode(["A short text."] * 320))
        bulk.add_done_callback(lambda _: done.append("bulk"))
        await asyncio.sleep(0.02)
        await embedder.encode_question("Who is first?")
        done.append("question")
        await bulk
        return done

    assert runner.run(ask_during_bulk()) == ["question", "bulk"]


@needs_model
def test_a_model_of_another_dimension_is_refused(runner: asyncio.Runner) -> None:
    async def load() -> str:
        embedder = Embedder("wrong", CATALOG.path(ENTRY), "", 768)
        try:
            with pytest.raises(Unavailable, match="have 384 dimensions, the catalogue says 768"):
                await embedder.encode_question("text")
            return embedder.state
        finally:
            await embedder.close()

    assert runner.run(load()).startswith("failed: ")


def test_a_model_that_is_not_there_is_a_failed_state_and_no_crash(runner: asyncio.Runner, tmp_path: Path) -> None:
    async def start() -> str:
        embedder = Embedder("absent", tmp_path / "absent", "", 384)
        async with asyncio.timeout(60):
            with pytest.raises(Unavailable):
                await embedder.load()
        await embedder.close()
        return embedder.state

    assert runner.run(start()) == "stopped"


def test_a_model_is_used_for_its_languages_only(tmp_path: Path) -> None:
    assert Embedder("english", tmp_path, "", 3, ("en",)).knows("en")
    assert not Embedder("english", tmp_path, "", 3, ("en",)).knows("ja")
    assert Embedder("any", tmp_path, "", 3).knows("ja")


def test_the_server_process_stays_free_of_numpy_and_of_what_computes() -> None:
    code = """
import sys, docqa.models.embedder, docqa.models.chat.local
print(sorted({"numpy", "openvino", "tokenizers", "torch", "llama_cpp"} & set(sys.modules)))
"""
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True) == "[]\n"


def installed_elsewhere(name: str) -> Path:
    """The model in a folder whose settings may be changed, of this name in all runs: what it measures of itself is known
    to the next. Its weights are a link: of a copy, the matrices in eight bits would be made anew."""

    def put(source: str, target: str) -> None:
        Path(target).unlink(missing_ok=True)
        if source.endswith(".safetensors"):
            Path(target).symlink_to(source)
        else:
            shutil.copy(source, target)

    model = CATALOG.path(ENTRY).resolve()
    folder = MEASURED.parent / "models" / name / model.name
    return Path(shutil.copytree(model, folder, copy_function=put, dirs_exist_ok=True))


@needs_model
def test_questions_and_passages_get_the_prefixes_of_the_model(runner: asyncio.Runner, embedder: Embedder) -> None:
    """Its own files tell that of questions, the catalogue that of passages."""
    model = installed_elsewhere("prefixed")
    config = model / "config_sentence_transformers.json"
    prompts = {"prompts": {"query": "query: "}, "default_prompt_name": "query"}
    config.write_text(json.dumps(json.loads(config.read_text()) | prompts))
    prefixed = installed_embedder(ENTRY.name, model, prefixes=("ask: ", "passage: "))

    async def compare() -> None:
        question = await prefixed.encode_question("who pays?")
        [passage] = await prefixed.encode(["who pays?"])
        same = await embedder.encode(["query: who pays?", "passage: who pays?", "who pays?"])
        alike = [round(dot(vector, other), 2) for vector, other in zip([question, passage], same, strict=False)]
        assert alike == [1, 1]
        assert dot(question, same[2]) < 0.99
        await prefixed.close()

    runner.run(compare())


LEASE = "The rent is 900 euros. It is due in May. The roof leaks, and the tenants pay for the repair. " * 2


async def encoded(folder: Path, *, in_passing: bool) -> tuple[int, list[str]]:
    """How many texts a model reads for the vectors of three passages and their units, and the units of the first one,
    the nearest to a question first."""
    embedder = installed_embedder(ENTRY.name, folder, in_passing=in_passing)
    await embedder.load()
    call, read = embedder._runner.call, 0

    async def counted(header: dict[str, Any], blob: bytes = b"", *, urgent: bool = False) -> Any:
        nonlocal read
        read += len(header["texts"])
        return await call(header, blob, urgent=urgent)

    passages = [(text, units(text, blocks_of(text))) for text in (LEASE, "One sentence.", "")]
    question = await embedder.encode_question("When must the rent be paid?")
    embedder._runner.call = counted  # type: ignore[method-assign]
    made = await embedder.encode_passages(passages)
    vectors = await embedder.encode([text for text, _ in passages])
    assert [dot(each.vector, vector) for each, vector in zip(made, vectors, strict=True)] == pytest.approx(
        [1, 1, 1], abs=0.01
    )
    assert [len(each.units) for each in made] == [len(parts) * size_of(384) for _, parts in passages]
    [same, *_] = await embedder.encode_units(passages[:1], urgent=True)
    with closing(connect(Path(":memory:"))) as conn:
        cosines, before = (
            at_once(conn, lambda conn, of=of: unit_cosines(conn, of, question)) for of in (made[0].units, same)
        )
    assert before == pytest.approx(cosines, abs=0.02), "the same for a question that comes before"
    await embedder.close()
    ranked = sorted(zip(cosines, passages[0][1], strict=True), key=lambda pair: -pair[0])
    return read - 3, [LEASE[unit.start : unit.end] for _, unit in ranked]


@needs_model
def test_units_get_vectors_in_the_pass_over_their_passage_without_one_of_their_own(runner: asyncio.Runner) -> None:
    read, nearest = runner.run(encoded(CATALOG.path(ENTRY), in_passing=True))
    assert read == 3 + 1
    assert "rent" in nearest[0] or "due" in nearest[0]
    assert "roof" in nearest[-1]


@needs_model
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_other_models_read_each_unit_by_itself(runner: asyncio.Runner, pooling: str) -> None:
    """Those of which nobody measured that it is as good, and those that do not mean their tokens."""
    model = installed_elsewhere(pooling)
    settings = model / "1_Pooling" / "config.json"
    modes = {"pooling_mode_mean_tokens": pooling == "mean", "pooling_mode_cls_token": pooling == "cls"}
    settings.write_text(json.dumps(json.loads(settings.read_text()) | modes))
    read, nearest = runner.run(encoded(model, in_passing=pooling == "cls"))
    assert read == 3 + 2 * 6 + 1
    assert len(nearest) == 6


class Crowded(Embedder):
    """One whose vectors all lie in a narrow cone."""

    unrelated = 0.7


@needs_model
def test_cosines_of_any_model_are_brought_to_one_scale(
    runner: asyncio.Runner, embedder: Embedder, tmp_path: Path
) -> None:
    runner.run(embedder.load())
    assert embedder.unrelated == pytest.approx(UNRELATED, abs=0.01), "the thresholds were fitted to this model"
    crowded = Crowded("crowded", tmp_path, "", 384)
    assert (crowded.scaled(1), crowded.scaled(0.7)) == pytest.approx((1, UNRELATED))
    assert 0.2 < crowded.scaled(0.8) < 0.6 < crowded.scaled(0.9)


def test_where_its_cosines_were_measured_each_use_has_its_scale(tmp_path: Path) -> None:
    scales = {"en": Scale(0.7, 0.9), "other": Scale(0.75, 0.9), "across": Scale(0.7, 0.8), "names": Scale(0.8, 0.95)}
    crowded = Crowded("crowded", tmp_path, "", 384, scales=scales)
    low, high = pytest.approx(ON_SETS[0]), pytest.approx(ON_SETS[1])
    assert (crowded.scaled(0.7, "en"), crowded.scaled(0.9, "en")) == (low, high)
    assert (crowded.scaled(0.75, "de"), crowded.scaled(0.9)) == (low, high)
    assert (crowded.scaled(0.7, "de", across=True), crowded.scaled(0.8, "en", across=True)) == (low, high)
    assert (crowded.scaled_name(0.8), crowded.scaled_name(0.95)) == (low, high)


def test_it_compares_two_languages_where_it_knows_both(tmp_path: Path) -> None:
    english, both = Embedder("english", tmp_path, "", 3, ("en",)), Embedder("both", tmp_path, "", 3, ("de", "en"))
    assert both.crosses("de", "en") and both.crosses("en", "de")
    assert not both.crosses("de", "de") and not both.crosses("de", "ja") and not both.crosses("de", "")
    assert not english.crosses("en", "de") and not english.crosses("de", "en")
