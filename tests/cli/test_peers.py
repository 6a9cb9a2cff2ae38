"""`bench --peers`: what contestants are given, how they are measured, and what is said of figures. The others themselves
are gigabytes from the network: a stand-in speaks the same lines of JSON."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from docqa.cli.client.server_apart import server_apart
from docqa.cli.peers import installing, their_side
from docqa.cli.peers.comparison import Figures, measured, rows
from docqa.cli.peers.contestants import Broken, Peer, _OurServer
from docqa.cli.peers.course import QUESTIONS, Course, given, made
from docqa.cli.peers.installing import Installed, installed
from docqa.cli.peers.pdf_file import pdf
from docqa.cli.processes import can_be_measured, memory_of, processor_seconds_of, size_of
from docqa.errors import CannotStart
from docqa.formats import reading
from tests.cli.commands import Run

SETUP = Installed(60.0, 10**9, Path("python"))
FIGURES = Figures("docqa", 60, 10**9, 1.0, 4.0, 3.0, 1.0, 2.0, 0.02, 0.8, 0.9, 4 * 10**8, 10**6, 8)
linux = pytest.mark.skipif(not can_be_measured(), reason="other processes are told of by Linux only")


def text_of(file: Path) -> str:
    pages = reading.read(file.read_bytes(), file.name).pages
    return " ".join(" ".join(page.text for page in pages).split())


def test_our_own_pdf_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf([["The first (and only) line", "costs 5 \\ 6 €"], ["Page two"]]))
    pages = [page.text for page in reading.read(file.read_bytes(), "a.pdf").pages]
    assert pages == ["The first (and only) line\ncosts 5 \\ 6 €", "Page two"]


def test_each_question_has_its_answer_once_in_all_that_is_read(tmp_path: Path) -> None:
    course = made(tmp_path, 2, 1, 8, 30)
    assert [file.suffix for file in course.files] == [".txt", ".txt", ".pdf"]
    everything = " ".join(map(text_of, course.files))
    assert len({question.question for question in course.questions}) == len(course.questions) == 30
    for question in course.questions:
        [answer] = question.answers
        assert everything.count(answer) == 1, question


def test_what_is_made_is_the_same_every_time(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    first, second = made(tmp_path / "a", 1, 1, 4, 9), made(tmp_path / "b", 1, 1, 4, 9)
    assert first.questions == second.questions
    assert [file.read_bytes() for file in first.files] == [file.read_bytes() for file in second.files]


def test_a_folder_of_ones_own_is_read_with_its_questions(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The rent is due on Monday.")
    (tmp_path / QUESTIONS).write_text(json.dumps({"question": "When is it due?", "answers": ["on Monday"]}))
    course = given(tmp_path)
    assert course.files == (tmp_path / "a.txt",)
    assert course.questions[0].answers == ("on Monday",)


@pytest.mark.parametrize("questions", [None, "", "no JSON", '{"question": "When?"}', '["When?"]'])
def test_a_folder_without_usable_questions_is_refused_with_a_sentence(tmp_path: Path, questions: str | None) -> None:
    (tmp_path / "a.txt").write_text("The rent is due on Monday.")
    if questions is not None:
        (tmp_path / QUESTIONS).write_text(questions)
    with pytest.raises(CannotStart, match=QUESTIONS):
        given(tmp_path)


# --- a peer -------------------------------------------------------------------------------------------------------------

STAND_IN = '''
import pathlib, sys
sys.path.insert(0, {folder!r})
import their_side

class Words:
    """Keeps paragraphs, and finds those with most of the question's words."""
    def __init__(self, folder, embedder):
        print("loading", embedder)  # a library's own words are no answer
        self.kept = pathlib.Path(folder) / "kept"
        self.kept.parent.mkdir(exist_ok=True)
    def read_in(self, files):
        if any("broken" in file for file in files):
            raise ValueError("cannot read this")
        self.kept.write_text("\\n\\n".join(pathlib.Path(file).read_text() for file in files))
    def find(self, question):
        if not self.kept.exists():
            return []
        words = set(question.lower().split())
        paragraphs = self.kept.read_text().split("\\n\\n")
        return sorted(paragraphs, key=lambda text: -len(words & set(text.lower().split())))[:their_side.TOP]

their_side.LIBRARIES["words"] = Words
their_side.main(*sys.argv[1:])
'''


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Peer:
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN.format(folder=str(Path(their_side.__file__).parent)))
    monkeypatch.setattr("docqa.cli.peers.contestants._THEIR_SIDE", script)
    return Peer("words", Path(sys.executable), tmp_path / "embedder")


def course_in(folder: Path) -> Course:
    folder.mkdir()
    (folder / "a.txt").write_text(
        "The rent is due on Monday.\n\nThe pump stands in the cellar.\n\nNothing else is said."
    )
    questions = [
        {"question": "When is the rent due?", "answers": ["on monday"]},
        {"question": "Where is the pump and the cellar?", "answers": ["in the\ncellar"]},
        {"question": "Who painted it?", "answers": ["Nobody knows"]},
    ]
    (folder / QUESTIONS).write_text("\n".join(map(json.dumps, questions)))
    return given(folder)


@linux
def test_a_peer_is_measured_from_its_start_to_its_answers(peer: Peer, tmp_path: Path) -> None:
    figures = measured(peer, SETUP, course_in(tmp_path / "documents"), tmp_path / "words")
    # The first passage to the second question is another one, and the third is answered nowhere.
    assert (figures.hit_1, figures.hit_5) == pytest.approx((1 / 3, 2 / 3))
    assert 0 < figures.searchable_seconds <= figures.embedded_seconds
    assert 0 < figures.retrieval < figures.start_to_answer <= figures.start_to_meaning
    assert figures.idle_bytes > 1e6 and figures.disk_bytes > 0
    assert (figures.install_seconds, figures.install_bytes) == (60.0, 10**9)


def test_a_peer_that_breaks_says_why(peer: Peer, tmp_path: Path) -> None:
    with pytest.raises(Broken, match="cannot read this"), running(peer, tmp_path) as process:
        process.read_in([tmp_path / "broken.txt"])


def test_a_peer_is_told_to_leave_the_network_alone(peer: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/ours")
    script = tmp_path / "stand_in.py"
    script.write_text(
        script.read_text().replace('print("loading", embedder)', "import os; print(dict(os.environ), flush=True)")
    )
    with running(peer, tmp_path) as process:
        process.find("What?")
    said = (tmp_path / "log").read_text()
    assert "'HF_HUB_OFFLINE': '1'" in said and "PYTHONPATH" not in said


@contextmanager
def running(peer: Peer, folder: Path) -> Iterator[object]:
    with peer.running(folder) as process:
        yield process


# --- ours ---------------------------------------------------------------------------------------------------------------


def test_our_own_server_is_measured_by_its_api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EMBEDDER", "VERIFIER", "READER"):
        monkeypatch.setenv(f"DOCQA_{name}", "none" if name == "EMBEDDER" else "off")
    course = course_in(tmp_path / "documents")
    with server_apart(tmp_path / "data") as server:
        ours = _OurServer(server)
        assert ours.read_in(course.files) > 0 and ours.pages() == 1
        assert "on Monday" in ours.find(course.questions[0].question)[0]


# --- what is measured with ------------------------------------------------------------------------------------------------


@linux
def test_memory_and_processor_time_are_those_of_all_children() -> None:
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    work = "sum(range(10**7)); held = bytearray(b'x') * 50_000_000; print(1, flush=True); import sys; sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", child, work], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout and process.stdout.readline()
        assert memory_of(process.pid) > 50e6 > memory_of(process.pid, alone=True)
        assert processor_seconds_of(process.pid) >= 0.1
        assert process.stdin
        process.stdin.close()


def test_the_size_of_a_folder_is_what_it_takes_on_the_disk(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a").write_bytes(os.urandom(100_000))
    (tmp_path / "link").symlink_to(tmp_path / "inner" / "a")
    assert 100_000 <= size_of(tmp_path) < 120_000


def test_we_are_ahead_where_nobody_is_better() -> None:
    slower = replace(FIGURES, name="other", retrieval=0.03, hit_1=0.7, disk_bytes=10**5)
    ahead = {row.name: row.ahead for row in rows([FIGURES, slower])}
    assert ahead["retrieval p50, ms"] and ahead["passage first, %"] and ahead["passage among five, %"]
    assert not ahead["on the disk, MB"], "theirs is smaller"
    values = {row.name: row.values for row in rows([FIGURES, slower])}
    assert values["searchable, pages/s"] == (8, 8) and values["processor, ms a page"] == (375, 375)


# --- installing ---------------------------------------------------------------------------------------------------------


def test_nothing_is_installed_where_the_network_is_forbidden(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="DOCQA_OFFLINE"):
        installed("txtai", tmp_path, offline=True)


def test_what_is_installed_is_measured_once_and_told_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[str, Sequence[str]]] = []

    def install(self: installing.Installer, name: str, lines: list[str]) -> str:
        taken.append((name, lines))
        assert os.environ["PIP_NO_CACHE_DIR"] == "1"
        self.venv.mkdir()
        (self.venv / "package").write_bytes(os.urandom(50_000))
        return ""

    monkeypatch.setattr(installing.Installer, "install", install)
    first = installed("txtai", tmp_path, offline=False)
    assert installed("txtai", tmp_path, offline=False) == first
    assert first.bytes >= 50_000 and len(taken) == 1
    group, lines = taken[0]
    assert group == "torch", "of which the installer takes PyTorch without what graphics cards need"
    assert lines[0].startswith("torch==") and any(line.startswith("txtai") for line in lines)
    assert not any(line.startswith("sentence-transformers") for line in lines), "a peer brings what it needs"
    installed("docqa", tmp_path, offline=False)
    group, lines = taken[1]
    assert group == "embedding" and any(line.startswith("openvino") for line in lines)
    assert not any(line.startswith("torch") for line in lines)
    assert "PIP_NO_CACHE_DIR" not in os.environ


def test_the_command_installs_nothing_without_an_embedder_for_all(
    alone: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = alone("bench", "--peers", str(tmp_path / "peers"))
    assert done.code == 1 and not (tmp_path / "peers").exists()
