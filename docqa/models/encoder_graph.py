"""What an encoder computes, as a graph of OpenVINO, from weights with the names that published files have."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from docqa.models.config import MPNET, VOCABULARY, Config
from docqa.models.eight_bits import LEVEL, Arrays
from docqa.models.engine import op, ov
from docqa.models.reader.weights import STEP, Part
from docqa.models.tensors import Floats, Tensors

_Node: TypeAlias = Any  # of a graph: OpenVINO has no types that are checked


class Weights:
    """Those of a model by name, with what training added to them."""

    def __init__(self, stored: Tensors, prefix: str, part: Part) -> None:
        self._stored, self._part = stored, part
        self._prefix = "" if VOCABULARY in stored else prefix
        if unknown := sorted(name for name in part.changed if self._prefix + name not in stored):
            raise KeyError(f"the trained part belongs to another model: {unknown[0]}")
        self.vocabulary = stored[self._prefix + VOCABULARY]

    def __getitem__(self, name: str) -> Floats:
        weight = self._stored[self._prefix + name].astype("<f4", copy=False)
        difference = self._part.difference(name)
        return weight if difference is None else weight + difference

    def factors(self, name: str) -> tuple[Floats, Floats] | None:
        """As Part has it."""
        return self._part.factors(name)

    def matrices(self) -> Iterator[tuple[str, Floats]]:
        """All that states are multiplied with in the layers, with their names, factors multiplied and added."""
        layers = f"{self._prefix}encoder.layer."
        for full in self._stored:
            if full.startswith(layers) and self._stored[full].ndim == 2:
                name = full.removeprefix(self._prefix)
                factors = self.factors(name)
                yield name, self[name] if factors is None else self[name] + factors[0] @ factors[1]


class Graph:
    """What is reckoned on the embeddings of a batch, (batch, tokens, hidden); matrices are those of `packed`, which
    `eight_bits` makes, where it has any."""

    def __init__(self, config: Config, weights: Weights, packed: Arrays) -> None:
        self._config, self._weights, self._packed = config, weights, packed
        self._multiplied: dict[str, _Node] = {}  # states, by the name of the matrix that they are multiplied with

    def squares(self) -> tuple[list[str], Any]:
        """The names of matrices, and a graph of the same inputs: of the states that each is multiplied with the mean
        square of each number, (columns,)."""
        inputs = self.whole().get_parameters()
        of_batch = _constant([0, 1])
        means = [op.reduce_mean(op.multiply(state, state), of_batch) for state in self._multiplied.values()]
        return list(self._multiplied), ov.Model(list(map(op.result, means)), inputs, "squares")

    def whole(self) -> Any:
        """The graph: embeddings, what is added to the scores of tokens, (batch, 1, 1, tokens), and for MPNet what is
        added by distance to the states."""
        config, is_mpnet = self._config, self._config.model_type in MPNET
        embedded = op.parameter([-1, -1, config.hidden_size], np.float32)
        inputs = [embedded, op.parameter([-1, 1, 1, -1], np.float32)]
        if is_mpnet:
            inputs.append(op.parameter([1, config.num_attention_heads, -1, -1], np.float32))
        added = op.add(inputs[1], inputs[2]) if is_mpnet else inputs[1]
        state = self._normed(embedded, "embeddings")
        for number in range(config.num_hidden_layers):
            layer = f"encoder.layer.{number}"
            if is_mpnet:
                state = self._attention(state, added, [f"{layer}.attention.attn.{name}" for name in "qkvo"])
            else:
                names = ("self.query", "self.key", "self.value", "output.dense")
                state = self._attention(state, added, [f"{layer}.attention.{name}" for name in names])
            state = self._normed(state, f"{layer}.attention{'' if is_mpnet else '.output'}")
            within = op.gelu(self._linear(state, f"{layer}.intermediate.dense"), "erf")
            state = op.add(self._linear(within, f"{layer}.output.dense"), state)
            state = self._normed(state, f"{layer}.output")
        return ov.Model([op.result(state)], inputs, "encoder")

    def _attention(self, state: _Node, added: _Node, names: list[str]) -> _Node:
        """What the tokens that each attends to make of it, added to its state, by all heads side by side."""
        heads = self._config.num_attention_heads
        by_head = _constant([0, 0, heads, self._config.hidden_size // heads])
        turned = _constant([0, 2, 1, 3])
        query, key, value = (
            op.transpose(op.reshape(self._linear(state, name), by_head, True), turned) for name in names[:3]
        )
        attended = op.transpose(op.scaled_dot_product_attention(query, key, value, added, causal=False), turned)
        joined = op.reshape(attended, _constant([0, 0, self._config.hidden_size]), True)
        return op.add(self._linear(joined, names[3]), state)

    def _linear(self, state: _Node, name: str) -> _Node:
        weight = f"{name}.weight"
        self._multiplied[weight] = state
        if self._packed:
            state = op.multiply(state, _constant(self._packed[weight + LEVEL]))
        matrix = self._unpacked(weight) if self._packed else self._constant(weight)
        made = op.matmul(state, matrix, False, True)
        if not self._packed and (factors := self._weights.factors(weight)):
            up, down = map(_constant, factors)
            made = op.add(made, op.matmul(op.matmul(state, down, False, True), up, False, True))
        return op.add(made, self._constant(f"{name}.bias"))

    def _unpacked(self, name: str) -> _Node:
        """The matrix as it is multiplied: OpenVINO does so without unpacking it."""
        numbers, steps = self._packed[name], self._packed[name + STEP]
        exact = op.multiply(op.convert(_constant(numbers), np.float32), _constant(steps))
        return op.reshape(exact, _constant([len(numbers), numbers[0].size]), False)

    def _normed(self, state: _Node, name: str) -> _Node:
        normed = op.mvn(state, _constant([-1]), True, self._config.layer_norm_eps, "inside_sqrt")
        scaled = op.multiply(normed, self._constant(f"{name}.LayerNorm.weight"))
        return op.add(scaled, self._constant(f"{name}.LayerNorm.bias"))

    def _constant(self, name: str) -> _Node:
        return _constant(self._weights[name])


def _constant(numbers: Any) -> _Node:
    """A constant of a graph, which holds the array itself where it can."""
    return ov.op.Constant(np.require(numbers, requirements=["C", "A", "W"]), shared_memory=True)
