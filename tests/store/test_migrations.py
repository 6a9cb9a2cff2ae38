"""Every schema that ever was: the released files stay as they are, and each early database becomes today's."""

import hashlib
import lzma
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import FILES, client_of, key_for
from docqa.api.app import create
from docqa.settings import Settings
from docqa.store.database import DRIVER, MIGRATIONS, Database, connect, migrations

pytestmark = pytest.mark.anyio

# SHA-256 of each file. A new one is added here; a line that is there never changes.
FROZEN = {
    "0001_first.sql": "d801828d1293e2c0def7479689305d64de63a2003f5ebf029e904006567853e8",
    "0002_terms_version.sql": "f5aff999617ef0b00e1bf2823471ef4322e489298238cd07c3961126549bd181",
    "0003_vectors_by_model.sql": "00554d04a1fbff35beed6f638074d5683a2ea9c1a79c902b11c3bc74bc221505",
    "0004_properties.sql": "e94fa239e78ba0c1f3cad6442ae85b36c6778a4ed7b623faeddc07595ee4bbb7",
    "0005_blocks.sql": "02e37f5fbc466c618948419d72c10070cb4198d4a6570ef3b1c84038fd8bf419",
    "0006_unit_vectors.sql": "39204763766a129d46c2baa570fe26738a7ca693e6e18a98c067da0609b633f8",
    "0007_tables.sql": "1e3445666fa1a72b4a38ac6ed6a5f25dc1c7ad015ce98f6f3773a4026f01ff61",
    "0008_recognition.sql": "4aee48d2564de8516c895e9463e942e680d201eeca237a27d9c7e43d9d626e32",
    "0009_deletion.sql": "119d7473861601f0b2629a5898e089bbd78c1596bde7f468756a9770362e0be6",
    "0010_pieces.sql": "59f7b57e7679acc82e97bf7e8dd40719fde05091a5593c1a78d7f868d51de90d",
    "0011_chats.sql": "96d00387ab4d2ba76ab6804366ffcf3c5c58446822555ac1bd99a870fc4e0c73",
    "0012_key_uses.sql": "be365a2019aecc19043c88fdadf05be70043ca966fb94b56cf8bc6ffc770e621",
    "0013_tags.sql": "c20a649210b33313cabeef482e09d28ace28b766c470f71d5368f0d136c9ec37",
    "0014_shares.sql": "ba9752075e4483cb34e782a6df748f4d4d75fe1ed50f2a815b3324fe6b59666c",
    "0015_questions.sql": "8f2ee88d141aca0f3d5f9c2c0dbab3a86e7bfc237d0784e5f8bde3468a4ffe76",
    "0016_smaller.sql": "06e4f2f1d74a10cbb69f1809bf40020225554108abfc74d0d0a9fb74d297152d",
    "0017_units_in_passing.sql": "8087cfaad734cc996bba50f8d0171e7cc3bbc1d15640ede5bf88b449122d2af1",
    "0018_vectors_beside.sql": "8dba5099453ac941efe3681059548c14d3601179a63abadc75eb19dd3802e556",
    "0019_newest.sql": "55386258fc177fbdfaeb15cd5784898023ad1d8b48bd97abd8eae77dd25e34eb",
    "0020_numbers.sql": "76834b6ece4759f4555e2bb9f05748808f828ebd2aae47a40ef23eb925d4e051",
}
# One database of each schema that ever was, made with that commit's SQL and two small documents of ours.
SCHEMAS = sorted((FILES / "schemas").glob("*.sqlite.xz"))
PASSAGE = (
    "The lease of the warehouse in Bergen ends on 31 March 2027.\n\n"
    "The monthly rent is 12,400 euros, and it is paid on the first working day."
)


def test_no_migration_is_edited_after_it_was_released() -> None:
    files = sorted(MIGRATIONS.glob("*.sql"))
    assert {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files} == FROZEN
    assert [number for number, _ in migrations()] == list(range(1, len(files) + 1))


def columns(path: Path) -> dict[str, set[tuple[Any, ...]]]:
    """(name, type, NOT NULL, place in the primary key) of the columns of each table and view."""
    conn = connect(path)
    tables = conn.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    known = {
        name: {tuple(row[1:4]) + (row[5],) for row in conn.execute(f"PRAGMA table_info({name})")} for (name,) in tables
    }
    conn.close()
    return known


def acting(path: Path) -> set[tuple[str, str]]:
    """The indexes, triggers and views, and what they do."""
    conn = connect(path)
    rows = conn.execute("SELECT name, sql FROM sqlite_master WHERE type IN ('index', 'trigger', 'view') AND sql != ''")
    known = {(name, " ".join(sql.split())) for name, sql in rows}
    conn.close()
    return known


def unpacked(packed: Path, folder: Path) -> Path:
    path = folder / "docqa.sqlite"
    folder.mkdir(exist_ok=True)
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    return path


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        yield client


@pytest.mark.parametrize("packed", SCHEMAS, ids=lambda path: path.name.split(".")[0])
async def test_each_schema_that_ever_was_becomes_todays_and_answers_the_same(
    packed: Path, settings: Settings, tmp_path: Path
) -> None:
    path = unpacked(packed, settings.data)
    await (await Database.open(tmp_path / "new.sqlite")).close()
    async with served(settings) as client:
        question = {"query": "How much is the monthly rent of the warehouse?", "doc_ids": ["schema1"], "top_k": 1}
        [result] = (await client.post("/v1/api/retrieve", json=question)).json()["results"]
        assert (result["page_number"], result["source_chunk"]) == (1, PASSAGE)
        original = (await client.get("/v1/api/documents/schema1/file")).content
        messages = [{"sender": "user", "message": "What is the average Rent?"}]
        answer = await client.post("/v1/chat/schema2", json=messages)
        # The first three schemas had no tables: they quoted a CSV, and still do.
        average = "1,125" if packed.name >= "04" else "Hill,1200 Park,1050"
        assert average in answer.json()["answer"]["message"]
        [base] = (await client.get("/v1/api/knowledge")).json()["knowledge_bases"]
        assert [member["name"] for member in base["document_details"]] == ["lease.txt", "rents.csv"]
    assert columns(path) == columns(tmp_path / "new.sqlite")
    assert acting(path) == acting(tmp_path / "new.sqlite")
    conn = DRIVER.connect(path)
    assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
    assert conn.execute("PRAGMA user_version").fetchone() == (migrations()[-1][0],)
    assert conn.execute("SELECT sha256 FROM document WHERE id = 1").fetchone() == (hashlib.sha256(original).digest(),)
    assert conn.execute("PRAGMA auto_vacuum").fetchone() == (2,), "the space of deleted documents is given back"
    conn.close()


async def test_a_file_that_was_one_value_comes_back_whole_from_its_pieces(settings: Settings) -> None:
    path, data = unpacked(SCHEMAS[0], settings.data), random.Random(7).randbytes(9_000_000)
    conn = DRIVER.connect(path)
    conn.execute("UPDATE original SET bytes = ? WHERE document = 1", (data,))
    conn.commit()
    conn.close()
    async with served(settings) as client:
        assert (await client.get("/v1/api/documents/schema1/file")).content == data


def test_there_is_a_database_of_every_schema_before_todays(tmp_path: Path) -> None:
    versions = set()
    for packed in SCHEMAS:
        conn = DRIVER.connect(unpacked(packed, tmp_path))
        versions.add(conn.execute("PRAGMA user_version").fetchone()[0])
        conn.close()
    assert versions >= set(range(1, migrations()[-1][0])) - {4}, (
        "no schema 4 was ever alone: CONTRIBUTING says how to make one"
    )
