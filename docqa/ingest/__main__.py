"""The child process that reads a file: `python -m docqa.ingest BOUNDS`, confined before it imports more."""

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

    from docqa.ingest.child import main

    main()
