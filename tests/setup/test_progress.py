"""How far an installation is, in a terminal and in a log."""

import io

import pytest

from docqa.setup.progress import CLEAR, DONE, FAILED, RUNNING, Progress, ProgressLine, current

WORDS = Progress("embedding", "the packages for search by meaning", message="search is by words only")
LLAMA = Progress("local", "llama.cpp", message="answers are quotes")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_step_travels_as_a_line() -> None:
    step = WORDS.at(RUNNING, 0.25)
    assert Progress.from_line(step.to_line()) == step
    assert "\n" not in step.to_line()
    for damaged in ("", "{", "[]", '{"size": 3}'):
        with pytest.raises(ValueError):
            Progress.from_line(damaged)


def test_the_running_step_is_the_current_one_then_the_next() -> None:
    done = WORDS.at(DONE, 1.0)
    assert current([done, LLAMA]) == LLAMA
    assert current([WORDS, LLAMA.at(RUNNING, 0.1)]) == LLAMA.at(RUNNING, 0.1)
    assert current([done, LLAMA.at(FAILED, 0.5)]) is None


def test_without_a_terminal_each_change_of_state_is_a_plain_line() -> None:
    out = io.StringIO()
    line = ProgressLine(out)
    line.show([WORDS, LLAMA])
    for share in (0.0, 0.3, 0.6):
        line.show([WORDS.at(RUNNING, share), LLAMA])
    line.show([WORDS.at(DONE, 1.0), LLAMA.at(FAILED, 0.2, "There is no compiler.")])
    line.close()
    assert out.getvalue().splitlines() == [
        "Installing the packages for search by meaning (step 1 of 2). Until then, search is by words only.",
        "Installed: the packages for search by meaning.",
        "Not installed: llama.cpp. There is no compiler.",
    ]


def test_in_a_terminal_one_line_is_drawn_anew_and_left_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    out = Terminal()
    line = ProgressLine(out)
    line.show([WORDS.at(RUNNING, 0.5), LLAMA])
    bar = "[##########..........]  50%  1/2 the packages for search by meaning; until then, search is by words only"
    assert out.getvalue() == CLEAR + bar
    line.print("A line above it.")
    assert out.getvalue() == CLEAR + bar + CLEAR + "A line above it.\n" + CLEAR + bar
    line.close()
    assert out.getvalue().endswith(CLEAR)


def test_a_narrow_terminal_gets_one_line_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = Terminal()
    ProgressLine(out).show([WORDS.at(RUNNING, 0.5)])
    assert len(out.getvalue().removeprefix(CLEAR)) == 39


def test_what_is_on_its_way_is_told_with_what_works_meanwhile() -> None:
    assert WORDS.at(RUNNING, 0.34).sentence() == (
        "Being installed: the packages for search by meaning (34% done). Until then, search is by words only."
    )
    assert WORDS.sentence().startswith("Being installed: the packages for search by meaning (waits for")
    assert WORDS.at(DONE, 1.0).sentence() == ""
