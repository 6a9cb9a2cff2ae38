"""A server of bad links: what it answers is made for each path from a seed, in whole or broken off."""

import asyncio
import gzip
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tests.torture.raw_requests import DISPOSITIONS, FILES, HOSTILE, MEDIA_TYPES, spoiled

CHARSETS = (
    "utf-8",
    "idna",
    "undefined",
    "hex",
    "utf-7",
    "\xff",
    "a; charset*=b; charset*0*=c",
    "*=idna''x",
    "9" * 3_000,
)
LOCATIONS = (
    "/{n}",
    "//127.0.0.1/",
    "http://xn--a/",
    "",
    "http://[::1",
    "file:///etc/passwd",
    "/\xff",
    "?" + "a" * 9_000,
    "http://127.0.0.1:{port}/{n}",
)
ANSWERS = ("HTTP/1.1 200 OK", "HTTP/1.1 404 No", "HTTP/1.1 204 No", "HTTP/1.1 999 \xff", "HTTP/1.0 200", "HTTP/1.1", "")


def answer(dice: random.Random, port: int) -> bytes:
    """The bytes of one answer."""
    body = dice.choice((*FILES, *(text.encode() for text in HOSTILE), b"<html><body><h1>The rent</h1><p>is 5 euros."))
    head = [dice.choice(ANSWERS) if dice.random() < 0.3 else ANSWERS[0]]
    if dice.random() < 0.15:
        location = dice.choice(LOCATIONS).format(n=dice.randrange(10**9), port=port)
        head = ["HTTP/1.1 302 Found", f"Location: {location}"]
    if dice.random() < 0.8:
        types = (*MEDIA_TYPES, "text/html", "text/plain", f"text/html; charset={dice.choice(CHARSETS)}")
        head.append(f"Content-Type: {dice.choice(types)}")
    if dice.random() < 0.5:
        head.append(f"Content-Disposition: {dice.choice(DISPOSITIONS)}")
    if dice.random() < 0.1:
        head.append(f"Content-Encoding: {dice.choice(('gzip', 'deflate', 'br', 'x', 'gzip, gzip'))}")
        body = gzip.compress(body) if dice.random() < 0.5 else body
    length = len(body) if dice.random() < 0.9 else dice.choice((0, -1, len(body) + 1, "9" * 5_000, "x"))
    head += [f"Content-Length: {length}", "Connection: close"]
    data = "\r\n".join([*head, "", ""]).encode("utf-8" if dice.random() < 0.5 else "latin-1", "replace") + body
    return spoiled(dice, data) if dice.random() < 0.3 else data


@asynccontextmanager
async def bad_links(seed: str) -> AsyncIterator[int]:
    """The port of a server that answers the same for the same seed and path."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await reader.readuntil(b"\r\n\r\n")
            dice = random.Random(f"{seed} {head.partition(b' HTTP')[0]!r}")
            writer.write(answer(dice, port))
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    try:
        yield port
    finally:
        server.close()
