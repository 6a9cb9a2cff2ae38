"""`python run.py ocr`: what it lists and adds."""

from pathlib import Path

import pytest

from docqa.cli import ocr
from docqa.cli.main import main
from docqa.formats.pictures import data


@pytest.fixture(autouse=True)
def only_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    monkeypatch.setattr(ocr, "has_rapid", lambda: False)
    (tmp_path / "eng.traineddata").touch()
    (tmp_path / "osd.traineddata").touch()


def test_the_list_says_what_is_here_and_what_can_be_had(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["ocr", "list"]) == 0
    here, there = capsys.readouterr().out.split("To be had")
    assert "en  eng      English" in here and str(tmp_path) in here and "osd" not in here
    assert "de  deu      German                  1.5 MB" in there and "rapid" in there and "English" not in there


def test_what_is_here_is_not_downloaded_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ocr", "add", "English", "en"]) == 0
    assert "English is here already" in capsys.readouterr().out


def test_an_unknown_language_is_said_before_anything_is_downloaded(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ocr", "add", "de", "Klingon"]) == 1
    assert "No language is called 'Klingon' here" in capsys.readouterr().err


def test_offline_the_way_by_hand_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCQA_OFFLINE", "1")
    assert main(["ocr", "add", "de"]) == 1
    assert "Copy deu.traineddata of" in capsys.readouterr().err


def test_data_in_several_folders_are_used_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, names in ((first, ("eng", "deu")), (second, ("deu", "fra"))):
        folder.mkdir()
        for name in names:
            (folder / f"{name}.traineddata").write_text(folder.name)
    monkeypatch.setattr(data, "folders", lambda: [first, second])
    assert data.languages()[:3] == ["eng", "deu", "fra"]
    with data.engine_folder(["deu", "fra"]) as folder:
        assert {path.name: path.read_text() for path in Path(folder).iterdir()} == {
            "deu.traineddata": "first",
            "fra.traineddata": "second",
        }
    with data.engine_folder(["eng", "deu"]) as folder:
        assert folder == str(first)
