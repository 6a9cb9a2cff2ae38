"""More than a server can do, of every kind: python tests/torture/overload.py [SCALE]

200 chats at once, 600 connections that never finish their request, 20 clients that stop reading a download, 20 uploads
of 40 MB of a type that is refused, bodies made to stall the event loop, and a stop in the middle of it. Two minutes;
SCALE (1) shrinks all counts, for a look. Prints a table: statuses, times of answers and of refusals, the slowest
/healthz and the most memory meanwhile, and at the end what kept the event loop (loop_lag.py). Exits with 1 where a
promise does not hold: no 5xx but 503, refusals within 100 ms, /healthz within 200 ms, 100 MB, 15 s to stop.
On a machine that does other work as well, times tell of that; the table says how busy the processors were.
"""

import asyncio
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from waiting import resident_mb

SCALE = float(sys.argv[1]) if sys.argv[1:2] and sys.argv[1] != "--watch" else 1.0
FILE_MB = 40
HALF_OPEN_SECONDS = 15
QUESTION = json.dumps([{"sender": "user", "message": "How much is the monthly rent of the warehouse in Bergen?"}])
TEXT = "\n\n".join(
    f"The rent of warehouse {n} in Bergen is {n * 100} euros a month. It is due on day {n % 28 + 1}."
    for n in range(1, 200)
)


def count(number: int) -> int:
    return max(2, round(number * SCALE))


@dataclass
class Server:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    port: int
    key: str
    folder: Path

    def resident(self) -> float:
        """Its memory in MB, without its children's."""
        return resident_mb(self.process.pid)


def start(folder: Path) -> Server:
    """A server on a free port; its log and what kept its loop lie in `folder`."""
    command = [sys.executable, str(HERE / "loop_lag.py"), str(folder / "lag.jsonl"), "serve", "--port", "0"]
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(
            [*command, "--data", str(folder / "data")], stdout=subprocess.PIPE, stderr=log, text=True, env=os.environ
        )
    assert process.stdout
    for line in process.stdout:
        if match := re.search(r"serves on http://[^:]+:(\d+)", line):
            return Server(process, int(match[1]), (folder / "data/api-key").read_text().strip(), folder)
    raise SystemExit((folder / "log").read_text())


@dataclass
class Reply:
    """A status, 0 where the connection broke; the seconds until it came; the body."""

    status: int
    seconds: float
    body: bytes = b""


def head(server: Server, method: str, path: str, length: int, content_type: str) -> bytes:
    return (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: {server.key}\r\nConnection: close\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


async def send(
    server: Server, method: str, path: str, body: bytes = b"", content_type: str = "application/json"
) -> Reply:
    """One request on a connection of its own. Its time begins with its first byte: to open 200 connections at once
    takes a client 50 ms, whatever the server does."""
    began = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        began = time.perf_counter()
        writing = asyncio.ensure_future(_write(writer, head(server, method, path, len(body), content_type), body))
        answer = await asyncio.wait_for(reader.read(), 120)
        seconds = time.perf_counter() - began
        writing.cancel()
        writer.close()
    except (OSError, TimeoutError):
        return Reply(0, time.perf_counter() - began)
    status = re.match(rb"HTTP/1.1 (\d+)", answer)
    return Reply(int(status[1]) if status else 0, seconds, answer.partition(b"\r\n\r\n")[2])


async def _write(writer: asyncio.StreamWriter, start: bytes, body: bytes) -> None:
    try:
        writer.write(start)
        for at in range(0, len(body), 1 << 16):
            writer.write(body[at : at + (1 << 16)])
            await writer.drain()
    except OSError:
        return  # answered before its end


def upload_body(name: str, data: bytes) -> tuple[bytes, str]:
    begin = f'--cut\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
    return begin + data + b"\r\n--cut--\r\n", "multipart/form-data; boundary=cut"


async def upload(server: Server, name: str, data: bytes) -> Reply:
    body, content_type = upload_body(name, data)
    return await send(server, "POST", "/v1/api/upload", body, content_type)


def large_pdf() -> bytes:
    """A page of text in a file of FILE_MB: what is large is no text."""
    page = b"BT /F 12 Tf 72 700 Td (The rent of the large warehouse is 9 euros.) Tj ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(page), page),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d>>stream\n%s\nendstream" % (FILE_MB << 20, os.urandom(1 << 20) * FILE_MB),
    ]
    out, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + b"xref\n0 7\n0000000000 65535 f \n%strailer<</Size 7/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(out),
    )


@dataclass
class Row:
    """What one kind of load did."""

    name: str
    statuses: Counter[int] = field(default_factory=Counter)
    answers: list[float] = field(default_factory=list)
    refusals: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    memory: float = 0.0
    busy: float = 0.0
    note: str = ""

    def add(self, replies: list[Reply]) -> None:
        for reply in replies:
            self.statuses[reply.status] += 1
            (self.refusals if reply.status in (413, 422, 503) else self.answers).append(reply.seconds)

    def __str__(self) -> str:
        def times(values: list[float]) -> str:
            if not values:
                return ""
            ranked = sorted(values)
            return f"{statistics.median(ranked):.2f} / {ranked[int(0.95 * (len(ranked) - 1))]:.2f} / {ranked[-1]:.2f}"

        statuses = ", ".join(f"{number} x {status}" for status, number in sorted(self.statuses.items()))
        health = f"{1000 * max(self.health):.0f}" if self.health else ""
        return (
            f"| {self.name} | {statuses} | {times(self.answers)} | {times(self.refusals)} | {health} "
            f"| {self.memory:+.0f} | {100 * self.busy:.0f} | {self.note} |"
        )


TABLE = (
    "| load | statuses | answers: p50 / p95 / max s | refusals: the same | /healthz max ms | memory MB | CPUs busy % | |\n"
    "|---|---|---|---|---|---|---|---|"
)


@asynccontextmanager
async def watched(server: Server, row: Row) -> AsyncIterator[Row]:
    """Ask for /healthz and look at the memory, from a process of its own, while a load is on."""
    before, busy = server.resident(), _ticks()
    watcher = await asyncio.create_subprocess_exec(
        *(sys.executable, __file__, "--watch", str(server.port), str(server.process.pid)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert watcher.stdin and watcher.stdout
    await watcher.stdout.readline()
    try:
        yield row
    finally:
        watcher.stdin.close()
        lines = [line.split() for line in (await watcher.stdout.read()).decode().splitlines()]
        row.health = [float(seconds) for seconds, _ in lines]
        row.memory = max([float(memory) for _, memory in lines], default=before) - before
        now = _ticks()
        row.busy = (now[0] - busy[0]) / max(1, now[1] - busy[1])
        print(row, flush=True)


def _ticks() -> tuple[int, int]:
    """(busy, all) ticks of all processors."""
    fields = [int(value) for value in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return sum(fields) - fields[3] - fields[4], sum(fields)


def watch(port: int, pid: int) -> None:
    """Print the seconds of one /healthz after the other, and the server's memory, until stdin is closed."""
    import http.client
    import selectors

    server = Server(subprocess.Popen(["true"], text=True), port, "", Path())
    server.process.wait()
    server.process.pid = pid
    selector = selectors.DefaultSelector()
    selector.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    while not selector.select(0.05):
        began = time.perf_counter()
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            connection.close()
        except OSError:
            print(30.0, 0.0, flush=True)
            continue
        print(time.perf_counter() - began, server.resident(), flush=True)


async def quiet(server: Server, row: Row, doc_id: str) -> None:
    row.add([await send(server, "POST", f"/v1/chat/{doc_id}", QUESTION.encode()) for _ in range(5)])


async def chats(server: Server, row: Row, doc_id: str) -> None:
    url = f"/v1/chat/{doc_id}"
    streamed = (f"{url}?stream={kind}" for kind in ("true", "false") for _ in range(count(200) // 2))
    row.add(await asyncio.gather(*(send(server, "POST", url, QUESTION.encode()) for url in streamed)))


async def half_open(server: Server, row: Row, doc_id: str) -> None:
    connections = []
    for _ in range(count(600)):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"POST /v1/api/upload HTTP/1.1\r\nHost: localhost\r\nX-A: ")
        connections.append((reader, writer))
    await asyncio.sleep(HALF_OPEN_SECONDS)
    alive = 0
    for reader, writer in connections:
        try:
            ended = await asyncio.wait_for(reader.read(1), 0.001) == b""
        except TimeoutError:
            ended = False
        except OSError:
            ended = True
        alive += not ended
        writer.close()
    row.note = f"{alive} of {count(600)} connections live after {HALF_OPEN_SECONDS} s"


async def downloads(server: Server, row: Row, doc_id: str) -> None:
    added = await upload(server, "large.pdf", large_pdf())
    assert added.status == 201, added
    large = json.loads(added.body)["doc_id"]
    await asyncio.sleep(1)
    before = server.resident()
    readers = []
    for _ in range(count(20)):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1024)
        writer.write(head(server, "GET", f"/v1/api/documents/{large}/file", 0, "text/plain"))
        status = await reader.readline()
        row.statuses[int(status.split()[1])] += 1
        readers.append((reader, writer))
    await asyncio.sleep(3)
    row.note = f"{server.resident() - before:+.0f} MB while {len(readers)} readers of {FILE_MB} MB stand still"
    for _, writer in readers:
        writer.transport.abort()


async def refused_uploads(server: Server, row: Row, doc_id: str) -> None:
    film = b"\0\0\0\x20ftypisom" + os.urandom(1 << 20) * FILE_MB
    row.add(await asyncio.gather(*(upload(server, "film.mp4", film) for _ in range(count(20)))))


async def bodies(server: Server, row: Row, doc_id: str) -> None:
    def chat(*messages: str) -> bytes:
        return json.dumps([{"sender": "user", "message": message} for message in messages]).encode()

    words = " ".join(f"warehouse{n}" for n in range(40_000))
    parts = b'--cut\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n' * 240_000 + b"--cut--\r\n"
    query = json.dumps({"query": words * 6, "doc_ids": [doc_id]}).encode()
    most = json.dumps({"query": words[:32_768], "doc_ids": [doc_id], "top_k": 100}).encode()
    url = f"/v1/chat/{doc_id}?agent_mode=true"
    row.add(
        await asyncio.gather(
            send(server, "POST", url, chat(words[:309_000])),
            *(send(server, "POST", "/v1/api/retrieve", query) for _ in range(4)),
            send(server, "POST", "/v1/api/upload", parts, "multipart/form-data; boundary=cut"),
            send(server, "POST", url, b"[" + b"[]," * 3_000_000 + b"[]]"),
            send(server, "POST", url, b"[" + b'{"sender":"bot","message":""},' * 60_000 + b"{}]"),
            upload(server, "a.txt", b"\r\n--cu" * 300_000),
        )
    )
    for allowed in (chat(words[:32_768]), chat(*[words[:32_000]] * 8), chat(*["why? " * 6_500] * 8)):
        row.add([await send(server, "POST", url, allowed)])
    row.add([await send(server, "POST", "/v1/api/retrieve", most)])


async def stop(server: Server, row: Row, doc_id: str) -> None:
    """SIGTERM with chats, uploads and half a body in hand."""
    uploads = [upload(server, f"{n}.txt", (TEXT + f" Copy {n}.").encode()) for n in range(count(10))]
    questions = [send(server, "POST", f"/v1/chat/{doc_id}", QUESTION.encode()) for _ in range(count(30))]
    load = asyncio.gather(*uploads, *questions)
    await asyncio.sleep(0.7)
    began = time.perf_counter()
    server.process.send_signal(signal.SIGTERM)
    replies = await load
    row.add(replies)
    code = await asyncio.to_thread(server.process.wait, 60)
    stopped = time.perf_counter() - began
    kept = sorted(json.loads(reply.body)["doc_id"] for reply in replies if reply.status == 201)
    again = start(server.folder)
    there = [(await send(again, "GET", f"/v1/api/documents/{doc_id}")).status for doc_id in kept]
    again.process.terminate()
    await asyncio.to_thread(again.process.wait, 60)
    row.note = f"exit {code} after {stopped:.1f} s; of {len(kept)} uploads acknowledged {there.count(200)} kept"
    if code or stopped > 15 or there.count(200) < len(kept):
        row.statuses[500] += 1


LOADS: tuple[tuple[str, Callable[[Server, Row, str], Awaitable[None]]], ...] = (
    ("nothing else", quiet),
    ("200 chats at once", chats),
    ("600 half-open connections", half_open),
    ("20 stalled downloads", downloads),
    ("20 uploads of a refused type", refused_uploads),
    ("bodies made to stall", bodies),
)


async def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        server = start(Path(name))
        try:
            added = await upload(server, "rents.txt", TEXT.encode())
            doc_id = json.loads(added.body)["doc_id"]
            await asyncio.sleep(5)
            await send(server, "POST", f"/v1/chat/{doc_id}", QUESTION.encode())
            print(TABLE)
            rows = []
            for load, run in LOADS:
                async with watched(server, Row(load)) as row:
                    await run(server, row, doc_id)
                rows.append(row)
            last = Row("a stop in the middle")
            await stop(server, last, doc_id)
            print(last)
        finally:
            server.process.kill()
        log = (Path(name) / "log").read_text()
        lags = [json.loads(line) for line in (Path(name) / "lag.jsonl").read_text().splitlines()]
    lags.sort(key=lambda lag: -lag["cpu"])
    print(f"\nloop: {sum(lag['cpu'] > 20 for lag in lags)} callbacks of more than 20 ms of CPU; the longest:")
    for lag in lags[:12]:
        print(f"  {lag['cpu']:5} ms of CPU, {lag['wall']:5} ms  {lag['where']}")
    faults = [row.name for row in [*rows, last] if any(s >= 500 and s != 503 for s in row.statuses)]
    faults += [f"{row.name}: /healthz" for row in rows if max(row.health) > 0.2]
    faults += [f"{row.name}: memory" for row in rows if row.memory > 100]
    faults += [f"refused after {max(rows[1].refusals):.2f} s"] if max(rows[1].refusals, default=0) > 0.1 else []
    faults += ["a traceback in the log"] if "\nTraceback" in log else []
    for trace in re.findall(r"^Traceback.*?^(?=\d{4}-|\Z)", log, re.DOTALL | re.MULTILINE)[:3]:
        print(trace[-1500:])
    print("broken promises:", "; ".join(faults) or "none")
    return bool(faults)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--watch"]:
        watch(int(sys.argv[2]), int(sys.argv[3]))
    else:
        sys.exit(asyncio.run(main()))
