"""Encoders of BERT's family and MPNet as graphs of OpenVINO, from weights with the names that published files have.

torch would take 700 MB of the disk, 150 MB of each process that imports it, and a quarter more time. Architectures:
Devlin et al., "BERT", 2019; Liu et al., "RoBERTa", 2019; Song et al., "MPNet", 2020, with the position buckets of
Raffel et al., "T5", 2020.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from docqa.catalog.machine import find_machine
from docqa.models.config import MPNET, WEIGHTS, Config
from docqa.models.eight_bits import GROUP, Arrays, eight_bits
from docqa.models.encoder_graph import Graph, Weights
from docqa.models.engine import ov
from docqa.models.pairs import PAIRS
from docqa.models.reader.weights import Part
from docqa.models.tensors import Floats, Tensors
from docqa.models.tokens import Batch, Tokens, Window, longest_in

FARTHEST = 128  # tokens apart: beyond, MPNet makes no difference
NOT_ATTENDED = -1e9  # added to the score of a token that is not attended to; bfloat16 reaches as far as float32
_PRECISIONS = {"float32": "f32", "bfloat16": "bf16"}
EIGHT_BITS = "int8"
_HALF_THE_MEMORY = 1.2  # is worth so much time
# Kernels are kept for so many shapes: passages come in every length, and those for all of them took 200 MB. Kernels for
# another shape take as long to make as a hundred tokens to read; twice as many made nothing faster.
_SHAPES = 8
_KEPT_OF_A_SHAPE = 4  # OpenVINO counts what it keeps in these
NOTHING_TRAINED = Part()

Integers: TypeAlias = NDArray[np.int64]
Pace: TypeAlias = Callable[[], int]  # how many texts are to be read at once just now


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
        weights = Weights(stored, self.config.prefix, part)
        self._vocabulary, self._places = weights.vocabulary, weights["embeddings.position_embeddings.weight"]
        # MPNet tells the parts of a pair by their separator alone, and knows by their distance how tokens stand.
        self._types = weights["embeddings.token_type_embeddings.weight"] if self.config.type_vocab_size else None
        is_mpnet = self.config.model_type in MPNET
        self._by_distance = weights["encoder.relative_attention_bias.weight"] if is_mpnet else None
        packed: Arrays = {}
        if precision == EIGHT_BITS:
            name = model_dir.name + (f".{part.path.stem}" if part.path else "")
            spreads = partial(self._spreads, model_dir, weights)
            packed = eight_bits(name, model_dir / WEIGHTS, part, weights.matrices(), spreads, kept_in)
            precision = next(each for each in reversed(precisions()) if each != EIGHT_BITS)  # of all but matrices
        settings = {
            "INFERENCE_PRECISION_HINT": _PRECISIONS[precision],
            "INFERENCE_NUM_THREADS": find_machine().cores,
            # A stream for each core, with batches of their own, was faster beside other work only, by a sixth. It took
            # twice as long for a passage alone, and 20 to 35 MB more for each encoder.
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,  # other work has the cores too
            "CPU_RUNTIME_CACHE_CAPACITY": _SHAPES * _KEPT_OF_A_SHAPE,
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": GROUP,
        }
        graph = Graph(self.config, weights, packed).whole()
        self._compiled = ov.Core().compile_model(graph, "CPU", settings)
        self._request = self._compiled.create_infer_request()
        self(_SOME_TOKENS)  # weights are put into the order in which they are multiplied when they are first used
        self._mapped = [stored, *([packed] if isinstance(packed, Tensors) else [])]
        self._put_away()

    def __call__(self, batch: Batch) -> Floats:
        """The states after the last layer: (batch, tokens, hidden). Those of padding mean nothing."""
        [(_, states)] = filter(None, self.each([batch]))
        return states

    def each(self, batches: Iterable[Batch]) -> Iterator[tuple[Batch, Floats] | None]:
        """Batches with their states, in order, and None where nothing is in work and others may be served first. While
        the caller has the states of one, the next one is in work."""
        in_work: Batch | None = None
        try:
            for batch in batches:
                inputs = self._inputs(batch)
                before, in_work = in_work and (in_work, self._finished()), None
                yield None
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

    def _spreads(self, model_dir: Path, weights: Weights) -> dict[str, Floats]:
        """The root mean square of each number of the states that a matrix is multiplied with, in a few texts; by the
        names of matrices."""
        names, graph = Graph(self.config, weights, {}).squares()
        settings = {"INFERENCE_PRECISION_HINT": _PRECISIONS["float32"], "INFERENCE_NUM_THREADS": find_machine().cores}
        compiled = ov.Core().compile_model(graph, "CPU", settings)
        tokens = Tokens(model_dir, longest_in(model_dir))
        squares = [compiled(self._inputs(tokens.of_pairs([pair]))) for pair in PAIRS]  # one at a time: without padding
        return {
            name: np.sqrt(np.mean([of_pair[place] for of_pair in squares], axis=0)) for place, name in enumerate(names)
        }

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
    encoder: Encoder, tokens: Tokens, windows: Sequence[Window], at_once: int, pace: Pace | None = None
) -> Iterator[tuple[list[int], Batch, Floats] | None]:
    """So many at once are read of texts, or fewer by the pace, those of similar length together: their places, and the
    batch with its states. None where others may be served first."""
    by_length = sorted(range(len(windows)), key=lambda place: len(windows[place].ids))
    groups = deque[list[int]]()  # what has begun

    def batches() -> Iterator[Batch]:
        start = 0
        while group := by_length[start : start + min(at_once, pace() if pace else at_once)]:
            groups.append(group)
            yield tokens.padded([windows[place] for place in group])
            start += len(group)

    for read in encoder.each(batches()):
        yield read and (groups.popleft(), *read)


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
