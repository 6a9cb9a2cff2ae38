"""`backup`, `restore`, `export` and `import`: the same answers afterwards, and hostile files refused with a sentence."""

import asyncio
import hashlib
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import client_of, key_for, upload
from docqa import store
from docqa.api.app import create
from docqa.cli.main import main
from docqa.settings import Settings
from docqa.store.database import DRIVER, Database, connect
from tests.ingest.test_background import Moody, is_erased
from waiting import until

pytestmark = pytest.mark.anyio

TEXTS = {
    "lease.txt": "The lease of the warehouse in Bergen ends on 31 March 2027.\n\nThe monthly rent is 12,400 euros.",
    "pump.txt": "The pump stands in the cellar. It was repaired by Aqua Nord in 2019.",
    "rents.csv": "Flat,Rent\nHill,1200\nPark,1050\n",
}
QUESTIONS = ("How much is the monthly rent?", "Who repaired the pump?", "What is the average Rent?")


class Hashing(Moody):
    """An embedder whose vectors depend on the text, and which counts the texts it is given."""

    def __init__(self, sha256: str = "abc") -> None:
        super().__init__(0)
        self.sha256 = sha256
        self.encoded = 0

    async def encode(self, texts: Sequence[str], *, urgent: bool = False) -> list[bytes]:
        self.encoded += 0 if urgent else len(texts)
        return [
            struct.pack("384f", *(byte / 255 - 0.5 for byte in hashlib.shake_128(t.encode()).digest(384)))
            for t in texts
        ]


@asynccontextmanager
async def served(settings: Settings, embedder: Hashing) -> AsyncIterator[httpx.AsyncClient]:
    app = create(settings, embedder=embedder)  # type: ignore[arg-type]
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        await finished(client, app)
        yield client


async def finished(client: httpx.AsyncClient, app: Any) -> None:
    async def idle() -> bool:
        async with app.state.services.db.read() as conn:
            waiting = await store.jobs.indexing(conn)
        return not waiting and (await client.get("/healthz")).json()["indexing"] == 0

    await until(idle, "the background work is done")


async def library(client: httpx.AsyncClient) -> str:
    ids = [await upload(client, text, name) for name, text in TEXTS.items()]
    created = await client.post("/v1/api/knowledge", json={"name": "House", "document_ids": ids})
    app = client._transport.app  # type: ignore[attr-defined]
    await finished(client, app)
    return str(created.json()["knowledge_base_id"])


async def answers(client: httpx.AsyncClient, knowledge: str) -> list[Any]:
    """What is answered, with its sources, and the passages with their scores."""
    said: list[Any] = []
    for question in QUESTIONS:
        asking = {"messages": [{"sender": "user", "message": question}]}
        answer = await client.post(f"/v1/api/knowledge/{knowledge}/chat?cite_source=true", json=asking)
        passages = await client.post("/v1/api/retrieve", json={"query": question, "knowledge_base_id": knowledge})
        said += [answer.json()["answer"], answer.json()["sources"], passages.json()["results"]]
    return said


def run(data: Path, *words: str) -> int:
    return main([*words[:1], "--data", str(data), *words[1:]])


def elsewhere(settings: Settings, name: str) -> Settings:
    return replace(settings, data=settings.data.with_name(name))


async def test_a_backup_made_while_the_server_writes_answers_the_same_when_it_is_restored(
    settings: Settings, tmp_path: Path
) -> None:
    async with served(settings, Hashing()) as client:
        knowledge = await library(client)
        before = await answers(client, knowledge)

        is_made = asyncio.Event()

        async def write() -> None:
            for number in count():
                await upload(client, f"A further text, number {number}.")
                if is_made.is_set():
                    return

        writing = asyncio.create_task(write())
        await asyncio.sleep(0.2)
        assert await asyncio.to_thread(run, settings.data, "backup", str(tmp_path / "backup.sqlite")) == 0
        is_made.set()
        await writing
    assert (tmp_path / "backup.sqlite").stat().st_mode & 0o077 == 0
    other, embedder = elsewhere(settings, "other"), Hashing()
    assert await asyncio.to_thread(run, other.data, "restore", str(tmp_path / "backup.sqlite")) == 0
    async with served(other, embedder) as client:
        assert await answers(client, knowledge) == before
        assert len((await client.get("/v1/api/documents?page_size=100")).json()["documents"]) > 0


async def test_a_restore_keeps_what_was_there_and_waits_for_the_server_to_stop(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backup = str(tmp_path / "backup.sqlite")
    async with served(settings, Hashing()) as client:
        await upload(client, TEXTS["pump.txt"])
        assert await asyncio.to_thread(run, settings.data, "backup", backup) == 0
        assert await asyncio.to_thread(run, settings.data, "backup", backup) == 1
        assert "exists already" in capsys.readouterr().err
        await upload(client, TEXTS["lease.txt"])
        assert await asyncio.to_thread(run, settings.data, "restore", backup) == 1
        assert "stop it" in capsys.readouterr().err
        assert len((await client.get("/v1/api/documents")).json()["documents"]) == 2
    assert await asyncio.to_thread(run, settings.data, "restore", backup) == 0
    async with served(settings, Hashing()) as client:
        assert len((await client.get("/v1/api/documents")).json()["documents"]) == 1
    former = DRIVER.connect(settings.data / "docqa.sqlite.before-restore")
    assert former.execute("SELECT count(*) FROM document").fetchone() == (2,)
    former.close()


async def exported(settings: Settings, target: Path) -> list[Any]:
    async with served(settings, Hashing()) as client:
        knowledge = await library(client)
        assert await asyncio.to_thread(run, settings.data, "export", "House", str(target)) == 0
        return await answers(client, knowledge)


async def test_an_exported_knowledge_base_answers_the_same_elsewhere_without_being_embedded_again(
    settings: Settings, tmp_path: Path
) -> None:
    before = await exported(settings, tmp_path / "house.sqlite")
    conn = DRIVER.connect(tmp_path / "house.sqlite")
    assert conn.execute("SELECT name FROM account").fetchall() == [("exported",)], "whose it was is not told"
    assert conn.execute("SELECT count(*) FROM api_key").fetchone() == (0,)
    conn.close()
    other, embedder = elsewhere(settings, "other"), Hashing()
    async with served(other, embedder) as client:
        gone = await upload(client, "Something that moves all row ids. " * 100)
        await client.delete(f"/v1/api/documents/{gone}")
        await until(lambda: is_erased(client._transport.app), "it is erased")  # type: ignore[attr-defined]
        words = ("import", "--account", "alice", str(tmp_path / "house.sqlite"))
        encoded = embedder.encoded
        assert await asyncio.to_thread(run, other.data, *words) == 0
        [base] = (await client.get("/v1/api/knowledge")).json()["knowledge_bases"]
        assert await answers(client, base["knowledge_base_id"]) == before
        for member in base["document_details"]:
            path = f"/v1/api/documents/{member['doc_id']}"
            assert (await client.get(f"{path}/file")).text == TEXTS[member["name"]]
            assert (await client.get(path)).json()["summary"]
            assert (await client.get(f"{path}/status")).json()["state"] == "ready"
        assert embedder.encoded == encoded, "the vectors came with the file"
        assert await asyncio.to_thread(run, other.data, *words) == 0
        assert (await client.get("/v1/api/documents")).json()["total_pages"] == 1, "the same bytes are not added twice"


async def test_an_import_is_embedded_anew_for_another_model(settings: Settings, tmp_path: Path) -> None:
    await exported(settings, tmp_path / "house.sqlite")
    other, embedder = elsewhere(settings, "other"), Hashing("def")
    async with served(other, embedder) as client:
        await upload(client, "Something of their own.")
        await finished(client, client._transport.app)  # type: ignore[attr-defined]
        assert (
            await asyncio.to_thread(run, other.data, "import", "--account", "alice", str(tmp_path / "house.sqlite"))
            == 0
        )
        client._transport.app.state.services.work.set()  # type: ignore[attr-defined]
        await finished(client, client._transport.app)  # type: ignore[attr-defined]
        assert embedder.encoded > 3


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scrambled(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for place in range(8192, len(data), 4096):
        data[place : place + 64] = b"\xff" * 64
    path.write_bytes(data)


def statement(sql: str) -> Callable[[Path], None]:
    def execute(path: Path) -> None:
        conn = connect(path)
        conn.execute(sql)
        conn.close()

    return execute


@pytest.fixture
def empty(empty_database: Path) -> bytes:
    """A database without documents."""
    return empty_database.read_bytes()


@pytest.mark.parametrize(
    ("command", "damage", "sentence"),
    [
        ("restore", lambda path: path.write_bytes(b"My diary. " * 100), "no SQLite file"),
        ("import", Path.unlink, "cannot be read"),
        ("restore", cut, "damaged"),
        ("import", scrambled, "damaged"),
        ("restore", statement("PRAGMA user_version = 9999"), "newer"),
        ("import", statement("PRAGMA application_id = 5"), "not one of DocQA"),
        ("restore", statement("DROP TABLE original"), "not one of DocQA"),
        ("import", statement("CREATE TRIGGER spy AFTER INSERT ON page BEGIN DELETE FROM document_table; END"), "spy"),
        ("restore", statement("CREATE VIEW mine AS SELECT load_extension('/tmp/evil')"), "mine"),
        ("import", statement("CREATE TABLE stowaway (a)"), "tables are not those"),
        ("restore", statement("ALTER TABLE page ADD COLUMN b TEXT AS (upper(text))"), "tables are not those"),
    ],
)
async def test_a_file_that_is_not_ours_or_not_whole_is_refused_and_nothing_is_replaced(
    command: str, damage: Any, sentence: str, empty: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, file = tmp_path / "data", tmp_path / "given.sqlite"
    data.mkdir()
    for path in (data / "docqa.sqlite", file):
        path.write_bytes(empty)
    damage(file)
    assert await asyncio.to_thread(run, data, command, str(file)) == 1
    assert sentence in capsys.readouterr().err
    assert (data / "docqa.sqlite").read_bytes() == empty
    assert [path.name for path in data.iterdir()] == ["docqa.sqlite"], "nothing half-made is left"


async def test_a_backup_is_not_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = await Database.open(tmp_path / "a.sqlite")
    async with db.write() as conn:
        await store.accounts.account_named(conn, "alice")
    await db.close()
    assert await asyncio.to_thread(run, tmp_path / "data", "import", str(tmp_path / "a.sqlite")) == 1
    assert "restore" in capsys.readouterr().err


async def test_a_backup_is_restored_over_a_database_that_is_too_damaged_to_be_opened(
    empty: bytes, tmp_path: Path
) -> None:
    data, file = tmp_path / "data", tmp_path / "given.sqlite"
    data.mkdir()
    file.write_bytes(empty)
    (data / "docqa.sqlite").write_bytes(b"My diary. " * 1000)
    (data / "docqa.sqlite-wal").write_bytes(b"a log of its own")
    assert await asyncio.to_thread(run, data, "restore", str(file)) == 0
    assert (data / "docqa.sqlite.before-restore").read_bytes().startswith(b"My diary.")
    assert not (data / "docqa.sqlite-wal").exists()
    await (await Database.open(data / "docqa.sqlite")).close()


async def test_tables_that_litestream_adds_do_not_keep_a_backup_from_being_restored(
    settings: Settings, tmp_path: Path
) -> None:
    async with served(settings, Hashing()) as client:
        knowledge = await library(client)
        before = await answers(client, knowledge)
    conn = connect(settings.database)
    conn.execute("CREATE TABLE _litestream_lock (id INTEGER)")
    conn.execute("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
    conn.close()
    assert await asyncio.to_thread(run, settings.data, "backup", str(tmp_path / "backup.sqlite")) == 0
    other = elsewhere(settings, "other")
    assert await asyncio.to_thread(run, other.data, "restore", str(tmp_path / "backup.sqlite")) == 0
    async with served(other, Hashing()) as client:
        assert await answers(client, knowledge) == before


async def test_an_export_of_what_there_is_not_says_what_there_is(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await (await Database.open(settings.database)).close()
    assert await asyncio.to_thread(run, settings.data, "export", "House", str(tmp_path / "a.sqlite")) == 1
    assert "No knowledge base is called House" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.sqlite*")) + list(tmp_path.glob(".*"))
