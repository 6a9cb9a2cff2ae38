"""The whole training of the reader: `python -m docqa.training reader train FILE...`.

The reader first learns the labelled questions. These are too few to learn the difference between an answer and what
only looks like one, so it is then distilled from a larger encoder, tuned on the same questions, which scores many more:
those that a language model writes about the same passages, and variants made by rule. The same files, seed and machine
give the same reader.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor

from docqa.catalog.catalog import digest
from docqa.models.reader.network import SPAN, YES_NO
from docqa.training.figures import Figures, calibrate_margin, measure
from docqa.training.question_sets import Articles, Example, LabelledQuestion, make_examples, split_articles
from docqa.training.reader.finish import LANGUAGES, open_reader
from docqa.training.reader.losses import batches, distillation_loss, labelled_loss, projections
from docqa.training.reader.network import Network
from docqa.training.reader.teacher import ExcerptCutter, TeacherScores, score_pairs
from docqa.training.reader.tuning import Schedule, tune
from docqa.training.reader.variants import Neighbours, questions_about_texts, variants_of
from docqa.training.reader.weights import Tensors, save

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


@dataclass(frozen=True)
class Recipe:
    """The hyperparameters.

    `falsified` and `other_passage` are the shares of the answerable questions that are also learned falsified and with
    another passage. Distillation runs for so many `rounds`; `distilled` pairs of each batch carry teacher scores.
    `refused` is the share of the answerable questions that the reader may refuse.
    """

    reader: Schedule = Schedule(steps=3000, rate=1e-4)
    teacher: Schedule = Schedule(steps=900, rate=4e-5)
    distillation: Schedule = Schedule(steps=6800, rate=2e-4)
    rounds: int = 2
    batch: int = 16
    distilled: int = 13
    falsified: float = 0.5
    other_passage: float = 0.7
    refused: float = 0.1
    precision: str = "bfloat16"
    seed: int = 1


@dataclass(frozen=True)
class Distillation:
    """What distillation needs.

    `teacher` is the folder of the teacher's base model, `generate` returns further (question, passage) pairs about the
    passages of the given questions, and `texts` are further passages by title.
    """

    teacher: Path
    generate: Callable[[Sequence[LabelledQuestion]], list[tuple[str, str]]]
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)


def train(
    questions: Sequence[LabelledQuestion],
    base: Path,
    out: Path,
    recipe: Recipe,
    report: Callable[[str], None],
    distillation: Distillation | None = None,
) -> Figures:
    """Train on the base model in the folder `base`, calibrate, and write `out`.

    Calibration uses articles of its own; the figures returned are those of the written file on articles that took no
    part in training or calibration. `report` gets lines of progress. Raises DocqaError if there are too few articles.
    """
    torch.manual_seed(recipe.seed)
    articles, split = Articles(questions), split_articles(questions)
    training, evaluation, calibration = (
        [question for question in questions if question.article in set(titles)]
        for titles in (split.training, split.evaluation, split.calibration)
    )
    report(
        f"{len(training)} questions of {len(split.training)} articles; evaluated on {', '.join(split.evaluation)}; "
        f"calibrated on {', '.join(split.calibration)}"
    )
    network = Network(base)
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    tuned = _Run(training, articles, recipe, report).train(network, base, distillation)
    trained = {name: tensor for name, tensor in tuned.items() if not name.startswith(YES_NO)}  # a head of `refine`
    metadata = {
        "base": digest(base / "model.safetensors"),
        "languages": LANGUAGES,
        "heads": SPAN,
        "margin": "0",
        "measured on": "; ".join(split.evaluation),
    }
    save(out, trained, before, metadata)
    margin = calibrate_margin(open_reader(base, out, recipe.precision).read, calibration, articles, recipe.refused)
    metadata["margin"] = str(round(margin, 4))
    save(out, trained, before, metadata)
    return measure(open_reader(base, out, recipe.precision).read, evaluation, articles)


class _Run:
    """The steps of one training run, which share its data and random numbers."""

    def __init__(
        self,
        questions: Sequence[LabelledQuestion],
        articles: Articles,
        recipe: Recipe,
        report: Callable[[str], None],
    ) -> None:
        self._questions, self._articles, self._recipe, self._report = questions, articles, recipe, report
        self._rng = random.Random(recipe.seed)

    def train(self, network: Network, base: Path, distillation: Distillation | None) -> Tensors:
        """The tuned weights of the reader."""
        network.encoder.to(DTYPES[self._recipe.precision])
        trained = tune(network, self._labelled_losses(network), self._recipe.reader, self._report)
        if distillation:
            labels = self._teacher_labels(distillation, Neighbours(network))
            trained = self._distil(base, trained, labels)
        return trained

    def _labelled_batches(self, size: int) -> Iterator[list[Example]]:
        recipe = self._recipe

        def epoch() -> list[Example]:
            return make_examples(self._questions, self._articles, self._rng, recipe.falsified, recipe.other_passage)

        return batches(epoch, size, self._rng)

    def _labelled_losses(self, network: Network) -> Callable[[], Tensor]:
        """Computes the mean loss of the next batch of labelled questions."""
        labelled = self._labelled_batches(self._recipe.batch)
        return lambda: labelled_loss(network, next(labelled)).mean()

    def _teacher_labels(self, distillation: Distillation, neighbours: Neighbours) -> list[TeacherScores]:
        """The scores of a teacher, tuned on the labelled questions, for all generated questions."""
        generated = distillation.generate(self._questions)
        pairs = generated + variants_of(self._questions, generated, self._articles, neighbours, self._rng)
        pairs += questions_about_texts(distillation.texts, neighbours, self._rng)
        teacher = Network(distillation.teacher)
        teacher.encoder.to(DTYPES[self._recipe.precision])
        tuned = tune(teacher, self._labelled_losses(teacher), self._recipe.teacher, self._report)
        teacher.load_state_dict(tuned, strict=False)
        return score_pairs(teacher, list(dict.fromkeys(pairs)), self._recipe.batch, self._rng, self._report)

    def _distil(self, base: Path, trained: Tensors, labels: Sequence[TeacherScores]) -> Tensors:
        """The weights after distillation, which starts from `trained`.

        No dropout: with so many questions, each is seen only a few times. Every round starts where the one before
        ended, at the full learning rate; the result is the mean of their ends (Izmailov et al., "Averaging weights",
        2018).
        """
        recipe, rng = self._recipe, self._rng
        network = Network(base, dropout=0.0)
        network.encoder.to(DTYPES[recipe.precision])
        cutter, projected = ExcerptCutter(network), projections(network, labels[0])
        labelled = self._labelled_batches(recipe.batch - recipe.distilled)
        scored = batches(lambda: [cutter.cut(scores, rng) for scores in labels], recipe.distilled, rng)

        def next_loss() -> Tensor:
            by_label = labelled_loss(network, next(labelled))
            return torch.cat((by_label, distillation_loss(network, next(scored), projected))).mean()

        ends: list[Tensors] = []
        for _ in range(recipe.rounds):
            network.load_state_dict(trained, strict=False)
            trained = tune(network, next_loss, recipe.distillation, self._report, projected)
            ends.append(trained)
        return {name: torch.stack([end[name] for end in ends]).mean(0) for name in trained}
