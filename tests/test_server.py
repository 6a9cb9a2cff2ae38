"""A whole server in a process of its own, with the real models: start, streams, killed children, restarts, the end."""

import http.server
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from conftest import Server, keep_measured, start_server, stop_server, without_models
from docqa import ROOT
from docqa.store.ballast import SIZE

LEASE = "The lease of the warehouse in Bergen was signed by Kari Nordmann on 3 May 2021.\n\nThe monthly rent is 12,400 euros, due on the third working day."
STORY = "\n\n".join(
    f"In chapter {n} the keeper of the lighthouse counts {n * 7} ships and writes a letter to his sister about the weather."
    for n in range(1, 40)
)


def ask(text: str) -> list[dict[str, str]]:
    return [{"sender": "user", "message": text}]


def upload(client: httpx.Client, text: str, name: str = "text.txt") -> str:
    response = client.post("/v1/api/upload", files={"file": (name, text.encode())})
    assert response.status_code == 201, response.text
    return str(response.json()["doc_id"])


def descendants(pid: int) -> dict[int, str]:
    """Process id → command line, and name, of every process that this one has started, or one of those."""
    processes = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            if int(stat[1]) == pid and stat[0] != "Z":
                command = (folder / "cmdline").read_text().replace("\0", " ")
                processes[int(folder.name)] = f"{command} {(folder / 'comm').read_text()}"
        except FileNotFoundError:
            continue
    return processes | {each: of for child in processes for each, of in descendants(child).items()}


def named(server: Server, word: str) -> list[int]:
    """The processes whose command or name has this word, the first one first."""
    return sorted(pid for pid, command in descendants(server.process.pid).items() if word in command)


def child(server: Server, word: str) -> int:
    [pid] = named(server, word)
    return pid


@pytest.fixture(scope="module")
def ready(server: Server) -> Server:
    server.wait("/healthz", "embedding", "ready")
    return server


@pytest.fixture(scope="module")
def story(ready: Server) -> str:
    """The doc_id of a story that has its vectors."""
    with ready.client() as client:
        doc_id = upload(client, STORY)
    ready.wait(f"/v1/api/documents/{doc_id}/status", "state", "ready")
    return doc_id


def test_a_first_start_keeps_its_key_for_its_owner_only_and_space_for_a_full_disk(server: Server) -> None:
    assert (server.data / "api-key").stat().st_mode & 0o777 == 0o600
    assert server.key.startswith("dq-")
    assert (server.data / "ballast").stat().st_blocks * 512 >= SIZE, "space is kept for a full disk"
    for path in server.data.iterdir():
        if path.name.startswith("docqa.sqlite"):
            assert server.key.encode() not in path.read_bytes(), "only the key's hash is kept"


def test_vectors_are_made_in_the_background(ready: Server, story: str) -> None:
    with ready.client() as client:
        status = client.get(f"/v1/api/documents/{story}/status").json()
        assert status["chunks_done"] == status["chunks"] > 1


def test_health_says_when_answers_are_verified(ready: Server) -> None:
    ready.wait("/healthz", "verifier", "ready")


def test_vectors_find_what_is_said_in_other_words(ready: Server) -> None:
    with ready.client() as client:
        doc_id = upload(client, LEASE)
        ready.wait(f"/v1/api/documents/{doc_id}/status", "state", "ready")
        body = client.post(
            f"/v1/chat/{doc_id}?cite_source=true", json=ask("How much money does the tenant owe monthly?")
        ).json()
        assert "12,400" in body["answer"]["message"]
        body = client.post(f"/v1/chat/{doc_id}?cite_source=true", json=ask("Which enzyme splits lactose?")).json()
        assert body["sources"] == []


def test_a_local_model_answers_by_its_name(ready: Server) -> None:
    with ready.client() as client:
        names = {model["name"]: model["model_provider_name"] for model in client.get("/v1/api/models").json()}
        assert names["SMOLLM2_135M"] == "local"
        doc_id = upload(client, LEASE)
        query = "model_name=SMOLLM2_135M&cite_source=true&temperature=0.1"
        body = client.post(
            f"/v1/chat/{doc_id}?{query}", json=ask("How much is the monthly rent of the warehouse?")
        ).json()
        assert body["answer"]["message"].strip()
        for source in body["sources"]:
            assert source["source_chunk"] in LEASE
        assert client.get("/healthz").json()["local_models"] == {"SMOLLM2_135M": "ready"}


# A task: what a small model makes up is shown there, and marked, so that its answer is a long one.
TALE = "Write a long story about the keeper of the lighthouse, his letters, his sister and all of his ships."


def test_a_model_streams_its_sentences_as_they_are_made_and_a_client_that_leaves_frees_it(
    ready: Server, story: str
) -> None:
    with ready.client() as client:
        question = ask(TALE)
        url = f"/v1/chat/{story}?model_name=SMOLLM2_135M&stream=true&length=LONG&temperature=0.1"
        with client.stream("POST", url, json=question) as response:
            assert response.headers["transfer-encoding"] == "chunked"
            stream = response.iter_raw()
            pieces = [next(stream)]
            # From here on the model is loaded and has read the prompt: what is measured is writing.
            pid = child(ready, "docqa.models.chat.local")
            before = ticks(pid)
            pieces += stream
        # What is sent at once arrives in a piece or two; how many sentences a small model makes varies.
        assert len(pieces) > 2
        whole = ticks(pid) - before
        for _ in range(3):
            with client.stream("POST", url, json=question) as response:
                next(response.iter_raw())
        assert ticks(pid) - before - whole < 2 * whole, "answers that nobody wanted were made to their end"


def ticks(pid: int) -> int:
    """The time that a process has had of processors, in clock ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


@pytest.mark.parametrize(
    ("word", "query"),
    [
        ("embedder_child", ""),  # another one may serve beside it, which comes later
        ("docqa.models.chat.local", "model_name=SMOLLM2_135M"),
    ],
    ids=["embedder", "language model"],
)
def test_a_killed_child_costs_at_most_one_answer(ready: Server, word: str, query: str) -> None:
    with ready.client() as client:
        doc_id = upload(client, LEASE)
        question = ask("How much is the monthly rent?")
        assert client.post(f"/v1/chat/{doc_id}?{query}", json=question).status_code == 200
        os.kill(named(ready, word)[0], signal.SIGKILL)
        first = client.post(f"/v1/chat/{doc_id}?{query}", json=question)
        assert first.status_code in (200, 503)
        if first.status_code == 503:
            assert int(first.headers["retry-after"]) > 0
            assert "started again" in first.json()["detail"]
        assert client.post(f"/v1/chat/{doc_id}?{query}", json=question).status_code == 200
    ready.wait("/healthz", "embedding", "ready")


def test_a_stream_whose_model_dies_is_broken_off(ready: Server, story: str) -> None:
    with ready.client() as client:
        url = f"/v1/chat/{story}?model_name=SMOLLM2_135M&stream=true&length=LONG&temperature=0.1"
        question = ask(TALE)
        with pytest.raises(httpx.RemoteProtocolError), client.stream("POST", url, json=question) as response:
            pid = child(ready, "docqa.models.chat.local")
            for number, _ in enumerate(response.iter_raw()):
                if number == 1:
                    os.kill(pid, signal.SIGKILL)
        with client.stream("POST", url, json=question, headers={"Accept": "text/event-stream"}) as response:
            pid = child(ready, "docqa.models.chat.local")
            text = ""
            with pytest.raises(httpx.RemoteProtocolError):
                for number, line in enumerate(response.iter_text()):
                    text += line
                    if number == 1:
                        os.kill(pid, signal.SIGKILL)
        assert "event: error" in text and "event: done" not in text


class _Site(http.server.BaseHTTPRequestHandler):
    """A website with one page of an article."""

    def do_GET(self) -> None:
        body = f"<html><head><title>The Bergen lease</title></head><body><nav>Home</nav><article><h1>Lease</h1><p>{LEASE * 3}</p></article></body></html>"
        self.send_response(200 if self.path == "/lease" else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def site() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Site) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{web.server_address[1]}"
        web.shutdown()


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_link_becomes_a_document(server: Server, site: str, method: str) -> None:
    with server.client() as client:
        response = client.request(method, "/v1/api/download_pdf", params={"url": f"{site}/lease"})
        assert response.status_code == 201, response.text
        doc_id = response.json()["doc_id"]
        assert client.get(f"/v1/api/documents/{doc_id}").json()["name"] == "The Bergen lease"
        body = client.post(f"/v1/chat/{doc_id}?cite_source=true", json=ask("How much is the monthly rent?")).json()
        assert "12,400" in body["answer"]["message"]
        assert body["sources"][0]["page_number"] == 1


def test_a_dead_link_is_refused_with_the_reason(server: Server, site: str) -> None:
    with server.client() as client:
        response = client.get("/v1/api/download_pdf", params={"url": f"{site}/gone"})
        assert response.status_code == 422
        [fault] = response.json()["detail"]
        assert fault["loc"] == ["query", "url"] and "404" in fault["msg"]


def test_a_body_is_refused_while_it_is_sent(server: Server) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(64):
            yield b" " * (1 << 20)

    with server.client() as client:
        response = client.post("/v1/api/knowledge", content=endless())
        assert response.status_code == 413


def test_keys_are_added_listed_and_revoked(server: Server) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "run.py"), "key", *arguments, "--data", str(server.data)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    added = run("add", "archive", "--account", "other")
    assert added.returncode == 0
    headers = {"x-api-key": added.stdout.strip()}
    assert httpx.get(f"{server.base}/v1/api/documents", headers=headers).json()["documents"] == [], (
        "another account sees other documents"
    )
    listed = run("list").stdout
    assert "archive" in listed and "first key" in listed and added.stdout.strip() not in listed
    number = next(line.split()[0] for line in listed.splitlines() if "archive" in line)
    assert run("revoke", number).returncode == 0
    assert run("revoke", number).returncode == 1
    assert httpx.get(f"{server.base}/v1/api/documents", headers=headers).status_code == 401


def test_a_server_that_is_killed_goes_on_where_it_stopped(tmp_path: Path) -> None:
    keep_measured(tmp_path / "data")
    first = start_server(tmp_path / "data")
    with first.client() as client:
        doc_id = upload(client, STORY * 20)
    first.process.kill()
    first.process.wait()
    assert first.process.stdout is not None
    first.process.stdout.close()
    second = start_server(tmp_path / "data")
    assert second.key == first.key
    second.wait(f"/v1/api/documents/{doc_id}/status", "state", "ready")
    with second.client() as client:
        status = client.get(f"/v1/api/documents/{doc_id}/status").json()
        assert status["chunks"] == status["chunks_done"]
    mine = set(descendants(second.process.pid))
    assert stop_server(second) == 0
    assert not mine & {int(folder.name) for folder in Path("/proc").glob("[0-9]*")}, "a child outlived its server"


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_cleanly_in_the_middle_of_a_stream(tmp_path: Path, end: signal.Signals) -> None:
    keep_measured(tmp_path / "data")
    server = start_server(tmp_path / "data", DOCQA_EMBEDDER="none")
    with server.client() as client:
        doc_id = upload(client, STORY)
        url = f"/v1/chat/{doc_id}?model_name=SMOLLM2_135M&stream=true&length=LONG&temperature=0.1"
        with client.stream("POST", url, json=ask("Tell me everything about the keeper of the lighthouse.")) as response:
            stream = response.iter_raw()
            next(stream)
            mine = set(descendants(server.process.pid))
            assert mine
            server.process.send_signal(end)
            try:
                for _ in stream:
                    pass
            except httpx.RemoteProtocolError:
                pass  # what an answer that was not finished in time looks like
    assert server.process.wait(15) == 0
    assert server.process.stdout is not None
    server.process.stdout.close()
    assert not mine & {int(folder.name) for folder in Path("/proc").glob("[0-9]*")}


def test_a_port_that_is_taken_is_said_in_one_sentence(server: Server, tmp_path: Path) -> None:
    port = server.base.rsplit(":", 1)[1]
    command = [sys.executable, str(ROOT / "run.py"), "serve", "--port", port, "--data", str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "address already in use" in done.stderr
    assert "Traceback" not in done.stderr


def test_data_that_cannot_be_used_are_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "docqa.sqlite").write_bytes(b"My diary. " * 1000)
    command = [sys.executable, str(ROOT / "run.py"), "serve", "--port", "0", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 1
    assert (
        done.stderr.startswith("docqa: ")
        and "cannot be used as the database" in done.stderr
        and done.stderr.count("\n") == 1
    )


def test_without_models_the_server_says_so_and_searches_by_words(tmp_path: Path) -> None:
    folder = without_models(tmp_path / "models")["DOCQA_MODELS"]
    server = start_server(tmp_path / "data", DOCQA_MODELS=folder)
    try:
        with server.client() as client:
            health = client.get("/healthz").json()
            assert any("full-text search only" in note for note in health["notes"])
            assert any("No language model answers" in note for note in health["notes"])
            doc_id = upload(client, LEASE)
            assert (
                "12,400"
                in client.post(f"/v1/chat/{doc_id}", json=ask("How much is the monthly rent?")).json()["answer"][
                    "message"
                ]
            )
    finally:
        assert stop_server(server) == 0


def test_the_description_of_the_api_is_served(server: Server) -> None:
    description = httpx.get(f"{server.base}/openapi.json").json()
    assert description["openapi"].startswith("3.1")
    assert "SMOLLM2_135M" in json.dumps(description)


def test_the_page_is_served_and_may_load_nothing_from_elsewhere(server: Server) -> None:
    response = httpx.get(server.base)
    assert response.status_code == 200
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert "http://" not in response.text and "https://" not in response.text
