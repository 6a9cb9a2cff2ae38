"""Texts and pairs of texts as the numbers of tokens that an encoder takes, by the library tokenizers."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from docqa.models import unigram
from docqa.models.config import Config

OVERLAP = 32  # tokens that two windows of a long text share

Window = Encoding  # the tokens of a text, or of what is read of it at once


Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    """What an encoder takes, (batch, tokens) each, and the library's view of each row."""

    input_ids: Numbers
    attention_mask: Numbers
    token_type_ids: Numbers
    encodings: list[Encoding]

    @cached_property
    def of_second(self) -> NDArray[np.bool_]:
        """Which tokens are of the second text of their pair: (batch, tokens)."""
        return np.array([[part == 1 for part in each.sequence_ids] for each in self.encodings])

    @cached_property
    def offsets(self) -> list[list[tuple[int, int]]]:
        """Where in their text the tokens of each row stand: (start, end) in characters."""
        return [each.offsets for each in self.encodings]


@lru_cache(maxsize=1)
def _tokenizer(file: str) -> Tokenizer:
    """One for the embedder and the reader of a model: that of 94 languages takes 40 MB."""
    return unigram.tokenizer(Path(file))


class Tokens:
    """The tokenizer in a model's folder; texts of more than `longest` tokens are cut, of pairs the second one.

    It is set anew for each use, by one thread at a time.
    """

    def __init__(self, model_dir: Path, longest: int, *, multiple: int = 1) -> None:
        config = Config.of(model_dir)
        self.tokenizer = _tokenizer(str(model_dir / "tokenizer.json"))
        self._longest, self._has_types = longest, config.type_vocab_size > 1
        self._pad = config.pad_token_id, self.tokenizer.id_to_token(config.pad_token_id)
        self._multiple = multiple

    def beginnings(self, texts: Sequence[str]) -> list[Window]:
        """The tokens of what is read of each text. No padding."""
        self.tokenizer.enable_truncation(self._longest)
        self.tokenizer.no_padding()
        return list(self.tokenizer.encode_batch(list(texts)))

    def windows(self, text: str) -> list[Window]:
        """The tokens of a whole text: what is read of it, then what follows in further windows, with some tokens of the
        one before. No padding."""
        self.tokenizer.enable_truncation(self._longest, stride=min(OVERLAP, self._longest // 4))
        self.tokenizer.no_padding()
        first = self.tokenizer.encode(text)
        return [first, *first.overflowing]

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> list[Window]:
        """The tokens of pairs of texts. No padding. Raises ValueError for a first text that leaves no room for the
        second."""
        self.tokenizer.enable_truncation(self._longest, strategy="only_second")
        self.tokenizer.no_padding()
        try:
            return list(self.tokenizer.encode_batch(list(pairs)))
        except Exception as error:
            raise ValueError(f"the question is too long to be read with a passage: {error}") from error

    def padded(self, encodings: Sequence[Window]) -> Batch:
        """These as a batch; they are padded in place."""
        longest = max(len(each.ids) for each in encodings)
        number, name = self._pad
        for each in encodings:
            each.pad(-(-longest // self._multiple) * self._multiple, pad_id=number, pad_token=name)
        ids, mask, types = (
            np.array([getattr(each, name) for each in encodings]) for name in ("ids", "attention_mask", "type_ids")
        )
        return Batch(ids, mask, types if self._has_types else np.zeros_like(types), list(encodings))

    def of_pairs(self, pairs: Sequence[tuple[str, str]]) -> Batch:
        """The tokens of pairs of texts as a batch. Raises as `pairs` does."""
        return self.padded(self.pairs(pairs))

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Where the tokens of a text stand in it, (start, end) in characters, however many they are."""
        self.tokenizer.no_truncation()
        return [span for span in self.tokenizer.encode(text, add_special_tokens=False).offsets if span[1] > span[0]]


def longest_in(model_dir: Path) -> int:
    """How many tokens the model in a folder takes, as its sentence-transformers settings or its positions say."""
    config = Config.of(model_dir)
    most = config.max_position_embeddings - config.first_position
    settings = model_dir / "sentence_bert_config.json"
    stated = json.loads(settings.read_text("utf-8")).get("max_seq_length") if settings.is_file() else None
    return min(most, stated or most)
