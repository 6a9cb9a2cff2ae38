"""The protocol itself, as the official SDK speaks it. Importing this takes a second: do it in a thread."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from docqa import __version__
from docqa.api.error_shapes import sentence
from docqa.api.mcp.rest import Refused, Rest
from docqa.api.mcp.tools import Tool, tools
from docqa.api.permalink import base_of
from docqa.errors import DocqaError, InvalidRequest

INSTRUCTIONS = (
    "The user's own documents. `search` finds passages, `fetch` reads pages, `ask` answers from the documents alone. "
    "Say where something stands with the links that the results carry."
)
Context = ServerRequestContext[Any, Any]

logging.getLogger("mcp").setLevel("WARNING")  # it logs every request


def server(offered: Mapping[str, Tool], rest_of: Callable[[Context], Rest]) -> Server[Any]:
    """A server of these tools; `rest_of` a request is the API that they ask for it, which is closed afterwards."""

    async def list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in offered.values()])

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            tool = offered.get(params.name)
            if tool is None:
                raise Refused(f"There is no tool {params.name!r}; there are {', '.join(offered)}.")
            given = _read(tool, params.arguments or {})
            rest = rest_of(ctx)
            try:
                result = await tool.run(rest, given)
            finally:
                await rest.close()
        except DocqaError as error:
            return _said(sentence(error), is_error=True)
        return _said(json.dumps(result, ensure_ascii=False), structured=result)

    return Server(
        "docqa",
        version=__version__,
        title="DocQA",
        description="Ask your documents, on your own machine.",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes.schema({}),
        output_schema=tool.gives.schema({}),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads_only,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=not tool.reads_only,
        ),
    )


def _read(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments, checked. Raises InvalidRequest."""
    try:
        given: dict[str, Any] = tool.takes.read(arguments, {})
    except InvalidRequest as error:
        raise InvalidRequest([fault.under("arguments") for fault in error.faults]) from error
    return given


def _said(text: str, *, structured: dict[str, Any] | None = None, is_error: bool = False) -> types.CallToolResult:
    content = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=list(content), structured_content=structured, is_error=is_error)


class OverHttp:
    """The protocol over HTTP as an ASGI application, each request for itself, answered by JSON. Its tools ask `app`
    with the key of the request; who else may ask is none of its business."""

    def __init__(self, app: ASGIApp, body_limit: int) -> None:
        def rest_of(ctx: Context) -> Rest:
            request: Request | None = ctx.request
            assert request is not None, "every message came by a request"
            return Rest(base_of(request.scope), request.headers["x-api-key"], app)

        self._manager = StreamableHTTPSessionManager(
            server(tools(local_files=False), rest_of),
            json_response=True,
            stateless=True,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=body_limit,
        )
        self._ends = asyncio.Event()
        self._begun = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Make it ready."""
        self._task = asyncio.create_task(self._run(), name="mcp")
        await self._begun.wait()

    async def _run(self) -> None:
        async with self._manager.run():  # left by the task that entered it
            self._begun.set()
            await self._ends.wait()

    async def close(self) -> None:
        """End what is in hand."""
        self._ends.set()
        if self._task:
            await asyncio.wait((self._task,))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, whose key is known to be right."""
        await self._manager.handle_request(scope, receive, send)


async def over_stdio(base: str, key: str) -> None:
    """Speak the protocol over stdin and stdout until stdin ends; the tools ask the server at `base`."""
    spoken = server(tools(local_files=True), lambda ctx: Rest(base, key))
    with suppress(asyncio.CancelledError):
        async with stdio_server() as (incoming, outgoing):
            await spoken.run(incoming, outgoing, spoken.create_initialization_options())
