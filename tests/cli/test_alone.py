"""Commands where no server runs, beside one that does, and towards another machine."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import start_server, without_models
from docqa import ROOT
from docqa.cli.presence import ADDRESS, presence, running, url_of
from tests.cli.commands import WITHOUT_MODELS, Run

LEASE = "The lease of the warehouse in Bergen ends on 31 March 2027.\n\nThe monthly rent is 12,400 euros."


@pytest.fixture
def lease(tmp_path: Path) -> Path:
    (tmp_path / "lease.txt").write_text(LEASE)
    return tmp_path / "lease.txt"


def test_without_a_server_a_command_opens_the_data_itself(alone: Run, lease: Path, tmp_path: Path) -> None:
    added = alone("add", lease)
    assert added.code == 0, added.err
    assert f"this command opens {tmp_path / 'data' / 'docqa.sqlite'} itself" in added.err
    done = alone("ask", "How much is the monthly rent?")
    assert done.code == 0 and "12,400" in done.out
    assert (tmp_path / "data" / "api-key").stat().st_mode & 0o077 == 0
    assert running(tmp_path / "data") == ""


def test_what_asks_for_a_server_says_what_starts_one(alone: Run, tmp_path: Path) -> None:
    done = alone("status")
    assert done.code == 1
    assert done.err == (
        f"docqa: No server works on {tmp_path / 'data'}. `python run.py serve` starts one; --url names another.\n"
    )
    assert not (tmp_path / "data").exists()
    assert alone("log").code == 1


def test_data_that_cannot_be_used_are_said_in_a_sentence(alone: Run, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "docqa.sqlite").write_bytes(b"My diary. " * 1000)
    done = alone("ls")
    assert done.code == 1 and "cannot be used as the database" in done.err


def test_a_lost_key_is_said_with_a_remedy(alone: Run, lease: Path, tmp_path: Path) -> None:
    alone("add", lease)
    (tmp_path / "data" / "api-key").unlink()
    assert "The API key cannot be read" in alone("ls").err
    key = alone("key", "add", "new").out.strip()
    assert alone("ls", "--key", key).code == 0


def test_a_server_is_there_for_commands_until_it_ends_and_not_after_it_was_killed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    server = start_server(data, **without_models(tmp_path) | WITHOUT_MODELS)
    assert running(data) == server.base
    for name in ("server.json", "server.lock", "server.log"):
        assert not (data / name).exists() or (data / name).stat().st_mode & 0o077 == 0
    server.process.send_signal(signal.SIGKILL)
    server.process.wait(20)
    assert server.process.stdout is not None
    server.process.stdout.close()
    assert (data / "server.json").exists()
    assert running(data) == ""


def test_of_two_servers_on_one_folder_the_first_is_there(tmp_path: Path) -> None:
    with presence(tmp_path) as first, presence(tmp_path) as second:
        first.announce("127.0.0.1", 8001)
        second.announce("127.0.0.1", 8002)
        assert running(tmp_path) == "http://127.0.0.1:8001"
    assert running(tmp_path) == ""
    assert [file.name for file in tmp_path.glob("server.json*")] == ["server.json"], "no parts are left"


@pytest.mark.skipif(os.name == "nt", reason="there an open file cannot be replaced")
def test_an_address_is_put_in_the_place_of_the_former_at_once(tmp_path: Path) -> None:
    """A command that looked while the second server wrote its own read nothing, and broke off with a traceback."""
    with presence(tmp_path) as former:
        former.announce("127.0.0.1", 8001)
    with (tmp_path / ADDRESS).open() as looked_at, presence(tmp_path) as present:
        present.announce("127.0.0.1", 8002)
        assert json.load(looked_at)["url"] == "http://127.0.0.1:8001"
        assert running(tmp_path) == "http://127.0.0.1:8002"


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("::1", "http://[::1]:80"),
    ],
)
def test_a_server_that_listens_everywhere_is_reached_on_this_machine(host: str, url: str) -> None:
    assert url_of(host, 80) == url


def test_another_machine_is_not_told_the_key_of_this_one(
    alone: Run, lease: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone("add", lease)
    assert "https://docs.invalid needs a key of its own" in alone("ls", "--url", "https://docs.invalid").err
    monkeypatch.setenv("DOCQA_OFFLINE", "on")
    assert "is another machine" in alone("ls", "--url", "https://docs.invalid").err


def test_where_nothing_answers_the_command_says_what_to_start(alone: Run, lease: Path) -> None:
    alone("add", lease)
    done = alone("ls", "--url", "http://127.0.0.1:1")
    assert done.err.startswith("docqa: Nothing answers at http://127.0.0.1:1. `python run.py serve` starts the server")


def test_another_program_is_not_taken_for_a_server(alone: Run, lease: Path) -> None:
    import http.server
    import threading

    alone("add", lease)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        done = alone("ls", "--url", f"http://127.0.0.1:{web.server_port}")
        web.shutdown()
    assert done.code == 1 and "is that a DocQA server?" in done.err


# What the command line is made of


def test_a_slip_in_a_command_is_answered_with_the_nearest(alone: Run) -> None:
    done = alone("serch", "x")
    assert done.code == 2 and "Did you mean" in done.err and "search" in done.err


def test_help_comes_without_what_only_the_server_needs() -> None:
    code = """
import sys
from docqa.cli.main import main
assert main(["--help"]) == main(["ask", "--help"]) == 0
print([name for name in ("starlette", "docqa.evaluation", "docqa.api", "torch") if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(alone: Run, shell: str, tmp_path: Path) -> None:
    script = alone("completion", shell).out
    assert "_DOCQA_COMPLETE" in script
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)


def test_what_a_shell_asks_for_is_completed() -> None:
    asking = {"_DOCQA_COMPLETE": "bash_complete", "COMP_WORDS": "docqa se", "COMP_CWORD": "1"}
    code = "from docqa.cli.main import console; console()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **asking},
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.stdout.splitlines() == ["plain,search", "plain,serve"]


def test_ids_and_names_are_printed_for_other_programs(alone: Run, lease: Path) -> None:
    doc_id = json.loads(alone("add", lease, "--json").out)[0]["doc_id"]
    assert alone("ls").out.split("\t")[-1].strip() == doc_id
