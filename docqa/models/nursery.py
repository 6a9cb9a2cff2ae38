"""Whence the processes of encoders come: `python -m docqa.models.nursery DESCRIPTOR`.

OpenVINO and the tokenizers take half a second to import, and 30 MB of each process that does; forked ones share what
this one has imported. It reads no model itself.
"""

import importlib
import os
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from docqa.models.embedder_child import ENVIRONMENT
from docqa.workers.forking import serve_forks
from docqa.workers.loading import loading

IMPORTED = ("docqa.models.sentence_encoder", "docqa.models.reader.network", "docqa.models.verifier_child")


def main() -> None:
    """Fork processes of models for the server at the other end of the socket with this number."""
    os.environ |= ENVIRONMENT
    with loading():
        for module in IMPORTED:
            importlib.import_module(module)
    serve_forks(socket.socket(fileno=int(sys.argv[1])), _run)


def _run(request: Mapping[str, Any]) -> None:
    module = request["module"]
    with suppress(OSError):
        Path("/proc/self/comm").write_text(module.rpartition(".")[2])  # what `top` shows
    importlib.import_module(module).main(request["arguments"])


if __name__ == "__main__":
    main()
