"""An encoder's matrices in eight bits a number, made once from those of its file and kept in a file of their own.

They take half the memory of bfloat16, and are multiplied a tenth to a quarter faster where the processor has
instructions for it. Of each row GROUP numbers have a step of their own; with one for a whole row the verifier's scores
were further from the exact ones by half. What is multiplied with them is rounded likewise, GROUP numbers of a token's
state by a step (OpenVINO's dynamic quantization).

The largest number of a group costs the others their precision, and some numbers of a state are ten times as large as
most. So states are levelled first, and columns of the matrix against them (Xiao et al., "SmoothQuant", 2023). That
made steps of 128 numbers as exact as those of 32 had been, which took a fifth to a third longer.
"""

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from docqa.models.reader.weights import STEP, Part
from docqa.models.tensors import Floats, Tensors, write

GROUP = 128
LEVEL = ".level"  # suffix of a matrix's name: what states are multiplied with before, and its columns divided by
_MOST = 127  # steps
_LEAST = 0.1  # of the mean: a number that is smaller in a few texts may be larger in others
_OF = "of"  # in the file's metadata: what it was made of
_HOW = "levelled"  # and how

Arrays: TypeAlias = Mapping[str, NDArray[Any]]

log = logging.getLogger(__name__)


def eight_bits(
    name: str,
    source: Path,
    part: Part,
    matrices: Iterable[tuple[str, Floats]],
    spreads: Callable[[], Mapping[str, Floats]],
    kept_in: Path | None,
) -> Arrays:
    """The matrices of the model whose weights are in the file `source`, with what `part` adds to them: int8, (rows,
    groups, numbers); by their name with STEP their steps, float32, (rows, groups, 1), and with LEVEL what the states
    that they multiply are to be multiplied with before, float32, (columns,).

    `spreads` tells how large each number of these states is, as `levels` takes it, by the names of matrices.

    They are kept as `name` in the folder `kept_in`, and made anew where that was made of other files. If it cannot
    be written, that is logged, and they are in memory only.
    """
    of = " ".join([_HOW, *(_state(path) for path in (source, part.path) if path)])
    file = kept_in / f"{name}.safetensors" if kept_in else None
    if file and file.is_file():
        with suppress(ValueError):  # it is damaged
            if (stored := Tensors(file)).about.get(_OF) == of:
                return stored
    made: dict[str, NDArray[Any]] = {}
    of_states = spreads()
    for named, matrix in matrices:
        made[named + LEVEL] = level = levels(matrix, of_states[named])
        made[named], made[named + STEP] = rounded(matrix / level)
    if file is None:
        return made
    unfinished = file.with_suffix(f".{os.getpid()}.part")
    try:
        file.parent.mkdir(exist_ok=True)
        write(unfinished, made, {_OF: of})
        unfinished.replace(file)
    except OSError as error:
        log.warning("%s cannot be written, so that the model takes more memory: %s", file, error)
        with suppress(OSError):
            unfinished.unlink()
        return made
    return Tensors(file)


def levels(matrix: Floats, spread: Floats) -> Floats:
    """What the states that a matrix (rows, columns) multiplies are to be multiplied with, and its columns divided by,
    before both are rounded: (columns,). `spread` is the root mean square of each number of the states.

    They make the product of the two sums of squares the least, with which the error of rounding grows. (SmoothQuant
    takes the largest numbers, with which states were further from the exact ones by a third, of MPNet by twice and a
    half.)
    """
    of_columns: Floats = np.sqrt(np.square(matrix).mean(axis=0))
    made: Floats = np.sqrt(_not_tiny(of_columns) / _not_tiny(spread)).astype(np.float32)
    return made


def _not_tiny(spread: Floats) -> Floats:
    least = max(_LEAST * float(spread.mean()), float(np.finfo(np.float32).tiny))
    raised: Floats = np.maximum(spread, least)
    return raised


def rounded(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    """(rows, columns) → int8 (rows, groups, numbers), and the step of each group, (rows, groups, 1)."""
    rows, columns = matrix.shape
    size = GROUP if columns % GROUP == 0 else columns
    groups = matrix.reshape(rows, columns // size, size)
    steps = np.maximum(np.abs(groups).max(axis=2, keepdims=True) / _MOST, np.finfo(np.float32).tiny)
    return np.rint(groups / steps).astype(np.int8), steps.astype(np.float32)


def _state(file: Path) -> str:
    """What tells a file from one that replaced it."""
    about = file.stat()
    return f"{file.name} {about.st_size} {about.st_mtime_ns}"
