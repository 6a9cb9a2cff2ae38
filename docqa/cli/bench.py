"""`bench`: how fast the service is on this machine, measured on a server of its own with data of its own."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from docqa import __version__
from docqa.cli.client.measuring import QUICK, QUOTED, WHOLE, Bench, Extent, Measure, measured, yardstick
from docqa.cli.client.server_apart import server_apart
from docqa.cli.goals import BYTES, SECONDS, machine
from docqa.cli.options import absolute, as_json, with_settings
from docqa.cli.presence import running
from docqa.cli.processes import can_be_measured, memory_of
from docqa.cli.terminal import put_json, put_table, say
from docqa.errors import CannotStart
from docqa.settings import Settings


@click.command()
@click.option("--quick", is_flag=True, help="Less of everything: half a minute.")
@click.option(
    "--peers",
    metavar="DIR",
    callback=absolute,
    help="Compare with txtai and LlamaIndex instead: they are downloaded into DIR, 4 GB, and stay there.",
)
@click.option(
    "--documents",
    metavar="DIR",
    callback=absolute,
    help="For --peers: files of yours, and questions.jsonl with what is asked, in the place of what is made for it.",
)
@as_json
@with_settings
def bench(settings: Settings, quick: bool, peers: Path | None, documents: Path | None, as_json: bool) -> None:
    """Measure how long it takes to start, to read in, to embed, to retrieve and to answer. A server is started for it,
    with these settings and temporary data; yours are not touched. Each measure is also told in yardsticks, a piece of
    work that is timed beside it: compare these."""
    if running(settings.data):
        say("A server works on this machine meanwhile: what it does slows this down.")
    if peers:
        from docqa.cli.peers.command import compare  # which others there are concerns nobody else

        compare(settings, peers, documents, quick=quick, as_json=as_json)
        return
    if documents:
        raise CannotStart("--documents is for a comparison: give --peers DIR too.")
    measures: list[Measure] = []
    memory: dict[str, int] = {}
    with TemporaryDirectory(prefix="docqa-bench-") as folder:
        for measure in _measures(Path(folder), QUICK if quick else WHOLE, memory):
            say(f"{measure.name}: {measure.seconds:.4f} s")
            measures.append(measure)
        about = machine(Path(folder) / "data")
    if as_json:
        put_json(
            {
                "version": __version__,
                "machine": about,
                "yardstick": yardstick(),
                "measures": [asdict(each) | _held_against(SECONDS, each.name, each.seconds) for each in measures],
                "memory": [
                    {"name": name, "bytes": size} | _held_against(BYTES, name, size) for name, size in memory.items()
                ],
            }
        )
        return
    rows = [
        (each.name, f"{each.seconds:.4f} s", f"{1 / max(each.seconds, 1e-9):.1f}", f"{each.yardsticks:.3f}")
        + _shown(SECONDS, each.name, each.seconds, "{:.3g} s", 1)
        for each in measures
    ] + [
        (f"memory of {name}", f"{size / 1e6:.0f} MB", "", "", *_shown(BYTES, name, size, "{:.0f} MB", 1e6))
        for name, size in memory.items()
    ]
    put_table(("what", "measured", "a second", "yardsticks", "goal", "of goal"), rows)
    say(f"A yardstick takes {1000 * yardstick():.0f} ms here: {', '.join(map(' '.join, about.items()))}.")


def _held_against(goals: Mapping[str, float], name: str, value: float) -> dict[str, float]:
    """The goal and how many times it was taken, nothing where there is none."""
    return {"goal": goals[name], "ratio": value / goals[name]} if name in goals else {}


def _shown(goals: Mapping[str, float], name: str, value: float, form: str, unit: float) -> tuple[str, str]:
    return (form.format(goals[name] / unit), f"{value / goals[name]:.2f}") if name in goals else ("", "")


def _measures(folder: Path, extent: Extent, memory: dict[str, int]) -> Iterator[Measure]:
    """One after the other; `memory` gets what the processes hold once all but language models is loaded."""

    def start(number: int) -> float:
        started = time.perf_counter()
        with server_apart(folder / f"data{number}") as server:
            server.service.call("GET", "/healthz")
            return time.perf_counter() - started

    yield measured("start", [lambda n=n: start(n) for n in range(extent.starts)])  # type: ignore[misc]
    started = time.perf_counter()
    with server_apart(folder / "data") as server:
        for measure in Bench(server.service, extent, started).measures():
            yield measure
            if measure.name == QUOTED and can_be_measured():  # before language models are loaded
                time.sleep(extent.rest)
                memory |= {"server": memory_of(server.pid, alone=True), "all processes": memory_of(server.pid)}
