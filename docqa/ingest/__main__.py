"""The child process that reads a file, or draws a page of it: `python -m docqa.ingest BOUNDS MODULE`, confined before
it imports more."""

import importlib
import json
import os
import sys
import tempfile

from docqa.workers.sandbox import Confinement, confine, watch_parent

if __name__ == "__main__":
    if os.name == "posix" and sys.platform != "linux":
        watch_parent()
    bounds = Confinement(**json.loads(sys.argv[1]))
    tempfile.tempdir = bounds.temporary  # it would be tried by writing a file, which will be refused
    confine(bounds)

    importlib.import_module(sys.argv[2]).main()
