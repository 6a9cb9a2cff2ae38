"""Everything the service does for its users, once, by a client on loopback.

`python -m docqa.offline.rehearsal FOLDER [isolated]` starts the server as a user does, with its data in FOLDER.
Watching it meanwhile is up to the caller (`doctor`).
"""

import http.server
import json
import re
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from docqa import IN_CHECKOUT, ROOT
from docqa.errors import DocqaError
from docqa.offline import namespace

SPECIMENS = Path(__file__).with_name("specimens")  # one document of each format, all with the same content
PAGE = "lighthouse.html"
SCANS = ("scan.pdf", "lighthouse.png")  # which need text recognition
QUESTION = "When was the lighthouse at Skagen lit for the first time?"
VALUE = "1858"
OUTSIDE = "https://example.org/"
PATIENCE = 600.0  # seconds for one step, which may load a large model
ISOLATED = "isolated"
COUNTS = "counted.json"  # in FOLDER: what the kernel counted

Say = Callable[[str], None]


class RehearsalFailed(DocqaError):
    """The service did not work; the message says in which step."""


class Client:
    """A client of the server on `port` with an API key."""

    def __init__(self, port: int, key: str) -> None:
        self._port, self._key = port, key

    def call(
        self, method: str, path: str, body: bytes = b"", content_type: str = "application/json", accept: str = "*/*"
    ) -> tuple[int, str]:
        """The status and the body of a response. Raises RehearsalFailed where there is none."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        try:
            connection.request(
                method, path, body, {"x-api-key": self._key, "Content-Type": content_type, "Accept": accept}
            )
            response = connection.getresponse()
            return response.status, response.read().decode("utf-8", "replace")
        except (OSError, HTTPException) as error:
            raise RehearsalFailed(f"{method} {path} got no response: {error!r}") from error
        finally:
            connection.close()

    def text(self, method: str, path: str, body: Any = None, **options: Any) -> str:
        """The body of a successful response; `body` is sent as JSON unless it is bytes. Raises RehearsalFailed."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        status, answer = self.call(method, path, data, **options)
        if status >= 400:
            raise RehearsalFailed(f"{method} {path} returned {status}: {answer[:500]}")
        return answer

    def json(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """The decoded body of a successful response. Raises RehearsalFailed."""
        return json.loads(self.text(method, path, body, **options))

    def upload(self, path: Path) -> str:
        """Upload a file; its doc_id. Raises RehearsalFailed."""
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{path.name}"\r\n\r\n'
        body = head.encode() + path.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
        return str(
            self.json("POST", "/v1/api/upload", body, content_type=f"multipart/form-data; boundary={boundary}")[
                "doc_id"
            ]
        )


def rehearse(folder: Path, say: Say) -> None:
    """Upload a document of each format, index, ask, stream, summarise. Raises RehearsalFailed."""
    with _server(folder) as client, _website() as website:
        health = client.json("GET", "/healthz")
        for path in ("/", "/openapi.json", "/v1/api/models"):
            client.text("GET", path)
        documents = _add(client, website, say, with_scans=bool(health["ocr"]))
        status, answer = client.call("GET", f"/v1/api/download_pdf?url={OUTSIDE}")
        if status != 422:
            raise RehearsalFailed(f"A link to another machine was not refused: {status} {answer[:500]}")
        say(f"refused the link {OUTSIDE}")
        _wait(client, say)
        _ask(client, documents, say)


def _add(client: Client, website: str, say: Say, with_scans: bool) -> dict[str, str]:
    """Upload the specimens; their doc_ids by file name."""
    paths = [
        path for path in sorted(SPECIMENS.iterdir()) if path.name != PAGE and (with_scans or path.name not in SCANS)
    ]
    documents = {path.name: client.upload(path) for path in paths}
    documents[PAGE] = str(client.json("GET", f"/v1/api/download_pdf?url={website}/{PAGE}")["doc_id"])
    say(f"uploaded {', '.join(documents)}")
    return documents


def _wait(client: Client, say: Say) -> None:
    """Wait until the background work is done. Raises RehearsalFailed."""
    end = time.monotonic() + PATIENCE
    while (health := client.json("GET", "/healthz"))["indexing"] or health["embedding"] in ("loading", "stopped"):
        if time.monotonic() > end:
            raise RehearsalFailed(f"The documents were not indexed within {PATIENCE:.0f} s.")
        time.sleep(0.2)
    say(f"indexed them; embedding model: {health['embedding']}")


def _ask(client: Client, documents: dict[str, str], say: Say) -> None:
    """Use every way of asking; `documents` are doc_ids by file name. Raises RehearsalFailed."""
    question = [{"sender": "user", "message": QUESTION}]
    for name, doc_id in documents.items():
        answer = client.json("POST", f"/v1/chat/{doc_id}?cite_source=true", question)
        if not any(VALUE in source["source_chunk"] for source in answer["sources"]):
            raise RehearsalFailed(f"{name}: no source of the answer {answer['message']!r} holds {VALUE}.")
    say(f"asked each of them: {QUESTION}")
    first, *_ = documents.values()
    client.text("POST", f"/v1/chat/{first}?stream=true", question)
    client.text("POST", f"/v1/chat/{first}?stream=true", question, accept="text/event-stream")
    say("streamed an answer as text and as events")
    client.text("POST", "/v1/api/knowledge_base_chat", {"documents": list(documents.values())})
    base = client.json("POST", "/v1/api/knowledge", {"name": "Rehearsal", "document_ids": list(documents.values())})
    follow_up = [
        *question,
        {"sender": "bot", "message": "On 12 March 1858."},
        {"sender": "user", "message": "And how high is it?"},
    ]
    client.text("POST", f"/v1/api/knowledge/{base['knowledge_base_id']}/chat", {"messages": follow_up})
    client.text("POST", "/v1/api/retrieve", {"query": QUESTION, "doc_ids": [first]})
    say("summarised them, asked all of them together, and a follow-up")
    models = client.json("GET", "/v1/api/models")
    if local := next((model["name"] for model in models if model["model_provider_name"] == "local"), None):
        client.text("POST", f"/v1/chat/{first}?model_name={local}", question)
        say(f"asked the local model {local}")


@contextmanager
def _server(folder: Path) -> Iterator[Client]:
    data = folder / "data"
    program = [str(ROOT / "run.py")] if IN_CHECKOUT else ["-m", "docqa.cli"]
    command = [sys.executable, *program, "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data)]
    log = folder / "server.log"
    with log.open("w") as errors, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as server:
        try:
            yield Client(_port(server, log), (data / "api-key").read_text("utf-8").strip())
        finally:
            server.terminate()


def _port(server: subprocess.Popen[str], log: Path) -> int:
    """The port, once the server listens. Raises RehearsalFailed."""
    assert server.stdout is not None
    output = ""
    for line in server.stdout:
        output += line
        if match := re.search(r"serves on http://127\.0\.0\.1:(\d+)", line):
            return int(match[1])
    raise RehearsalFailed(f"The server did not start: {output}{log.read_text('utf-8')[-2000:]}")


@contextmanager
def _website() -> Iterator[str]:
    """A web server for the specimens on loopback; its base URL."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SPECIMENS))) as website:
        threading.Thread(target=website.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{website.server_port}"
        website.shutdown()


def main(folder: str, *isolated: str) -> int:
    """Run the rehearsal; the exit code. If `isolated`, in a namespace whose counters are written to FOLDER/COUNTS."""
    if isolated:
        namespace.raise_loopback()
    try:
        rehearse(Path(folder), lambda sentence: print(f"  {sentence}", flush=True))
    except RehearsalFailed as error:
        print(f"The rehearsal failed. {error}", flush=True)
        return 1
    finally:
        if isolated:
            (Path(folder) / COUNTS).write_text(json.dumps(namespace.count_outward()), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
