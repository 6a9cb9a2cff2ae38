"""A route's declaration, and how its request is read: everything the client sent, checked at once, within limits."""

import json
import re
import unicodedata
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from email.message import Message
from email.utils import collapse_rfc2231_value
from io import BytesIO
from pathlib import PurePath
from typing import Any
from urllib.parse import parse_qsl

from python_multipart import MultipartParser
from starlette.requests import Request

from docqa.api.rules import ABSENT, Known, Rule, optional, record
from docqa.errors import DocqaError, Fault, InvalidRequest, TooLarge

MB = 1024 * 1024

_ENVELOPE = 64 * 1024  # what boundaries and part headers may add to a file of the largest size
_LONGEST_NAME = 255


@dataclass(frozen=True)
class Upload:
    """A file as it was sent; `name` is a bare file name without folders, and may be empty."""

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True)
class Given:
    """What a request gave, checked: `query` and `body` hold a value for every field that was declared; `accept` is the header, in lower case."""

    path: dict[str, str]
    query: dict[str, Any]
    body: Any
    file: Upload | None
    accept: str = ""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One route. Its declaration is what requests are checked against and what /openapi.json says.

    `answers` is what status `status` brings: dataclasses of `records`, `list[...]` of one, or media types such as
    "application/pdf"; one of them, or a tuple of several. `file` is the name of a multipart part. `errors` are the errors
    that belong to this endpoint; those every endpoint shares (401, 413, 422) follow from the rest of the declaration.
    """

    path: str
    handler: Callable[..., Any]
    summary: str
    answers: Any
    tag: str
    methods: tuple[str, ...] = ("GET",)
    query: Rule | None = None
    body: Rule | None = None
    file: str | None = None
    status: int = 200
    errors: tuple[type[DocqaError], ...] = ()
    needs_key: bool = True
    deprecated: bool = False

    @property
    def body_rule(self) -> Rule | None:
        """The rule of the body, a form with a file included; None where a body is ignored."""
        return self.body if self.file is None else record({self.file: _FILE})


async def read(endpoint: Endpoint, request: Request, known: Known, *, body_limit: int, file_limit: int) -> Given:
    """What `request` gives to `endpoint`; the limits are in bytes.

    Raises InvalidRequest with all faults of query and body in the order of their declaration, TooLarge, and lets
    starlette's ClientDisconnect through.
    """
    raw: Any = ABSENT
    if endpoint.file is not None:
        raw = await _read_form(request, endpoint.file, body_limit, file_limit)
    elif endpoint.body is not None:
        raw = await _read_json(request, body_limit)
    everything = record({"query": endpoint.query or record({}), "body": endpoint.body_rule or optional(record({}))})
    values = everything.read({"query": dict(request.query_params), "body": raw}, known)
    path = dict(request.path_params)
    accept = request.headers.get("accept", "").lower()
    if endpoint.file is not None:
        return Given(path, values["query"], None, values["body"][endpoint.file], accept)
    return Given(path, values["query"], values["body"], None, accept)


def _too_large(what: str, limit: int) -> TooLarge:
    return TooLarge(f"The {what} is larger than {limit / MB:g} MB, the most this server takes")


async def _stream(request: Request, what: str, limit: int, slack: int = 0) -> AsyncGenerator[bytes, None]:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > limit + slack):
        raise _too_large(what, limit)
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit + slack:
            raise _too_large(what, limit)
        yield chunk


async def _read_bytes(request: Request, limit: int) -> bytes:
    async with aclosing(_stream(request, "body", limit)) as stream:
        return b"".join([chunk async for chunk in stream])


async def _read_json(request: Request, limit: int) -> Any:
    data = await _read_bytes(request, limit)
    if not data:
        return ABSENT
    if not _names_json(request.headers.get("content-type", "")):
        return data
    try:
        return json.loads(data)
    except json.JSONDecodeError as error:
        position = error.pos
    except UnicodeDecodeError as error:
        position = error.start
    except (RecursionError, ValueError):  # nested too deeply; an integer of more than 4300 digits
        position = 0
    raise InvalidRequest([Fault(("body", position), "JSON decode error", "json_invalid")])


def _names_json(content_type: str) -> bool:
    main, _, sub = _header(content_type).get_content_type().partition("/")
    return not content_type or (main == "application" and (sub == "json" or sub.endswith("+json")))


def _header(content_type: str, disposition: str = "") -> Message:
    message = Message()
    message["content-type"] = content_type
    message["content-disposition"] = disposition
    return message


async def _read_form(request: Request, name: str, body_limit: int, file_limit: int) -> dict[str, Any]:
    """{name: Upload}; or text where a plain field has that name; or {} where nothing has."""
    header = _header(request.headers.get("content-type", ""))
    value: Any = ABSENT
    if header.get_content_type() == "multipart/form-data":
        value = await _read_multipart(request, header, name, file_limit)
    elif header.get_content_type() == "application/x-www-form-urlencoded":
        fields = parse_qsl((await _read_bytes(request, body_limit)).decode("latin-1"), keep_blank_values=True)
        value = dict(fields).get(name) or ABSENT
    return {} if value is ABSENT else {name: value}


async def _read_multipart(request: Request, header: Message, name: str, limit: int) -> Any:
    boundary = header.get_boundary()
    if not boundary:
        raise _broken("its Content-Type names no boundary")
    try:
        part = _FilePart(name, boundary)
        async with aclosing(_stream(request, "file", limit, slack=_ENVELOPE)) as stream:
            async for chunk in stream:
                part.feed(chunk)
    except ValueError as error:  # FormParserError is one, and so is a name in a charset that cannot be decoded
        raise _broken(str(error)) from error
    if isinstance(part.value, Upload) and len(part.value.data) > limit:
        raise _too_large("file", limit)
    return part.value


def _broken(why: str) -> InvalidRequest:
    return InvalidRequest([Fault(("body",), f"The multipart body cannot be read: {why}", "value_error")])


class _FilePart:
    """Takes the last part of one name out of a multipart stream, into memory; other parts are passed over."""

    def __init__(self, name: str, boundary: str) -> None:
        self.value: Upload | str | object = ABSENT
        self._name = name
        self._headers: dict[str, str] = {}
        self._field = self._content = b""
        self._buffer: BytesIO | None = None
        self._parser = MultipartParser(
            boundary.encode("latin-1"),
            {
                "on_part_begin": self._headers.clear,
                "on_header_field": self._add_field,
                "on_header_value": self._add_content,
                "on_header_end": self._end_header,
                "on_headers_finished": self._start,
                "on_part_data": self._add,
                "on_part_end": self._end,
            },
        )

    def feed(self, chunk: bytes) -> None:
        """The next bytes of the body. Raises ValueError where they are not multipart."""
        self._parser.write(chunk)

    def _add_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _add_content(self, data: bytes, start: int, end: int) -> None:
        self._content += data[start:end]

    def _end_header(self) -> None:
        self._headers[self._field.decode("latin-1").lower()] = _decode(self._content)
        self._field = self._content = b""

    def _start(self) -> None:
        self._buffer = BytesIO() if ("name", self._name) in self._parameters() else None

    def _add(self, data: bytes, start: int, end: int) -> None:
        if self._buffer is not None:
            self._buffer.write(memoryview(data)[start:end])

    def _end(self) -> None:
        if self._buffer is None:
            return
        data = self._buffer.getvalue()  # shares its memory with the buffer: a large file is held once
        names = [value for key, value in self._parameters() if key == "filename"]
        if not names:
            self.value = _decode(data) or ABSENT
            return
        # RFC 2231 (`filename*=`) says more than the plain form beside it.
        encoded = [collapse_rfc2231_value(name) for name in names if isinstance(name, tuple)]
        name = _clean_name((encoded or names)[0])
        # A browser's form without a chosen file sends an empty name and no bytes.
        self.value = (
            Upload(name, self._headers.get("content-type", "application/octet-stream"), data)
            if name or data
            else ABSENT
        )

    def _parameters(self) -> list[tuple[str, Any]]:
        return _header("", self._headers.get("content-disposition", "")).get_params([], "content-disposition")


def _decode(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _clean_name(raw: str) -> str:
    bare = "".join(
        char for char in re.split(r"[/\\]", raw)[-1] if unicodedata.category(char) not in ("Cc", "Cs")
    ).strip()
    suffix = PurePath(bare).suffix[-16:]
    return bare if len(bare) <= _LONGEST_NAME else bare[: _LONGEST_NAME - len(suffix)] + suffix


def _check_file(raw: Any, known: Known) -> Upload:
    if not isinstance(raw, Upload):
        raise InvalidRequest([Fault((), "Value error, Expected UploadFile, received: <class 'str'>", "value_error")])
    return raw


_FILE = Rule(_check_file, lambda known: {"type": "string", "format": "binary"})
