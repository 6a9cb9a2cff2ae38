"""Batches and losses of the reader's training, for labelled examples and for pairs that only the teacher has scored."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

import torch
from torch import Tensor, nn

from docqa.training.question_sets import Example
from docqa.training.reader.batch import Batch
from docqa.training.reader.network import Network
from docqa.training.reader.teacher import TEACHER_DEPTHS, TeacherScores, layers_at, token_indices

BLOCK = 40  # batches that are sorted together, so that a batch holds passages of similar length
STUDENT_DEPTHS = 2 / 3, 5 / 6  # of the layers whose states are trained to match the teacher's at TEACHER_DEPTHS


class _Pair(Protocol):
    @property
    def question(self) -> str: ...
    @property
    def passage(self) -> str: ...


P = TypeVar("P", bound=_Pair)


def batches(make_epoch: Callable[[], list[P]], size: int, rng: random.Random) -> Iterator[list[P]]:
    """Shuffled batches of `size`, without end; `make_epoch` is called for each epoch anew."""
    while True:
        epoch = make_epoch()
        rng.shuffle(epoch)
        for at in range(0, len(epoch), BLOCK * size):
            block = sorted(epoch[at : at + BLOCK * size], key=lambda pair: len(pair.passage))
            ready = [block[start : start + size] for start in range(0, len(block) - size + 1, size)]
            rng.shuffle(ready)
            yield from ready


def labelled_loss(network: Network, batch: Sequence[Example]) -> Tensor:
    """The negative log-likelihood of each example's answers: (examples).

    Of several spans the marginal likelihood is taken (Clark and Gardner, 2018), so that the likeliest counts most.
    Examples whose answers lie beyond the tokens that were read are left out.
    """
    encoded = network.encode([(example.question, example.passage) for example in batch])
    first, last = (scores.log_softmax(-1) for scores in network(encoded))
    losses = []
    for row, example in enumerate(batch):
        if tokens := token_spans(encoded, row, example.spans) if example.spans else [(0, 0)]:
            begins, ends = map(list, zip(*tokens, strict=True))
            losses.append(-torch.logsumexp(first[row, begins] + last[row, ends], 0))
    return torch.stack(losses) if losses else first.sum(1) * 0


def projections(network: Network, example: TeacherScores) -> nn.ModuleList:
    """A linear layer per matched depth that maps the student's states to the size of the teacher's in `example`.

    They are trained with the network and then thrown away.
    """
    width = network.encoder.config.hidden_size
    return nn.ModuleList(nn.Linear(width, example.states.shape[-1]) for _ in TEACHER_DEPTHS)


def distillation_loss(network: Network, batch: Sequence[TeacherScores], projected: nn.ModuleList) -> Tensor:
    """For each pair the cross entropy with the teacher's scores plus the mean squared error to its states: (pairs).

    After Hinton, Vinyals and Dean (2015) and Jiao et al. (2020). Pairs of which teacher and student did not read
    equally many tokens are left out.
    """
    encoded = network.encode([(target.question, target.passage) for target in batch])
    states = network.states(encoded)
    first, last = network.scores(encoded, states[-1])
    depths = layers_at(network, STUDENT_DEPTHS)
    matched = [project(states[layer].float()) for project, layer in zip(projected, depths, strict=True)]
    losses = []
    for row, target in enumerate(batch):
        question, passage = token_indices(encoded, row)
        if len(passage) + 1 != len(target.first) or len(question) + len(passage) + 1 != target.states.shape[1]:
            continue
        scores = torch.stack((first[row, [0, *passage]], last[row, [0, *passage]]))
        wanted = torch.stack((target.first, target.last)).float()
        errors = [
            (student[row, [0, *question, *passage]] - teacher.float()).square().mean()
            for student, teacher in zip(matched, target.states, strict=True)
        ]
        losses.append(torch.stack(errors).mean() - (wanted * scores.log_softmax(-1)).sum())
    return torch.stack(losses) if losses else first.sum(1) * 0


def token_spans(encoded: Batch, row: int, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The first and last token of each span; spans that end beyond the last token read are dropped."""
    offsets = encoded.encodings[row].offsets
    _, passage = token_indices(encoded, row)
    token_spans = []
    for start, end in spans:
        within = [token for token in passage if offsets[token][0] < end and offsets[token][1] > start]
        if within and end <= offsets[passage[-1]][1]:
            token_spans.append((within[0], within[-1]))
    return list(dict.fromkeys(token_spans))
