"""How long deleting a large document takes, for the caller, for others and on the disk: python tests/bench/delete.py [CHUNKS]

A server without models stores a text of about so many passages (2,000); it is deleted while another client uploads and asks.
"""

import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conftest import Server, start_server, stop_server
from docqa.store.database import connect

SERVER = {"DOCQA_EMBEDDER": "none", "DOCQA_VERIFIER": "off", "DOCQA_READER": "off", "DOCQA_LOG_LEVEL": "error"}
WORD = b"Xylophonquartett"
SECONDS = 120.0


def others(server: Server, done: threading.Event, slowest: list[float]) -> None:
    """Make and delete knowledge bases, which need the one writer, and note the slowest."""
    with server.client() as client:
        while not done.is_set():
            started = time.monotonic()
            made = client.post("/v1/api/knowledge", json={"name": "a", "document_ids": []}).raise_for_status()
            client.delete(f"/v1/api/knowledge/{made.json()['knowledge_base_id']}").raise_for_status()
            slowest.append((time.monotonic() - started) / 2)
            time.sleep(0.05)


def main() -> None:
    """Upload, delete, and wait until no byte is left."""
    chunks = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    text = "\n\n".join(
        f"Paragraph {n} is about the {WORD.decode()}. " + " ".join(f"word{(n * 37 + k * k) % 9973}" for k in range(150))
        for n in range(chunks)
    ).encode()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        server = start_server(data, DOCQA_EXTRACT_SECONDS="300", **SERVER)
        with server.client() as client:
            client.timeout = 300
            doc_id = client.post("/v1/api/upload", files={"file": ("a.txt", text)}).raise_for_status().json()["doc_id"]
            server.wait("/healthz", "indexing", 0, SECONDS)
            conn = connect(data / "docqa.sqlite")
            [count] = conn.execute("SELECT count(*) FROM chunk").fetchone()
            conn.close()
            size = (data / "docqa.sqlite").stat().st_size
            done, slowest = threading.Event(), [0.0]
            other = threading.Thread(target=others, args=(server, done, slowest))
            other.start()
            started = time.monotonic()
            client.delete(f"/v1/api/documents/{doc_id}").raise_for_status()
            answered = time.monotonic() - started
            assert client.get(f"/v1/api/documents/{doc_id}").status_code == 404
            files = [data / "docqa.sqlite", data / "docqa.sqlite-wal"]
            while any(WORD in file.read_bytes() for file in files) and time.monotonic() - started < SECONDS:
                time.sleep(0.5)
            erased = time.monotonic() - started
            done.set()
            other.join()
        stop_server(server)
        left = (data / "docqa.sqlite").stat().st_size
    print(
        f"{count} passages: deleted in {answered:.2f} s; no byte left after {erased:.1f} s; others waited {max(slowest):.2f} s "
        f"at most for a write meanwhile; {size / 1e6:.1f} MB became {left / 1e6:.1f}"
    )


if __name__ == "__main__":
    main()
