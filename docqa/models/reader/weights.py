"""The trained part as a file: what training added to each matrix of the base model, in 255 steps a row, and the head whole.

A difference is small beside the weight it changes, so that one byte for each number costs less than the rounding to bfloat16 that follows anyway.
"""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

Tensors = dict[str, torch.Tensor]
STEP = ".step"  # after the name of a matrix: what one step of each of its rows is worth
HEAD = "head."
MOST = 127


def save(
    path: Path, trained: Mapping[str, torch.Tensor], base: Mapping[str, torch.Tensor], known: Mapping[str, str]
) -> None:
    """Write what `trained` adds to `base`, both float32 by name; `known` are the metadata. What is not trained stays out."""
    out: Tensors = {}
    for name, tensor in trained.items():
        difference = tensor if name.startswith(HEAD) else tensor - base[name]
        if name.startswith(HEAD) or difference.dim() < 2:
            out[name] = difference.float().contiguous()
            continue
        step = (difference.abs().amax(1, keepdim=True) / MOST).clamp_min(1e-12)
        out[name], out[name + STEP] = (difference / step).round().to(torch.int8), step.float()
    part = path.with_suffix(".part")
    save_file(out, part, dict(known))
    part.replace(path)


def load(path: Path, base: Mapping[str, torch.Tensor]) -> tuple[Tensors, dict[str, str]]:
    """The trained tensors, float32 by name, and the metadata. Raises KeyError where `base` is another model."""
    with safe_open(path, "pt") as file:
        found = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
        known = dict(file.metadata())
    trained: Tensors = {}
    for name, tensor in found.items():
        if name.startswith(HEAD):
            trained[name] = tensor
        elif not name.endswith(STEP):
            step = found.get(name + STEP)
            trained[name] = base[name].float() + (tensor if step is None else tensor.float() * step)
    return trained, known
