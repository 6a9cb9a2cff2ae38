"""A model hub on loopback, as far as a download asks one: the list of a repository's files, and the files, in parts if asked."""

import hashlib
import http.server
import json
import re
import threading
from collections import defaultdict
from types import TracebackType
from typing import Self

COMMIT = "0123abc" + "0" * 33
SMALL = 1000  # bytes; what is larger is kept outside git, and has a SHA-256


class Hub:
    """`repositories` are their files by name; what is set later takes effect with the next request.

    `asked` are the places in each file from which it was asked for; `broken_after` breaks a file off after so many bytes,
    and the rest is refused; `sent_instead` is another content than the one that is listed.
    """

    def __init__(self, repositories: dict[str, dict[str, bytes]]) -> None:
        self.repositories = repositories
        self.asked: dict[str, list[int]] = defaultdict(list)
        self.revisions: set[str] = set()
        self.broken_after: dict[str, int] = {}
        self.sent_instead: dict[str, bytes] = {}
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        if found := re.fullmatch(r"/api/models/([^/]+/[^/]+)/revision/([^/?]+)(\?.*)?", request.path):
            self._list(request, found[1], found[2])
        elif found := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", request.path):
            self._file(request, found[1], found[2], found[3])
        else:
            request.send_error(404)

    def _list(self, request: http.server.BaseHTTPRequestHandler, repository: str, revision: str) -> None:
        if repository not in self.repositories:
            request.send_error(404)
            return
        self.revisions.add(revision)
        siblings = [listed(name, data) for name, data in self.repositories[repository].items()]
        body = json.dumps({"id": repository, "sha": COMMIT, "siblings": siblings}).encode()
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def _file(self, request: http.server.BaseHTTPRequestHandler, repository: str, revision: str, name: str) -> None:
        data = self.repositories.get(repository, {}).get(name)
        start = int((re.search(r"bytes=(\d+)-", request.headers.get("Range", "")) or [0, 0])[1])
        self.asked[name].append(start)
        if data is None or (start and name in self.broken_after):
            request.send_error(404)
            return
        self.revisions.add(revision)
        data = self.sent_instead.get(name, data)
        request.send_response(206 if start else 200)
        request.send_header("Content-Length", str(len(data) - start))
        if start:
            request.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        request.end_headers()
        request.wfile.write(data[start : self.broken_after.get(name)])
        request.close_connection = True


def listed(name: str, data: bytes) -> dict[str, object]:
    """How the hub's API tells of one file."""
    about: dict[str, object] = {
        "rfilename": name,
        "size": len(data),
        "blobId": hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest(),
    }
    if len(data) > SMALL:
        about |= {
            "blobId": "0" * 40,
            "lfs": {"size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "pointerSize": 130},
        }
    return about
