"""A library read in while somebody chats: python tests/bench/bulk.py [--documents N] [--pages N] [--folder DIR] [--alone]

PDF files made here, or those of a folder, are uploaded by two clients to a server with its models; another client asks a
document of its own again and again, before and meanwhile, unless the files are to be `--alone`. Says documents a minute
until they are searchable and until they are embedded, pages a second until 201 beside bare PyMuPDF's text of the same
files in this process, processor seconds a page, the peak memory of all processes, and p50 and p95 of the chats. Linux
only.
"""

import argparse
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

import pymupdf
from wordfreq import top_n_list

from conftest import Server, start_server, stop_server
from docqa.cli.peers.pdf_file import pdf
from docqa.cli.processes import memory_of, processor_seconds_of

CLIENTS = 2
QUIET_CHATS = 20
BETWEEN = 0.5  # seconds between two chats, and between two looks at the memory
LEASE = "The lease of the warehouse was signed on 3 May 2021. It ends on 2 May 2031. The monthly rent is 12,400 euros."
QUESTION = [{"sender": "user", "message": "How much is the monthly rent?"}]
LINES, WORDS = 46, 13  # of a page, of a line
VOCABULARY = 20_000


def made(number: int, pages: int) -> bytes:
    """A report of English words, as common and as rare as in a text, with facts of its own."""
    dice = random.Random(number)
    known = [word for word in top_n_list("en", VOCABULARY) if word.isascii()]

    def word() -> str:
        return str(known[min(int(dice.paretovariate(0.6)), len(known)) - 1])

    return pdf(
        [
            [
                f"Report {number}, page {page}: {dice.randrange(10**6)} tonnes",
                *(" ".join(word() for _ in range(WORDS)) for _ in range(LINES)),
            ]
            for page in range(pages)
        ]
    )


def bare(files: list[tuple[str, bytes]]) -> tuple[int, float]:
    """(pages, seconds) of PyMuPDF's text."""
    started, pages = time.perf_counter(), 0
    for _, data in files:
        with pymupdf.open(stream=data, filetype="pdf") as document:
            pages += sum(1 for page in document if page.get_text() is not None)
    return pages, time.perf_counter() - started


def upload(server: Server, files: list[tuple[str, bytes]]) -> None:
    with server.client() as client:
        client.timeout = 300
        for file in files:
            client.post("/v1/api/upload", files={"file": file}).raise_for_status()


@contextmanager
def again_and_again(act: Callable[[], None]) -> Iterator[None]:
    """In a thread of its own, as long as the block runs. Raises what `act` does."""
    done = threading.Event()

    def go_on() -> None:
        while not done.wait(BETWEEN):
            act()

    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(go_on)
        try:
            yield
        finally:
            done.set()
        acting.result()


class Chats:
    """Somebody who asks one document, as long as the block runs."""

    def __init__(self, server: Server, doc_id: str) -> None:
        self._server, self._path = server, f"/v1/chat/{doc_id}?model_name=QUOTES"

    def ask(self) -> float:
        with self._server.client() as client:
            started = time.perf_counter()
            client.post(self._path, json=QUESTION).raise_for_status()
            return time.perf_counter() - started

    @contextmanager
    def meanwhile(self) -> Iterator[list[float]]:
        """Their seconds."""
        taken = [self.ask()]
        with again_and_again(lambda: taken.append(self.ask())):
            yield taken


@contextmanager
def peak_of(pid: int) -> Iterator[list[int]]:
    """The most bytes that the tree has held, last."""
    peak = [memory_of(pid)]
    with again_and_again(lambda: peak.append(max(peak[-1], memory_of(pid)))):
        yield peak


def spread(seconds: list[float]) -> str:
    return f"p50 {1000 * statistics.median(seconds):.0f}, p95 {1000 * p95(seconds):.0f} ms of {len(seconds)}"


def p95(seconds: list[float]) -> float:
    return sorted(seconds)[int(0.95 * (len(seconds) - 1))]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--alone", action="store_true")
    given = parser.parse_args()
    if given.folder:
        files = [(path.name, path.read_bytes()) for path in sorted(given.folder.glob("*.pdf"))][: given.documents]
    else:
        files = [(f"report-{number}.pdf", made(number, given.pages)) for number in range(given.documents)]
    bare(files[:1])
    pages, bare_seconds = bare(files)
    count = len(files)
    print(f"{count} documents, {pages} pages, uploaded by {CLIENTS} clients")
    print(f"bare PyMuPDF: {pages / bare_seconds:.0f} pages/s in one process")
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder) / "data")
        server.wait("/healthz", "verifier", "ready", 60)  # without it chats are quicker, and less busy
        with server.client() as client:
            added = client.post("/v1/api/upload", files={"file": ("lease.txt", LEASE.encode())}).raise_for_status()
        server.wait("/healthz", "indexing", 0)
        chats = Chats(server, added.json()["doc_id"])
        chats.ask()  # loads the reader
        quiet = [chats.ask() for _ in range(QUIET_CHATS)]
        print(f"chats, quiet: {spread(quiet)}")
        idle, worked = memory_of(server.process.pid), processor_seconds_of(server.process.pid)
        started = time.perf_counter()
        with peak_of(server.process.pid) as peak, nullcontext([]) if given.alone else chats.meanwhile() as busy:
            with ThreadPoolExecutor(CLIENTS) as pool:
                list(pool.map(lambda number: upload(server, files[number::CLIENTS]), range(CLIENTS)))
            searchable = time.perf_counter() - started
            uploading = list(busy)
            print(
                f"until 201: {60 * count / searchable:.0f} documents a minute, {pages / searchable:.0f} pages/s, "
                f"{bare_seconds / searchable:.2f} of bare"
            )
            if busy:
                print(f"chats meanwhile: {spread(uploading)}; p95 {p95(uploading) / p95(quiet):.1f} x quiet")
            server.wait("/healthz", "indexing", 0, 3600)
            embedded = time.perf_counter() - started
        worked = processor_seconds_of(server.process.pid) - worked
        stop_server(server)
    print(f"until embedded: {60 * count / embedded:.0f} documents a minute, {pages / embedded:.1f} pages/s")
    if busy:
        print(f"chats until then: {spread(busy)}; p95 {p95(busy) / p95(quiet):.1f} x quiet")
    print(f"processor: {1000 * worked / pages:.0f} ms a page, chats included")
    print(f"memory of all processes: {idle / 1e6:.0f} MB before, {peak[-1] / 1e6:.0f} MB at most")


if __name__ == "__main__":
    main()
