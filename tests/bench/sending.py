"""Clients that send the same requests again and again over connections that stay open, in a process of their own.

They do next to nothing with an answer, so that the server is what is measured: one such process sends some 10,000
requests a second.
"""

import asyncio
import multiprocessing
import os
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any


@dataclass(frozen=True)
class Load:
    """What is sent: `paths` in turn by so many `clients` for some `seconds`."""

    port: int
    key: str
    paths: list[str]
    clients: int
    seconds: float


@dataclass(frozen=True)
class Served:
    """What came back: answers a second, times in ms, and how often each status."""

    rate: float
    p50: float
    p99: float
    slowest: float
    statuses: dict[int, int]


class _Client(asyncio.Protocol):
    """One connection: the next request leaves when the answer to the last one is here."""

    def __init__(self, load: Load, first: int, times: list[float], statuses: Counter[int], end: float) -> None:
        head = f"Host: 127.0.0.1:{load.port}\r\nx-api-key: {load.key}\r\n\r\n"
        self._requests = [f"GET {path} HTTP/1.1\r\n{head}".encode() for path in load.paths]
        self._next, self._times, self._statuses, self._end = first, times, statuses, end
        self._received, self._left = b"", -1
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._send()

    def _send(self) -> None:
        self._started = time.perf_counter()
        self._transport.write(self._requests[self._next % len(self._requests)])
        self._next += 1

    def data_received(self, data: bytes) -> None:
        if self._left < 0:
            self._received += data
            head, end, body = self._received.partition(b"\r\n\r\n")
            if not end:
                return
            self._status = int(head[9:12])
            self._left = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]) - len(body)
            self._received = b""
        else:
            self._left -= len(data)
        if self._left <= 0:
            self._left = -1
            now = time.perf_counter()
            self._times.append(now - self._started)
            self._statuses[self._status] += 1
            if now < self._end:
                self._send()
            else:
                self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if error or time.perf_counter() < self._end:
            self._statuses[0] += 1
        self.done.set_result(None)


async def _send_all(load: Load) -> Served:
    times: list[float] = []
    statuses: Counter[int] = Counter()
    loop = asyncio.get_running_loop()
    started = time.perf_counter()
    made = [
        await loop.create_connection(
            lambda n=n: _Client(load, n, times, statuses, started + load.seconds),  # type: ignore[misc]
            "127.0.0.1",
            load.port,
        )
        for n in range(load.clients)
    ]
    await asyncio.gather(*(client.done for _, client in made))
    seconds = time.perf_counter() - started
    ranks = statistics.quantiles(times, n=100) if len(times) > 1 else [*times] * 99
    return Served(len(times) / seconds, 1000 * ranks[49], 1000 * ranks[98], 1000 * max(times), dict(statuses))


def _work(load: Load, result: Connection, core: int | None) -> None:
    if core is not None and sys.platform == "linux":
        os.sched_setaffinity(0, {core})
    result.send(asyncio.run(_send_all(load)))


def send(load: Load, core: int | None = None) -> Served:
    """The result of a load that is sent by another process, on this processor core if one is named."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(load, there, core))
    process.start()
    try:
        return here.recv()  # type: ignore[no-any-return]
    finally:
        process.join()
