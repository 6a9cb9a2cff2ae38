"""Sends items to the service, a few at a time, and says what became of each."""

import os
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from typing import IO, cast

from docqa.cli.client.items import CannotUnpack, Item
from docqa.cli.client.service import Refused, Service
from docqa.cli.terminal import Bars
from docqa.errors import DocqaError

ADDED, PRESENT, REFUSED = "added", "present", "refused"
AT_ONCE = 2  # as many as the server reads at once, by default
TRIES, LONGEST_PAUSE = 20, 30  # of a server that is busy; seconds


@dataclass(frozen=True)
class Outcome:
    """What became of an item: `result` is ADDED, PRESENT (the same bytes were there) or REFUSED for a `reason`."""

    path: str
    name: str
    result: str
    doc_id: str = ""
    reason: str = ""


class Stopped(DocqaError):
    """The sending was stopped."""


class Sending:
    """Items on their way, each to be filed under `tags`. `known` are the doc_ids that are there, to which new ones are
    added."""

    def __init__(self, service: Service, known: set[str], bars: Bars, tags: Sequence[str] = ()) -> None:
        self._service, self._known, self._bars, self._tags = service, known, bars, tags
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    def send(self, items: Sequence[Item]) -> Generator[Outcome, None, None]:
        """Send all; their outcomes as they come. Closed before its end, it breaks off what is being sent, and waits for
        what the server is reading."""
        whole = self._bars.add(f"{len(items)} files", len(items))
        with ThreadPoolExecutor(AT_ONCE) as threads:
            coming = [threads.submit(self._send, item) for item in items]
            try:
                for done, future in enumerate(as_completed(coming), 1):
                    self._bars.move(whole, done, len(items), f"{done} of {len(items)} files")
                    yield future.result()
            finally:
                self._stopped.set()
                threads.shutdown(wait=False, cancel_futures=True)
        self._bars.drop(whole)

    def _send(self, item: Item) -> Outcome:
        bar = self._bars.add(item.name, None)
        try:
            doc_id = self._patiently(item, bar)
        except (Refused, CannotUnpack, OSError) as error:
            return Outcome(item.shown, item.name, REFUSED, reason=str(error))
        finally:
            self._bars.drop(bar)
        with self._lock:
            result = PRESENT if doc_id in self._known else ADDED
            self._known.add(doc_id)
        return Outcome(item.shown, item.name, result, doc_id)

    def _patiently(self, item: Item, bar: int) -> str:
        """The doc_id, also of a server that was busy at first. Raises Refused, Unreachable, CannotUnpack, OSError."""
        for _ in range(TRIES - 1):
            try:
                return self._once(item, bar)
            except Refused as error:
                if not error.retry_after:
                    raise
                self._bars.pulse(bar, f"{item.name}: waiting for the server")
                if self._stopped.wait(min(error.retry_after, LONGEST_PAUSE)):
                    raise Stopped("Stopped.") from error
        return self._once(item, bar)

    def _once(self, item: Item, bar: int) -> str:
        if item.open is None:
            return self._service.link(item.name, self._tags)
        with closing(item.open()) as content:
            counted = _Counted(content, item.name, self._bars, bar, self._stopped)
            return self._service.upload(item.name, cast(IO[bytes], counted), self._tags)


class _Counted:
    """A file that moves a bar while it is read, and cannot be read after a stop."""

    def __init__(self, content: IO[bytes], name: str, bars: Bars, bar: int, stopped: threading.Event) -> None:
        self._content, self._name, self._bars, self._bar, self._stopped = content, name, bars, bar, stopped
        self._size = os.fstat(content.fileno()).st_size

    def __getattr__(self, name: str) -> object:
        return getattr(self._content, name)

    def read(self, size: int = -1) -> bytes:
        """As of the file. Raises Stopped."""
        if self._stopped.is_set():
            raise Stopped("Stopped.")
        piece = self._content.read(size)
        if (done := self._content.tell()) < self._size:
            self._bars.move(self._bar, done, self._size, f"{self._name}: sending")
        else:
            self._bars.pulse(self._bar, f"{self._name}: being read")
        return piece


def wait_until_ready(service: Service, doc_ids: Sequence[str], bars: Bars) -> None:
    """Wait for the background work on documents, with a bar."""
    waiting, bar = list(doc_ids), bars.add("vectors, scanned pages, summaries", len(doc_ids))
    while waiting:
        done = len(doc_ids) - len(waiting)
        bars.move(bar, done, len(doc_ids), f"vectors, scanned pages, summaries: {done} of {len(doc_ids)} documents")
        status = service.call("GET", f"/v1/api/documents/{waiting[0]}/status")
        if status["state"] == "indexing":
            time.sleep(0.3)
        else:
            waiting.pop(0)
    bars.drop(bar)
