"""The training of the reader's second generation, `python -m docqa.training reader refine FILE...`, and of differences
of low rank, `... adapt FILE...`: the verifier's, and the reader's of another embedding model.

The reader starts from its first generation; what is adapted starts from an encoder as published. Both learn many sets,
with a head for yes/no.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from docqa.models.reader import trained_part
from docqa.training.reader.low_rank import adapt, as_stored, restore
from docqa.training.reader.mixture import Making, Mixture
from docqa.training.reader.network import Network
from docqa.training.reader.run import Refinement, Run
from docqa.training.reader.sources import Source
from docqa.training.reader.tables import TableQuestion
from docqa.training.reader.variants import Neighbours
from docqa.training.reader.weights import Tensors, load

STATE = "checkpoint.pt"  # file name
# What is adapted has no first generation to imitate. The verifier reads excerpts as `answering.verifying` makes them.
PASSAGES = Making(imitated=0.0, passed_over=0.3)
EXCERPTS = Making(longest=450, typed=0.2, imitated=0.0, passed_over=0.6)


def refine(
    sources: Sequence[Source],
    base: Path,
    start: Path,
    folder: Path,
    recipe: Refinement,
    report: Callable[[str], None],
    evaluate: Callable[[Network], str],
    tables: Sequence[TableQuestion] = (),
) -> Tensors:
    """The running mean of the reader's weights, trained from the file `start` on; checkpoints go to `folder`.

    `report` gets lines of progress; `evaluate` describes the network at each checkpoint.
    """
    torch.manual_seed(recipe.seed)
    network, first_generation = _network(base, recipe, start, tables), Network(base, 0.0)
    for each in (network, first_generation):
        each.load_state_dict(load(start, each.state_dict()), strict=False)
    for name, weight in network.named_parameters():
        weight.requires_grad_(not name.endswith("_embeddings.weight"))
    first_generation.eval().requires_grad_(False)
    mixture = Mixture(sources, Making(), recipe.seed, Neighbours(network))
    return Run(network, first_generation, folder / STATE, recipe, report, tables).train(mixture, evaluate)


def train_adapter(
    sources: Sequence[Source],
    base: Path,
    making: Making,
    folder: Path,
    recipe: Refinement,
    report: Callable[[str], None],
    evaluate: Callable[[Network], str],
    start: Path | None = None,
    tables: Sequence[TableQuestion] = (),
) -> Tensors:
    """As `refine`, by differences of low rank on the encoder in the folder `base`: factors and heads as `weights.save`
    takes them. Without `start`, what was so trained before, it begins from the encoder alone."""
    torch.manual_seed(recipe.seed)
    network = _network(base, recipe, start, tables)
    adapt(network, recipe.rank, recipe.first_layer)
    if start:
        restore(network, start)
    run = Run(network, None, folder / STATE, recipe, report, tables)
    return as_stored(run.train(Mixture(sources, making, recipe.seed), evaluate))


def _network(base: Path, recipe: Refinement, start: Path | None, tables: Sequence[TableQuestion]) -> Network:
    """One with heads for tables where it learns them, or goes on from what has them."""
    begun = trained_part(start.parent, start.name) if start else None
    reads_tables = bool(tables) or (begun is not None and begun.reads_tables)
    return Network(base, recipe.dropout, reads_tables=reads_tables)
