"""API keys over HTTP: an account lists, makes, names and revokes its own, and sees when each was last used."""

import asyncio
from collections.abc import Callable

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for
from docqa import store
from docqa.api import auth
from docqa.api.app import create
from docqa.api.endpoints import keys
from docqa.settings import Settings
from waiting import until

pytestmark = pytest.mark.anyio


async def made(client: httpx.AsyncClient, name: str = "laptop") -> dict[str, str]:
    response = await client.post("/v1/api/keys", json={"name": name})
    assert response.status_code == 201, response.text
    return dict(response.json())


async def listed(client: httpx.AsyncClient) -> list[dict[str, object]]:
    return list((await client.get("/v1/api/keys")).json())


async def test_a_key_is_shown_once_and_works_until_it_is_revoked(client: httpx.AsyncClient, app: Starlette) -> None:
    new = await made(client)
    assert list(new) == ["key_id", "name", "key"] and new["key"].startswith("dq-")
    async with client_of(app, new["key"]) as laptop:
        assert [key["is_current"] for key in await listed(laptop)] == [True, False]
        known = await listed(client)
        assert [(key["name"], key["is_current"], key["revoked"]) for key in known] == [
            ("laptop", False, None),
            ("test", True, None),
        ]
        assert new["key"] not in str(known), "the key itself is kept nowhere"
        revoked = await client.delete(f"/v1/api/keys/{new['key_id']}")
        assert (revoked.status_code, revoked.json()) == (200, {"message": "API key revoked"})
        assert (await laptop.get("/v1/api/keys")).status_code == 401
    assert [bool(key["revoked"]) for key in await listed(client)] == [True, False]
    assert (await client.delete(f"/v1/api/keys/{new['key_id']}")).status_code == 404, "it is revoked already"


async def test_a_key_has_a_name_that_can_be_changed(client: httpx.AsyncClient) -> None:
    new = await made(client, "laptop")
    assert (await client.put(f"/v1/api/keys/{new['key_id']}", json={"name": "Büro"})).status_code == 200
    assert [key["name"] for key in await listed(client)] == ["Büro", "test"]
    for name in ("", " ", "x" * 256, 5):
        assert (await client.post("/v1/api/keys", json={"name": name})).status_code == 422
        assert (await client.put(f"/v1/api/keys/{new['key_id']}", json={"name": name})).status_code == 422
    assert (await client.put("/v1/api/keys/0000000000000000", json={"name": "x"})).status_code == 404


async def test_a_key_revokes_itself_only_if_it_says_so(client: httpx.AsyncClient) -> None:
    [own] = await listed(client)
    refused = await client.delete(f"/v1/api/keys/{own['key_id']}")
    assert refused.status_code == 422
    [fault] = refused.json()["detail"]
    assert fault["loc"] == ["path", "key_id"] and "itself=true" in fault["msg"]
    assert (await client.delete(f"/v1/api/keys/{own['key_id']}?itself=true")).status_code == 200
    assert (await client.get("/v1/api/keys")).status_code == 401


async def test_another_accounts_keys_do_not_exist(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    new = await made(client)
    assert [key["name"] for key in await listed(stranger)] == ["test"]
    path = f"/v1/api/keys/{new['key_id']}"
    for response in (
        await stranger.delete(path),
        await stranger.put(path, json={"name": "mine"}),
        await stranger.delete("/v1/api/keys/unknown"),
    ):
        assert (response.status_code, response.json()) == (404, {"detail": "API key not found"})
    assert [key["name"] for key in await listed(client)] == ["laptop", "test"]


async def test_an_account_has_so_many_valid_keys(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "MOST", 2)
    new = await made(client)
    refused = await client.post("/v1/api/keys", json={"name": "phone"})
    assert refused.status_code == 413 and "2 valid API keys" in refused.json()["detail"]
    await client.delete(f"/v1/api/keys/{new['key_id']}")
    await made(client, "phone")


async def test_when_a_key_was_last_used_is_stored_by_no_request_and_at_most_once_a_minute(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[int] = []
    note: Callable[..., object] = store.accounts.note_uses

    async def counted(conn: object, uses: dict[bytes, str]) -> None:
        writes.append(len(uses))
        await note(conn, uses)  # type: ignore[misc]

    monkeypatch.setattr(store.accounts, "note_uses", counted)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        for _ in range(5):
            await client.get("/v1/api/documents")
        assert writes == [] and [key["last_used"] for key in await listed(client)] == [None]
        await app.state.keys.note_uses()
        assert writes == [1], "all of them in one"
        [key] = await listed(client)
        assert str(key["last_used"]).endswith("Z")
        await app.state.keys.note_uses()
        await app.state.keys.note_uses()
        assert writes == [1, 1], "nothing where no key was used"
        await client.get("/v1/api/documents")
    assert writes == [1, 1, 1], "the last uses are stored at the stop"


async def test_uses_are_stored_while_the_server_runs(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "SECONDS", 0.05)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:

        async def seen() -> bool:
            await asyncio.sleep(0.1)
            return (await listed(client))[0]["last_used"] is not None

        await until(seen, "the use of the key is known")
