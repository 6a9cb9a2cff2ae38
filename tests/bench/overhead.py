"""What a chat takes beside its language model: python tests/bench/overhead.py

A model that is played on loopback answers at once, a sentence in some pieces; its time is measured there and taken off.
Search is by words alone: what embeds, reads and verifies is model time too, and is left out.
"""

import asyncio
import json
import re
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from filling import fill

from conftest import Server, start_server, stop_server
from stand_ins import openai

SERVER = {"DOCQA_EMBEDDER": "none", "DOCQA_VERIFIER": "off", "DOCQA_READER": "off", "DOCQA_LOG_LEVEL": "error"}
CHATS = 60
WORDS = "The pump of type", " {n} takes {n} litres", " of oil every {which} months."  # as the documents say
MODEL_SECONDS = 0.02  # before its first word


@dataclass
class Played:
    """A model's server that keeps connections open, as those of real ones do, and notes when it was sent, began and
    ended."""

    words: list[str] = field(default_factory=list)
    spans: list[tuple[float, float, float]] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request after the other: one for a list of models that there is none, others with the words after
        a moment."""
        with suppress(asyncio.IncompleteReadError):  # whoever connected has gone
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = re.search(r"(?i)content-length: (\d+)", head)
                await reader.readexactly(int(length[1]) if length else 0)
                if head.startswith("GET "):
                    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                else:
                    await self._answer(writer)
        writer.close()

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        sent = time.perf_counter()
        await asyncio.sleep(MODEL_SECONDS)
        began = time.perf_counter()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for event in openai(*self.words):
            data = event.encode()
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()
            await asyncio.sleep(0)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        self.spans.append((sent, began, time.perf_counter()))


class Client:
    """One connection, which takes next to no time: a library's would be a tenth of what is measured."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, server: Server) -> None:
        self._reader, self._writer = reader, writer
        self._head = (
            f"Host: {urlsplit(server.base).netloc}\r\nx-api-key: {server.key}\r\nContent-Type: application/json\r\n"
        )

    @classmethod
    async def of(cls, server: Server) -> "Client":
        """Connected to the server."""
        address = urlsplit(server.base)
        return cls(*await asyncio.open_connection(address.hostname, address.port), server)

    async def post(self, path: str, body: bytes) -> tuple[float, float, float]:
        """When it was sent, when the first byte of what is answered with 200 came, when the last one."""
        head = f"POST {path} HTTP/1.1\r\n{self._head}Content-Length: {len(body)}\r\n\r\n"
        sent = time.perf_counter()
        self._writer.write(head.encode() + body)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        assert answer.startswith("HTTP/1.1 200 "), answer
        if length := re.search(r"(?i)content-length: (\d+)", answer):
            began = time.perf_counter()
            answered = await self._reader.readexactly(int(length[1]))
        else:
            began, answered = 0.0, b""
            while size := int(await self._reader.readuntil(b"\r\n"), 16):
                began = began or time.perf_counter()
                answered += await self._reader.readexactly(size + 2)
            await self._reader.readexactly(2)
        ended = time.perf_counter()
        assert b"litres of oil" in answered, answered  # else it would be measured how nothing is answered
        return sent, began, ended

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


async def chat(client: Client, doc_id: str, number: int, streamed: bool) -> tuple[float, float, float]:
    """When it was sent, when the first byte of the answer came, when the last one."""
    question = [{"sender": "user", "message": f"How many litres of oil does the pump of type {number} take?"}]
    query = f"model_name=HOUSE&stream={str(streamed).lower()}"
    return await client.post(f"/v1/chat/{doc_id}?{query}", json.dumps(question).encode())


async def measure(server: Server, played: Played, doc_ids: list[str], streamed: bool) -> str:
    """Milliseconds beside the model's, median and 95 %, of whole answers or of first bytes. The
    model's words are compared with the documents, which is part of it, and quotes may stand in their place."""
    beside = []
    client = await Client.of(server)
    for number in range(1, CHATS + 1):
        played.spans.clear()
        which, pump = number % len(doc_ids), number % 30 + 1
        played.words[:] = [word.format(n=pump, which=which) for word in WORDS]
        sent, began, ended = await chat(client, doc_ids[which], pump, streamed)
        model = played.spans[0]
        beside.append(began - sent - (model[1] - model[0]) if streamed else ended - sent - (model[2] - model[0]))
    client.close()
    ranks = statistics.quantiles(beside[5:], n=20)
    return f"p50 {1000 * ranks[9]:.1f} ms, p95 {1000 * ranks[18]:.1f} ms"


async def main() -> None:
    """Start both, ask."""
    played = Played()
    listening = await asyncio.start_server(played.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        models = Path(folder) / "models"
        models.mkdir()
        (models / "models.toml").write_text(f'[models]\nHOUSE = ["compatible:http://127.0.0.1:{port}/v1#played"]\n')
        filled = await asyncio.to_thread(fill, Path(folder) / "data", 50, 40, 1)
        server = await asyncio.to_thread(start_server, Path(folder) / "data", **SERVER, DOCQA_MODELS=str(models))
        try:
            print("first byte of a stream, beside the model's:", await measure(server, played, filled.doc_ids, True))
            print("whole answer, beside the model:", await measure(server, played, filled.doc_ids, False))
        finally:
            await asyncio.to_thread(stop_server, server)
            listening.close()


if __name__ == "__main__":
    asyncio.run(main())
