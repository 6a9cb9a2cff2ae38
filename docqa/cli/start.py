"""What `python run.py` does before the command line: .venv, the packages, the models. Standard library only."""

import importlib
import importlib.util
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.catalog.download import FetchFailed, fetch
from docqa.catalog.entries import Entry
from docqa.errors import DocqaError
from docqa.settings import Settings
from docqa.setup.packages import Installer, say

INSTALLED = "DOCQA_INSTALLED"  # set for the process that follows the installing one
# All tests are run in two processes. The tests of one file stay together, for they share what takes long to load.
SIDE_BY_SIDE = ["--numprocesses=2", "--dist=loadfile"]


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
    from docqa.cli.main import main as run_command

    return run_command(arguments)


def _prepare(arguments: list[str], usage: str) -> int | None:
    """All that comes before the command line; an exit code if there is nothing left for it to do."""
    command = arguments[0] if arguments and not arguments[0].startswith("-") else "serve"
    settings = Settings.read(os.environ)
    installer = Installer(offline=settings.offline)
    if command == "doctor":  # it tells what is missing, and so must not mend it first
        if installer.python.exists() and not installer.inside:
            return _restart(installer.python, arguments)
        from docqa.setup.doctor import examine

        return examine(arguments[1:])
    groups = installer.groups(test=command == "test")
    # A Python that somebody else set up with all that is needed is used as it is.
    own = installer.inside or not installer.importable(groups)
    if own and {"-h", "--help"} & set(arguments) and installer.pending(groups):
        print(usage)
        return 0
    again = command == "install" and not os.environ.get(INSTALLED)
    if own and again:
        installer.forget()
    if own and installer.pending(groups):
        installer.install(groups)
        importlib.invalidate_caches()
    if own and not installer.inside:
        return _restart(installer.python, arguments)
    if command in ("serve", "test", "install", "eval", "bundle"):
        fetch_models(settings, installer, again=command in ("install", "bundle"))
    if command == "test":
        return subprocess.run(
            [sys.executable, "-m", "pytest", *(arguments[1:] or SIDE_BY_SIDE)], cwd=ROOT, check=False
        ).returncode
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
        failed = catalog.given_up(entry)
        if catalog.present(entry) or (failed.exists() and not again):
            continue
        if settings.offline and entry.path is None:
            say(f"The model {entry.name} is not there, and DOCQA_OFFLINE forbids to download it.")
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
    """The chosen embedding model and the local models that are not optional, as far as there are packages to run them."""
    local = (
        [entry for entry in catalog.entries if entry.kind == "gguf" and not entry.optional]
        if importlib.util.find_spec("llama_cpp")
        else []
    )
    if embedder == "none" or importlib.util.find_spec("sentence_transformers") is None:
        return local
    return [catalog.embedding(embedder), *local]
