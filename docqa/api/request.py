"""How a request is read: query and body are checked together, within limits of size.

Nothing here takes the event loop for longer than some milliseconds: a body with many values is parsed and checked in a
thread, by Python's own parser, because the one in C lets no other thread run before its end.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from json import decoder, scanner
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from docqa.api.endpoint import Endpoint, Given, Upload
from docqa.api.multipart import read_part
from docqa.api.permalink import base_of
from docqa.api.rules import ABSENT, Known
from docqa.errors import Fault, InvalidRequest, TooLarge
from docqa.formats.header_value import HeaderValue

MB = 1024 * 1024

_ENVELOPE = 192 * 1024  # what boundaries, part headers and other fields may add to a file of the largest size
MANY = 20_000  # brackets, commas and colons of a body, above which its parsing takes milliseconds
_LONGEST_FORM = 64 * 1024  # bytes of a form that cannot carry a file


async def read(
    endpoint: Endpoint,
    request: Request,
    known: Known,
    *,
    body_limit: int,
    file_limit: int,
    folder: Path | None = None,
    key_id: str = "",
) -> Given:
    """What `request` gives to `endpoint`, with the `key_id` that it was admitted by; the limits are in bytes, large
    files are received in `folder`.

    Raises InvalidRequest with all faults of query and body in the order of their declaration, TooLarge, Unavailable
    where a file cannot be received, and lets starlette's ClientDisconnect through.
    """
    raw: Any = ABSENT
    many = False
    if endpoint.file is not None:
        raw = await _read_form(request, endpoint.file, file_limit, folder, any_file=endpoint.any_file)
    elif endpoint.body is not None:
        data = await read_bytes(request, body_limit)
        many = looks_many(data)
        content_type = request.headers.get("content-type", "")
        raw = await asyncio.to_thread(_parse, data, content_type, many) if many else _parse(data, content_type, many)
    everything = endpoint.rule
    given = {"query": _query(request, endpoint), "body": raw}
    values = await asyncio.to_thread(everything.read, given, known) if many else everything.read(given, known)
    path = dict(request.path_params)
    return Given(
        path=path,
        query=values["query"],
        body=None if endpoint.file else values["body"],
        file=values["body"][endpoint.file] if endpoint.file else None,
        accept=request.headers.get("accept", "").lower(),
        if_none_match=request.headers.get("if-none-match", ""),
        key_id=key_id,
        base=base_of(request.scope),
    )


def _query(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    """What the query says: of each name the last value, or all of them."""
    sent = request.query_params
    rules = endpoint.query.fields if endpoint.query else {}
    repeated = {name: sent.getlist(name) for name, rule in rules.items() if rule.repeated and name in sent}
    return {**sent, **repeated}


def _too_large(what: str, limit: int) -> TooLarge:
    return TooLarge(f"The {what} is larger than {limit / MB:g} MB, the most this server takes")


async def _stream(request: Request, what: str, limit: int, slack: int = 0) -> AsyncGenerator[bytes, None]:
    """The body in chunks. Raises TooLarge beyond `limit` and `slack`, at once where Content-Length says so."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > limit + slack):
        raise _too_large(what, limit)
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit + slack:
            raise _too_large(what, limit)
        yield chunk


async def read_bytes(request: Request, limit: int) -> bytes:
    """The body. Raises TooLarge where it has more bytes than `limit`, and lets starlette's ClientDisconnect through."""
    async with aclosing(_stream(request, "body", limit)) as stream:
        return b"".join([chunk async for chunk in stream])


def looks_many(data: bytes) -> bool:
    """Whether a JSON body may hold so many values that to parse it takes milliseconds."""
    return sum(map(data.count, (b"[", b"{", b",", b":"))) > MANY


def count_values(data: bytes) -> int:
    """The values in a JSON body, those of objects and lists among them; 0 for what is no JSON. It takes its time, in
    which others run: call it in a thread."""
    try:
        values = [_parse(data, "", True)]
    except InvalidRequest:
        return 0
    count = 0
    while values:
        value = values.pop()
        count += 1
        if isinstance(value, dict | list):
            values.extend(value.values() if isinstance(value, dict) else value)
    return count


class _Patient(decoder.JSONDecoder):
    """The parser that is written in Python: slower than that in C, but others run meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.parse_object, self.parse_array = decoder.JSONObject, decoder.JSONArray  # type: ignore[attr-defined]
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]


def _parse(data: bytes, content_type: str, many: bool) -> Any:
    """The JSON value; the bytes where the Content-Type is another, which no rule accepts; ABSENT for an empty body."""
    if not data:
        return ABSENT
    if not _is_json(content_type):
        return data
    try:
        return json.loads(data, cls=_Patient if many else None)
    except json.JSONDecodeError as error:
        position = error.pos
    except UnicodeDecodeError as error:
        position = error.start
    except (RecursionError, ValueError):  # nested too deeply; an integer of more than 4300 digits
        position = 0
    raise InvalidRequest([Fault(("body", position), "JSON decode error", "json_invalid")])


def _is_json(content_type: str) -> bool:
    main, _, sub = HeaderValue(content_type).media_type.partition("/")
    return not content_type or (main == "application" and (sub == "json" or sub.endswith("+json")))


async def _read_form(
    request: Request, name: str, file_limit: int, folder: Path | None, *, any_file: bool
) -> dict[str, Any]:
    """{name: Upload}; or the text where a plain field has that name; or {} where nothing has."""
    header = HeaderValue(request.headers.get("content-type", ""))
    value: Any = ABSENT
    if header.media_type == "multipart/form-data":
        async with aclosing(_stream(request, "file", file_limit, slack=_ENVELOPE)) as stream:
            value = await read_part(stream, header, name, folder, any_file=any_file)
        if isinstance(value, Upload) and value.content.size > file_limit:
            raise _too_large("file", file_limit)
    elif header.media_type == "application/x-www-form-urlencoded":
        data = await read_bytes(request, _LONGEST_FORM)
        fields = await asyncio.to_thread(parse_qsl, data.decode("latin-1"), keep_blank_values=True)
        value = dict(fields).get(name) or ABSENT
    return {} if value is ABSENT else {name: value}
