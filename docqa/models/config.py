"""The shape of an encoder of BERT's family or MPNet, as its folder says."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WEIGHTS = "model.safetensors"
VOCABULARY = "embeddings.word_embeddings.weight"
# Families, and whether positions are counted from behind the padding token's number.
BERT, MPNET, ROBERTA = ("bert",), ("mpnet",), ("roberta", "xlm-roberta", "camembert")


class OtherKind(NotImplementedError):
    """A model that is computed otherwise than here."""


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

    @property
    def prefix(self) -> str:
        """What the names of weights begin with in files of a model that has more than the encoder."""
        return f"{self.model_type.removeprefix('xlm-')}."
