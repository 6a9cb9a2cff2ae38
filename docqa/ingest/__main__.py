"""A child that reads a file or draws a page of it, where none can be forked: `python -m docqa.ingest BOUNDS MODULE`; it
is confined before it imports more."""

import json
import os
import sys

from docqa.ingest.confined import run_confined
from docqa.workers.sandbox import Confinement, watch_parent

if __name__ == "__main__":
    if os.name == "posix" and sys.platform != "linux":
        watch_parent()
    run_confined(Confinement(**json.loads(sys.argv[1])), sys.argv[2])
