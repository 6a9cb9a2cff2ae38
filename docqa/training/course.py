"""The whole training of the reader: `python run.py reader train FILE...`.

A larger encoder learns the questions first. It then says what it thinks of questions that a language model has asked about the same passages, and the reader learns
these beside the known ones: it has too few of those to tell what is answered from what only looks so. The same files, seed and machine give the same reader.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from docqa.catalog import digest
from docqa.reader.network import Network, Reader
from docqa.reader.weights import save
from docqa.training.figures import Figures, margin, measure
from docqa.training.lessons import Opinion, batches, known, opinions, taught
from docqa.training.questions import Articles, Asked, divide, examples, others
from docqa.training.tuning import Pace, tune

LANGUAGES = "en"


@dataclass(frozen=True)
class Recipe:
    """`falsified` and `elsewhere` are the shares of the answerable questions that are also learnt turned false and with another passage; the teacher is asked about
    as many turned false, and about the share `strayed` of the made ones with another passage. `by_teacher` of each batch come from it."""

    reader: Pace = Pace(steps=3000, rate=1e-4)
    teacher: Pace = Pace(steps=900, rate=4e-5)
    batch: int = 16
    by_teacher: int = 8
    falsified: float = 0.5
    elsewhere: float = 0.7
    strayed: float = 0.12
    silent: float = 0.08
    seed: int = 1


@dataclass(frozen=True)
class Teaching:
    """The folder of the teacher's base model, and what asks: (question, passage) pairs about the passages of these questions."""

    base: Path
    ask: Callable[[Sequence[Asked]], list[tuple[str, str]]]


def train(asked: Sequence[Asked], base: Path, out: Path, recipe: Recipe, say: Callable[[str], None], teaching: Teaching | None = None) -> Figures:
    """Train, calibrate on articles of its own, write `out`, and measure what was written on articles that took no part in either."""
    torch.manual_seed(recipe.seed)
    articles, division = Articles(asked), divide(asked)
    learnt, measured, calibrating = (
        [one for one in asked if one.article in set(part)] for part in (division.training, division.measuring, division.calibrating)
    )
    say(
        f"{len(learnt)} questions of {len(division.training)} articles; measured on {', '.join(division.measuring)}; calibrated on {', '.join(division.calibrating)}"
    )
    dice = random.Random(recipe.seed)
    thought = _taught_by(teaching, learnt, articles, recipe, dice, say) if teaching else []
    network = Network(base)
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    trained = tune(network, _loss(network, learnt, articles, thought, recipe, dice), recipe.reader, say)
    says = {"base": digest(base / "model.safetensors"), "languages": LANGUAGES, "margin": "0", "measured on": "; ".join(division.measuring)}
    save(out, trained, before, says)
    says["margin"] = str(round(margin(Reader(base, out, recipe.reader.precision).read, calibrating, articles, recipe.silent), 4))
    save(out, trained, before, says)
    return measure(Reader(base, out, recipe.reader.precision).read, measured, articles)


def _taught_by(
    teaching: Teaching, learnt: Sequence[Asked], articles: Articles, recipe: Recipe, dice: random.Random, say: Callable[[str], None]
) -> list[Opinion]:
    made = teaching.ask(learnt)
    network = Network(teaching.base)
    network.load_state_dict(tune(network, _loss(network, learnt, articles, [], recipe, dice), recipe.teacher, say), strict=False)
    pairs = made + others(made, learnt, articles, dice, recipe.falsified, recipe.strayed)
    return opinions(network, list(dict.fromkeys(pairs)), recipe.batch, say)


def _loss(network: Network, learnt: Sequence[Asked], articles: Articles, thought: list[Opinion], recipe: Recipe, dice: random.Random) -> Callable[[], Tensor]:
    """The mean loss of the next batch, a part of which are the teacher's opinions where there are any."""
    share = recipe.by_teacher if thought else 0
    sure = batches(lambda: examples(learnt, articles, dice, recipe.falsified, recipe.elsewhere), recipe.batch - share, dice)
    likely = batches(lambda: list(thought), share, dice)

    def loss() -> Tensor:
        losses = known(network, next(sure))
        return torch.cat((losses, taught(network, next(likely)))).mean() if share else losses.mean()

    return loss
