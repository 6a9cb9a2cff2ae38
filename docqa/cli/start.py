"""What `python run.py` does before the command line: sets up .venv, packages and models. Standard library only."""

import importlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.catalog.download import FetchFailed, fetch
from docqa.catalog.entries import Entry
from docqa.errors import DocqaError
from docqa.models.reader import FILE, VERIFIER, trained_part
from docqa.settings import Settings
from docqa.setup.packages import Installer, say

INSTALLED = "DOCQA_INSTALLED"  # set for the process that is started after installing
# All tests run in two processes. Those of one file stay together, because they share models that take long to load.
PARALLEL = ["--numprocesses=2", "--dist=loadfile"]


def main(arguments: list[str], usage: str) -> int:
    """Install what is missing, then run the command line or pytest; the exit code. `usage` is shown for --help."""
    try:
        code = prepare(arguments, usage)
    except (DocqaError, OSError) as error:
        say(f"docqa: {error}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. The next start resumes.")
        return 130
    if code is not None:
        return code
    from docqa.cli.main import main as run_command

    return run_command(arguments)


def prepare(arguments: list[str], usage: str) -> int | None:
    """Everything that comes before the command line; an exit code if that has nothing left to do."""
    command = arguments[0] if arguments and not arguments[0].startswith("-") else "serve"
    settings = Settings.read(os.environ)
    installer = Installer(offline=settings.offline)
    if command == "doctor":  # it reports what is missing, so nothing may be installed first
        if installer.python.exists() and not installer.inside:
            return _restart(installer.python, arguments)
        from docqa.setup.doctor import examine

        return examine(arguments[1:])
    groups = installer.groups(test=command == "test")
    # A Python that already has everything needed is used as it is.
    managed = installer.inside or not installer.importable(groups)
    if managed and {"-h", "--help"} & set(arguments) and installer.pending(groups):
        print(usage)
        return 0
    again = command == "install" and not os.environ.get(INSTALLED)
    if managed and again:
        installer.forget()
    if managed and installer.pending(groups):
        installer.install(groups)
        importlib.invalidate_caches()
    if managed and not installer.inside:
        return _restart(installer.python, arguments)
    if command in ("serve", "test", "install", "eval", "bundle"):
        fetch_models(settings, installer, again=command in ("install", "bundle"))
    if command == "test":
        pytest = [sys.executable, "-m", "pytest", *(arguments[1:] or PARALLEL)]
        return subprocess.run(pytest, cwd=ROOT, check=False).returncode
    return 0 if command == "install" else None


def _restart(python: Path, arguments: list[str]) -> int:
    """Run the same command under .venv's Python."""
    command = [str(python), str(ROOT / "run.py"), *arguments]
    os.environ[INSTALLED] = "1"
    sys.stdout.flush()
    if os.name == "nt":  # execv there returns to the shell before the new process ends
        return subprocess.run(command, check=False).returncode
    os.execv(python, command)


def fetch_models(settings: Settings, installer: Installer, *, again: bool) -> None:
    """Fetch the models that are used but missing; those that failed before are tried only `again`, by `install`."""
    catalog = Catalog.load(settings.models)
    files = [file for file, wanted in ((FILE, settings.reader), (VERIFIER, settings.verifier)) if wanted]
    bases = [part.base for file in files if (part := trained_part(settings.models, file))]
    for entry in wanted_models(catalog, settings.embedder, bases):
        failed = catalog.given_up(entry)
        if catalog.present(entry) or (failed.exists() and not again):
            continue
        if settings.offline and entry.path is None:
            say(f"The model {entry.name} is missing, and DOCQA_OFFLINE forbids downloading it.")
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


def wanted_models(catalog: Catalog, embedder: str, bases: Sequence[str] = ()) -> list[Entry]:
    """The chosen embedding model, those with the weights `bases`, which reader and verifier build on, and the
    non-optional local models, the verifier's last, if the packages to run them are installed."""
    local: list[Entry] = []
    if importlib.util.find_spec("llama_cpp"):
        local = [entry for entry in catalog.entries if entry.kind == "gguf" and not entry.optional]
    if embedder == "none" or importlib.util.find_spec("sentence_transformers") is None:
        return local
    chosen = catalog.embedding(embedder)
    needed = [entry for entry in catalog.entries if entry.files and entry.weights.sha256 in bases and entry != chosen]
    return [
        chosen,
        *(entry for entry in needed if entry.kind == "embedding"),
        *local,
        *(entry for entry in needed if entry.kind == "encoder"),
    ]
