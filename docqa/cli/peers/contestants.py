"""Those that are compared: this program by its server, others by `their_side` in an environment of their own."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from docqa.cli.client.measuring import COMING
from docqa.cli.client.server_apart import ServerApart, server_apart
from docqa.cli.peers.their_side import TOP
from docqa.errors import DocqaError, Unavailable

_PAUSE, _PATIENCE = 0.05, 1800.0  # seconds
_THEIR_SIDE = Path(__file__).with_name("their_side.py")
# Nothing of theirs asks the network once it is installed.
_OFFLINE = {"HF_HUB_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False", "TOKENIZERS_PARALLELISM": "false"}


class Broken(DocqaError):
    """A peer does not do what its documentation shows."""


class Running(Protocol):
    """A contestant that runs; `pid` is the root of its processes."""

    pid: int

    def read_in(self, files: Sequence[Path]) -> float:
        """Read files in, until their passages are found by meaning too; seconds until they were found at all."""

    def find(self, question: str) -> list[str]:
        """The texts of the best passages, at most TOP."""

    def await_meaning(self) -> None:
        """Wait until passages are found by meaning."""

    def await_models(self) -> None:
        """Wait until no model is loaded any more."""

    def pages(self) -> int:
        """Pages of all that was read in, as this program counts them; 0 of others."""


class Ours:
    """This program, with the settings of this process."""

    name = "docqa"

    @contextmanager
    def running(self, folder: Path) -> Iterator[Running]:
        """Its server on this folder. Raises CannotStart."""
        with server_apart(folder / "data") as server:
            yield _OurServer(server)


class _OurServer:
    def __init__(self, server: ServerApart) -> None:
        self.pid, self._service = server.pid, server.service

    def read_in(self, files: Sequence[Path]) -> float:
        started = time.perf_counter()
        for file in files:
            with file.open("rb") as content:
                self._service.upload(file.name, content)
        searchable = time.perf_counter() - started
        _wait(lambda: all(each["state"] != "indexing" for each in self._states()))
        return searchable

    def pages(self) -> int:
        return sum(int(each["pages"]) for each in self._states())

    def find(self, question: str) -> list[str]:
        answer = self._service.call("POST", "/v1/api/retrieve", body={"query": question, "top_k": TOP})
        return [str(passage["source_chunk"]) for passage in answer["results"]]

    def await_meaning(self) -> None:
        _wait(lambda: self._service.call("GET", "/healthz")["embedding"] == "ready")

    def await_models(self) -> None:
        self.await_meaning()
        _wait(lambda: not self._service.call("GET", "/healthz")["verifier"].startswith(COMING))

    def _states(self) -> list[dict[str, Any]]:
        ids = [record["doc_id"] for record in self._service.documents()]
        return [self._service.call("GET", f"/v1/api/documents/{doc_id}/status") for doc_id in ids]


class Peer:
    """A program that `their_side` knows by `name`, installed for this `python`; `embedder` is a model's folder."""

    def __init__(self, name: str, python: Path, embedder: Path) -> None:
        self.name = name
        self._command = [str(python), str(_THEIR_SIDE), name]
        self._embedder = embedder

    @contextmanager
    def running(self, folder: Path) -> Iterator[Running]:
        """Its process on this folder."""
        command = [*self._command, str(folder / "data"), str(self._embedder)]
        log = folder / "log"
        with (
            log.open("ab") as said,
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, env=_environment(os.environ)
            ) as process,
        ):
            try:
                yield _TheirProcess(self.name, process, log)
            finally:
                process.kill()


class _TheirProcess:
    def __init__(self, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.pid = process.pid
        self._name, self._process, self._log = name, process, log

    def read_in(self, files: Sequence[Path]) -> float:
        started = time.perf_counter()
        self._ask({"files": [str(file) for file in files]})
        return time.perf_counter() - started

    def find(self, question: str) -> list[str]:
        return list(self._ask({"question": question}))

    def await_meaning(self) -> None:
        """It finds nothing otherwise."""

    def await_models(self) -> None:
        """They are loaded when it answers first."""

    def pages(self) -> int:
        return 0

    def _ask(self, request: Mapping[str, object]) -> Any:
        assert self._process.stdin and self._process.stdout, "both were asked for"
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it ended: the log says why
        if answer := self._process.stdout.readline():
            return json.loads(answer)
        raise Broken(f"{self._name} ended. It says: {self._log.read_text('utf-8', 'replace')[-2000:]}")


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Of this process, without what leads Python to our own packages."""
    return {name: value for name, value in environment.items() if name != "PYTHONPATH"} | _OFFLINE


def _wait(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise Unavailable(f"The server has not done its work in {_PATIENCE:g} s; its log says more.")
        time.sleep(_PAUSE)
