"""What is opened at start is closed at stop, also where the start fails midway."""

import asyncio
import ctypes
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import client_of, key_for, upload
from docqa.api.app import create
from docqa.api.serving import stop
from docqa.catalog.machine import Machine
from docqa.errors import CannotStart
from docqa.models.chat import local
from docqa.services import ALL_QUOTES, NO_LANGUAGE_MODEL, open_services
from docqa.settings import Settings
from docqa.setup.installation import Installation
from docqa.setup.progress import DONE, FAILED, RUNNING, Progress
from docqa.store.database import DRIVER, READERS, Database
from ingest.test_background import Moody
from waiting import until

pytestmark = pytest.mark.anyio


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[Database]:
    """The databases that were closed."""
    closed: list[Database] = []
    close = Database.close

    async def noted(db: Database) -> None:
        closed.append(db)
        await close(db)

    monkeypatch.setattr(Database, "close", noted)
    return closed


async def test_without_models_answers_are_quotes_and_it_says_so(settings: Settings, closed: list[Database]) -> None:
    async with AsyncExitStack() as stack:
        services = await open_services(settings, stack)
        assert ALL_QUOTES in services.notes()
        assert {model.model_provider_name for model in services.models()} == {NO_LANGUAGE_MODEL}
        assert closed == []
    assert closed == [services.db]


@pytest.mark.parametrize("available", [True, False])
async def test_a_language_model_is_proposed_only_where_llama_cpp_is_there_to_run_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, available: bool
) -> None:
    monkeypatch.setattr(local, "available", lambda: available)
    monkeypatch.setattr("docqa.services.find_machine", lambda: Machine(64 << 30, 8))
    async with AsyncExitStack() as stack:
        proposal = (await open_services(settings, stack)).proposal()
        assert proposal.startswith("This machine could run the language model") == available
        assert available or not proposal


async def test_a_start_that_fails_closes_what_it_had_opened(
    settings: Settings, tmp_path: Path, closed: list[Database]
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / "catalog.toml").write_text("no catalogue")
    with pytest.raises(CannotStart):
        async with AsyncExitStack() as stack:
            await open_services(replace(settings, models=models), stack)
    assert len(closed) == 1


class Arriving:
    """Stands in for what an installer brings: an embedder that can be opened from some moment on."""

    def __init__(self) -> None:
        self.here = False

    def chosen(self, *_: object) -> Moody | None:
        return Moody(0) if self.here else None


async def test_an_embedder_that_is_installed_meanwhile_serves_without_a_restart(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    arriving = Arriving()
    monkeypatch.setattr("docqa.models.choosing._chosen", arriving.chosen)
    monkeypatch.setattr("docqa.services.LOOK_SECONDS", 0.05)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await upload(client, "The rent is 12 euros.")

        async def status() -> dict[str, Any]:
            return (await client.get(f"/v1/api/documents/{doc_id}/status")).json()  # type: ignore[no-any-return]

        async def is_ready() -> bool:
            return (await status())["state"] == "ready"

        await until(is_ready, "the document is done, without vectors")
        assert (await status())["chunks_done"] == 0
        health = (await client.get("/healthz")).json()
        assert health["embedding"].startswith("none") and health["verifier"].startswith("none")
        arriving.here = True

        async def is_embedded() -> bool:
            return (await status())["chunks_done"] == 1

        await until(is_embedded, "the vectors of a document that was there before the embedder")
        assert (await client.get("/healthz")).json()["embedding"] == "ready"


class Installing(Installation):
    """An installation of which a test says how far it is."""

    def __init__(self) -> None:
        super().__init__(["rest"])
        self.started = self.closed = False

    async def start(self) -> None:
        self.started = True

    async def close(self) -> None:
        self.closed = True


async def test_health_says_what_is_being_installed_and_what_failed(settings: Settings) -> None:
    installation = Installing()
    app = create(settings, installation=installation)
    words = Progress("embedding", "the packages for search by meaning", message="search is by words only")
    async with app.router.lifespan_context(app), client_of(app) as client:
        await until(lambda: installation.started, "the installer is started")
        assert (await client.get("/healthz")).json()["installing"] == []
        installation._steps.take(words.at(RUNNING, 0.424).to_line())
        health = (await client.get("/healthz")).json()
        assert health["installing"] == [
            {
                "what": "the packages for search by meaning",
                "state": "running",
                "percent": 42,
                "message": "search is by words only",
            }
        ]
        assert any("(42% done). Until then, search is by words only." in note for note in health["notes"])
        assert not any("is not installed" in note for note in health["notes"]), "it is on its way"
        installation._steps.take(words.at(FAILED, 0.5, "There is no space left.").to_line())
        health = (await client.get("/healthz")).json()
        assert health["installing"][0]["state"] == "failed"
        assert "Not installed: the packages for search by meaning. There is no space left." in health["notes"]
        installation._steps.take(words.at(DONE, 1.0).to_line())
        assert (await client.get("/healthz")).json()["installing"] == []
    assert installation.closed


def memory_of_sqlite() -> int:
    """Bytes that all connections of this process hold; the test is skipped where the driver does not tell."""
    names = f"{DRIVER.__name__.partition('.')[0]}._sqlite3", "_sqlite3"
    library = ctypes.CDLL(next(sys.modules[name].__file__ for name in names if name in sys.modules))
    if not hasattr(library, "sqlite3_memory_used"):
        pytest.skip("this driver does not tell what SQLite holds")
    library.sqlite3_memory_used.restype = ctypes.c_int64
    return int(library.sqlite3_memory_used())


async def test_pages_of_the_database_are_given_back_once_no_request_is_in_hand(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docqa.services.QUIET_SECONDS", 0.02)
    async with AsyncExitStack() as stack:
        services = await open_services(settings, stack)
        async with services.db.write() as conn:
            await conn.execute_fetchall("INSERT INTO account (name, created) VALUES (hex(randomblob(750000)), '')")
        count = "SELECT count(*) FROM account WHERE name LIKE '%never%'"
        with services.lanes.requests.place(1):
            resting = asyncio.create_task(services.rest_forever())
            stack.push_async_callback(stop, resting)
            async with services.db.read() as conn:
                await conn.execute_fetchall(count)
            held = memory_of_sqlite()
            await asyncio.sleep(0.1)
            assert memory_of_sqlite() > held - 100_000, "what is asked next finds it there"
        await until(lambda: memory_of_sqlite() < held - 2_000_000, "pages are given back")
        for _ in range(READERS):
            async with services.db.read() as conn:
                assert [tuple(row) for row in await conn.execute_fetchall(count)] == [(0,)]
