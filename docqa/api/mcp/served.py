"""/mcp as an ASGI application: the key, the limits and the end of a request as everywhere, the rest is the SDK's."""

import asyncio
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docqa.api.request import MANY, MB, count_values, looks_many, read_bytes
from docqa.api.serving import CLIENT_LEFT, account_of, key_of, while_connected
from docqa.errors import TooLarge, Unavailable
from docqa.services import Services
from docqa.workers.loading import loading

if TYPE_CHECKING:
    from docqa.api.mcp.protocol import OverHttp

PATH = "/mcp"
PACKAGE = "mcp"
MISSING = "Assistants cannot use the documents by MCP: the package mcp is missing, and `python run.py install` gets it."


def available() -> bool:
    """Whether the SDK is installed."""
    return find_spec(PACKAGE) is not None


class Mcp:
    """The protocol for the accounts of `app`. The SDK is loaded with the first request, in a thread."""

    def __init__(self) -> None:
        self._opening = asyncio.Lock()
        self._speaking: OverHttp | None = None

    async def close(self) -> None:
        """End what is in hand."""
        if self._speaking:
            await self._speaking.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Raises Unauthorized, Busy, TooLarge, and Unavailable where the SDK is missing."""
        request = Request(scope, receive, send)
        services: Services = request.app.state.services
        account = await account_of(request)
        with services.lanes.requests.place(account):
            limit = services.settings.body_mb * MB
            speaking = await self._open(request.app, limit)
            try:
                body = await read_bytes(request, limit)
            except ClientDisconnect:
                return
            if looks_many(body) and await asyncio.to_thread(count_values, body) > MANY:
                raise TooLarge(f"The message holds more than {MANY} values, the most that {PATH} takes")
            response = await while_connected(request, _answer(speaking, scope, body, key_of(request)))
            await response(scope, receive, send)

    async def _open(self, app: ASGIApp, limit: int) -> "OverHttp":
        async with self._opening:
            if self._speaking is None:
                if not available():
                    raise Unavailable(MISSING, retry_after=60)
                protocol = await asyncio.to_thread(_load)
                speaking: OverHttp = protocol.OverHttp(app, limit)
                await speaking.open()
                self._speaking = speaking
            return self._speaking


def _load() -> ModuleType:
    """The module that imports the SDK: a second of work, in which others have their turns."""
    with loading():
        return import_module("docqa.api.mcp.protocol")


async def _answer(speaking: "OverHttp", scope: Scope, body: bytes, key: str) -> Response:
    """What is answered to a request with this body. Work on it ends when this is cancelled: the SDK does not see that
    a client has left."""
    begin: Message = {"status": CLIENT_LEFT, "headers": []}
    pieces: list[bytes] = []
    received = asyncio.Event()

    async def receive() -> Message:
        if received.is_set():
            await asyncio.Event().wait()  # nothing more comes
        received.set()
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            begin.update(message)
        else:
            pieces.append(message.get("body", b""))

    headers = [(name, value) for name, value in scope["headers"] if name != b"x-api-key"]
    headers.append((b"x-api-key", key.encode()))
    await speaking({**scope, "headers": headers}, receive, send)
    response = Response(b"".join(pieces), begin["status"])
    response.raw_headers = [(name, value) for name, value in begin["headers"] if name != b"content-length"]
    response.headers["content-length"] = str(len(response.body))
    return response
