"""The trained part as a file: what training added to the base model, and the whole heads.

Matrices are quantised to int8 with one step per row: a difference is small beside the weight it changes, so that this
costs less than the rounding to bfloat16 that follows anyway.
"""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

Tensors = dict[str, torch.Tensor]
STEP = ".step"  # suffix of a matrix's name: the step of each of its rows
INT8_MAX = 127


def is_head(name: str) -> bool:
    """Whether the tensor belongs to one of the heads, which the base model does not have."""
    return name.partition(".")[0].endswith("head")


def save(
    path: Path, trained: Mapping[str, torch.Tensor], base: Mapping[str, torch.Tensor], metadata: Mapping[str, str]
) -> None:
    """Write what `trained` adds to `base`, both float32 by name, with `metadata`; untrained tensors are left out."""
    out: Tensors = {}
    for name, tensor in trained.items():
        difference = tensor if is_head(name) else tensor - base[name]
        if is_head(name) or difference.dim() < 2:
            out[name] = difference.float().contiguous()
            continue
        step = (difference.abs().amax(1, keepdim=True) / INT8_MAX).clamp_min(1e-12)
        out[name], out[name + STEP] = (difference / step).round().to(torch.int8), step.float()
    part = path.with_suffix(".part")
    save_file(out, part, dict(metadata))
    part.replace(path)


def load(path: Path, base: Mapping[str, torch.Tensor]) -> tuple[Tensors, dict[str, str]]:
    """The trained tensors, float32 by name, and the metadata. Raises KeyError if `base` is another model."""
    with safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
        metadata = dict(file.metadata())
    trained: Tensors = {}
    for name, tensor in tensors.items():
        if is_head(name):
            trained[name] = tensor
        elif not name.endswith(STEP):
            step = tensors.get(name + STEP)
            trained[name] = base[name].float() + (tensor if step is None else tensor.float() * step)
    return trained, metadata
