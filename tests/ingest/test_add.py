"""Files on their way into the database."""

import asyncio
from dataclasses import replace

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for
from docqa.api.app import create
from docqa.errors import Busy, Unreadable
from docqa.ingest import queue
from docqa.ingest.prepared import Prepared
from docqa.settings import Settings
from waiting import until

pytestmark = pytest.mark.anyio


async def test_too_many_waiting_files_are_503(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    let_go = asyncio.Event()

    async def slow(*_: object, **__: object) -> Prepared:
        await let_go.wait()
        raise Unreadable("Read at last.")

    monkeypatch.setattr(queue, "prepare", slow)
    app: Starlette = create(replace(settings, extract_queue=2, extract_parallel=1))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:

        async def post(number: int) -> httpx.Response:
            return await client.post("/v1/api/upload", files={"file": ("a.txt", f"text {number}".encode())})

        waiting = [asyncio.create_task(post(number)) for number in range(3)]
        uploads = app.state.services.lanes.uploads
        await until(lambda: uploads.in_hand.total() == 3, "one file is read and two wait")
        refused = await post(3)
        assert refused.status_code == Busy.status
        assert int(refused.headers["retry-after"]) > 0
        let_go.set()
        assert [response.status_code for response in await asyncio.gather(*waiting)] == [422, 422, 422]


async def test_a_file_is_read_with_the_help_of_those_who_have_nothing_to_read(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go, helpers = asyncio.Event(), list[int]()

    async def slow(*_: object, **options: int) -> Prepared:
        helpers.append(options["helpers"])
        await let_go.wait()
        raise Unreadable("Read at last.")

    monkeypatch.setattr(queue, "prepare", slow)
    app: Starlette = create(replace(settings, extract_parallel=3))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        uploads = []
        for number in range(1, 4):
            file = {"file": ("a.txt", f"text {number}".encode())}
            uploads.append(asyncio.create_task(client.post("/v1/api/upload", files=file)))
            await until(lambda number=number: len(helpers) == number, "the file is read")
        let_go.set()
        await asyncio.gather(*uploads)
    assert helpers == [2, 1, 0]
