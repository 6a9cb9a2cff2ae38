"""The trained part as a file: what training added to the base model, and the whole heads.

A difference is stored whole or, where training was of low rank (Hu et al., "LoRA", 2022), as two factors. Matrices are
quantised to int8 with one step per row: a difference is small beside the weight it changes, so that this costs less
than the rounding to bfloat16 that follows anyway.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

Tensors = dict[str, torch.Tensor]
STEP = ".step"  # suffix of a matrix's name: the step of each of its rows
UP, DOWN = (
    ".up",
    ".down",
)  # suffixes of a weight's name: the factors of its difference, (rows, rank) and (rank, columns)
INT8_MAX = 127


def is_head(name: str) -> bool:
    """Whether the tensor belongs to one of the heads, which the base model does not have."""
    return name.partition(".")[0].endswith("head")


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


def load(path: Path, base: Mapping[str, torch.Tensor]) -> tuple[Tensors, dict[str, str]]:
    """The trained tensors, float32 by name, and the metadata. Raises KeyError if `base` is another model."""
    return dict(trained(path, base)), metadata(path)


def trained(path: Path, base: Mapping[str, torch.Tensor]) -> Iterator[tuple[str, torch.Tensor]]:
    """The trained tensors with their names, float32, one after the other: together they are as large as the model.
    Raises as `load`."""
    exact = numbers(path)
    for name, tensor in exact.items():
        if is_head(name):
            yield name, tensor
        elif name.endswith(UP):
            weight = name.removesuffix(UP)
            yield weight, base[weight].float() + tensor @ exact[weight + DOWN]
        elif not name.endswith(DOWN):
            yield name, base[name].float() + tensor


def metadata(path: Path) -> dict[str, str]:
    """What the file says of itself."""
    with safe_open(path, "pt") as file:
        return dict(file.metadata())


def numbers(path: Path) -> Tensors:
    """What the file holds, float32 by name: heads, differences and factors of differences."""
    with safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    return {name: _exact(tensors, name) for name in tensors if not name.endswith(STEP)}


def _exact(tensors: Tensors, name: str) -> torch.Tensor:
    step = tensors.get(name + STEP)
    return tensors[name] if step is None else tensors[name].float() * step
