"""`python run.py install torch`: what is installed on request only."""

import pytest

from docqa.cli.main import main
from docqa.setup.packages import Installer


@pytest.mark.parametrize(("failure", "code"), [("", 0), ("There is no network.", 1)])
def test_pytorch_is_added_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failure: str, code: int
) -> None:
    added: list[str] = []

    def add(self: Installer, name: str) -> str:
        added.append(name)
        return failure

    monkeypatch.setattr(Installer, "add", add)
    assert main(["install", "torch"]) == code
    assert added == ["torch"]
    assert ("A running server uses them" in capsys.readouterr().err) == (not failure)


def test_offline_nothing_is_downloaded(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DOCQA_OFFLINE", "1")
    assert main(["install", "torch"]) == 1
    assert "PyTorch could not be installed: DOCQA_OFFLINE forbids downloading packages." in capsys.readouterr().err


def test_nothing_else_is_installed_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "everything"]) == 2
    assert "'everything' is not 'torch'" in capsys.readouterr().err
