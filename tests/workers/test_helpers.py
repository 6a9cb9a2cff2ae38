"""A confined process is helped by others that were forked before; whatever becomes of them, all is done, in order."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from docqa import ROOT
from docqa.workers.helpers import Helpers
from waiting import PATIENCE, can_fork, lives

pytestmark = pytest.mark.skipif(not can_fork(), reason="needs Linux")

# What is done: a number and who made it; in a helper that reaches `dies`, nothing more.
WORK = """
    import os, socket, sys, time
    from docqa.workers.helpers import HELPERS
    from docqa.workers.sandbox import Confinement, confine

    MAIN = os.getpid()

    def opened(data):
        dies, raises, slow, own = eval(data)
        def make(number):
            if number == dies and os.getpid() != MAIN:
                os._exit(3)
            if number == raises:
                raise ValueError(f"{number} cannot be made")
            time.sleep(own if os.getpid() == MAIN else slow)
            try:
                socket.socket()
                return number, os.getpid(), "free"
            except PermissionError:
                return number, os.getpid(), "confined"
        return make

    def work(helpers, count, dies=None, raises=None, slow=0.0, quick=False):
        bounds = Confinement(2048, 20, (sys.prefix, sys.base_prefix, *sys.path), "/tmp", niceness=0)
        HELPERS.fork(helpers, bounds)
        confine(bounds)
        data = repr((dies, raises, slow, 0 if quick else 0.01)).encode()
        done = []
        for number, pid, state in HELPERS.in_order(opened(data), opened, data, count):
            done.append((number, pid == MAIN, pid, state))
        return done
"""


@pytest.fixture
def done(tmp_path: Path) -> "Done":
    (tmp_path / "work_to_do.py").write_text(textwrap.dedent(WORK))
    return Done(tmp_path)


class Done:
    """Runs work in a process of its own that imports it, as its helpers do."""

    def __init__(self, folder: Path) -> None:
        self.before = ""
        self._environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}

    def run(self, arguments: str) -> subprocess.CompletedProcess[str]:
        code = f"{self.before}\nfrom work_to_do import work; print(work({arguments}))"
        run = [sys.executable, "-c", code]
        return subprocess.run(run, env=self._environment, capture_output=True, text=True, timeout=PATIENCE, check=False)

    def __call__(self, arguments: str) -> list[tuple[int, bool, int, str]]:
        run = self.run(arguments)
        assert run.returncode == 0, run.stderr
        return list(eval(run.stdout))


@pytest.mark.parametrize("helpers", [0, 1, 3])
def test_all_is_done_in_order_by_all_of_them(done: Done, helpers: int) -> None:
    results = done(f"{helpers}, 200, slow=0.01")  # a helper that takes no time may leave another nothing to do
    assert [number for number, *_ in results] == list(range(200))
    assert len({pid for *_, pid, _ in results}) == helpers + 1


def test_helpers_are_confined_and_end_with_who_they_help(done: Done) -> None:
    results = done("2, 60")
    assert {state for *_, state in results} == {"confined"}
    assert not any(map(lives, {pid for *_, pid, _ in results}))


@pytest.mark.parametrize(("helpers", "dies"), [(1, 0), (1, 20), (3, 20), (1, 59)])
def test_what_a_helper_was_at_when_it_died_is_done_here(done: Done, helpers: int, dies: int) -> None:
    results = done(f"{helpers}, 60, dies={dies}")
    assert [number for number, *_ in results] == list(range(60))
    assert results[dies][1], "by who was helped"


def test_who_is_helped_goes_on_with_others_while_a_helper_takes_long(done: Done) -> None:
    results = done("1, 30, slow=0.5")
    assert [number for number, *_ in results] == list(range(30))
    assert sum(not here for _, here, *_ in results) <= 3


def test_what_cannot_be_made_is_raised_here_wherever_it_was_tried(done: Done) -> None:
    run = done.run("1, 60, raises=30")
    assert run.returncode == 1 and "ValueError: 30 cannot be made" in run.stderr


def test_what_the_pipe_does_not_take_is_done_here(done: Done) -> None:
    results = done("1, 33_000, quick=True")
    assert [number for number, *_ in results] == list(range(33_000))
    assert all(here for number, here, *_ in results if number >= 32_768)


def test_a_few_things_are_done_without_help(done: Done) -> None:
    assert all(here for _, here, *_ in done("1, 7"))


def test_where_no_process_can_be_started_all_is_done_here(done: Done) -> None:
    done.before = "import os; os.fork = lambda: os.close(-1)"
    assert [(number, here) for number, here, *_ in done("2, 60")] == [(number, True) for number in range(60)]


def test_without_helpers_it_is_done_here() -> None:
    assert list(Helpers().in_order(lambda number: number * 2, lambda _: abs, b"", 20)) == list(range(0, 40, 2))
