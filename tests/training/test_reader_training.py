"""Training of the reader: tuning on labelled questions, and distillation from a teacher."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from training_samples import QUESTIONS, needs_encoder, thin_encoder

from docqa.models.reader import FILE, trained_part
from docqa.training.question_sets import Example, LabelledQuestion, answer_spans, split_articles
from passages import BELL, MILL, WELL

# The same questions in 18 articles: the reader has seen them all, although whole articles are held out.
MANY = [replace(question, article=f"{question.article} {number}") for number in range(6) for question in QUESTIONS]


@needs_encoder
def test_a_reader_is_trained_written_and_used(tmp_path: Path) -> None:
    """It memorises a few questions, and its file gives the same answers."""
    from docqa.training.reader.finish import open_reader
    from docqa.training.reader.train import Recipe, train
    from docqa.training.reader.tuning import Schedule

    base = thin_encoder(tmp_path / "base", 48)
    lines: list[str] = []
    recipe = Recipe(Schedule(300, 2e-3, 5e-3), batch=4, falsified=0.0, other_passage=0.0, precision="float32")
    figures = train(MANY, base, tmp_path / FILE, recipe, lines.append)
    assert figures.f1_given_passage > 0.6, "the held-out questions are those it was trained on, under other titles"
    assert "evaluated on" in lines[0] and "loss" in lines[-1]
    part = trained_part(tmp_path)
    assert part is not None and part.languages == ("en",)
    reader = open_reader(base, part.path, "float32")
    [[best, *_]] = reader.read("Who sold the stones of the mill?", [MILL])
    assert MILL[best.start : best.end] == "Edith Carr"
    assert reader.read("Who sold \ud800 the stones?", ["\ud800 " + MILL])[0], (
        "a lone surrogate, which the tokenizer rejects, does no harm"
    )


@needs_encoder
def test_a_reader_learns_the_scores_of_its_teacher(tmp_path: Path) -> None:
    """The teacher memorises the questions; the reader, which sees their teacher scores only, then answers them too."""
    import torch

    from docqa.training.reader.losses import distillation_loss, labelled_loss, projections
    from docqa.training.reader.network import Network
    from docqa.training.reader.teacher import score_pairs
    from docqa.training.reader.tuning import Schedule, tune

    torch.manual_seed(1)
    schedule = Schedule(150, 2e-3, 5e-3)
    pairs = [(question.question, question.passage) for question in QUESTIONS]
    examples = [Example(question.question, question.passage, answer_spans(question)) for question in QUESTIONS]
    teacher = Network(thin_encoder(tmp_path / "teacher", 64))
    reader = Network(thin_encoder(tmp_path / "base", 48))
    teacher.load_state_dict(
        tune(teacher, lambda: labelled_loss(teacher, examples).mean(), schedule, lambda _: None), strict=False
    )
    lines: list[str] = []
    scored = score_pairs(teacher, pairs, 4, random.Random(1), lines.append)
    assert {(scores.question, scores.passage) for scores in scored} == set(pairs)
    assert lines == ["the teacher finds no answer to 1 of 7 questions; it is sure about 7 of them"]
    for scores in scored:
        assert float(scores.first.sum()) == pytest.approx(1, abs=0.01) and len(scores.first) == len(scores.last)
        assert scores.states.shape[0] == 2, "two layers"
        assert scores.states.shape[1] > len(scores.first), "the question's tokens have states too"
    projected = projections(reader, scored[0])
    before = labelled_loss(reader, examples).mean().item()
    tuned = tune(
        reader, lambda: distillation_loss(reader, scored, projected).mean(), schedule, lambda _: None, projected
    )
    assert set(tuned) <= set(reader.state_dict()), "the projections are not kept"
    reader.load_state_dict(tuned, strict=False)
    assert labelled_loss(reader.eval(), examples).mean().item() < 0.2 * before


@needs_encoder
def test_an_excerpt_keeps_the_likeliest_answer_and_its_teacher_scores(tmp_path: Path) -> None:
    import torch

    from docqa.training.reader.network import Network
    from docqa.training.reader.teacher import ExcerptCutter, TeacherScores, token_indices

    network = Network(thin_encoder(tmp_path / "base", 48))
    passage = " ".join(
        f"The well number {number} was built by the mason of Kendal for the people there." for number in range(20)
    )
    question_tokens, passage_tokens = token_indices(network.encode([("Who built it?", passage)]), 0)
    answer = len(passage_tokens) // 2
    probabilities = torch.zeros(1 + len(passage_tokens))
    probabilities[0], probabilities[1 + answer] = 0.3, 0.7
    numbered = torch.arange(1.0 + len(question_tokens) + len(passage_tokens)).expand(2, -1)[..., None]
    scores = TeacherScores("Who built it?", passage, probabilities, probabilities, numbered)
    excerpts = [ExcerptCutter(network).cut(scores, random.Random(seed)) for seed in range(12)]
    assert len({excerpt.passage for excerpt in excerpts}) > 1
    for excerpt in excerpts:
        assert excerpt.passage in passage
        assert excerpt.passage.startswith("The well") and excerpt.passage.endswith("there."), "whole sentences"
        question, tokens = token_indices(network.encode([(excerpt.question, excerpt.passage)]), 0)
        assert len(excerpt.first) == 1 + len(tokens) and excerpt.states.shape[1] == 1 + len(question) + len(tokens)
        assert float(excerpt.first[0]) == pytest.approx(0.3) and float(excerpt.first.sum()) == pytest.approx(1)
        likeliest = int(excerpt.first[1:].argmax())
        assert int(excerpt.states[0, 1 + len(question) + likeliest, 0]) == 1 + len(question_tokens) + answer
    uniform = torch.full((1 + len(passage_tokens),), 1 / (1 + len(passage_tokens)))
    spread = TeacherScores("Who built it?", passage, uniform, uniform, numbered)
    assert ExcerptCutter(network).cut(spread, random.Random(1)).passage == passage, (
        "an excerpt would lose too much of the probability"
    )


@needs_encoder
def test_a_pair_that_teacher_and_reader_cut_differently_is_left_out(tmp_path: Path) -> None:
    import torch

    from docqa.training.reader.losses import distillation_loss, projections
    from docqa.training.reader.network import Network
    from docqa.training.reader.teacher import TeacherScores

    network = Network(thin_encoder(tmp_path / "base", 48))
    short = TeacherScores("Who?", WELL, torch.zeros(3), torch.zeros(3), torch.zeros(2, 5, 8))
    assert distillation_loss(network, [short], projections(network, short)).tolist() == [0.0]


@needs_encoder
def test_distillation_averages_its_rounds_and_never_sees_the_held_out_articles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from safetensors import safe_open

    from docqa.training.reader import train as training
    from docqa.training.reader.train import Distillation, Recipe, train
    from docqa.training.reader.tuning import Schedule, tune

    ends = []

    def recorded(*arguments: Any) -> Any:
        ends.append(tune(*arguments))
        return ends[-1]

    monkeypatch.setattr(training, "tune", recorded)
    seen: list[LabelledQuestion] = []

    def generate(questions: Sequence[LabelledQuestion]) -> list[tuple[str, str]]:
        seen.extend(questions)
        names = ("Kendal", "Ghent", "the council")
        return [(f"Who saw {name}?", question.passage) for question in questions for name in names]

    schedule, lines = Schedule(40, 2e-3, 5e-3), list[str]()
    recipe = Recipe(schedule, schedule, schedule, batch=4, distilled=2, precision="float32")
    texts = {"Chapels": [f"The chapel was built in Kendal by the council. {BELL}"]}
    distillation = Distillation(thin_encoder(tmp_path / "teacher", 64), generate, texts)
    base = thin_encoder(tmp_path / "base", 48)
    figures = train(MANY, base, tmp_path / FILE, recipe, lines.append, distillation)
    held_out = {question.article for question in MANY} - {question.article for question in seen}
    assert len(held_out) == 7, "the articles for evaluation and calibration"
    assert figures.questions == sum(question.article in split_articles(MANY).evaluation for question in MANY)
    assert [line.split()[0] for line in lines[1:]] == ["step", "step", "the", "step", "step"], (
        "the reader is tuned, the teacher is tuned and scores the pairs, the reader is distilled in two rounds"
    )
    part = trained_part(tmp_path)
    assert part is not None and part.path == tmp_path / FILE
    with safe_open(part.path, "pt") as file:
        written = file.get_tensor("head.weight")
    *_, first, second = (end["head.weight"] for end in ends)
    assert written.equal((first + second) / 2) and not first.equal(second)
