"""Connections whose clients keep the server waiting."""

import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from docqa.cli import connection as rules
from docqa.cli.connection import Connection
from docqa.cli.web_server import Server

pytestmark = pytest.mark.anyio

HEAD = b"POST /%s HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n%s\r\n"


async def read_all(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def read_while_there(request: Request) -> Response:
    """As our endpoints do: what they answer to a client that has left is not sent."""
    try:
        return await read_all(request)
    except ClientDisconnect:
        return PlainTextResponse("gone", 499)


async def refuse(request: Request) -> Response:
    return PlainTextResponse("no", 413)


async def large(request: Request) -> Response:
    return PlainTextResponse("x" * (64 << 20))


HANDLERS = (read_all, read_while_there, refuse, large)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    routes = [Route(f"/{handler.__name__}", handler, methods=["GET", "POST", "HEAD"]) for handler in HANDLERS]
    started = asyncio.Event()
    server = Server(Starlette(routes=routes), "127.0.0.1", 0, started.set)
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
    task = asyncio.create_task(server.serve())
    await started.wait()
    yield server
    server.should_exit = True
    await task


async def connect(server: Server, sent: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Connection]:
    """A connection that has sent so much, and its other end."""
    before = set(server.server_state.connections)
    reader, writer = await asyncio.open_connection(*server.address)
    writer.write(sent)
    await asyncio.sleep(0.05)
    [connection] = set(server.server_state.connections) - before
    assert isinstance(connection, Connection)
    return reader, writer, connection


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        pytest.param(b"", rules.HEAD_SECONDS, id="no request"),
        pytest.param(b"POST /read_all HTTP/1.1\r\nX: ", rules.HEAD_SECONDS, id="half a head"),
        pytest.param(HEAD % (b"read_all", b"") + b"x" * 1000, rules.BODY_SECONDS + 1, id="half a body"),
        pytest.param(HEAD % (b"refuse", b"") + b"x", rules.REST_SECONDS, id="a refused body"),
        pytest.param(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n", rules.WRITE_SECONDS, id="an answer nobody reads"),
    ],
)
async def test_a_client_that_keeps_the_server_waiting_is_let_go(server: Server, sent: bytes, seconds: float) -> None:
    _, writer, connection = await connect(server, sent)
    now = time.monotonic()
    connection.check(now)
    connection.check(now + seconds - 2)
    assert not connection.transport.is_closing()
    connection.check(now + seconds + 0.1)
    await asyncio.sleep(0.01)
    assert connection not in server.server_state.connections
    writer.close()


async def test_a_body_that_comes_slowly_but_comes_is_read(server: Server) -> None:
    _, writer, connection = await connect(server, HEAD % (b"read_all", b""))
    now = time.monotonic()
    connection.check(now)
    writer.write(b"x" * 100_000)
    await asyncio.sleep(0.05)
    connection.check(now + rules.BODY_SECONDS + 50)
    assert not connection.transport.is_closing()
    writer.close()


async def test_a_body_of_next_to_nothing_but_frames_ends_the_connection(server: Server) -> None:
    chunked = b"POST /read_all HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    _, tiny, honest = await connect(server, chunked)
    reader, writer, connection = await connect(server, chunked)
    now = time.monotonic()
    honest.check(now), connection.check(now)
    tiny.write(b"1\r\nx\r\n" * 300_000)
    writer.write(b"1;" + b"x" * (rules.EMPTY_BYTES + 1000))
    await asyncio.sleep(0.3)
    honest.check(now + 1), connection.check(now + 1)
    assert not honest.transport.is_closing()
    with contextlib.suppress(ConnectionResetError):
        assert await reader.read() == b""
    assert connection not in server.server_state.connections
    tiny.close()


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"GET /refuse HTTP/1.1\r\n\r\n", id="no host"),
        pytest.param(b"GET /refuse HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", id="two hosts"),
        pytest.param(b"GET /refuse HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", id="a long line"),
        pytest.param(b"GET /refuse HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 70_000, id="a line without an end"),
        pytest.param(b"GET /" + b"x" * 70_000, id="an address without an end"),
        pytest.param(b"GET /refuse HTTP/1.1\r\nHost: a\r\n" + b"X: x\r\n" * 40_000 + b"\r\n", id="many lines"),
        pytest.param(b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n", id="no ASCII"),
        pytest.param(b"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", id="a tunnel"),
        pytest.param(
            b"POST /read_all HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            id="two lengths",
        ),
    ],
)
async def test_a_head_that_no_request_has_is_refused(server: Server, sent: bytes) -> None:
    reader, writer = await asyncio.open_connection(*server.address)
    writer.write(sent)
    with contextlib.suppress(ConnectionResetError):
        assert await reader.read() == rules.NO_HTTP
    writer.close()


async def test_who_asks_for_another_protocol_is_answered_in_this_one(server: Server) -> None:
    upgrade = b"Host: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
    for sent, answer in [
        (b"GET /refuse HTTP/1.1\r\n" + upgrade + b"\r\nPRI * HTTP/2.0", b"HTTP/1.1 413"),
        (b"POST /read_all HTTP/1.1\r\n" + upgrade + b"Content-Length: 3\r\n\r\nabc", b"HTTP/1.1 200"),
    ]:
        reader, writer = await asyncio.open_connection(*server.address)
        writer.write(sent)
        assert (await reader.read()).startswith(answer)
        writer.close()


async def test_requests_sent_together_are_answered_in_turn_and_what_is_none_behind_them_ends_the_connection(
    server: Server,
) -> None:
    get, post = b"GET /refuse HTTP/1.1\r\nHost: a\r\n\r\n", HEAD % (b"read_all", b"")
    half = b"POST /read_all HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n"
    for sent, statuses in [
        (get + get + b"GET /read_all HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", [b"413", b"413", b"200"]),
        (get + b"no request\r\n\r\n", [b"413"]),
        (get + get + half, [b"413", b"413"]),
        (get + half, [b"413"]),
        (post.replace(b"1000000", b"3") + b"abc" + half, [b"200"]),
    ]:
        reader, writer = await asyncio.open_connection(*server.address)
        writer.write(sent)
        async with asyncio.timeout(5):
            answer = await reader.read()
        assert [line.split()[1] for line in answer.split(b"\r\n") if b"HTTP/1.1" in line] == statuses, sent
        writer.close()


async def test_of_very_many_requests_sent_together_the_first_are_answered(server: Server) -> None:
    reader, writer = await asyncio.open_connection(*server.address)
    writer.write(b"GET /refuse HTTP/1.1\r\nHost: a\r\n\r\n" * 5000)
    async with asyncio.timeout(5):
        with contextlib.suppress(ConnectionResetError):
            assert 0 < (await reader.read()).count(b"HTTP/1.1 413") <= rules.MOST_WAITING + 1
    writer.close()


async def test_a_line_behind_a_body_becomes_none_of_the_head(server: Server) -> None:
    reader, writer, connection = await connect(
        server,
        b"POST /refuse HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nx-api-key: stolen\r\n\r\n",
    )
    assert (await reader.read(12)) == b"HTTP/1.1 413"
    assert [name for name, _ in connection.headers] == [b"host", b"transfer-encoding"]
    writer.close()


async def test_who_is_refused_while_sending_reads_the_answer(server: Server) -> None:
    reader, writer, _ = await connect(server, HEAD % (b"refuse", b"Connection: close\r\n"))
    for _ in range(10):
        writer.write(b"x" * 100_000)
        await writer.drain()
    assert (await reader.read()).startswith(b"HTTP/1.1 413")
    writer.close()


async def test_after_a_refused_body_whose_rest_came_in_one_piece_the_next_request_is_answered(server: Server) -> None:
    """A piece of more than a head may have was taken for one without an end: the next answer was 400."""
    reader, writer, connection = await connect(server, HEAD % (b"refuse", b""))
    assert b" 413 " in await reader.readuntil(b"no")
    for piece in (b"x" * 900_000, b"x" * 100_000):
        connection.data_received(piece)
    writer.write(b"GET /read_all HTTP/1.1\r\nHost: a\r\n\r\n")
    assert b" 200 " in await asyncio.wait_for(reader.readline(), 5)
    writer.close()


async def test_of_too_many_connections_the_one_that_waited_longest_makes_room(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "most_connections", lambda: 2)
    first, _, oldest = await connect(server, b"GET")
    await connect(server, b"GET")
    _, _, newest = await connect(server, b"GET")
    with contextlib.suppress(ConnectionResetError):
        assert await first.read() == b""
    assert newest in server.server_state.connections and oldest not in server.server_state.connections


async def test_where_all_are_busy_a_further_connection_gets_503(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "most_connections", lambda: 1)
    await connect(server, HEAD % (b"read_all", b""))
    reader, writer = await asyncio.open_connection(*server.address)
    assert (await reader.read()).startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    writer.close()
    head, _, body = rules.REFUSAL.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head


@pytest.mark.parametrize(
    ("sent", "answers"),
    [
        pytest.param(b"", b"HTTP/1.1 400", id="no answer has begun"),
        pytest.param(b"GET /refuse HTTP/1.1\r\nHost: a\r\n\r\n", b"HTTP/1.1 413", id="behind an answer"),
    ],
)
async def test_what_is_no_http_ends_the_connection_without_a_word_in_the_log(
    server: Server, caplog: pytest.LogCaptureFixture, sent: bytes, answers: bytes
) -> None:
    chunked = b"%s /%s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
    reader, writer, connection = await connect(server, sent + chunked % (b"POST", b"read_while_there"))
    writer.write(b"no size of a chunk\r\n")
    answer = await reader.read()
    assert answer.startswith(answers) and answer.endswith(rules.NO_HTTP)
    connection.check(time.monotonic())
    connection.check(time.monotonic() + rules.REST_SECONDS + 1)
    assert connection._lingering.transport.is_closing(), "nor is it kept by a client that does not go"
    reader, writer, _ = await connect(server, sent + chunked % (b"POST", b"refuse"))
    writer.write(b"no size of a chunk\r\n")
    assert (await reader.read()).startswith(b"HTTP/1.1 413")
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_the_refusal_of_a_head_has_no_body(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    chunked = b"HEAD /read_while_there HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    reader, writer, _ = await connect(server, chunked)
    writer.write(b"no size of a chunk\r\n")
    assert await reader.read() == rules.NO_HTTP.partition(b"{")[0]
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_head_and_its_body_are_sent_together() -> None:
    sent: list[bytes] = []

    class Transport:
        write = staticmethod(sent.append)

        def close(self) -> None:
            sent.append(b"closed")

    lingering = rules._Lingering(Transport())
    lingering.write(b"head, ")
    lingering.write(b"body")
    assert sent == []
    await asyncio.sleep(0)
    assert sent == [b"head, body"]
    lingering.write(b"end")
    lingering.close()
    await asyncio.sleep(0)
    assert sent == [b"head, body", b"end", b"closed"]


FIRST_STREAM = """
import asyncio, sys, threading, urllib.request
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route
from docqa.cli.web_server import Server

async def modules(request):
    return PlainTextResponse(" ".join(sys.modules))

async def stream(request):
    async def pieces():
        yield "a"
    return StreamingResponse(pieces())

def get(path):
    return urllib.request.urlopen(f"http://127.0.0.1:{server.address[1]}/{path}").read().decode()

def ask():
    get("modules")
    before = set(get("modules").split())
    assert get("stream") == "a"
    print(sorted(set(get("modules").split()) - before))
    server.should_exit = True

app = Starlette(routes=[Route("/modules", modules), Route("/stream", stream)])
server = Server(app, "127.0.0.1", 0, threading.Thread(target=ask).start)
asyncio.run(server.serve())
"""


def test_the_first_stream_has_nothing_to_import() -> None:
    ran = subprocess.run([sys.executable, "-c", FIRST_STREAM], capture_output=True, text=True, timeout=60, check=False)
    assert ran.stdout.strip() == "[]", ran.stderr
