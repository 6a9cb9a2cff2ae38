"""Many askers of one local model: python tests/torture/load.py [REQUESTS] [CLIENTS] [MODEL]

Of four streams, three are left by their clients after some words. A client that gets 503 waits as long as it is told
and asks again. Only an answer or 503 may come, clients are served in the order of the queue, and
the memory of the server and
the model's process must not grow. Then twenty clients leave at odd moments, before and after the first word: how long
until the model answers another
question. With DOCQA_ANSWER_PARALLEL=1 in the environment answers are written one at a time: what writing several at
once is
worth.
"""

import random
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

import httpx

from conftest import Server, start_server, stop_server
from test_server import children
from waiting import resident_mb

PUMPS = 4
READ_TO_THE_END = 4  # one of so many streams
LEFT_AFTER = 8  # pieces of a stream
UNSURE = 1.0  # seconds: of two requests sent nearer to each other, either may come first
LEAVING = 20
DOCUMENT = "".join(
    f"The {n}th pump of the works holds {n * 7} litres of oil and was built in {1900 + n} by the {n}th smith. "
    for n in range(3, 3 + PUMPS)
)


@dataclass(frozen=True)
class Served:
    """One answer: its client, when the request that got through was sent, when its first word came, and the memory
    then."""

    client: int
    sent: float
    begun: float
    memory: tuple[int, int]


class Load:
    def __init__(self, server: Server, doc_id: str, model: str, requests: int) -> None:
        self.server, self.doc_id, self.model = server, doc_id, model
        self.left = list(range(requests))
        self.served: list[Served] = []
        self.statuses: Counter[int] = Counter()
        self.lock = threading.Lock()

    def ask(self, client: httpx.Client, number: int) -> tuple[int, float, float]:
        """The status, the seconds to wait, and when the first word came."""
        url = f"/v1/chat/{self.doc_id}?model_name={self.model}&stream=true&temperature=0.1"
        question = f"How many litres of oil does the {number % PUMPS + 3}th pump hold?"
        with client.stream("POST", url, json=[{"sender": "user", "message": question}], timeout=120) as response:
            begun = 0.0
            for count, _ in enumerate(response.iter_raw()):
                begun = begun or time.monotonic()
                if number % READ_TO_THE_END and count == LEFT_AFTER:
                    break
            return response.status_code, float(response.headers.get("retry-after", 0)), begun

    def work(self, client_number: int) -> None:
        with self.server.client() as client:
            while True:
                with self.lock:
                    if not self.left:
                        return
                    number = self.left.pop(0)
                while True:
                    sent = time.monotonic()
                    status, wait, begun = self.ask(client, number)
                    with self.lock:
                        self.statuses[status] += 1
                    if status != 503:
                        break
                    time.sleep(wait)
                with self.lock:
                    self.served.append(Served(client_number, sent, begun, memory(self.server)))


def memory(server: Server) -> tuple[int, int]:
    """Resident MB of the server and of the model's process."""
    model = next(
        (pid for pid, command in children(server.process.pid).items() if "local_child" in command), server.process.pid
    )
    return int(resident_mb(server.process.pid)), int(resident_mb(model))


def report(load: Load, clients: int) -> None:
    print("statuses:", dict(load.statuses))
    served = sorted(load.served, key=lambda client: client.begun)
    overtaken = sum(later.sent + UNSURE < sooner.sent for n, sooner in enumerate(served) for later in served[n + 1 :])
    each = Counter(client.client for client in served)
    print(
        f"overtaken by a later one: {overtaken} of {len(served)}; answers of a client: {min(each.values())} to {max(each.values())}, {clients} clients"
    )
    print(
        f"waited for the first word: median {statistics.median(client.begun - client.sent for client in served):.1f} s"
    )
    third = len(served) // 3
    for column, name in enumerate(("server", "model")):
        first, last = (
            statistics.median(client.memory[column] for client in part) for part in (served[:third], served[-third:])
        )
        print(f"memory of the {name}: first third {first:.0f} MB, last third {last:.0f} MB")


def leave(load: Load) -> None:
    """How long the next question waits longer than it does when nobody has left."""
    chance = random.Random(1)
    with load.server.client() as client:
        load.ask(client, 1)

        def first_word() -> float:
            start = time.monotonic()
            return load.ask(client, 1)[2] - start

        quiet = statistics.median(first_word() for _ in range(5))
        waits: list[float] = []
        for number in range(LEAVING):
            leaver = threading.Thread(target=abandon, args=(load, 2 * number + 1, chance.uniform(0.2, 2.0)))
            leaver.start()
            leaver.join()
            waits.append(first_word() - quiet)
    print(
        f"freed within a second: {sum(wait < 1 for wait in waits)} of {LEAVING}; longest {max(waits):.2f} s (the same question on a free model: {quiet:.2f} s)"
    )


def abandon(load: Load, number: int, seconds: float) -> None:
    """Ask for everything, which takes long, and close the connection after so many seconds."""
    question = [
        {
            "sender": "user",
            "message": f"Tell everything about pump {number}, its oil, its year and its smith, and all other pumps.",
        }
    ]
    url = f"/v1/chat/{load.doc_id}?model_name={load.model}&stream=true&length=LONG&temperature=0.7"
    deadline = time.monotonic() + seconds
    with load.server.client() as client:
        try:
            with client.stream("POST", url, json=question, timeout=seconds) as response:
                for _ in response.iter_raw():
                    if time.monotonic() > deadline:
                        return
        except httpx.TimeoutException:
            return


def main() -> None:
    given: list[Any] = sys.argv[1:]
    requests, clients = (int(given[n]) if len(given) > n else default for n, default in enumerate((200, 16)))
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder) / "data")
        with server.client() as client:
            doc_id = (
                client.post("/v1/api/upload", files={"file": ("pumps.txt", DOCUMENT.encode())})
                .raise_for_status()
                .json()["doc_id"]
            )
            server.wait("/healthz", "indexing", 0)
        load = Load(server, doc_id, given[2] if len(given) > 2 else "SMOLLM2_135M", requests)
        with server.client() as client:
            load.ask(client, 0)
        threads = [threading.Thread(target=load.work, args=(n,)) for n in range(clients)]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"{requests} answers in {time.monotonic() - start:.0f} s")
        report(load, clients)
        leave(load)
        assert stop_server(server) == 0
        assert set(load.statuses) <= {200, 503}


if __name__ == "__main__":
    main()
