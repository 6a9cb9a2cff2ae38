"""Texts to vectors, as a sentence-transformers folder says: an encoder, the mean of its tokens or the first of them,
length one. Other kinds of folders are left to sentence-transformers itself, which takes long to import."""

import copy
import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, Self

import torch
from torch import Tensor
from torch.nn import functional

from docqa.models.encoder import Encoder, OtherKind
from docqa.models.streams import ONE_STREAM, OneStream, Streams
from docqa.models.tokens import Tokens, Window, longest_in

Span = tuple[int, int]  # the first character, and the one behind the last

MEAN, FIRST = "pooling_mode_mean_tokens", "pooling_mode_cls_token"


class SentenceModel(Protocol):
    """What makes vectors; `prompts` are those that the folder names, `longest` what it reads of a text, in tokens."""

    dimension: int
    longest: int
    prompts: dict[str, str]

    @property
    def knows_parts(self) -> bool:
        """Whether there is `encode_parts`."""

    def bfloat16(self) -> Self:
        """The same model in bfloat16, which shares the tokenizer and the vocabulary."""

    def encode(self, texts: Sequence[str], batch: int) -> Tensor:
        """A vector of length one for each text, float32, `batch` texts at a time: (texts, dimension)."""

    def encode_parts(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]], batch: int
    ) -> tuple[Tensor, list[Tensor]]:
        """The vectors that `encode` makes, and of each text one for each of its parts, from the same pass over it: the
        mean of the part's tokens, which know what stands around them (Günther et al., "Late chunking", 2024). What is
        too long for one pass is read in several. (texts, dimension), and (parts, dimension) for each text.

        Raises OtherKind where the states of tokens are not at hand, or not what vectors are the mean of.
        """


def load(model_dir: Path, streams: Streams | OneStream = ONE_STREAM) -> SentenceModel:
    """The model in a sentence-transformers folder, in float32; in `streams` it works on a batch side by side, where it
    can. Raises FileNotFoundError."""
    if not model_dir.is_dir():  # else sentence-transformers is imported for seconds, and looks for it elsewhere
        raise FileNotFoundError(f"There is no model in {model_dir}.")
    try:
        return PlainSentences(model_dir, streams)
    except OtherKind:
        return OtherSentences(model_dir)


class PlainSentences:
    """An encoder of a family that `encoder` knows, and pooling. Raises OtherKind for any other folder."""

    def __init__(self, model_dir: Path, streams: Streams | OneStream = ONE_STREAM) -> None:
        self._streams = streams
        self._pooling = _pooling(model_dir)
        self._encoder = Encoder.load(model_dir)
        self.longest = longest_in(model_dir)
        self._tokens = Tokens(model_dir, self.longest)
        self.dimension = self._encoder.config.hidden_size
        settings = model_dir / "config_sentence_transformers.json"
        stated = json.loads(settings.read_text("utf-8")) if settings.is_file() else {}
        self.prompts: dict[str, str] = stated.get("prompts") or {}

    @property
    def knows_parts(self) -> bool:
        """As SentenceModel says."""
        return self._pooling == MEAN

    def bfloat16(self) -> Self:
        """As SentenceModel says."""
        half = copy.copy(self)
        half._encoder = self._encoder.copied().round(torch.bfloat16)
        return half

    def encode(self, texts: Sequence[str], batch: int) -> Tensor:
        """As SentenceModel says."""
        vectors = torch.empty(len(texts), self.dimension)
        read = list(enumerate(self._tokens.beginnings(texts)))

        def work(chosen: Sequence[tuple[int, Window]]) -> None:
            tokens = self._tokens.padded([window for _, window in chosen])
            states = self._encoder(*tokens.tensors).float()
            vectors[[number for number, _ in chosen]] = self._pooled(states, tokens.attention_mask)

        self._streams.in_batches(work, sorted(read, key=lambda window: -len(window[1].ids)), batch)
        return vectors

    def encode_parts(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]], batch: int
    ) -> tuple[Tensor, list[Tensor]]:
        """As SentenceModel says."""
        if not self.knows_parts:
            raise OtherKind("the vectors of this model are not the means of its tokens")
        vectors = torch.empty(len(texts), self.dimension)
        means = [torch.zeros(len(of_text), self.dimension) for of_text in parts]
        held = [torch.zeros(len(of_text), 1) for of_text in parts]  # tokens that each mean is of
        windows = [
            (number, place, window)
            for number, text in enumerate(texts)
            for place, window in enumerate(self._tokens.windows(text))
        ]

        def work(chosen: Sequence[tuple[int, int, Window]]) -> list[tuple[int, Tensor, Tensor]]:
            """Of each window the text's number, and of its parts the means, and the tokens that these are of."""
            tokens = self._tokens.padded([window for *_, window in chosen])
            states = self._encoder(*tokens.tensors).float()
            pooled = self._pooled(states, tokens.attention_mask)
            of_parts = []
            for row, (number, place, _) in enumerate(chosen):
                if place == 0:
                    vectors[number] = pooled[row]
                if parts[number]:
                    inside = _inside(parts[number], tokens.offsets[row])
                    counts = inside.sum(1, keepdim=True)
                    of_parts.append((number, inside @ states[row] / counts.clamp_min(1), counts))
            return of_parts

        made = self._streams.in_batches(work, sorted(windows, key=lambda window: -len(window[2].ids)), batch)
        for number, here, counts in chain.from_iterable(made):
            means[number] = torch.where(counts > held[number], here, means[number])
            held[number] = torch.maximum(counts, held[number])
        # A part that is no token to the model, such as a row of control characters, is no nearer than the whole.
        whole = [torch.where(held[number] > 0, mean, vectors[number]) for number, mean in enumerate(means)]
        return vectors, [functional.normalize(mean, dim=1) for mean in whole]

    def _pooled(self, states: Tensor, attention_mask: Tensor) -> Tensor:
        attended = attention_mask[..., None].float()
        pooled = states[:, 0] if self._pooling == FIRST else (states * attended).sum(1) / attended.sum(1)
        return functional.normalize(pooled, dim=1)


def _inside(parts: Sequence[Span], offsets: Sequence[Span]) -> Tensor:
    """1 for each token that has characters of a part, else 0: (parts, tokens)."""
    first, last = torch.tensor(parts).unbind(1)
    start, end = torch.tensor(offsets).unbind(1)
    return ((start < last[:, None]) & (end > first[:, None]) & (end > start)).float()


def _pooling(model_dir: Path) -> str:
    """MEAN or FIRST. Raises OtherKind for other folders."""
    described = model_dir / "modules.json"
    modules = json.loads(described.read_text("utf-8")) if described.is_file() else []
    kinds = [module["type"].rpartition(".")[2] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]) or modules[0]["path"]:
        raise OtherKind(f"{model_dir} consists of {kinds}")
    raw = json.loads((model_dir / modules[1]["path"] / "config.json").read_text("utf-8"))
    modes = [name for name, is_on in raw.items() if name.startswith("pooling_mode_") and is_on]
    if modes not in ([MEAN], [FIRST]) or not (model_dir / "tokenizer.json").is_file():
        raise OtherKind(f"{model_dir} pools by {modes}")
    return str(modes[0])


class OtherSentences:
    """Whatever sentence-transformers loads."""

    def __init__(self, model_dir: Path) -> None:
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]
        model: Any = SentenceTransformer(str(model_dir), device="cpu", local_files_only=True)
        self._model = model.eval()
        self._model.default_prompt_name = None  # whoever calls puts the prompt before the text
        self.dimension: int = self._model.get_embedding_dimension()
        self.longest: int = self._model.max_seq_length
        self.prompts: dict[str, str] = self._model.prompts

    @property
    def knows_parts(self) -> bool:
        """As SentenceModel says."""
        return False

    def bfloat16(self) -> Self:
        """As SentenceModel says."""
        half = copy.copy(self)
        tokenizer = self._model.tokenizer
        half._model = copy.deepcopy(self._model, {id(tokenizer): tokenizer}).bfloat16()
        return half

    def encode(self, texts: Sequence[str], batch: int) -> Tensor:
        """As SentenceModel says."""
        vectors = self._model.encode(list(texts), batch_size=batch, convert_to_tensor=True, show_progress_bar=False)
        return functional.normalize(vectors.float(), dim=1)

    def encode_parts(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]], batch: int
    ) -> tuple[Tensor, list[Tensor]]:
        """As SentenceModel says."""
        raise OtherKind("the states of this model's tokens are not at hand")
