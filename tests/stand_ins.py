"""Servers on loopback that play the providers, and llama-cpp-python's own server with the real small model."""

import asyncio
import json
import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from docqa.models.embedder import Embedder
from docqa.models.packing import pack

Reply = Callable[[asyncio.StreamWriter], Awaitable[None]]


# An address for documentation (RFC 5737): a test that fails to refuse it reaches nothing either.
NOWHERE = "192.0.2.1"


class UnitByUnit:
    """An embedder that has `encode` alone: it reads each unit of a passage by itself, as models on other servers do."""

    dimension: int
    scaled_unit = Embedder.scaled_unit
    encode: Callable[..., Awaitable[list[bytes]]]
    encode_passages, encode_units, _one_by_one = Embedder.encode_passages, Embedder.encode_units, Embedder._one_by_one
    _reads_in_passing = False

    async def _each(self, texts: list[str], urgent: bool, *, packed: bool) -> list[bytes]:
        assert packed
        return [pack([vector], self.dimension) for vector in await self.encode(texts, urgent=urgent)]


@dataclass(frozen=True)
class Request:
    """One request; header names are in lower case, an empty `body` is None."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class StandIn:
    """A server that gives the next of `replies` to each request, and the last one to all further ones.

    `abandoned` is set when a client disconnects before its reply is complete.
    """

    replies: list[Reply]
    requests: list[Request] = field(default_factory=list)
    abandoned: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    scheme: str = "http"

    @property
    def url(self) -> str:
        """The base address of the API."""
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Handle one connection, which carries one request."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except asyncio.IncompleteReadError:  # who connected was stopped before it sent anything
            writer.close()
            return
        method, path, _ = head[0].split(" ", 2)
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.requests.append(Request(method, path, headers, json.loads(body) if body else None))
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        replying = asyncio.create_task(reply(writer))  # type: ignore[arg-type]
        disconnecting = asyncio.create_task(reader.read(1))
        await asyncio.wait((replying, disconnecting), return_when=asyncio.FIRST_COMPLETED)
        if not replying.done():
            self.abandoned.set()
        for task in (replying, disconnecting):
            task.cancel()
        await asyncio.gather(replying, disconnecting, return_exceptions=True)
        writer.close()


@asynccontextmanager
async def stand_in(*replies: Reply, port: int = 0, tls: ssl.SSLContext | None = None) -> AsyncIterator[StandIn]:
    """A StandIn that listens on loopback, on a free port unless one is given."""
    server = StandIn(list(replies), scheme="https" if tls else "http")
    listening = await asyncio.start_server(server.serve, "127.0.0.1", port, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A self-signed certificate for loopback and a server's TLS context with it; made by the program `openssl`."""
    path = folder / "own.pem"
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    )
    subprocess.run(
        [*command.split(), "-keyout", path.with_suffix(".key"), "-out", path], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, path.with_suffix(".key"))
    return path, context


def status(code: int, body: object = "", **headers: str) -> Reply:
    """A complete response; a text as `body` is sent as it is, anything else as JSON."""
    content = (body if isinstance(body, str) else json.dumps(body)).encode()

    async def reply(writer: asyncio.StreamWriter) -> None:
        named = {"Content-Length": str(len(content)), "Connection": "close"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        writer.write(
            "\r\n".join(
                [f"HTTP/1.1 {code} Status", *(f"{name}: {value}" for name, value in named.items()), "", ""]
            ).encode()
            + content
        )
        await writer.drain()

    return reply


def stream(*events: str | asyncio.Event, whole: bool = True) -> Reply:
    """Server-sent events, one chunk each; an asyncio.Event among them is waited for.

    Without a last chunk if not `whole`.
    """

    async def reply(writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        )
        for event in events:
            if isinstance(event, asyncio.Event):
                await event.wait()
                continue
            data = event.encode()
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()
            await asyncio.sleep(0)
        if whole:
            writer.write(b"0\r\n\r\n")
            await writer.drain()

    return reply


def openai(*words: str, end: str = "stop") -> list[str]:
    """The events of OpenAI's chat completions, which differ from Google's in the first event only."""

    def event(delta: dict[str, Any], reason: str | None = None) -> str:
        body = {
            "id": "c1",
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }
        return f"data: {json.dumps(body)}\n\n"

    usage = 'data: {"id":"c1","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":9}}\n\n'
    content = [event({"role": "assistant", "content": ""}), *(event({"content": word}) for word in words)]
    return [*content, *([event({}, end), usage] if end else []), "data: [DONE]\n\n"]


def anthropic(*words: str, end: str = "end_turn") -> list[str]:
    """The events of Anthropic's messages, including thinking and pings."""

    def event(kind: str, **more: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n"

    return [
        event("message_start", message={"id": "m1", "role": "assistant", "content": [], "usage": {"input_tokens": 9}}),
        event("content_block_start", index=0, content_block={"type": "thinking", "thinking": ""}),
        event("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": "Hm."}),
        event("content_block_stop", index=0),
        event("content_block_start", index=1, content_block={"type": "text", "text": ""}),
        event("ping"),
        *(event("content_block_delta", index=1, delta={"type": "text_delta", "text": word}) for word in words),
        event("content_block_stop", index=1),
        *(
            [event("message_delta", delta={"stop_reason": end}, usage={"output_tokens": 3}), event("message_stop")]
            if end
            else []
        ),
    ]


# llama.cpp's AMX kernels segfault in the first prompt, see models/chat/llama.py; its server has no option against that.
# Nor has it one for the mean of a text's tokens, without which a chat model makes a vector for each of them.
_LLAMA = """
import runpy
import llama_cpp.llama_cpp as api
defaults = api.llama_model_default_params
def without_extra_buffers():
    params = defaults()
    params.use_extra_bufts = False
    return params
api.llama_model_default_params = without_extra_buffers
if "--embedding" in __import__("sys").argv:
    import llama_cpp
    llama_cpp.Llama.__init__.__kwdefaults__["pooling_type"] = api.LLAMA_POOLING_TYPE_MEAN
runpy.run_module("llama_cpp.server", run_name="__main__")
"""


def free_port() -> int:
    """A port on loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def llama_server(model: Path, log: Path, seconds: float = 120, *, embedding: bool = False) -> Iterator[str]:
    """The address of a `python -m llama_cpp.server` with this model, once it is up; with `embedding` it makes vectors
    and no answers."""
    port = free_port()
    options = [
        "--model",
        str(model),
        "--model_alias",
        "smollm2",
        "--port",
        str(port),
        "--n_ctx",
        "2048",
        "--n_threads",
        "2",
        *(["--embedding", "true"] if embedding else []),
    ]
    with log.open("w") as out:
        environ = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}  # as in models/chat/llama.py
        process = subprocess.Popen(
            [sys.executable, "-c", _LLAMA, *options],
            stdout=out,
            stderr=out,
            cwd=Path(__file__).parent.parent,
            env=environ,
        )
    try:
        url, end = f"http://127.0.0.1:{port}/v1", time.monotonic() + seconds
        while not _answers(f"{url}/models"):
            up = process.poll() is None and time.monotonic() < end
            assert up, f"llama_cpp.server is not up after {seconds:g} s: {log.read_text()}"
            time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait(20)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


class NotingSignals:
    """A process that notes its signals, and may have ended."""

    def __init__(self, *, ended: bool = False) -> None:
        self.signals: list[int] = []
        self._ended = ended

    def send_signal(self, number: int) -> None:
        if self._ended:
            raise ProcessLookupError
        self.signals.append(number)
