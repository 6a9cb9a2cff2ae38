"""The layer that tells kinds of questions apart: what it says of a vector, and that a damaged file is refused."""

import json
import struct
from pathlib import Path

import pytest

from docqa.catalog.catalog import Catalog
from docqa.errors import CannotStart
from docqa.models.kinds import SHIPPED, file_name, kind_heads


def stored(folder: Path, **changed: object) -> Path:
    given = {
        "base": "ab",
        "languages": ["en"],
        "kinds": ["fact", "list"],
        "weights": [[1.0, 0.0], [0.0, 1.0]],
        "biases": [0, 0],
        "clues": {"^list": [0.0, 3.0]},
    }
    (folder / file_name("tiny")).write_text(json.dumps(given | changed))
    return folder


def test_the_most_probable_kind_is_the_opinion(tmp_path: Path) -> None:
    head = kind_heads(stored(tmp_path))["ab"]
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
        kind_heads(stored(tmp_path, **changed))


def test_the_shipped_ones_are_small_and_know_every_kind(tmp_path: Path) -> None:
    catalog = Catalog.load(SHIPPED)
    heads = kind_heads(tmp_path)
    for name in ("all-MiniLM-L6-v2", "multilingual-e5-small"):
        assert (SHIPPED / file_name(name)).stat().st_size < 100_000
        head = heads[catalog.find(name).weights.sha256]
        assert len(head.kinds) == 15
        assert {len(row) for row in head.weights} == {384}


def test_a_layer_in_the_models_folder_replaces_the_shipped_one(tmp_path: Path) -> None:
    base = Catalog.load(SHIPPED).find("all-MiniLM-L6-v2").weights.sha256
    assert kind_heads(stored(tmp_path, base=base))[base].kinds == ("fact", "list")
    assert len(kind_heads(tmp_path)) == len(kind_heads(tmp_path / "none"))
