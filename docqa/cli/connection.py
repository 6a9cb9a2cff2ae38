"""A connection of uvicorn, with what it leaves out: limits of time for heads, bodies and answers that nobody reads, of
the length of heads, and of connections."""

import asyncio
import json
import logging
import time
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

log = logging.getLogger(__name__)

HEAD_SECONDS = 10.0  # for the head of a request
HEAD_BYTES = 64 << 10
BODY_SECONDS, LEAST_RATE = 20.0, 1_000  # for a body, and the bytes of it that each further second must bring
EMPTY_BYTES, EMPTY_SHARE = 1 << 20, 16  # of chunks, beside what is in them; a byte in a chunk of its own takes five
REST_SECONDS = 10.0  # for the rest of a body that was answered before its end
WRITE_SECONDS = 30.0  # in which a client must take some of what it is sent
MOST_WAITING = 20  # requests, sent before the one before them was answered
MOST = 1_000  # connections; half of the open files that the system allows are enough for them


def _answer(status: str, detail: str, *headers: str) -> bytes:
    """An answer in the API's shape, for a connection that no application has got, and which ends with it."""
    body = json.dumps({"detail": detail})
    safe = "Content-Type: application/json", "X-Content-Type-Options: nosniff"
    head = f"HTTP/1.1 {status}", *safe, *headers, "Connection: close", f"Content-Length: {len(body)}"
    return "\r\n".join((*head, "", body)).encode()


REFUSAL = _answer("503 Service Unavailable", "Too many connections are open.", "Retry-After: 5")
NO_HTTP = _answer(
    "400 Bad Request", "The request is not valid HTTP, or its first line and headers have more than 64 kB together."
)


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


class Connection(HttpToolsProtocol):
    """A connection that is closed when its client keeps it waiting.

    `check` looks where it stands; it is called every second, so that no timer has to be set for every few bytes. The
    parser is written in C: read in Python, 200 requests at once take twice as long to refuse. What it leaves to others
    is here: how long a head may be, that it names one host, what comes behind a request that is answered.
    """

    def connection_made(self, transport: Any) -> None:
        """Take a new connection; where there are too many, one in place of the one that waited longest for the head of
        a request, or else none."""
        self._lingering = _Lingering(transport)
        super().connection_made(self._lingering)  # type: ignore[arg-type]
        self._stands: Any = None
        self._since = self._taken_at = time.monotonic()
        self._received = self._content = self._unsent = 0
        self._is_in_body = self._is_deaf = False
        self._head = self._unparsed = self._requests = 0
        self._in_hand: Any = None
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
        if self._lingering.lingers or self._is_deaf:
            return
        before, was_in_body = self._requests, self._is_in_body
        super().data_received(data)
        self._lingering.is_sending = self._is_in_body or self._is_deaf
        in_head = self._requests == before and not was_in_body
        self._unparsed = self._unparsed + len(data) if in_head else 0
        if self._unparsed > HEAD_BYTES and not self._lingering.is_closing():  # a line that does not end
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._head = 0

    def on_url(self, url: bytes) -> None:
        """Take a piece of the address. Raises ValueError for a head that is too long."""
        super().on_url(url)
        self._count_head(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a line of the head; one behind a body counts, and is told nobody. Raises ValueError for too many."""
        self._count_head(len(name) + len(value))
        if not self._is_in_body:
            super().on_header(name, value)

    def _count_head(self, count: int) -> None:
        self._head += count
        if self._head > HEAD_BYTES:
            raise ValueError("the head is too long")

    def on_headers_complete(self) -> None:
        """Take the request. Raises ValueError, which its sender gets as 400, unless it names one host (RFC 9112), and
        where too many wait: thousands fit into what is read at once."""
        if len(self.pipeline) >= MOST_WAITING:
            raise ValueError("too many requests wait on one connection")
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or not hosts and self.parser.get_http_version() == "1.1":
            raise ValueError("a request names one host")
        super().on_headers_complete()
        self._is_in_body = True
        self._requests += 1

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body."""
        self._content += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request has come whole."""
        super().on_message_complete()
        self._is_in_body = False

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._in_hand = cycle
        super()._start_asgi_task(cycle, app)

    def _unsupported_upgrade_warning(self) -> None:
        """Answer in HTTP who asks for another protocol, and hear no more: the parser takes what follows for that."""
        self.cycle.keep_alive, self._is_deaf = False, True

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP. Behind others it only ends the connection, once these are answered; where it is the
        rest of the request in hand, the answer to that has no reader."""
        if self.cycle is None or self.cycle.response_complete:
            self._end(b"" if self._is_in_body else NO_HTTP)
        elif self._is_in_body and not self.pipeline:
            self._break_off(self.cycle)
        else:
            if self._is_in_body:  # it waits for others, and has not come whole
                self.pipeline.popleft()
                self.cycle = self.pipeline[0][0] if self.pipeline else self._in_hand
                self._is_in_body = False
            self.cycle.keep_alive, self._is_deaf = False, True

    def _break_off(self, cycle: RequestResponseCycle) -> None:
        """End a request whose rest is no HTTP; without an answer where one has begun."""
        cycle.disconnected = True
        cycle.message_event.set()
        head, end, _ = NO_HTTP.partition(b"\r\n\r\n")
        answer = head + end if cycle.scope["method"] == "HEAD" else NO_HTTP
        self._end(b"" if cycle.response_started else answer)

    def _end(self, answer: bytes) -> None:
        self.transport.write(answer)
        self._lingering.is_sending = True  # who sends such things may go on
        self.transport.close()

    def check(self, now: float) -> None:
        """Close the connection if its client is late; `now` is a monotonic time in seconds."""
        stands = self._phase(), id(self.cycle)
        if stands != self._stands:
            self._stands, self._since, self._received, self._content = stands, now, 0, 0
        unsent = self.transport.get_write_buffer_size()
        if unsent != self._unsent or not unsent:
            self._unsent, self._taken_at = unsent, now
        if late := self._late(now - self._since, now - self._taken_at):
            log.info("a connection is closed: %s", late)
            self.transport.abort()

    def _awaits_head(self) -> bool:
        return not self._is_in_body and (self.cycle is None or self.cycle.response_complete)

    def _phase(self) -> str:
        if self._lingering.lingers:
            return "rest"
        if self._awaits_head():
            return "answer" if self.transport.get_write_buffer_size() else "head"
        if not self._is_in_body:
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
        if phase == "body" and self._received - self._content > EMPTY_BYTES + EMPTY_SHARE * self._content:
            return "next to nothing of what came was a body"
        return ""
