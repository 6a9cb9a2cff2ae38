"""What config.json says of an encoder, and that what differs from its family is not guessed at."""

import json
from pathlib import Path
from typing import Any

import pytest

from docqa.models.config import WEIGHTS, Config, OtherKind

SAID: dict[str, Any] = {
    "model_type": "bert",
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 300,
    "layer_norm_eps": 1e-12,
    "pad_token_id": 1,
    "hidden_act": "gelu",
}


def folder(path: Path, **different: object) -> Path:
    """The folder of an encoder whose config.json differs so."""
    (path / "config.json").write_text(json.dumps(SAID | different))
    (path / WEIGHTS).touch()
    return path


@pytest.mark.parametrize(
    ("family", "first", "prefix"),
    [
        ("bert", 0, "bert."),
        ("mpnet", 2, "mpnet."),
        ("roberta", 2, "roberta."),
        ("xlm-roberta", 2, "roberta."),
        ("camembert", 2, "camembert."),
    ],
)
def test_the_families_count_places_and_name_weights_each_in_its_way(
    tmp_path: Path, family: str, first: int, prefix: str
) -> None:
    config = Config.of(folder(tmp_path, model_type=family))
    assert (config.first_position, config.prefix) == (first, prefix)
    assert (config.hidden_size, config.max_position_embeddings) == (32, 300)


def test_what_it_leaves_out_is_as_usual_and_what_nobody_needs_is_left_out(tmp_path: Path) -> None:
    config = Config.of(folder(tmp_path, position_embedding_type="absolute", architectures=["BertModel"]))
    assert (config.type_vocab_size, config.relative_attention_num_buckets) == (0, 32)
    assert Config.of(folder(tmp_path, type_vocab_size=2)).type_vocab_size == 2


@pytest.mark.parametrize(
    "different",
    [{"model_type": "gpt2"}, {"model_type": None}, {"hidden_act": "relu"}, {"position_embedding_type": "relative_key"}],
    ids=str,
)
def test_what_differs_from_its_family_is_not_guessed_at(tmp_path: Path, different: dict[str, str]) -> None:
    with pytest.raises(OtherKind, match="holds no encoder of a family that is known here"):
        Config.of(folder(tmp_path, **different))


def test_weights_in_another_format_are_another_kind(tmp_path: Path) -> None:
    (folder(tmp_path) / WEIGHTS).rename(tmp_path / "pytorch_model.bin")
    with pytest.raises(OtherKind):
        Config.of(tmp_path)
