"""What the guides say of deployment is tried with the real programs: nginx, Caddy, Litestream, systemd, an engine of
containers. Each is skipped where the program is not."""

import asyncio
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from conftest import Server, start_server, stop_server, without_models
from docqa import ROOT
from docqa.help.guides import source
from stand_ins import certificate, free_port, openai, stand_in, status, stream

pytestmark = pytest.mark.anyio

NAME = "docs.example.org"
DEPLOY = ROOT / "docqa" / "help" / "deploy"
LEASE = "The monthly rent of the warehouse is 12,400 euros. It is due on the third working day."
QUESTION = [{"sender": "user", "message": "How much is the monthly rent of the warehouse?"}]


def snippet(guide: str, language: str) -> str:
    """The one snippet of this language in a guide."""
    [code] = re.findall(rf"^```{language}\n(.*?)^```$", source(guide), re.MULTILINE | re.DOTALL)
    return str(code)


@contextmanager
def running(command: list[str], log: Path, up: str = "") -> Iterator[None]:
    """A program beside the test, once its log says `up`."""
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, cwd=log.parent)
    try:
        end = time.monotonic() + 30
        while up not in log.read_text():
            assert process.poll() is None and time.monotonic() < end, log.read_text()
            time.sleep(0.1)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


@contextmanager
def nginx(server: Server, folder: Path) -> Iterator[int]:
    """nginx with the configuration of the guide, on a free port of loopback and with a certificate of its own."""
    path, _ = certificate(folder)
    port = free_port()
    site = snippet("deployment", "nginx").replace("listen 443", f"listen 127.0.0.1:{port}")
    site = site.replace("/etc/ssl/docs.example.org.crt", str(path)).replace("http://127.0.0.1:8000", server.base)
    site = site.replace("/etc/ssl/docs.example.org.key", str(path.with_suffix(".key")))
    temporary = " ".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    head = f"daemon off; pid {folder}/pid; error_log stderr notice; events {{}} http {{ access_log off; {temporary}\n"
    (folder / "nginx.conf").write_text(head + site + "}\n")
    with running(["nginx", "-c", str(folder / "nginx.conf")], folder / "nginx.log", "start worker process"):
        yield port


@contextmanager
def caddy(server: Server, folder: Path) -> Iterator[int]:
    """Caddy with the configuration of the guide, but for the certificate, which it would ask the network for."""
    path, _ = certificate(folder)
    port = free_port()
    site = snippet("deployment", "caddy").replace("127.0.0.1:8000", server.base.removeprefix("http://"))
    own = f"{NAME}:{port} {{\n    tls {path} {path.with_suffix('.key')}\n"
    head = f"{{\n    admin off\n    auto_https disable_redirects\n    storage file_system {folder}/storage\n}}\n"
    (folder / "Caddyfile").write_text(head + site.replace(f"{NAME} {{\n", own))
    command = ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    with running(command, folder / "caddy.log", "serving initial configuration"):
        yield port


@pytest.fixture(params=[nginx, caddy], ids=["nginx", "caddy"])
def proxy(request: pytest.FixtureRequest) -> object:
    if not shutil.which(request.param.__name__):
        pytest.skip(f"needs {request.param.__name__} (Debian: apt install {request.param.__name__})")
    return request.param


async def test_a_proxy_adds_tls_and_takes_nothing_away(proxy: object, tmp_path: Path) -> None:
    gate = asyncio.Event()
    first, *others = openai("The monthly rent is 12,400 euros. ", "It is due on the third", " working day.")
    events = [first, *others[:2], gate, *others[2:]]
    async with stand_in(status(404), stream(*events)) as model:  # it has no list of models
        models = tmp_path / "models"
        models.mkdir()
        (models / "models.toml").write_text(f'[models]\nGPT5_2 = ["compatible:{model.url}#slow"]\n')
        settings = {
            "DOCQA_HOST_NAMES": NAME,
            **without_models(models),
            "DOCQA_UPLOAD_MB": "4",
        }
        server = await asyncio.to_thread(start_server, tmp_path / "data", **settings)
        try:
            with proxy(server, tmp_path) as port:  # type: ignore[operator]
                await tried(f"https://{NAME}:{port}", port, server, gate)
        finally:
            assert await asyncio.to_thread(stop_server, server) == 0


async def tried(base: str, port: int, server: Server, gate: asyncio.Event) -> None:
    """All that a proxy could spoil, with a client that takes the name for loopback."""
    headers = {"x-api-key": server.key, "Host": f"{NAME}:{port}"}
    async with httpx.AsyncClient(
        base_url=f"https://127.0.0.1:{port}", headers=headers, verify=False, timeout=60
    ) as client:
        client.event_hooks["request"] = [with_sni]
        assert "<title>DocQA</title>" in (await client.get("/")).text
        # What is larger than a proxy takes by default arrives, and what is too large is told by the server.
        padding = b"\n\n" + b"All of it is kept. " * 100_000
        response = await client.post("/v1/api/upload", files={"file": ("lease.txt", LEASE.encode() + padding)})
        assert response.status_code == 201, response.text
        large = await client.post(
            "/v1/api/upload",
            files={"file": ("large.txt", b"a" * 5_000_000)},
            headers={"Connection": "close"},  # a proxy may close it, where the server has not read all
        )
        assert large.status_code == 413 and "4 MB" in large.json()["detail"]
        # Words arrive while the model still writes.
        url = f"/v1/chat/{response.json()['doc_id']}?stream=true&cite_source=true"
        async with client.stream("POST", url, json=QUESTION) as answer:
            pieces = answer.aiter_text()
            assert "12,400" in await anext(pieces)
            assert not gate.is_set()
            gate.set()
            rest = "".join([piece async for piece in pieces])
        assert "third working day" in rest
        # Links lead to the address that people know.
        body = {
            "model": "docqa",
            "messages": [{"role": "user", "content": QUESTION[0]["message"]}],
            "model_name": "QUOTES",
        }
        completed = (await client.post("/v1/chat/completions", json=body)).json()
        assert completed["citations"][0]["url"].startswith(f"https://{NAME}"), completed
        # Who guesses keys is counted by address, whatever address it claims to have.
        guesses = [{"x-api-key": f"dq-{number}", "X-Forwarded-For": f"192.0.2.{number}"} for number in range(25)]
        statuses = [(await client.get("/v1/api/documents", headers=guess)).status_code for guess in guesses]
        assert statuses[0] == 401 and statuses[-1] == 429
        assert (await client.get("/v1/api/documents")).status_code == 200


async def with_sni(request: httpx.Request) -> None:
    request.extensions["sni_hostname"] = NAME


@pytest.mark.skipif(not shutil.which("litestream"), reason="needs litestream (https://litestream.io/install/)")
def test_litestream_keeps_a_copy_from_which_everything_comes_back(tmp_path: Path) -> None:
    server = start_server(tmp_path / "data", **without_models(tmp_path))
    database, copy = server.data / "docqa.sqlite", tmp_path / "copy"
    config = (
        snippet("backup", "yaml")
        .replace("/opt/docqa/data/docqa.sqlite", str(database))
        .replace("/backup/docqa", str(copy))
    )
    (tmp_path / "litestream.yml").write_text(config)
    flags = ["-config", str(tmp_path / "litestream.yml")]
    with (
        running(["litestream", "replicate", *flags], tmp_path / "litestream.log", "replica"),
        server.client() as client,
    ):
        ids = [add(client, f"{LEASE} This is number {number}.") for number in range(5)]
        client.delete(f"/v1/api/documents/{ids[0]}").raise_for_status()
        answer = client.post(f"/v1/chat/{ids[3]}?cite_source=true", json=QUESTION).json()
        time.sleep(4)  # it copies every second
        server.process.kill()  # as when the machine is lost
        server.process.wait()
        assert server.process.stdout is not None
        server.process.stdout.close()
    subprocess.run(
        ["litestream", "restore", *flags, "-o", str(tmp_path / "restored.sqlite"), str(database)], check=True
    )
    command = [sys.executable, str(ROOT / "run.py"), "restore", str(tmp_path / "restored.sqlite")]
    subprocess.run([*command, "--data", str(tmp_path / "new")], check=True)
    (tmp_path / "new" / "api-key").write_text(server.key)
    again = start_server(tmp_path / "new", **without_models(tmp_path))
    with again.client() as client:
        listed = {document["doc_id"] for document in client.get("/v1/api/documents").json()["documents"]}
        assert listed == set(ids[1:])
        again_answered = client.post(f"/v1/chat/{ids[3]}?cite_source=true", json=QUESTION).json()
        assert (again_answered["answer"]["message"], again_answered["sources"]) == (
            answer["answer"]["message"],
            answer["sources"],
        )
    assert stop_server(again) == 0


def add(client: httpx.Client, text: str) -> str:
    response = client.post("/v1/api/upload", files={"file": ("lease.txt", text.encode())})
    return str(response.json()["doc_id"])


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd")
def test_the_unit_is_one_and_gives_away_little(tmp_path: Path) -> None:
    unit = (DEPLOY / "docqa@.service").read_text(encoding="utf-8")
    here = unit.replace("/opt/docqa/.venv/bin/python", sys.executable).replace("/opt/docqa", str(ROOT))
    (tmp_path / "docqa@.service").write_text(here)
    verified = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / "docqa@.service")], capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0 and not verified.stderr, verified.stderr
    rating = ["systemd-analyze", "security", "--offline=yes", "--threshold=20", str(tmp_path / "docqa@.service")]
    rated = subprocess.run(rating, capture_output=True, text=True, check=False)
    assert rated.returncode == 0, rated.stdout
    assert "below 2 of 10" in source("deployment")
    # Without these calls the readers of files could not confine themselves, and would read on without.
    [calls] = re.findall(r"^SystemCallFilter=(.*)$", unit, re.MULTILINE)
    assert {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp"} <= set(calls.split())


def engine() -> str:
    """The program that builds and runs containers here; "" if none does."""
    for name in ("podman", "docker"):
        if shutil.which(name) and subprocess.run([name, "info"], capture_output=True, check=False).returncode == 0:
            return name
    return ""


@pytest.mark.torture  # minutes, for the packages that it installs
def test_the_image_is_built_and_answers_without_rights(tmp_path: Path) -> None:
    """With DOCQA_TEST_BASE, another base image; with DOCQA_TEST_BUILD and DOCQA_TEST_RUN, what an engine needs to be told
    on this machine, such as `-v /etc/pip.conf:/etc/pip.conf:ro` and `--runtime runc`."""
    if not (program := engine()):
        pytest.skip("needs an engine of containers that works: podman or docker")
    [base] = re.findall(r"^ARG BASE=(\S+)$", (DEPLOY / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE)
    base = os.environ.get("DOCQA_TEST_BASE", base)
    here = subprocess.run([program, "image", "inspect", base], capture_output=True, check=False).returncode == 0
    if not here and subprocess.run([program, "pull", base], capture_output=True, check=False).returncode:
        pytest.skip(f"needs the image {base}, which cannot be pulled here")
    build = [
        *shlex.split(os.environ.get("DOCQA_TEST_BUILD", "")),
        "--build-arg",
        f"BASE={base}",
        "--build-arg",
        "EXTRAS=",
    ]
    file = ["-f", str(DEPLOY / "Containerfile"), "-t", "docqa-test", str(ROOT)]
    subprocess.run([program, "build", "--network=host", *build, *file], check=True, timeout=1200)
    port, name = free_port(), f"docqa-test-{os.getpid()}"
    settings = ["-e", f"DOCQA_PORT={port}", "-e", "DOCQA_HOST=127.0.0.1"]
    flags = [*shlex.split(os.environ.get("DOCQA_TEST_RUN", "")), "--network=host", "--read-only", "--tmpfs", "/tmp"]

    def inside(*command: str) -> str:
        done = subprocess.run([program, "exec", name, *command], capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.strip()

    subprocess.run([program, "run", "--detach", "--rm", "--name", name, *flags, *settings, "docqa-test"], check=True)
    try:
        end = time.monotonic() + 60
        while not answers(f"http://127.0.0.1:{port}/healthz"):
            assert time.monotonic() < end, "it does not answer"
            time.sleep(0.2)
        assert inside("id", "-u") == "10001"
        headers = {"x-api-key": inside("cat", "/data/api-key")}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as client:
            doc_id = add(client, LEASE)
            answer = client.post(f"/v1/chat/{doc_id}", json=QUESTION).json()["answer"]["message"]
        assert "12,400 euros" in answer
        assert re.search(r"Landlock \d", inside("docqa", "doctor")), "readers of files are confined in a container too"
    finally:
        began = time.monotonic()
        subprocess.run([program, "stop", name], check=True)
        assert time.monotonic() - began < 9, "it ends by its own, not by the engine's patience"


def answers(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False
