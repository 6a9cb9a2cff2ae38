"""A server of its own process, as a user starts it, with data of its own: what is measured."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from docqa import child_path
from docqa.cli.client.service import Service
from docqa.cli.presence import running
from docqa.errors import CannotStart

_PATIENCE, _PAUSE, _STOP = 120.0, 0.03, 30.0  # seconds


@dataclass(frozen=True)
class ServerApart:
    """The service, and the process that gives it."""

    service: Service
    pid: int


@contextmanager
def server_apart(data: Path) -> Iterator[ServerApart]:
    """A server on this data folder while the block runs, with the settings of this process; its log lies beside the
    folder. Raises CannotStart."""
    log = data.with_suffix(".log")
    command = [sys.executable, "-m", "docqa.cli", "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data)]
    environment = {**os.environ, "PYTHONPATH": child_path()}
    with log.open("wb") as said, subprocess.Popen(command, stdout=said, stderr=said, env=environment) as process:
        try:
            end = time.monotonic() + _PATIENCE
            while not (address := running(data)):
                if process.poll() is not None or time.monotonic() > end:
                    raise CannotStart(f"The server did not start. It says: {log.read_text('utf-8', 'replace')[-2000:]}")
                time.sleep(_PAUSE)
            with Service(address, (data / "api-key").read_text("utf-8").strip(), data / "watch") as service:
                yield ServerApart(service, process.pid)
        finally:
            process.terminate()
            try:
                process.wait(_STOP)
            except subprocess.TimeoutExpired:
                process.kill()
