"""The reader's network: a trained part is a file, and what an encoder with it reads in a passage are spans and yes or no."""

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from conftest import MEASURED
from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.models.batches import AT_ONCE
from docqa.models.embedder import Embedder
from docqa.models.reader import FILE, SHIPPED, VERIFIER, Reading, Span, TableReading, TrainedPart, trained_part
from docqa.tables.reading.plan import MEASURES, OF_COLUMN
from encoder_samples import write
from later import Later, needs
from passages import BELL, MILL, WELL

if TYPE_CHECKING:
    from docqa.models.reader.network import Reader

np = pytest.importorskip("numpy")
network, parts = Later("docqa.models.reader.network"), Later("docqa.models.reader.weights")

CATALOG = Catalog.load(ROOT / "models")
ENTRY = CATALOG.embedding("all-MiniLM-L6-v2")
needs_openvino = needs("openvino", "tokenizers")
needs_model = pytest.mark.skipif(
    not CATALOG.present(ENTRY) or find_spec("openvino") is None, reason="the embedding model is not installed"
)


# The file of a trained part


@needs("torch", "safetensors")
def test_what_training_added_is_kept_within_half_a_step(tmp_path: Path) -> None:
    import torch

    from docqa.training.reader.weights import load, save

    torch.manual_seed(0)
    base = {"encoder.layer.weight": torch.randn(4, 8), "encoder.layer.bias": torch.randn(4)}
    trained = {
        "encoder.layer.weight": base["encoder.layer.weight"] + 0.02 * torch.randn(4, 8),
        "encoder.layer.bias": base["encoder.layer.bias"] + 1,
        "head.weight": torch.randn(2, 8),
        "head.bias": torch.randn(2),
    }
    save(tmp_path / FILE, trained, base, {"base": "ab", "languages": "en", "margin": "1.5"})
    part = parts.Part(tmp_path / FILE)
    assert part.about == {"base": "ab", "languages": "en", "margin": "1.5"}
    assert trained_part(tmp_path) == TrainedPart(tmp_path / FILE, "ab", ("en",))
    assert part.changed == {"layer.weight", "layer.bias"}
    assert np.allclose(part.difference("layer.bias"), 1, atol=1e-6)
    for own, tensor in zip(part.head("head"), (trained["head.weight"], trained["head.bias"]), strict=True):
        assert np.array_equal(own, tensor.numpy())
    added = (trained["encoder.layer.weight"] - base["encoder.layer.weight"]).numpy()
    step = np.abs(added).max(1, keepdims=True) / 127
    assert (np.abs(part.difference("layer.weight") - added) <= step / 2 + 1e-6).all()
    again = load(tmp_path / FILE, base)["encoder.layer.weight"] - base["encoder.layer.weight"]
    assert np.allclose(part.difference("layer.weight"), again.numpy(), atol=1e-6), "training reads the same"


def test_what_a_part_does_not_change_it_has_nothing_to_add_to(tmp_path: Path) -> None:
    factors = {"up": (4, 2), "down": (2, 8)}
    write(
        tmp_path / FILE,
        {f"encoder.layer.weight.{name}": ("F32", np.ones(shape, "<f4")) for name, shape in factors.items()},
    )
    part = parts.Part(tmp_path / FILE)
    assert part.changed == {"layer.weight"}
    assert part.difference("layer.weight") is None
    assert [factor.shape for factor in part.factors("layer.weight")] == [(4, 2), (2, 8)]
    assert part.factors("other.weight") is None and part.difference("other.weight") is None
    with pytest.raises(KeyError, match=r"head\.weight"):
        part.head("head")
    nothing = parts.Part()
    assert (nothing.changed, nothing.about, nothing.difference("layer.weight")) == (set(), {}, None)


@needs_model
def test_a_part_of_another_model_is_not_read_with(tmp_path: Path) -> None:
    other = trained_part(ROOT / "models", VERIFIER)
    assert other
    with pytest.raises(KeyError, match="belongs to another model"):
        network.Reader(CATALOG.path(ENTRY), other.path, "float32")


# What is looked at, and how often


@needs_openvino
def test_spans_of_a_passage_do_not_overlap_and_are_measured_against_no_answer() -> None:
    offsets = [(0, 0), (0, 3), (4, 9), (10, 14), (15, 20), (0, 0)]
    first, last = (np.array([1.0, *scores, -1e4], "<f4") for scores in ([3.0, 0.0, 0.0, 2.0], [0.0, 3.0, 0.0, 2.0]))
    spans = network.spans_of(first, last, offsets)
    assert spans[:2] == [(0, 9, 4.0), (15, 20, 2.0)]
    assert all(end > start for start, end, _ in spans)


def looking(seen_in: Callable[[str], list[Span]]) -> tuple["Reader", list[list[str]]]:
    """A reader that sees these spans in a text, and the list to which it adds the texts of each look."""
    looks: list[list[str]] = []

    class Tokens:
        def pairs(self, pairs: Sequence[tuple[str, str]]) -> list[Any]:
            return [SimpleNamespace(ids=list(text), text=text) for _, text in pairs]

        def padded(self, encodings: list[Any]) -> list[Any]:
            return encodings

    class Encoder:
        def each(self, batches: Iterable[Any]) -> Iterator[tuple[Any, None]]:
            return ((batch, None) for batch in batches)

    class Looking(network.Reader):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            self.tokens, self._encoder = Tokens(), Encoder()

        def _look(self, encoded: Any, _: Any) -> list[Reading]:
            looks.append([each.text for each in encoded])
            return [Reading(seen_in(each.text)) for each in encoded]

    return Looking(), looks


@needs_openvino
def test_the_best_passage_is_looked_at_again_and_so_is_one_that_then_leads() -> None:
    wells = (
        "The first well is deep. The second well is dry. The third well is new. The fourth well is old. "
        "The fifth well is lost."
    )
    mills = (
        "The first mill is tall. The second mill is shut. The third mill is wide. The fourth mill is red. "
        "The fifth mill is sold."
    )
    first = {wells: [("third", 3.0), ("fifth", 1.0)], mills: [("first", 2.0)]}
    near = {
        "The second well is dry. The third well is new. The fourth well is old.": [("new", 0.5)],
        "The first mill is tall. The second mill is shut.": [("tall", 2.5)],
    }

    def seen_in(text: str) -> list[Span]:
        known = first | near
        return [Span(text.index(word), text.index(word) + len(word), score) for word, score in known[text]]

    reader, looks = looking(seen_in)
    read_spans = reader.read("Which?", [wells, mills])
    assert looks == [[wells, mills], *([text] for text in near)]
    assert [
        [(text[span.start : span.end], span.score) for span in spans]
        for text, spans in zip((wells, mills), read_spans, strict=True)
    ] == [
        [("new", 0.5), ("fifth", -1.5)],
        [("tall", 2.5)],
    ]


@needs_openvino
def test_a_few_passages_are_read_at_a_time_those_of_similar_length_together_and_come_back_in_order() -> None:
    texts = [f"{'long ' * length}well {number}" for number, length in enumerate((9, 0, 4, 8, 1))]
    reader, looks = looking(lambda text: [Span(0, len(text), 1.0)])
    readings = reader.readings("Which?", texts, again=False)
    assert [reading.spans[0].end for reading in readings] == list(map(len, texts))
    assert looks == [[texts[1], texts[4], texts[2], texts[3]], [texts[0]]] and AT_ONCE == 4


@needs_openvino
def test_an_excerpt_that_is_glanced_at_is_read_once() -> None:
    reader, looks = looking(lambda text: [Span(0, 3, 1.0)])
    reader.glance("Which?", [WELL])
    assert looks == [[WELL]]


# With a real encoder


def heads(**tensors: Any) -> dict[str, tuple[str, Any]]:
    """A head for spans that says little, and others."""
    rng = np.random.default_rng(1)
    span = {"head.weight": rng.normal(0, 0.05, (2, ENTRY.dimension)).astype("<f4"), "head.bias": np.zeros(2, "<f4")}
    return {name: ("F32", numbers) for name, numbers in {**span, **tensors}.items()}


def part_of(path: Path, tensors: Mapping[str, tuple[str, Any]], **about: str) -> TrainedPart:
    write(path, tensors, {"base": ENTRY.weights.sha256, "languages": "en", "margin": "0", **about})
    return TrainedPart(path, ENTRY.weights.sha256, ("en",))


@needs_model
def test_a_part_with_a_head_for_it_says_yes_or_no(runner: asyncio.Runner, tmp_path: Path) -> None:
    says = {
        "yes_no_head.weight": np.zeros((3, ENTRY.dimension), "<f4"),
        "yes_no_head.bias": np.array([0.0, 3.0, -1.0], "<f4"),
    }

    def read_with(part: TrainedPart) -> list[Reading]:
        embedder = Embedder(
            ENTRY.name,
            CATALOG.path(ENTRY),
            ENTRY.weights.sha256,
            ENTRY.dimension,
            reader=part,
            measured=MEASURED,  # both in the precision that was the fastest
        )
        try:
            return runner.run(embedder.readings("Is the well dry?", ["The well is dry."]))
        finally:
            runner.run(embedder.close())

    [before] = read_with(part_of(tmp_path / "first.safetensors", heads()))
    assert before.spans and before.yes_no is None, "the first generation has no head for it"
    [after] = read_with(part_of(tmp_path / "second.safetensors", heads(**says), heads="span yes_no"))
    assert after.yes_no is not None
    assert after.yes_no.yes == pytest.approx(3 - math.log(1 + math.exp(-1)), abs=1e-3)
    assert after.yes_no.no == pytest.approx(-1 - math.log(1 + math.exp(3)), abs=1e-3)
    assert after.spans == before.spans


@needs_model
def test_the_margin_of_a_part_is_taken_from_all_scores(tmp_path: Path) -> None:
    plain, strict = (
        network.Reader(CATALOG.path(ENTRY), part_of(tmp_path / margin, heads(), margin=margin).path, "float32")
        for margin in ("0", "1.5")
    )
    first, other = (reader.read("Who cast the bell?", [BELL])[0] for reader in (plain, strict))
    assert [span.score for span in first] == pytest.approx([span.score + 1.5 for span in other], abs=1e-4)
    assert [span[:2] for span in first] == [span[:2] for span in other]


@needs("openvino", "tokenizers")
def test_a_spot_in_a_table_is_the_token_that_begins_there_or_the_next_one() -> None:
    offsets = [(0, 0), (0, 4), (0, 0), (0, 5), (5, 6), (8, 12), (0, 0)]
    of_second = [False, False, False, True, True, True, False]
    assert network.spots(offsets, of_second, [0, 5, 7, 8, 12, 40]) == [3, 4, 5, 5, 0, 0]


@needs_model
def test_a_part_that_has_not_learned_tables_says_so(tmp_path: Path) -> None:
    part = part_of(tmp_path / "first.safetensors", heads())
    stored = trained_part(tmp_path, part.path.name)
    assert stored is not None and not stored.reads_tables
    reader = network.Reader(CATALOG.path(ENTRY), part.path, "float32")
    with pytest.raises(KeyError, match="has not learned to read tables"):
        reader.table("whats on hold", "tickets : | state : done ; on hold", [10, 18, 25])


@needs_model
def test_the_shipped_part_tells_what_an_everyday_question_asks_of_a_table(runner: asyncio.Runner) -> None:
    text = "repairs : | ticket : R-01 … | state : done ; on hold | mechanic : Ana Ruiz ; Ben Low ; – | cost : 12 …"
    names = ["ticket", "state", "done", "on hold", "mechanic", "Ana Ruiz", "Ben Low", "cost"]
    part = trained_part(SHIPPED)
    assert part is not None and part.reads_tables
    embedder = Embedder(ENTRY.name, CATALOG.path(ENTRY), ENTRY.weights.sha256, ENTRY.dimension, reader=part)

    def read(question: str) -> TableReading:
        return runner.run(embedder.read_table(question, text, [text.index(name) for name in names]))

    try:
        on_hold, dearest = read("whats on hold"), read("what was the dearest one")
    finally:
        runner.run(embedder.close())
    meant = {name for name, scores in zip(names, on_hold.spots, strict=True) if scores[len(OF_COLUMN)] > 0}
    assert meant == {"on hold"}
    highest = MEASURES.index("highest")
    assert max(zip(names, dearest.spots, strict=True), key=lambda each: each[1][highest])[0] == "cost"
    assert dearest.spots[-1][highest] > max(dearest.whole[:-1])


@needs_model
def test_a_column_behind_what_is_read_of_a_table_has_no_part_in_the_question() -> None:
    reader = network.Reader(CATALOG.path(ENTRY), SHIPPED / FILE, "float32")
    text = "repairs : " + "".join(f"| part {number} of a machine : {number} … " for number in range(80))
    reading = reader.table("how many are there", text, [text.index("part 0"), text.index("part 79")])
    assert max(reading.spots[0]) > -100 and max(reading.spots[1]) < -1000


@needs_model
def test_after_a_rest_it_reads_the_same() -> None:
    reader = network.Reader(CATALOG.path(ENTRY), SHIPPED / FILE, "float32")
    before = reader.readings("Who cast the bell?", [WELL, MILL, BELL])
    reader.rest()
    assert reader.readings("Who cast the bell?", [WELL, MILL, BELL]) == before


@needs_model
@needs("torch", "safetensors")
def test_the_shipped_part_reads_as_the_network_that_was_trained() -> None:
    import torch

    from docqa.training.reader.network import Network
    from docqa.training.reader.weights import load

    trained = Network(CATALOG.path(ENTRY)).eval()
    trained.load_state_dict(load(SHIPPED / FILE, trained.state_dict()), strict=False)
    reader = network.Reader(CATALOG.path(ENTRY), SHIPPED / FILE, "float32")
    pairs = [("Who repaired the pump of the northern well?", WELL), ("How heavy is the bell?", BELL)]
    for question, passage in pairs:
        encoded = trained.encode([(question, passage)])
        with torch.inference_mode():
            [first], [last] = (scores.numpy() for scores in trained(encoded))
        expected = network.spans_of(first, last, encoded.offsets[0])
        [reading] = reader.glance(question, [passage])
        assert [span[:2] for span in reading.spans] == [span[:2] for span in expected]
        scores = [span.score + reader.margin for span in reading.spans]
        assert scores == pytest.approx([score for *_, score in expected], abs=1e-3)
