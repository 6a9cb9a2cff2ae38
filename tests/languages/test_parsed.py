"""Languages that were parsed once are kept beside Python's own compiled files."""

import sys
import tomllib
from pathlib import Path

import pytest

from docqa.languages.parsed import read_parsed

TEXT = 'title = "Ein Wort"\n[lists]\nwords = ["a", "b"]\nweight = 1.5\n'


@pytest.fixture(autouse=True)
def keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)


def kept_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_was_parsed_once_is_not_parsed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_parsed(tmp_path / "de.toml", TEXT)
    assert first == tomllib.loads(TEXT)
    monkeypatch.setattr(tomllib, "loads", None)
    assert read_parsed(tmp_path / "de.toml", TEXT) == first


def test_a_file_that_changed_is_parsed_again(tmp_path: Path) -> None:
    read_parsed(tmp_path / "de.toml", TEXT)
    assert read_parsed(tmp_path / "de.toml", TEXT + "more = true\n") == tomllib.loads(TEXT + "more = true\n")


@pytest.mark.parametrize(
    "damage", [lambda data: b"", lambda data: data[:-3], lambda data: data[:32] + b"?" + data[33:]]
)
def test_what_is_kept_damaged_is_parsed_again(tmp_path: Path, damage: object) -> None:
    first = read_parsed(tmp_path / "de.toml", TEXT)
    [kept] = kept_in(tmp_path)
    kept.write_bytes(damage(kept.read_bytes()))  # type: ignore[operator]
    assert read_parsed(tmp_path / "de.toml", TEXT) == first


def test_where_nothing_can_be_written_it_is_parsed_each_time(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").write_text("a file in the way")
    for _ in range(2):
        assert read_parsed(tmp_path / "de.toml", TEXT) == tomllib.loads(TEXT)
    assert len(kept_in(tmp_path)) == 1


def test_nothing_is_kept_where_python_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert read_parsed(tmp_path / "de.toml", TEXT) == tomllib.loads(TEXT)
    assert kept_in(tmp_path) == []
