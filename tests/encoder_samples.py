"""Small untrained encoders in folders, with weights by the names that published files have, and batches for them."""

import json
import string
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")

FAMILIES = ("bert", "mpnet", "roberta", "xlm-roberta")
SHAPE = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 300,
}
LENGTHS = 260, 40, 7  # tokens of the rows of a batch
KINDS = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "<i1", "I64": "<i8"}


def config(family: str) -> dict[str, Any]:
    """What config.json says of an encoder of a family."""
    types = {"bert": 2, "mpnet": 0}.get(family, 1)
    return {
        "model_type": family,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-5,
        "pad_token_id": 0 if family == "bert" else 1,
        **({"type_vocab_size": types} if types else {"relative_attention_num_buckets": 32}),
        **SHAPE,
    }


def weights(family: str, **different: int) -> dict[str, Any]:
    """Random numbers for each weight of an encoder of a family, where config.json says so of its shape."""
    said = config(family) | different
    rng, width, wide = np.random.default_rng(1), said["hidden_size"], said["intermediate_size"]
    named = {
        "embeddings.word_embeddings.weight": (said["vocab_size"], width),
        "embeddings.position_embeddings.weight": (said["max_position_embeddings"], width),
    }
    if family == "mpnet":
        named["encoder.relative_attention_bias.weight"] = (32, said["num_attention_heads"])
        projections, norms = [f"attn.{name}" for name in "qkvo"], ("attention.LayerNorm", "output.LayerNorm")
    else:
        named["embeddings.token_type_embeddings.weight"] = (said["type_vocab_size"], width)
        projections = ["self.query", "self.key", "self.value", "output.dense"]
        norms = ("attention.output.LayerNorm", "output.LayerNorm")
    linear = {f"attention.{name}": (width, width) for name in projections}
    linear |= {"intermediate.dense": (wide, width), "output.dense": (width, wide)}
    for layer in (f"encoder.layer.{number}" for number in range(said["num_hidden_layers"])):
        for name, shape in linear.items():
            named |= {f"{layer}.{name}.weight": shape, f"{layer}.{name}.bias": shape[:1]}
        named |= {f"{layer}.{norm}.{part}": (width,) for norm in norms for part in ("weight", "bias")}
    named |= {f"embeddings.LayerNorm.{part}": (width,) for part in ("weight", "bias")}
    return {
        name: (rng.normal(0, 0.2, shape) + name.endswith("LayerNorm.weight")).astype("<f4")
        for name, shape in named.items()
    }


def cut(numbers: Any, kind: str) -> Any:
    """Numbers as a file holds them in a type; in BF16 the first half of their bits."""
    return (numbers.view("<u4") >> 16).astype("<u2") if kind == "BF16" else numbers.astype(KINDS[kind])


def write(path: Path, tensors: Mapping[str, tuple[str, Any]], about: Mapping[str, str] | None = None) -> None:
    """A safetensors file of arrays by name, each with the type that it has there."""
    described: dict[str, Any] = {"__metadata__": {"format": "pt", **(about or {})}}
    pieces: list[bytes] = []
    for name, (kind, numbers) in tensors.items():
        first = sum(map(len, pieces))
        pieces.append(cut(numbers, kind).tobytes())
        described[name] = {
            "dtype": kind,
            "shape": list(numbers.shape),
            "data_offsets": [first, first + len(pieces[-1])],
        }
    head = json.dumps(described).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(b"".join([struct.pack("<Q", len(head)), head, *pieces]))


def tokenizer() -> dict[str, Any]:
    """What tokenizer.json says where each character is a token, and the second text of a pair another part."""
    names = ["[PAD]", "[UNK]", *string.printable[: SHAPE["vocab_size"] - 2]]
    first, second = ({"Sequence": {"id": each, "type_id": number}} for number, each in enumerate("AB"))
    return {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated", "invert": False},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [first],
            "pair": [first, second],
            "special_tokens": {},
        },
        "model": {
            "type": "WordLevel",
            "vocab": {name: number for number, name in enumerate(names)},
            "unk_token": "[UNK]",
        },
    }


def write_encoder(folder: Path, family: str, named: Mapping[str, Any], kind: str = "F32") -> Path:
    """The folder of an encoder with these weights."""
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer()))
    (folder / "config.json").write_text(json.dumps(config(family)))
    write(folder / "model.safetensors", {name: (kind, numbers) for name, numbers in named.items()})
    return folder


def saved(folder: Path, family: str, kind: str = "F32", prefix: str = "") -> Path:
    """The folder of an encoder with random weights, in a type, and with a prefix before their names."""
    named = {prefix + name: numbers for name, numbers in weights(family).items()}
    return write_encoder(folder, family, named, kind)


def batch(family: str, lengths: tuple[int, ...] = LENGTHS) -> Any:
    """Random tokens in rows of these lengths, of which most are of a second text where the family tells it."""
    from docqa.models.tokens import Batch

    said = config(family)
    attended = np.arange(max(lengths)) < np.array(lengths)[:, None]
    ids = np.random.default_rng(sum(lengths)).integers(5, said["vocab_size"], attended.shape)
    ids[~attended] = said["pad_token_id"]
    types = np.zeros_like(ids)
    if said.get("type_vocab_size", 0) > 1:
        types[:, 5:] = attended[:, 5:]
    return Batch(ids, attended.astype("<i8"), types, [])


def rows(states: Any, of: Any) -> Iterator[Any]:
    """The states of each row of a batch, without those of padding."""
    return (own[mask > 0] for own, mask in zip(states, of.attention_mask, strict=True))
