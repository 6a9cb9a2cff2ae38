"""What one step of training learns from: examples whose answers are known, and questions about which only the teacher's opinion is."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor, nn

from docqa.models.reader.network import Network
from docqa.training.question_sets import Example
from docqa.training.reader.teacher import DEPTHS, Opinion, layers, tokens_of

BLOCK = 40  # batches, within which passages of like length are put together
PUPIL = 2 / 3, 5 / 6  # the depths whose states are to follow those of the teacher at its DEPTHS


class _Read(Protocol):
    @property
    def question(self) -> str: ...
    @property
    def passage(self) -> str: ...


One = TypeVar("One", bound=_Read)


def batches(made: Callable[[], list[One]], size: int, dice: random.Random) -> Iterator[list[One]]:
    """Batches of what is made anew for one epoch after the other, without end."""
    while True:
        found = made()
        dice.shuffle(found)
        for at in range(0, len(found), BLOCK * size):
            block = sorted(found[at : at + BLOCK * size], key=lambda one: len(one.passage))
            ready = [block[start : start + size] for start in range(0, len(block) - size + 1, size)]
            dice.shuffle(ready)
            yield from ready


def known(network: Network, batch: Sequence[Example]) -> Tensor:
    """How improbable the answers are, each on its own: of several, the one that the network finds likeliest counts most (Clark and Gardner, 2018)."""
    encoded = network.encode([(one.question, one.passage) for one in batch])
    first, last = (scores.log_softmax(-1) for scores in network(encoded))
    losses = []
    for row, one in enumerate(batch):
        if tokens := _tokens(encoded, row, one.spans) if one.spans else [(0, 0)]:
            begins, ends = map(list, zip(*tokens, strict=True))
            losses.append(-torch.logsumexp(first[row, begins] + last[row, ends], 0))
    return torch.stack(losses) if losses else first.sum(1) * 0


def views(network: Network, opinion: Opinion) -> nn.ModuleList:
    """What turns the network's states into the teacher's, a layer each; it learns with the network."""
    return nn.ModuleList(nn.Linear(network.encoder.config.hidden_size, opinion.inside.shape[-1]) for _ in DEPTHS)


def taught(network: Network, batch: Sequence[Opinion], seen: nn.ModuleList) -> Tensor:
    """The cross entropy of the network with the teacher (Hinton, Vinyals and Dean, 2015), and how far its states are from the teacher's (Jiao et al., 2020)."""
    encoded = network.encode([(one.question, one.passage) for one in batch])
    states = network.states(encoded)
    first, last = network.scores(encoded, states[-1])
    inside = [view(states[layer].float()) for view, layer in zip(seen, layers(network, PUPIL), strict=True)]
    losses = []
    for row, one in enumerate(batch):
        question, passage = tokens_of(encoded, row)
        if len(passage) + 1 != len(one.first) or len(question) + len(passage) + 1 != one.inside.shape[1]:
            continue  # one of the two read less of a long passage
        scores, opinion = (
            torch.stack((first[row, [0, *passage]], last[row, [0, *passage]])),
            torch.stack((one.first, one.last)).float(),
        )
        apart = [
            (own[row, [0, *question, *passage]] - its.float()).square().mean()
            for own, its in zip(inside, one.inside, strict=True)
        ]
        losses.append(torch.stack(apart).mean() - (opinion * scores.log_softmax(-1)).sum())
    return torch.stack(losses) if losses else first.sum(1) * 0


def _tokens(encoded: Any, row: int, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The first and last token of each span; a span behind the last token that was read has none."""
    offsets = encoded["offset_mapping"][row].tolist()
    _, inside = tokens_of(encoded, row)
    found = []
    for start, end in spans:
        within = [token for token in inside if offsets[token][0] < end and offsets[token][1] > start]
        if within and end <= offsets[inside[-1]][1]:
            found.append((within[0], within[-1]))
    return list(dict.fromkeys(found))
