"""Real database files are broken; `doctor` finds it, `doctor --repair` mends it, and what was found before is found again."""

import asyncio
import shutil
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import client_of, key_for, upload
from docqa import store
from docqa.api.app import create
from docqa.settings import Settings
from docqa.setup.data import data_findings
from docqa.store.database import connect
from docqa.store.pragmas import PAGE_SIZE
from tests.ingest.test_background import Moody
from waiting import until

pytestmark = pytest.mark.anyio

PUMP = "The pump stands in the cellar. It was repaired by Aqua Nord in 2019."
LEASE = "The lease of the warehouse in Bergen ends on 31 March 2027."


class Steady(Moody):
    """An embedder with one vector for everything."""

    async def encode(self, texts: Sequence[str], *, urgent: bool = False) -> list[bytes]:
        return [struct.pack("384f", *([0.05] * 384)) for _ in texts]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a server with two documents and their vectors, stopped."""
    data = tmp_path_factory.mktemp("whole") / "data"

    async def fill() -> None:
        app = create(Settings(data=data, embedder="none", models=data / "none"), embedder=Steady(0))  # type: ignore[arg-type]
        async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
            for text in (PUMP, LEASE):
                await upload(client, text)

            async def idle() -> bool:
                async with app.state.services.db.read() as conn:
                    return not await store.jobs.indexing(conn)

            await until(idle, "the background work is done")

    asyncio.run(fill())
    return data


@pytest.fixture
def settings(whole: Path, tmp_path: Path) -> Settings:
    shutil.copytree(whole, tmp_path / "data", copy_function=shutil.copy2)
    (tmp_path / "data").chmod(0o700)
    return Settings(data=tmp_path / "data", embedder="none", models=tmp_path / "no-models")


def broken(settings: Settings, *statements: str) -> None:
    conn = connect(settings.database)
    for sql in statements:
        conn.execute(sql)
    conn.close()


def report(settings: Settings, repair: bool = False) -> str:
    return "\n".join(map(str, data_findings(settings, repair)))


async def search(settings: Settings) -> tuple[list[str], list[str]]:
    """(the passages found for a question, the notes of the server)."""
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        ids = [document["doc_id"] for document in (await client.get("/v1/api/documents")).json()["documents"]]
        body = {"query": "Who repaired the pump?", "doc_ids": ids, "top_k": 1}
        passages = (await client.post("/v1/api/retrieve", json=body)).json()["results"]
        notes = (await client.get("/healthz")).json()["notes"]
    return [passage["source_chunk"] for passage in passages], notes


def test_a_whole_database_is_said_to_be_whole(settings: Settings) -> None:
    assert report(settings).startswith("ok   database: whole")


@pytest.mark.parametrize(
    ("statements", "sentence"),
    [
        (["INSERT INTO chunk_fts (chunk_fts) VALUES ('delete-all')"], "lacks 2 of 2 passages"),
        (["DELETE FROM chunk_fts_data WHERE id > 10"], "full-text index"),
        (["DROP TABLE chunk_fts_data"], "full-text index"),
        (["DROP TABLE chunk_fts_docsize"], "full-text index"),
        (["DELETE FROM chunk_fts_config WHERE k = 'secure-delete'"], "keep words of deleted documents"),
        (["INSERT INTO chunk_fts (rowid, terms) VALUES (99, 'ghost')"], "holds 1 passages that there are not"),
        (
            ["DROP TRIGGER chunk_terms_changed", "UPDATE stored_chunk SET terms = 'pump repaired nothing'"],
            "does not fit",
        ),
        (["DROP TRIGGER chunk_inserted"], "missing: chunk_inserted"),
        (["DROP INDEX chunk_document", "DROP VIEW document"], "missing: chunk_document, document"),
        (["DELETE FROM chunk_vec"], "index of vectors lacks 2 of 2"),
        (["DROP TABLE chunk_vec_rowids"], "index of vectors"),
        (["INSERT INTO chunk_vec (rowid, embedding, document) VALUES (9, vec_bit(zeroblob(48)), 1)"], "holds 1 that"),
        (
            ["UPDATE embedding_0 SET vector = CAST(x'0000807f' || zeroblob(1532) AS BLOB) WHERE chunk = 1"],
            "1 vectors are no numbers",
        ),
        (
            ["UPDATE embedding_0 SET vector = CAST(x'0000c07f' || zeroblob(1532) AS BLOB)"],
            "2 vectors are no numbers",
        ),
        (["UPDATE embedding_0 SET vector = x'00ff' WHERE chunk = 2"], "1 vectors are no numbers"),
        (["UPDATE embedding_0 SET vector = zeroblob(384) WHERE chunk = 2"], "1 vectors are no numbers"),
        (
            ["DELETE FROM chunk_vec WHERE rowid = 1", "DELETE FROM embedding_0 WHERE chunk = 1"],
            "1 passages have no vector",
        ),
        (["PRAGMA foreign_keys = 0", "DELETE FROM any_document WHERE name = 'no' OR id = 2"], "belong to nothing"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
async def test_what_is_wrong_is_found_and_mended(statements: list[str], sentence: str, settings: Settings) -> None:
    broken(settings, *statements)
    said = report(settings)
    assert sentence in said
    assert "doctor --repair" in said
    mended = report(settings, repair=True)
    assert "mended:" in mended
    assert report(settings).startswith("ok   database: whole")
    passages, notes = await search(settings)
    assert passages == [PUMP]
    assert not any("--repair" in note for note in notes)


async def test_the_server_says_that_its_index_is_empty(settings: Settings) -> None:
    broken(settings, "INSERT INTO chunk_fts (chunk_fts) VALUES ('delete-all')")
    _, notes = await search(settings)
    assert any("lacks 2 of 2 passages" in note and "--repair" in note for note in notes)


def test_damaged_pages_are_reported_with_what_a_backup_brings_back(settings: Settings) -> None:
    conn = connect(settings.database)
    [root] = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'original_piece'").fetchone()
    conn.close()
    with settings.database.open("r+b") as file:
        file.seek((root - 1) * PAGE_SIZE + 100)
        file.write(b"\xff" * (PAGE_SIZE - 196))
    said = report(settings, repair=True)
    assert "MISS database: Pages of the file are damaged" in said
    assert "restore FILE" in said
    assert "is lost or changed" in said


def test_a_file_that_is_not_what_was_uploaded_is_named(settings: Settings) -> None:
    broken(settings, "UPDATE original_piece SET bytes = x'00' WHERE document = 1")
    assert "The file of text.txt" in report(settings)


def test_a_file_that_others_may_read_is_found_and_closed(settings: Settings) -> None:
    settings.database.chmod(0o644)
    settings.data.chmod(0o755)
    assert report(settings).count("could be read by others") == 2
    report(settings, repair=True)
    assert settings.database.stat().st_mode & 0o077 == settings.data.stat().st_mode & 0o077 == 0


def test_what_a_killed_copy_left_is_removed(settings: Settings) -> None:
    (settings.data / "docqa.sqlite.part").touch()
    (settings.data / "import-x").mkdir()
    assert report(settings).count("interrupted") == 2
    report(settings, repair=True)
    assert not list(settings.data.glob("*.part")) + list(settings.data.glob("import-*"))


def test_a_file_without_incremental_vacuum_is_made_to_give_space_back(settings: Settings) -> None:
    broken(settings, "PRAGMA journal_mode = DELETE", "PRAGMA auto_vacuum = NONE", "VACUUM")
    assert "not given back" in report(settings)
    report(settings, repair=True)
    assert report(settings).startswith("ok   database: whole")


def test_work_that_waits_is_no_damage(settings: Settings) -> None:
    broken(settings, "UPDATE any_document SET deleted = 1 WHERE id = 1")
    assert "1 deleted documents are still to be erased" in report(settings)


def test_a_database_that_cannot_be_opened_is_reported(settings: Settings) -> None:
    settings.database.write_bytes(b"My diary. " * 1000)
    assert "MISS database" in report(settings, repair=True)
