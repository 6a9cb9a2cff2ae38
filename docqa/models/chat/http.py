"""One request to a provider over HTTP: retried while that helps, its answer as server-sent events, failures as errors.

Nothing here knows models and messages, and no log line holds a key.
"""

import asyncio
import json
import logging
import math
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from docqa import __version__
from docqa.catalog.targets import Target
from docqa.errors import ProviderFailed, Unavailable
from docqa.loopback import is_loopback
from docqa.models.chat import sse
from docqa.models.chat.failures import RETRY_AFTER, RETRY_PAUSE, Failure, Failures
from docqa.models.chat.wire import Complaint, Wire, read_complaint

if TYPE_CHECKING:  # importing httpx takes a tenth of a second: the server starts without it
    import httpx

log = logging.getLogger(__name__)

CONNECT_SECONDS = 5.0
TRIES = 3
LONGEST_DOWN = 60  # seconds without another request after a failure, whatever time the provider names
BODY_BYTES = 1 << 20  # of an error or a list of models
HEADERS = {
    "User-Agent": f"DocQA/{__version__}",
    "Accept": "*/*",
    "Accept-Encoding": "identity",  # compressed tokens would arrive in lumps
    "Content-Type": "application/json",
}


class HttpClient:
    """The connections to all providers, opened with the first request."""

    def __init__(self) -> None:
        self._opening = asyncio.Lock()
        self._open: dict[str, httpx.AsyncHTTPTransport] = {}  # by the proxy they lead through, "" for none

    async def connections(self, url: str) -> "httpx.AsyncHTTPTransport":
        """Those to this address: what stands above them in httpx, for redirects, cookies and what is compressed, is of
        no use to any provider and would take a tenth of the time around an answer.

        Raises ProviderFailed where the environment names an unusable proxy or certificate file.
        """
        proxy = _proxy_for(url)
        if proxy in self._open:
            return self._open[proxy]
        async with self._opening:
            if proxy not in self._open:
                try:
                    # In a thread: importing httpx and reading the certificates takes a while.
                    self._open[proxy] = await asyncio.to_thread(_opened, proxy)
                except (OSError, ValueError, ImportError) as error:
                    raise ProviderFailed(
                        f"No provider can be reached: {error}. "
                        "Check HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE in the environment."
                    ) from error
            return self._open[proxy]

    async def close(self) -> None:
        """Close the connections."""
        for connections in self._open.values():
            await connections.aclose()


def _proxy_for(url: str) -> str:
    """The environment's proxy for an address, many networks have no other way out; "" for none. A proxy could read what
    is sent over plain HTTP, and does not lead to this machine. TLS it only forwards."""
    parts = urlsplit(url)
    if parts.scheme == "http" or is_loopback(parts.hostname or "") or proxy_bypass(parts.netloc):
        return ""
    proxies = getproxies()
    proxy = proxies.get("https") or proxies.get("all") or ""
    return proxy if "://" in proxy or not proxy else f"http://{proxy}"


def _opened(proxy: str) -> "httpx.AsyncHTTPTransport":
    import httpx

    return httpx.AsyncHTTPTransport(proxy=proxy or None)


@dataclass
class Peer:
    """A target and how to talk to it: the URL, the wire format and the key.

    `seconds` limits each wait for the other side, and twice over all retries together. `place` is where the target is
    written. `changes` is what was learned:
    the request fields that the model refuses, each with the field that takes its value, or "". `down` is the last
    failure, and until when (monotonic) no request is sent: the next target then answers at once.
    """

    target: Target
    wire: Wire
    url: str
    key: str
    client: HttpClient
    seconds: float
    place: str = "models.toml"
    changes: dict[str, str] = field(default_factory=dict)
    down: tuple[float, Unavailable] | None = None

    @property
    def failures(self) -> Failures:
        """What its refusals mean."""
        return Failures(self.target, self.key, self.place)

    async def get(self, path: str) -> object:
        """The decoded JSON at `path`, None if it is not JSON. Raises ProviderFailed or Unavailable."""
        import httpx

        response = await self._send("GET", path, {})
        try:
            return _decoded(await _beginning(response))
        except httpx.RequestError as error:
            raise self._unreachable(error).error from error
        finally:
            await response.aclose()

    async def post_whole(self, path: str, body: dict[str, Any], most: int) -> bytes:
        """The bytes of the response to `body`, `most` of them and a few. Raises ProviderFailed or Unavailable."""
        import httpx

        response = await self._send("POST", path, body)
        try:
            return await _beginning(response, most)
        except httpx.RequestError as error:
            raise self._unreachable(error).error from error
        finally:
            await response.aclose()

    async def post(self, path: str, body: dict[str, Any]) -> "httpx.Response":
        """The response to `body`, still open: the caller closes it. Raises ProviderFailed or Unavailable."""
        return await self._send("POST", path, body)

    async def events(self, response: "httpx.Response") -> AsyncGenerator[str, None]:
        """The data of each server-sent event.

        Raises ProviderFailed for an event that is too long, Unavailable where the connection breaks.
        """
        import httpx

        try:
            async with aclosing(sse.events(_as_sent(response))) as events:
                async for data in events:
                    yield data
        except sse.EventTooLong as error:
            limit = f"{sse.EVENT_BYTES >> 20} MB"
            raise ProviderFailed(f"{self.target} sent an event of more than {limit}, which no model does.") from error
        except httpx.RequestError as error:
            raise self._unreachable(error).error from error

    async def _send(self, method: str, path: str, body: dict[str, Any]) -> "httpx.Response":
        """The response, with status 200 and still open, after as many tries as help."""
        if self.down and time.monotonic() < self.down[0]:
            raise Unavailable(str(self.down[1]), math.ceil(self.down[0] - time.monotonic()))
        changes = dict(self.changes)
        tries, deadline = 0, time.monotonic() + self.seconds / 2  # the other half is for the answer
        while True:
            known = len(changes)
            outcome = await self._try(method, path, _changed(body, changes), changes)
            if not isinstance(outcome, Failure):
                self.changes |= changes
                return outcome
            if len(changes) > known:
                continue
            tries += 1
            if outcome.retry_in is None or tries == TRIES or time.monotonic() + outcome.retry_in > deadline:
                if isinstance(outcome.error, Unavailable):
                    self.down = time.monotonic() + min(outcome.error.retry_after, LONGEST_DOWN), outcome.error
                raise outcome.error
            log.warning("%s Retrying in %.1f s.", outcome.error, outcome.retry_in)
            await asyncio.sleep(outcome.retry_in)

    async def _try(
        self, method: str, path: str, body: dict[str, Any], changes: dict[str, str]
    ) -> "httpx.Response | Failure":
        """One request; a field that the provider complains about is added to `changes`."""
        import httpx

        connections = await self.client.connections(self.url)
        timeout = httpx.Timeout(self.seconds, connect=CONNECT_SECONDS).as_dict()
        headers = HEADERS | self.wire.headers(self.key)
        content = json.dumps(body).encode() if body else None
        try:
            response = await connections.handle_async_request(
                httpx.Request(
                    method, self.url + path, content=content, headers=headers, extensions={"timeout": timeout}
                )
            )
            if response.status_code == 200:
                return response
            try:
                complaint = read_complaint(_decoded(await _beginning(response)))
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            return self._unreachable(error)
        if response.status_code in (400, 422) and (name := _refused_field(complaint, body, self.wire, changes)):
            changes[name] = self.wire.optional[name]
        return self.failures.refused(response.status_code, response.headers.get("Retry-After", ""), complaint)

    def _unreachable(self, error: "httpx.RequestError") -> Failure:
        """What it means when no response arrives."""
        import httpx

        cause: BaseException | None = error
        while cause and not isinstance(cause, ssl.SSLCertVerificationError):
            cause = cause.__cause__ or cause.__context__
        if cause:
            advice = "has an invalid server certificate. SSL_CERT_FILE can name further authorities."
            return Failure(ProviderFailed(f"{self.target} {advice}"), None)
        if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError | httpx.DecodingError):
            return Failure(ProviderFailed(f"{self.target} does not speak HTTP at its address in {self.place}."), None)
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
            limit = f" within {CONNECT_SECONDS:g} s" if isinstance(error, httpx.ConnectTimeout) else ""
            advice = f"Start its server, or correct its address in {self.place}."
            return Failure(Unavailable(f"{self.target} cannot be reached{limit}. {advice}", RETRY_AFTER), RETRY_PAUSE)
        if isinstance(error, httpx.TimeoutException):
            sentence = f"{self.target} sent nothing for {self.seconds:g} s. Try again."
            return Failure(Unavailable(sentence, RETRY_AFTER), None)
        return Failure(Unavailable(f"{self.target} dropped the connection. Try again.", RETRY_AFTER), RETRY_PAUSE)


async def _beginning(response: "httpx.Response", most: int = BODY_BYTES) -> bytes:
    """The response's body, cut off soon after so many bytes."""
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > most:
            break
    return bytes(content)


def _as_sent(response: "httpx.Response") -> AsyncIterable[bytes]:
    """The body as it comes; decoded where it is compressed though that was not asked for."""
    if "Content-Encoding" in response.headers:
        return response.aiter_bytes()
    return cast(AsyncIterable[bytes], response.stream)


def _decoded(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _changed(body: dict[str, Any], changes: dict[str, str]) -> dict[str, Any]:
    """`body` with fields renamed or left out as `changes` says, in the order in which that was learned."""
    body = dict(body)
    for name, replacement in changes.items():
        value = body.pop(name, None)
        if replacement and value is not None:
            body[replacement] = value
    return body


def _refused_field(complaint: Complaint, body: dict[str, Any], wire: Wire, changes: dict[str, str]) -> str:
    """The field of the body that the provider complains about and that may be changed; "" if there is none."""
    optional = [name for name in wire.optional if name in body and name not in changes]
    named = [name for name in optional if name == complaint.param] or sorted(
        (name for name in optional if name in complaint.message), key=complaint.message.index
    )
    return named[0] if named else ""
