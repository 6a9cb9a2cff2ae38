"""What stands between a fresh checkout and a running server: .venv, the packages, the models. Standard library only.

What was installed, or failed to, is remembered in .venv; a later start looks at that and at nothing else. Every step can
be interrupted and is gone on with at the next start.
"""

import hashlib
import importlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import tomllib
import urllib.request
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError

from docqa.catalog import Catalog, Entry
from docqa.download import FetchFailed, fetch
from docqa.errors import DocqaError
from docqa.lock import hold
from docqa.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
REACH_SECONDS = 3.0
INSTALLED = "DOCQA_INSTALLED"  # set for the process that follows the installing one
PIP = ("-m", "pip", "--disable-pip-version-check")

# Packages that are imported by another name than the one they are installed by.
IMPORT_NAMES = {"python-pptx": "pptx", "readability-lxml": "readability", "llama-cpp-python": "llama_cpp"}

TIMES = {"base": "about a minute", "embedding": "one to three minutes", "local": "about four minutes, for it is compiled here", "test": "half a minute"}
WITHOUT = {"embedding": "search is by words only", "local": "answers are sentences picked from the documents", "test": "the tests cannot run"}


class InstallFailed(DocqaError):
    """Something needed could not be installed."""


def say(sentence: str) -> None:
    print(sentence, flush=True)


def import_name(requirement: str) -> str:
    """`python-pptx>=1.0` → `pptx`."""
    name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
    return IMPORT_NAMES.get(name, name.replace("-", "_").lower())


@dataclass
class Installer:
    """Installs the requirement groups of `root`/pyproject.toml into `root`/.venv."""

    root: Path = ROOT
    torch_index: str = field(default_factory=lambda: os.environ.get("DOCQA_TORCH_INDEX", TORCH_INDEX))

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return self.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def inside(self) -> bool:
        """Whether this process runs under .venv's Python."""
        return Path(sys.prefix).resolve() == self.venv.resolve()

    def groups(self, test: bool) -> dict[str, list[str]]:
        """The requirements by group, in the order they are installed in."""
        project = tomllib.loads((self.root / "pyproject.toml").read_text("utf-8"))["project"]
        extras = project["optional-dependencies"]
        wanted = ("embedding", "local", "test") if test else ("embedding", "local")
        return {"base": project["dependencies"], **{name: extras[name] for name in wanted}}

    def importable(self, groups: dict[str, list[str]]) -> bool:
        """Whether the running Python has all that is needed, the optional groups excepted."""
        needed = [one for name in ("base", "test") for one in groups.get(name, [])]
        return all(importlib.util.find_spec(import_name(one)) for one in needed if "sys_platform" not in one)

    def pending(self, groups: dict[str, list[str]]) -> dict[str, list[str]]:
        """The groups that were not yet tried with these requirements."""
        stamp = self._stamp()
        return {name: lines for name, lines in groups.items() if stamp.get(name, {}).get("requirements") != _digest(lines)}

    def install(self, groups: dict[str, list[str]]) -> None:
        """Install what is pending. Raises InstallFailed if a group fails that the server cannot run without."""
        with self.lock():
            pending = self.pending(groups)
            if not pending:
                return
            self._make_venv()
            for name, lines in pending.items():
                say(f"Installing {', '.join(import_name(line) for line in lines)} ({TIMES[name]}).")
                why = self._embedding(lines) if name == "embedding" else self._local(lines) if name == "local" else self._pip("install", *lines)
                if why and name == "base":
                    raise InstallFailed(f"The packages could not be installed: {why} The next start goes on from here.")
                if why:
                    say(f"{why} So {WITHOUT[name]}; `python run.py install` tries again.")
                self._remember(name, lines, why)

    def forget(self) -> None:
        """Let the next `install` try again what failed."""
        with self.lock():
            kept = {name: one for name, one in self._stamp().items() if not one["why"]}
            if self.venv.exists():
                self._write_stamp(kept)

    def lock(self) -> AbstractContextManager[None]:
        """Only one process at a time installs or downloads."""
        return hold(self.root / "data" / "install.lock", lambda: say("Another start is installing; waiting for it."))

    # What each group takes

    def _embedding(self, lines: list[str]) -> str:
        torch = next(line for line in lines if line.startswith("torch=="))
        index: list[str] = []
        if sys.platform == "linux" and platform.machine() == "x86_64" and not self._has_cpu_build(torch):
            # Elsewhere PyPI's torch is the CPU build; here it brings gigabytes for graphics cards.
            if not reachable(f"{self.torch_index}/torch/"):
                return f"PyTorch's CPU packages at {self.torch_index} cannot be reached, and others would take gigabytes."
            index = ["--index-url", self.torch_index]
        return self._pip("install", *index, torch) or self._pip("install", *lines)

    def _has_cpu_build(self, torch: str) -> bool:
        """Whether pip, as it is set up on this machine, would take a CPU build of torch by itself."""
        ask = ("install", "--dry-run", "--ignore-installed", "--no-deps", "--quiet", "--report", "-", torch)
        answer = subprocess.run([str(self.python), *PIP, *ask], capture_output=True, text=True, check=False)
        return answer.returncode == 0 and any("+cpu" in one["metadata"]["version"] for one in json.loads(answer.stdout)["install"])

    def _local(self, lines: list[str]) -> str:
        compiler = next(filter(shutil.which, (os.environ.get("CXX", ""), "c++", "g++", "clang++", "cl")), None)
        if compiler is None and self._pip("install", "--only-binary", ":all:", *lines):
            return "There is no C++ compiler to build llama-cpp-python with."
        return self._pip("install", "--prefer-binary", *lines) if compiler else ""

    def _pip(self, *arguments: str) -> str:
        """Run .venv's pip, its progress shown; a sentence if it fails, else nothing."""
        done = subprocess.run([str(self.python), *PIP, *arguments], check=False)
        return f"pip failed (`pip {' '.join(arguments)}`, exit code {done.returncode})." if done.returncode else ""

    # .venv, and what is remembered in it

    def _make_venv(self) -> None:
        if self.inside or self._runs("import pip"):
            return
        usable = self.python.exists() and self._runs("import sys")
        say("Adding pip to .venv." if usable else "Making .venv.")
        command = [str(self.python), "-m", "ensurepip"] if usable else [sys.executable, "-m", "venv", "--clear", str(self.venv)]
        if subprocess.run(command, check=False).returncode:
            raise InstallFailed("Python could not make .venv; on Debian and Ubuntu, `apt install python3-venv` is what it lacks.")

    def _runs(self, code: str) -> bool:
        return self.python.exists() and subprocess.run([self.python, "-c", code], capture_output=True, check=False).returncode == 0

    def _stamp(self) -> dict[str, dict[str, str]]:
        try:
            stamp: dict[str, dict[str, str]] = json.loads((self.venv / "docqa.json").read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return stamp

    def _remember(self, name: str, lines: list[str], why: str) -> None:
        self._write_stamp(self._stamp() | {name: {"requirements": _digest(lines), "why": why}})

    def _write_stamp(self, stamp: dict[str, dict[str, str]]) -> None:
        part = self.venv / f"docqa.json.{os.getpid()}"
        part.write_text(json.dumps(stamp, indent=1), "utf-8")
        os.replace(part, self.venv / "docqa.json")


def _digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def reachable(address: str, seconds: float = REACH_SECONDS) -> bool:
    """Whether `address` answers at all within `seconds`, looking up its name included."""
    answered = threading.Event()

    def ask() -> None:
        try:
            urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=seconds).close()
        except HTTPError as error:
            if error.code >= 400:
                return
        except OSError:
            return
        answered.set()

    # A thread, for nothing else bounds the look-up of a name.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    return answered.is_set()


def main(arguments: list[str], usage: str) -> int:
    """Install what is missing and hand over to the command line (or to pytest); the exit code."""
    try:
        code = _prepare(arguments, usage)
    except (DocqaError, OSError) as error:
        say(f"docqa: {error}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. The next start goes on from here.")
        return 130
    if code is not None:
        return code
    from docqa.cli import main as run_command

    return run_command(arguments)


def _prepare(arguments: list[str], usage: str) -> int | None:
    """All that comes before the command line; an exit code if there is nothing left for it to do."""
    command = arguments[0] if arguments and not arguments[0].startswith("-") else "serve"
    installer = Installer()
    groups = installer.groups(test=command == "test")
    # A Python that somebody else set up with all that is needed is used as it is.
    own = installer.inside or not installer.importable(groups)
    if own and {"-h", "--help"} & set(arguments) and installer.pending(groups):
        say(usage)
        return 0
    again = command == "install" and not os.environ.get(INSTALLED)
    if own and again:
        installer.forget()
    if own and installer.pending(groups):
        installer.install(groups)
        importlib.invalidate_caches()
    if own and not installer.inside:
        return _restart(installer.python, arguments)
    if command in ("serve", "test", "install"):
        fetch_models(Settings.read(os.environ), installer, again=command == "install")
    if command == "test":
        return subprocess.run([sys.executable, "-m", "pytest", *arguments[1:]], cwd=ROOT, check=False).returncode
    return 0 if command == "install" else None


def _restart(python: Path, arguments: list[str]) -> int:
    """The same command once more under .venv's Python."""
    command = [str(python), str(ROOT / "run.py"), *arguments]
    os.environ[INSTALLED] = "1"
    sys.stdout.flush()
    if os.name == "nt":  # execv there returns to the shell before the new process ends
        return subprocess.run(command, check=False).returncode
    os.execv(python, command)


def fetch_models(settings: Settings, installer: Installer, *, again: bool) -> None:
    """Get the models that are used and not there; one that could not be had is asked for `again` only by `install`."""
    catalog = Catalog.load(settings.models)
    for entry in wanted_models(catalog, settings.embedder):
        failed = catalog.models_dir / "downloads" / f"{entry.name}.failed"
        if catalog.present(entry) or (failed.exists() and not again):
            continue
        try:
            with installer.lock():
                fetch(catalog, entry, say)
        except FetchFailed as error:
            say(f"{error}. The server runs without it; `python run.py install` tries again.")
            with suppress(OSError):  # a folder that cannot be written to is why it failed
                failed.parent.mkdir(parents=True, exist_ok=True)
                failed.touch()
        else:
            failed.unlink(missing_ok=True)


def wanted_models(catalog: Catalog, embedder: str) -> list[Entry]:
    """The chosen embedding model and the local models of the catalogue, as far as there are packages to run them."""
    local = [entry for entry in catalog.entries if entry.kind == "gguf"] if importlib.util.find_spec("llama_cpp") else []
    if embedder == "none" or importlib.util.find_spec("sentence_transformers") is None:
        return local
    return [catalog.embedding(embedder), *local]
