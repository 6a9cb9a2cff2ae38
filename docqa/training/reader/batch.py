"""Tokens of pairs of texts as the tensors that a network in training takes."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from docqa.models.tokens import Batch as Arrays
from docqa.models.tokens import Window


class Tokenised(Protocol):
    """Pairs of texts as an encoder takes them; all tensors are (batch, tokens)."""

    @property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        """What an encoder takes, in its order."""

    @property
    def of_second(self) -> Tensor:
        """Which tokens are of the second text of their pair."""


@dataclass(frozen=True)
class Batch:
    """What `docqa.models.tokens` makes of pairs, as tensors, (batch, tokens) each, with the library's view of each
    row."""

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor
    of_second: Tensor
    encodings: list[Window]

    @classmethod
    def of(cls, arrays: Arrays) -> "Batch":
        """The same on the processor."""
        numbers = arrays.input_ids, arrays.attention_mask, arrays.token_type_ids, arrays.of_second
        ids, mask, types, of_second = map(torch.from_numpy, numbers)
        return cls(ids, mask, types, of_second, arrays.encodings)

    @property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        """What an encoder takes, in its order."""
        return self.input_ids, self.attention_mask, self.token_type_ids

    @property
    def offsets(self) -> list[list[tuple[int, int]]]:
        """Where in their text the tokens of each row stand: (start, end) in characters."""
        return [each.offsets for each in self.encodings]

    def on(self, device: torch.device) -> "Batch":
        """The same on a device."""
        ids, mask, types, of_second = (tensor.to(device) for tensor in (*self.tensors, self.of_second))
        return Batch(ids, mask, types, of_second, self.encodings)
