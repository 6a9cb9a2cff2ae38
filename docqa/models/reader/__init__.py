"""The reader: the embedding model with a small trained part, which finds the span of a passage that answers a question.

The server's side, which computes nothing: which model the trained part belongs to, and which languages it reads.
"""

import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from docqa import SHIPPED
from docqa.errors import CannotStart
from docqa.text.sentences import sentences

FILE, VERIFIER = "reader.safetensors", "verifier.safetensors"
TABLES = "tables"  # among the heads that a part's metadata names
BESIDE = 1  # sentences on each side of the span's
LONGEST_EXCERPT = 450  # characters of what the verifier reads, if the unit that it is about is not longer
_LENGTH = struct.Struct("<Q")  # of the JSON header at the beginning of a safetensors file


class Span(NamedTuple):
    """`text[start:end]` of a passage answers the question, if `score` is above 0.

    The score is the log odds of the span against "no answer in this passage", less the calibrated margin.
    """

    start: int
    end: int
    score: float


class YesNo(NamedTuple):
    """What a passage says to a yes/no question: the log odds that it says yes, and that it says no.

    Both are below 0 where the passage says neither. They mean nothing for other questions.
    """

    yes: float
    no: float


class TableReading(NamedTuple):
    """What the reader makes of a table laid out as text: its scores of the whole, and of each spot in the text that it
    was asked about. `docqa.tables.reading.plan` says what each is a score of."""

    whole: list[float]
    spots: list[list[float]]


class Reading(NamedTuple):
    """What the reader makes of one passage: its likeliest spans, best first, and what it says to a yes/no question.

    `yes_no` is None if the trained part has no head for it.
    """

    spans: list[Span]
    yes_no: YesNo | None = None

    @property
    def score(self) -> float:
        """That of its best span; minus infinity where there is none."""
        return self.spans[0].score if self.spans else -math.inf


def around(passage: str, span: Span) -> tuple[int, int]:
    """(start, end) in characters of the sentence in which the span begins, with its neighbours on either side."""
    bounds = sentences(passage)
    if not bounds:
        return 0, len(passage)
    place = max((index for index, (start, _) in enumerate(bounds) if start <= span.start), default=0)
    return bounds[max(0, place - BESIDE)][0], bounds[min(len(bounds) - 1, place + BESIDE)][1]


@dataclass(frozen=True)
class TrainedPart:
    """The file of a trained part: `base` is the SHA-256 of its model's weights, `languages` those it was trained in;
    one of a reader may have learned to read tables."""

    path: Path
    base: str
    languages: tuple[str, ...]
    reads_tables: bool = False


def beside_file(model: str) -> str:
    """The name of the file with what the reader adds to an embedding model that serves for other languages."""
    return f"reader.{model}.safetensors"


def trained_part(models_dir: Path, file: str = FILE) -> TrainedPart | None:
    """The trained part in the models folder, else the shipped one, None without either; `file` is a reader's or the
    verifier's.

    Raises CannotStart for a damaged file.
    """
    path = next((path for path in (models_dir / file, SHIPPED / file) if path.is_file()), None)
    if path is None:
        return None
    try:
        with path.open("rb") as content:
            (length,) = _LENGTH.unpack(content.read(_LENGTH.size))
            metadata = json.loads(content.read(min(length, path.stat().st_size)))["__metadata__"]
        reads_tables = TABLES in metadata.get("heads", "").split()
        return TrainedPart(path, metadata["base"], tuple(metadata["languages"].split()), reads_tables)
    except (OSError, struct.error, ValueError, LookupError, TypeError) as error:
        raise CannotStart(
            f"{path} is not a trained part of the reader ({type(error).__name__}: {error}); delete it or get it again"
        ) from error
