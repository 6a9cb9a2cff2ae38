"""The whole training of the verifier: `python run.py reader train-verifier FILE...`.

It trains an adapter with which a small language model, having read an excerpt and a question, judges whether the
excerpt answers it. The judgement is how much more probable any other token is than the end of the text. The model also
learns to give the answer and to predict the question: what it must understand for these it needs for the judgement too.
"""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import LlamaForCausalLM

from docqa.catalog.gguf import read_header
from docqa.errors import DocqaError
from docqa.models.verifier import PREFIX
from docqa.training.question_sets import Articles, LabelledQuestion, Split, split_articles
from docqa.training.verifier.adapter import LoRA, adapt, restore, save
from docqa.training.verifier.excerpts import make_excerpts
from docqa.training.verifier.language_model import load
from docqa.training.verifier.packing import EncodedExcerpt, Packed, batches, encode, pack

RATE = 1e-3
WARM_UP = 40  # steps
FINAL_RATE = 0.02  # share of the learning rate
AVERAGED_STEPS = 100  # window of the running mean of the weights
REPORT_EVERY = 25  # steps
SMOOTHING = 0.05  # of the labels of the judgement
# Weights of the other losses beside the judgement's.
ANSWER_WEIGHT = 0.15  # for each token of an answer
QUESTION_WEIGHT = 0.5  # for all tokens of a question together
PREDICTED_QUESTIONS = 0.5  # share of the answerable questions that are predicted

LANGUAGES = "en"


@dataclass(frozen=True)
class BaseModel:
    """The language model to adapt: its GGUF file with the SHA-256, its tokenizer, and the token that ends a text."""

    path: Path
    sha256: str
    tokenize: Callable[[str], list[int]]
    end: int


class Losses(NamedTuple):
    """The losses of a batch per question: of the judgement and of the predicted tokens.

    `accuracy` is the share of correct judgements of its `questions`.
    """

    judgement: Tensor
    prediction: Tensor
    accuracy: float
    questions: int


def train_verifier(
    questions: Sequence[LabelledQuestion],
    base: BaseModel,
    out: Path,
    steps: int,
    seed: int,
    calibrate: Callable[[Path], tuple[float, float]],
    report: Callable[[str], None],
    start: Path | None = None,
) -> None:
    """Train an adapter on the articles that are not held out, calibrate it, and write it to `out`.

    Training continues from the adapter `start` if there is one; with 0 `steps` that one is only calibrated. `calibrate`
    gets the file of the trained adapter and returns its weight and margin. If calibration fails, the trained adapter is
    left beside `out`, to start from. The same files, seed and machine give the same adapter.

    Raises DocqaError for a model of another architecture, an adapter of another model, too few articles, no answerable
    or no unanswerable questions to calibrate on, or neither steps nor `start`.
    """
    split = split_articles(questions)
    _check(questions, split, base, steps, start)
    training = [question for question in questions if question.article in set(split.training)]
    report(f"{len(training)} questions of {len(split.training)} articles")
    torch.manual_seed(seed)
    articles, rng, model = Articles(questions), random.Random(seed), load(base.path)
    adapter = adapt(model)
    if start:
        restore(start, adapter)

    def epoch() -> list[EncodedExcerpt]:
        return encode(make_excerpts(training, articles, rng), base.tokenize, base.end)

    if steps > 0:
        train(model, adapter, epoch, base.end, steps, rng, report)
    metadata = {"base": base.sha256, "languages": LANGUAGES}
    uncalibrated = out.with_name(f"{out.stem}.uncalibrated{out.suffix}")
    save(uncalibrated, adapter, {**metadata, "weight": "1.0", "margin": "0.0"})
    weight, margin = calibrate(uncalibrated)
    save(out, adapter, {**metadata, "weight": str(weight), "margin": str(round(margin, 4))})
    uncalibrated.unlink()
    report(f"The verifier counts {weight:g} times as much as the reader; their sum must reach {margin:.2f}")


def _check(
    questions: Sequence[LabelledQuestion], split: Split, base: BaseModel, steps: int, start: Path | None
) -> None:
    if steps < 1 and not start:
        raise DocqaError(
            "Without steps nothing is trained; to calibrate an adapter only, name it as the one to start from"
        )
    if len({bool(question.answers) for question in questions if question.article in split.calibration}) < 2:
        raise DocqaError(
            f"The articles to calibrate on ({', '.join(split.calibration)}) must have both answerable and unanswerable "
            "questions"
        )
    if start and read_header(start).metadata.get(f"{PREFIX}base") != base.sha256:
        raise DocqaError(f"{start} is not an adapter for {base.path.name}, so training cannot start from it")


def hidden_states(model: LlamaForCausalLM, packed: Packed) -> Tensor:
    """The states of the model's last layer: (rows, length, width)."""
    last: Tensor = model.model(
        input_ids=packed.tokens, position_ids=packed.positions, attention_mask=packed.mask
    ).last_hidden_state
    return last


def judgements(logits: Tensor, end: int) -> Tensor:
    """The log odds that anything but `end` follows: (questions), from next-token logits (questions, vocabulary)."""
    return torch.cat((logits[:, :end], logits[:, end + 1 :]), 1).logsumexp(1) - logits[:, end]


def losses(model: LlamaForCausalLM, batch: Sequence[EncodedExcerpt], end: int, rng: random.Random) -> Losses:
    """The losses of the judgements, of the answers' tokens, and of the tokens of some of the answerable questions."""
    packed = pack(batch)
    targets: list[tuple[int, int, int, float]] = []  # row, index, the token that follows, its weight
    judged, answerable = list[int](), list[float]()
    for row, excerpt in enumerate(batch):
        for question, start in zip(excerpt.questions, packed.starts[row], strict=True):
            last = start + len(question.tokens) - 1
            judged.append(len(targets))
            answerable.append(float(question.answerable))
            targets += [
                (row, last + number, token, ANSWER_WEIGHT * question.answerable)
                for number, token in enumerate(question.continuation)
            ]
            if question.answerable and rng.random() < PREDICTED_QUESTIONS:
                weight = QUESTION_WEIGHT / len(question.own)
                targets += [(row, start + index - 1, question.tokens[index], weight) for index in question.own]
    rows, indices, following, weights = map(list, zip(*targets, strict=True))
    logits: Tensor = model.lm_head(hidden_states(model, packed)[rows, indices])
    judgement, label = judgements(logits[judged], end), torch.tensor(answerable)
    entropy = F.cross_entropy(logits, torch.tensor(following), reduction="none")
    return Losses(
        judgement=F.binary_cross_entropy_with_logits(judgement, label * (1 - 2 * SMOOTHING) + SMOOTHING),
        prediction=entropy @ torch.tensor(weights) / len(judged),
        accuracy=((judgement > 0) == (label > 0)).float().mean().item(),
        questions=len(judged),
    )


def train(
    model: LlamaForCausalLM,
    adapter: Mapping[str, LoRA],
    make_epoch: Callable[[], list[EncodedExcerpt]],
    end: int,
    steps: int,
    rng: random.Random,
    report: Callable[[str], None],
) -> None:
    """Train the adapter inside the model; it ends with the running mean of its weights (Polyak and Juditsky, 1992)."""
    weights = [weight for lora in adapter.values() for weight in (lora.a, lora.b)]
    means = [weight.detach().clone() for weight in weights]
    optimizer = torch.optim.AdamW(weights, lr=RATE, weight_decay=0.0, fused=True)
    rates = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / WARM_UP) * max(FINAL_RATE, 1 - step / steps)
    )
    began, unreported, ready = time.monotonic(), list[Losses](), batches(make_epoch, rng)
    model.train()
    for step in range(1, steps + 1):
        loss = losses(model, next(ready), end, rng)
        optimizer.zero_grad()
        (loss.judgement + loss.prediction).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        rates.step()
        with torch.no_grad():
            for mean, weight in zip(means, weights, strict=True):
                mean.lerp_(weight, 1 - min(1 - 1 / AVERAGED_STEPS, (1 + step) / (10 + step)))
        unreported.append(loss._replace(judgement=loss.judgement.detach(), prediction=loss.prediction.detach()))
        if step % REPORT_EVERY == 0 or step == steps:
            report(f"step {step} of {steps}, {_summary(unreported)}, {time.monotonic() - began:.0f} s")
            unreported = []
    with torch.no_grad():
        for mean, weight in zip(means, weights, strict=True):
            weight.copy_(mean)


def _summary(batch_losses: Sequence[Losses]) -> str:
    judgement, prediction, accuracy, questions = (
        list(map(float, values)) for values in zip(*batch_losses, strict=True)
    )
    count = len(batch_losses)
    return (
        f"{sum(questions):.0f} questions, loss {sum(judgement) / count:.3f}, "
        f"of the tokens {sum(prediction) / count:.2f}, accuracy {sum(accuracy) / count:.3f}"
    )
