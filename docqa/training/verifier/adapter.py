"""A LoRA adapter for a language model (Hu et al., "Low-rank adaptation", 2021), and its GGUF file for llama.cpp.

The product of two thin matrices is added to each weight matrix; only these are trained. `gguf` is imported inside the
functions because only training needs it.
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
FIRST_LAYER = 6  # earlier decoder layers are not adapted and need no gradients
# Names of a decoder layer's modules: in transformers → in GGUF.
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
    """A linear module with its low-rank addition.

    `a` is (rank, in), `b` is (out, rank) and starts at zero. `heads` is the number of heads by which GGUF permutes the
    module's rows, None if it does not.
    """

    def __init__(self, linear: nn.Linear, heads: int | None) -> None:
        super().__init__()
        self.linear, self.heads = linear, heads
        self.a = nn.Parameter(torch.randn(RANK, linear.in_features) / math.sqrt(linear.in_features))
        self.b = nn.Parameter(torch.zeros(linear.out_features, RANK))

    def forward(self, inputs: Tensor) -> Tensor:
        """Map (..., in) to (..., out)."""
        outputs: Tensor = self.linear(inputs) + SCALE * F.linear(F.linear(inputs, self.a), self.b)
        return outputs


def adapt(model: LlamaForCausalLM, first: int = FIRST_LAYER) -> dict[str, LoRA]:
    """Replace each linear module of the layers from `first` on by a LoRA.

    Returns them by their GGUF names, such as "blk.6.attn_q".
    """
    heads = permuted_heads(model.config)
    adapter = {}
    for number, layer in list(enumerate(model.model.layers))[first:]:
        for name, gguf_name in MODULES.items():
            lora = LoRA(layer.get_submodule(name), heads.get(gguf_name))
            layer.set_submodule(name, lora)
            adapter[f"blk.{number}.{gguf_name}"] = lora
    return adapter


def permuted_heads(config: LlamaConfig) -> dict[str, int]:
    """The number of heads of the modules whose rows GGUF permutes: those with rotary position embeddings."""
    return {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads or config.num_attention_heads}


def permute(rows: Tensor, heads: int) -> Tensor:
    """Rows (heads * width, ...) from transformers' order to GGUF's.

    In GGUF, two rows of a head that are rotated together are adjacent; in transformers they are half a head apart.
    """
    return rows.reshape(heads, 2, -1, *rows.shape[1:]).transpose(1, 2).reshape(rows.shape)


def unpermute(rows: Tensor, heads: int) -> Tensor:
    """Rows (heads * width, ...) from GGUF's order to transformers'."""
    return rows.reshape(heads, -1, 2, *rows.shape[1:]).transpose(1, 2).reshape(rows.shape)


def save(path: Path, adapter: Mapping[str, LoRA], metadata: Mapping[str, str]) -> None:
    """Write the adapter, given by GGUF names, in half precision, with DocQA's own `metadata` in the header."""
    import gguf  # type: ignore[import-not-found, import-untyped, unused-ignore]

    part = path.with_suffix(".part")
    writer = gguf.GGUFWriter(part, "llama")
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, SCALE * RANK)
    for key, value in metadata.items():
        writer.add_string(PREFIX + key, value)
    for name, lora in adapter.items():
        b = lora.b if lora.heads is None else permute(lora.b, lora.heads)
        for suffix, tensor in (("lora_a", lora.a), ("lora_b", b)):
            writer.add_tensor(f"{name}.weight.{suffix}", tensor.detach().half().contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    part.replace(path)


def restore(path: Path, adapter: Mapping[str, LoRA]) -> None:
    """Load the weights that `save` wrote into `adapter`. Raises DocqaError if the file has other layers or shapes."""
    import gguf  # type: ignore[import-not-found, import-untyped, unused-ignore]

    tensors = {tensor.name: torch.tensor(tensor.data) for tensor in gguf.GGUFReader(path).tensors}
    try:
        with torch.no_grad():
            for name, lora in adapter.items():
                b = tensors.pop(f"{name}.weight.lora_b")
                lora.a.copy_(tensors.pop(f"{name}.weight.lora_a"))
                lora.b.copy_(b if lora.heads is None else unpermute(b, lora.heads))
    except (KeyError, RuntimeError) as error:
        raise DocqaError(f"{path} lacks weights of this adapter, or has them in other shapes ({error})") from error
    if tensors:
        raise DocqaError(f"{path} has weights that are not part of this adapter: {', '.join(sorted(tensors))}")
