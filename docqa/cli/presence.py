"""Which server works on a data folder: it holds a lock there and writes down its address, for the other commands.

The lock ends with its process, however that ends, so that no address outlives its server.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from docqa.catalog.lock import hold_if_free
from docqa.store.modes import FILE

LOCK, ADDRESS = "server.lock", "server.json"
TRIES, PAUSE = 20, 0.05  # whoever looks for a server holds the lock for a moment, which must not keep one from showing


class Presence:
    """Of a server, on its data folder. Of two on one folder, the first one is there for the others."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._held = ExitStack()

    def announce(self, host: str, port: int) -> None:
        """Write down where the server listens. Raises OSError."""
        part = self._data / f"{ADDRESS}.{os.getpid()}"  # who looks meanwhile must not see half of it
        part.touch(mode=FILE)
        try:
            part.write_text(json.dumps({"url": url_of(host, port)}), "utf-8")
            for _ in range(TRIES):
                with ExitStack() as attempt:
                    if attempt.enter_context(hold_if_free(self._data / LOCK)):
                        part.replace(self._data / ADDRESS)
                        self._held = attempt.pop_all()
                        return
                time.sleep(PAUSE)
        finally:
            part.unlink(missing_ok=True)

    def end(self) -> None:
        """Be there no more."""
        self._held.close()


@contextmanager
def presence(data: Path) -> Iterator[Presence]:
    """A presence that ends with the block."""
    present = Presence(data)
    try:
        yield present
    finally:
        present.end()


def running(data: Path) -> str:
    """The URL of the server that works on this folder, "" if none does."""
    if not (data / ADDRESS).is_file():
        return ""
    with hold_if_free(data / LOCK) as free:
        return "" if free else str(json.loads((data / ADDRESS).read_text("utf-8"))["url"])


def url_of(host: str, port: int) -> str:
    """The address by which this machine reaches what listens on `host`."""
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"
