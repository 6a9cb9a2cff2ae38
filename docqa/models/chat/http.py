"""One request to a provider over HTTP: sent again while that helps, its answer as server-sent events, and each failure a sentence.

It knows nothing of models and messages. No sentence and no log line holds a key, nor more of an answer than the provider's own short message.
"""

import asyncio
import json
import logging
import math
import ssl
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from docqa import __version__
from docqa.catalog.keys import FILE, variable
from docqa.catalog.targets import Target
from docqa.errors import DocqaError, ProviderFailed, Unavailable
from docqa.models.chat.wire import Complaint, Wire, complaint

if TYPE_CHECKING:  # httpx takes a tenth of a second to import: the server starts without it
    import httpx

log = logging.getLogger(__name__)

CONNECT_SECONDS = 5.0
TRIES = 3
PAUSE = 1.0  # seconds before a further try, where the provider names no time
RETRY_AFTER = 5  # seconds that a caller is told, where the provider names no time
LONGEST_DOWN = 60  # seconds that nobody asks again after a failure, whatever time the provider names
LONGEST_WAIT = 3600.0  # seconds that a provider may name
MESSAGE = 200  # characters of a provider's own message that are passed on
EVENT_BYTES = 1 << 20  # one event of a stream; real ones have some hundred
BODY_BYTES = 1 << 20  # an error, or a list of models
BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})  # 529: Anthropic's word for overloaded
NO_CREDIT = "insufficient_quota"  # OpenAI answers 429 to an account that has used up its money, too

# A proxy would read what goes over plain HTTP, and is no way to this machine. What goes over TLS it only passes on.
_DIRECT = ("http://", "all://localhost", "all://127.0.0.1", "all://[::1]")


class HttpClient:
    """The connections to all providers: opened with the first request, in a thread, for importing httpx and reading the certificates takes a while."""

    def __init__(self) -> None:
        self._opening = asyncio.Lock()
        self._client: httpx.AsyncClient | None = None

    async def connections(self) -> "httpx.AsyncClient":
        """Raises ProviderFailed where the environment names a proxy or certificates that cannot be used."""
        async with self._opening:
            if self._client is None:
                try:
                    self._client = await asyncio.to_thread(_open)
                except (OSError, ValueError, ImportError) as error:
                    raise ProviderFailed(
                        f"No provider can be asked: {error}. Look at HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE in the environment."
                    ) from error
            return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def _open() -> "httpx.AsyncClient":
    import httpx

    headers = {
        "User-Agent": f"DocQA/{__version__}",
        "Accept-Encoding": "identity",
    }  # compressed tokens would come in lumps
    # Proxies and SSL_CERT_FILE of the environment are taken: in many networks there is no other way out. A redirect would carry the key along.
    return httpx.AsyncClient(headers=headers, follow_redirects=False, trust_env=True, mounts=dict.fromkeys(_DIRECT))


class _Failure(NamedTuple):
    """`wait`: seconds until a further try may help; None where none does."""

    error: DocqaError
    wait: float | None


@dataclass
class Peer:
    """A target as it is spoken to: where requests go and in which form. `seconds` bounds each wait for the other side, and twice all tries together.

    `changes` is what was learned: which fields of a request the model refuses, and which takes the value of each, or "". `down` is why it was not to be had
    just now, and until when nobody asks again: the next target answers at once then.
    """

    target: Target
    wire: Wire
    url: str
    key: str
    client: HttpClient
    seconds: float
    changes: dict[str, str] = field(default_factory=dict)
    down: tuple[float, Unavailable] | None = None

    async def get(self, path: str) -> object:
        """The JSON at `path`, None where it is none. Raises ProviderFailed or Unavailable."""
        import httpx

        response = await self._send("GET", path, {})
        try:
            return _decoded(await _start_of(response))
        except httpx.RequestError as error:
            raise self._unreachable(error).error from error
        finally:
            await response.aclose()

    async def post(self, path: str, body: dict[str, Any]) -> "httpx.Response":
        """The opened answer to `body`, which the caller closes. Raises ProviderFailed or Unavailable."""
        return await self._send("POST", path, body)

    async def events(self, response: "httpx.Response") -> AsyncGenerator[str, None]:
        """The data of each server-sent event. Raises ProviderFailed for an event that is too long, Unavailable where the connection breaks."""
        import httpx

        buffer, data = bytearray(), bytearray()
        try:
            async for chunk in response.aiter_bytes():
                buffer += chunk
                *lines, buffer = buffer.split(b"\n") if b"\n" in chunk else [buffer]
                for line in lines:
                    name, _, value = line.rstrip(b"\r").partition(b":")
                    if name == b"data":
                        data += value.removeprefix(b" ") + b"\n"
                    elif not name and data:
                        yield data[:-1].decode("utf-8", "replace")
                        data.clear()
                if len(buffer) + len(data) > EVENT_BYTES:
                    raise ProviderFailed(
                        f"{self.target} sent an event of more than {EVENT_BYTES >> 20} MB: that is no answer of a model."
                    )
        except httpx.RequestError as error:
            raise self._unreachable(error).error from error

    async def _send(self, method: str, path: str, body: dict[str, Any]) -> "httpx.Response":
        """The opened answer with status 200."""
        if self.down and time.monotonic() < self.down[0]:
            raise Unavailable(str(self.down[1]), math.ceil(self.down[0] - time.monotonic()))
        changes = dict(self.changes)
        tried, patience = 0, time.monotonic() + self.seconds / 2  # the other half is for the answer
        while True:
            known = len(changes)
            outcome = await self._try(method, path, _changed(body, changes), changes)
            if not isinstance(outcome, _Failure):
                self.changes |= changes
                return outcome
            if len(changes) > known:
                continue
            tried += 1
            if outcome.wait is None or tried == TRIES or time.monotonic() + outcome.wait > patience:
                if isinstance(outcome.error, Unavailable):
                    self.down = time.monotonic() + min(outcome.error.retry_after, LONGEST_DOWN), outcome.error
                raise outcome.error
            log.warning("%s Trying again in %.1f s.", outcome.error, outcome.wait)
            await asyncio.sleep(outcome.wait)

    async def _try(
        self, method: str, path: str, body: dict[str, Any], changes: dict[str, str]
    ) -> "httpx.Response | _Failure":
        """One request; a field that the answer complains about is added to `changes`."""
        import httpx

        client = await self.client.connections()
        timeout = httpx.Timeout(self.seconds, connect=CONNECT_SECONDS)
        headers = self.wire.headers(self.key) | {"Content-Type": "application/json"}
        content = json.dumps(body).encode() if body else None
        try:
            response = await client.send(
                client.build_request(method, self.url + path, content=content, headers=headers, timeout=timeout),
                stream=True,
            )
            if response.status_code == 200:
                return response
            try:
                said = complaint(_decoded(await _start_of(response)))
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            return self._unreachable(error)
        if response.status_code in (400, 422) and (name := _disliked(said, body, self.wire, changes)):
            changes[name] = self.wire.optional[name]
        return self._refused(response, said)

    def _refused(self, response: "httpx.Response", said: Complaint) -> _Failure:
        """What a status other than 200 means."""
        status = response.status_code
        words = self._words(said.message)
        if status in BUSY and said.code != NO_CREDIT:
            wait = _retry_after(response.headers.get("Retry-After", ""))
            told = max(1, round(RETRY_AFTER if wait is None else wait))
            what = "takes no more requests for now" if status in (429, 529) else f"failed with status {status}"
            return _Failure(
                Unavailable(f"{self.target} {what}{words}. Ask again in {told} s.", told),
                PAUSE if wait is None else wait,
            )
        return _Failure(ProviderFailed(self._what_to_do(status, words)), None)

    def _what_to_do(self, status: int, words: str) -> str:
        if status in (401, 403):  # their message may quote a part of the key
            what = "refused the key" if self.key else "asks for a key"
            return (
                f"{self.target} {what} (status {status}). Put a valid one into {variable(self.target.kind)} or {FILE}."
            )
        if 300 <= status < 400:
            return f"{self.target} redirects to another address (status {status}), which is not followed. Put the right address into models.toml."
        if status == 404:
            return f"{self.target} is not known there (status 404{words}). Correct its name or address in models.toml."
        return f"{self.target} refused the request (status {status}{words})."

    def failed_in_stream(self, said: Complaint) -> DocqaError:
        """The error for a complaint in the middle of a stream: the request had been taken, so it is the provider that fails now."""
        return Unavailable(
            f"{self.target} broke off its answer{self._words(said.message or said.code)}. Ask again.", RETRY_AFTER
        )

    def _words(self, message: str) -> str:
        """The provider's own words, short and without the key, as they go on a sentence."""
        message = message.replace(self.key, "***") if self.key else message
        return f": {message[:MESSAGE]}{'…' * (len(message) > MESSAGE)}".rstrip(".") if message else ""

    def _unreachable(self, error: "httpx.RequestError") -> _Failure:
        import httpx

        cause: BaseException | None = error
        while cause and not isinstance(cause, ssl.SSLCertVerificationError):
            cause = cause.__cause__ or cause.__context__
        if cause:
            return _Failure(
                ProviderFailed(
                    f"{self.target}: the certificate of its server is not valid. SSL_CERT_FILE names further authorities."
                ),
                None,
            )
        if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError | httpx.DecodingError):
            return _Failure(
                ProviderFailed(f"{self.target} cannot be spoken to: its address or its answer is not of HTTP."), None
            )
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
            what = (
                f"cannot be reached within {CONNECT_SECONDS:g} s"
                if isinstance(error, httpx.ConnectTimeout)
                else "cannot be reached"
            )
            return _Failure(
                Unavailable(
                    f"{self.target} {what}. Start its server, or correct its address in models.toml.", RETRY_AFTER
                ),
                PAUSE,
            )
        if isinstance(error, httpx.TimeoutException):
            return _Failure(
                Unavailable(f"{self.target} said nothing for {self.seconds:g} s. Ask again.", RETRY_AFTER), None
            )
        return _Failure(Unavailable(f"{self.target} broke off the connection. Ask again.", RETRY_AFTER), PAUSE)


async def _start_of(response: "httpx.Response") -> bytes:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > BODY_BYTES:
            break
    return bytes(content)


def _decoded(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _changed(body: dict[str, Any], changes: dict[str, str]) -> dict[str, Any]:
    """`body` with the fields renamed or left out as `changes` says, in the order in which that was learned."""
    body = dict(body)
    for name, instead in changes.items():
        value = body.pop(name, None)
        if instead and value is not None:
            body[instead] = value
    return body


def _disliked(said: Complaint, body: dict[str, Any], wire: Wire, changes: dict[str, str]) -> str:
    """The field of the body that the provider complains about and that may be changed; "" if there is none."""
    open_ = [name for name in wire.optional if name in body and name not in changes]
    named = [name for name in open_ if name == said.param] or sorted(
        (name for name in open_ if name in said.message), key=said.message.index
    )
    return named[0] if named else ""


def _retry_after(value: str) -> float | None:
    """Seconds from a `Retry-After` header (RFC 9110, 10.2.3): a number of seconds or an HTTP date; None for anything else."""
    try:
        wait = (
            float(value)
            if value.replace(".", "", 1).isdecimal()
            else parsedate_to_datetime(value).timestamp() - time.time()
        )
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, wait), LONGEST_WAIT)
