"""How a request is read: query and body are checked together, within limits of size."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from docqa.api.endpoint import Endpoint, Given, Upload
from docqa.api.multipart import parse_header, read_part
from docqa.api.rules import ABSENT, Known, optional, record
from docqa.errors import Fault, InvalidRequest, TooLarge

MB = 1024 * 1024

_ENVELOPE = 64 * 1024  # what boundaries and part headers may add to a file of the largest size


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


async def _read_bytes(request: Request, limit: int) -> bytes:
    async with aclosing(_stream(request, "body", limit)) as stream:
        return b"".join([chunk async for chunk in stream])


async def _read_json(request: Request, limit: int) -> Any:
    """The JSON value; the bytes where the Content-Type is another, which no rule accepts; ABSENT for an empty body."""
    data = await _read_bytes(request, limit)
    if not data:
        return ABSENT
    if not _is_json(request.headers.get("content-type", "")):
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


def _is_json(content_type: str) -> bool:
    main, _, sub = parse_header(content_type).get_content_type().partition("/")
    return not content_type or (main == "application" and (sub == "json" or sub.endswith("+json")))


async def _read_form(request: Request, name: str, body_limit: int, file_limit: int) -> dict[str, Any]:
    """{name: Upload}; or the text where a plain field has that name; or {} where nothing has."""
    header = parse_header(request.headers.get("content-type", ""))
    value: Any = ABSENT
    if header.get_content_type() == "multipart/form-data":
        async with aclosing(_stream(request, "file", file_limit, slack=_ENVELOPE)) as stream:
            value = await read_part(stream, header, name)
        if isinstance(value, Upload) and len(value.data) > file_limit:
            raise _too_large("file", file_limit)
    elif header.get_content_type() == "application/x-www-form-urlencoded":
        fields = parse_qsl((await _read_bytes(request, body_limit)).decode("latin-1"), keep_blank_values=True)
        value = dict(fields).get(name) or ABSENT
    return {} if value is ABSENT else {name: value}
