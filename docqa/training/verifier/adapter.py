"""A small addition to the weights of a language model (LoRA; Hu et al., "Low-rank adaptation", 2021), and the GGUF file in which llama.cpp reads it.

To the product of each matrix is added that of two thin ones, which alone are trained. `gguf` is imported where it is needed: only training needs it.
"""

import math
from collections.abc import Mapping
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import LlamaConfig, LlamaForCausalLM

from docqa.errors import DocqaError
from docqa.models.verifier import PREFIX

RANK = 16
SCALE = 2.0
FIRST = 6  # of the decoder's layers; those before it stay as they are and need no gradients
# The modules of a decoder layer as transformers and as GGUF have them.
MODULES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


class LoRA(nn.Module):
    """A linear module and what is added to it. `a` is (rank, in), `b` (out, rank) and zero at first; `heads` are those by which GGUF permutes its rows, if it does."""

    def __init__(self, linear: nn.Linear, heads: int | None) -> None:
        super().__init__()
        self.linear, self.heads = linear, heads
        self.a = nn.Parameter(torch.randn(RANK, linear.in_features) / math.sqrt(linear.in_features))
        self.b = nn.Parameter(torch.zeros(linear.out_features, RANK))

    def forward(self, given: Tensor) -> Tensor:
        """What the module makes of (..., in): (..., out)."""
        added: Tensor = self.linear(given) + SCALE * F.linear(F.linear(given, self.a), self.b)
        return added


def adapt(model: LlamaForCausalLM, first: int = FIRST) -> dict[str, LoRA]:
    """Put one in the place of each linear module of the layers from the `first` on; by their GGUF names, such as "blk.6.attn_q"."""
    heads = permuted_heads(model.config)
    made = {}
    for number, layer in list(enumerate(model.model.layers))[first:]:
        for name, known_as in MODULES.items():
            linear = layer.get_submodule(name)
            made[f"blk.{number}.{known_as}"] = lora = LoRA(linear, heads.get(known_as))
            layer.set_submodule(name, lora)
    return made


def permuted_heads(config: LlamaConfig) -> dict[str, int]:
    """How many heads those modules have whose rows GGUF permutes: what they give is rotated by position."""
    return {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads or config.num_attention_heads}


def permute(rows: Tensor, heads: int) -> Tensor:
    """Rows (heads * width, ...) as GGUF has them: of each head those that are rotated together stand side by side, not half a head apart."""
    return rows.reshape(heads, 2, -1, *rows.shape[1:]).transpose(1, 2).reshape(rows.shape)


def unpermute(rows: Tensor, heads: int) -> Tensor:
    """Rows as transformers has them, of those that GGUF has."""
    return rows.reshape(heads, -1, 2, *rows.shape[1:]).transpose(1, 2).reshape(rows.shape)


def save(path: Path, lora: Mapping[str, LoRA], known: Mapping[str, str]) -> None:
    """Write what was trained, by GGUF names, in half precision; `known` are the metadata."""
    import gguf  # type: ignore[import-not-found, import-untyped, unused-ignore]

    part = path.with_suffix(".part")
    writer = gguf.GGUFWriter(part, "llama")
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, SCALE * RANK)
    for key, value in known.items():
        writer.add_string(PREFIX + key, value)
    for name, one in lora.items():
        b = one.b if one.heads is None else permute(one.b, one.heads)
        for end, tensor in (("lora_a", one.a), ("lora_b", b)):
            writer.add_tensor(f"{name}.weight.{end}", tensor.detach().half().contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    part.replace(path)


def restore(path: Path, lora: Mapping[str, LoRA]) -> None:
    """Put in what `save` wrote. Raises DocqaError for an adapter of other layers or of another size."""
    import gguf  # type: ignore[import-not-found, import-untyped, unused-ignore]

    found = {one.name: torch.tensor(one.data) for one in gguf.GGUFReader(path).tensors}
    try:
        with torch.no_grad():
            for name, one in lora.items():
                b = found.pop(f"{name}.weight.lora_b")
                one.a.copy_(found.pop(f"{name}.weight.lora_a"))
                one.b.copy_(b if one.heads is None else unpermute(b, one.heads))
    except (KeyError, RuntimeError) as error:
        raise DocqaError(f"{path} has not the weights that are trained here ({error})") from error
    if found:
        raise DocqaError(f"{path} has weights that are not trained here: {', '.join(sorted(found))}")
