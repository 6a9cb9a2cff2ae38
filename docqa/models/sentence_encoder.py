"""Texts to vectors, as a sentence-transformers folder says: an encoder, the mean of its tokens or the first of them,
length one. Other kinds of folders are left to sentence-transformers itself, which takes long to import."""

import json
from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from docqa.models.batches import AT_ONCE, BATCH
from docqa.models.config import OtherKind
from docqa.models.encoder import Encoder, Pace, read_together
from docqa.models.sentence_folder import FIRST, MEAN, pooling
from docqa.models.tensors import Floats
from docqa.models.tokens import Numbers, Tokens, longest_in

Span = tuple[int, int]  # the first character, and the one behind the last
_Result = TypeVar("_Result")
Steps: TypeAlias = Generator[None, None, _Result]  # between which others may be served

# Tokens: kernels are kept for some shapes, and those for a further one take as long as a hundred tokens.
ROUNDING = 16
_SHORTEST = 1e-12  # the length that a row of zeros counts as, so that it stays one


class SentenceModel(ABC):
    """What makes vectors in a `precision`; `prompts` are those that the folder names, `longest` what it reads of a text
    in tokens."""

    precision: str
    dimension: int
    longest: int
    prompts: dict[str, str]

    @property
    @abstractmethod
    def knows_parts(self) -> bool:
        """Whether there is `encode_parts`."""

    @abstractmethod
    def rest(self) -> None:
        """Give back what the last texts took."""

    @abstractmethod
    def encoding(self, texts: Sequence[str], pace: Pace | None = None) -> Steps[Floats]:
        """A vector of length one for each text, float32: (texts, dimension)."""

    @abstractmethod
    def encoding_parts(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]], pace: Pace | None = None
    ) -> Steps[tuple[Floats, list[Floats]]]:
        """What `encode_parts` makes, likewise."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """What `encoding` makes."""
        return _at_once(self.encoding(texts))

    def encode_parts(self, texts: Sequence[str], parts: Sequence[Sequence[Span]]) -> tuple[Floats, list[Floats]]:
        """The vectors that `encode` makes, and of each text one for each of its parts, from the same pass over it: the
        mean of the part's tokens, which know what stands around them (Günther et al., "Late chunking", 2024). What is
        too long for one pass is read in several. (texts, dimension), and (parts, dimension) for each text.

        Raises OtherKind where the states of tokens are not at hand, or not what vectors are the mean of.
        """
        return _at_once(self.encoding_parts(texts, parts))


def _at_once(steps: Steps[_Result]) -> _Result:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: _Result = end.value
            return result


def load(model_dir: Path, precisions: Sequence[str], kept_in: Path | None = None) -> list[SentenceModel]:
    """The model in a sentence-transformers folder, in each of these precisions, all of them `encoder.precisions()`.
    Matrices in eight bits are kept in the folder `kept_in`. What only sentence-transformers loads is in float32.

    Raises FileNotFoundError, and ModuleNotFoundError where that one is not installed.
    """
    if not model_dir.is_dir():  # else sentence-transformers is imported for seconds, and looks for it elsewhere
        raise FileNotFoundError(f"There is no model in {model_dir}.")
    try:
        return [PlainSentences(model_dir, precision, kept_in) for precision in precisions]
    except OtherKind:
        return [OtherSentences(model_dir)]


class PlainSentences(SentenceModel):
    """An encoder of a family that `encoder` knows, and pooling; so many texts are read `at_once`. Raises OtherKind for
    any other folder."""

    at_once = AT_ONCE

    def __init__(self, model_dir: Path, precision: str, kept_in: Path | None) -> None:
        self.precision = precision
        self._pooling = pooling(model_dir)
        self._encoder = Encoder(model_dir, precision, kept_in=kept_in)
        self.longest = longest_in(model_dir)
        self._tokens = Tokens(model_dir, self.longest, multiple=ROUNDING)
        self.dimension = self._encoder.config.hidden_size
        settings = model_dir / "config_sentence_transformers.json"
        stated = json.loads(settings.read_text("utf-8")) if settings.is_file() else {}
        self.prompts: dict[str, str] = stated.get("prompts") or {}

    @property
    def knows_parts(self) -> bool:
        """As SentenceModel says."""
        return self._pooling == MEAN

    def rest(self) -> None:
        """As SentenceModel says."""
        self._encoder.rest()

    def encoding(self, texts: Sequence[str], pace: Pace | None = None) -> Steps[Floats]:
        """As SentenceModel says."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        windows = self._tokens.beginnings(texts)
        for read in read_together(self._encoder, self._tokens, windows, self.at_once, pace):
            if read is None:
                yield
                continue
            numbers, tokens, states = read
            vectors[numbers] = self._pooled(states, tokens.attention_mask)
        return vectors

    def encoding_parts(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]], pace: Pace | None = None
    ) -> Steps[tuple[Floats, list[Floats]]]:
        """As SentenceModel says."""
        if not self.knows_parts:
            raise OtherKind("the vectors of this model are not the means of its tokens")
        vectors = np.empty((len(texts), self.dimension), np.float32)
        means = [np.zeros((len(of_text), self.dimension), np.float32) for of_text in parts]
        held = [np.zeros((len(of_text), 1), np.float32) for of_text in parts]  # tokens that each mean is of
        windows = [
            (number, place, window)
            for number, text in enumerate(texts)
            for place, window in enumerate(self._tokens.windows(text))
        ]
        encodings = [window for *_, window in windows]
        for read in read_together(self._encoder, self._tokens, encodings, self.at_once, pace):
            if read is None:
                yield
                continue
            chosen, tokens, states = read
            pooled = self._pooled(states, tokens.attention_mask)
            for row, (number, place, _) in enumerate(windows[index] for index in chosen):
                if place == 0:
                    vectors[number] = pooled[row]
                if parts[number]:
                    inside = _inside(parts[number], tokens.offsets[row])
                    counts = inside.sum(1, keepdims=True)
                    here = inside @ states[row] / np.maximum(counts, 1)
                    means[number] = np.where(counts > held[number], here, means[number])
                    held[number] = np.maximum(counts, held[number])
        # A part that is no token to the model, such as a row of control characters, is no nearer than the whole.
        whole = [np.where(held[number] > 0, mean, vectors[number]) for number, mean in enumerate(means)]
        return vectors, [_of_length_one(mean) for mean in whole]

    def _pooled(self, states: Floats, attention_mask: Numbers) -> Floats:
        if self._pooling == FIRST:
            return _of_length_one(states[:, 0])
        attended = attention_mask.astype(np.float32)[:, None]
        return _of_length_one((attended @ states)[:, 0] / attended.sum(2))


def _of_length_one(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Floats = rows / np.maximum(lengths, _SHORTEST)
    return scaled


def _inside(parts: Sequence[Span], offsets: Sequence[Span]) -> Floats:
    """1 for each token that has characters of a part, else 0: (parts, tokens)."""
    first, last = np.array(parts).T[..., None]
    start, end = np.array(offsets).T
    inside: Floats = ((start < last) & (end > first) & (end > start)).astype(np.float32)
    return inside


class OtherSentences(SentenceModel):
    """Whatever sentence-transformers loads."""

    precision = "float32"

    def __init__(self, model_dir: Path) -> None:
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()
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

    def rest(self) -> None:
        """As SentenceModel says; it keeps nothing."""

    def encoding(self, texts: Sequence[str], pace: Pace | None = None) -> Steps[Floats]:
        """As SentenceModel says."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        by_length = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        start = 0
        while numbers := by_length[start : start + (pace() if pace else BATCH)]:
            some = [texts[number] for number in numbers]
            vectors[numbers] = self._model.encode(some, batch_size=BATCH, show_progress_bar=False)
            start += len(numbers)
            yield
        return _of_length_one(vectors)

    def encoding_parts(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]], pace: Pace | None = None
    ) -> Steps[tuple[Floats, list[Floats]]]:
        """As SentenceModel says."""
        raise OtherKind("the states of this model's tokens are not at hand")
