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


def install(settings: Settings, name: str) -> None:
    (settings.models / name).mkdir()
    (settings.models / name / "model.safetensors").write_bytes(b"abc")


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
