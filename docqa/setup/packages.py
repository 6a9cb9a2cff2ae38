"""The packages of pyproject.toml and how they get into .venv: from the network, or from the wheels of a bundle. Standard library only.

What was installed, or failed to, is remembered in .venv; a later start looks at that and at nothing else. Every step can
be interrupted and is gone on with at the next start.
"""

import hashlib
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
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError

from docqa import ROOT
from docqa.catalog.catalog import digest
from docqa.catalog.lock import hold
from docqa.errors import DocqaError

TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
REACH_SECONDS = 3.0
WHEELS, CHECKSUMS = "wheels", "checksums.txt"  # what a bundle has in its root
FROM_WHEELS = ("--no-index", "--find-links")
PIP = ("-m", "pip", "--disable-pip-version-check")

# Packages that are imported by another name than the one they are installed by.
IMPORT_NAMES = {
    "python-pptx": "pptx",
    "readability-lxml": "readability",
    "llama-cpp-python": "llama_cpp",
    "pytest-xdist": "xdist",
}

TIMES = {
    "base": "about a minute",
    "embedding": "one to three minutes",
    "local": "four to ten minutes, for it is compiled here",
    "test": "half a minute",
}
WITHOUT = {
    "embedding": "search is by words only",
    "local": "answers are sentences picked from the documents",
    "test": "the tests cannot run",
}


class InstallFailed(DocqaError):
    """Something needed could not be installed."""


def machine() -> str:
    """What wheels depend on: the system, the processor and the Python, as `linux x86_64 CPython 3.11`."""
    return f"{sys.platform} {platform.machine()} {platform.python_implementation()} {sys.version_info[0]}.{sys.version_info[1]}"


def say(sentence: str) -> None:
    """To stderr: what a command prints, a key say, must be alone on stdout even where it is the first of all."""
    print(sentence, file=sys.stderr, flush=True)


def import_name(requirement: str) -> str:
    """`python-pptx>=1.0` → `pptx`."""
    name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
    return IMPORT_NAMES.get(name, name.replace("-", "_").lower())


@dataclass
class Installer:
    """Installs the requirement groups of `root`/pyproject.toml into `root`/.venv; `offline` forbids to download them.

    `verb` is what pip does with them: `bundle` gathers wheels instead of installing.
    """

    root: Path = ROOT
    torch_index: str = field(default_factory=lambda: os.environ.get("DOCQA_TORCH_INDEX", TORCH_INDEX))
    offline: bool = False
    verb: tuple[str, ...] = ("install",)

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return self.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def pip(self) -> list[str]:
        """The command of .venv's pip, or of the running Python's where somebody else set that up."""
        return [str(self.python if self.python.exists() else sys.executable), *PIP]

    @property
    def bundled(self) -> bool:
        """Whether this folder is a bundle; its wheels are then all that pip is shown."""
        return (self.root / WHEELS).is_dir()

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
        return not self.missing([one for name in ("base", "test") for one in groups.get(name, [])])

    def missing(self, lines: list[str]) -> list[str]:
        """Which of these requirements the running Python does not have; those for some systems only are left out."""
        names = [import_name(one) for one in lines if "sys_platform" not in one]
        return [name for name in names if importlib.util.find_spec(name) is None]

    def pending(self, groups: dict[str, list[str]]) -> dict[str, list[str]]:
        """The groups that were not yet tried with these requirements."""
        stamp = self._stamp()
        return {
            name: lines for name, lines in groups.items() if stamp.get(name, {}).get("requirements") != _digest(lines)
        }

    def install(self, groups: dict[str, list[str]]) -> None:
        """Install what is pending. Raises InstallFailed if a group fails that the server cannot run without."""
        with self.lock():
            pending = self.pending(groups)
            if not pending:
                return
            if self.bundled:
                self._check_bundle()
            self._make_venv()
            for name, lines in pending.items():
                say(f"Installing {', '.join(import_name(line) for line in lines)} ({TIMES[name]}).")
                why = self.get(name, lines)
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

    def get(self, name: str, lines: list[str]) -> str:
        """Let pip do its `verb` with one group; a sentence if it fails, else nothing."""
        if self.bundled:
            return self._pip(*lines)
        if self.offline:
            return "DOCQA_OFFLINE forbids to download packages."
        return (
            self._embedding(lines)
            if name == "embedding"
            else self._local(lines)
            if name == "local"
            else self._pip(*lines)
        )

    def _embedding(self, lines: list[str]) -> str:
        torch = next(line for line in lines if line.startswith("torch=="))
        index: list[str] = []
        if sys.platform == "linux" and platform.machine() == "x86_64" and not self._has_cpu_build(torch):
            # Elsewhere PyPI's torch is the CPU build; here it brings gigabytes for graphics cards.
            if not reachable(f"{self.torch_index}/torch/"):
                return (
                    f"PyTorch's CPU packages at {self.torch_index} cannot be reached, and others would take gigabytes."
                )
            index = ["--index-url", self.torch_index]
        return self._pip(*index, torch) or self._pip(*lines)

    def _has_cpu_build(self, torch: str) -> bool:
        """Whether pip, as it is set up on this machine, would take a CPU build of torch by itself."""
        ask = ("install", "--dry-run", "--ignore-installed", "--no-deps", "--quiet", "--report", "-", torch)
        answer = subprocess.run([*self.pip, *ask], capture_output=True, text=True, check=False)
        return answer.returncode == 0 and any(
            "+cpu" in one["metadata"]["version"] for one in json.loads(answer.stdout)["install"]
        )

    def compiler(self) -> str:
        """The name of a C++ compiler, "" if there is none."""
        return next(filter(shutil.which, (os.environ.get("CXX", ""), "c++", "g++", "clang++", "cl")), "")

    def _local(self, lines: list[str]) -> str:
        compiler = self.compiler()
        if not compiler and self._pip("--only-binary", ":all:", *lines):
            return "There is no C++ compiler to build llama-cpp-python with."
        return self._pip("--prefer-binary", *lines) if compiler else ""

    def _pip(self, *arguments: str) -> str:
        """Run .venv's pip, its progress shown; a sentence if it fails, else nothing."""
        environ, verb = dict(os.environ), self.verb
        if self.bundled:
            environ, verb = without_indexes(), (*verb, *FROM_WHEELS, str(self.root / WHEELS))
        done = subprocess.run([*self.pip, *verb, *arguments], env=environ, stdout=sys.stderr, check=False)
        return (
            f"pip failed (`pip {' '.join((*verb, *arguments))}`, exit code {done.returncode})."
            if done.returncode
            else ""
        )

    def _check_bundle(self) -> None:
        """Raises InstallFailed for a bundle that is not whole, or was made for another kind of machine."""
        say("Checking the bundle.")
        listed = self.root / CHECKSUMS
        if not listed.exists():
            raise InstallFailed(
                f"This bundle has no {CHECKSUMS}: making it was interrupted. Make it again, into the same folder."
            )
        made_for, *lines = listed.read_text("utf-8").splitlines()
        if made_for != f"# {machine()}":
            raise InstallFailed(
                f"This bundle was made for {made_for[2:]}, this is {machine()}. Make one on a machine of this kind."
            )
        named = [(name, wanted) for wanted, _, name in (line.partition("  ") for line in lines)]
        # The source and the tables of models are yours to change.
        carried = [
            (name, wanted)
            for name, wanted in named
            if name.startswith((f"{WHEELS}/", "models/")) and not name.endswith(".toml")
        ]
        wrong = [
            name for name, wanted in carried if not (self.root / name).is_file() or digest(self.root / name) != wanted
        ]
        if wrong:
            raise InstallFailed(
                f"These files are not as they were bundled: {', '.join(wrong[:5])}{' ...' if wrong[5:] else ''}. Carry them over again."
            )

    # .venv, and what is remembered in it

    def _make_venv(self) -> None:
        if self.inside or self._runs("import pip"):
            return
        usable = self.python.exists() and self._runs("import sys")
        say("Adding pip to .venv." if usable else "Making .venv.")
        command = (
            [str(self.python), "-m", "ensurepip"]
            if usable
            else [sys.executable, "-m", "venv", "--clear", str(self.venv)]
        )
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode:
            raise InstallFailed(
                "Python could not make .venv; on Debian and Ubuntu, `apt install python3-venv` is what it lacks."
            )

    def _runs(self, code: str) -> bool:
        return (
            self.python.exists()
            and subprocess.run([self.python, "-c", code], capture_output=True, check=False).returncode == 0
        )

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


def without_indexes() -> dict[str, str]:
    """The environment for a pip that looks nowhere but where its arguments say."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PIP_")} | {
        "PIP_CONFIG_FILE": os.devnull
    }


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
