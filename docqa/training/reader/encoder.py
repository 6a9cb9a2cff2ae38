"""The encoders that are trained, of BERT's family and MPNet in torch, with the names of weights that published files
have. `docqa.models.encoder` computes the same, without gradients, where models serve.

Architectures: Devlin et al., "BERT", 2019; Liu et al., "RoBERTa", 2019; Song et al., "MPNet", 2020, with the position
buckets of Raffel et al., "T5", 2020.
"""

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from docqa.models.config import MPNET, WEIGHTS, Config
from docqa.models.encoder import NOT_ATTENDED, buckets


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
        with torch.device("meta"):  # without numbers, which are in the file
            encoder = cls(config, dropout)
        stored = load_file(model_dir / WEIGHTS)
        named = {name.removeprefix(config.prefix): tensor for name, tensor in stored.items()}
        encoder.load_state_dict({name: named[name].float() for name in encoder.state_dict()}, assign=True)
        return encoder.eval()

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """The last states of `states`."""
        return self.states(input_ids, attention_mask, token_type_ids)[-1]

    def states(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> list[Tensor]:
        """The states of (batch, tokens) after the embeddings and each layer: (batch, tokens, hidden) each. Those of
        padding mean nothing."""
        states = [self.embeddings(input_ids, token_type_ids)]
        added = self._added(attention_mask, states[0].dtype)
        for layer in self.encoder.layer:
            states.append(layer(states[-1], added))
        return states

    def _added(self, attention_mask: Tensor, dtype: torch.dtype) -> Tensor:
        """What is added to the score of each pair of tokens: (batch or 1, heads or 1, tokens or 1, tokens)."""
        padding = torch.zeros_like(attention_mask, dtype=dtype).masked_fill(attention_mask == 0, NOT_ATTENDED)[
            :, None, None, :
        ]
        biases = self.encoder.biases(attention_mask.shape[1], attention_mask.device)
        return padding if biases is None else padding + biases


class _Embeddings(nn.Module):
    def __init__(self, config: Config, dropout: float) -> None:
        super().__init__()
        width = config.hidden_size
        self.word_embeddings = nn.Embedding(config.vocab_size, width)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, width)
        # MPNet tells the parts of a pair by their separator alone.
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, width) if config.type_vocab_size else None
        self.LayerNorm = nn.LayerNorm(width, config.layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self._first = config.first_position

    def forward(self, input_ids: Tensor, token_type_ids: Tensor) -> Tensor:
        tokens = input_ids.shape[1]
        places = torch.arange(self._first, self._first + tokens, device=input_ids.device)  # padded behind
        embedded = self.word_embeddings(input_ids)
        if self.token_type_embeddings is not None:
            embedded = embedded + self.token_type_embeddings(token_type_ids)
        normed: Tensor = self.dropout(self.LayerNorm(embedded + self.position_embeddings(places)))
        return normed


class _Layers(nn.Module):
    def __init__(self, config: Config, dropout: float) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(config, dropout) for _ in range(config.num_hidden_layers))
        count, heads = config.relative_attention_num_buckets, config.num_attention_heads
        self.relative_attention_bias = nn.Embedding(count, heads) if config.model_type in MPNET else None

    def biases(self, tokens: int, device: torch.device) -> Tensor | None:
        """What each head adds to the score of each pair of tokens, by how far apart they are: (1, heads, tokens,
        tokens); None for a model that has no such thing."""
        if self.relative_attention_bias is None:
            return None
        of_each = torch.from_numpy(buckets(tokens, self.relative_attention_bias.num_embeddings)).to(device)
        added: Tensor = self.relative_attention_bias(of_each).permute(2, 0, 1)[None]
        return added


class _Layer(nn.Module):
    def __init__(self, config: Config, dropout: float) -> None:
        super().__init__()
        self.attention = (_MPNetAttention if config.model_type in MPNET else _BertAttention)(config, dropout)
        self.intermediate = _Dense(config.hidden_size, config.intermediate_size)
        self.output = _Output(config.intermediate_size, config, dropout)

    def forward(self, hidden: Tensor, added: Tensor) -> Tensor:
        attended = self.attention(hidden, added)
        output: Tensor = self.output(functional.gelu(self.intermediate.dense(attended)), attended)
        return output


class _Dense(nn.Module):
    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, out)


class _Output(nn.Module):
    """A projection, added to what it was made from."""

    def __init__(self, width: int, config: Config, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, made: Tensor, source: Tensor) -> Tensor:
        output: Tensor = self.LayerNorm(self.dropout(self.dense(made)) + source)
        return output


class _BertAttention(nn.Module):
    def __init__(self, config: Config, dropout: float) -> None:
        super().__init__()
        width = config.hidden_size
        self.self = nn.ModuleDict({name: nn.Linear(width, width) for name in ("query", "key", "value")})
        self.output = _Output(width, config, dropout)
        self._heads = config.num_attention_heads

    def forward(self, hidden: Tensor, added: Tensor) -> Tensor:
        query, key, value = (self.self[name](hidden) for name in ("query", "key", "value"))
        output: Tensor = self.output(_attend(query, key, value, self._heads, added), hidden)
        return output


class _MPNetAttention(nn.Module):
    def __init__(self, config: Config, dropout: float) -> None:
        super().__init__()
        width = config.hidden_size
        self.attn = nn.ModuleDict({name: nn.Linear(width, width) for name in ("q", "k", "v", "o")})
        self.LayerNorm = nn.LayerNorm(width, config.layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self._heads = config.num_attention_heads

    def forward(self, hidden: Tensor, added: Tensor) -> Tensor:
        query, key, value = (self.attn[name](hidden) for name in ("q", "k", "v"))
        attended = self.attn["o"](_attend(query, key, value, self._heads, added))
        output: Tensor = self.LayerNorm(self.dropout(attended) + hidden)
        return output


def _attend(query: Tensor, key: Tensor, value: Tensor, heads: int, added: Tensor) -> Tensor:
    """The values of the tokens that each token attends to, by all heads side by side: (batch, tokens, hidden)."""
    batch, tokens, width = query.shape
    by_head = (batch, tokens, heads, width // heads)
    query, key, value = (each.view(by_head).transpose(1, 2) for each in (query, key, value))
    attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=added)
    return attended.transpose(1, 2).reshape(batch, tokens, width)
