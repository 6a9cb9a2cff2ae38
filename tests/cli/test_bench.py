"""The command bench: what it measures, and how it makes runs comparable."""

import inspect
import json
from pathlib import Path

import pytest

from docqa.cli import bench
from docqa.cli.client import measuring
from docqa.cli.client.measuring import measured, yardstick
from docqa.cli.goals import BYTES, SECONDS
from docqa.cli.processes import can_be_measured
from tests.cli.commands import Run


def test_it_measures_a_server_of_its_own_and_leaves_the_data_alone(alone: Run, tmp_path: Path) -> None:
    done = alone("bench", "--quick", "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    names = [measure["name"] for measure in report["measures"]]
    assert names == ["start", "page read in", "first answer", "retrieval", "answer in quotes"], (
        "there are no models here"
    )
    assert all(measure["seconds"] > 0 and measure["yardsticks"] > 0 for measure in report["measures"])
    assert report["yardstick"] > 0
    [start] = [measure for measure in report["measures"] if measure["name"] == "start"]
    assert start["ratio"] == pytest.approx(start["seconds"] / start["goal"]), "held against its goal"
    assert {"processor", "cores", "memory", "Python", "precision"} <= report["machine"].keys()
    assert not (tmp_path / "data").exists(), "the user's own data were not opened"


@pytest.mark.skipif(not can_be_measured(), reason="other processes' memory is told by Linux only")
def test_what_the_processes_hold_is_measured_too(alone: Run) -> None:
    memory = {each["name"]: each for each in json.loads(alone("bench", "--quick", "--json").out)["memory"]}
    assert 10e6 < memory["server"]["bytes"] <= memory["all processes"]["bytes"]
    assert memory["server"]["ratio"] == pytest.approx(memory["server"]["bytes"] / memory["server"]["goal"])


def test_every_goal_is_of_something_that_is_measured() -> None:
    """Of a name that changes, the goal would be lost without a word."""
    source = inspect.getsource(bench) + inspect.getsource(measuring)
    assert all(f'"{name}"' in source for name in (*SECONDS, *BYTES))


def test_documents_are_for_a_comparison(alone: Run, tmp_path: Path) -> None:
    done = alone("bench", "--documents", str(tmp_path))
    assert done.code == 1 and "--peers" in done.err


def test_a_measure_is_the_median_of_its_works_and_told_in_yardsticks(monkeypatch: pytest.MonkeyPatch) -> None:
    # The machine is twice as slow in the second half, and so is the yardstick.
    yards = iter([0.1, 0.1, 0.1, 0.2, 0.2])
    monkeypatch.setattr(measuring, "yardstick", lambda: next(yards))
    measure = measured("answer", [lambda: 1.0, lambda: 1.0, lambda: 1.5, lambda: 2.0])
    assert (measure.name, measure.seconds) == ("answer", 1.25)
    assert measure.yardsticks == pytest.approx(10)


def test_the_yardstick_is_work_that_takes_time() -> None:
    assert yardstick() > 0.001
