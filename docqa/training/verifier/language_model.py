"""Loads a language model of the llama architecture from its GGUF file into transformers, to train an adapter for it."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from docqa.catalog.gguf import Value, read_header
from docqa.errors import DocqaError
from docqa.training.verifier.adapter import MODULES, permuted_heads, unpermute

ARCHITECTURE = "llama"
# Names of tensors: in GGUF → in transformers.
TENSORS = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
# The same inside a decoder layer: "blk.N.attn_q.weight" is "model.layers.N.self_attn.q_proj.weight".
LAYER_TENSORS = {gguf_name: name for name, gguf_name in MODULES.items()} | {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}


def load(path: Path) -> LlamaForCausalLM:
    """The model with its weights in float32, all frozen.

    Raises DocqaError for another architecture, NotGguf for a damaged file and OSError for a missing one.
    """
    import gguf  # type: ignore[import-not-found, import-untyped, unused-ignore]

    metadata = read_header(path).metadata
    architecture = metadata.get("general.architecture")
    if architecture != ARCHITECTURE:
        raise DocqaError(
            f"{path} is a model of the {architecture} architecture; adapters can only be trained for {ARCHITECTURE}"
        )
    tensors = {
        tensor.name: torch.tensor(gguf.quants.dequantize(tensor.data, tensor.tensor_type))
        for tensor in gguf.GGUFReader(path).tensors
    }
    output = tensors.setdefault("output.weight", tensors["token_embd.weight"])
    config = _config(metadata, len(output), tied=output is tensors["token_embd.weight"])
    model = LlamaForCausalLM(config)
    try:
        model.load_state_dict(_rename(tensors, permuted_heads(config)))
    except (KeyError, RuntimeError) as error:
        raise DocqaError(f"{path} does not have the weights of a plain {ARCHITECTURE} model ({error})") from error
    model.requires_grad_(False)
    return model


def _config(metadata: Mapping[str, Value], vocabulary: int, tied: bool) -> LlamaConfig:
    """The configuration that the GGUF metadata describe, without a cache, which training does not need."""
    values = {key.removeprefix(f"{ARCHITECTURE}."): value for key, value in metadata.items()}
    heads = int(values["attention.head_count"])
    return LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=int(values["embedding_length"]),
        intermediate_size=int(values["feed_forward_length"]),
        num_hidden_layers=int(values["block_count"]),
        num_attention_heads=heads,
        num_key_value_heads=int(values.get("attention.head_count_kv", heads)),
        max_position_embeddings=int(values["context_length"]),
        rms_norm_eps=float(values["attention.layer_norm_rms_epsilon"]),
        rope_parameters={"rope_type": "default", "rope_theta": float(values.get("rope.freq_base", 10000.0))},
        tie_word_embeddings=tied,
        use_cache=False,
    )


def _rename(tensors: Mapping[str, Tensor], heads: Mapping[str, int]) -> dict[str, Tensor]:
    """The tensors with transformers' names and row order. Raises KeyError for a tensor that it does not have."""
    renamed = {}
    for name, tensor in tensors.items():
        if not name.startswith("blk."):
            renamed[TENSORS[name]] = tensor
            continue
        _, number, module, kind = name.split(".")
        renamed[f"model.layers.{number}.{LAYER_TENSORS[module]}.{kind}"] = (
            unpermute(tensor, heads[module]) if module in heads else tensor
        )
    return renamed
