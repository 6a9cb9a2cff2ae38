"""What a larger encoder thinks of a question and a passage: how probable "no answer" and each token are, and what two of its layers make of the tokens."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from docqa.models.reader.network import OF_PASSAGE, Network
from docqa.text.sentences import sentences

DEPTHS = (
    2 / 3,
    11 / 12,
)  # the layers whose states are taken: where question and passage are compared, and where that is almost done
WIDTH = 96  # principal components of the states, in which they are kept
SAMPLE = 96  # pairs that these are found of
SAID = 100  # batches between two lines of the log
WHOLE = 0.12  # share of the passages that are read whole
EXCERPT = 40, 110  # tokens
HELD = 0.85  # of the teacher's probabilities, or an excerpt is none


@dataclass(frozen=True, eq=False)
class Opinion:
    """`first` and `last`: how probable "no answer here" and each token of the passage are as the first and the last one of the answer, (1 + passage) each.

    `inside`: what the layers make of the first token, the question and the passage, (layers, 1 + question + passage, WIDTH)."""

    question: str
    passage: str
    first: Tensor
    last: Tensor
    inside: Tensor


def layers(network: Network, depths: Sequence[float]) -> list[int]:
    """The layers at these depths, from 0 to 1."""
    return [round(depth * network.encoder.config.num_hidden_layers) for depth in depths]


def tokens_of(encoded: Any, row: int) -> tuple[list[int], list[int]]:
    """The tokens of the question and of the passage."""
    question = [token for token, part in enumerate(encoded.sequence_ids(row)) if part == 0]
    return question, encoded[OF_PASSAGE][row].nonzero()[:, 0].tolist()


def opinions(
    network: Network, pairs: Sequence[tuple[str, str]], size: int, dice: random.Random, say: Callable[[str], None]
) -> list[Opinion]:
    """What the network, as the teacher, thinks of each (question, passage)."""
    network.eval()
    taken = layers(network, DEPTHS)
    order = sorted(pairs, key=lambda pair: len(pair[1]))
    with torch.inference_mode():
        sample = dice.sample(order, min(SAMPLE, len(order)))
        components = _components(
            [_states(network, sample[at : at + size], taken) for at in range(0, len(sample), size)]
        )
        found: list[Opinion] = []
        for at in range(0, len(order), size):
            batch = order[at : at + size]
            encoded = network.encode(batch)
            states = network.states(encoded)
            first, last = network.scores(encoded, states[-1])
            inside = torch.stack(
                [(states[layer].float() - mean) @ axes for layer, (mean, axes) in zip(taken, components, strict=True)]
            )
            for row, (question, passage) in enumerate(batch):
                asked, read = tokens_of(encoded, row)
                begins, ends = (scores[row, [0, *read]].softmax(-1).half() for scores in (first, last))
                found.append(Opinion(question, passage, begins, ends, inside[:, row, [0, *asked, *read]].half()))
            if (at // size + 1) % SAID == 0:
                say(f"the teacher has read {len(found)} of {len(order)} questions")
    sure = sum(max(float(one.first[0]), 1 - float(one.first[0])) > 0.9 for one in found)
    say(
        f"of {len(found)} questions the teacher finds {sum(float(one.first[0]) > 0.5 for one in found)} without an answer; it is sure of {sure}"
    )
    return found


def _states(network: Network, batch: Sequence[tuple[str, str]], taken: Sequence[int]) -> list[Tensor]:
    """What each of the layers makes of all tokens of the batch: (tokens, hidden)."""
    encoded = network.encode(batch)
    states, read = network.states(encoded), encoded["attention_mask"].bool()
    return [states[layer][read].float() for layer in taken]


def _components(samples: Sequence[Sequence[Tensor]]) -> list[tuple[Tensor, Tensor]]:
    """For each layer the mean and the principal axes (hidden, WIDTH), on one scale, so that those along which more varies count more."""
    found = []
    for states in map(torch.cat, zip(*samples, strict=True)):
        mean = states.mean(0)
        _, _, axes = torch.linalg.svd(states - mean, full_matrices=False)
        axes = axes[:WIDTH].T
        found.append((mean, axes / ((states - mean) @ axes).std()))
    return found


class Excerpts:
    """Shorter passages to be taught with: sentences around the place that the teacher finds likeliest, which are read in half the time."""

    def __init__(self, network: Network) -> None:
        self._tokenizer = network.tokenizer
        self._sentences: dict[str, list[tuple[int, int, int, int]]] = {}

    def of(self, opinion: Opinion, dice: random.Random) -> Opinion:
        """Some of the sentences, as many as the dice say; the opinion itself where it says less without the others."""
        split, count = self._split(opinion.passage), len(opinion.first) - 1
        want = dice.randrange(*EXCERPT)
        if dice.random() < WHOLE or len(split) < 3 or not want + 20 <= count <= split[-1][3]:
            return opinion
        likeliest = int((opinion.first[1:].float() + opinion.last[1:].float()).argmax())
        first = last = next((index for index, (_, _, begin, end) in enumerate(split) if begin <= likeliest < end), 0)
        while split[last][3] - split[first][2] < want:
            if first > 0 and (last == len(split) - 1 or dice.random() < 0.5):
                first -= 1
            else:
                last += 1
        begin, end = split[first][2], min(split[last][3], count)
        kept = [0, *range(1 + begin, 1 + end)]
        begins, ends = opinion.first[kept].float(), opinion.last[kept].float()
        if min(float(begins.sum()), float(ends.sum())) < HELD:
            return opinion
        asked = opinion.inside.shape[1] - count
        inside = opinion.inside[:, [*range(asked), *range(asked + begin, asked + end)]]
        passage = opinion.passage[split[first][0] : split[last][1]]
        return Opinion(opinion.question, passage, begins / begins.sum(), ends / ends.sum(), inside)

    def _split(self, passage: str) -> list[tuple[int, int, int, int]]:
        """The sentences: their characters and their tokens, from and to."""
        if passage not in self._sentences:
            offsets = self._tokenizer(passage, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
            self._sentences[passage] = [
                (start, end, sum(token < start for token, _ in offsets), sum(token < end for token, _ in offsets))
                for start, end in sentences(passage)
            ]
        return self._sentences[passage]
