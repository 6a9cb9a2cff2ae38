"""What the server sees of an embedding model before it is loaded: how vectors are made, and whether they are made here."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docqa import ROOT
from docqa.models.config import OtherKind
from docqa.models.sentence_folder import FIRST, MEAN, needs_package, pooling

TRANSFORMER, POOLING, NORMALIZE = (
    {"path": path, "type": f"sentence_transformers.models.{kind}"}
    for path, kind in (("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize"))
)
ENCODER = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    **dict.fromkeys(("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads"), 8),
    **dict.fromkeys(("intermediate_size", "max_position_embeddings", "pad_token_id"), 8),
}


def folder(path: Path, *modules: dict[str, Any], modes: dict[str, Any] | None = None) -> Path:
    """The folder of a model that consists of these modules, by default the usual ones."""
    (path / "1_Pooling").mkdir()
    contents = {
        "modules.json": modules or (TRANSFORMER, POOLING),
        "1_Pooling/config.json": {"word_embedding_dimension": 8, **(modes or {MEAN: True})},
        "config.json": ENCODER,
        "tokenizer.json": {},
        "model.safetensors": "",
    }
    for name, content in contents.items():
        (path / name).write_text(json.dumps(content))
    return path


@pytest.mark.parametrize("modules", [(TRANSFORMER, POOLING), (TRANSFORMER, POOLING, NORMALIZE)])
@pytest.mark.parametrize("mode", [MEAN, FIRST])
def test_vectors_are_the_mean_of_the_tokens_or_the_first_of_them(
    tmp_path: Path, mode: str, modules: tuple[dict[str, Any], ...]
) -> None:
    other = {MEAN: FIRST, FIRST: MEAN}[mode]
    usual = folder(tmp_path, *modules, modes={mode: True, other: False, "pooling_mode_max_tokens": False})
    assert pooling(usual) == mode
    assert not needs_package(usual)


@pytest.mark.parametrize(
    ("modules", "modes"),
    [
        ((), {MEAN: True, FIRST: True}),
        ((), {"pooling_mode_max_tokens": True}),
        ((TRANSFORMER,), {MEAN: True}),
        ((POOLING, TRANSFORMER), {MEAN: True}),
        ((TRANSFORMER | {"path": "0_BERT"}, POOLING), {MEAN: True}),
        ((TRANSFORMER, POOLING, {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}), {MEAN: True}),
    ],
)
def test_other_kinds_are_left_to_sentence_transformers(
    tmp_path: Path, modules: tuple[dict[str, Any], ...], modes: dict[str, Any]
) -> None:
    other = folder(tmp_path, *modules, modes=modes)
    with pytest.raises(OtherKind):
        pooling(other)
    assert needs_package(other)


@pytest.mark.parametrize("missing", ["modules.json", "tokenizer.json", "model.safetensors"])
def test_so_is_a_folder_in_which_a_file_is_missing_that_is_read_here(tmp_path: Path, missing: str) -> None:
    (folder(tmp_path) / missing).unlink()
    assert needs_package(tmp_path)


def test_the_server_looks_into_a_folder_without_importing_what_computes() -> None:
    code = """
import sys, docqa.models.sentence_folder
print(sorted({"numpy", "openvino", "tokenizers", "torch"} & set(sys.modules)))
"""
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True) == "[]\n"
