"""`python run.py doctor` reports what is missing; `doctor --offline` proves that nothing leaves the machine."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from docqa import ROOT, store
from docqa.offline import namespace
from docqa.settings import Settings
from docqa.setup import doctor
from docqa.setup.confinement import confinement
from docqa.setup.doctor import Finding, examine, findings, prove_offline
from docqa.store.database import Database
from docqa.workers.sandbox import Means
from stand_ins import NOWHERE

needs_namespace = pytest.mark.skipif(not namespace.available(), reason="this system allows no network namespace")


# The whole proof, with a planted library that phones home

PHONES = """
import sys, importlib
{attempt}
sys.path.remove({folder!r})
del sys.modules["ebooklib"]
import ebooklib
"""
PYTHON_CODE = f"""
import socket
def phone_home():
    try:
        socket.create_connection(("{NOWHERE}", 80), timeout=1)
    except OSError:
        pass
phone_home()
"""
NATIVE_CODE = f"""
import ctypes, socket, struct
libc = ctypes.CDLL(None)
address = struct.pack("<H", socket.AF_INET) + struct.pack(">H", 80) + socket.inet_aton("{NOWHERE}") + bytes(8)
libc.connect(libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0), address, len(address))
"""


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The environment for a rehearsal without models and text recognition, which takes seconds."""
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path / "no-data"))
    monkeypatch.setenv("DOCQA_EMBEDDER", "none")
    monkeypatch.setenv("DOCQA_MODELS", str(tmp_path / "no-models"))


def plant(monkeypatch: pytest.MonkeyPatch, folder: Path, attempt: str) -> None:
    """Put a library that makes `attempt` in front of the one that reads .epub files."""
    folder.mkdir()
    (folder / "ebooklib.py").write_text(PHONES.format(attempt=attempt, folder=str(folder)))
    monkeypatch.setenv("PYTHONPATH", str(folder))


def test_the_service_makes_no_outbound_attempt(bare: None) -> None:
    output: list[str] = []
    assert prove_offline(output.append) == 0, output
    assert output[-1].endswith(" processes watched, 0 outbound attempts")


@pytest.mark.torture
def test_the_service_with_its_models_makes_none_either(capfd: pytest.CaptureFixture[str]) -> None:
    output: list[str] = []
    assert prove_offline(output.append) == 0, output
    assert capfd.readouterr().out.count("\n") >= 6, "each step is reported"
    assert output[-1].endswith(" processes watched, 0 outbound attempts")


@needs_namespace
def test_attempts_by_a_child_are_reported_with_their_stack_and_those_of_native_code_are_counted(
    bare: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, tmp_path / "planted", PYTHON_CODE + NATIVE_CODE)
    output: list[str] = []
    assert prove_offline(output.append) == 1
    # What the readers import is also imported by the process that compiles it, if that has come so far.
    culprits = [line for line in output if NOWHERE in line]
    [culprit] = [line for line in culprits if "-m docqa.ingest.bytecode" not in line]
    assert "-m docqa.ingest" in culprit
    assert 'ebooklib.py", line' in culprit and "in phone_home" in culprit
    times = len(culprits)
    assert output[-1].endswith(f", {2 * times} outbound attempts")
    native = f"Attempts by native code, without a stack: {times} (IpOutNoRoutes)"
    assert [line for line in output if native in line]


def test_without_a_namespace_the_output_says_what_is_not_seen(bare: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(namespace, "available", lambda: False)
    output: list[str] = []
    assert prove_offline(output.append) == 0, output
    assert "those by native code are not seen" in output[0]


def test_a_service_that_does_not_work_proves_nothing(
    bare: None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCQA_UPLOAD_MB", "none")
    assert prove_offline(lambda _: None) == 1
    assert "DOCQA_UPLOAD_MB" in capfd.readouterr().out


# The findings


def report(settings: Settings) -> dict[str, Finding]:
    return {finding.what: finding for finding in findings(settings)}


def test_what_confines_the_readers_of_files_is_said() -> None:
    state, remedy = confinement(Means(True, True, 7, True))
    assert state.endswith("an end with the server's, Landlock 7 (no other files), seccomp (no sockets, no programs)")
    assert not remedy
    state, remedy = confinement(Means(True, False, 0, False))
    assert state.endswith("; this system lacks Landlock (no other files), seccomp (no sockets, no programs)")
    assert "Linux" in remedy


def test_a_machine_without_faults_has_no_needed_remedy(settings: Settings) -> None:
    entries = report(replace(settings, port=0))
    assert not [finding for finding in entries.values() if finding.remedy and finding.needed]
    assert entries["SQLite extensions"].state == "sqlite-vec and FTS5 work"
    assert entries["embedding model"].state.startswith("none, as configured")
    assert entries["local models"].remedy, "having none is no fault, but can be changed"


def test_text_recognition_says_what_it_reads_and_how_it_gets_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    without = report(Settings(data=tmp_path, port=0))["text recognition"]
    assert "not read" in without.state and "`python run.py ocr add en`" in without.remedy and not without.needed
    (tmp_path / "eng.traineddata").touch()
    assert report(Settings(data=tmp_path, port=0))["text recognition"].state.endswith("pages in eng")


def test_a_damaged_embedding_model_is_reported(tmp_path: Path) -> None:
    (tmp_path / "catalog.toml").write_text((ROOT / "models" / "catalog.toml").read_text())
    assert "missing or damaged" in report(Settings(data=tmp_path, models=tmp_path, port=0))["embedding model"].state
    assert "verified" in report(Settings(data=tmp_path, port=0))["embedding model"].state


def test_a_model_that_needs_a_package_is_reported_with_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "modules.json").write_text('[{"path": "", "type": "models.Transformer"}]')
    (tmp_path / "config.json").write_text('{"hidden_size": 4}')
    (tmp_path / "model.safetensors").write_bytes(b"vectors " * 100)
    chosen = Settings(data=tmp_path, embedder=str(tmp_path), port=0)
    monkeypatch.setattr(doctor, "is_installed", lambda _: False)
    finding = report(chosen)["embedding model"]
    assert "needs sentence-transformers; search is by words only" in finding.state and not finding.needed
    assert finding.remedy == "Run `python run.py install torch`."
    monkeypatch.setattr(doctor, "is_installed", lambda _: True)
    assert not report(chosen)["embedding model"].remedy
    assert not report(Settings(data=tmp_path, port=0))["embedding model"].remedy, "one of a usual kind"


@pytest.mark.parametrize(
    ("version", "buggy"), [("3.6.23", False), ("3.7.0", True), ("3.51.2", True), ("3.51.3", False), ("4.0", False)]
)
def test_an_sqlite_with_the_wal_reset_bug_is_named(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, version: str, buggy: bool
) -> None:
    monkeypatch.setattr("docqa.store.database.DRIVER.sqlite_version", version)
    finding = report(replace(settings, port=0))["SQLite"]
    assert bool(finding.remedy) == buggy
    assert not finding.needed


def test_a_port_in_use_is_a_needed_finding(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        finding = report(replace(settings, port=other.getsockname()[1]))["port"]
    assert finding.needed and "cannot be listened on" in finding.state and "--port" in finding.remedy


def test_a_read_only_data_folder_is_a_needed_finding(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    finding = report(replace(settings, data=tmp_path / "file", port=0))["data folder"]
    assert finding.needed and "is not writable" in finding.state


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    monkeypatch.setattr(
        "docqa.setup.packages.importlib.util.find_spec",
        lambda name: None if name in ("uvicorn", "llama_cpp", "aiosqlite") else name,
    )
    entries = report(replace(settings, port=0))
    base, local = entries["packages (base)"], entries["packages (local)"]
    assert base.needed and "uvicorn" in base.state
    assert not local.needed and "llama_cpp; answers are sentences" in local.state


@pytest.mark.parametrize(("needed", "code"), [(False, 0), (True, 1)])
def test_the_exit_code_says_whether_something_needed_is_missing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], needed: bool, code: int
) -> None:
    monkeypatch.setattr(doctor, "findings", lambda *_: [Finding("thing", "gone", "Get one.", needed)])
    assert examine(settings) == code
    assert ("Needed and missing: thing." in capsys.readouterr().out) == needed


def test_it_runs_where_nothing_is_installed(tmp_path: Path) -> None:
    """Under a Python without packages: its modules may import only the standard library at the top."""
    code = (
        f"import os, sys; sys.path.insert(0, {str(ROOT)!r}); from docqa.settings import Settings\n"
        "from docqa.setup.doctor import examine; sys.exit(examine(Settings.read(os.environ)))"
    )
    environ = {"PATH": os.environ["PATH"], "DOCQA_DATA": str(tmp_path), "DOCQA_PORT": "0"}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "Needed and missing: packages (base)" in done.stdout


def test_a_multilingual_model_is_proposed_for_documents_in_other_languages(settings: Settings) -> None:
    asyncio.run(_with_documents(settings, ("de", "en", "fr", "de", "")))
    chosen = replace(settings, embedder="all-MiniLM-L6-v2", port=0)
    finding = report(chosen)["languages"]
    assert finding.state.endswith("searched by words only: German (2), French (1)")
    assert "models pull multilingual-e5-small" in finding.remedy and not finding.needed
    assert "languages" not in report(replace(chosen, embedder="multilingual-e5-small"))


async def _with_documents(settings: Settings, languages: Sequence[str]) -> None:
    db = await Database.open(settings.database)
    async with db.write() as conn:
        account = await store.accounts.account_named(conn, "doctor")
        for number, language in enumerate(languages):
            id_ = str(number)
            await store.documents.add_document(
                conn,
                account,
                doc_id=id_,
                name=id_,
                kind="txt",
                sha256=id_.encode(),
                language=language,
                pages=1,
                notes="",
            )
    await db.close()
