"""What one step of training learns from: examples whose answers are known, and questions about which only the teacher's opinion is."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import torch
from torch import Tensor

from docqa.reader.network import OF_PASSAGE, Network
from docqa.training.questions import Example

BLOCK = 40  # batches, within which passages of like length are put together


class _Read(Protocol):
    @property
    def question(self) -> str: ...
    @property
    def passage(self) -> str: ...


One = TypeVar("One", bound=_Read)


@dataclass(frozen=True)
class Opinion:
    """How probable the teacher finds "no answer here" and each token of the passage as the first and the last one of the answer: (1 + tokens) each."""

    question: str
    passage: str
    first: Tensor
    last: Tensor


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


def taught(network: Network, batch: Sequence[Opinion]) -> Tensor:
    """The cross entropy of the network with the teacher, each on its own (Hinton, Vinyals and Dean, 2015)."""
    encoded = network.encode([(one.question, one.passage) for one in batch])
    first, last = network(encoded)
    losses = []
    for row, one in enumerate(batch):
        tokens = [0, *_of_passage(encoded, row)]
        if len(tokens) == len(one.first):  # else one of the two read less of a long passage
            scores, opinion = torch.stack((first[row, tokens], last[row, tokens])), torch.stack((one.first, one.last)).float()
            losses.append(-(opinion * scores.log_softmax(-1)).sum())
    return torch.stack(losses) if losses else first.sum(1) * 0


def opinions(network: Network, pairs: Sequence[tuple[str, str]], size: int, say: Callable[[str], None]) -> list[Opinion]:
    """What the network, as the teacher, thinks of each question and passage."""
    network.eval()
    found: list[Opinion] = []
    order = sorted(pairs, key=lambda pair: len(pair[1]))
    with torch.inference_mode():
        for at in range(0, len(order), size):
            batch = order[at : at + size]
            encoded = network.encode(batch)
            first, last = network(encoded)
            for row, (question, passage) in enumerate(batch):
                tokens = [0, *_of_passage(encoded, row)]
                found.append(Opinion(question, passage, first[row, tokens].softmax(-1).half(), last[row, tokens].softmax(-1).half()))
    sure = sum(max(float(one.first[0]), 1 - float(one.first[0])) > 0.9 for one in found)
    say(f"of {len(found)} questions the teacher finds {sum(float(one.first[0]) > 0.5 for one in found)} without an answer; it is sure of {sure}")
    return found


def _of_passage(encoded: dict[str, Tensor], row: int) -> list[int]:
    """The tokens of the passage."""
    found: list[int] = encoded[OF_PASSAGE][row].nonzero()[:, 0].tolist()
    return found


def _tokens(encoded: dict[str, Tensor], row: int, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The first and last token of each span; a span behind the last token that was read has none."""
    offsets = encoded["offset_mapping"][row].tolist()
    inside = _of_passage(encoded, row)
    found = []
    for start, end in spans:
        within = [token for token in inside if offsets[token][0] < end and offsets[token][1] > start]
        if within and end <= offsets[inside[-1]][1]:
            found.append((within[0], within[-1]))
    return list(dict.fromkeys(found))
