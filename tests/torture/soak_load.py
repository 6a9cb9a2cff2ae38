"""What ten accounts do all day: the load of soak.py, at a fixed pace, whatever the server takes for it."""

import http.server
import random
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path[:0] = [str(Path(__file__).parent)]

import fuzz
import httpx
from overload import large_pdf

KEPT = 10  # documents of an account, and
KEPT_BASES = 2
SMALL, LARGE = (1, 8, 40), 700  # paragraphs of a text, 250 characters each
PLACES = ("Bergen", "Turku", "Gdynia", "Antwerp", "Cork", "Vigo", "Trieste", "Kiel")
THINGS = ("warehouse", "crane", "office", "berth", "garage", "workshop")
QUESTIONS = (
    "How much is the rent of the {thing} in {place}?",
    "When does the lease of the {thing} in {place} end?",
    "Who is the tenant of the {thing}?",
    "What is this document about?",
    "Is there a {thing} in Reykjavik?",
    "How many contracts are there in {place}?",
)
# Refusals that may come at any time: too much at once, a full disk.
BUSY = {503, 507}


@dataclass(frozen=True)
class Request:
    """What was done, when (seconds since the start), how long it took, and how it ended; 0 where the client left."""

    kind: str
    at: float
    seconds: float
    status: int


@dataclass
class Ledger:
    """All that was done, and what should not have been."""

    start: float = field(default_factory=time.monotonic)
    requests: list[Request] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def fault(self, text: str) -> None:
        """Note what should not have been, and say it."""
        self.faults.append(text)
        print(f"  {time.monotonic() - self.start:6.0f} s: {text}", flush=True)


def words(chance: random.Random, paragraphs: int) -> str:
    """A text that questions can be asked about; no two are alike."""
    return "\n\n".join(
        f"The {chance.choice(THINGS)} in {chance.choice(PLACES)} is let to tenant {chance.randrange(10**6)}. Its rent is "
        f"{chance.randrange(100, 9000)} euros a month, to be paid by day {chance.randrange(1, 28)}. The lease ends on "
        f"{chance.randrange(1, 28)} March {chance.randrange(2027, 2040)}, and the keys are kept in box {number}."
        for number in range(paragraphs)
    )


class Page(http.server.BaseHTTPRequestHandler):
    """The site that links lead to: another page at each path."""

    def do_GET(self) -> None:
        """A page about what its path says."""
        body = f"<h1>Report {self.path}</h1><p>{words(random.Random(self.path), 6)}</p>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


def site() -> str:
    """The address of a site, served until this process ends."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


class Account(threading.Thread):
    """One account, which does one thing after the other, `pace` seconds from start to start, until `stopped`."""

    def __init__(self, base: str, key: str, number: int, site: str, ledger: Ledger, pace: float) -> None:
        super().__init__(daemon=True)
        self.stopped = threading.Event()
        self._base, self._key, self._site, self._ledger, self._pace = base, key, site, ledger, pace
        self._chance = random.Random(number)
        limits = httpx.Limits(keepalive_expiry=2.0)  # before the server closes it, which would look like a fault
        self._http = httpx.Client(base_url=base, headers={"x-api-key": key}, timeout=90, limits=limits)
        self._documents: dict[str, tuple[str, bytes]] = {}  # by doc_id: name and bytes, none of a link; oldest first
        self._bases: list[str] = []
        self._kind = ""
        self._first = pace * number / 10

    def run(self) -> None:
        """Act at each turn; a turn that comes while the one before still lasts is left out."""
        actions, weights = zip(*self._actions(), strict=True)
        due = time.monotonic() + self._first
        while not self.stopped.wait(max(0.0, due - time.monotonic())):
            [act] = self._chance.choices(actions, weights) if self._documents else [self._small]
            try:
                act()
            except Exception as error:  # noqa: BLE001 - whatever it is, the load goes on
                self._ledger.fault(f"{self._kind}: {type(error).__name__}: {error}")
            due = max(due + self._pace, time.monotonic())
        self._http.close()

    def _actions(self) -> list[tuple[Callable[[], None], float]]:
        return [
            (self._small, 4),
            (self._any_format, 5),
            (self._large, 0.4),
            (self._large_file, 0.2),
            (self._link, 1),
            (self._same_again, 0.5),
            (self._chat, 6),
            (self._stream, 5),
            (self._retrieve, 4),
            (self._download, 2),
            (self._look, 3),
            (self._make_base, 2),
            (self._use_base, 4),
            (self._leave_chat, 1),
            (self._leave_stream, 1),
            (self._leave_download, 1),
            (self._leave_upload, 1),
            (self._refused, 1),
            (self._damaged, 2),
            (self._wrong_key, 1),
            (self._nonsense, 1),
        ]

    def _send(self, kind: str, method: str, path: str, expected: set[int], **given: Any) -> httpx.Response:
        """One request, which is noted; a status that is not expected is a fault."""
        self._kind, start = kind, time.monotonic()
        response = self._http.request(method, path, **given)
        self._note(kind, start, response.status_code)
        if response.status_code not in expected | BUSY:
            self._ledger.fault(f"{kind}: {response.status_code} {response.text[:200]}")
        return response

    def _note(self, kind: str, start: float, status: int) -> None:
        now = time.monotonic()
        self._ledger.requests.append(Request(kind, start - self._ledger.start, now - start, status))

    # --- documents ---

    def _upload(self, kind: str, name: str, data: bytes, expected: set[int]) -> None:
        response = self._send(kind, "POST", "/v1/api/upload", expected, files={"file": (name, data)})
        self._keep(response, name, data)

    def _keep(self, response: httpx.Response, name: str = "", data: bytes = b"") -> None:
        """Note a new document, and delete the oldest ones beyond KEPT."""
        if response.status_code != 201:
            return
        self._documents.setdefault(response.json()["doc_id"], (name, data))
        while len(self._documents) > KEPT:
            old = next(iter(self._documents))
            del self._documents[old]
            self._send("delete", "DELETE", f"/v1/api/documents/{old}", {200})

    def _any_document(self) -> tuple[str, tuple[str, bytes]]:
        return self._chance.choice(list(self._documents.items()))

    def _small(self) -> None:
        text = words(self._chance, self._chance.choice(SMALL))
        self._upload("upload", "leases.txt", text.encode(), {201})

    def _large(self) -> None:
        self._upload("upload, long text", "all.txt", words(self._chance, LARGE).encode(), {201})

    def _large_file(self) -> None:
        self._upload("upload, 40 MB", "plan.pdf", large_pdf(), {201})

    def _any_format(self) -> None:
        suffix, data = self._sample()
        self._upload("upload, any format", f"a{suffix}", data, {201, 422})

    def _sample(self) -> tuple[str, bytes]:
        suffix, made = self._chance.choice(sorted(fuzz.samples(self._chance).items()))
        return suffix or ".html", self._chance.choice(made)

    def _same_again(self) -> None:
        doc_id, (name, data) = self._any_document()
        if data:
            response = self._send("upload, same again", "POST", "/v1/api/upload", {201}, files={"file": (name, data)})
            if response.status_code == 201 and response.json()["doc_id"] != doc_id:
                self._ledger.fault("the same bytes got another doc_id")

    def _link(self) -> None:
        given = {"url": f"{self._site}/{self._chance.randrange(10**9)}"}
        self._keep(self._send("link", "GET", "/v1/api/download_pdf", {201}, params=given))

    def _download(self) -> None:
        doc_id, (_, data) = self._any_document()
        response = self._send("download", "GET", f"/v1/api/documents/{doc_id}/file", {200})
        if data and response.status_code == 200 and response.content != data:
            self._ledger.fault("a download is not what was uploaded")

    def _look(self) -> None:
        doc_id, _ = self._any_document()
        for path in ("", "/status", "/pages/1"):
            self._send("look", "GET", f"/v1/api/documents/{doc_id}{path}", {200})
        self._send("list", "GET", "/v1/api/documents", {200}, params={"page_size": 100})

    # --- questions ---

    def _question(self) -> str:
        form = self._chance.choice(QUESTIONS)
        return form.format(thing=self._chance.choice(THINGS), place=self._chance.choice(PLACES))

    def _messages(self) -> list[dict[str, str]]:
        turns = [{"sender": "user", "message": self._question()} for _ in range(self._chance.choice((1, 1, 2)))]
        return [turns[0], {"sender": "bot", "message": "That is not stated."}, turns[1]] if turns[1:] else turns

    def _options(self) -> dict[str, Any]:
        chance = self._chance
        return {"cite_source": chance.choice((True, False)), "agent_mode": chance.choice((True, False))}

    def _chat_path(self) -> str:
        return f"/v1/chat/{self._any_document()[0]}"

    def _chat(self) -> None:
        self._send("chat", "POST", self._chat_path(), {200}, json=self._messages(), params=self._options())

    def _stream(self) -> None:
        given = self._options() | {"stream": True}
        self._send("chat, streamed", "POST", self._chat_path(), {200}, json=self._messages(), params=given)

    def _retrieve(self) -> None:
        body = {"query": self._question(), "doc_ids": list(self._documents), "top_k": self._chance.choice((5, 50))}
        self._send("retrieve", "POST", "/v1/api/retrieve", {200}, json=body)

    # --- knowledge bases ---

    def _members(self) -> list[str]:
        return self._chance.sample(list(self._documents), min(len(self._documents), 4))

    def _make_base(self) -> None:
        body = {"name": f"Leases {self._chance.randrange(10**6)}", "document_ids": self._members()}
        response = self._send("base made", "POST", "/v1/api/knowledge", {201}, json=body)
        if response.status_code == 201:
            self._bases.append(response.json()["knowledge_base_id"])
        while len(self._bases) > KEPT_BASES:
            self._send("base deleted", "DELETE", f"/v1/api/knowledge/{self._bases.pop(0)}", {200})

    def _use_base(self) -> None:
        if not self._bases:
            return self._make_base()
        base = self._chance.choice(self._bases)
        body = {"document_ids": self._members()}
        self._send("base filled", "PUT", f"/v1/api/knowledge/{base}", {200}, json=body)
        self._send("base searched", "GET", "/v1/api/search/knowledge", {200}, params={"query": "lease"})
        given = self._options() | {"stream": self._chance.choice((True, False))}
        body_of_chat = {"messages": self._messages()}
        self._send("base chat", "POST", f"/v1/api/knowledge/{base}/chat", {200}, json=body_of_chat, params=given)

    # --- clients that leave, and those that are wrong ---

    def _leave_chat(self) -> None:
        self._kind, start = "chat, left", time.monotonic()
        try:
            soon = httpx.Timeout(90, read=0.05)
            status = self._http.post(self._chat_path(), json=self._messages(), timeout=soon).status_code
        except httpx.ReadTimeout:
            status = 0
        self._note(self._kind, start, status)

    def _leave_stream(self) -> None:
        self._leave("stream, left", "POST", self._chat_path(), json=self._messages(), params={"stream": True})

    def _leave_download(self) -> None:
        doc_id, _ = self._any_document()
        self._leave("download, left", "GET", f"/v1/api/documents/{doc_id}/file")

    def _leave(self, kind: str, method: str, path: str, **given: Any) -> None:
        """Close the connection after the first bytes."""
        self._kind, start = kind, time.monotonic()
        with self._http.stream(method, path, **given) as response:
            next(response.iter_raw(1), b"")
        self._note(kind, start, response.status_code)

    def _leave_upload(self) -> None:
        self._kind, start = "upload, left", time.monotonic()
        address = urlsplit(self._base)
        head = (
            f"POST /v1/api/upload HTTP/1.1\r\nHost: localhost\r\nx-api-key: {self._key}\r\nContent-Length: 3000000\r\n"
        )
        part = '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        with socket.create_connection((address.hostname, address.port), 30) as connection:
            connection.sendall(f"{head}Content-Type: multipart/form-data; boundary=cut\r\n\r\n{part}".encode())
            connection.sendall(words(self._chance, self._chance.choice((20, 6000))).encode())
            time.sleep(0.3)
        self._note(self._kind, start, 0)

    def _refused(self) -> None:
        refused = (
            ("film.mp4", b"\0\0\0\x20ftypisom" + self._chance.randbytes(2_000_000)),
            ("empty.txt", b""),
            ("a.pdf", b"%PDF-1.4\n"),
        )
        self._upload("upload, refused", *self._chance.choice(refused), {422})

    def _damaged(self) -> None:
        suffix, data = self._sample()
        damaged = fuzz.mutated(data, self._sample()[1], self._chance)
        self._upload("upload, damaged", f"a{suffix}", damaged, {201, 422})

    def _wrong_key(self) -> None:
        headers = {"x-api-key": f"docqa-{self._chance.randrange(10**12)}"}
        self._send("wrong key", "GET", "/v1/api/documents", {401, 429}, headers=headers)

    def _nonsense(self) -> None:
        body: Any = self._chance.choice(([], {}, [{"sender": "nobody", "message": "a"}], [{"sender": "user"}]))
        self._send("nonsense", "POST", self._chat_path(), {422}, json=body)
        self._send("unknown", "GET", "/v1/api/documents/nothing", {404})
