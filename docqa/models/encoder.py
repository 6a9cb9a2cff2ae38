"""Encoders of BERT's family and MPNet in plain torch, with the names of weights that published files have.

transformers computes the same, but importing it takes eight seconds of a processor and 150 MB in each process that
holds a model. Architectures: Devlin et al., "BERT", 2019; Liu et al., "RoBERTa", 2019; Song et al., "MPNet", 2020, with
the position buckets of Raffel et al., "T5", 2020.
"""

import copy
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

WEIGHTS = "model.safetensors"
VOCABULARY = "embeddings.word_embeddings.weight"
# Families, and whether positions are counted from behind the padding token's number.
BERT, MPNET, ROBERTA = ("bert",), ("mpnet",), ("roberta", "xlm-roberta", "camembert")
FARTHEST = 128  # tokens apart: beyond, MPNet makes no difference
_NO = -1e9  # added to the score of a token that is not attended to; bfloat16 reaches as far as float32


class OtherKind(NotImplementedError):
    """A model that is computed otherwise than here; torch raises its base class for reasons of its own."""


@dataclass(frozen=True)
class Config:
    """What a model's config.json says of its shape."""

    model_type: str
    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    layer_norm_eps: float
    pad_token_id: int
    type_vocab_size: int = 0
    relative_attention_num_buckets: int = 32

    @classmethod
    def of(cls, model_dir: Path) -> "Config":
        """Raises OtherKind for a model of another family, or one that differs from its family."""
        raw: dict[str, Any] = json.loads((model_dir / "config.json").read_text("utf-8"))
        known = raw.get("model_type") in (*BERT, *MPNET, *ROBERTA)
        usual = raw.get("hidden_act") == "gelu" and raw.get("position_embedding_type", "absolute") == "absolute"
        if not (known and usual and (model_dir / WEIGHTS).is_file()):
            raise OtherKind(f"{model_dir} holds no encoder of a family that is known here")
        return cls(**{name: raw[name] for name in cls.__dataclass_fields__ if name in raw})

    @property
    def first_position(self) -> int:
        """The number of the first token's position."""
        return 0 if self.model_type in BERT else self.pad_token_id + 1


class Encoder(nn.Module):
    """Tokens to their hidden states."""

    def __init__(self, config: Config, dropout: float = 0.0) -> None:
        super().__init__()
        self.config = config
        self.embeddings = _Embeddings(config, dropout)
        self.encoder = _Layers(config, dropout)

    @classmethod
    def load(cls, model_dir: Path, dropout: float = 0.0) -> "Encoder":
        """The encoder in a folder, in float32. Raises OtherKind as Config.of does, KeyError for a file in
        which weights are missing."""
        config = Config.of(model_dir)
        encoder = cls(config, dropout)
        stored = load_file(model_dir / WEIGHTS)
        prefix = f"{config.model_type.removeprefix('xlm-')}."
        named = {name.removeprefix(prefix): tensor for name, tensor in stored.items()}
        wanted = {name: named[name].float() for name in encoder.state_dict() if name != VOCABULARY}
        # In a map of its own, which holds what is looked up; the other one goes when the other weights are rounded.
        with safe_open(model_dir / WEIGHTS, "pt") as file:
            full = VOCABULARY if VOCABULARY in stored else prefix + VOCABULARY
            wanted[VOCABULARY] = file.get_tensor(full)
        encoder.load_state_dict(wanted, assign=True)
        return encoder.eval()

    def copied(self) -> Self:
        """A copy, which shares the vectors of the vocabulary."""
        vocabulary = self.embeddings.word_embeddings.weight
        return copy.deepcopy(self, {id(vocabulary): vocabulary})

    def round(self, dtype: torch.dtype) -> Self:
        """Round its weights to a precision. Those of the vocabulary stay as they are in the file, which is mapped: of a
        table that may be most of a model a text needs a few rows, which are rounded when they are looked up."""
        vocabulary = self.embeddings.word_embeddings.weight
        for weight in self.parameters():
            if weight is not vocabulary:
                weight.data = weight.data.to(dtype)
        return self

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """The states of (batch, tokens) after the last layer, 0 for those that are not attended to: (batch, tokens,
        hidden). All but attention is reckoned on the others alone, for padding is a tenth of most batches and more."""
        state = self.embeddings(input_ids, token_type_ids)
        added = self._added(attention_mask, state.dtype)
        places = _Places.of(attention_mask)
        state = places.kept(state)
        for layer in self.encoder.layer:
            state = layer(state, added, places)
        return places.spread(state)

    def _added(self, attention_mask: Tensor, dtype: torch.dtype) -> Tensor:
        """What is added to the score of each pair of tokens: (batch or 1, heads or 1, tokens or 1, tokens)."""
        padding = torch.zeros_like(attention_mask, dtype=dtype).masked_fill(attention_mask == 0, _NO)[:, None, None, :]
        biases = self.encoder.biases(attention_mask.shape[1], attention_mask.device)
        return padding if biases is None else padding + biases

    def states(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Iterator[Tensor]:
        """The states after the embeddings and after each layer, one at a time: (batch, tokens, hidden) each."""
        state = self.embeddings(input_ids, token_type_ids)
        yield state
        added, places = self._added(attention_mask, state.dtype), _Places(tuple(attention_mask.shape), None)
        for layer in self.encoder.layer:
            state = layer(state, added, places)
            yield state


@dataclass(frozen=True)
class _Places:
    """Where the tokens that layers work on stand in a batch of this `shape`, (texts, tokens); `rows` None for all."""

    shape: tuple[int, ...]
    rows: Tensor | None

    @classmethod
    def of(cls, attention_mask: Tensor) -> "_Places":
        """Those that are attended to."""
        rows = None if bool(attention_mask.all()) else attention_mask.flatten().nonzero()[:, 0]
        return cls(tuple(attention_mask.shape), rows)

    def kept(self, batch: Tensor) -> Tensor:
        """(texts, tokens, hidden) → (rows, hidden), or as it is where all are kept."""
        return batch if self.rows is None else batch.flatten(0, 1)[self.rows]

    def spread(self, kept: Tensor) -> Tensor:
        """The reverse, with 0 for all others."""
        if self.rows is None:
            return kept
        batch = kept.new_zeros(self.shape[0] * self.shape[1], kept.shape[-1])
        batch[self.rows] = kept
        return batch.view(*self.shape, -1)


class _Linear(nn.Linear):
    """Without the random numbers it would begin with: its own are in a file."""

    def reset_parameters(self) -> None:
        """Nothing."""


class _Embedding(nn.Embedding):
    """As _Linear."""

    def reset_parameters(self) -> None:
        """Nothing."""


class _Embeddings(nn.Module):
    def __init__(self, config: Config, dropout: float) -> None:
        super().__init__()
        width = config.hidden_size
        self.word_embeddings = _Embedding(config.vocab_size, width)
        self.position_embeddings = _Embedding(config.max_position_embeddings, width)
        # MPNet tells the parts of a pair by their separator alone.
        self.token_type_embeddings = _Embedding(config.type_vocab_size, width) if config.type_vocab_size else None
        self.LayerNorm = nn.LayerNorm(width, config.layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self._first = config.first_position

    def forward(self, input_ids: Tensor, token_type_ids: Tensor) -> Tensor:
        tokens = input_ids.shape[1]
        places = torch.arange(self._first, self._first + tokens, device=input_ids.device)  # padded behind
        embedded = self.word_embeddings(input_ids).to(self.LayerNorm.weight.dtype)
        if self.token_type_embeddings is not None:
            embedded = embedded + self.token_type_embeddings(token_type_ids)
        normed: Tensor = self.dropout(self.LayerNorm(embedded + self.position_embeddings(places)))
        return normed


class _Layers(nn.Module):
    def __init__(self, config: Config, dropout: float) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(config, dropout) for _ in range(config.num_hidden_layers))
        buckets, heads = config.relative_attention_num_buckets, config.num_attention_heads
        self.relative_attention_bias = _Embedding(buckets, heads) if config.model_type in MPNET else None

    def biases(self, tokens: int, device: torch.device) -> Tensor | None:
        """What each head adds to the score of each pair of tokens, by how far apart they are: (1, heads, tokens,
        tokens); None for a model that has no such thing."""
        if self.relative_attention_bias is None:
            return None
        places = torch.arange(tokens, device=device)
        buckets = _buckets(places[None, :] - places[:, None], self.relative_attention_bias.num_embeddings)
        added: Tensor = self.relative_attention_bias(buckets).permute(2, 0, 1)[None]
        return added


def _buckets(distances: Tensor, count: int) -> Tensor:
    """The bucket of each distance: half of them for each direction, and of these half for one distance each, the
    others for ranges that grow geometrically up to FARTHEST."""
    each_way = count // 2
    single = each_way // 2
    far = distances.abs()
    growth = (far.clamp_min(1).float() / single).log() / math.log(FARTHEST / single) * (each_way - single)
    ranged = (single + growth.long()).clamp_max(each_way - 1)
    return torch.where(far < single, far, ranged) + each_way * (distances > 0)


class _Layer(nn.Module):
    def __init__(self, config: Config, dropout: float) -> None:
        super().__init__()
        self.attention = (_MPNetAttention if config.model_type in MPNET else _BertAttention)(config, dropout)
        self.intermediate = _Dense(config.hidden_size, config.intermediate_size)
        self.output = _Output(config.intermediate_size, config, dropout)

    def forward(self, hidden: Tensor, added: Tensor, places: _Places) -> Tensor:
        attended = self.attention(hidden, added, places)
        output: Tensor = self.output(functional.gelu(self.intermediate.dense(attended)), attended)
        return output


class _Dense(nn.Module):
    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.dense = _Linear(width, out)


class _Output(nn.Module):
    """A projection, added to what it was made from."""

    def __init__(self, width: int, config: Config, dropout: float) -> None:
        super().__init__()
        self.dense = _Linear(width, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, made: Tensor, source: Tensor) -> Tensor:
        output: Tensor = self.LayerNorm(self.dropout(self.dense(made)) + source)
        return output


class _BertAttention(nn.Module):
    def __init__(self, config: Config, dropout: float) -> None:
        super().__init__()
        width = config.hidden_size
        self.self = nn.ModuleDict({name: _Linear(width, width) for name in ("query", "key", "value")})
        self.output = _Output(width, config, dropout)
        self._heads = config.num_attention_heads

    def forward(self, hidden: Tensor, added: Tensor, places: _Places) -> Tensor:
        query, key, value = (places.spread(self.self[name](hidden)) for name in ("query", "key", "value"))
        attended = places.kept(_attend(query, key, value, self._heads, added))
        output: Tensor = self.output(attended, hidden)
        return output


class _MPNetAttention(nn.Module):
    def __init__(self, config: Config, dropout: float) -> None:
        super().__init__()
        width = config.hidden_size
        self.attn = nn.ModuleDict({name: _Linear(width, width) for name in ("q", "k", "v", "o")})
        self.LayerNorm = nn.LayerNorm(width, config.layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self._heads = config.num_attention_heads

    def forward(self, hidden: Tensor, added: Tensor, places: _Places) -> Tensor:
        query, key, value = (places.spread(self.attn[name](hidden)) for name in ("q", "k", "v"))
        attended = self.attn["o"](places.kept(_attend(query, key, value, self._heads, added)))
        output: Tensor = self.LayerNorm(self.dropout(attended) + hidden)
        return output


def _attend(query: Tensor, key: Tensor, value: Tensor, heads: int, added: Tensor) -> Tensor:
    """The values of the tokens that each token attends to, by all heads side by side: (batch, tokens, hidden)."""
    batch, tokens, width = query.shape
    by_head = (batch, tokens, heads, width // heads)
    query, key, value = (each.view(by_head).transpose(1, 2) for each in (query, key, value))
    attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=added)
    return attended.transpose(1, 2).reshape(batch, tokens, width)
