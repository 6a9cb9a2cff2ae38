"""Nothing that was acknowledged is lost, nothing that was deleted comes back, nothing is there by half.

python tests/torture/kill.py [ROUNDS] [MINUTES]        20 rounds, at most 25 minutes

Each round starts a server on the same data, checks it against what was acknowledged, and lets several clients upload,
delete, make and change knowledge bases, while the background works; at a random moment it is killed with SIGKILL. Then the
file must be sound. Where a round fails, the folder is kept and named.
"""

import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

import httpx

from conftest import Server, start_server
from docqa.store.database import connect
from docqa.store.repair import examine

CLIENTS = 3
MOST_KEPT = 60  # documents; beyond them more are deleted than added, so that a check stays short
MOST_ACKNOWLEDGED = 6  # requests of a round before the kill, which then comes within MOMENT
MOMENT = 0.3  # seconds
FIRST, LONGEST = 60.0, 3.0  # seconds until the first is acknowledged, on a busy machine, and from then to the kill
SERVER = {"DOCQA_EMBEDDER": "none", "DOCQA_VERIFIER": "off", "DOCQA_READER": "off", "DOCQA_LOG_LEVEL": "error"}


@dataclass
class Ledger:
    """What was acknowledged. What was asked for when the server died may be there or not: it is `open` until it is seen,
    and then it is whole."""

    documents: dict[str, bytes] = field(default_factory=dict)
    bases: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    sent: dict[bytes, None] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    acknowledged: int = 0


class Client:
    """One client's requests, until the server is gone; it touches only what is its own."""

    def __init__(self, server: Server, ledger: Ledger, seed: str) -> None:
        self._http, self._ledger, self._seed = server.client(), ledger, seed
        self._chance = random.Random(seed)
        self._own: list[str] = []
        self._bases: list[str] = []

    def work(self) -> None:
        """Request after request until one fails."""
        with suppress(httpx.TransportError), self._http:
            for number in range(100_000):
                crowded = len(self._ledger.documents) > MOST_KEPT
                kinds: list[tuple[Callable[[int], None], int]] = [
                    (self._upload, 2 if crowded else 6),
                    (self._delete, 4 if crowded else 2),
                    (self._make_base, 1),
                    (self._change_base, 1),
                    (self._delete_base, 1),
                ]
                [act] = self._chance.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])
                act(number)

    def _acknowledge(self, change: Callable[[], Any]) -> None:
        with self._ledger.lock:
            change()
            self._ledger.acknowledged += 1

    def _upload(self, number: int) -> None:
        paragraphs = self._chance.choice((1, 3, 10, 60))
        data = "\n\n".join(f"Document {self._seed} {number}, paragraph {n}. " * 9 for n in range(paragraphs)).encode()
        with self._ledger.lock:
            self._ledger.sent[data] = None
        sent = self._http.post("/v1/api/upload", files={"file": (f"{number}.txt", data)})
        doc_id = sent.raise_for_status().json()["doc_id"]
        self._acknowledge(lambda: self._ledger.documents.__setitem__(doc_id, data))
        self._own.append(doc_id)

    def _delete(self, number: int) -> None:
        with self._ledger.lock:
            used = {member for _, members in self._ledger.bases.values() for member in members}
            free = [doc_id for doc_id in self._own or self._ledger.documents if doc_id not in used]
            doc_id = self._chance.choice(free) if free else ""
            if not doc_id or self._ledger.documents.pop(doc_id, None) is None:
                return
            self._ledger.open.add(doc_id)
        if doc_id in self._own:
            self._own.remove(doc_id)
        self._http.delete(f"/v1/api/documents/{doc_id}").raise_for_status()
        self._acknowledge(lambda: (self._ledger.open.discard(doc_id), self._ledger.gone.add(doc_id)))

    def _make_base(self, number: int) -> None:
        name, members = f"Base {self._seed} {number}", self._members()
        made = self._http.post("/v1/api/knowledge", json={"name": name, "document_ids": members})
        if made.status_code == 404:  # another client deleted one of them
            return
        base = made.raise_for_status().json()["knowledge_base_id"]
        self._acknowledge(lambda: self._ledger.bases.__setitem__(base, (name, members)))
        self._bases.append(base)

    def _members(self) -> list[str]:
        return self._chance.sample(self._own, min(len(self._own), 3))

    def _change_base(self, number: int) -> None:
        if not self._bases:
            return
        base, members = self._chance.choice(self._bases), self._members()
        with self._ledger.lock:
            name, _ = self._ledger.bases.pop(base)
        changed = self._http.put(f"/v1/api/knowledge/{base}", json={"document_ids": members})
        if changed.status_code == 404:
            self._bases.remove(base)
            return
        changed.raise_for_status()
        self._acknowledge(lambda: self._ledger.bases.__setitem__(base, (name, members)))

    def _delete_base(self, number: int) -> None:
        if not self._bases:
            return
        base = self._bases.pop()
        with self._ledger.lock:
            del self._ledger.bases[base]
        self._http.delete(f"/v1/api/knowledge/{base}").raise_for_status()
        self._acknowledge(lambda: self._ledger.gone.add(base))


def check(server: Server, ledger: Ledger) -> None:
    """What the server has is what it acknowledged. Raises AssertionError."""
    with server.client() as client:
        listed, page = {}, 1
        while documents := client.get(f"/v1/api/documents?page_size=100&page={page}").json()["documents"]:
            listed |= {document["doc_id"]: document for document in documents}
            page += 1
        for doc_id, data in ledger.documents.items():
            assert doc_id in listed, f"{doc_id} is lost"
            assert client.get(f"/v1/api/documents/{doc_id}/file").content == data, f"{doc_id} is changed"
        for doc_id in listed.keys() - ledger.documents.keys():
            assert doc_id not in ledger.gone, f"{doc_id} is back"
            data = client.get(f"/v1/api/documents/{doc_id}/file").content
            assert data in ledger.sent, f"{doc_id} is there by half"
            ledger.documents[doc_id] = data
        ledger.gone |= ledger.open - listed.keys()
        ledger.open.clear()
        for doc_id in ledger.documents:
            text = client.get(f"/v1/api/documents/{doc_id}/pages/1").json()["text"]
            assert text.split()[0] == "Document", f"{doc_id} has no text"
        for base, (name, members) in ledger.bases.items():
            known = client.get(f"/v1/api/knowledge/{base}")
            assert known.status_code == 200, f"the knowledge base {name} is lost"
            names = [member["doc_id"] for member in known.json()["document_details"]]
            assert names == [member for member in members if member not in ledger.gone], f"{name} has other members"
        shown, page = set(), 1
        while bases := client.get(f"/v1/api/knowledge?page_size=100&page={page}").json()["knowledge_bases"]:
            shown |= {base["knowledge_base_id"] for base in bases}
            page += 1
        assert not shown & ledger.gone, f"{shown & ledger.gone} are back"


def sound(data: Path) -> None:
    """The file is whole: pages, indexes, rows that belong to each other, originals. Raises AssertionError."""
    damages = examine(data / "docqa.sqlite")
    assert not damages, "; ".join(damage.what for damage in damages)
    conn = connect(data / "docqa.sqlite")
    whole = """SELECT d.doc_id FROM document d WHERE NOT EXISTS (SELECT 1 FROM page WHERE document = d.id)
               OR NOT EXISTS (SELECT 1 FROM chunk WHERE document = d.id)"""
    assert conn.execute(whole).fetchall() == [], "documents without pages or passages"
    conn.close()


def wait(reached: Callable[[], bool], seconds: float) -> None:
    """Until it is reached, or so many seconds are over."""
    end = time.monotonic() + seconds
    while not reached() and time.monotonic() < end:
        time.sleep(0.01)


def round_of(data: Path, ledger: Ledger, seed: str) -> None:
    """Start, check, work, kill, check the file."""
    server, enough = start_server(data, **SERVER), ledger.acknowledged + random.randint(1, MOST_ACKNOWLEDGED)
    try:
        check(server, ledger)
        clients = [Client(server, ledger, f"{seed}.{number}") for number in range(CLIENTS)]
        threads = [threading.Thread(target=client.work) for client in clients]
        for thread in threads:
            thread.start()
        before = ledger.acknowledged
        wait(lambda: ledger.acknowledged > before, FIRST)
        wait(lambda: ledger.acknowledged >= enough, LONGEST)
        time.sleep(random.uniform(0, MOMENT))
    finally:
        server.process.kill()
        server.process.wait()
        assert server.process.stdout is not None
        server.process.stdout.close()
    for thread in threads:
        thread.join()
    sound(data)


def kill_again_and_again(data: Path, rounds: int, seconds: float) -> tuple[int, Ledger]:
    """(how many rounds were made within the time, what was acknowledged in them). Raises AssertionError."""
    ledger, end = Ledger(), time.monotonic() + seconds
    for number in range(rounds):
        if time.monotonic() > end:
            return number, ledger
        round_of(data, ledger, str(number))
        if number % 10 == 9:
            print(
                f"{number + 1} kills: {ledger.acknowledged} requests acknowledged, {len(ledger.documents)} documents and "
                f"{len(ledger.bases)} knowledge bases kept, {len(ledger.gone)} gone; 0 lost, 0 back, 0 by half",
                flush=True,
            )
    return rounds, ledger


def main() -> None:
    """The rounds that were asked for."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 25
    folder, started = Path(tempfile.mkdtemp(prefix="docqa-kill-")), time.monotonic()
    try:
        made, ledger = kill_again_and_again(folder / "data", rounds, 60 * minutes)
    except AssertionError as error:
        sys.exit(f"{error}. The data are in {folder}.")
    print(
        f"{made} kills in {time.monotonic() - started:.0f} s, {ledger.acknowledged} requests acknowledged: nothing lost"
    )
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
