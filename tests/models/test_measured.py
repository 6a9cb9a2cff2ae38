"""What was measured of a model is kept for later starts on the same machine."""

from pathlib import Path

import pytest

from docqa.models import measured
from docqa.models.measured import circumstances, keep, kept

FASTER = {"precision": "bfloat16"}


@pytest.fixture(autouse=True)
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same versions everywhere, also where the libraries are not installed."""
    monkeypatch.setattr(measured, "version", lambda library: "1.0")


def test_a_measurement_is_kept_for_its_circumstances(tmp_path: Path) -> None:
    file = tmp_path / "precisions.json"
    key = circumstances(["embedding", "mini"], 2)
    assert kept(file, key) == {}
    keep(file, key, FASTER)
    keep(file, circumstances(["verifier", "base"], 2), {"precision": "float32"})
    assert kept(file, key) == FASTER
    assert kept(file, circumstances(["embedding", "mini"], 4)) == {}


def test_another_processor_or_version_is_measured_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "precisions.json"
    keep(file, circumstances(["mini"], 2), FASTER)
    with monkeypatch.context() as patch:
        patch.setattr(measured, "processor", lambda: "Another")
        assert kept(file, circumstances(["mini"], 2)) == {}
    assert kept(file, circumstances(["mini"], 2)) == FASTER
    monkeypatch.setattr(measured, "version", {"openvino": "99.0"}.__getitem__)
    assert kept(file, circumstances(["mini"], 2)) == {}


@pytest.mark.parametrize("damaged", ["", "{", "[1]", '{"key": 3}'])
def test_a_damaged_file_is_written_anew(tmp_path: Path, damaged: str) -> None:
    file = tmp_path / "precisions.json"
    file.write_text(damaged)
    assert kept(file, "key") == {}
    keep(file, "key", FASTER)
    assert kept(file, "key") == FASTER


def test_a_file_that_cannot_be_written_costs_a_measurement_and_no_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep(tmp_path / "no folder" / "precisions.json", "key", FASTER)
    assert "a later start measures again" in caplog.text
