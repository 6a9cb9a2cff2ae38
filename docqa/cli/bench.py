"""`bench`: how fast the service is on this machine, measured on a server of its own with data of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from docqa import __version__, child_path
from docqa.cli.client.measuring import QUICK, WHOLE, Bench, Extent, Measure, measured, yardstick
from docqa.cli.client.service import Service
from docqa.cli.options import as_json, with_settings
from docqa.cli.presence import running
from docqa.cli.terminal import put_json, put_table, say
from docqa.errors import CannotStart
from docqa.settings import Settings

PATIENCE, PAUSE = 120.0, 0.03  # seconds
STOP_SECONDS = 30.0


@click.command()
@click.option("--quick", is_flag=True, help="Less of everything: half a minute.")
@as_json
@with_settings
def bench(settings: Settings, quick: bool, as_json: bool) -> None:
    """Measure how long it takes to start, to read in, to embed, to retrieve and to answer. A server is started for it,
    with these settings and temporary data; yours are not touched. Each measure is also told in yardsticks, a piece of
    work that is timed beside it: compare these."""
    if running(settings.data):
        say("A server works on this machine meanwhile: what it does slows this down.")
    measures = []
    with TemporaryDirectory(prefix="docqa-bench-") as folder:
        for measure in _measures(Path(folder), QUICK if quick else WHOLE):
            say(f"{measure.name}: {measure.seconds:.4f} s")
            measures.append(measure)
    if as_json:
        put_json({"version": __version__, "yardstick": yardstick(), "measures": [asdict(each) for each in measures]})
        return
    rows = [
        (each.name, f"{each.seconds:.4f}", f"{1 / max(each.seconds, 1e-9):.1f}", f"{each.yardsticks:.3f}")
        for each in measures
    ]
    put_table(("what", "seconds", "a second", "yardsticks"), rows)
    say(f"A yardstick takes {1000 * yardstick():.0f} ms here.")


def _measures(folder: Path, extent: Extent) -> Iterator[Measure]:
    def start(number: int) -> float:
        started = time.perf_counter()
        with _server(folder / f"data{number}") as service:
            service.call("GET", "/healthz")
            return time.perf_counter() - started

    yield measured("start", [lambda n=n: start(n) for n in range(extent.starts)])  # type: ignore[misc]
    with _server(folder / "data") as service:
        yield from Bench(service, extent).measures()


@contextmanager
def _server(data: Path) -> Iterator[Service]:
    """A server of its own process, as a user starts it. Raises CannotStart."""
    log = data.with_suffix(".log")
    command = [sys.executable, "-m", "docqa.cli", "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data)]
    environment = {**os.environ, "PYTHONPATH": child_path()}
    with log.open("wb") as said, subprocess.Popen(command, stdout=said, stderr=said, env=environment) as process:
        try:
            end = time.monotonic() + PATIENCE
            while not (address := running(data)):
                if process.poll() is not None or time.monotonic() > end:
                    raise CannotStart(f"The server did not start. It says: {log.read_text('utf-8', 'replace')[-2000:]}")
                time.sleep(PAUSE)
            with Service(address, (data / "api-key").read_text("utf-8").strip(), data / "watch") as service:
                yield service
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
