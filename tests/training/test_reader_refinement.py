"""The reader's second generation: training that can be stopped, its file, and its figures on what is kept apart."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from training_samples import QUESTIONS, labelled, needs_encoder, thin_encoder

from docqa.models.reader import FILE, Reading, Span, YesNo, trained_part
from docqa.training.question_sets import Articles, LabelledQuestion
from docqa.training.reader.sources import Source
from later import Later
from passages import MILL, WELL

measuring = Later("docqa.training.reader.kept_apart")


def source(name: str, training: Sequence[LabelledQuestion], kept_apart: Sequence[LabelledQuestion] = ()) -> Source:
    return Source(name, tuple(training), tuple(kept_apart), (), Articles(training), negatives=False)


MANY = [replace(question, article=f"{question.article} {number}") for number in range(12) for question in QUESTIONS]


@needs_encoder
def test_training_goes_on_from_its_checkpoint_and_writes_a_calibrated_file(tmp_path: Path) -> None:
    import torch

    from docqa.models.reader.network import YES_NO
    from docqa.training.reader.finish import open_reader, write_calibrated
    from docqa.training.reader.network import Network
    from docqa.training.reader.refine import STATE, refine
    from docqa.training.reader.run import Refinement, read_with
    from docqa.training.reader.weights import save

    base, first, lines = thin_encoder(tmp_path / "base", 48), tmp_path / "first.safetensors", list[str]()
    before = Network(base).state_dict()
    heads = {name: tensor for name, tensor in before.items() if name.startswith("head.")}
    save(first, heads, before, {"base": "", "languages": "en", "margin": "0"})
    recipe = Refinement(minutes=0.05, rate=2e-3, head_rate=5e-3, batch=8, threads=2)

    def evaluate(network: Network) -> str:
        [spans] = read_with(network)("Who sold the stones of the mill?", [MILL])
        return f"{len(spans)} spans"

    refine([source("wells", MANY)], base, first, tmp_path / "run", recipe, lines.append, evaluate)
    assert lines[-1].startswith("checkpoint at step") and lines[-1].endswith("spans")
    state = torch.load(tmp_path / "run" / STATE, weights_only=True)
    longer = replace(recipe, minutes=0.1)
    trained = refine([source("wells", MANY)], base, first, tmp_path / "run", longer, lines.append, evaluate)
    assert f"resumed at step {state['step']}, {state['spent']:.0f} s" in lines
    assert torch.load(tmp_path / "run" / STATE, weights_only=True)["step"] > state["step"]

    write_calibrated(trained, base, tmp_path / FILE, QUESTIONS, "float32", lines.append)
    part = trained_part(tmp_path)
    assert part is not None and part.languages == ("en",)
    reader = open_reader(base, part.path, "float32")
    assert YES_NO in reader.heads
    [reading] = reader.readings("Was the southern well closed in 2011?", [WELL])
    assert reading.yes_no is not None
    articles = Articles(QUESTIONS)
    scores = []
    for question in filter(lambda question: question.answers, QUESTIONS):
        retrieved = articles.search(question.article, question.question, 3)
        scores.append(max(span.score for spans in reader.read(question.question, retrieved) for span in spans))
    assert min(scores) == pytest.approx(0, abs=1e-3), "of six answerable questions a tenth is none"


@needs_encoder
def test_a_verifier_is_trained_by_differences_of_low_rank_and_its_file_holds_no_more(
    tmp_path: Path,
) -> None:
    import torch

    from docqa.models.reader.network import spans_of
    from docqa.models.reader.weights import DOWN, UP, Part, is_head
    from docqa.training.reader.finish import open_reader, write
    from docqa.training.reader.low_rank import adapt, restore
    from docqa.training.reader.network import Network
    from docqa.training.reader.refine import EXCERPTS, train_adapter
    from docqa.training.reader.run import Refinement
    from docqa.training.reader.weights import load

    first_layer, rank = 1, 8
    base, lines = thin_encoder(tmp_path / "base", 48), list[str]()
    before = Network(base).state_dict()
    recipe = Refinement(minutes=0.05, rate=2e-3, head_rate=5e-3, batch=8, threads=2, rank=rank, first_layer=first_layer)
    trained = train_adapter(
        [source("wells", MANY)], base, EXCERPTS, tmp_path / "run", recipe, lines.append, lambda _: ""
    )
    factors = {name for name in trained if not is_head(name)}
    assert factors and all(name.endswith((UP, DOWN)) for name in factors)
    assert all(int(name.split("layer.")[1].split(".")[0]) >= first_layer for name in factors)
    assert all(rank in tensor.shape for name, tensor in trained.items() if name in factors)

    write(trained, base, tmp_path / FILE)
    merged = load(tmp_path / FILE, before)
    assert Part(tmp_path / FILE).about["margin"] == "0.0"
    changed = {name for name in merged if not is_head(name) and not torch.equal(merged[name], before[name])}
    assert changed == {name.removesuffix(UP).removesuffix(DOWN) for name in factors}
    network = Network(base, 0.0)
    adapt(network, rank, first_layer)
    restore(network, tmp_path / FILE)
    network.eval()
    for layer in network.modules():
        layer.float()
    reader = open_reader(base, tmp_path / FILE, "float32")
    for question, passage in (("Who sold the stones of the mill?", MILL), ("When was the southern well closed?", WELL)):
        encoded = network.encode([(question, passage)])
        with torch.inference_mode():
            [first], [last] = (scores.numpy() for scores in network(encoded))
        likeliest = spans_of(first, last, encoded.offsets[0])[0][2]
        [reading] = reader.glance(question, [passage])
        assert reading.spans[0].score == pytest.approx(likeliest, abs=0.2), "weights are rounded to bfloat16 here"

    recipe = replace(recipe, minutes=0.0)
    further = train_adapter(
        [source("wells", MANY)], base, EXCERPTS, tmp_path / "next", recipe, lines.append, lambda _: "", tmp_path / FILE
    )
    assert further.keys() == trained.keys()
    assert all(torch.allclose(further[name], tensor, atol=0.02) for name, tensor in trained.items())


def test_the_figures_of_a_set_are_taken_on_what_is_kept_apart() -> None:
    questions = [
        labelled("When was the southern well closed?", "2011"),
        labelled("Who built the northern well?"),
        labelled("Who sold the stones of the mill?", "Edith Carr", passage=MILL),
    ]

    def read(question: str, passages: Sequence[str]) -> list[list[Span]]:
        [passage] = passages
        if question.startswith("When"):
            return [[Span(passage.index("2011"), passage.index("2011") + 4, 3.0)]]
        return [[Span(0, 4, -1.0)]] if question.startswith("Who built") else [[]]

    [figures] = measuring.measure_sets(read, [source("wells", (), questions), source("mills", questions)], 10)
    assert (figures.name, figures.answerable, figures.unanswerable) == ("wells", 2, 1)
    assert figures.f1 == 0.5 and figures.area == 0.5 and figures.refused_now == (1.0, 0.5)


def test_where_people_wrote_no_unanswerable_questions_another_passage_stands_for_one() -> None:
    questions = [
        labelled("When was the southern well closed?", "2011"),
        labelled("Who sold the stones of the mill?", "Edith Carr", passage=MILL),
    ]
    looks: list[tuple[str, str]] = []

    def read(question: str, passages: Sequence[str]) -> list[list[Span]]:
        looks.append((question, passages[0]))
        return [[Span(0, 4, 1.0)]]

    [figures] = measuring.measure_sets(read, [source("wells", (), questions)], 10)
    assert figures.unanswerable == 2
    assert (questions[0].question, MILL) in looks and (questions[1].question, WELL) in looks


def test_refusals_are_compared_at_the_same_share_of_answerable_questions() -> None:
    answerable = [float(score) for score in range(10)]
    assert measuring.refused_at(answerable, [-1.0, 0.5, 1.5, 5.0], 0.1) == 0.5
    assert measuring.refused_at(answerable, [-1.0, 0.5, 1.5, 5.0], 0.0) == 0.25


def test_yes_no_is_measured_on_questions_made_of_what_is_kept_apart() -> None:
    statements = [
        labelled("Who?", "He", passage=f"The {colour} gate is open to carts.")
        for colour in ("red", "blue", "green", "grey")
    ]
    sources = [source("gates", (), statements * 10)]

    def right(question: str, passages: Sequence[str]) -> list[Reading]:
        [passage] = passages
        same = question.split()[2] == passage.split()[1]
        yes = YesNo(1, -1) if same and " not " not in passage else YesNo(-1, 1 if same else -1)
        return [Reading([], yes)]

    text = measuring.measure_yes_no(right, sources, 30)
    assert text.startswith("yes/no: right for 100.0% of ") and "0.0% of 0 " not in text
    wrong = measuring.measure_yes_no(lambda question, passages: [Reading([], YesNo(-1, -1))], sources, 30)
    assert wrong.startswith("yes/no: right for 0.0% of ") and "100.0% of " in wrong
    assert measuring.measure_yes_no(lambda question, passages: [Reading([])], sources, 30) == "no head for yes/no"
