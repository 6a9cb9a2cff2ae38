"""The trained part as a file: what training added to the base model, and the whole heads.

A difference is stored whole or, where training was of low rank (Hu et al., "LoRA", 2022), as two factors. Matrices are
quantised to int8 with one step per row: a difference is small beside the weight it changes, so that this costs less
than the rounding to bfloat16 that follows anyway. `docqa.training.reader.weights` writes them.
"""

from pathlib import Path

from docqa.models.tensors import Floats, Tensors

STEP = ".step"  # suffix of a matrix's name: the step of each of its rows
# Suffixes of a weight's name: the factors of its difference, (rows, rank) and (rank, columns).
UP, DOWN = ".up", ".down"
_ENCODER = "encoder."  # before the names of its weights


def is_head(name: str) -> bool:
    """Whether the tensor belongs to one of the heads, which the base model does not have."""
    return name.partition(".")[0].endswith("head")


class Part:
    """What a file adds to an encoder; without one nothing.

    Raises as Tensors.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._tensors = Tensors(path) if path else {}
        self.about = self._tensors.about if isinstance(self._tensors, Tensors) else {}

    def head(self, name: str) -> tuple[Floats, Floats]:
        """The weights, (classes, hidden), and biases of a head. Raises KeyError if the file does not have it."""
        return self._exact(f"{name}.weight"), self._exact(f"{name}.bias")

    @property
    def changed(self) -> set[str]:
        """The names of the weights to which something is added."""
        names = {name.removesuffix(STEP) for name in self._tensors if not is_head(name)}
        names = {name.removesuffix(UP).removesuffix(DOWN) for name in names}
        return {name.removeprefix(_ENCODER) for name in names}

    def difference(self, name: str) -> Floats | None:
        """What is added to a weight, None where it stays as it is or by `factors`."""
        return self._exact(_ENCODER + name) if _ENCODER + name in self._tensors else None

    def factors(self, name: str) -> tuple[Floats, Floats] | None:
        """The factors, (rows, rank) and (rank, columns), of what is added to a weight; None without any."""
        full = _ENCODER + name
        return (self._exact(full + UP), self._exact(full + DOWN)) if full + UP in self._tensors else None

    def _exact(self, name: str) -> Floats:
        numbers: Floats = self._tensors[name].astype("<f4")
        return numbers * self._tensors[name + STEP] if name + STEP in self._tensors else numbers
