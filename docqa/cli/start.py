"""What `python run.py` does before the command line: sets up .venv, packages and models. Standard library only."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from docqa import ROOT
from docqa.errors import DocqaError
from docqa.settings import Settings
from docqa.setup.installation import install_now
from docqa.setup.packages import Installer, InstallFailed, say
from docqa.setup.progress import FAILED, Progress, ProgressLine
from docqa.setup.steps import rest

NEEDED = ("base", "test")  # groups of packages that are installed before anything runs
WAIT = "--wait"
INSTALLED = "DOCQA_INSTALLED"  # set for the process that is started after installing
# All tests run in three processes: two leave a quarter of two cores idle, since many tests wait for others. Those of
# one file stay together, because they share models that take long to load, and some files do: see tests/sharing.py.
PARALLEL = ["--numprocesses=3", "--dist=loadfile"]


def main(arguments: list[str], usage: str) -> int:
    """Install what is missing, then run the command line or pytest; the exit code. `usage` is shown for --help."""
    try:
        code, background = prepare(arguments, usage)
    except (DocqaError, OSError) as error:
        say(f"docqa: {error}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. The next start resumes.")
        return 130
    if code is not None:
        return code
    from docqa.cli.main import main as run_command

    return run_command(arguments, background)


def prepare(arguments: list[str], usage: str) -> tuple[int | None, tuple[str, ...]]:
    """Everything that comes before the command line: an exit code if that has nothing left to do, and what the
    installer is task that works while the server serves, nothing where nothing is left to install."""
    command = arguments[0] if arguments and not arguments[0].startswith("-") else "serve"
    settings = Settings.read(os.environ)
    installer = Installer(offline=settings.offline)
    if command == "doctor":  # it reports what is missing, so nothing may be installed first
        if installer.python.exists() and not installer.inside:
            return _restart(installer.python, arguments), ()
        if not installer.importable({"base": ["click"]}):  # no command line yet
            from docqa.setup.doctor import examine  # a start has no need of it

            data = dict(pairwise(arguments)).get("--data")
            return examine(Settings.read(os.environ, data=data)), ()
        return None, ()
    test, install = command == "test", arguments == ["install"]  # with further words it is a command like others
    groups = {name: lines for name, lines in installer.groups(test).items() if name in NEEDED}
    # A Python that already has everything needed is used as it is.
    managed = installer.inside or not installer.importable(groups)
    if managed and {"-h", "--help"} & set(arguments) and installer.pending(groups):
        print(usage)
        return 0, ()
    if managed and install and not os.environ.get(INSTALLED):
        installer.forget()
    if managed and installer.pending(groups):
        _install("test" if test else "base")
    if managed and not installer.inside:
        return _restart(installer.python, arguments), ()
    models = install or command in ("serve", "test", "eval", "bundle")
    if not (models or arguments[:2] == ["models", "pull"]):
        return None, ()
    again = install or command == "bundle"
    left = rest(settings, installer, packages=managed, models=models, again=again, test=test)
    flags = {"--packages": managed, "--no-models": not models, "--again": again, "--for-tests": test}
    task = ("rest", *(flag for flag, given in flags.items() if given)) if left else ()
    if task and (command != "serve" or WAIT in arguments):
        _shown(*task)
        task = ()
    if test:
        from docqa.ingest.bytecode import COMMAND, environment

        subprocess.run(COMMAND, env=environment(), check=True)
        pytest = [sys.executable, "-m", "pytest", *(arguments[1:] or PARALLEL)]
        return subprocess.run(pytest, cwd=ROOT, check=False).returncode, ()
    return (0 if install else None), task


def _install(which: str) -> None:
    """Install what nothing runs without. Raises InstallFailed."""
    failed = [step for step in _shown(which) if step.state == FAILED]
    if failed:
        raise InstallFailed(f"{' '.join(step.message for step in failed)} The next start tries again.")


def _shown(*arguments: str) -> list[Progress]:
    line = ProgressLine()
    try:
        return install_now(arguments, line.show)
    finally:
        line.close()


def _restart(python: Path, arguments: list[str]) -> int:
    """Run the same command under .venv's Python."""
    command = [str(python), str(ROOT / "run.py"), *arguments]
    os.environ[INSTALLED] = "1"
    sys.stdout.flush()
    if os.name == "nt":  # execv there returns to the shell before the new process ends
        return subprocess.run(command, check=False).returncode
    os.execv(python, command)
