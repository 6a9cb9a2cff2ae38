"""What the reader learns of tables: the tokens of a batch of examples, and the losses of its heads."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from docqa.models.reader.network import spots
from docqa.models.tokens import Tokens
from docqa.tables.reading.plan import GROUPS, MEASURES, OF_COLUMN, OF_VALUE, TESTS, WHOLE
from docqa.training.reader.batch import Batch
from docqa.training.reader.network import Network
from docqa.training.reader.tables import TableExample

_FIRST_TEST = len(MEASURES) + len(GROUPS)


@dataclass(frozen=True)
class TableBatch:
    """Examples with their tokens."""

    encoded: Batch
    examples: Sequence[TableExample]


def encoded_tables(tokens: Tokens, examples: Sequence[TableExample]) -> TableBatch:
    """The examples as tokens."""
    return TableBatch(Batch.of(tokens.of_pairs([(each.question, each.layout.text) for each in examples])), examples)


def table_loss(network: Network, batch: TableBatch) -> Tensor:
    """The summed loss of a batch: that of the measure, of the groups, and of each test."""
    with torch.autocast(network.head.weight.device.type, torch.bfloat16, cache_enabled=False):
        hidden = network.hidden(batch.encoded)
    return torch.stack(
        [
            _loss(
                each,
                *network.of_table(
                    states,
                    spots(
                        batch.encoded.offsets[row],
                        batch.encoded.of_second[row].tolist(),
                        [spot.start for spot in each.layout.spots],
                    ),
                ),
            )
            for row, (each, states) in enumerate(zip(batch.examples, hidden.float(), strict=True))
        ]
    ).sum()


def _loss(example: TableExample, whole: Tensor, of_spots: Tensor) -> Tensor:
    heads = [number for number, spot in enumerate(example.layout.spots) if spot.value is None]
    values = [number for number, spot in enumerate(example.layout.spots) if spot.value is not None]
    places = [example.layout.spots[number].place for number in heads]
    of_columns = of_spots[heads]
    measure, place = example.measure
    at = WHOLE.index(measure) if place is None else len(WHOLE) - 1 + places.index(place) * len(MEASURES)
    at += 0 if place is None else MEASURES.index(measure)
    loss = -torch.cat([whole[:-1], of_columns[:, : len(MEASURES)].flatten()]).log_softmax(0)[at]
    if measure == "none":
        return loss
    order, group = example.group or ("", -1)
    at = 0 if example.group is None else 1 + places.index(group) * len(GROUPS) + GROUPS.index(order)
    loss = loss - torch.cat([whole[-1:], of_columns[:, len(MEASURES) : _FIRST_TEST].flatten()]).log_softmax(0)[at]
    for numbers, first, names in ((heads, _FIRST_TEST, TESTS), (values, len(OF_COLUMN), OF_VALUE)):
        if numbers:
            holds = torch.tensor([[float((number, name) in example.holds) for name in names] for number in numbers])
            scores = of_spots[numbers][:, first : first + len(names)]
            loss = loss + functional.binary_cross_entropy_with_logits(scores, holds.to(scores.device), reduction="sum")
    return loss
