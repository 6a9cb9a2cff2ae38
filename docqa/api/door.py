"""What stands before every endpoint: which names the server answers to, how often keys may fail, what the log
tells of refusals, what no answer lacks.

A web page that a browser shows can reach this machine by having its own name lead to 127.0.0.1 (DNS rebinding); the
Host header then still holds that name.
"""

import ipaddress
import logging
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docqa.errors import Busy, TooManyFailures
from docqa.loopback import is_loopback
from docqa.settings import Settings, environment_name

log = logging.getLogger(__name__)

FAILURES = 20  # of keys, that an address has at once
SECONDS = 3  # after which it has one more
ADDRESSES = 10_000  # that are remembered, those which failed last
LOG_SECONDS = 1.0  # between two lines of the log on requests that full queues refused
MISDIRECTED = 421  # RFC 9110
NO_SNIFFING = "X-Content-Type-Options"


class NoSniffing:
    """Middleware: no browser takes an answer for something else than its Content-Type says, be it an error or a
    stream."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[NO_SNIFFING] = "nosniff"
            await send(message)

        await self._app(scope, receive, send_on if scope["type"] == "http" else send)


class KnownHosts:
    """Middleware: where the server listens on loopback only, requests to other names than this machine's get 421,
    unless the settings name them. A server that others reach answers to every name."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._any = not is_loopback(settings.host) or "*" in settings.host_names
        self._names = frozenset(settings.host_names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._any:
            for given in Request(scope).headers.getlist("host"):
                if not self._knows(name_of(given)):
                    setting = environment_name("host_names")
                    detail = f"This server does not answer to the name in the Host header. {setting} adds names."
                    await JSONResponse({"detail": detail}, status_code=MISDIRECTED)(scope, receive, send)
                    return
        await self._app(scope, receive, send)

    def _knows(self, name: str) -> bool:
        return is_loopback(name) or name in self._names


def name_of(host: str) -> str:
    """The name in a Host header, in lower case, without its port and the dot at its end."""
    whole = host.strip().lower()
    name, _, port = whole.rpartition(":")
    return (name if name and port.isdecimal() else whole).rstrip(".")


class FailedKeys:
    """How often keys that are none came from each address: FAILURES at once, and one more every SECONDS.

    A key that is right is never refused for it, so that nobody is locked out by another one behind the same address: a
    key is 256 random bits, which no rate of guesses finds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: OrderedDict[str, tuple[float, float]] = OrderedDict()  # failures, which wane, and when they were so

    def add(self, address: str) -> None:
        """Count a failure. Raises TooManyFailures beyond the limit."""
        now, place = self._clock(), _network(address)
        count, then = self._seen.pop(place, (0.0, now))
        count = max(0.0, count - (now - then) / SECONDS)
        over = count > FAILURES - 1
        self._seen[place] = (count if over else count + 1, now)
        if len(self._seen) > ADDRESSES:
            self._seen.popitem(last=False)
        if over:
            raise TooManyFailures("Too many wrong API keys came from this address: try again later", SECONDS)
        if count > FAILURES - 2:
            log.warning("%d wrong API keys came from %s: further ones are refused", FAILURES, place)


class Refusals:
    """Requests that full queues refused, in the log: a line a second, for one each takes a seventh of the refusal's
    time and floods the log."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._count, self._logged = 0, -LOG_SECONDS

    def add(self, error: Busy) -> None:
        """Count one, and log the newest with the number of those that no line told of."""
        self._count += 1
        now = self._clock()
        if now - self._logged >= LOG_SECONDS:
            log.warning("refused, %d since the last such line: %s", self._count, error)
            self._count, self._logged = 0, now


def _network(address: str) -> str:
    """What one host can speak from: its address, in IPv6 its /64."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    return str(ipaddress.ip_network((known, 64), strict=False)) if known.version == 6 else str(known)
