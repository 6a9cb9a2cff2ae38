"""Deleted documents: gone at once for every reader, erased in the background, also after a kill and on a full disk."""

import asyncio
import time
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from docqa import store
from docqa.api.app import create
from docqa.ingest import erasure
from docqa.settings import Settings
from docqa.store.ballast import SIZE
from docqa.store.database import DRIVER
from waiting import until

pytestmark = pytest.mark.anyio

WORD = "Xylophonquartett"


def book(paragraphs: int) -> str:
    """A text that is about as many chunks."""
    return "\n\n".join(
        f"Paragraph {n} is about the {WORD}. " + f"It goes on for number {n}. " * 40 for n in range(paragraphs)
    )


def holding(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if WORD[1:].encode() in path.read_bytes()]


async def test_a_large_document_is_gone_at_once_and_its_space_is_given_back(
    client: httpx.AsyncClient, app: Starlette
) -> None:
    folder: Path = app.state.services.settings.data
    file = folder / "docqa.sqlite"
    kept = await upload(client, "The pump stands in the cellar.")
    doc_id = await upload(client, book(400))
    base = {"name": "All", "document_ids": [kept, doc_id]}
    knowledge = (await client.post("/v1/api/knowledge", json=base)).json()["knowledge_base_id"]
    await app.state.services.db.forget()
    large = file.stat().st_size
    started = time.monotonic()
    assert (await client.delete(f"/v1/api/documents/{doc_id}")).status_code == 200
    assert time.monotonic() - started < 1
    question = [{"sender": "user", "message": "What is the Xylophonquartett?"}]
    for path in ("", "/status", "/file", "/pages/1"):
        assert (await client.get(f"/v1/api/documents/{doc_id}{path}")).status_code == 404
    assert (await client.post(f"/v1/chat/{doc_id}", json=question)).status_code == 404
    passages = await client.post("/v1/api/retrieve", json={"query": WORD, "knowledge_base_id": knowledge})
    assert WORD not in passages.text
    listed = (await client.get("/v1/api/documents")).json()["documents"]
    assert [document["doc_id"] for document in listed] == [kept]
    members = (await client.get(f"/v1/api/knowledge/{knowledge}")).json()["document_details"]
    assert [member["doc_id"] for member in members] == [kept]
    await until(lambda: not holding(folder), "every byte of it is erased", pause=0.1)
    assert file.stat().st_size < large / 2
    async with app.state.services.db.read() as conn:
        [(indexed,)] = await conn.execute_fetchall("SELECT count(*) FROM chunk_fts_docsize")
        assert indexed == 1


async def test_the_same_bytes_can_be_added_again_at_once(client: httpx.AsyncClient) -> None:
    text = book(60)
    doc_id = await upload(client, text)
    await client.delete(f"/v1/api/documents/{doc_id}")
    again = await upload(client, text)
    assert again != doc_id
    assert (await client.get(f"/v1/api/documents/{again}/file")).text == text


async def test_what_a_kill_left_is_erased_by_the_next_start(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def killed(_: object) -> None:
        await asyncio.Event().wait()

    with monkeypatch.context() as patch:
        patch.setattr(erasure, "erase", killed)
        app = create(settings)
        async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
            doc_id = await upload(client, book(40))
            await client.delete(f"/v1/api/documents/{doc_id}")
            async with app.state.services.db.write() as conn:
                assert await store.deletion.erase_some(conn), "a part of it was erased before the kill"
    assert holding(settings.data)
    app = create(settings)
    async with app.router.lifespan_context(app):
        await until(lambda: not holding(settings.data), "every byte of it is erased", pause=0.1)
        async with app.state.services.db.read() as conn:
            assert await store.deletion.count_deleted(conn) == 0


async def test_the_name_of_a_deleted_knowledge_base_is_erased(client: httpx.AsyncClient, app: Starlette) -> None:
    folder: Path = app.state.services.settings.data
    created = await client.post("/v1/api/knowledge", json={"name": WORD, "document_ids": []})
    assert holding(folder)
    await client.delete(f"/v1/api/knowledge/{created.json()['knowledge_base_id']}")
    await until(lambda: not holding(folder), "its name is erased", pause=0.1)


async def test_when_the_file_may_not_grow_uploads_get_507_and_all_else_goes_on(
    client: httpx.AsyncClient, app: Starlette
) -> None:
    doc_id = await upload(client, book(60))
    async with app.state.services.db.write() as conn:
        [(pages,)] = await conn.execute_fetchall("PRAGMA page_count")
        await conn.execute_fetchall(f"PRAGMA max_page_count = {pages}")
    refused = await client.post("/v1/api/upload", files={"file": ("a.txt", b"More of it. " * 30_000)})
    assert refused.status_code == 507
    assert "disk is full" in refused.json()["detail"]
    assert (await client.post("/v1/api/retrieve", json={"query": WORD, "doc_ids": [doc_id]})).status_code == 200
    assert len((await client.get("/v1/api/documents")).json()["documents"]) == 1
    assert (await client.delete(f"/v1/api/documents/{doc_id}")).status_code == 200
    assert (await client.get("/v1/api/documents")).json()["documents"] == []


async def test_an_upload_leaves_room_for_all_else(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docqa.store.database.free_space", lambda _: 60 << 20)
    refused = await client.post("/v1/api/upload", files={"file": ("a.txt", b"A short text.")})
    assert (refused.status_code, "disk is full" in refused.json()["detail"]) == (507, True)


async def test_the_space_that_is_kept_for_a_full_disk_is_released_by_a_deletion(
    client: httpx.AsyncClient, app: Starlette, monkeypatch: pytest.MonkeyPatch
) -> None:
    ballast = app.state.services.settings.data / "ballast"
    doc_id = await upload(client, "A short text.")
    assert ballast.stat().st_size == SIZE
    monkeypatch.setattr("docqa.store.ballast.free_space", lambda _: 4096)
    assert (await client.delete(f"/v1/api/documents/{doc_id}")).status_code == 200
    assert not ballast.exists()
    await until(lambda: not app.state.services.intake.deleted.is_set(), "it is erased")
    monkeypatch.undo()
    await client.delete(
        "/v1/api/knowledge/"
        + (await client.post("/v1/api/knowledge", json={"name": "a", "document_ids": []})).json()["knowledge_base_id"]
    )
    await until(ballast.exists, "it is kept again when there is room")


async def test_a_file_of_an_earlier_version_gives_space_back_from_the_next_start_on(settings: Settings) -> None:
    settings.data.mkdir()
    conn = DRIVER.connect(settings.database)
    conn.execute("PRAGMA auto_vacuum = NONE")
    conn.execute("CREATE TABLE old (a)")
    conn.execute("DROP TABLE old")
    conn.close()
    app = create(settings)
    async with app.router.lifespan_context(app), app.state.services.db.read() as conn:
        assert await store.deletion.gives_back(conn)
