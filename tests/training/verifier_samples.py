"""Questions and a tiny language model that the verifier's training is tested with."""

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from docqa.training.question_sets import LabelledQuestion
from passages import BELL, MILL, WELL

needs_transformers = pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None, reason="transformers is not installed"
)
needs_gguf = pytest.mark.skipif(importlib.util.find_spec("gguf") is None, reason="gguf is not installed")
END = 2

QUESTIONS = [
    LabelledQuestion("Wells", WELL, "Who repaired the pump of the northern well?", ("Aqua Nord",)),
    LabelledQuestion("Wells", WELL, "When was the southern well closed?", ("2011", "in 2011")),
    LabelledQuestion("Wells", WELL, "Who built the northern well?", ()),
    LabelledQuestion("Mills", MILL, "Who sold the stones of the mill?", ("Edith Carr",)),
    LabelledQuestion("Mills", MILL, "Until when did the mill grind oats?", ("1954",)),
    LabelledQuestion("Mills", MILL, "Who typed an answer that does not occur there?", ("Nobody",)),
    LabelledQuestion("Bells", BELL, "How heavy is the bell?", ("310 kilograms",)),
    LabelledQuestion("Bells", BELL, "Who cast the bell?", ("Jan Moer",)),
]
MANY = [replace(question, article=f"Volume {number}") for number in range(10) for question in QUESTIONS]


def word_tokens(text: str) -> list[int]:
    """Stands in for a tokenizer: one token for each word, greater than END."""
    return [3 + sum(map(ord, word)) % 97 for word in text.split()]


def tiny_model() -> Any:
    """An untrained language model of two layers, the same each time."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=100,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        initializer_range=0.2,
        tie_word_embeddings=True,
        use_cache=False,
    )
    return LlamaForCausalLM(config).requires_grad_(False)


def write_gguf(path: Path, model: Any, architecture: str = "llama", extra_tensors: tuple[str, ...] = ()) -> Path:
    """Write the model as a GGUF file, like llama.cpp's converter."""
    import gguf
    import numpy

    from docqa.training.verifier.adapter import MODULES, permute

    names = MODULES | {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}
    config, weights = model.config, model.state_dict()
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(512)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_tensor("token_embd.weight", weights["model.embed_tokens.weight"].numpy())
    writer.add_tensor("output_norm.weight", weights["model.norm.weight"].numpy())
    if not config.tie_word_embeddings:
        writer.add_tensor("output.weight", weights["lm_head.weight"].numpy())
    permuted = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for number in range(config.num_hidden_layers):
        for name, gguf_name in names.items():
            weight = weights[f"model.layers.{number}.{name}.weight"]
            if heads := permuted.get(gguf_name):
                weight = permute(weight, heads)
            writer.add_tensor(f"blk.{number}.{gguf_name}.weight", weight.contiguous().numpy())
    for name in extra_tensors:
        writer.add_tensor(name, numpy.zeros(8, numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
