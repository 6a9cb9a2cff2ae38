"""Our own parsers of what strangers send, each with an input that is made and spoiled by dice.

Each function may raise what its parser is declared to raise, which it catches, and nothing else.
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx
from starlette.requests import Request

from docqa.api.app import ENDPOINTS
from docqa.api.door import name_of
from docqa.api.endpoint import Endpoint, Upload
from docqa.api.multipart import media_type
from docqa.api.request import read
from docqa.errors import DocqaError, Unreadable
from docqa.formats.reading import read_whole
from docqa.ingest import fetch
from docqa.models.chat import sse
from docqa.questions.question import ChatOptions
from docqa.questions.understand import last_question, understand
from tests.torture.bad_links import answer
from tests.torture.raw_requests import (
    DISPOSITIONS,
    HOSTILE,
    MEDIA_TYPES,
    WORDS,
    Maker,
    World,
    operations,
    spoiled,
)

SLOW = 2.0  # seconds of the processor for one input; on the event loop it is less, see overload.py
KNOWN = {"models": ("GPT5_2", "QUOTES")}


def _text(dice: random.Random, most: int = 4) -> str:
    text = "".join(dice.choice((*WORDS, *HOSTILE)) for _ in range(dice.randint(1, most)))
    return spoiled(dice, text.encode()).decode("utf-8", "replace") if dice.random() < 0.5 else text


def _latin(dice: random.Random, text: str) -> str:
    """A header's text, spoiled, as a server hands it on."""
    data = text.encode("utf-8", "replace")
    return (spoiled(dice, data) if dice.random() < 0.7 else data).decode("latin-1")


def request(dice: random.Random) -> None:
    """A request's query, body and form, as any endpoint reads them."""
    from docqa.api import openapi

    endpoint: Endpoint = dice.choice(ENDPOINTS)
    every = operations(openapi.document([endpoint], KNOWN, "0"))
    raw = Maker(dice, every, World("key"))._single()
    head, _, body = raw.partition(b"\r\n\r\n")
    body = spoiled(dice, body) if dice.random() < 0.3 else body
    lines = head.split(b"\r\n")
    target = (lines[0].split(b" ") + [b"/"])[1].decode("latin-1")
    headers = [(name.strip().lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines[1:])]
    scope = {
        "type": "http",
        "method": endpoint.methods[0],
        "path": target.partition("?")[0],
        "query_string": target.partition("?")[2].encode("latin-1"),
        "path_params": {"doc_id": "0"},
        "headers": headers,
    }
    size = dice.choice((1, 7, 100, 1 << 20))
    pieces = [body[at : at + size] for at in range(0, min(len(body), 400 * size), size)]

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": pieces.pop(0) if pieces else b"", "more_body": bool(pieces)}

    async def taken() -> None:
        given = await read(endpoint, Request(scope, receive), KNOWN, body_limit=1 << 21, file_limit=1 << 21)
        if isinstance(given.file, Upload):
            given.file.name.encode()
            given.file.media_type.encode("latin-1")
            given.file.content.close()

    with suppress(DocqaError):
        asyncio.run(taken())


def types(dice: random.Random) -> None:
    """A media type that is sent back as a header has to be one."""
    media_type(_latin(dice, dice.choice(MEDIA_TYPES))).encode("ascii")


def hosts(dice: random.Random) -> None:
    """The name in a Host header."""
    name_of(_latin(dice, dice.choice(("localhost:8000", "[::1]:80", "127.0.0.1.", *HOSTILE))))


def linked(dice: random.Random) -> None:
    """The head of a linked server's answer: a name, a type, a charset."""
    data = answer(dice, 80)
    lines = data.partition(b"\r\n\r\n")[0].split(b"\r\n")[1:]
    fields = [(name, value) for name, _, value in (line.partition(b":") for line in lines)]
    fields.append((b"Content-Disposition", _latin(dice, dice.choice(DISPOSITIONS)).encode("latin-1")))
    response = httpx.Response(200, headers=fields, content=b"")
    fetch._described(httpx.URL("http://example.org/a.pdf"), response, b"")


def urls(dice: random.Random) -> None:
    """A link."""
    text = dice.choice(("http://example.org/a?b#c", "http://[::1]:80/", "https://xn--a.example/", "//a"))
    with suppress(Unreadable):
        fetch._parse(_latin(dice, text) if dice.random() < 0.5 else text + _text(dice, 1))


@dataclass(frozen=True)
class _Document:
    id: int
    name: str
    language: str
    pages: int


def questions(dice: random.Random) -> None:
    """A conversation about some documents, as it is understood before a search."""
    senders = [dice.choice(("user", "bot", "system")) for _ in range(dice.randint(0, 3))]
    messages = [{"sender": sender, "message": _text(dice)} for sender in (*senders, "user")]
    languages = ("en", "de", "ja", "zh", "ar", "he", "hi", "ko", "ru", "tr", "", "xx")
    documents = [
        _Document(number, _text(dice, 1)[:255], dice.choice(languages), dice.choice((0, 1, 10**6)))
        for number in range(dice.randint(0, 3))
    ]
    last_question(messages, documents)
    options = ChatOptions(agent_mode=dice.random() < 0.7, language=dice.choice(("", "de", "ar", "zh")))
    understand(messages, options, documents)


def documents(dice: random.Random) -> None:
    """Markdown, with links in every form, and a web page of the same."""
    pieces = (
        "[a](b)",
        "![",
        "](",
        "<http://a>",
        "[a]: b\n",
        "\n\n",
        "|a|b|\n|-|-|\n",
        "```\n",
        "> ",
        "* ",
        "1. ",
        "# ",
        "<a href='",
        "&#x110000;",
        "---\n",
    )
    text = "".join(dice.choice((*pieces, *WORDS, *HOSTILE)) for _ in range(dice.randint(1, 40)))
    data = text.encode("utf-8", "replace")
    with suppress(Unreadable):
        read_whole(
            spoiled(dice, data) if dice.random() < 0.5 else data,
            dice.choice(("a.md", "a.html", "a.txt", "a.csv", "a.json")),
        )


def events(dice: random.Random) -> None:
    """The events of a remote model's answer."""
    event = b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n: note\nevent: x\r\ndata\n\ndata: [DONE]\n\n'
    data = spoiled(dice, event * dice.randint(1, 5))

    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(data), 7):
            yield data[at : at + 7]

    async def taken() -> None:
        with suppress(sse.EventTooLong):
            async for text in sse.events(chunks()):
                with suppress(ValueError):
                    json.loads(text)

    asyncio.run(taken())


EVERY: dict[str, Callable[[random.Random], None]] = {
    "queries, bodies and forms": request,
    "media types": types,
    "names in Host": hosts,
    "links": urls,
    "answers of linked servers": linked,
    "questions": questions,
    "Markdown and pages": documents,
    "events of remote models": events,
}
