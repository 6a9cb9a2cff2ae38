"""What people do with documents from a terminal, beside a running server."""

import http.server
import json
import os
import shlex
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import pytest

from conftest import Server
from docqa import ROOT
from docqa.cli import terminal
from docqa.cli.client.service import Refused, Service
from tests.cli.commands import Run

LEASE = "The lease of the warehouse in Bergen ends on 31 March 2027.\n\nThe monthly rent is 12,400 euros."
PUMP = "The pump stands in the cellar. It was repaired by Aqua Nord in 2019."
PAGE = (
    f"<html><head><title>The pump</title></head><body><article><h1>Pump</h1><p>{PUMP * 5}</p></article></body></html>"
)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder with two documents, and with what is none."""
    folder = tmp_path / "papers"
    (folder / "deep" / ".hidden").mkdir(parents=True)
    (folder / "lease.txt").write_text(LEASE)
    (folder / "deep" / "pump.txt").write_text(PUMP)
    (folder / "deep" / ".hidden" / "secret.txt").write_text("Nobody is to read this.")
    (folder / "program.exe").write_bytes(b"MZ")
    return folder


@pytest.fixture
def library(docqa: Run, papers: Path) -> Run:
    """The commands, with both documents in the knowledge base House."""
    assert docqa("add", papers, "--kb", "House").code == 0
    return docqa


def names(run: Run, *words: str) -> set[str]:
    return {record["name"] for record in json.loads(run("ls", *words, "--json").out)}


# add


def test_a_folder_is_added_without_what_is_hidden_or_no_document(docqa: Run, papers: Path) -> None:
    done = docqa("add", papers)
    assert done.code == 0
    assert [line.split("\t")[:2] for line in sorted(done.out.splitlines())] == [
        ["added", "lease.txt"],
        ["added", "pump.txt"],
    ]
    assert "2 added." in done.err
    assert names(docqa) == {"lease.txt", "pump.txt"}


def test_a_terminal_shows_bars(docqa: Run, papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    done = docqa("add", papers, "--wait")
    assert done.code == 0
    assert "files" in done.err and "━" in done.err and "documents" in done.err


def test_what_is_there_is_not_added_again(docqa: Run, papers: Path) -> None:
    first = docqa("add", papers, "--json")
    again = docqa("add", papers, papers / "lease.txt", "--json")
    assert {outcome["result"] for outcome in json.loads(again.out)} == {"present"}
    assert {outcome["doc_id"] for outcome in json.loads(again.out)} == {
        outcome["doc_id"] for outcome in json.loads(first.out)
    }
    assert "3 there already." in again.err


def test_the_documents_of_an_archive_are_added(docqa: Run, papers: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "mail.zip", "w") as archive:
        archive.writestr("letters/lease.txt", LEASE)
        archive.writestr("__MACOSX/letters/._lease.txt", "what a Mac adds")
        archive.writestr("logo.svg", "<svg/>")
    [outcome] = json.loads(docqa("add", tmp_path / "mail.zip", "--json").out)
    assert outcome["path"].endswith("mail.zip / letters/lease.txt") and outcome["name"] == "lease.txt"


def test_standard_input_is_added_under_a_name(docqa: Run) -> None:
    assert docqa("add", "-", "--name", "notes.md", given=b"# Pumps\n\nAll pumps are blue.").code == 0
    assert names(docqa) == {"notes.md"}


@pytest.fixture
def site() -> Iterator[str]:
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(PAGE.encode())

        def log_message(self, format: str, *args: object) -> None:
            return

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{web.server_port}/pump"
        web.shutdown()


def test_a_link_is_added(docqa: Run, site: str) -> None:
    assert docqa("add", site).code == 0
    assert names(docqa) == {"The pump"}


def test_what_is_refused_is_said_with_the_reason_and_the_rest_is_added(docqa: Run, papers: Path) -> None:
    (papers / "empty.txt").touch()
    done = docqa("add", papers, "--json")
    assert done.code == 1
    assert f"refused: {papers / 'empty.txt'}: The file is empty." in done.err
    assert [outcome["reason"] for outcome in json.loads(done.out) if outcome["result"] == "refused"] == [
        "The file is empty."
    ]
    assert names(docqa) == {"lease.txt", "pump.txt"}


def test_a_file_in_an_archive_that_is_locked_or_damaged_is_refused(docqa: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("lease.txt", LEASE)
    content = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(content.replace(b"12,400", b"99,999"))
    done = docqa("add", tmp_path / "a.zip")
    assert done.code == 1 and "lease.txt: It cannot be unpacked: Bad CRC-32" in done.err


def test_what_is_not_there_is_said_before_anything_is_sent(docqa: Run, papers: Path) -> None:
    done = docqa("add", papers, "no-such-file.pdf")
    assert (done.code, done.err) == (1, "docqa: There is no file or folder no-such-file.pdf.\n")
    assert names(docqa) == set()


def test_after_ctrl_c_the_same_command_goes_on(docqa: Run, papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        (papers / f"note{number}.txt").write_text(f"Note {number} is about pumps.")
    upload, sent = Service.upload, []

    def interrupted(self: Service, name: str, content: object, tags: Sequence[str]) -> str:
        doc_id = upload(self, name, content, tags)  # type: ignore[arg-type]
        sent.append(doc_id)
        return doc_id

    def stop(*_: object, **__: object) -> None:
        if len(sent) > 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Service, "upload", interrupted)
        patch.setattr(terminal.Bars, "move", stop)
        done = docqa("add", papers, "--kb", "Notes")
    assert done.code == 130
    assert "left: the same command goes on" in done.err
    assert docqa("add", papers, "--kb", "Notes").code == 0
    assert len(names(docqa)) == len(names(docqa, "--kb", "Notes")) == 22


def test_a_server_that_is_busy_is_asked_again(docqa: Run, papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    upload, refusals = Service.upload, iter([1, 1, 1])

    def busy(self: Service, name: str, content: IO[bytes], tags: Sequence[str]) -> str:
        content.read(10)
        for seconds in refusals:
            raise Refused("Too many files wait to be read.", 503, seconds)
        content.seek(0)
        return upload(self, name, content, tags)

    monkeypatch.setattr(Service, "upload", busy)
    assert docqa("add", papers).code == 0
    assert names(docqa) == {"lease.txt", "pump.txt"}


# ask, search, chat


def test_the_answer_goes_to_stdout_and_its_sources_to_stderr(library: Run) -> None:
    done = library("ask", "How much is the monthly rent?")
    assert done.code == 0
    assert "12,400 euros" in done.out and "lease.txt, page 1" not in done.out
    assert done.err.startswith("[1] lease.txt, page 1: ")


def test_what_the_documents_do_not_say_has_an_exit_code_of_its_own(library: Run) -> None:
    assert library("ask", "Which enzyme splits lactose?").code == 3
    done = library("ask", "Which enzyme splits lactose?", "--json")
    answer = json.loads(done.out)
    assert done.code == 3 and answer["answered"] is False and answer["sources"] == []


def test_an_answer_as_json_has_a_shape_that_stays(library: Run) -> None:
    answer = json.loads(library("ask", "How much is the monthly rent?", "--json").out)
    assert list(answer) == ["question", "answer", "answered", "answered_by", "sources"]
    assert answer["answered_by"] == "quotes"
    assert [sorted(source) for source in answer["sources"]] == [["doc_id", "id", "name", "page_number", "source_chunk"]]


def test_one_document_or_a_knowledge_base_is_asked(library: Run) -> None:
    assert library("ask", "pump", "How much is the monthly rent?").code == 3
    assert "12,400" in library("ask", "LEASE.TXT", "How much is the monthly rent?").out
    assert "12,400" in library("ask", "pump.txt", "lease.txt", "How much is the monthly rent?").out
    assert "12,400" in library("ask", "--kb", "house", "How much is the monthly rent?").out
    assert library("ask", "--kb", "House", "lease.txt", "How much?").code == 2


def test_an_unknown_document_is_said_with_the_nearest_names(library: Run) -> None:
    done = library("ask", "leese.txt", "How much?")
    assert (done.code, done.err) == (
        1,
        "docqa: There is no document 'leese.txt'. The nearest names: lease.txt. `ls` shows all.\n",
    )
    assert "The nearest names: House." in library("kb", "show", "Hose").err


def test_of_documents_with_one_name_the_ids_are_said(library: Run, tmp_path: Path) -> None:
    (tmp_path / "pump.txt").write_text("Another pump stands on the roof.")
    [other] = json.loads(library("add", tmp_path / "pump.txt", "--json").out)
    done = library("ask", "pump.txt", "Where does it stand?")
    assert "2 documents are called 'pump.txt'" in done.err and other["doc_id"] in done.err
    assert "roof" in library("ask", other["doc_id"], "Where does the pump stand?").out


def test_without_documents_nothing_is_asked(docqa: Run) -> None:
    assert docqa("ask", "Who?").err == "docqa: There are no documents yet; `add FILE` adds some.\n"


def test_passages_are_searched(library: Run) -> None:
    done = library("search", "repaired pump", "-n", "1")
    assert (done.code, done.out) == (0, f"pump.txt, page 1\n{PUMP}\n\n")
    [result] = json.loads(library("search", "repaired pump", "-n", "1", "--json").out)
    assert sorted(result) == ["doc_id", "name", "page_number", "score", "source_chunk"]


def test_a_chat_goes_on_from_what_was_said(library: Run) -> None:
    done = library("chat", given=b"Who repaired the pump?\nAnd when?\n/sources\n/quit\nWho?\n")
    assert done.code == 0
    assert "Aqua Nord" in done.out and "2019" in done.out
    assert done.err.count(f"pump.txt, page 1: {PUMP}") == 3, "below each answer, and once more when asked for"


# ls, show, rm, kb


def test_documents_are_listed_by_words_and_knowledge_base(library: Run, tmp_path: Path) -> None:
    (tmp_path / "lonely.txt").write_text("I am in no knowledge base.")
    library("add", tmp_path / "lonely.txt")
    assert names(library) == {"lease.txt", "pump.txt", "lonely.txt"}
    assert names(library, "--kb", "House") == {"lease.txt", "pump.txt"}
    assert names(library, "LEA") == {"lease.txt"}
    name, pages, language, _, _, _, doc_id = library("ls", "lease").out.strip().split("\t")
    assert (name, pages, language, len(doc_id)) == ("lease.txt", "1", "en", 24)


def test_documents_are_filed_under_tags_and_chosen_by_them(library: Run, papers: Path) -> None:
    assert library("add", papers / "lease.txt", "--tag", "Rent", "--tag", "Bergen").code == 0
    assert names(library, "--tag", "rent") == {"lease.txt"}
    assert "Tags: Rent, Bergen\n" in library("show", "lease").out
    assert "\tRent, Bergen\t" in library("ls", "lease").out
    assert library("tag", "lease", "pump", "--add", "House", "--remove", "RENT").err == (
        "lease.txt: Bergen, House.\npump.txt: House.\n"
    )
    assert names(library, "--tag", "house") == {"lease.txt", "pump.txt"}
    assert "cellar" in library("ask", "Where does the pump stand?", "--tag", "House").out
    assert library("ask", "--kb", "House", "Where does the pump stand?", "--tag", "Bergen").code == 3
    assert library("search", "lease.txt", "pump.txt", "cellar", "--tag", "Bergen").code == 3
    assert library("ask", "Where does the pump stand?", "--to", "2001-01-01").err.startswith("docqa: No document fits")
    assert names(library, "--kind", "pdf") == set() == names(library, "--written-in", "GERMAN")
    assert "must be a day such as 2027-03-31" in library("ls", "--from", "May").err


def test_a_document_and_its_pages_are_shown(library: Run) -> None:
    assert library("show", "lease", "1").out == LEASE + "\n"
    assert "1 pages, language en" in library("show", "lease").out
    assert json.loads(library("show", "lease", "--json").out)["status"]["chunks"] == 1
    assert library("show", "lease", "2").err == "docqa: Page not found\n"


def test_a_document_is_deleted_but_not_without_being_told_so(library: Run) -> None:
    assert "--yes deletes without asking" in library("rm", "lease.txt").err
    assert library("rm", "lease.txt", "no-such", "--yes").code == 1
    assert names(library) == {"lease.txt", "pump.txt"}
    assert library("rm", "lease.txt", "lease", "--yes").code == 0
    assert names(library) == {"pump.txt"}


def test_knowledge_bases_are_made_filled_renamed_and_deleted(library: Run) -> None:
    assert library("kb", "make", "Pumps", "pump").code == 0
    assert library("kb", "make", "Pumps").code == 2
    assert json.loads(library("kb", "add", "Pumps", "lease", "pump", "--json").out)["name"] == "Pumps"
    assert names(library, "--kb", "Pumps") == {"lease.txt", "pump.txt"}
    assert library("kb", "remove", "Pumps", "lease").code == 0
    assert "does not hold" in library("kb", "remove", "Pumps", "lease").err
    assert library("kb", "rename", "Pumps", "Wells").code == 0
    assert [line.split("\t")[:2] for line in library("kb", "list").out.splitlines()] == [["Wells", "1"], ["House", "2"]]
    assert [line.split("\t")[0] for line in library("kb", "show", "Wells").out.splitlines()] == ["pump.txt"]
    assert library("kb", "delete", "Wells", "--yes").code == 0
    assert names(library) == {"lease.txt", "pump.txt"}
    assert len(json.loads(library("kb", "list", "--json").out)) == 1


def test_a_knowledge_base_is_shared_taken_and_withdrawn(library: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    done = library("kb", "share", "House", "--for", "Kari")
    code = done.out.strip()
    assert done.code == 0 and f"/#/share/{code}" in done.err and "Hand this code to Kari" in done.err
    owner = os.environ["DOCQA_KEY"]
    monkeypatch.setenv("DOCQA_KEY", library("key", "add", "kari", "--account", f"kari {code}").out.strip())
    assert library("kb", "take", code).err == "Taken: House, 2 documents.\n"
    assert library("kb", "list").out.split("\t")[:3] == ["House", "2", "read"]
    assert names(library) == set() and names(library, "--kb", "House") == {"lease.txt", "pump.txt"}
    asked_by_kari = library("ask", "--kb", "House", "Where does the pump stand?")
    assert "cellar" in asked_by_kari.out and "[1] pump.txt, page 1" in asked_by_kari.err
    assert "its owner alone may change it" in library("kb", "rename", "House", "Mine").err
    kari = os.environ["DOCQA_KEY"]
    monkeypatch.setenv("DOCQA_KEY", owner)
    reader, access, taken, share_id = library("kb", "shares", "House").out.strip().split("\t")
    assert (reader, access, len(taken)) == ("Kari", "read", 10)
    assert library("kb", "withdraw", "House", share_id).code == 0
    assert library("kb", "shares", "House").err == "House is not shared; `kb share` shares it.\n"
    monkeypatch.setenv("DOCQA_KEY", kari)
    assert library("kb", "list").out == ""


def test_a_shell_completes_the_names_of_what_is_there(library: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def completed(*words: str) -> list[str]:
        monkeypatch.setenv("_DOCQA_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", shlex.join(["docqa", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        done = subprocess.run(
            [sys.executable, "-m", "docqa.cli"], capture_output=True, text=True, cwd=ROOT, check=False
        )
        return done.stdout.split()

    assert completed("show", "LEA") == ["plain,lease.txt"]
    assert completed("ask", "--kb", "H") == ["plain,House"]
    monkeypatch.setenv("DOCQA_KEY", "dq-wrong")
    assert completed("show", "lea") == []


# The server


def test_the_status_says_what_runs(library: Run, word_server: Server) -> None:
    said = library("status").out
    assert word_server.base in said and "2 documents, 1 knowledge bases" in said and "QUOTES" in said
    status = json.loads(library("status", "--json").out)
    assert (status["documents"], status["knowledge_bases"], status["status"]) == (2, 1, "ok")


def test_the_log_shows_what_the_server_has_said(library: Run, tmp_path: Path) -> None:
    library("ask", "How much is the monthly rent?")
    assert library("log", "-n", "1").out.count("\n") == 1
    assert "GPT5_2: answered by quotes" in library("log").out


def test_a_key_that_is_not_valid_is_said_with_a_remedy(docqa: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCQA_KEY", "dq-wrong")
    done = docqa("ls")
    assert done.code == 1 and "unknown or has been revoked. `key add NAME` prints a new key" in done.err


def test_what_would_steer_a_terminal_is_not_written(docqa: Run, tmp_path: Path) -> None:
    (tmp_path / "evil\x1b]0;owned\x07.txt").write_text("Rent: \x1b[2J 12,400 euros a month.")
    assert docqa("add", tmp_path / "evil\x1b]0;owned\x07.txt").code == 0
    for words in (("ls",), ("show", "evil]0;owned", "1"), ("ask", "How much is the rent?"), ("search", "rent")):
        done = docqa(*words)
        assert "\x1b" not in done.out + done.err and "\x07" not in done.out + done.err
