"""A server without models for the commands, and the commands run in this process."""

import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from conftest import Server, start_server, stop_server, without_models
from docqa.cli.main import main

WITHOUT_MODELS = {"DOCQA_EMBEDDER": "none", "DOCQA_VERIFIER": "off", "DOCQA_READER": "off"}
ACCOUNTS = count()
Run = Callable[..., "Done"]


@dataclass(frozen=True)
class Done:
    """What a command ended with, and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def word_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that searches by words."""
    folder = tmp_path_factory.mktemp("commands")
    server = start_server(folder / "data", **without_models(folder) | WITHOUT_MODELS)
    yield server
    assert stop_server(server) == 0


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on a data folder on which no server works: `alone("ask", "Who?")`."""
    for name, value in {**WITHOUT_MODELS, "DOCQA_DATA": str(tmp_path / "data"), "DOCQA_MODELS": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)

    def run(*words: object, given: bytes = b"") -> Done:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
            code = main([*map(str, words)])
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return run


@pytest.fixture
def docqa(alone: Run, word_server: Server, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The same, beside a running server, with an account of its own."""
    monkeypatch.setenv("DOCQA_DATA", str(word_server.data))
    monkeypatch.setenv("DOCQA_KEY", alone("key", "add", "test", "--account", f"account {next(ACCOUNTS)}").out.strip())
    return alone
