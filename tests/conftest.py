"""Fixtures: an application in this process, without models, and a whole server in a process of its own, with them."""

import asyncio
import gc
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from docqa import ROOT
from docqa.api.app import create
from docqa.api.auth import create_key
from docqa.catalog.catalog import Catalog
from docqa.models.embedder import Embedder
from docqa.models.measured import EIGHT_BITS, FILE, keep
from docqa.settings import Settings
from docqa.store.ballast import SIZE
from docqa.store.database import Database

pytest_plugins = ["browsing", "tests.cli.commands"]  # fixtures that drive a browser and run commands

FILES = Path(__file__).parent / "files"
COMPILED, MEASURED = ROOT / "build" / "bytecode", ROOT / "build" / FILE
MEASURED.parent.mkdir(exist_ok=True)
MATRICES = ROOT / "models" / EIGHT_BITS  # of the shipped models: making them anew takes seconds
# Else each of the hundreds of processes that tests start would compile anew all that it imports.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(COMPILED)
    sys.dont_write_bytecode = False
# Tests run two at a time: threads of torch that spin while they wait would take the cores from the other one. Read when
# torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# What is collected stays until the end: ten thousand tests, and all that their modules import, need not be looked through for
# garbage again and again.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of one file run in one process, and all that drive the browser, which share it and a server with models."""
    from sharing import Sharing

    return Sharing(config, log)


def pytest_sessionfinish() -> None:
    """What was compiled of copies of the project in temporary folders is not imported again."""
    temporary = Path(tempfile.gettempdir())
    shutil.rmtree(COMPILED / temporary.relative_to(temporary.anchor), ignore_errors=True)


def torture(*values: object) -> Any:
    """The values of a case that takes seconds of a processor, and is left to `-m torture`."""
    return pytest.param(*values, marks=pytest.mark.torture)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """One event loop for all tests of a module, for a model that is loaded once."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", embedder="none", models=tmp_path / "no-models")


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database as the migrations leave it, which take half of an application's start; `tests/store` runs them each time."""
    path = tmp_path_factory.mktemp("database") / "docqa.sqlite"

    async def migrate() -> None:
        await (await Database.open(path)).close()

    asyncio.run(migrate())
    return path


@pytest.fixture
async def app(settings: Settings, empty_database: Path) -> AsyncIterator[Starlette]:
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (settings.data / "ballast").open("wb") as ballast:
        ballast.truncate(SIZE)  # a hole, or each start writes 16 MB
    if not settings.database.exists():  # else the test has put its own there
        shutil.copy(empty_database, settings.database)
    app = create(settings)
    async with app.router.lifespan_context(app):
        yield app


def client_of(app: Starlette, key: str = "") -> httpx.AsyncClient:
    headers = {"x-api-key": key} if key else {}
    # An exception that no handler takes must fail the test, not become a 500 that nobody looks at.
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app, raise_app_exceptions=True), base_url="http://localhost", headers=headers
    )


async def key_for(app: Starlette, account: str) -> str:
    async with app.state.services.db.write() as conn:
        _, key = await create_key(conn, account, "test")
    return key


@pytest.fixture
async def client(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the account `alice`."""
    async with client_of(app, await key_for(app, "alice")) as client:
        yield client


@pytest.fixture
async def stranger(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    """A client of another account."""
    async with client_of(app, await key_for(app, "bob")) as client:
        yield client


async def upload(client: httpx.AsyncClient, text: str, name: str = "text.txt") -> str:
    """The doc_id of a text that was uploaded."""
    response = await client.post("/v1/api/upload", files={"file": (name, text.encode())})
    assert response.status_code == 201, response.text
    return str(response.json()["doc_id"])


async def ask(client: httpx.AsyncClient, doc_id: str, question: str) -> str:
    """The answer of a document to a question."""
    response = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": question}])
    assert response.status_code == 200, response.text
    return str(response.json()["answer"]["message"])


@dataclass(frozen=True)
class Server:
    """A running `run.py serve`; `process.pid` is the server itself."""

    process: subprocess.Popen[str]
    base: str
    key: str
    data: Path

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.base, headers={"x-api-key": self.key}, timeout=60)

    def wait(self, path: str, key: str, value: object, seconds: float = 60) -> None:
        """Wait until the JSON at `path` says so."""
        with self.client() as client:
            end = time.monotonic() + seconds
            while (value_now := client.get(path).json()[key]) != value:
                assert time.monotonic() < end, f"{path} still says {key} = {value_now!r}, not {value!r}"
                time.sleep(0.1)


def start_server(data: Path, **environ: str) -> Server:
    """A server on a free port, as a user starts it; the caller ends it."""
    command = [sys.executable, str(ROOT / "run.py"), "serve", "--port", "0", "--data", str(data)]
    env = {**os.environ, "DOCQA_PRIVATE_NETWORKS": "127.0.0.0/8", "DOCQA_LINK_PORTS": "1-65535", **environ}
    log = data.with_name(data.name + ".log").open("w")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=env)
    log.close()
    assert process.stdout is not None
    for line in process.stdout:
        if match := re.search(r"serves on (http://\S+)", line):
            return Server(process, match[1], (data / "api-key").read_text().strip(), data)
    raise AssertionError(f"the server did not start: {Path(log.name).read_text()}")


def without_models(folder: Path) -> dict[str, str]:
    """What a server is started with that has no models in `folder`, and fetches none: an earlier start has given it up."""
    catalog = Catalog.load(folder)
    for entry in catalog.entries:
        catalog.given_up(entry).parent.mkdir(parents=True, exist_ok=True)
        catalog.given_up(entry).touch()
    return {"DOCQA_EMBEDDER": "none", "DOCQA_MODELS": str(folder)}


def keep_measured(data: Path) -> None:
    """Have a server with this folder know what models measured of themselves in an earlier run, which takes them seconds."""
    data.mkdir(mode=0o700)
    if MEASURED.exists():
        shutil.copy(MEASURED, data)


def installed_embedder(name: str, folder: Path | None = None, **more: Any) -> Embedder:
    """One of the project's own models, or its weights in another folder, which takes its matrices and what it measured
    of itself from an earlier run."""
    catalog = Catalog.load(ROOT / "models")
    entry = catalog.embedding(name)
    return Embedder(
        entry.name,
        folder or catalog.path(entry),
        entry.weights.sha256,
        entry.dimension,
        entry.languages,
        measured=MEASURED,
        kept_in=MATRICES,
        **more,
    )


def stop_server(server: Server) -> int:
    """Its exit code after SIGTERM."""
    server.process.terminate()
    code = server.process.wait(20)
    assert server.process.stdout is not None
    server.process.stdout.close()
    return code


@pytest.fixture(scope="module")
def words_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for the tests of one module, which searches by words alone and starts in a second."""
    folder = tmp_path_factory.mktemp("words")
    server = start_server(folder / "data", **without_models(folder / "no-models"))
    yield server
    assert stop_server(server) == 0


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the real models, for all tests that need one. What these measure of themselves is kept for the next."""
    data = tmp_path_factory.mktemp("server") / "data"
    keep_measured(data)
    server = start_server(data)
    yield server
    assert stop_server(server) == 0
    if (data / MEASURED.name).exists():  # tests of single models have kept theirs meanwhile
        for key, measurement in json.loads((data / MEASURED.name).read_text()).items():
            keep(MEASURED, key, measurement)
