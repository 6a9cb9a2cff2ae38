"""A model hub on loopback, with what downloads need: lists of a repository's files, files and ranges."""

import hashlib
import http.server
import json
import re
import threading
from collections import defaultdict
from contextlib import suppress
from types import TracebackType
from typing import Self

COMMIT = "0123abc" + "0" * 33
SMALL = 1000  # bytes; larger files are kept in git LFS and have a SHA-256


class Hub:
    """Serves `repositories`: each has its files by path. Changes take effect with the next request.

    `requested` has the start of each requested range by file, `revisions` the revisions. A file in `broken_after` is
    cut off after so many bytes, and its rest refused; one in `sent_instead` is sent with other content than is listed.
    One in `held_after` stops after so many bytes until `go_on` is set.
    """

    def __init__(self, repositories: dict[str, dict[str, bytes]]) -> None:
        self.repositories = repositories
        self.requested: dict[str, list[int]] = defaultdict(list)
        self.revisions: set[str] = set()
        self.broken_after: dict[str, int] = {}
        self.sent_instead: dict[str, bytes] = {}
        self.held_after: dict[str, int] = {}
        self.go_on = threading.Event()
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
        self.go_on.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Handle one GET request."""
        if match := re.fullmatch(r"/api/models/([^/]+/[^/]+)/revision/([^/?]+)(\?.*)?", request.path):
            self._list(request, match[1], match[2])
        elif match := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", request.path):
            self._file(request, match[1], match[2], match[3])
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
        self.requested[name].append(start)
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
        if start < self.held_after.get(name, 0):
            request.wfile.write(data[start : self.held_after[name]])
            request.wfile.flush()
            self.go_on.wait()
            start = self.held_after[name]
        with suppress(ConnectionError):  # whoever has left meanwhile
            request.wfile.write(data[start : self.broken_after.get(name)])
        request.close_connection = True


def listed(name: str, data: bytes) -> dict[str, object]:
    """A file as the hub's API lists it."""
    record: dict[str, object] = {
        "rfilename": name,
        "size": len(data),
        "blobId": hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest(),
    }
    if len(data) > SMALL:
        record |= {
            "blobId": "0" * 40,
            "lfs": {"size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "pointerSize": 130},
        }
    return record
