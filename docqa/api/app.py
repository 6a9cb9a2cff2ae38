"""The route table, the error table, and what runs while the server does."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, is_dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from docqa import __version__
from docqa.api import openapi
from docqa.api.auth import account_of
from docqa.api.door import FailedKeys, KnownHosts, NoSniffing
from docqa.api.endpoint import Endpoint
from docqa.api.endpoints import chat, documents, knowledge, models, page
from docqa.api.request import MB, read
from docqa.errors import DocqaError, Unauthorized
from docqa.ingest.background import work_forever
from docqa.models.embedder import Embedder
from docqa.services import Services, open_services
from docqa.settings import Settings
from docqa.setup.installation import Installation
from docqa.store.database import Error as DatabaseError

log = logging.getLogger(__name__)

ENDPOINTS = (
    # in the order of the API text
    documents.ADD_LINK,
    documents.UPLOAD,
    chat.WITH_DOCUMENT,
    chat.WITH_DOCUMENTS,
    documents.LIST,
    documents.READ,
    documents.DELETE,
    knowledge.LIST,
    knowledge.CREATE,
    knowledge.READ,
    knowledge.UPDATE,
    knowledge.DELETE,
    knowledge.SEARCH,
    chat.WITH_KNOWLEDGE,
    models.LIST,
    # our own
    chat.RETRIEVE,
    documents.STATUS,
    documents.FILE,
    documents.PAGE,
    page.HEALTH,
    page.PAGE,
)

CLIENT_LEFT = 499  # nobody reads it; the log does


def create(
    settings: Settings,
    *,
    embedder: Embedder | None = None,
    former: Embedder | None = None,
    installation: Installation | None = None,
) -> Starlette:
    """The application; its lifespan opens and closes everything else.

    `embedder` is used instead of the one that the settings name, and `former` stands for the one used before it.
    `installation` is started with the server, and ends with it.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None, None]:
        async with AsyncExitStack() as stack:
            services = await open_services(settings, stack, embedder=embedder, former=former, installation=installation)
            app.state.services = services
            worker = asyncio.create_task(work_forever(services.intake, services.encoders), name="background work")
            stack.push_async_callback(_stop, worker)
            watcher = asyncio.create_task(services.watch(), name="what is installed")
            stack.push_async_callback(_stop, watcher)
            yield

    routes = [Route(endpoint.path, _serve(endpoint), methods=list(endpoint.methods)) for endpoint in ENDPOINTS]
    routes.append(Route("/openapi.json", _show_openapi))
    # Outermost, so that errors and refused keys carry the headers too: a browser shows a page no answer without them.
    cors = Middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["*"],
        allow_headers=["*"],
        expose_headers=["*"],
        max_age=86_400,
    )
    handlers: dict[Any, Any] = {DocqaError: _answer_error, HTTPException: _answer_http, DatabaseError: _answer_database}
    hosts = Middleware(KnownHosts, settings=settings)
    app = _App(routes=routes, lifespan=lifespan, middleware=[cors, hosts], exception_handlers=handlers)
    app.state.failed_keys = FailedKeys()
    return app


class _App(Starlette):
    def build_middleware_stack(self) -> ASGIApp:
        """All of it inside NoSniffing, the answer to an unforeseen exception included."""
        return NoSniffing(super().build_middleware_stack())


def _serve(endpoint: Endpoint) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    async def respond(request: Request) -> Response:
        services: Services = request.app.state.services
        account = 0
        if endpoint.needs_key:
            account = await _account(request, services)
        limits = services.settings
        try:
            given = await read(
                endpoint, request, services.known(), body_limit=limits.body_mb * MB, file_limit=limits.upload_mb * MB
            )
        except ClientDisconnect:
            return Response(status_code=CLIENT_LEFT)
        result = await _while_connected(request, endpoint.handler(services, account, given))
        return result if isinstance(result, Response) else JSONResponse(_plain(result), status_code=endpoint.status)

    return respond


async def _account(request: Request, services: Services) -> int:
    """The account that owns the request's key. Raises Unauthorized, or TooManyFailures after many wrong keys."""
    key = request.headers.get("x-api-key")
    try:
        async with services.db.read() as conn:
            return await account_of(conn, key)
    except Unauthorized:
        if key and request.client:
            request.app.state.failed_keys.add(request.client.host)
        raise


async def _while_connected(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """The work's result; the work is given up when the client leaves."""
    task = asyncio.create_task(work)
    leaving = asyncio.create_task(_client_left(request))
    try:
        await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            log.info("the client left %s", request.url.path)
            return Response(status_code=CLIENT_LEFT)
        return task.result()
    finally:
        for pending in (task, leaving):
            await _stop(pending)


async def _stop(task: asyncio.Task[Any]) -> None:
    if not task.done():
        task.cancel()
        await asyncio.wait((task,))


async def _client_left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _plain(result: Any) -> Any:
    if isinstance(result, list):
        return [_plain(item) for item in result]
    return asdict(result) if is_dataclass(result) and not isinstance(result, type) else result


async def _show_openapi(request: Request) -> Response:
    return JSONResponse(openapi.document(ENDPOINTS, request.app.state.services.known(), __version__))


async def _answer_error(request: Request, error: DocqaError) -> Response:
    if error.status >= 500:
        log.warning("%s %s: %s", request.method, request.url.path, error)
    return JSONResponse({"detail": error.detail()}, status_code=error.status, headers=error.headers())


async def _answer_http(request: Request, error: HTTPException) -> Response:
    """Starlette's own: an unknown path, a method that a path does not have."""
    return JSONResponse({"detail": error.detail}, status_code=error.status_code, headers=error.headers)


async def _answer_database(request: Request, error: Exception) -> Response:
    log.error("%s %s: %s", request.method, request.url.path, error)
    return JSONResponse(
        {"detail": f"The database cannot do this now: {error}"}, status_code=503, headers={"Retry-After": "5"}
    )
