"""How many requests the server answers on one core: python tests/bench/serve.py [NAME...]

A server without models, on a core of its own where there are two, keeps 200 documents in 20 knowledge bases; clients of
another process list and read them with a key. NAME picks what is measured: list, read, page, knowledge, health, mixed,
writes, streams.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import httpx
from filling import Filled, fill
from sending import Load, send

from conftest import Server, start_server, stop_server
from waiting import children_of, resident_mb

SERVER = {
    "DOCQA_EMBEDDER": "none",
    "DOCQA_VERIFIER": "off",
    "DOCQA_READER": "off",
    "DOCQA_LOG_LEVEL": "error",
    "DOCQA_CHAT_QUEUE": "1000",
    "DOCQA_ACCOUNT_REQUESTS": "1000",  # else all but some streams are refused
}
DOCUMENTS, PASSAGES, BASES = 200, 40, 20
SECONDS, STREAMS = 4.0, 500


def paths_of(filled: Filled) -> dict[str, list[str]]:
    """The paths that are asked for, by what they are."""
    documents = [f"/v1/api/documents/{doc_id}" for doc_id in filled.doc_ids]
    paths = {
        "list": [f"/v1/api/documents?page={page}&page_size=10" for page in range(1, 11)],
        "read": documents,
        "page": [f"{document}/pages/{1 + n % 10}" for n, document in enumerate(documents)],
        "knowledge": ["/v1/api/knowledge", *(f"/v1/api/knowledge/{base}" for base in filled.bases)],
        "health": ["/healthz"],
    }
    in_turn = islice(zip(*map(cycle, paths.values()), strict=True), DOCUMENTS)
    return paths | {"mixed": [path for each in in_turn for path in each]}


def pin(server: Server) -> int | None:
    """Have the server and its children keep to the first core; that of the clients."""
    if sys.platform != "linux" or (os.cpu_count() or 1) < 2:
        return None
    for pid in [server.process.pid, *children_of(server.process.pid)]:
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.sched_setaffinity(int(thread), {0})
    return 1


def processor(server: Server) -> float:
    """The seconds of a processor that the server has taken."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def served(server: Server, name: str, paths: list[str], clients: int, core: int | None) -> str:
    """A line of the table of results: so many clients ask for these paths. What others do on the machine meanwhile
    lengthens the times; the requests for each second of a processor tell versions of the server apart all the same."""
    load = Load(int(server.base.rpartition(":")[2]), server.key, paths, clients, SECONDS)
    before = processor(server)
    result = send(load, core)
    seconds = processor(server) - before
    others = {status: count for status, count in result.statuses.items() if status != 200}
    return (
        f"{name:10} {clients:3} clients {result.rate:7.0f}/s {result.rate * SECONDS / seconds:7.0f}/processor second   "
        f"p50 {result.p50:6.2f}  p99 {result.p99:6.2f}  slowest {result.slowest:6.1f} ms  {others or ''}"
    )


async def streams(server: Server, doc_id: str) -> str:
    """So many streamed answers asked for at once: how many came whole, when, and what /healthz took meanwhile."""
    body = b'[{"sender": "user", "message": "How many litres of oil does the pump of type 17 take?"}]'
    port = int(server.base.rpartition(":")[2])
    head = f"POST /v1/chat/{doc_id}?stream=true HTTP/1.1\r\nHost: localhost\r\nx-api-key: {server.key}\r\n"
    request = f"{head}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    healths: list[float] = []

    async def stream() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        answer = await reader.read()
        writer.close()
        return answer

    async def health() -> None:
        async with httpx.AsyncClient(base_url=server.base) as client:
            while True:
                started = time.perf_counter()
                (await client.get("/healthz")).raise_for_status()
                healths.append(time.perf_counter() - started)
                await asyncio.sleep(0.05)

    watching = asyncio.create_task(health())
    started = time.perf_counter()
    answers = await asyncio.gather(*(stream() for _ in range(STREAMS)))
    seconds = time.perf_counter() - started
    watching.cancel()
    whole = sum(b" 200 OK" in answer and answer.endswith(b"0\r\n\r\n") for answer in answers)
    return f"{whole} of {STREAMS} streams whole after {seconds:.1f} s; /healthz meanwhile at most {1000 * max(healths):.0f} ms"


def writes(server: Server, done: threading.Event, times: list[float]) -> None:
    """Make, change and delete knowledge bases until `done`; the seconds that each took."""
    with server.client() as client:
        while not done.is_set():
            started = time.perf_counter()
            made = client.post("/v1/api/knowledge", json={"name": "a", "document_ids": []}).raise_for_status()
            client.delete(f"/v1/api/knowledge/{made.json()['knowledge_base_id']}").raise_for_status()
            times.append((time.perf_counter() - started) / 2)


def writing(server: Server, during: Callable[[], object]) -> str:
    """How long writes take meanwhile."""
    done, times = threading.Event(), list[float]()
    writer = threading.Thread(target=writes, args=(server, done, times))
    writer.start()
    during()
    done.set()
    writer.join()
    return f"{len(times)}, p50 {1000 * statistics.median(times):.1f} ms, slowest {1000 * max(times):.0f} ms"


def main() -> None:
    """Start, fill, measure."""
    chosen = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        paths = paths_of(fill(data, DOCUMENTS, PASSAGES, BASES))
        server = start_server(data, **SERVER)
        try:
            core = pin(server)
            for name, each in paths.items():
                for clients in (1, 32):
                    if not chosen or name in chosen:
                        print(served(server, name, each, clients, core), flush=True)
            if not chosen or "writes" in chosen:
                print("writes alone:", writing(server, lambda: time.sleep(SECONDS)))
                print(
                    "writes beside readers:",
                    writing(server, lambda: print(served(server, "mixed", paths["mixed"], 31, core))),
                )
            if not chosen or "streams" in chosen:
                print(asyncio.run(streams(server, paths["read"][0].rpartition("/")[2])))
            print(f"server {resident_mb(server.process.pid):.0f} MB")
        finally:
            stop_server(server)


if __name__ == "__main__":
    main()
