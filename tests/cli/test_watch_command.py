"""`watch`: the documents follow a folder, and nothing else is touched."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import Server
from docqa import ROOT
from docqa.cli.client.service import Service
from tests.cli.commands import Run

LEASE = "The lease of the warehouse in Bergen ends on 31 March 2027. The monthly rent is 12,400 euros."
PUMP = "The pump stands in the cellar. It was repaired by Aqua Nord in 2019."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def write(path: Path, text: str) -> None:
    """A file that has been there for a while."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    os.utime(path, (time.time() - 60 + path.stat().st_size / 100, time.time() - 60 + path.stat().st_size / 100))


def library(run: Run, *words: str) -> set[str]:
    return {record["name"] for record in json.loads(run("ls", *words, "--json").out)}


def bases(run: Run) -> dict[str, set[str]]:
    records = json.loads(run("kb", "list", "--json").out)
    return {record["name"]: {member["name"] for member in record["document_details"]} for record in records}


def test_documents_come_change_and_go_with_their_files(docqa: Run, folder: Path) -> None:
    write(folder / "lease.txt", LEASE)
    write(folder / "pump.txt", PUMP)
    assert docqa("watch", folder, "--once").code == 0
    assert library(docqa) == {"lease.txt", "pump.txt"}
    write(folder / "lease.txt", LEASE.replace("12,400", "15,000 new"))
    (folder / "pump.txt").unlink()
    docqa("watch", folder, "--once")
    assert library(docqa) == {"lease.txt"}
    assert "15,000" in docqa("ask", "How much is the monthly rent?").out


def test_what_is_as_it_was_is_not_sent_again(docqa: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder / "lease.txt", LEASE)
    docqa("watch", folder, "--once")

    def sent(*_: object) -> str:
        raise AssertionError("it was sent again")

    monkeypatch.setattr(Service, "upload", sent)
    os.utime(folder / "lease.txt", (1, 1))
    (folder / "lease.txt").rename(folder / "renamed.txt")
    assert docqa("watch", folder, "--once").code == 0
    assert library(docqa) == {"lease.txt"}, "the same document, which keeps its name"


def test_a_document_stays_as_long_as_one_of_its_files(docqa: Run, folder: Path) -> None:
    write(folder / "lease.txt", LEASE)
    write(folder / "copy.txt", LEASE)
    write(folder / "pump.txt", PUMP)
    docqa("watch", folder, "--once")
    (folder / "copy.txt").unlink()
    docqa("watch", folder, "--once")
    assert len(library(docqa)) == 2
    (folder / "lease.txt").unlink()
    docqa("watch", folder, "--once")
    assert library(docqa) == {"pump.txt"}


def test_what_was_there_before_is_never_deleted(docqa: Run, folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "mine.txt", LEASE)
    docqa("add", tmp_path / "mine.txt")
    write(folder / "lease.txt", LEASE)
    write(folder / "pump.txt", PUMP)
    assert "there already: lease.txt" in docqa("watch", folder, "--once").err
    (folder / "lease.txt").unlink()
    docqa("watch", folder, "--once")
    assert library(docqa) == {"mine.txt", "pump.txt"}


def test_a_folder_that_is_suddenly_empty_deletes_nothing(docqa: Run, folder: Path) -> None:
    write(folder / "lease.txt", LEASE)
    docqa("watch", folder, "--once")
    (folder / "lease.txt").unlink()
    assert "empty, or not mounted: nothing is deleted" in docqa("watch", folder, "--once").err
    assert library(docqa) == {"lease.txt"}


def test_subfolders_are_knowledge_bases(docqa: Run, folder: Path) -> None:
    write(folder / "Rents" / "lease.txt", LEASE)
    write(folder / "Pumps" / "pump.txt", PUMP)
    write(folder / "top.txt", "In no folder below.")
    docqa("watch", folder, "--kb", "--once")
    assert bases(docqa) == {"Rents": {"lease.txt"}, "Pumps": {"pump.txt"}}
    write(folder / "Pumps" / "lease.txt", LEASE)
    (folder / "Rents" / "lease.txt").unlink()
    docqa("watch", folder, "--kb", "--once")
    assert bases(docqa) == {"Pumps": {"pump.txt", "lease.txt"}}, "an empty one that it made is gone"


def test_what_others_put_into_a_knowledge_base_stays(docqa: Run, folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "mine.txt", "Mine is the green pump.")
    docqa("add", tmp_path / "mine.txt", "--kb", "Pumps")
    write(folder / "Pumps" / "pump.txt", PUMP)
    write(folder / "top.txt", "In no folder below.")
    docqa("watch", folder, "--kb", "--once")
    assert bases(docqa) == {"Pumps": {"mine.txt", "pump.txt"}}
    (folder / "Pumps" / "pump.txt").unlink()
    docqa("watch", folder, "--kb", "--once")
    assert bases(docqa) == {"Pumps": {"mine.txt"}}


def test_a_document_that_somebody_deleted_does_not_stop_the_rest(docqa: Run, folder: Path) -> None:
    write(folder / "Pumps" / "pump.txt", PUMP)
    docqa("watch", folder, "--kb", "--once")
    docqa("rm", "pump.txt", "--yes")
    write(folder / "Pumps" / "lease.txt", LEASE)
    assert docqa("watch", folder, "--kb", "--once").code == 0
    assert bases(docqa) == {"Pumps": {"lease.txt"}}


def test_a_dry_run_says_what_would_be_done_and_does_nothing(docqa: Run, folder: Path) -> None:
    write(folder / "Rents" / "lease.txt", LEASE)
    changes = json.loads(docqa("watch", folder, "--kb", "--dry-run", "--json").out)
    assert changes == [{"action": "add", "path": "Rents/lease.txt", "kb": "Rents"}]
    assert library(docqa) == set() and bases(docqa) == {}
    docqa("watch", folder, "--kb", "--once")
    (folder / "Rents" / "lease.txt").rename(folder / "lease.txt")
    assert docqa("watch", folder, "--kb", "--dry-run").out == "would move lease.txt\nwould delete Rents/lease.txt\n"
    assert library(docqa) == {"lease.txt"}


def test_what_is_refused_is_said_once(docqa: Run, folder: Path) -> None:
    write(folder / "empty.txt", "")
    assert "refused empty.txt: The file is empty." in docqa("watch", folder, "--once").err
    assert docqa("watch", folder, "--once").err == ""


def test_a_file_that_is_still_written_is_left_for_the_next_look(docqa: Run, folder: Path) -> None:
    (folder / "lease.txt").write_text(LEASE[:20])
    docqa("watch", folder, "--once")
    assert library(docqa) == set()


def test_killed_between_two_steps_it_goes_on_and_deletes_what_it_owes(
    docqa: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder / "lease.txt", LEASE)
    write(folder / "pump.txt", PUMP)
    docqa("watch", folder, "--once")
    (folder / "lease.txt").unlink()

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("docqa.cli.client.mirror.Mirror._delete", killed)
        assert docqa("watch", folder, "--once").code == 130
    assert library(docqa) == {"lease.txt", "pump.txt"}
    docqa("watch", folder, "--once")
    assert library(docqa) == {"pump.txt"}


def test_a_folder_is_watched_by_one_process_until_that_ends(docqa: Run, word_server: Server, folder: Path) -> None:
    write(folder / "lease.txt", LEASE)
    command = [sys.executable, str(ROOT / "run.py"), "watch", str(folder), "--every", "0.2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as watching:
        assert watching.stderr is not None
        assert "Watching" in watching.stderr.readline()
        assert watching.stderr.readline() == "added lease.txt\n"
        assert "Another `watch` looks after this folder" in docqa("watch", folder, "--once").err
        write(folder / "pump.txt", PUMP)
        assert watching.stderr.readline() == "added pump.txt\n"
        watching.kill()
    assert docqa("watch", folder, "--once").code == 0
    assert library(docqa) == {"lease.txt", "pump.txt"}
