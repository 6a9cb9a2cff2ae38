"""Encoders of BERT's family and MPNet as graphs of OpenVINO, from weights with the names that published files have.

torch would take 700 MB of the disk, 150 MB of each process that imports it, and a quarter more time. Architectures:
Devlin et al., "BERT", 2019; Liu et al., "RoBERTa", 2019; Song et al., "MPNet", 2020, with the position buckets of
Raffel et al., "T5", 2020.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from docqa.catalog.machine import find_machine
from docqa.models.config import MPNET, VOCABULARY, WEIGHTS, Config
from docqa.models.eight_bits import Arrays, eight_bits
from docqa.models.engine import op, ov
from docqa.models.reader.weights import STEP, Part
from docqa.models.tensors import Floats, Tensors
from docqa.models.tokens import Batch, Tokens, Window

FARTHEST = 128  # tokens apart: beyond, MPNet makes no difference
NOT_ATTENDED = -1e9  # added to the score of a token that is not attended to; bfloat16 reaches as far as float32
_PRECISIONS = {"float32": "f32", "bfloat16": "bf16"}
EIGHT_BITS = "int8"
_HALF_THE_MEMORY = 1.2  # is worth so much time
# Kernels are kept for so many shapes: passages come in every length, and those for all of them took 200 MB. Kernels for
# another shape take as long to make as a hundred tokens to read; twice as many made nothing faster.
_SHAPES = 8
_KEPT_OF_A_SHAPE = 4  # OpenVINO counts what it keeps in these
_STATES_OF_A_STEP = 32  # numbers of a state that are rounded together before they are multiplied in eight bits
NOTHING_TRAINED = Part()

_Node: TypeAlias = Any  # of a graph: OpenVINO has no types that are checked
Integers: TypeAlias = NDArray[np.int64]


def precisions() -> list[str]:
    """Those in which this processor can reckon, the exact one first."""
    able = ov.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return ["float32", *(["bfloat16"] if "BF16" in able else []), *([EIGHT_BITS] if "INT8" in able else [])]


def worth(precision: str, seconds: float) -> float:
    """By what precisions are compared that take so many seconds, the less the better."""
    return seconds / _HALF_THE_MEMORY if precision == EIGHT_BITS else seconds


class Encoder:
    """Tokens to their hidden states: the encoder in a folder, with what the file `part` adds to it.

    `precision` is one of `precisions()`; matrices in eight bits are kept in the folder `kept_in`. It serves one caller
    at a time, on all cores. Raises OtherKind as Config.of does, KeyError for a file in which weights are missing.
    """

    def __init__(
        self,
        model_dir: Path,
        precision: str = "float32",
        part: Part = NOTHING_TRAINED,
        kept_in: Path | None = None,
    ) -> None:
        self.config, self.precision = Config.of(model_dir), precision
        stored = Tensors(model_dir / WEIGHTS)
        weights = _Weights(stored, self.config.prefix, part)
        self._vocabulary, self._places = weights.vocabulary, weights["embeddings.position_embeddings.weight"]
        # MPNet tells the parts of a pair by their separator alone, and knows by their distance how tokens stand.
        self._types = weights["embeddings.token_type_embeddings.weight"] if self.config.type_vocab_size else None
        is_mpnet = self.config.model_type in MPNET
        self._by_distance = weights["encoder.relative_attention_bias.weight"] if is_mpnet else None
        packed: Arrays = {}
        if precision == EIGHT_BITS:
            name = model_dir.name + (f".{part.path.stem}" if part.path else "")
            packed = eight_bits(name, model_dir / WEIGHTS, part, weights.matrices(), kept_in)
            precision = next(each for each in reversed(precisions()) if each != EIGHT_BITS)  # of all but matrices
        settings = {
            "INFERENCE_PRECISION_HINT": _PRECISIONS[precision],
            "INFERENCE_NUM_THREADS": find_machine().cores,
            # A stream for each core, with batches of their own, was faster beside other work only, by a sixth. It took
            # twice as long for a passage alone, and 20 to 35 MB more for each encoder.
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,  # other work has the cores too
            "CPU_RUNTIME_CACHE_CAPACITY": _SHAPES * _KEPT_OF_A_SHAPE,
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": _STATES_OF_A_STEP,
        }
        graph = _Graph(self.config, weights, packed).whole()
        self._compiled = ov.Core().compile_model(graph, "CPU", settings)
        self._request = self._compiled.create_infer_request()
        self(_SOME_TOKENS)  # weights are put into the order in which they are multiplied when they are first used
        self._mapped = [stored, *([packed] if isinstance(packed, Tensors) else [])]
        self._put_away()

    def __call__(self, batch: Batch) -> Floats:
        """The states after the last layer: (batch, tokens, hidden). Those of padding mean nothing."""
        [(_, states)] = self.each([batch])
        return states

    def each(self, batches: Iterable[Batch]) -> Iterator[tuple[Batch, Floats]]:
        """Batches with their states, in order. While the caller has those of one, the next one is in work."""
        in_work: Batch | None = None
        try:
            for batch in batches:
                inputs = self._inputs(batch)
                before = in_work and (in_work, self._finished())
                self._request.start_async(inputs, share_inputs=True)
                in_work = batch
                if before:
                    yield before
            if in_work:
                yield in_work, self._finished()
                in_work = None
        finally:
            if in_work:  # the caller wants no more
                self._request.wait()

    def _inputs(self, batch: Batch) -> list[Floats]:
        inputs = [
            self._embedded(batch),
            np.where(batch.attention_mask, 0, NOT_ATTENDED).astype("<f4")[:, None, None, :],
        ]
        if self._by_distance is not None:
            inputs.append(_biases(self._by_distance, batch.input_ids.shape[1]))
        return inputs

    def _finished(self) -> Floats:
        """The states of what is in work, once it is done."""
        self._request.wait()
        return np.array(self._request.get_output_tensor().data)

    def rest(self) -> None:
        """Give back what the states of a batch took, and what was looked up in files."""
        self._compiled.release_memory()
        self._put_away()

    def _put_away(self) -> None:
        for file in self._mapped:
            file.put_away()

    def _embedded(self, batch: Batch) -> Floats:
        """The sum of the vectors of tokens, places and parts: of a table that may be most of a model a text needs a few
        rows, so that it is looked up in the file."""
        first = self.config.first_position
        # Padded behind, maybe farther than there are places.
        places = np.minimum(np.arange(first, first + batch.input_ids.shape[1]), len(self._places) - 1)
        embedded: Floats = self._vocabulary[batch.input_ids] + self._places[places]
        if self._types is not None:
            embedded += self._types[batch.token_type_ids]
        return embedded


def read_together(
    encoder: Encoder, tokens: Tokens, windows: Sequence[Window], at_once: int
) -> Iterator[tuple[list[int], Batch, Floats]]:
    """So many at once are read of texts, those of similar length together: their places, and the batch with its
    states."""
    by_length = sorted(range(len(windows)), key=lambda place: len(windows[place].ids))
    groups = [by_length[start : start + at_once] for start in range(0, len(by_length), at_once)]
    batches = (tokens.padded([windows[place] for place in group]) for group in groups)
    for group, (batch, states) in zip(groups, encoder.each(batches), strict=True):
        yield group, batch, states


_SOME_TOKENS = Batch(np.zeros((1, 64), int), np.ones((1, 64), int), np.zeros((1, 64), int), [])


def _biases(by_bucket: Floats, tokens: int) -> Floats:
    """What each head adds to the score of each two tokens, by how far apart they are: (1, heads, tokens, tokens)."""
    added: Floats = by_bucket[buckets(tokens, len(by_bucket))].transpose(2, 0, 1)[None]
    return np.ascontiguousarray(added)


@lru_cache(maxsize=_SHAPES)
def buckets(tokens: int, count: int) -> Integers:
    """The bucket of the distance of each two tokens: half of them for each direction, and of these half for one
    distance each, the others for ranges that grow geometrically up to FARTHEST. (tokens, tokens)"""
    distances = np.arange(tokens)[None, :] - np.arange(tokens)[:, None]
    each_way = count // 2
    single = each_way // 2
    far = np.abs(distances)
    growth = np.log(np.maximum(far, 1) / single) / math.log(FARTHEST / single) * (each_way - single)
    ranged = np.minimum(single + growth.astype(int), each_way - 1)
    of_each: Integers = np.where(far < single, far, ranged) + each_way * (distances > 0)
    return of_each


class _Weights:
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


class _Graph:
    """What is reckoned on the embeddings of a batch, (batch, tokens, hidden); matrices are those of `packed`, which
    `eight_bits` makes, where it has any."""

    def __init__(self, config: Config, weights: _Weights, packed: Arrays) -> None:
        self._config, self._weights, self._packed = config, weights, packed

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
