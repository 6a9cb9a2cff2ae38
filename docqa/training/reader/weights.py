"""The trained part as a file: its numbers while a network is trained, and how it is written.
`docqa.models.reader.weights` describes the file."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from docqa.models.reader.weights import DOWN, STEP, UP, is_head

Tensors = dict[str, torch.Tensor]
INT8_MAX = 127


def save(
    path: Path, tensors: Mapping[str, torch.Tensor], base: Mapping[str, torch.Tensor], about: Mapping[str, str]
) -> None:
    """Write what trained `tensors` add to `base`, both float32 by name, with metadata; untrained ones are left out.

    Factors are named by their weight with UP and DOWN, and written as they are.
    """
    out: Tensors = {}
    for name, tensor in tensors.items():
        is_whole = is_head(name) or name.endswith((UP, DOWN))
        difference = tensor if is_whole else tensor - base[name]
        if is_head(name) or difference.dim() < 2:
            out[name] = difference.float().contiguous()
            continue
        step = (difference.abs().amax(1, keepdim=True) / INT8_MAX).clamp_min(1e-12)
        out[name], out[name + STEP] = (difference / step).round().to(torch.int8), step.float()
    part = path.with_suffix(".part")
    save_file(out, part, dict(about))
    part.replace(path)


def load(path: Path, base: Mapping[str, torch.Tensor]) -> Tensors:
    """The trained tensors, float32 by name. Raises KeyError if `base` is another model."""
    stored, trained = numbers(path), Tensors()
    for name, tensor in stored.items():
        if is_head(name):
            trained[name] = tensor
        elif name.endswith(UP):
            weight = name.removesuffix(UP)
            trained[weight] = base[weight].float() + tensor @ stored[weight + DOWN]
        elif not name.endswith(DOWN):
            trained[name] = base[name].float() + tensor
    return trained


def numbers(path: Path) -> Tensors:
    """What the file holds, float32 by name: heads, differences and factors of differences."""
    tensors = load_file(path)
    return {name: _exact(tensors, name) for name in tensors if not name.endswith(STEP)}


def has_tables(tensors: Iterable[str]) -> bool:
    """Whether the heads that read tables are among the tensors of these names."""
    return any(name.startswith("spot_head") for name in tensors)


def _exact(tensors: Tensors, name: str) -> torch.Tensor:
    step = tensors.get(name + STEP)
    return tensors[name] if step is None else tensors[name].float() * step
