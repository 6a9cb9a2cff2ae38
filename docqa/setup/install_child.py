"""The process that installs: python -m docqa.setup.install_child WHICH [FLAG...]

WHICH is `base` or `test`, for what the server or the tests need, or `rest`, for all that may follow, of which the flags
say what (`steps.rest`). It tells how far it is on stdout, a line of JSON for each change; what pip and the compiler
print goes into data/install.log. It ends, with all that it has started, when its stdin is closed: nothing is installed
behind the back of a server that has ended. Standard library only.
"""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from docqa.settings import Settings
from docqa.setup.at_work import Meter, end_with_parent, measured, print_into
from docqa.setup.packages import Installer
from docqa.setup.progress import DONE, FAILED, RUNNING, Progress
from docqa.setup.steps import Step, needed, rest, run
from docqa.workers.sandbox import step_back

WHY = re.compile(r"^(?:ERROR|error): +(.+)|^.*\b(?:CMake Error|No space left).*", re.MULTILINE)
LONGEST = 300  # characters of a reason
LOW, LOWEST = 5, 14  # added to the niceness while a server answers; the second for what is compiled, which takes long


def install(steps: Sequence[Step], settings: Settings, installer: Installer, log: Path, out: TextIO) -> bool:
    """Do the steps one after the other, and tell how far they are on `out`. Whether all succeeded."""
    failed: set[str] = set()

    def tell(progress: Progress) -> None:
        print(progress.to_line(), file=out, flush=True)

    for step in steps:
        tell(step.progress())
    for step in steps:
        progress = step.progress()
        needs = {"embedding": "embedding", "encoder": "embedding"}.get(step.entry.kind if step.entry else "")
        if needs in failed:
            failed.add(step.name)
            tell(progress.at(FAILED, 0.0, "The packages that run it are missing."))
            continue
        if step.name == "local":
            step_back(LOWEST)
        tell(progress.at(RUNNING, 0.0))
        meter = Meter(step.size, step.folders, log)
        failure = measured(
            lambda step=step: run(step, settings, installer, _note),  # type: ignore[misc]
            meter,
            lambda share, progress=progress: tell(progress.at(RUNNING, share)),  # type: ignore[misc]
        )
        if failure:
            failed.add(step.name)
            reason = _reason(meter.printed().decode(errors="replace")) if "pip failed" in failure else ""
            tell(progress.at(FAILED, meter.share(), f"{failure} {f'It said: {reason}' if reason else ''}".strip()))
        else:
            tell(progress.at(DONE, 1.0))
    return not failed


def _note(sentence: str) -> None:
    print(sentence, flush=True)  # into the log


def _reason(printed: str) -> str:
    """The last line that says why a command failed, "" if none does."""
    reasons = [(match[1] or match[0]).strip() for match in WHY.finditer(printed)]
    return reasons[-1][:LONGEST] if reasons else ""


def main(arguments: Sequence[str]) -> int:
    """Install what `arguments` say; 1 if something failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("which", choices=["base", "test", "rest"])
    for flag in ("--packages", "--no-models", "--again", "--for-tests"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args(arguments)
    settings = Settings.read(os.environ)
    installer = Installer(offline=settings.offline)
    log = installer.root / "data" / "install.log"
    out = print_into(log)
    if options.which == "rest":
        steps = rest(
            settings,
            installer,
            packages=options.packages,
            models=not options.no_models,
            again=options.again,
            test=options.for_tests,
        )
        step_back(LOW)
    else:
        steps = needed(installer, test=options.which == "test")
    return 0 if install(steps, settings, installer, log, out) else 1


if __name__ == "__main__":
    end_with_parent()
    sys.exit(main(sys.argv[1:]))
