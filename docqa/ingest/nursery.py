"""Whence the children come that read files and draw pages: `python -m docqa.ingest.nursery DESCRIPTOR`.

It imports what they need, and has read a text of its own, before the first one is forked; each is confined before it is
given a file. What is imported here is kept compiled, too, which a confined child may not do.
"""

import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docqa.ingest import child
from docqa.ingest.bytecode import import_all
from docqa.ingest.confined import run_confined
from docqa.workers.forking import serve_forks
from docqa.workers.loading import loading
from docqa.workers.sandbox import Confinement


def main() -> None:
    """Fork readers for the server at the other end of the socket with this number."""
    with loading():
        import_all()
        child.rehearse()
    serve_forks(socket.socket(fileno=int(sys.argv[1])), _run)


def _run(request: Mapping[str, Any]) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    inherited = pages * os.sysconf("SC_PAGE_SIZE") >> 20
    bounds = Confinement(**request["bounds"])
    run_confined(bounds._replace(memory_mb=bounds.memory_mb + inherited), request["module"], request["helpers"])


if __name__ == "__main__":
    main()
