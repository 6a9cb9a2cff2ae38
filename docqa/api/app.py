"""The route table, the error table, and what runs while the server does."""

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from docqa import __version__, store
from docqa.api import openapi
from docqa.api.auth import Keys
from docqa.api.door import FailedKeys, KnownHosts, NoSniffing, Refusals
from docqa.api.endpoints import (
    chat,
    chats,
    dify,
    documents,
    exchange,
    guides,
    keys,
    knowledge,
    machine,
    machine_models,
    models,
    openai,
    page,
    places,
    shares,
)
from docqa.api.error_shapes import error_response
from docqa.api.mcp import served as mcp
from docqa.api.serving import ByMethod, Interrupted, Served, stop
from docqa.errors import Busy, DocqaError, Unavailable
from docqa.models.embedder import Embedder
from docqa.services import Services, open_services
from docqa.settings import Settings
from docqa.setup.installation import Installation
from docqa.store.database import Error as DatabaseError

log = logging.getLogger(__name__)

# What /healthz and the page do without, half of the time of a start: whoever has a key waits for it.
REST = (
    *("docqa.api.asking", "docqa.answering.answerable", "docqa.ingest.background"),
    *(f"docqa.store.{name}" for name in store.__all__),
)

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
    documents.QUESTIONS,
    documents.FILE,
    places.PAGES,
    places.PICTURE,  # before the text, whose path would take its name for a number
    documents.PAGE,
    documents.UPDATE,
    shares.LIST,
    shares.CREATE,
    shares.WITHDRAW,
    shares.TAKE,
    exchange.EXPORT,
    exchange.IMPORT,
    chats.LIST,
    chats.CREATE,
    chats.READ,
    chats.UPDATE,
    chats.ADD_TURN,
    chats.DELETE,
    keys.LIST,
    keys.CREATE,
    keys.RENAME,
    keys.REVOKE,
    machine_models.LIST,
    machine_models.PULL,
    machine_models.CANCEL,
    machine_models.REMOVE,
    machine_models.TEST,
    machine.STORAGE,
    machine.MACHINE_STORAGE,
    machine.PROVIDERS,
    machine.ASK_PROVIDERS,
    machine.RECOGNITION,
    machine.DOCTOR,
    # OpenAI's
    openai.LIST,
    openai.READ,
    openai.COMPLETE,
    # Dify's
    dify.RETRIEVE,
    # for people, and for who watches the server
    page.HEALTH,
    page.PAGE,
    page.REFERENCE,
    guides.LIST,
    guides.READ,
    guides.PICTURE,
    page.PART,
    page.SIGN_IN,
)


LISTENING = 0.1  # seconds, in which the server begins to listen


def create(
    settings: Settings,
    *,
    embedder: Embedder | None = None,
    former: Embedder | None = None,
    beside: Embedder | None = None,
    installation: Installation | None = None,
) -> Starlette:
    """The application; its lifespan opens and closes everything else.

    `embedder` is used instead of the one that the settings name, and `former` stands for the one used before it,
    `beside` for the one for other languages.
    `installation` is started with the server, and ends with it.
    """

    mcp_served = mcp.Mcp()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None, None]:
        async with AsyncExitStack() as stack:
            services = await open_services(
                settings, stack, embedder=embedder, former=former, beside=beside, installation=installation
            )
            app.state.services, app.state.keys = services, Keys(services.db)
            stack.push_async_callback(mcp_served.close)
            worker = asyncio.create_task(_work(app), name="background work")
            stack.push_async_callback(stop, worker)
            noting: Keys = app.state.keys
            stack.push_async_callback(noting.note_uses)
            uses = asyncio.create_task(noting.note_uses_forever(), name="uses of keys")
            stack.push_async_callback(stop, uses)
            resting = asyncio.create_task(services.encoders.rest_forever(settings.idle_seconds), name="idle models")
            stack.push_async_callback(stop, resting)
            giving_back = asyncio.create_task(services.rest_forever(), name="memory that is given back")
            stack.push_async_callback(stop, giving_back)
            suggesting = asyncio.create_task(services.suggesting.work_forever(), name="questions to suggest")
            stack.push_async_callback(stop, suggesting)
            watcher = asyncio.create_task(services.watch(), name="what is installed")
            stack.push_async_callback(stop, watcher)
            yield

    # /v1/chat/completions is also what /v1/chat/{doc_id} matches: whole paths come first.
    paths = sorted(_served().items(), key=lambda item: "{" in item[0])
    routes = [Route(path, ByMethod(served), methods=[*served, "OPTIONS"]) for path, served in paths]
    routes += [Route("/openapi.json", _show_openapi), Route(mcp.PATH, mcp_served, methods=["POST"])]
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
    inner = [cors, Middleware(KnownHosts, settings=settings), Middleware(Interrupted)]
    app = _App(routes=routes, lifespan=lifespan, middleware=inner, exception_handlers=handlers)
    app.state.failed_keys, app.state.refusals, app.state.is_whole = FailedKeys(), Refusals(), asyncio.Event()
    return app


async def _work(app: Starlette) -> None:
    """Load the rest of the program, in a thread and not in the first request that needs it; then the background
    work."""
    if any(name not in sys.modules for name in REST):
        await asyncio.sleep(LISTENING)
        await asyncio.to_thread(_load_rest)
    app.state.is_whole.set()
    from docqa.ingest.background import work_forever

    services: Services = app.state.services
    await work_forever(services.intake, services.encoders)


def _load_rest() -> None:
    for name in REST:
        import_module(name)
    gc.freeze()  # what is here stays: a collection in the loop's thread need not look at it


def _served() -> dict[str, dict[str, Served]]:
    """What serves each path by its methods: where they are not together, a 405 names some of them only."""
    paths: dict[str, dict[str, Served]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {}).update(dict.fromkeys(endpoint.methods, Served(endpoint)))
    return paths


class _App(Starlette):
    def build_middleware_stack(self) -> ASGIApp:
        """All of it inside NoSniffing, the answer to an unforeseen exception included."""
        return NoSniffing(super().build_middleware_stack())


async def _show_openapi(request: Request) -> Response:
    return JSONResponse(openapi.document(ENDPOINTS, request.app.state.services.known(), __version__))


async def _answer_error(request: Request, error: DocqaError) -> Response:
    if isinstance(error, Busy):
        request.app.state.refusals.add(error)
    elif error.status >= 500:
        log.warning("%s %s: %s", request.method, request.url.path, error)
    return error_response(error, request.scope)


async def _answer_http(request: Request, error: HTTPException) -> Response:
    """Starlette's own: an unknown path, a method that a path does not have."""
    return JSONResponse({"detail": error.detail}, status_code=error.status_code, headers=error.headers)


async def _answer_database(request: Request, error: Exception) -> Response:
    log.error("%s %s: %s", request.method, request.url.path, error)
    return error_response(Unavailable(f"The database cannot do this now: {error}"), request.scope)
