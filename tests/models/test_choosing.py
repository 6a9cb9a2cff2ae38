"""Which models the settings choose among those that are installed."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pytest

from docqa.catalog.catalog import Catalog
from docqa.models import choosing
from docqa.models.choosing import add_installed, find_encoders
from docqa.models.encoders import Encoders
from docqa.models.reader import beside_file
from docqa.settings import Settings

CATALOG = "".join(
    f"""[[model]]
name = "{name}"
kind = "embedding"
licence = "MIT"
languages = {languages}
dimension = 8
folder = "{name}"
{further}
[[model.file]]
path = "model.safetensors"
size = 3
sha256 = "{sha256(name.encode()).hexdigest()}"
"""
    for name, languages, further in (
        ("english", '["en"]', ""),
        ("everything", '["en", "de", "fr"]', "for_other_languages = true"),
    )
)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(choosing, "is_installed", lambda package: True)
    (tmp_path / "catalog.toml").write_text(CATALOG)
    return Settings(models=tmp_path, data=tmp_path / "data", reader=False, verifier=False)


# A BERT whose vectors are the means of its tokens.
USUAL: dict[str, Any] = {
    "modules.json": [
        {"path": "", "type": "sentence_transformers.models.Transformer"},
        {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    ],
    "1_Pooling/config.json": {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False},
    "tokenizer.json": {},
    "config.json": {
        "model_type": "bert",
        "hidden_act": "gelu",
        **dict.fromkeys(("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads"), 8),
        **dict.fromkeys(("intermediate_size", "max_position_embeddings", "pad_token_id"), 8),
        "layer_norm_eps": 1e-12,
    },
}
UNUSUAL = {
    "another family": {"config.json": USUAL["config.json"] | {"model_type": "gemma3_text"}},
    "another activation": {"config.json": USUAL["config.json"] | {"hidden_act": "silu"}},
    "another pooling": {"1_Pooling/config.json": {"pooling_mode_lasttoken": True}},
    "a further module": {"modules.json": [*USUAL["modules.json"], {"path": "2_Dense", "type": "models.Dense"}]},
    "an encoder in a folder": {
        "modules.json": [USUAL["modules.json"][0] | {"path": "0_BERT"}, USUAL["modules.json"][1]]
    },
}


def install(settings: Settings, name: str, **differing: Any) -> None:
    folder = settings.models / name
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"abc")
    for path, content in (USUAL | differing).items():
        (folder / path).write_text(json.dumps(content))


def lacking(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    monkeypatch.setattr(choosing, "is_installed", lambda package: package not in packages)


def chosen(settings: Settings) -> Encoders:
    return find_encoders(settings, Catalog.load(settings.models), lambda: None, cast(Any, None))


def names(encoders: Encoders) -> list[str]:
    return [embedder.name for embedder in encoders.chosen()]


def test_the_model_for_other_languages_serves_beside_the_first_and_rests_until_one_needs_it(settings: Settings) -> None:
    install(settings, "english")
    install(settings, "everything")
    encoders = chosen(settings)
    assert names(encoders) == ["english", "everything"]
    assert encoders.beside is not None and encoders.beside.state == "resting"
    assert (encoders.needs_beside("de"), encoders.needs_beside("en"), encoders.needs_beside("")) == (True, False, False)
    assert (encoders.foreign("de", ["en", "ja"]), encoders.lacks("fr"), encoders.lacks("ja")) == (["ja"], False, True)


def test_it_reads_too_where_what_the_reader_adds_to_it_is_there(settings: Settings) -> None:
    install(settings, "english")
    install(settings, "everything")
    reading = replace(settings, reader=True)
    without = chosen(reading).beside
    assert without is not None and not without.reads("de")
    entry = Catalog.load(settings.models).embedding("everything")
    about = json.dumps({"__metadata__": {"base": entry.weights.sha256, "languages": "de fr"}}).encode()
    (settings.models / beside_file("everything")).write_bytes(len(about).to_bytes(8, "little") + about)
    beside = chosen(reading).beside
    assert beside is not None and (beside.reads("de"), beside.reads("en")) == (True, False)
    switched_off = chosen(settings).beside
    assert switched_off is not None and not switched_off.reads("de")


def test_it_may_come_while_the_server_runs(settings: Settings) -> None:
    install(settings, "english")
    encoders = chosen(settings)
    assert (names(encoders), encoders.foreign("de", ["en"]), encoders.lacks("de")) == (["english"], ["en"], True)
    install(settings, "everything")
    assert add_installed(encoders, settings, Catalog.load(settings.models))
    assert names(encoders) == ["english", "everything"]
    assert not add_installed(encoders, settings, Catalog.load(settings.models))


@pytest.mark.parametrize("name", ["english", "everything"])
def test_a_model_that_is_named_serves_alone(settings: Settings, name: str) -> None:
    install(settings, "english")
    install(settings, "everything")
    settings = Settings(models=settings.models, data=settings.data, embedder=name, reader=False, verifier=False)
    assert names(chosen(settings)) == [name]


def test_without_the_first_there_is_none_beside_it(settings: Settings) -> None:
    install(settings, "everything")
    encoders = chosen(settings)
    assert (names(encoders), encoders.missing) == (
        [],
        ("The embedding model english is not installed: full-text search only.",),
    )


def test_without_openvino_search_is_by_words(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    install(settings, "english")
    lacking(monkeypatch, "openvino")
    encoders = chosen(settings)
    assert (names(encoders), encoders.missing) == ([], ("OpenVINO is not installed: full-text search only.",))


@pytest.mark.parametrize("differing", UNUSUAL.values(), ids=UNUSUAL)
def test_only_a_model_of_another_kind_needs_sentence_transformers(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, differing: dict[str, Any]
) -> None:
    install(settings, "english", **differing)
    install(settings, "everything")
    lacking(monkeypatch, "sentence-transformers")
    encoders = chosen(settings)
    needs = "needs sentence-transformers, which `python run.py install torch` installs: full-text search only."
    assert (names(encoders), encoders.missing) == ([], (f"The embedding model english {needs}",))
    assert names(chosen(replace(settings, embedder="everything"))) == ["everything"]
    lacking(monkeypatch)
    assert add_installed(encoders, settings, Catalog.load(settings.models)), "without a restart"
    assert (names(encoders), encoders.missing) == (["english", "everything"], ())


def test_one_for_other_languages_that_lacks_its_package_is_left_out(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(settings, "english")
    install(settings, "everything", **UNUSUAL["another family"])
    lacking(monkeypatch, "sentence-transformers")
    assert names(chosen(settings)) == ["english"]


@pytest.mark.parametrize(
    "damage",
    [
        {"config.json": {"model_type": "bert", "hidden_act": "gelu"}},
        {"config.json": []},
        {"modules.json": {"path": ""}},
    ],
)
def test_what_is_wrong_with_a_damaged_model_is_left_to_loading_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, damage: dict[str, Any]
) -> None:
    install(settings, "english", **damage)
    lacking(monkeypatch, "sentence-transformers")
    assert names(chosen(settings)) == ["english"]
