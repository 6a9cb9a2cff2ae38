"""How a request is served under load and at a stop: admitted or refused at once, never a traceback."""

import asyncio
from dataclasses import replace
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from conftest import client_of, key_for, upload
from docqa.api import asking
from docqa.api.app import ENDPOINTS, create
from docqa.api.serving import Interrupted
from docqa.errors import Unauthorized
from docqa.settings import Settings
from docqa.store.database import connect
from waiting import until

pytestmark = pytest.mark.anyio

TEXT = "The rent of the warehouse is 12,400 euros."
QUESTION = [{"sender": "user", "message": "How much is the rent?"}]


async def test_more_questions_than_an_account_may_have_in_hand_are_503_at_once(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = asyncio.Event()
    answer = asking.answer

    async def slow(*arguments: Any) -> Any:
        await let_go.wait()
        return await answer(*arguments)

    monkeypatch.setattr(asking, "answer", slow)
    app = create(replace(settings, chat_parallel=2, chat_queue=1))
    async with (
        app.router.lifespan_context(app),
        client_of(app, await key_for(app, "alice")) as alice,
        client_of(app, await key_for(app, "bob")) as bob,
    ):
        doc_id = await upload(alice, TEXT)
        kept = [asyncio.create_task(alice.post(f"/v1/chat/{doc_id}", json=QUESTION)) for _ in range(3)]
        await until(lambda: app.state.services.lanes.chats.in_hand.total() == 3, "three questions are in hand")
        refused = await alice.post(f"/v1/chat/{doc_id}", json=QUESTION)  # while none of the three gets on
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) > 0
        assert refused.json()["detail"].startswith("3 questions of this account are in hand")
        assert (await alice.post("/v1/api/retrieve", json={})).status_code == 503, "before anything is read"
        assert (await alice.get("/v1/api/documents")).status_code == 200
        other = asyncio.create_task(bob.post(f"/v1/chat/{await upload(bob, TEXT)}", json=QUESTION))
        await until(lambda: app.state.services.lanes.chats.in_hand.total() == 4, "another account is let in")
        let_go.set()
        assert [response.status_code for response in await asyncio.gather(*kept, other)] == [200] * 4
        assert not app.state.services.lanes.requests.in_hand


async def test_an_account_has_only_so_many_requests_in_hand(settings: Settings) -> None:
    app = create(replace(settings, account_requests=1))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        sent = asyncio.Event()

        async def body() -> Any:
            yield b"["
            sent.set()
            await asyncio.sleep(60)

        slow = asyncio.create_task(client.post("/v1/api/knowledge", content=body()))
        await sent.wait()
        await until(lambda: app.state.services.lanes.requests.in_hand.total() == 1, "the slow body is in hand")
        assert (await client.get("/v1/api/documents")).status_code == 503
        slow.cancel()
        await asyncio.gather(slow, return_exceptions=True)
        assert (await client.get("/v1/api/documents")).status_code == 200


async def interrupted(app: Any) -> list[dict[str, Any]]:
    """What a client has got when the server cancels a request to this application."""
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    task = asyncio.ensure_future(Interrupted(app)({"type": "http", "path": "/x"}, None, send))  # type: ignore[arg-type]
    await asyncio.sleep(0.01)
    task.cancel()
    await task
    return sent


async def test_a_stop_answers_what_is_in_hand_with_503() -> None:
    async def waiting(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(60)

    start, body = await interrupted(waiting)
    assert start["status"] == 503
    assert b"being stopped" in body["body"]
    assert dict(start["headers"])[b"retry-after"] == b"10"


async def test_a_stop_breaks_off_an_answer_that_is_being_sent() -> None:
    async def sending(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(60)

    assert [message["type"] for message in await interrupted(sending)] == ["http.response.start"]


@pytest.mark.parametrize("sent", ["text/日本", "text/pl\x01ain"])
async def test_a_file_with_an_impossible_media_type_comes_back(
    client: httpx.AsyncClient, app: Starlette, sent: str
) -> None:
    doc_id = await upload(client, TEXT)
    async with app.state.services.db.write() as conn:  # as an earlier version stored it
        await conn.execute("UPDATE original SET media_type = ?", (sent,))
    response = await client.get(f"/v1/api/documents/{doc_id}/file")
    assert (response.status_code, response.text) == (200, TEXT)
    assert response.headers["content-type"] == "application/octet-stream"


async def test_an_account_keeps_no_more_than_its_quotas(settings: Settings) -> None:
    app = create(replace(settings, account_documents=2, account_mb=1, account_knowledge_bases=1))
    async with (
        app.router.lifespan_context(app),
        client_of(app, await key_for(app, "alice")) as alice,
        client_of(app, await key_for(app, "bob")) as bob,
    ):

        async def add(client: httpx.AsyncClient, text: str) -> httpx.Response:
            return await client.post("/v1/api/upload", files={"file": ("a.txt", text.encode())})

        too_large = await add(alice, "words " * 200_000)
        assert too_large.status_code == 413 and "more than 1 MB" in too_large.json()["detail"]
        both = await asyncio.gather(*(add(alice, f"Text {number} of the account.") for number in range(3)))
        assert sorted(response.status_code for response in both) == [201, 201, 413]
        refused = next(response for response in both if response.status_code == 413)
        assert refused.json() == {"detail": "This account has 2 documents, the most it may keep. Delete some first."}
        kept = next(response.json()["doc_id"] for response in both if response.status_code == 201)
        await alice.delete(f"/v1/api/documents/{kept}")
        assert (await add(alice, "A text in its place.")).status_code == 201
        assert (await add(bob, "Text 0 of another.")).status_code == 201
        body = {"name": "base", "document_ids": []}
        assert [(await alice.post("/v1/api/knowledge", json=body)).status_code for _ in range(2)] == [201, 413]


async def test_of_keys_that_come_together_each_gets_its_own_answer(app: Starlette) -> None:
    alice, bob = await key_for(app, "alice"), await key_for(app, "bob")
    keys = app.state.keys
    results = await asyncio.gather(
        *(keys.account_of(key) for key in [alice, bob, "dq-of-nobody", "", alice] * 20), return_exceptions=True
    )
    accounts = [result for result in results if isinstance(result, int)]
    assert [isinstance(result, Unauthorized) for result in results] == [False, False, True, True, False] * 20
    assert accounts == accounts[:3] * 20 and accounts[0] != accounts[1] and accounts[0] == accounts[2]
    waiting = asyncio.create_task(keys.account_of(alice))
    await asyncio.sleep(0)
    waiting.cancel()
    assert await keys.account_of(bob) == accounts[1], "whoever leaves takes no other's answer away"
    assert await keys.account_of(alice) == accounts[0]


async def test_a_key_that_another_process_revoked_is_refused_with_the_next_request(
    app: Starlette, settings: Settings
) -> None:
    async with client_of(app, await key_for(app, "alice")) as alice:
        for _ in range(3):
            assert (await alice.get("/v1/api/documents")).status_code == 200

        def revoke() -> None:  # beside the loop: a write of the app's own must be able to end
            conn = connect(settings.database)
            conn.execute("PRAGMA busy_timeout = 10000")
            conn.execute("UPDATE api_key SET revoked = '2027-01-01T00:00:00.000Z'")
            conn.close()

        await asyncio.to_thread(revoke)
        assert (await alice.get("/v1/api/documents")).status_code == 401


async def test_what_a_path_can_do_is_told_by_options_and_by_a_405(client: httpx.AsyncClient) -> None:
    paths: dict[str, set[str]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {"OPTIONS"}).update(endpoint.methods)
    for path, methods in paths.items():
        expected = methods | ({"HEAD"} if "GET" in methods else set())
        options = await client.options(path)
        assert (options.status_code, set(options.headers["allow"].split(", "))) == (204, expected), path
        refused = await client.request("TRACE", path)
        assert (refused.status_code, set(refused.headers["allow"].split(", "))) == (405, expected), path
