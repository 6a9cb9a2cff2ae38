"""How fast a model was is remembered by model and machine, and forgotten when it may have changed."""

from dataclasses import replace
from pathlib import Path

import pytest

from docqa.models.chat import speeds as module
from docqa.models.chat.speeds import Speed, Speeds

SPEED = Speed(read=100.0, written=20.0, loading=3.0)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "my.gguf"
    path.write_bytes(b"GGUF")
    return path


def test_a_speed_is_known_to_the_next_life_of_the_server(tmp_path: Path, model: Path) -> None:
    Speeds(tmp_path / "speeds.json").keep(model, SPEED)
    known = Speeds(tmp_path / "speeds.json").of(model)
    assert known is not None and replace(known, measured=0.0) == SPEED


def test_another_file_of_the_name_and_another_machine_are_not_taken_for_it(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Speeds(tmp_path / "speeds.json")
    kept.keep(model, SPEED)
    model.write_bytes(b"GGUF, longer")
    assert kept.of(model) is None
    model.write_bytes(b"GGUF")
    assert kept.of(model) is not None
    monkeypatch.setattr(module, "processor", lambda: "another one")
    assert kept.of(model) is None


def test_what_was_measured_long_ago_is_measured_again(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Speeds(tmp_path / "speeds.json")
    kept.keep(model, SPEED)
    now = module.time.time()
    monkeypatch.setattr(module.time, "time", lambda: now + module.VALID + 1)
    assert kept.of(model) is None


@pytest.mark.parametrize("content", ["", "no JSON", "[]", '{"a": 1}', '{"a": {"read": "x"}}', '{"a": {"other": 1}}'])
def test_a_damaged_file_is_written_anew(tmp_path: Path, model: Path, content: str) -> None:
    (tmp_path / "speeds.json").write_text(content)
    Speeds(tmp_path / "speeds.json").keep(model, SPEED)
    assert Speeds(tmp_path / "speeds.json").of(model) is not None


def test_a_folder_that_cannot_be_written_to_is_no_failure(tmp_path: Path, model: Path) -> None:
    kept = Speeds(tmp_path / "missing" / "speeds.json")
    kept.keep(model, SPEED)
    assert kept.of(model) is not None, "in this life it is known"
