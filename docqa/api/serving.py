"""How a request is served: admitted, read, given its turn, answered; and what becomes of it when the server stops.

It is admitted before its body is read: the key, the declared length, and how much the account has in hand come first.
"""

import asyncio
import json
import logging
from collections.abc import Coroutine, Mapping
from contextlib import AsyncExitStack
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docqa.api.auth import Keys, id_of, may_change_machine
from docqa.api.endpoint import Endpoint
from docqa.api.error_shapes import error_response, remember_shape
from docqa.api.request import MB, read
from docqa.errors import DocqaError, Forbidden, Unauthorized, Unavailable
from docqa.services import Services

log = logging.getLogger(__name__)

PROMPT = 0.05  # seconds, after which it is watched whether the client still waits
CLIENT_LEFT = 499  # nobody reads it; the log does
STOPPING = Unavailable("The server is being stopped. Try again in a moment.", retry_after=10)
NOT_YOURS = (
    "This belongs to the machine, not to an account: only keys of the account `default`, which has the first key of "
    "this server, may see and change it."
)


class Served:
    """An endpoint as an ASGI application. What was admitted has its place until its answer is sent."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Raises what the endpoint does."""
        remember_shape(scope, self.endpoint.errors_as)
        request = Request(scope, receive, send)
        async with AsyncExitStack() as stack:
            response = await self._respond(request, stack)
            await response(scope, receive, send)

    async def _respond(self, request: Request, stack: AsyncExitStack) -> Response:
        services: Services = request.app.state.services
        settings, account = services.settings, 0
        if self.endpoint.needs_key:
            await request.app.state.is_whole.wait()
            account = await account_of(request)
        if self.endpoint.of_machine and not await may_change_machine(services.db, account):
            raise Forbidden(NOT_YOURS)
        lanes = services.lanes.of(self.endpoint.lane) if self.endpoint.needs_key else []
        for lane in lanes:
            stack.enter_context(lane.place(account))
        try:
            given = await read(
                self.endpoint,
                request,
                services.known(),
                body_limit=settings.body_mb * MB,
                file_limit=settings.upload_mb * MB,
                folder=settings.data,
                key_id=id_of(key_of(request)) if self.endpoint.needs_key else "",
            )
        except ClientDisconnect:
            return Response(status_code=CLIENT_LEFT)
        if given.file is not None:
            stack.callback(given.file.content.close)

        async def work() -> Any:
            for lane in lanes:
                if lane.takes_turns:
                    await stack.enter_async_context(lane.turn(account))
            return await self.endpoint.handler(services, account, given)

        result = await while_connected(request, work())
        return result if isinstance(result, Response) else _Records(result, self.endpoint.status)


class ByMethod:
    """The endpoints of one path as an ASGI application; HEAD is served by that of GET, OPTIONS says what there is."""

    def __init__(self, served: Mapping[str, Served]) -> None:
        self._served = served
        head = {"HEAD"} if "GET" in served else set()
        self.allowed = ", ".join(sorted({*served, *head, "OPTIONS"}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request of a method that the path has."""
        method = scope["method"]
        if method == "OPTIONS":
            return await Response(status_code=204, headers={"Allow": self.allowed})(scope, receive, send)
        await self._served["GET" if method == "HEAD" else method](scope, receive, send)


async def account_of(request: Request) -> int:
    """The account that owns the request's key. Raises Unauthorized, or TooManyFailures after many wrong keys."""
    key = key_of(request)
    try:
        keys: Keys = request.app.state.keys
        return await keys.account_of(key)
    except Unauthorized:
        if key and request.client:
            request.app.state.failed_keys.add(request.client.host)
        raise


def key_of(request: Request) -> str:
    """The key in `x-api-key`, or in `Authorization: Bearer KEY`, as clients of other APIs send it; "" without one."""
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    return request.headers.get("x-api-key") or (bearer.strip() if scheme.lower() == "bearer" else "")


async def while_connected(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """The work's result; the work is given up when the client leaves. Most is done before it is worth looking."""
    task = asyncio.create_task(work)
    leaving = None
    try:
        await asyncio.wait((task,), timeout=PROMPT)
        if not task.done():
            leaving = asyncio.create_task(_client_left(request))
            await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            log.info("the client left %s", request.url.path)
            return Response(status_code=CLIENT_LEFT)
        return task.result()
    finally:
        for pending in filter(None, (task, leaving)):
            await stop(pending)


async def stop(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait for its end."""
    if not task.done():
        task.cancel()
        await asyncio.wait((task,))


async def _client_left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class _Records(JSONResponse):
    """Records of `docqa.records`, or lists of them, as JSON with their fields in order."""

    _ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=vars)

    def render(self, content: Any) -> bytes:
        """The body."""
        return self._ENCODER.encode(content).encode()


class Interrupted:
    """Middleware: a request that a stop interrupts gets 503, and an answer that fails half-way is broken off, neither
    with a traceback: the server that runs this closes a connection whose answer is not complete."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        begun = False

        async def note(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, note)
        except asyncio.CancelledError:
            if scope["type"] != "http":
                raise
            if not begun:
                await error_response(STOPPING, scope)(scope, receive, send)
        except RuntimeError as error:
            # So starlette says that an answer had begun when its error came.
            if not (begun and isinstance(error.__cause__, DocqaError)):
                raise
            log.warning("%s was broken off: %s", scope["path"], error.__cause__)
