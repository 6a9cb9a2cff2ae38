"""Whence the children come that read files and draw pages: `python -m docqa.ingest.nursery DESCRIPTOR`.

It imports what they need, and has read a text of its own, before the first one is forked; each is confined before it is
given a file. What is imported here is kept compiled, too, which a confined child may not do.
"""

import importlib
import pkgutil
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docqa import formats
from docqa.ingest import child
from docqa.ingest.confined import run_confined
from docqa.workers.forking import serve_forks
from docqa.workers.sandbox import Confinement

_FURTHER = ("docqa.ingest.drawing_child", "docqa.ingest.gist", "docqa.ingest.questions_child")


def main() -> None:
    """Fork readers for the server at the other end of the socket with this number."""
    readers = pkgutil.walk_packages(formats.__path__, "docqa.formats.")
    for name in (*(module.name for module in readers if not module.ispkg), *_FURTHER):
        importlib.import_module(name)
    child.rehearse()
    serve_forks(socket.socket(fileno=int(sys.argv[1])), _run)


def _run(request: Mapping[str, Any]) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    inherited = pages * 4096 >> 20
    bounds = Confinement(**request["bounds"])
    run_confined(bounds._replace(memory_mb=bounds.memory_mb + inherited), request["module"])


if __name__ == "__main__":
    main()
