"""What a chat takes beside its language model: python tests/bench/overhead.py

A model that is played on loopback answers at once, a sentence in some pieces; its time is measured there and taken off.
Search is by words alone: what embeds, reads and verifies is model time too, and is left out.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from filling import fill

from conftest import Server, start_server, stop_server
from stand_ins import StandIn, openai, status, stream

SERVER = {"DOCQA_EMBEDDER": "none", "DOCQA_VERIFIER": "off", "DOCQA_READER": "off", "DOCQA_LOG_LEVEL": "error"}
CHATS = 60
WORDS = "The pump of type", " {n} takes {n} litres", " of oil every {which} months."  # as the documents say
MODEL_SECONDS = 0.02  # before its first word


@dataclass
class Played(StandIn):
    """A model that notes when it was sent, began and ended."""

    words: list[str] = field(default_factory=list)
    spans: list[tuple[float, float, float]] = field(default_factory=list)

    async def answer(self, writer: asyncio.StreamWriter) -> None:
        """Say the words after a moment."""
        sent = time.perf_counter()
        await asyncio.sleep(MODEL_SECONDS)
        began = time.perf_counter()
        await stream(*openai(*self.words))(writer)
        self.spans.append((sent, began, time.perf_counter()))


async def chat(client: httpx.AsyncClient, doc_id: str, number: int, streamed: bool) -> tuple[float, float, float]:
    """When it was sent, when the first byte of the answer came, when the last one."""
    question = [{"sender": "user", "message": f"How many litres of oil does the pump of type {number} take?"}]
    query = {"model_name": "HOUSE", "stream": streamed}
    sent, began = time.perf_counter(), 0.0
    async with client.stream("POST", f"/v1/chat/{doc_id}", params=query, json=question) as reply:
        reply.raise_for_status()
        async for _ in reply.aiter_bytes():
            began = began or time.perf_counter()
    return sent, began, time.perf_counter()


async def measure(server: Server, played: Played, doc_ids: list[str], streamed: bool) -> str:
    """Milliseconds beside the model's, median and 95 %, of whole answers or of first bytes. The
    model's words are compared with the documents, which is part of it, and quotes may stand in their place."""
    beside = []
    async with httpx.AsyncClient(base_url=server.base, headers={"x-api-key": server.key}, timeout=60) as client:
        for number in range(1, CHATS + 1):
            played.spans.clear()
            which, pump = number % len(doc_ids), number % 30 + 1
            played.words[:] = [word.format(n=pump, which=which) for word in WORDS]
            sent, began, ended = await chat(client, doc_ids[which], pump, streamed)
            model = played.spans[0]
            beside.append(began - sent - (model[1] - model[0]) if streamed else ended - sent - (model[2] - model[0]))
    ranks = statistics.quantiles(beside[5:], n=20)
    return f"p50 {1000 * ranks[9]:.1f} ms, p95 {1000 * ranks[18]:.1f} ms"


async def main() -> None:
    """Start both, ask."""
    played = Played([status(404)])
    played.replies.append(played.answer)
    listening = await asyncio.start_server(played.serve, "127.0.0.1", 0)
    played.port = listening.sockets[0].getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        models = Path(folder) / "models"
        models.mkdir()
        (models / "models.toml").write_text(f'[models]\nHOUSE = ["compatible:{played.url}#played"]\n')
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
