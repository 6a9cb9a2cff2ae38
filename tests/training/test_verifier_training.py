"""Training of the verifier: losses, tuning of the adapter, and the whole run with calibration."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from verifier_samples import (
    END,
    MANY,
    QUESTIONS,
    needs_gguf,
    needs_transformers,
    tiny_model,
    word_tokens,
    write_gguf,
)

from docqa.errors import DocqaError
from docqa.training.question_sets import Articles, LabelledQuestion, split_articles
from docqa.training.verifier.excerpts import Excerpt, make_excerpts
from passages import BELL, MILL


def encoded(excerpts: list[Excerpt]) -> list[Any]:
    from docqa.training.verifier.packing import encode

    return encode(excerpts, word_tokens, END)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The tiny model as the base, all of whose layers are adapted."""
    from docqa.training.verifier import adapter, train

    monkeypatch.setattr(train, "adapt", lambda model: adapter.adapt(model, 0))
    return train.BaseModel(write_gguf(tmp_path / "tiny.gguf", tiny_model()), "abc", word_tokens, END)


@needs_transformers
def test_losses_are_those_of_questions_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The token behind the question is judged, each token of an answer and the end are predicted at one weight, and all
    tokens of a question together at another."""
    import torch

    from docqa.training.verifier import train

    monkeypatch.setattr(train, "PREDICTED_QUESTIONS", 1.0)
    model = tiny_model()
    batch = encoded(
        [
            Excerpt(BELL, (("Who cast the bell?", "Jan Moer"), ("Who built it?", None))),
            Excerpt(MILL, (("When did it grind?", "1954"),)),
        ]
    )
    judgement, prediction = [], []
    with torch.no_grad():
        losses = train.losses(model, batch, END, random.Random(1))
        for excerpt in batch:
            for question in excerpt.questions:
                tokens = torch.tensor([[*excerpt.tokens, *question.inputs]])
                log_probs = model(tokens).logits[0].log_softmax(-1)
                last = len(excerpt.tokens) + len(question.tokens) - 1
                end = log_probs[last, END].exp()
                label = 0.95 if question.answerable else 0.05
                judgement.append(-label * (1 - end).log() - (1 - label) * end.log())
                if question.answerable:
                    answer = sum(log_probs[last + index, token] for index, token in enumerate(question.continuation))
                    own = [log_probs[len(excerpt.tokens) + index - 1, question.tokens[index]] for index in question.own]
                    prediction.append(-0.15 * answer - 0.5 * sum(own) / len(own))
    assert losses.judgement.item() == pytest.approx(sum(judgement).item() / 3, rel=1e-4)
    assert losses.prediction.item() == pytest.approx(sum(prediction).item() / 3, rel=1e-4)
    assert losses.questions == 3


@needs_transformers
def test_training_changes_only_the_adapter_and_lowers_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from docqa.training.verifier import train
    from docqa.training.verifier.adapter import adapt

    monkeypatch.setattr(train, "WARM_UP", 4)
    monkeypatch.setattr(train, "RATE", 5e-3)
    model = tiny_model()
    batch = encoded(make_excerpts(QUESTIONS, Articles(QUESTIONS), random.Random(1)))
    weights = {name: weight.clone() for name, weight in model.state_dict().items()}
    plain = train.losses(model, batch, END, random.Random(1))
    adapter = adapt(model, 0)
    untrained = train.losses(model, batch, END, random.Random(1))
    assert untrained.judgement.item() == pytest.approx(plain.judgement.item(), rel=1e-5), "at first it adds nothing"
    lines: list[str] = []
    train.train(model, adapter, lambda: list(batch), END, 60, random.Random(1), lines.append)
    trained = train.losses(model, batch, END, random.Random(1))
    assert trained.judgement.item() < 0.8 * plain.judgement.item()
    assert trained.prediction.item() < plain.prediction.item()
    assert [line.split(",")[0] for line in lines] == ["step 25 of 60", "step 50 of 60", "step 60 of 60"]
    after = {
        name.replace(".linear.", "."): weight
        for name, weight in model.state_dict().items()
        if not name.endswith((".a", ".b"))
    }
    assert after.keys() == weights.keys()
    assert all(torch.equal(weight, weights[name]) for name, weight in after.items())


@needs_transformers
@needs_gguf
def test_training_continues_from_an_adapter(base: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from docqa.training.verifier import train

    path = tmp_path / "verifier.lora"
    monkeypatch.setattr(train, "WARM_UP", 4)
    monkeypatch.setattr(train, "RATE", 5e-3)

    def first_loss(steps: int, start: Path | None) -> float:
        """The mean loss of the judgements in the first 25 steps."""
        lines: list[str] = []
        train.train_verifier(MANY, base, path, steps, 1, lambda _: (1.0, 0.0), lines.append, start)
        return float(next(line for line in lines if line.startswith("step 25 ")).split("loss ")[1].split(",")[0])

    assert first_loss(60, None) > 1.2 * first_loss(25, path)


@needs_transformers
@needs_gguf
def test_the_whole_training_holds_out_articles_and_is_reproducible(
    base: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from docqa.catalog.gguf import read_header
    from docqa.models.verifier import PREFIX
    from docqa.training.verifier import train

    seen: list[str] = []

    def recorded(questions: list[LabelledQuestion], articles: Articles, rng: random.Random) -> list[Excerpt]:
        seen.extend(question.article for question in questions)
        return make_excerpts(questions, articles, rng)

    monkeypatch.setattr(train, "make_excerpts", recorded)

    def calibrate(path: Path) -> tuple[float, float]:
        assert read_header(path).metadata["docqa.margin"] == "0.0", "the adapter is not calibrated yet"
        return 3.0, 1.23456

    first, same, other = (tmp_path / name for name in ("first.lora", "same.lora", "other.lora"))
    for path, seed in ((first, 1), (same, 1), (other, 2)):
        train.train_verifier(MANY, base, path, 3, seed, calibrate, lambda _: None)
    assert set(seen) == set(split_articles(MANY).training)
    assert first.read_bytes() == same.read_bytes() != other.read_bytes()
    metadata = read_header(first).metadata
    assert {key.removeprefix(PREFIX): value for key, value in metadata.items() if key.startswith(PREFIX)} == {
        "base": "abc",
        "languages": "en",
        "weight": "3.0",
        "margin": "1.2346",
    }
    assert {file.name for file in tmp_path.iterdir()} == {"tiny.gguf", "first.lora", "same.lora", "other.lora"}


@needs_transformers
@needs_gguf
def test_an_adapter_of_another_model_is_rejected(base: Any, tmp_path: Path) -> None:
    from docqa.training.verifier import train

    path, out = tmp_path / "verifier.lora", tmp_path / "other.lora"
    train.train_verifier(MANY, base, path, 1, 1, lambda _: (1.0, 0.0), lambda _: None)
    with pytest.raises(DocqaError, match=r"verifier\.lora is not an adapter for tiny\.gguf"):
        train.train_verifier(MANY, replace(base, sha256="abd"), out, 1, 1, lambda _: (1.0, 0.0), lambda _: None, path)
    assert not out.exists()


@needs_transformers
@needs_gguf
def test_an_adapter_is_replaced_only_after_calibration_and_can_be_calibrated_alone(base: Any, tmp_path: Path) -> None:
    from docqa.training.verifier import train

    out, uncalibrated = tmp_path / "verifier.lora", tmp_path / "verifier.uncalibrated.lora"

    def make(
        out: Path,
        steps: int,
        calibrate: Callable[[Path], tuple[float, float]],
        start: Path | None = None,
        questions: list[LabelledQuestion] = MANY,
    ) -> None:
        train.train_verifier(questions, base, out, steps, 1, calibrate, lambda _: None, start)

    def interrupted(_: Path) -> tuple[float, float]:
        raise KeyboardInterrupt

    make(out, 3, lambda _: (3.0, 1.0))
    before = out.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        make(out, 3, interrupted)
    assert out.read_bytes() == before and uncalibrated.is_file()
    make(tmp_path / "other.lora", 0, lambda _: (3.0, 1.0), uncalibrated)
    assert (tmp_path / "other.lora").read_bytes() == before, "the same training, calibrated later"
    with pytest.raises(DocqaError, match="Without steps nothing is trained"):
        make(out, 0, interrupted)
    answerable = [question for question in MANY if question.answers]
    with pytest.raises(DocqaError, match="must have both answerable and unanswerable questions"):
        make(out, 3, interrupted, questions=answerable)
    assert out.read_bytes() == before
