"""What a server may answer: read from a connection, and held against what /openapi.json declares."""

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import httptools
from jsonschema import Draft202012Validator

from docqa.cli.connection import NO_HTTP

INTENDED = (503, 507)
MISDIRECTED = 421
LONGEST = 1 << 26


@dataclass
class Answer:
    """An answer as it came; not `whole` where the connection ended in it."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    whole: bool = True


@dataclass
class Understood:
    """What a server that reads bytes with the same parser takes them for: whole requests, and what follows them."""

    requests: list[tuple[str, str]] = field(default_factory=list)
    open: tuple[str, str] | None = None  # a request whose body is not complete
    broken: bool = False  # no HTTP from here on


class _Understanding:
    """What the parser calls, byte by byte."""

    def __init__(self) -> None:
        self.parser = httptools.HttpRequestParser(self)
        self.meant = Understood()
        self.is_over = False
        self._target = bytearray()
        self._hosts = 0

    def on_message_begin(self) -> None:
        self._target.clear()
        self._hosts = 0

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, _: bytes) -> None:
        self._hosts += name.lower() == b"host" and not self.meant.open

    def on_headers_complete(self) -> None:
        if self._hosts > 1 or not self._hosts and self.parser.get_http_version() == "1.1":
            raise ValueError("a request names one host")
        httptools.parse_url(bytes(self._target)).path.decode("ascii")
        self.meant.open = self.parser.get_method().decode("ascii"), self._target.decode("ascii")

    def on_message_complete(self) -> None:
        assert self.meant.open
        self.meant.requests.append(self.meant.open)
        self.meant.open, self.is_over = None, not self.parser.should_keep_alive()


def understood(data: bytes) -> Understood:
    """The requests in these bytes, (method, target) each."""
    understanding = _Understanding()
    for at in range(len(data)):
        try:
            understanding.parser.feed_data(data[at : at + 1])
        except httptools.HttpParserError:
            understanding.meant.broken = True
        except httptools.HttpParserUpgrade:  # which the server does not make
            understanding.is_over = True
        if understanding.meant.broken or understanding.is_over:
            break
    return understanding.meant


async def read_answer(reader: asyncio.StreamReader, method: str) -> Answer | None:
    """The next answer; None where the connection ended before one."""
    status = 100
    while status < 200:
        line = await reader.readline()
        if not line:
            return None
        match = re.fullmatch(rb"HTTP/1\.1 (\d{3})[^\r\n]*\r\n", line)
        if not match:
            raise ValueError(f"no status line: {line[:100]!r}")
        status, headers = int(match[1]), {}
        while (line := await reader.readline()) not in (b"\r\n", b""):
            name, colon, value = line.decode("latin-1").partition(":")
            if not colon:
                raise ValueError(f"no header: {line[:100]!r}")
            headers[name.strip().lower()] = value.strip()
    answer = Answer(status, headers)
    try:
        answer.body = await _read_body(reader, method, answer)
    except asyncio.IncompleteReadError as error:
        answer.body, answer.whole = error.partial, False
    return answer


async def _read_body(reader: asyncio.StreamReader, method: str, answer: Answer) -> bytes:
    if method == "HEAD" or answer.status in (204, 304):
        return b""
    if answer.headers.get("transfer-encoding") == "chunked":
        pieces = []
        while size := int((await reader.readline()).strip() or b"x", 16):
            pieces.append((await reader.readexactly(size + 2))[:-2])
        await reader.readexactly(2)
        return b"".join(pieces)
    if "content-length" in answer.headers:
        return await reader.readexactly(int(answer.headers["content-length"]))
    return await reader.read(LONGEST)


class Declared:
    """/openapi.json as something that answers are held against."""

    def __init__(self, description: dict[str, Any]) -> None:
        self._components = description["components"]
        self._paths = [
            # As starlette matches, the line's end after the last sign included.
            (re.compile("^" + re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) + "$"), path, methods)
            # Whole paths come first, as the server matches them.
            for path, methods in sorted(description["paths"].items(), key=lambda item: "{" in item[0])
        ]
        self._validators: dict[str, Draft202012Validator] = {}

    def faults(self, method: str, target: str, answer: Answer) -> list[str]:
        """What is wrong with the answer to a request, a sentence each; each begins with what was requested."""
        path, responses = self._responses(method, target)
        where = f"{method} {path}: "
        if not answer.whole:
            return [f"{where}{answer.status} ends before its end"]
        if answer.status >= 500 and answer.status not in INTENDED:
            return [f"{where}{answer.status} {answer.body[:200]!r}"]
        is_no_http = answer.status == 400 and (method == "HEAD" or NO_HTTP.endswith(b"\r\n\r\n" + answer.body))
        if is_no_http or answer.status == MISDIRECTED:
            return []
        if method == "OPTIONS" and answer.status in (200, 204, 400, 404, 405):
            return []
        if responses is None:
            return [] if answer.status in (307, 404, 405) else [f"{where}{answer.status} where nothing is declared"]
        if str(answer.status) not in responses:
            return [f"{where}{answer.status} is not declared: {answer.body[:200]!r}"]
        if method == "HEAD":
            return []
        return [where + fault for fault in self._body_faults(path, method, responses, answer)]

    def _responses(self, method: str, target: str) -> tuple[str, dict[str, Any] | None]:
        wanted = unquote(httptools.parse_url(target.encode("ascii")).path.decode("ascii"))  # it may be a whole URL
        matching = [(path, methods) for pattern, path, methods in self._paths if pattern.match(wanted)]
        name = "get" if method == "HEAD" else method.lower()
        # The server asks the first path that has the method: what is no word for one may be a name for the next.
        for path, methods in matching:
            if name in methods:
                return path, methods[name]["responses"]
        return matching[0][0] if matching else "elsewhere", None

    def _body_faults(self, path: str, method: str, responses: dict[str, Any], answer: Answer) -> list[str]:
        content = responses[str(answer.status)]["content"]
        media_type = answer.headers.get("content-type", "").partition(";")[0].strip()
        declared = content.get(media_type, content.get("*/*"))
        if declared is None:
            return [f"{answer.status} has the type {media_type!r}"]
        if media_type != "application/json" or "*/*" in content:
            return []
        try:
            value = json.loads(answer.body)
        except ValueError as error:
            return [f"{answer.status} is no JSON: {error}"]
        name = f"{method} {path} {answer.status}"
        if name not in self._validators:
            schema = {**declared["schema"], "components": self._components}
            self._validators[name] = Draft202012Validator(schema)
        return [
            f"{answer.status} {error.json_path}: {error.message[:200]}"
            for error in self._validators[name].iter_errors(value)
        ][:1]
