"""`python run.py` installs what is missing, records what failed, and hands over to the command line."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from docqa import ROOT
from docqa.catalog.lock import hold
from docqa.cli import start as install
from docqa.settings import Settings
from docqa.setup.packages import Installer, InstallFailed, import_name, reachable

PROJECT = """
[project]
dependencies = ["tinypack==1.0"]
[project.optional-dependencies]
embedding = ["torch==2.13.0", "sentence-transformers"]
local = ["llama-cpp-python==0.3.36"]
test = ["pytest"]
"""


@dataclass
class Pip:
    """Stands in for all processes that are started; commands that contain a word in `fails` fail."""

    fails: tuple[str, ...] = ()
    cpu_build: bool = False
    commands: list[str] = field(default_factory=list)

    def run(self, command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        line = " ".join(map(str, command[1:]))
        self.commands.append(line.replace("-m pip --disable-pip-version-check", "pip"))
        version = "2.13.0+cpu" if self.cpu_build else "2.13.0"
        report = json.dumps({"install": [{"metadata": {"version": version}}]})
        return subprocess.CompletedProcess(command, int(any(word in line for word in self.fails)), report)

    @property
    def installs(self) -> list[str]:
        return [line for line in self.commands if line.startswith("pip install") and "--dry-run" not in line]


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    pip = Pip()
    monkeypatch.setattr("docqa.setup.packages.subprocess.run", pip.run)
    monkeypatch.setattr("docqa.setup.packages.platform.machine", lambda: "x86_64")
    monkeypatch.setattr("docqa.setup.packages.sys.platform", "linux")
    monkeypatch.setattr("docqa.setup.packages.shutil.which", lambda name: name == "c++")
    return pip


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    installer = Installer(tmp_path, torch_index=f"http://127.0.0.1:{free_port()}")
    installer.python.parent.mkdir(parents=True)
    installer.python.touch()
    return installer


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def index() -> Iterator[str]:
    """A package index with every address but /nothing."""

    class Answer(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(404 if self.path.startswith("/nothing") else 200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_every_group_is_installed_once(installer: Installer, pip: Pip) -> None:
    pip.cpu_build = True
    groups = installer.groups(test=False)
    installer.install(groups)
    assert pip.installs == [
        "pip install tinypack==1.0",
        "pip install torch==2.13.0",
        "pip install torch==2.13.0 sentence-transformers",
        "pip install --prefer-binary llama-cpp-python==0.3.36",
    ]
    pip.commands.clear()
    installer.install(groups)
    assert pip.commands == []


def test_test_tools_are_installed_only_for_the_tests(installer: Installer, pip: Pip) -> None:
    pip.cpu_build = True
    installer.install(installer.groups(test=False))
    assert list(installer.pending(installer.groups(test=True))) == ["test"]


def test_changed_requirements_are_installed_again(installer: Installer, pip: Pip) -> None:
    pip.cpu_build = True
    installer.install(installer.groups(test=False))
    (installer.root / "pyproject.toml").write_text(PROJECT.replace("tinypack==1.0", "tinypack==1.1"))
    assert installer.pending(installer.groups(test=False)) == {"base": ["tinypack==1.1"]}


def test_without_the_base_packages_the_start_fails(installer: Installer, pip: Pip) -> None:
    pip.fails = ("tinypack",)
    with pytest.raises(InstallFailed, match=r"pip install tinypack==1.0.*The next start tries again"):
        installer.install(installer.groups(test=False))
    assert "base" in installer.pending(installer.groups(test=False))


def test_an_optional_group_may_fail_and_is_not_retried_at_each_start(
    installer: Installer, pip: Pip, capsys: pytest.CaptureFixture[str]
) -> None:
    pip.cpu_build, pip.fails = True, ("llama-cpp-python",)
    groups = installer.groups(test=False)
    installer.install(groups)
    assert "answers are sentences quoted from the documents" in capsys.readouterr().err
    assert installer.pending(groups) == {}
    installer.forget()
    assert list(installer.pending(groups)) == ["local"]


def test_an_interrupted_installation_resumes_where_it_stopped(
    installer: Installer, pip: Pip, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = installer.groups(test=False)
    with monkeypatch.context() as patch:
        patch.setattr(Installer, "_embedding", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            installer.install(groups)
    assert list(installer.pending(groups)) == ["embedding", "local"]


def test_without_a_compiler_nothing_is_compiled(
    installer: Installer, pip: Pip, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("docqa.setup.packages.shutil.which", lambda _: None)
    pip.cpu_build, pip.fails = True, ("llama-cpp-python",)
    installer.install(installer.groups(test=False))
    assert pip.installs[-1] == "pip install --only-binary :all: llama-cpp-python==0.3.36"
    assert "There is no C++ compiler" in capsys.readouterr().err


def test_torch_comes_from_the_cpu_index_where_pip_would_choose_cuda_packages(
    installer: Installer, pip: Pip, index: str
) -> None:
    installer.torch_index = index
    installer.install(installer.groups(test=False))
    assert f"pip install --index-url {index} torch==2.13.0" in pip.installs


def test_without_the_cpu_index_torch_is_not_installed(
    installer: Installer, pip: Pip, capsys: pytest.CaptureFixture[str]
) -> None:
    installer.install(installer.groups(test=False))
    assert not any("torch" in line for line in pip.installs)
    assert "search is by words only" in capsys.readouterr().err


@pytest.mark.parametrize(("system", "machine"), [("darwin", "arm64"), ("win32", "AMD64"), ("linux", "aarch64")])
def test_elsewhere_torch_comes_from_the_usual_index(
    installer: Installer, pip: Pip, monkeypatch: pytest.MonkeyPatch, system: str, machine: str
) -> None:
    monkeypatch.setattr("docqa.setup.packages.sys.platform", system)
    monkeypatch.setattr("docqa.setup.packages.platform.machine", lambda: machine)
    installer.install(installer.groups(test=False))
    assert "pip install torch==2.13.0" in pip.installs


def test_an_address_is_reachable_if_it_answers_without_an_error_in_time(index: str) -> None:
    assert reachable(f"{index}/torch/")
    assert not reachable(f"{index}/nothing")
    assert not reachable(f"http://127.0.0.1:{free_port()}")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert not reachable(f"http://127.0.0.1:{silent.getsockname()[1]}", seconds=0.2), "it accepts and never answers"


def test_only_one_process_installs(tmp_path: Path) -> None:
    other = """
import sys
from pathlib import Path
from docqa.catalog.lock import hold
with hold(Path(sys.argv[1]), lambda: None):
    print("held", flush=True)
    sys.stdin.readline()
"""
    command = [sys.executable, "-c", other, str(tmp_path / "lock")]
    waits: list[str] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdin and process.stdout
        assert process.stdout.readline() == b"held\n"

        def release() -> None:
            waits.append("once")
            process.stdin.close()  # type: ignore[union-attr]

        with hold(tmp_path / "lock", release):
            assert waits == ["once"]


def test_the_import_name_of_every_required_package_is_known() -> None:
    groups = Installer().groups(test=True)
    assert import_name("python-pptx>=1.0,<2") == "pptx"
    assert Installer().importable({"base": groups["base"]})
    assert not Installer().importable({"base": ["no-such-package>=1"]})


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small checkout: the real installer, a command line that prints its arguments, one tiny package to install."""
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "docqa", root / "docqa", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "models").mkdir()
    shutil.copy(ROOT / "run.py", root)
    shutil.copy(ROOT / "models" / "catalog.toml", root / "models")
    (root / "docqa" / "cli" / "main.py").write_text(
        "import sys, tinypack\ndef main(arguments):\n    print('served', arguments, sys.prefix)\n    return 7\n"
    )
    (root / "pyproject.toml").write_text(PROJECT)
    with zipfile.ZipFile(tmp_path / "tinypack-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tinypack.py", "")
        wheel.writestr("tinypack-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tinypack\nVersion: 1.0\n")
        wheel.writestr(
            "tinypack-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr("tinypack-1.0.dist-info/RECORD", "")
    return root


def start(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(checkout),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(checkout.parent),
        "DOCQA_TORCH_INDEX": f"http://127.0.0.1:{free_port()}",
        "DOCQA_EMBEDDER": "none",
    }
    return subprocess.run(
        [sys.executable, "run.py", *arguments],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_fresh_checkout_installs_itself_and_the_second_start_does_not(checkout: Path) -> None:
    usage = start(checkout, "--help")
    assert "python run.py test" in usage.stdout
    assert not (checkout / ".venv").exists()

    first = start(checkout, "serve", "--port", "0")
    assert first.returncode == 7, first.stdout + first.stderr
    assert f"served ['serve', '--port', '0'] {checkout / '.venv'}" in first.stdout
    assert "Installing tinypack" in first.stderr
    assert "search is by words only" in first.stderr
    assert "answers are sentences quoted from the documents" in first.stderr

    record = checkout / ".venv" / "docqa.json"
    recorded = record.stat().st_mtime_ns
    second = start(checkout)
    assert (second.returncode, second.stdout) == (7, f"served [] {checkout / '.venv'}\n")
    assert second.stderr == "", "nothing is installed or tried again"
    assert record.stat().st_mtime_ns == recorded


def test_an_older_python_gets_one_sentence(tmp_path: Path) -> None:
    lines = (ROOT / "run.py").read_text()
    script = tmp_path / "run.py"
    script.write_text("import sys\nsys.version_info = (3, 9, 2)\n" + lines)
    answer = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert answer.stderr == "DocQA needs Python 3.11 or newer; this is Python 3.9.\n"


@pytest.mark.parametrize(
    ("words", "expected"), [([], install.PARALLEL), (["tests/test_chat.py", "-x"], ["tests/test_chat.py", "-x"])]
)
def test_all_tests_run_in_parallel_and_chosen_ones_as_given(
    monkeypatch: pytest.MonkeyPatch, words: list[str], expected: list[str]
) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(install.Installer, "importable", lambda *_: True)
    monkeypatch.setattr(install.Installer, "inside", False)
    monkeypatch.setattr(install, "fetch_models", lambda *_, **__: None)
    monkeypatch.setattr(install.subprocess, "run", run)
    assert install.main(["test", *words], "") == 3
    assert ran == [[sys.executable, "-m", "pytest", *expected]]


def test_ctrl_c_while_installing_exits_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(install, "prepare", interrupted)
    assert install.main([], "") == 130
    assert capsys.readouterr().err == "\nStopped. The next start resumes.\n"


def test_a_model_that_cannot_be_fetched_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "catalog.toml").write_text(
        "[[model]]\nname = 'tiny'\nkind = 'gguf'\nlicence = 'MIT'\nlanguages = []\npath = '/no/such/tiny.gguf'\n"
        f"[[model.file]]\npath = 'tiny.gguf'\nsize = 3\nsha256 = '{'0' * 64}'\n"
    )
    monkeypatch.setattr("docqa.cli.start.importlib.util.find_spec", lambda name: name if name == "llama_cpp" else None)
    settings = Settings(models=tmp_path / "models")
    for again, reports in ((False, 1), (False, 0), (True, 1)):
        install.fetch_models(settings, Installer(tmp_path), again=again)
        assert capsys.readouterr().err.count("The model tiny could not be fetched") == reports


def test_offline_nothing_is_downloaded(
    installer: Installer, pip: Pip, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installer.offline = True
    groups = installer.groups(test=False)
    with pytest.raises(InstallFailed, match="DOCQA_OFFLINE forbids"):
        installer.install(groups)
    installer.install({name: lines for name, lines in groups.items() if name != "base"})
    assert pip.installs == []
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "catalog.toml").write_text((ROOT / "models" / "catalog.toml").read_text())
    install.fetch_models(Settings(models=tmp_path / "models", offline=True), installer, again=True)
    assert "The model all-MiniLM-L6-v2 is missing, and DOCQA_OFFLINE forbids downloading it." in capsys.readouterr().err
    assert set(pip.commands) == {"-c import pip"}
