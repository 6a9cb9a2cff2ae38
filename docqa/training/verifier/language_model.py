"""A language model of the llama architecture, out of its GGUF file into the network that transformers has of it, to train an adapter for it."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from docqa.catalog.gguf import Value, read_header
from docqa.errors import DocqaError
from docqa.training.verifier.adapter import MODULES, permuted_heads, unpermute

ARCHITECTURE = "llama"
# Tensors as GGUF and as transformers have them.
TENSORS = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
# The same of each decoder layer: "blk.N.attn_q.weight" is "model.layers.N.self_attn.q_proj.weight".
IN_LAYERS = {known_as: name for name, known_as in MODULES.items()} | {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}


def load(path: Path) -> LlamaForCausalLM:
    """The model with its weights in float32, none of which learns. Raises DocqaError for another architecture, NotGguf and OSError for a damaged or missing file."""
    import gguf  # type: ignore[import-not-found, import-untyped, unused-ignore]

    metadata = read_header(path).metadata
    architecture = metadata.get("general.architecture")
    if architecture != ARCHITECTURE:
        raise DocqaError(
            f"{path} is a model of the architecture {architecture}; an adapter can be trained for {ARCHITECTURE} only"
        )
    found = {
        one.name: torch.tensor(gguf.quants.dequantize(one.data, one.tensor_type))
        for one in gguf.GGUFReader(path).tensors
    }
    embedded = found.setdefault("output.weight", found["token_embd.weight"])
    config = _config(metadata, len(embedded), tied=embedded is found["token_embd.weight"])
    model = LlamaForCausalLM(config)
    try:
        model.load_state_dict(_renamed(found, permuted_heads(config)))
    except (KeyError, RuntimeError) as error:
        raise DocqaError(
            f"{path} has other weights than a plain model of the architecture {ARCHITECTURE} ({error})"
        ) from error
    model.requires_grad_(False)
    return model


def _config(metadata: Mapping[str, Value], vocabulary: int, tied: bool) -> LlamaConfig:
    """What the network is built by. The cache is for writing, which is not done in training."""
    known = {key.removeprefix(f"{ARCHITECTURE}."): value for key, value in metadata.items()}
    heads = int(known["attention.head_count"])
    return LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=int(known["embedding_length"]),
        intermediate_size=int(known["feed_forward_length"]),
        num_hidden_layers=int(known["block_count"]),
        num_attention_heads=heads,
        num_key_value_heads=int(known.get("attention.head_count_kv", heads)),
        max_position_embeddings=int(known["context_length"]),
        rms_norm_eps=float(known["attention.layer_norm_rms_epsilon"]),
        rope_parameters={"rope_type": "default", "rope_theta": float(known.get("rope.freq_base", 10000.0))},
        tie_word_embeddings=tied,
        use_cache=False,
    )


def _renamed(found: Mapping[str, Tensor], heads: Mapping[str, int]) -> dict[str, Tensor]:
    """Tensors by the names that transformers has for them, their rows in its order. Raises KeyError for one that it does not know."""
    renamed = {}
    for name, tensor in found.items():
        if not name.startswith("blk."):
            renamed[TENSORS[name]] = tensor
            continue
        _, number, module, kind = name.split(".")
        renamed[f"model.layers.{number}.{IN_LAYERS[module]}.{kind}"] = (
            unpermute(tensor, heads[module]) if module in heads else tensor
        )
    return renamed
