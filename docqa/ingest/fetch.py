"""A link → its bytes, without becoming a way into the network the server stands in.

Each host is resolved once, every address of it is checked, and the connection goes to the checked address; the same at
each redirect. So is the port.
"""

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from docqa import __version__
from docqa.errors import TooLarge, Unreadable
from docqa.formats.header_value import UNKNOWN_TYPE, HeaderValue
from docqa.ingest.special_addresses import is_open
from docqa.loopback import is_loopback
from docqa.settings import Network, environment_name

if TYPE_CHECKING:  # httpx takes a tenth of a second to import: the server starts without it
    import httpx

LOC = ("query", "url")
REDIRECTS = 5
DIGITS = 18  # of a size: Python refuses to read numbers of thousands
ADDRESSES = 4
CONNECT_SECONDS = 8
NO_REDIRECT = "The link redirects to something that is not a URL."
HEADERS = {"User-Agent": f"DocQA/{__version__}", "Accept": "*/*", "Accept-Encoding": "gzip, deflate"}

Resolver = Callable[[str, int], Awaitable[list[str]]]


@dataclass(frozen=True)
class Fetched:
    """What a link led to: the last `url`, a file `name`, the `media_type` without parameters, the `charset` the server
    named or ""."""

    url: str
    name: str
    media_type: str
    data: bytes
    charset: str = ""

    @property
    def content_type(self) -> str:
        """`media_type` with its charset, as `extract` takes it."""
        return f"{self.media_type}; charset={self.charset}" if self.charset else self.media_type


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system knows them. Raises OSError for an unknown one."""
    entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


async def fetch(
    url: str,
    *,
    seconds: float,
    limit_mb: int,
    private_networks: tuple[Network, ...],
    link_ports: Collection[int],
    offline: bool = False,
    resolver: Resolver = resolve,
) -> Fetched:
    """What `url` leads to, in at most `seconds` over everything and `limit_mb` MiB, counted after decompression.

    Links lead to `link_ports`. `offline` leaves links to this machine itself, as far as `private_networks` opens it; no
    name is looked up then.

    Raises TooLarge, and Unreadable at ("query", "url") for everything else that keeps a link from being read.
    """
    import httpx

    try:
        async with (
            asyncio.timeout(seconds),
            httpx.AsyncClient(
                verify=_tls(), trust_env=False, timeout=httpx.Timeout(None, connect=CONNECT_SECONDS)
            ) as client,
        ):
            return await _Journey(client, limit_mb, private_networks, link_ports, offline, resolver).follow(
                _parse(url.strip())
            )
    except TimeoutError:
        raise Unreadable(f"The link did not answer completely within {seconds:g} s.", LOC) from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        raise Unreadable(_sentence(error), LOC) from error


@cache
def _tls() -> ssl.SSLContext:
    """The certificates that are trusted, read once: it takes tens of milliseconds."""
    import httpx

    return httpx.create_ssl_context(trust_env=False)


@dataclass(frozen=True)
class _Journey:
    client: "httpx.AsyncClient"
    limit_mb: int
    private_networks: tuple[Network, ...]
    link_ports: Collection[int]
    offline: bool
    resolver: Resolver

    async def follow(self, url: "httpx.URL") -> Fetched:
        for _ in range(REDIRECTS + 1):
            response = await self._open(url)
            try:
                if not response.has_redirect_location:
                    return await self._read(url, response)
                url = _parse(str(url.join(response.headers["Location"])))
            finally:
                await response.aclose()
        raise Unreadable(f"The link redirects more than {REDIRECTS} times.", LOC)

    async def _open(self, url: "httpx.URL") -> "httpx.Response":
        """The response's head, from the first of the host's checked addresses that takes the connection."""
        import httpx

        failure: Exception | None = None
        for address in await self._addresses(url):
            headers = {**HEADERS, "Host": url.netloc.decode("ascii")}
            sni = {"sni_hostname": url.raw_host.decode("ascii")}
            request = self.client.build_request(
                "GET", url.copy_with(host=address, fragment=None), headers=headers, extensions=sni
            )
            try:
                return await self.client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                failure = failure or error
            except UnicodeError as error:  # httpx decodes the host of a redirect, which may be no name: xn--a
                raise Unreadable(NO_REDIRECT, LOC) from error
        raise failure or Unreadable(f"The host {url.host} of the link has no address.", LOC)

    async def _addresses(self, url: "httpx.URL") -> list[str]:
        if self.offline and not is_loopback(url.host):
            setting = environment_name("offline")
            raise Unreadable(
                f"This server stays offline ({setting}): it follows no link to {url.host}. Upload the file instead.",
                LOC,
            )
        port = (443 if url.scheme == "https" else 80) if url.port is None else url.port
        if port not in self.link_ports:
            setting = environment_name("link_ports")
            raise Unreadable(f"Links may not lead to port {port}. {setting} opens ports.", LOC)
        try:
            addresses = await self.resolver(url.raw_host.decode("ascii"), port)
        except (OSError, ValueError) as error:
            raise Unreadable(f"The host {url.host} of the link was not found.", LOC) from error
        for text in addresses:
            if not is_open(ipaddress.ip_address(text.partition("%")[0]), self.private_networks):
                setting = environment_name("private_networks")
                raise Unreadable(
                    f"The host {url.host} of the link lies in a private network, which links may not reach. "
                    f"{setting} opens networks.",
                    LOC,
                )
        return addresses[:ADDRESSES]

    async def _read(self, url: "httpx.URL", response: "httpx.Response") -> Fetched:
        if response.status_code != 200:
            raise Unreadable(
                f"The link answered with status {response.status_code} {response.reason_phrase}".rstrip() + ".", LOC
            )
        if "," in response.headers.get("Content-Encoding", ""):
            raise Unreadable(
                "The link's answer is compressed more than once.", LOC
            )  # layers multiply: 64 kB could become 64 GB
        limit = self.limit_mb << 20
        data = bytearray()
        declared = response.headers.get("Content-Length", "0")
        if declared.isdecimal() and len(declared) <= DIGITS and int(declared) <= limit:
            async for part in response.aiter_bytes():
                data += part
                if len(data) > limit:
                    break
        else:
            raise TooLarge(f"The link's file is larger than {self.limit_mb} MB.")
        if len(data) > limit:
            raise TooLarge(f"The link's file is larger than {self.limit_mb} MB.")
        if not data:
            raise Unreadable("The link's answer is empty.", LOC)
        return _described(url, response, bytes(data))


def _parse(text: str) -> "httpx.URL":
    import httpx

    try:
        url = httpx.URL(text)
        host, credentials = url.host, url.userinfo
    except (httpx.InvalidURL, ValueError) as error:  # the name of a host, decoded, may be none: xn--a
        raise Unreadable("The link is not a URL. It has to look like https://example.org/page.", LOC) from error
    if url.scheme not in ("http", "https"):
        what = f"Links of the kind {url.scheme}: are not supported" if url.scheme else "The link is not a full URL"
        raise Unreadable(f"{what}. It has to begin with http:// or https://.", LOC)
    if not host:
        raise Unreadable("The link names no host.", LOC)
    if credentials:
        raise Unreadable("The link holds a user name or a password. Links with credentials are refused.", LOC)
    return url


def _described(url: "httpx.URL", response: "httpx.Response", data: bytes) -> Fetched:
    """What the server says of the file, as far as it can be read."""
    header = HeaderValue(response.headers.get("Content-Type", UNKNOWN_TYPE))
    charset = header.parameter("charset") or ""
    return Fetched(
        str(url), _name(response, url), header.media_type, data, charset.lower() if charset.isascii() else ""
    )


def _name(response: "httpx.Response", url: "httpx.URL") -> str:
    """The name that the server gives the file, else the last part of the path, else the host."""
    given = HeaderValue(response.headers.get("Content-Disposition", "")).parameter("filename") or ""
    for name in (given, unquote(url.path.rstrip("/").rpartition("/")[2])):
        bare = re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", "", re.split(r"[/\\]", name)[-1]).strip()
        if bare.strip("."):
            return bare[:200]
    return str(url.host)


def _sentence(error: Exception) -> str:
    """What went wrong, for the person who gave the link; httpx keeps the reason in the chain of causes."""
    import httpx

    causes: list[BaseException] = [error]
    while following := causes[-1].__cause__ or causes[-1].__context__:
        causes.append(following)
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return (
            "The secure connection to the link's host failed: its certificate is not valid for it, or it speaks no TLS."
        )
    if isinstance(error, httpx.ConnectTimeout):
        return f"The link's host did not take the connection within {CONNECT_SECONDS} s."
    if isinstance(error, httpx.ConnectError):
        return "The link's host refused the connection."
    if isinstance(error, httpx.DecodingError):
        return "The link's answer is compressed in a way that cannot be undone."
    if isinstance(error, httpx.InvalidURL):
        return NO_REDIRECT
    return "The link's host broke off the connection or answered with something that is not HTTP."
