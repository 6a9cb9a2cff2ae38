"""Start-up, memory and the first answers of a real server, in one run: python tests/bench/start.py [FILE.pdf]

Prints seconds and MB. Without a file, a text of 300,000 characters is made. Needs the models in models/.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conftest import Server, start_server, stop_server
from test_server import children
from waiting import resident_mb

SENTENCE = "Chapter {n}: the pump of type {n} needs {m} litres of oil every {n} months, says the manual of the works in Bergen. "


def memory(server: Server) -> str:
    """Resident MB of the server and each child."""
    processes = {server.process.pid: "server"} | {
        pid: command.split(" -m ")[-1].split()[0] for pid, command in children(server.process.pid).items()
    }
    return ", ".join(f"{name} {int(resident_mb(pid))} MB" for pid, name in processes.items())


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        for which in ("first", "second"):
            start = time.perf_counter()
            server = start_server(data)
            with server.client() as client:
                client.get("/healthz").raise_for_status()
                print(f"{which} start to /healthz: {time.perf_counter() - start:.2f} s")
                if which == "first":
                    stop_server(server)
                    continue
                server.wait("/healthz", "embedding", "ready")
                print(f"embedding model ready after: {time.perf_counter() - start:.2f} s")
                print("idle:", memory(server))
                path = Path(sys.argv[1]) if len(sys.argv) > 1 else None
                text = "".join(SENTENCE.format(n=n, m=n * 3) for n in range(1, 2600)).encode()
                start = time.perf_counter()
                response = client.post(
                    "/v1/api/upload", files={"file": (path.name, path.read_bytes()) if path else ("pumps.txt", text)}
                )
                print(f"upload answered after: {time.perf_counter() - start:.2f} s")
                doc_id = response.raise_for_status().json()["doc_id"]
                server.wait("/healthz", "indexing", 0, 600)
                status = client.get(f"/v1/api/documents/{doc_id}/status").json()
                print(
                    f"{status['pages']} pages, {status['chunks']} chunks with vectors after: {time.perf_counter() - start:.2f} s"
                )
                for model in ("GPT5_2", "GPT5_2", "SMOLLM2_135M", "SMOLLM2_135M"):
                    start = time.perf_counter()
                    question = [{"sender": "user", "message": "What is said about oil, taxes or revenue?"}]
                    client.post(f"/v1/chat/{doc_id}?model_name={model}", json=question).raise_for_status()
                    print(f"answer by {model}: {time.perf_counter() - start:.2f} s")
                print("after answers:", memory(server))
            stop_server(server)


if __name__ == "__main__":
    main()
