"""Batches ready to be learned: the tokens of examples, and what is to be predicted of them.

Making the examples takes a processor some two thirds of a millisecond each. That is nothing beside what two cores take
to learn one, but a GPU learns thousands a second: other processes then make them ahead of need.
"""

import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from itertools import islice
from multiprocessing import get_context

import torch
from torch import Tensor

from docqa.models.reader.network import ROUNDING
from docqa.models.tokens import Tokens
from docqa.training.reader.batch import Batch
from docqa.training.reader.losses import token_spans
from docqa.training.reader.mixture import Mixture, Position, Weighted
from docqa.training.reader.network import CLASSES

LEFT_OVER = 2  # processors that make no examples
AHEAD = 2  # blocks of batches for each process


@dataclass(frozen=True)
class Prepared:
    """Examples as tensors. `input_ids`, `attention_mask`, `token_type_ids` and `of_second` are (batch, tokens).

    `begins` and `ends` (batch, spans) are the first and last token of the spans of which any is right, -1 beyond them;
    token 0 stands for no answer. `weights` (batch) are those of the spans' losses, `classes` (batch, CLASSES) the right
    ones of a yes/no question, and `imitated` (batch) the examples whose scores another network gives.
    """

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor
    of_second: Tensor
    begins: Tensor
    ends: Tensor
    weights: Tensor
    classes: Tensor
    imitated: Tensor

    @property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        """What an encoder takes, in its order."""
        return self.input_ids, self.attention_mask, self.token_type_ids

    def __len__(self) -> int:
        return len(self.input_ids)

    def rows(self, chosen: slice | Tensor) -> "Prepared":
        """Some of the examples, with no more tokens than they need."""
        some = self.map(lambda tensor: tensor[chosen])
        used = int(some.attention_mask.sum(1).max())
        tokens = slice(min(self.input_ids.shape[1], math.ceil(used / ROUNDING) * ROUNDING))
        shorter = {name: getattr(some, name)[:, tokens] for name in ("input_ids", "attention_mask", "token_type_ids")}
        return replace(some, of_second=some.of_second[:, tokens], **shorter)

    def map(self, change: Callable[[Tensor], Tensor]) -> "Prepared":
        """The same with every tensor changed."""
        return Prepared(*(change(getattr(self, field.name)) for field in fields(self)))


def prepare(tokens: Tokens, examples: Sequence[Weighted]) -> Prepared:
    """The tensors of a batch of examples. One whose answers lie beyond the tokens that are read teaches nothing."""
    encoded = Batch.of(tokens.of_pairs([(example.question, example.passage) for example in examples]))
    spans = [
        [] if example.imitated else token_spans(encoded, row, example.spans) if example.spans else [(0, 0)]
        for row, example in enumerate(examples)
    ]
    most = max(1, *map(len, spans))
    padded = torch.tensor([[*each, *[(-1, -1)] * (most - len(each))] for each in spans])
    classes = [[number in example.classes for number in range(CLASSES)] for example in examples]
    return Prepared(
        *encoded.tensors,
        encoded.of_second,
        padded[..., 0],
        padded[..., 1],
        torch.tensor([example.span_weight for example in examples]),
        torch.tensor(classes),
        torch.tensor([example.imitated for example in examples]),
    )


def batches(mixture: Mixture, tokens: Tokens, size: int, position: Position) -> Iterator[tuple[Prepared, Position]]:
    """Batches from `position` on, without end, each with the position after it, made here as they are needed."""
    for place in mixture.places(position):
        for number, examples in enumerate(islice(mixture.block(place, size), place.batch, None), place.batch + 1):
            yield prepare(tokens, examples), place._replace(batch=number)


def batches_ahead(
    mixture: Mixture, tokens: Tokens, size: int, position: Position
) -> Iterator[tuple[Prepared, Position]]:
    """As `batches`, made by as many processes as there are processors to spare."""
    count = max(1, (os.cpu_count() or 1) - LEFT_OVER)
    # Forked, they have the questions without reading them again; of torch they use what needs no threads.
    with ProcessPoolExecutor(count, get_context("fork"), _begin, (mixture, tokens, size)) as pool:
        places, waiting = mixture.places(position), deque[tuple[Position, Future[list[list[object]]]]]()
        while True:
            while len(waiting) < AHEAD * count:
                place = next(places)
                waiting.append((place, pool.submit(_block, place)))
            place, ready = waiting.popleft()
            for number, arrays in enumerate(islice(ready.result(), place.batch, None), place.batch + 1):
                yield Prepared(*map(torch.as_tensor, arrays)), place._replace(batch=number)


def _begin(mixture: Mixture, tokens: Tokens, size: int) -> None:
    global _made_here
    torch.set_num_threads(1)
    _made_here = mixture, tokens, size


def _block(place: Position) -> list[list[object]]:
    """The batches of a block as arrays of numpy, which are handed over without shared memory."""
    mixture, tokens, size = _made_here
    prepared = (prepare(tokens, examples) for examples in mixture.block(place, size))
    return [[getattr(each, field.name).numpy() for field in fields(each)] for each in prepared]


_made_here: tuple[Mixture, Tokens, int]  # of one of the processes that make examples
