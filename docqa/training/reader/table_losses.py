"""What the reader learns of tables: the losses of its heads."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from docqa.models.reader.network import spots
from docqa.tables.reading.plan import FIRST_TEST, GROUPS, MEASURES, OF_COLUMN, OF_VALUE, TESTS, WHOLE
from docqa.training.reader.batch import Batch
from docqa.training.reader.network import Network
from docqa.training.reader.tables import TableExample


def encoded_tables(network: Network, examples: Sequence[TableExample]) -> Batch:
    """The tokens of the questions and the tables laid out. By one thread at a time, as all tokens are told."""
    return network.encode([(example.question, example.layout.text) for example in examples])


def table_loss(network: Network, examples: Sequence[TableExample], encoded: Batch) -> Tensor:
    """The summed loss of a batch: that of the measure, of the groups, and of each test."""
    device = network.head.weight.device
    encoded = encoded.on(device)
    with torch.autocast(device.type, torch.bfloat16, cache_enabled=False):
        hidden = network.hidden(encoded)
    rows = zip(examples, hidden.float(), encoded.offsets, encoded.of_second.tolist(), strict=True)
    losses = []
    for example, states, offsets, of_second in rows:
        places = spots(offsets, of_second, [spot.start for spot in example.layout.spots])
        losses.append(_loss(example, *network.of_table(states, places)))
    return torch.stack(losses).sum()


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
    loss = loss - torch.cat([whole[-1:], of_columns[:, len(MEASURES) : FIRST_TEST].flatten()]).log_softmax(0)[at]
    for numbers, first, names in ((heads, FIRST_TEST, TESTS), (values, len(OF_COLUMN), OF_VALUE)):
        if numbers:
            holds = torch.tensor([[float((number, name) in example.holds) for name in names] for number in numbers])
            scores = of_spots[numbers][:, first : first + len(names)]
            loss = loss + functional.binary_cross_entropy_with_logits(scores, holds.to(scores.device), reduction="sum")
    return loss
