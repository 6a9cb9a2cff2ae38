"""The reader: the embedding model with a small trained part, which finds the span of a passage that answers a question.

What the server sees of it is here, without torch: the trained part names the model that it belongs to, and the languages that it reads.
"""

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from docqa import ROOT
from docqa.errors import CannotStart
from docqa.text.sentences import sentences

FILE = "reader.safetensors"
SHIPPED = ROOT / "models" / FILE
BESIDE = 1  # sentences on each side of the one that is looked at again
_LENGTH = struct.Struct("<Q")  # of the JSON header that a safetensors file begins with


class Span(NamedTuple):
    """`text[start:end]` of a passage answers the question; `score` is above 0 where the reader is sure enough to say so.

    It is how much more probable (a logarithm) the span is than that the passage holds no answer, less the margin that calibration asks for.
    """

    start: int
    end: int
    score: float


def around(passage: str, span: Span) -> tuple[int, int]:
    """The characters of the sentence in which the span begins, with the sentence on either side."""
    bounds = sentences(passage)
    place = max((index for index, (start, _) in enumerate(bounds) if start <= span.start), default=0)
    return (
        (bounds[max(0, place - BESIDE)][0], bounds[min(len(bounds) - 1, place + BESIDE)][1])
        if bounds
        else (0, len(passage))
    )


@dataclass(frozen=True)
class TrainedPart:
    """The file of a trained part: `base` is the SHA-256 of the weights it was trained with, `languages` are those it was trained in."""

    path: Path
    base: str
    languages: tuple[str, ...]


def trained_part(models_dir: Path) -> TrainedPart | None:
    """That of the folder of models, or the shipped one where that has none. Raises CannotStart for a damaged file."""
    path = next((path for path in (models_dir / FILE, SHIPPED) if path.is_file()), None)
    if path is None:
        return None
    try:
        with path.open("rb") as content:
            (length,) = _LENGTH.unpack(content.read(_LENGTH.size))
            known = json.loads(content.read(min(length, path.stat().st_size)))["__metadata__"]
        return TrainedPart(path, known["base"], tuple(known["languages"].split()))
    except (OSError, struct.error, ValueError, LookupError, TypeError) as error:
        raise CannotStart(
            f"{path} is not a trained part of the reader ({type(error).__name__}: {error}); delete it or get it again"
        ) from error
