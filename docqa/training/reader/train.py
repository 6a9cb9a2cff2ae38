"""The whole training of the reader: `python run.py reader train FILE...`.

The reader learns the known questions, and then goes on with what a larger encoder, which has learnt them too, thinks of many more: those that a language model has
asked about the same passages, and those made by rule. Of the known ones there are too few to tell what is answered from what only looks so. The same files, seed
and machine give the same reader.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor

from docqa.catalog.catalog import digest
from docqa.models.reader.network import DTYPES, Network, Reader
from docqa.models.reader.weights import Tensors, save
from docqa.training.figures import Figures, margin, measure
from docqa.training.question_sets import Articles, Asked, Example, divide, examples
from docqa.training.reader.losses import batches, known, taught, views
from docqa.training.reader.teacher import Excerpts, Opinion, opinions
from docqa.training.reader.tuning import Pace, tune
from docqa.training.reader.variants import Neighbours, of_known, of_texts

LANGUAGES = "en"


@dataclass(frozen=True)
class Recipe:
    """`falsified` and `elsewhere` are the shares of the answerable questions that are also learnt turned false and with another passage. While the reader is `taught`,
    in so many `rounds`, `by_teacher` of each batch are the teacher's. `silent` is the share of the answerable questions that it may refuse."""

    reader: Pace = Pace(steps=3000, rate=1e-4)
    teacher: Pace = Pace(steps=900, rate=4e-5)
    taught: Pace = Pace(steps=6800, rate=2e-4)
    rounds: int = 2
    batch: int = 16
    by_teacher: int = 13
    falsified: float = 0.5
    elsewhere: float = 0.7
    silent: float = 0.1
    precision: str = "bfloat16"
    seed: int = 1


@dataclass(frozen=True)
class Teaching:
    """The folder of the teacher's base model; what asks: (question, passage) pairs about the passages of these questions; the passages of further texts by title."""

    base: Path
    ask: Callable[[Sequence[Asked]], list[tuple[str, str]]]
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)


def train(
    asked: Sequence[Asked],
    base: Path,
    out: Path,
    recipe: Recipe,
    say: Callable[[str], None],
    teaching: Teaching | None = None,
) -> Figures:
    """Train, calibrate on articles of its own, write `out`, and measure what was written on articles that took no part in either."""
    torch.manual_seed(recipe.seed)
    articles, division = Articles(asked), divide(asked)
    learnt, measured, calibrating = (
        [one for one in asked if one.article in set(part)]
        for part in (division.training, division.measuring, division.calibrating)
    )
    say(
        f"{len(learnt)} questions of {len(division.training)} articles; measured on {', '.join(division.measuring)}; calibrated on {', '.join(division.calibrating)}"
    )
    dice, network = random.Random(recipe.seed), Network(base)
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    network.encoder.to(DTYPES[recipe.precision])

    def lesson() -> list[Example]:
        return examples(learnt, articles, dice, recipe.falsified, recipe.elsewhere)

    trained = tune(network, _known(network, lesson, recipe.batch, dice), recipe.reader, say)
    if teaching:
        thought = _thought(teaching, learnt, articles, Neighbours(network), lesson, recipe, dice, say)
        trained = _taught(base, trained, lesson, thought, recipe, dice, say)
    says = {
        "base": digest(base / "model.safetensors"),
        "languages": LANGUAGES,
        "margin": "0",
        "measured on": "; ".join(division.measuring),
    }
    save(out, trained, before, says)
    says["margin"] = str(
        round(margin(Reader(base, out, recipe.precision).read, calibrating, articles, recipe.silent), 4)
    )
    save(out, trained, before, says)
    return measure(Reader(base, out, recipe.precision).read, measured, articles)


def _known(
    network: Network, lesson: Callable[[], list[Example]], size: int, dice: random.Random
) -> Callable[[], Tensor]:
    """The mean loss of the next batch of known questions."""
    sure = batches(lesson, size, dice)
    return lambda: known(network, next(sure)).mean()


def _thought(
    teaching: Teaching,
    learnt: Sequence[Asked],
    articles: Articles,
    neighbours: Neighbours,
    lesson: Callable[[], list[Example]],
    recipe: Recipe,
    dice: random.Random,
    say: Callable[[str], None],
) -> list[Opinion]:
    """What the teacher thinks of all questions that are made, once it has learnt the known ones."""
    made = teaching.ask(learnt)
    pairs = made + of_known(learnt, made, articles, neighbours, dice) + of_texts(teaching.texts, neighbours, dice)
    network = Network(teaching.base)
    network.encoder.to(DTYPES[recipe.precision])
    network.load_state_dict(
        tune(network, _known(network, lesson, recipe.batch, dice), recipe.teacher, say), strict=False
    )
    return opinions(network, list(dict.fromkeys(pairs)), recipe.batch, dice, say)


def _taught(
    base: Path,
    trained: Tensors,
    lesson: Callable[[], list[Example]],
    thought: Sequence[Opinion],
    recipe: Recipe,
    dice: random.Random,
    say: Callable[[str], None],
) -> Tensors:
    """The weights after more steps from these. So many questions are seen but a few times, so that nothing has to be dropped out.

    Each round begins with the whole rate where the one before ended; what is kept is the mean of their ends (Izmailov et al., "Averaging weights", 2018)."""
    network = Network(base, dropout=0.0)
    network.encoder.to(DTYPES[recipe.precision])
    excerpts, seen = Excerpts(network), views(network, thought[0])
    sure = batches(lesson, recipe.batch - recipe.by_teacher, dice)
    likely = batches(lambda: [excerpts.of(one, dice) for one in thought], recipe.by_teacher, dice)
    ends: list[Tensors] = []
    for _ in range(recipe.rounds):
        network.load_state_dict(trained, strict=False)
        trained = tune(
            network,
            lambda: torch.cat((known(network, next(sure)), taught(network, next(likely), seen))).mean(),
            recipe.taught,
            say,
            seen,
        )
        ends.append(trained)
    return {name: torch.stack([end[name] for end in ends]).mean(0) for name in trained}
