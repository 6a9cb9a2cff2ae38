"""Training of few numbers beside the weights of a network, which stay as they are: Hu et al., "LoRA", 2022.

Each adapted weight W becomes W + U D with U of shape (rows, rank) and D of shape (rank, columns).
"""

from pathlib import Path

import torch
from torch import Tensor, nn

from docqa.models.reader.weights import DOWN, UP, is_head
from docqa.training.reader.network import Network
from docqa.training.reader.weights import Tensors, numbers

WEIGHT = ".weight"


class LowRank(nn.Module):
    """A linear layer with a difference of low rank, zero at first."""

    def __init__(self, layer: nn.Linear, rank: int) -> None:
        super().__init__()
        self.layer = layer
        self.down = nn.Parameter(torch.randn(rank, layer.in_features) / layer.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))

    def forward(self, inputs: Tensor) -> Tensor:
        """(…, columns) to (…, rows)."""
        output: Tensor = self.layer(inputs) + inputs @ self.down.T @ self.up.T
        return output


def adapt(network: Network, rank: int, first_layer: int) -> None:
    """Let the heads be trained, and of the encoder the differences of the layers from `first_layer` on.

    What lies below needs no gradients, which saves that part of a step. The weights that stay are rounded to bfloat16.
    """
    for name, weight in network.named_parameters():
        weight.requires_grad_(is_head(name))
    for layer in network.encoder.encoder.layer[first_layer:]:
        for name, module in list(layer.named_modules()):
            if isinstance(module, nn.Linear):
                parent, _, own = name.rpartition(".")
                setattr(layer.get_submodule(parent), own, LowRank(module.to(torch.bfloat16), rank))


def restore(network: Network, path: Path) -> None:
    """Set heads and differences of an adapted network to what the file holds; heads that it lacks stay as they are.
    Raises KeyError if it holds other differences."""
    tuned = {name: weight for name, weight in network.named_parameters() if weight.requires_grad}
    stored = numbers(path)
    with torch.no_grad():
        for name, weight in tuned.items():
            if _stored_name(name) in stored or not is_head(name):
                weight.copy_(stored[_stored_name(name)])


def as_stored(tuned: Tensors) -> Tensors:
    """The trained numbers by the names of the weights that they change, as `weights.save` takes them."""
    return {_stored_name(name): tensor for name, tensor in tuned.items()}


def _stored_name(name: str) -> str:
    module, dot, kind = name.rpartition(".")
    return f"{module}{WEIGHT}{dot}{kind}" if dot + kind in (UP, DOWN) else name
