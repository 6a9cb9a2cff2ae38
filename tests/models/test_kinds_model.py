"""The layer that tells kinds of questions apart: what it says of a vector, and that a damaged file is refused."""

import json
import struct
from pathlib import Path

import pytest

from docqa.errors import CannotStart
from docqa.models.kinds import FILE, SHIPPED, kind_head


def stored(folder: Path, **changed: object) -> Path:
    given = {
        "base": "ab",
        "languages": ["en"],
        "kinds": ["fact", "list"],
        "weights": [[1.0, 0.0], [0.0, 1.0]],
        "biases": [0, 0],
        "clues": {"^list": [0.0, 3.0]},
    }
    (folder / FILE).write_text(json.dumps(given | changed))
    return folder


def test_the_most_probable_kind_is_the_opinion(tmp_path: Path) -> None:
    head = kind_head(stored(tmp_path))
    assert head is not None
    opinion = head.opinion("x", struct.pack("<2f", 0.0, 4.0))
    assert opinion.kind == "list"
    assert 0.97 < opinion.probability < 0.99
    assert head.opinion("List them", struct.pack("<2f", 1.0, 0.0)).kind == "list"
    assert head.opinion("Them listed", struct.pack("<2f", 1.0, 0.0)).kind == "fact"


@pytest.mark.parametrize(
    "changed",
    [
        {"kinds": ["fact", "riddle"]},
        {"weights": [[1.0, 0.0], [0.0]]},
        {"biases": [0]},
        {"weights": "none"},
        {"clues": {"who": [1.0]}},
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, changed: dict[str, object]) -> None:
    with pytest.raises(CannotStart, match="damaged"):
        kind_head(stored(tmp_path, **changed))


def test_the_shipped_one_is_small_and_knows_every_kind(tmp_path: Path) -> None:
    assert SHIPPED.stat().st_size < 100_000
    head = kind_head(tmp_path)
    assert head is not None
    assert len(head.kinds) == 15
    assert {len(row) for row in head.weights} == {384}
