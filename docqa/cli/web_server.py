"""uvicorn, with what it leaves out: limits of time for headers, bodies and answers that nobody reads, a limit of
connections, and an end that comes."""

import asyncio
import gc
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

log = logging.getLogger(__name__)

GRACE = 3  # seconds for requests in hand at a stop
LAST_RESORT = 12.0  # seconds after which a stop is over, whatever still runs: what is acknowledged is stored
HEAD_SECONDS = 10.0  # for the head of a request
BODY_SECONDS, LEAST_RATE = 20.0, 1_000  # for a body, and the bytes of it that each further second must bring
REST_SECONDS = 10.0  # for the rest of a body that was answered before its end
WRITE_SECONDS = 30.0  # in which a client must take some of what it is sent
SWEEP_TICKS = 10  # tenths of a second between two looks at the connections
SWITCH_SECONDS = 0.0005  # that a thread may keep the others from running Python
MOST = 1_000  # connections; half of the open files that the system allows are enough for them


def _answer(status: str, detail: str, *headers: str) -> bytes:
    """An answer in the API's shape, for a connection that no application has got, and which ends with it."""
    body = json.dumps({"detail": detail})
    safe = "Content-Type: application/json", "X-Content-Type-Options: nosniff"
    head = f"HTTP/1.1 {status}", *safe, *headers, "Connection: close", f"Content-Length: {len(body)}"
    return "\r\n".join((*head, "", body)).encode()


REFUSAL = _answer("503 Service Unavailable", "Too many connections are open.", "Retry-After: 5")
NO_HTTP = _answer("400 Bad Request", "The request is not valid HTTP.")


def most_connections() -> int:
    """How many connections may be open: others need files too, the database and the child processes."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return MOST
    return min(MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


class _Lingering:
    """A transport whose `close` lets the client read its answer although it still sends: closing at once would have the
    system throw the answer away. What is written at one moment, such as a head and its body, is sent together."""

    def __init__(self, transport: Any) -> None:
        self.transport = transport
        self.lingers = self.is_sending = False
        self._written: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Send, with what else is written before the loop turns to others."""
        if not self._written:
            asyncio.get_running_loop().call_soon(self._flush)
        self._written.append(data)

    def _flush(self) -> None:
        if self._written:
            self.transport.write(b"".join(self._written))
            self._written.clear()

    def close(self) -> None:
        """Close, or only say so to a client that is still sending; `Connection.check` closes then."""
        self._flush()
        if self.is_sending and self.transport.can_write_eof() and not self.transport.is_closing():
            self.lingers = True
            self.transport.write_eof()
        else:
            self.transport.close()

    def is_closing(self) -> bool:
        """Whether nothing more can be sent."""
        return self.lingers or self.transport.is_closing()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)


class Connection(H11Protocol):
    """A connection that is closed when its client keeps it waiting.

    `check` looks where it stands; it is called every second, so that no timer has to be set for every few bytes.
    """

    def connection_made(self, transport: Any) -> None:
        """Take a new connection; where there are too many, one in place of the one that waited longest for the head of
        a request, or else none."""
        self._lingering = _Lingering(transport)
        super().connection_made(self._lingering)  # type: ignore[arg-type]
        self._stands: Any = None
        self._since = self._taken_at = time.monotonic()
        self._received = self._unsent = 0
        if len(self.connections) > most_connections():
            waiting = [other for other in self.connections if isinstance(other, Connection) and other._awaits_head()]
            longest = min(
                (other for other in waiting if other is not self), key=lambda other: other._since, default=None
            )
            if longest is None:
                transport.write(REFUSAL)
                transport.close()
            else:
                longest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take bytes from the client, and drop those that come behind the answer."""
        self._received += len(data)
        if not self._lingering.lingers:
            super().data_received(data)
            self._lingering.is_sending = self.conn.their_state is h11.SEND_BODY

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP; where it is the rest of a request in hand, the answer to that has no reader."""
        answer = NO_HTTP
        if self.cycle is not None and not self.cycle.response_complete:
            if self.cycle.scope["method"] == "HEAD":
                answer = answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):  # else an answer has begun, or has been given
            self.transport.write(answer)
        self.transport.close()

    def check(self, now: float) -> None:
        """Close the connection if its client is late; `now` is a monotonic time in seconds."""
        stands = self._phase(), id(self.cycle)
        if stands != self._stands:
            self._stands, self._since, self._received = stands, now, 0
        unsent = self.transport.get_write_buffer_size()
        if unsent != self._unsent or not unsent:
            self._unsent, self._taken_at = unsent, now
        if late := self._late(now - self._since, now - self._taken_at):
            log.info("a connection is closed: %s", late)
            self.transport.abort()

    def _awaits_head(self) -> bool:
        return self.conn.their_state is h11.IDLE

    def _phase(self) -> str:
        if self._lingering.lingers:
            return "rest"
        if self._awaits_head():
            return "answer" if self.transport.get_write_buffer_size() else "head"
        if self.conn.their_state is not h11.SEND_BODY:
            return "answer"
        return "rest" if self.cycle.response_complete else "body"

    def _late(self, seconds: float, untaken: float) -> str:
        """What the client is late with; "" if it is not."""
        phase = self._stands[0]
        if untaken > WRITE_SECONDS:
            return "its client does not take what it is sent"
        if phase == "head" and seconds > HEAD_SECONDS:
            return "no request came"
        if phase == "rest" and seconds > REST_SECONDS:
            return "the rest of a refused body does not end"
        paused = self.flow.read_paused  # then it is we who are late
        if phase == "body" and not paused and seconds > BODY_SECONDS + self._received / LEAST_RATE:
            return "a body came too slowly"
        return ""


class Server(uvicorn.Server):
    """Serves an application until SIGINT or SIGTERM; `on_start` is called once it does, and may ask for `address`."""

    def __init__(self, app: Starlette, host: str, port: int, on_start: Callable[[], None]) -> None:
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            http=Connection,
            ws="none",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=GRACE,
            server_header=False,
        )
        super().__init__(config)
        self._on_start = on_start

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that it listens on."""
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        return host, port

    async def startup(self, sockets: Any = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        # The loop's thread waits for the others, which may all be computing, whenever it has waited for a client.
        sys.setswitchinterval(SWITCH_SECONDS)
        gc.collect()
        gc.freeze()  # what is here stays: a collection in the loop's thread need not look at it
        if self.started:
            self._on_start()

    async def on_tick(self, counter: int) -> bool:
        """Look at the connections; whether it is time to stop."""
        if counter % SWEEP_TICKS == 0:
            now = time.monotonic()
            for connection in list(self.server_state.connections):
                if isinstance(connection, Connection):
                    connection.check(now)
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Stop, and end the process in any case: a thread in the middle of a long work cannot be cancelled."""
        if not self.should_exit:
            end = threading.Timer(LAST_RESORT, os._exit, (0,))
            end.daemon = True
            end.start()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """As uvicorn's, except that a signal that ends the server cleanly makes the process exit with code 0."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
