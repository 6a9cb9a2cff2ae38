"""Training the reader's own part of the encoder: `python run.py reader train FILE...`.

All layers are tuned, the embeddings of words are not; what is kept is a running mean of the weights (Polyak and Juditsky, 1992). The network computes in the
given precision, the weights are summed up in float32. The same files, seed and machine give the same reader.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from docqa.catalog import digest
from docqa.reader.figures import Figures, margin, measure
from docqa.reader.network import DTYPES, Network, Reader
from docqa.reader.questions import Articles, Asked, Example, divide, examples
from docqa.reader.weights import HEAD, Tensors, save

LANGUAGES = "en"
WARM_UP = 0.06  # of the steps
LAST_RATE = 0.02  # of the learning rate
MEAN_OVER = 1000  # steps
BLOCK = 40  # batches, within which passages of like length are put together
SAID = 100  # steps between two lines of the log


@dataclass(frozen=True)
class Recipe:
    """The shares of questions that are also learnt from falsified and with another passage are of the answerable ones."""

    epochs: float = 5.0
    batch: int = 16
    rate: float = 1e-4
    head_rate: float = 1e-3
    decay: float = 0.01
    falsified: float = 0.5
    elsewhere: float = 0.7
    silent: float = 0.08
    precision: str = "bfloat16"
    seed: int = 1


def train(asked: Sequence[Asked], base: Path, out: Path, recipe: Recipe, say: Callable[[str], None]) -> Figures:
    """Train, calibrate on articles of its own, write `out`, and measure what was written on articles that took no part in either."""
    torch.manual_seed(recipe.seed)
    articles, division = Articles(asked), divide(asked)
    learnt, measured, calibrating = (
        [one for one in asked if one.article in set(part)] for part in (division.training, division.measuring, division.calibrating)
    )
    say(
        f"{len(learnt)} questions of {len(division.training)} articles; measured on {', '.join(division.measuring)}; calibrated on {', '.join(division.calibrating)}"
    )
    network = Network(base)
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    trained = _tune(network, lambda dice: examples(learnt, articles, dice, recipe.falsified, recipe.elsewhere), recipe, say)
    known = {"base": digest(base / "model.safetensors"), "languages": LANGUAGES, "margin": "0", "measured on": "; ".join(division.measuring)}
    save(out, trained, before, known)
    known["margin"] = str(round(margin(Reader(base, out, recipe.precision).read, calibrating, articles, recipe.silent), 4))
    save(out, trained, before, known)
    return measure(Reader(base, out, recipe.precision).read, measured, articles)


def _tune(network: Network, made: Callable[[random.Random], list[Example]], recipe: Recipe, say: Callable[[str], None]) -> Tensors:
    """The mean of the weights after each step, float32 by name."""
    network.encoder.to(DTYPES[recipe.precision])
    network.train()
    tuned = {name: weight for name, weight in network.named_parameters() if not name.endswith("_embeddings.weight")}
    network.requires_grad_(False)
    for parameter in tuned.values():
        parameter.requires_grad_()
    exact: Tensors = {name: weight.detach().float().clone() for name, weight in tuned.items()}
    mean = {name: weight.clone() for name, weight in exact.items()}
    rates = {False: recipe.rate, True: recipe.head_rate}
    groups = [{"params": [weight for name, weight in exact.items() if name.startswith(HEAD) == head], "lr": rate} for head, rate in rates.items()]
    optimizer = torch.optim.AdamW(groups, weight_decay=recipe.decay, fused=True)
    dice = random.Random(recipe.seed)
    steps = round(recipe.epochs * len(made(random.Random(recipe.seed))) / recipe.batch)
    plan = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / (WARM_UP * steps)) * max(LAST_RATE, 1 - step / steps))
    began, losses = time.monotonic(), []
    for step, batch in zip(range(1, steps + 1), _batches(made, recipe.batch, dice), strict=False):
        loss = _loss(network, batch)
        network.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for name, parameter in tuned.items():
            exact[name].grad = None if parameter.grad is None else parameter.grad.float()
        nn.utils.clip_grad_norm_(exact.values(), 1.0)
        optimizer.step()
        plan.step()
        with torch.no_grad():
            for name, parameter in tuned.items():
                parameter.copy_(exact[name])
            for name, weight in mean.items():
                weight.lerp_(exact[name], 1 - min(1 - 1 / MEAN_OVER, (1 + step) / (10 + step)))
        losses.append(loss.item())
        if step % SAID == 0 or step == steps:
            say(f"step {step} of {steps}, loss {sum(losses) / len(losses):.3f}, {time.monotonic() - began:.0f} s")
            losses = []
    return mean


def _batches(made: Callable[[random.Random], list[Example]], size: int, dice: random.Random) -> Iterator[list[Example]]:
    """Batches of one epoch after the other, without end."""
    while True:
        found = made(dice)
        dice.shuffle(found)
        for at in range(0, len(found), BLOCK * size):
            block = sorted(found[at : at + BLOCK * size], key=lambda one: len(one.passage))
            batches = [block[start : start + size] for start in range(0, len(block) - size + 1, size)]
            dice.shuffle(batches)
            yield from batches


def _loss(network: Network, batch: Sequence[Example]) -> Tensor:
    """How improbable the answers are: of several, the one that the network finds likeliest counts most (Clark and Gardner, 2018)."""
    encoded = network.encode([(one.question, one.passage) for one in batch])
    first, last = (scores.log_softmax(-1) for scores in network(encoded))
    losses = []
    for row, one in enumerate(batch):
        if tokens := _tokens(encoded, row, one.spans) if one.spans else [(0, 0)]:
            begins, ends = map(list, zip(*tokens, strict=True))
            losses.append(-torch.logsumexp(first[row, begins] + last[row, ends], 0))
    return torch.stack(losses).mean() if losses else first.sum() * 0


def _tokens(encoded: dict[str, Tensor], row: int, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The first and last token of each span; a span behind the last token that was read has none."""
    offsets = encoded["offset_mapping"][row].tolist()
    inside = [token for token, kind in enumerate(encoded["token_type_ids"][row].tolist()) if kind == 1 and offsets[token][1] > offsets[token][0]]
    found = []
    for start, end in spans:
        within = [token for token in inside if offsets[token][0] < end and offsets[token][1] > start]
        if within and end <= offsets[inside[-1]][1]:
            found.append((within[0], within[-1]))
    return list(dict.fromkeys(found))
