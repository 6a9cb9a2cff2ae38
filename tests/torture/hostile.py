"""Hostile files harm only themselves: python tests/torture/hostile.py [FILES] [SECONDS]

One account uploads hostile files of every format, two at a time: all that the tests of the readers know, and some made
to burden what comes after a reader. Another account chats meanwhile. Printed are the server's memory, the waits of the
chats beside those of a quiet server, and what is left behind. FILES are as many, spread over all; after SECONDS no
further one is sent.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "formats")]

import httpx

import test_hostile as known
import test_hostile_documents as documents
from conftest import Server, start_server, stop_server
from waiting import lives, readers_of, resident_mb

File = tuple[str, Callable[[], bytes]]

MEMORY_MB = 100  # that the server may take more
SLOWER = 2.0  # times the waits of a quiet server
QUIET = 60  # chats
PARALLEL = 2
SETTLED = 180.0  # seconds until everything that was sent is done
TEXT = "The lease of the harbour crane ends on 31 March. The yearly rent is 4,200 euros, to be paid in advance. " * 20
QUESTIONS = ("When does the lease end?", "How much is the yearly rent?", "What is leased?")
HEADING = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'


def cases(test: Callable[..., None]) -> Iterator[Any]:
    """The first argument of each case of a parametrised test."""
    for values in arguments(test):
        yield values[0]


def arguments(test: Callable[..., None]) -> Iterator[tuple[Any, ...]]:
    """The arguments of each case of a parametrised test, those that the suite leaves out among them."""
    [mark] = [mark for mark in test.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined]
    for case in mark.args[1]:
        if hasattr(case, "marks"):
            yield case.values
        else:
            yield (case,) if isinstance(mark.args[0], str) else case


def files() -> Iterator[File]:
    """Every hostile file, with the name that it is sent by; its bytes are made when it is its turn."""
    for make in cases(known.test_archives):
        yield "archive.epub", make
    for make, name, _ in arguments(known.test_workbooks):
        yield name, make
    for make in cases(known.test_slides_of_odd_shape):
        yield "slides.pptx", make
    for page in cases(known.test_pages_of_odd_shape):
        yield "page.html", page.encode
        yield "page.epub", lambda page=page: known.book(page)
    for make in cases(known.test_pdf):
        yield "a.pdf", make
    for make in cases(known.test_rtf):
        yield "a.rtf", make
    for make, name, _ in arguments(known.test_plain_files):
        yield name, make
    for make in cases(known.test_pictures):
        yield "picture.png", make
    for shapes in cases(known.test_opendocument_slides_of_odd_shape):
        yield "slides.odp", lambda shapes=shapes: known.presentation(known.slide(shapes))
    for changed in cases(known.test_ole):
        yield "slides.ppt", lambda changed=changed: known.ole(**changed)
    for make in cases(known.test_data_and_markup):
        source, name = make()
        yield name, source.encode
    for make in cases(known.test_messages):
        yield "message.eml", lambda make=make: make().encode("latin-1")
    for make in cases(documents.test_word_documents_of_odd_shape):
        yield "text.docx", make
    for body in cases(documents.test_opendocument_texts_of_odd_shape):
        yield "text.odt", lambda body=body: documents.odt(body)
    for make in cases(documents.test_binary_documents_of_odd_shape):
        yield "text.doc", make
    yield from burdens()


def burdens() -> Iterator[File]:
    """Files that are sound to their readers: what is made of them is the burden."""
    words = "some words of a text " * 8
    headings = "".join(f"<h2>Title {number}</h2><p>w</p>" for number in range(120_000))
    yield "headings.epub", lambda: known.book(HEADING.format(headings))
    giant = f"<h1>{'word and ' * 80_000}</h1>" + "".join(f"<p>{words}{number}</p>" for number in range(20_000))
    yield "heading.epub", lambda: known.book(HEADING.format(giant))
    yield "headings.md", lambda: "".join(f"# Title {number}\n\nw\n\n" for number in range(60_000)).encode()
    yield "heading.md", lambda: f"# {'word ' * 100_000}\n\n{(words + chr(10)) * 10_000}".encode()
    yield "heading.docx", lambda: documents.docx(documents.p("word " * 100_000) + documents.p(words) * 5_000)
    yield "million-quotes.csv", lambda: b"a,b\n" + b'"a. ","b. "\n' * 33_000
    yield "quotes.csv", lambda: b'a,b\n"' + b'""' * 200_000 + b'"\n'
    yield "quotes.txt", lambda: b'"' * 400_000
    yield "sentences.txt", lambda: b'"a." ' * 100_000
    yield "items.txt", lambda: b"All of these:\n" + b"- a\n" * 100_000
    yield "numbered.txt", lambda: "".join(f"{number % 99}. Rent\n\ntext\n\n" for number in range(40_000)).encode()
    yield "chapters.txt", lambda: "".join(f"Chapter {n % 900} Words\n\ntext\n\n" for n in range(40_000)).encode()
    yield (
        "header.csv",
        lambda: (",".join("column " * 60 for _ in range(90)) + "\n" + "1," * 89 + "1\n" * 1).encode() * 20,
    )
    yield "rows.csv", lambda: b"a,b,c\n" + b"".join(b"%d,x%d,y\n" % (n, n) for n in range(200_000))
    yield "values.csv", lambda: b"a,b\n" + b"".join(b"v%d,w%d\n" % (n, n) for n in range(150_000))
    yield "tables.md", lambda: b"|a|b|\n|-|-|\n|1|2|\n\nwords\n\n" * 20_000
    yield "tables.html", lambda: b"<table><tr><th>a<th>b<tr><td>1<td>2</table><p>words" * 10_000
    yield "names.txt", lambda: " ".join(f"Name{number} said." for number in range(150_000)).encode()
    yield "words.txt", lambda: " ".join(f"w{number}" for number in range(1_000_000)).encode()
    yield "languages.txt", lambda: "это слово 日本語 και 한국어 ".encode() * 100_000
    yield "dots.txt", lambda: b". " * 1_000_000
    yield "spaces.txt", lambda: b"a" + b" " * 5_000_000 + b"b"
    letter = "From a Mon Mar  2 09:30:00 2026\nFrom: a@example.org\nSubject: x\n\nwords\n\n"
    yield "letters.mbox", lambda: letter.encode() * 4_000
    yield "letter.msg", lambda: known.outlook({0x37: "x", 0x1000: "words. " * 200_000})
    yield "far.xlsb", lambda: known.xlsb("S", [["a"], *[[]] * 65_000, [*[0.0] * 400]])
    yield "wide.xlsm", lambda: known.workbook(map(known.single, range(100_000)))


class Chats(threading.Thread):
    """One account chats until it is stopped; `waits` are in seconds."""

    def __init__(self, client: httpx.Client, doc_id: str) -> None:
        super().__init__(daemon=True)
        self.waits: list[float] = []
        self.faults: list[str] = []
        self.stopped = threading.Event()
        self._client, self._doc_id = client, doc_id

    def chat(self) -> None:
        """One question; its wait is noted."""
        question = QUESTIONS[len(self.waits) % len(QUESTIONS)]
        start = time.monotonic()
        response = self._client.post(f"/v1/chat/{self._doc_id}", json=[{"sender": "user", "message": question}])
        self.waits.append(time.monotonic() - start)
        if response.status_code != 200:
            self.faults.append(f"{response.status_code} {response.text[:200]}")

    def run(self) -> None:
        """Chat with a pause between two questions."""
        while not self.stopped.wait(0.3):
            self.chat()


def account(server: Server, name: str) -> httpx.Client:
    """A client of a new account."""
    command = [sys.executable, str(ROOT / "run.py"), "key", "add", "torture", "--account", name]
    command += ["--data", str(server.data)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    key = done.stdout.split()[-1]
    return httpx.Client(base_url=server.base, headers={"x-api-key": key}, timeout=180)


def percentile(values: list[float], share: float) -> float:
    """The value that so large a share of them does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def torment(server: Server, sent: list[File], seconds: float) -> int:
    """Send the files while another account chats; print the figures. 1 where one of them is too high."""
    pid = server.process.pid
    alice, mallory = account(server, "alice"), account(server, "mallory")
    doc_id = (
        alice.post("/v1/api/upload", files={"file": ("lease.txt", TEXT.encode())}).raise_for_status().json()["doc_id"]
    )
    server.wait("/healthz", "indexing", 0)
    chats = Chats(alice, doc_id)
    for _ in range(QUIET + 10):
        chats.chat()
    quiet, chats.waits = chats.waits[10:], []
    before, descriptors = resident_mb(pid), len(os.listdir(f"/proc/{pid}/fd"))
    peak, ended, slowest = before, Counter[str](), (0.0, "")
    waiting, lock, end = iter(sent), threading.Lock(), time.monotonic() + seconds
    count = Counter[str]()

    def upload() -> None:
        nonlocal slowest
        while time.monotonic() < end:
            with lock:
                name, make = next(waiting, ("", bytes))
                data = make()
            if not name:
                return
            start = time.monotonic()
            response = mallory.post("/v1/api/upload", files={"file": (name, data)})
            took = time.monotonic() - start
            with lock:
                count[Path(name).suffix] += 1
                ended[f"{Path(name).suffix:6} {response.status_code}"] += 1
                slowest = max(slowest, (took, name))
                if response.status_code not in (201, 422):
                    print(f"{name}: {response.status_code} {response.text[:200]}", flush=True)

    uploads = [threading.Thread(target=upload, daemon=True) for _ in range(PARALLEL)]
    for thread in [chats, *uploads]:
        thread.start()
    while any(thread.is_alive() for thread in uploads):
        peak = max(peak, resident_mb(pid))
        time.sleep(0.05)
    settled = time.monotonic() + SETTLED
    with server.client() as client:
        while time.monotonic() < settled and client.get("/healthz").json()["indexing"]:
            peak = max(peak, resident_mb(pid))
            time.sleep(0.2)
    chats.stopped.set()
    chats.join()
    time.sleep(2)
    left = readers_of(pid), list(Path(tempfile.gettempdir()).glob(f"docqa-reader-{pid}-*"))
    more = len(os.listdir(f"/proc/{pid}/fd")) - descriptors
    print("\n".join(f"{times:5} {name}" for name, times in sorted(ended.items())))
    worst = percentile(chats.waits, 0.95) / percentile(quiet, 0.95)
    print(f"files sent          {ended.total()} of {len(count)} formats; slowest {slowest[0]:.1f} s ({slowest[1]})")
    print(f"server memory       {before:.0f} MB before, {peak:.0f} MB at most: +{peak - before:.0f} MB")
    for name, waits in (("quiet", quiet), ("meanwhile", chats.waits)):
        figures = (
            f"median {statistics.median(waits):.3f} s, p95 {percentile(waits, 0.95):.3f} s, most {max(waits):.3f} s"
        )
        print(f"chats, {name:12} {len(waits):4}: {figures}")
    print(
        f"p95 of the chats    {worst:.2f} times that of a quiet server; failed: {len(chats.faults)} {chats.faults[:3]}"
    )
    print(f"left behind         {len(left[0])} readers, {len(left[1])} temporary folders, {more:+} descriptors")
    assert lives(pid)
    failed = peak - before > MEMORY_MB or worst > SLOWER or chats.faults or any(left) or more > 10
    return int(bool(failed) or any(int(name.split()[-1]) not in (201, 422) for name in ended))


def main() -> int:
    """Run it against a server of its own."""
    every = list(files())
    wanted = min(int(sys.argv[1]) if len(sys.argv) > 1 else len(every), len(every))
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1800.0
    sent = [every[place * len(every) // wanted] for place in range(wanted)]
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder) / "data", DOCQA_VERIFIER="off")
        try:
            return torment(server, sent, seconds)
        finally:
            assert stop_server(server) == 0


if __name__ == "__main__":
    sys.exit(main())
