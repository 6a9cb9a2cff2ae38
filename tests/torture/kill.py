"""Nothing that was answered with 201 is ever lost: python tests/torture/kill.py [ROUNDS]

Each round starts a server on the same data, uploads and deletes from several threads, and kills the server at a random
moment with SIGKILL. Then every document that was acknowledged must be there byte for byte, every deleted one gone, and
the file
sound.
"""

import random
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

import httpx

from conftest import Server, start_server
from docqa.store.database import connect

THREADS = 4


def work(server: Server, kept: dict[str, bytes], gone: set[str], seed: int) -> None:
    """Upload and delete until the server is gone."""
    chance = random.Random(seed)
    with server.client() as client:
        for number in range(10_000):
            data = f"Document {seed} {number}. ".encode() * chance.randint(1, 3000)
            try:
                doc_id = (
                    client.post("/v1/api/upload", files={"file": ("text.txt", data)})
                    .raise_for_status()
                    .json()["doc_id"]
                )
                kept[doc_id] = data
                if chance.random() < 0.2:
                    # From here on it may be there or not, until the answer says that it is gone.
                    del kept[doc_id]
                    client.delete(f"/v1/api/documents/{doc_id}").raise_for_status()
                    gone.add(doc_id)
            except httpx.TransportError:
                return


def check(server: Server, kept: dict[str, bytes], gone: set[str]) -> None:
    with server.client() as client:
        for doc_id, data in kept.items():
            assert client.get(f"/v1/api/documents/{doc_id}/file").content == data, f"{doc_id} is lost or changed"
        for doc_id in gone:
            assert client.get(f"/v1/api/documents/{doc_id}").status_code == 404, f"{doc_id} is back"


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    kept: dict[str, bytes] = {}
    gone: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        for round_ in range(rounds):
            server = start_server(data)
            check(server, kept, gone)
            threads = [
                threading.Thread(target=work, args=(server, kept, gone, 1000 * round_ + n)) for n in range(THREADS)
            ]
            for thread in threads:
                thread.start()
            time.sleep(random.uniform(0.3, 6))
            server.process.kill()
            server.process.wait()
            for thread in threads:
                thread.join()
            conn = connect(data / "docqa.sqlite")
            assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            conn.execute("INSERT INTO chunk_fts (chunk_fts, rank) VALUES ('integrity-check', 1)")
            assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
            conn.close()
            print(
                f"round {round_ + 1}: {len(kept)} documents kept, {len(gone)} deleted, all as acknowledged", flush=True
            )


if __name__ == "__main__":
    main()
