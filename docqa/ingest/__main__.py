"""A child that reads a file or draws a page of it, where none can be forked: `python -m docqa.ingest BOUNDS MODULE`; it
is confined before it imports more."""

import json
import os
import sys

from docqa.ingest.confined import run_confined
from docqa.workers.loop import PARENT
from docqa.workers.sandbox import Confinement, die_with_parent, watch_parent

if __name__ == "__main__":
    if sys.platform == "linux":
        die_with_parent(int(os.environ[PARENT]))  # from now on, and not only when it serves
    elif os.name == "posix":
        watch_parent()
    run_confined(Confinement(**json.loads(sys.argv[1])), sys.argv[2])
