"""The background work when its helpers fail."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from docqa import ingest, services
from docqa.app import create
from docqa.errors import Busy, ChildDied, Unreadable
from docqa.extract import Extracted
from docqa.settings import Settings

pytestmark = pytest.mark.anyio


class Moody:
    """An embedder that dies in the middle of `deaths` batches."""

    name, sha256, dimension, state = "moody", "abc", 384, "ready"

    def __init__(self, deaths: int) -> None:
        self.deaths = deaths
        self.ready = False

    async def load(self) -> None:
        self.ready = True

    def knows(self, language: str) -> bool:
        return False

    async def encode(self, texts: Sequence[str], *, urgent: bool = False) -> list[bytes]:
        if self.deaths:
            self.deaths -= 1
            raise ChildDied("The embedding process ended in the middle of its work.")
        return [b"\0\0\x80?" + bytes(4 * 383) for _ in texts]

    async def close(self) -> None:
        return


async def status_after(settings: Settings, monkeypatch: pytest.MonkeyPatch, deaths: int) -> dict[str, Any]:
    monkeypatch.setattr(services, "_embedder", lambda *_: Moody(deaths))
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await upload(client, "The rent is 12 euros. " * 300)
        for _ in range(300):
            status: dict[str, Any] = (await client.get(f"/v1/api/documents/{doc_id}/status")).json()
            if status["state"] != "indexing":
                break
            await asyncio.sleep(0.01)
        assert (await client.get(f"/v1/api/documents/{doc_id}")).json()["summary"]
        found = await client.post("/v1/api/retrieve", json={"query": "rent", "doc_ids": [doc_id]})
        assert found.json()["results"], "full text finds it, whatever became of the vectors"
    return status


async def test_a_batch_that_fails_is_tried_again(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    status = await status_after(settings, monkeypatch, 2)
    assert (status["state"], status["chunks_done"]) == ("ready", status["chunks"])


async def test_what_fails_again_and_again_is_said_in_the_status_and_tried_at_the_next_start(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    status = await status_after(settings, monkeypatch, 99)
    assert status["state"] == "failed"
    assert status["message"].startswith("Found by full text only: The embedding process ended")
    monkeypatch.setattr(services, "_embedder", lambda *_: Moody(0))
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        for _ in range(300):
            if (await client.get("/healthz")).json()["indexing"] == 0:
                break
            await asyncio.sleep(0.01)
        status = (await client.get(f"/v1/api/documents/{status['doc_id']}/status")).json()
    assert (status["state"], status["message"]) == ("ready", "")


async def test_too_many_waiting_files_are_503(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    let_go = asyncio.Event()

    async def slow(*_: object, **__: object) -> Extracted:
        await let_go.wait()
        raise Unreadable("Read at last.")

    monkeypatch.setattr(ingest, "extract", slow)
    app: Starlette = create(replace(settings, extract_queue=2, extract_parallel=1))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:

        async def post(number: int) -> httpx.Response:
            return await client.post("/v1/api/upload", files={"file": ("a.txt", f"text {number}".encode())})

        waiting = [asyncio.create_task(post(number)) for number in range(2)]
        while app.state.services.readers_waiting < 2:
            await asyncio.sleep(0.01)
        refused = await post(3)
        assert refused.status_code == Busy.status
        assert int(refused.headers["retry-after"]) > 0
        let_go.set()
        assert [response.status_code for response in await asyncio.gather(*waiting)] == [422, 422]
