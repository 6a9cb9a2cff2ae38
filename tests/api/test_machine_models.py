"""Models of the machine over HTTP: pulled from a hub with progress, cancelled, gone on with, removed, tried; and by
whom."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for
from docqa.api.app import create
from docqa.api.auth import DEFAULT_ACCOUNT
from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.models.chat.local import available
from docqa.settings import Settings
from hub import Hub

pytestmark = pytest.mark.anyio

CATALOG = """
[[model]]
name = "Large"
kind = "gguf"
licence = "MIT"
languages = ["en", "de"]
size_mb = 30
optional = true
[model.hub]
repository = "somebody/large"
revision = "main"
pattern = "*.gguf"

[[model]]
name = "finder"
kind = "embedding"
licence = "MIT"
languages = []
folder = "finder"
size_mb = 1
[model.hub]
repository = "somebody/finder"
revision = "main"
"""
WEIGHTS = os.urandom(30_000_000)  # a hub's client writes 10 MB at a time
PATH = "/v1/api/machine/models"
FINDER = {
    "modules.json": b'[{"path": ""}]',
    "config.json": b'{"hidden_size": 4}',
    "model.safetensors": b"vectors",
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "catalog.toml").write_text(CATALOG)
    return Settings(data=tmp_path / "data", models=tmp_path / "models", embedder="auto")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub")
    with Hub({"somebody/large": {"large-Q4.gguf": WEIGHTS}, "somebody/finder": dict(FINDER)}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        yield hub


@pytest.fixture
async def owner(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the account of the first key."""
    async with client_of(app, await key_for(app, DEFAULT_ACCOUNT)) as client:
        yield client


async def model(client: httpx.AsyncClient, name: str = "Large") -> dict[str, Any]:
    listed = (await client.get(PATH)).json()["models"]
    return next(dict(entry) for entry in listed if entry["name"] == name)


async def until(client: httpx.AsyncClient, key: str, *values: object, name: str = "Large") -> dict[str, Any]:
    """The model, as soon as this field of it, or of its download, has one of these values."""
    for _ in range(600):
        entry = await model(client, name)
        if (entry | (entry["download"] or {})).get(key) in values:
            return entry
        await asyncio.sleep(0.05)
    raise AssertionError(f"{key} is not among {values}: {entry}")


async def test_a_pulled_model_can_be_named_without_a_restart_and_is_gone_when_it_is_removed(
    owner: httpx.AsyncClient, hub: Hub, settings: Settings
) -> None:
    before = await model(owner)
    assert (before["present"], before["use"], before["model_name"], before["download"]) == (
        False,
        "answers",
        "LARGE",
        None,
    )
    begun = await owner.post(f"{PATH}/large/download")
    assert (begun.status_code, begun.json()) == (202, {"message": "Large is being downloaded"})
    done = await until(owner, "present", True)
    assert (done["download"], done["size"]) == (None, len(WEIGHTS))
    assert Catalog.load(settings.models).verify(Catalog.load(settings.models).find("Large")) == []
    names = [entry["name"] for entry in (await owner.get("/v1/api/models")).json()]
    assert ("LARGE" in names) == available()
    again = await owner.post(f"{PATH}/Large/download")
    assert (again.status_code, again.json()["detail"]) == (409, "Large is already here.")
    assert (await owner.delete(f"{PATH}/Large")).json() == {"message": "Large is removed"}
    assert not (await model(owner))["present"] and not list(settings.models.glob("*.gguf"))
    assert "LARGE" not in [entry["name"] for entry in (await owner.get("/v1/api/models")).json()]
    missing = await owner.delete(f"{PATH}/Large")
    assert (missing.status_code, missing.json()["detail"]) == (404, "Large is not present.")


async def test_a_download_tells_how_far_it_is_is_cancelled_and_gone_on_with(
    owner: httpx.AsyncClient, hub: Hub, settings: Settings
) -> None:
    hub.held_after["large-Q4.gguf"] = 12_000_000
    assert (await owner.post(f"{PATH}/Large/download")).status_code == 202
    halfway = await until(owner, "percent", *range(30, 41))
    assert halfway["download"]["state"] == "running"
    assert halfway["download"]["message"] == "Downloading the model Large, 30 MB, from somebody/large."
    second = await owner.post(f"{PATH}/Large/download")
    assert (second.status_code, second.json()["detail"]) == (409, "Large is already being downloaded.")
    removal = await owner.delete(f"{PATH}/Large")
    assert (removal.status_code, removal.json()["detail"]) == (409, "Large is being downloaded: cancel that first.")
    assert (await owner.delete(f"{PATH}/Large/download")).status_code == 200
    assert (await model(owner))["download"] is None and not (await model(owner))["present"]
    assert (await owner.delete(f"{PATH}/Large/download")).status_code == 404
    hub.held_after["large-Q4.gguf"] = 23_000_000
    assert (await owner.post(f"{PATH}/Large/download")).status_code == 202
    await until(owner, "percent", *range(65, 76))
    hub.go_on.set()
    await until(owner, "present", True)
    begun_at = hub.requested["large-Q4.gguf"]
    assert begun_at[0] == 0 and 0 < begun_at[-1] <= 12_000_000, "what had arrived is not downloaded again"


async def test_a_download_that_fails_says_why_until_it_is_dismissed(owner: httpx.AsyncClient, hub: Hub) -> None:
    hub.sent_instead["large-Q4.gguf"] = WEIGHTS[::-1]
    assert (await owner.post(f"{PATH}/Large/download")).status_code == 202
    failed = await until(owner, "state", "failed")
    assert "large-Q4.gguf arrived with other content than the hub lists" in failed["download"]["message"]
    assert (await owner.delete(f"{PATH}/Large/download")).status_code == 200
    assert (await model(owner))["download"] is None


async def test_a_download_ends_with_the_server(settings: Settings, hub: Hub) -> None:
    hub.held_after["large-Q4.gguf"] = 12_000_000
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, DEFAULT_ACCOUNT)) as owner:
        assert (await owner.post(f"{PATH}/Large/download")).status_code == 202
        await until(owner, "percent", *range(30, 41))
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [command for command in commands if b"docqa.setup.pull_child\0Large" in command]


async def test_the_model_that_is_searched_with_is_not_removed(owner: httpx.AsyncClient, hub: Hub) -> None:
    assert (await owner.post(f"{PATH}/finder/download")).status_code == 202
    here = await until(owner, "present", True, name="finder")
    assert here["at_next_start"] or here["state"] == "stopped", "a server that lacked one takes it at once"
    refused = await owner.delete(f"{PATH}/finder")
    assert refused.status_code == 409
    assert refused.json()["detail"].startswith("finder is the model that the server searches with")
    tried = await owner.post(f"{PATH}/finder/test")
    assert (tried.status_code, tried.json()["detail"]) == (409, "finder answers no questions: it is for search.")


async def test_offline_nothing_is_downloaded(settings: Settings, hub: Hub) -> None:
    app = create(replace(settings, offline=True))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, DEFAULT_ACCOUNT)) as owner:
        refused = await owner.post(f"{PATH}/Large/download")
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "Large is missing, and DOCQA_OFFLINE forbids downloading it.",
    )
    assert not hub.revisions


async def test_a_name_of_no_model_is_not_found(owner: httpx.AsyncClient) -> None:
    for method, path in (("POST", "/download"), ("DELETE", "/download"), ("DELETE", ""), ("POST", "/test")):
        answer = await owner.request(method, f"{PATH}/huge{path}")
        assert answer.status_code == 404, path
        assert answer.json()["detail"].startswith("There is no model huge")


async def test_a_catalogue_that_was_damaged_meanwhile_is_named(owner: httpx.AsyncClient, settings: Settings) -> None:
    (settings.models / "catalog.toml").write_text("[[model]]\nname = 'x'\n")
    for method, path in (("GET", ""), ("POST", "/x/download")):
        answer = await owner.request(method, PATH + path)
        assert answer.status_code == 503
        assert answer.json()["detail"].endswith("catalog.toml: model 1 (x): kind must be a string")


async def test_other_accounts_see_the_models_and_change_nothing(
    client: httpx.AsyncClient, owner: httpx.AsyncClient, hub: Hub, settings: Settings
) -> None:
    (settings.models / "own.gguf").write_bytes(b"GGUF")
    seen, mine = (await client.get(PATH)).json(), (await owner.get(PATH)).json()
    assert (seen.pop("may_change"), mine.pop("may_change")) == (False, True)
    assert seen == mine
    for method, path in (
        ("POST", "/Large/download"),
        ("DELETE", "/Large/download"),
        ("DELETE", "/own"),
        ("POST", "/own/test"),
    ):
        refused = await client.request(method, PATH + path)
        assert refused.status_code == 403, path
        assert "only keys of the account `default`" in refused.json()["detail"]
    assert (settings.models / "own.gguf").exists() and not hub.revisions


async def test_a_model_is_tried_with_a_real_question(tmp_path: Path) -> None:
    entry = Catalog.load(SHIPPED.parent).find("SmolLM2-135M-Instruct")
    if not (available() and Catalog.load(SHIPPED.parent).present(entry)):
        pytest.skip("needs llama-cpp-python and SmolLM2")
    shutil.copy(SHIPPED, tmp_path)
    (tmp_path / entry.files[0].path).symlink_to(SHIPPED.parent / entry.files[0].path)
    app = create(Settings(data=tmp_path / "data", models=tmp_path, embedder="none"))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, DEFAULT_ACCOUNT)) as owner:
        said = await owner.post(f"{PATH}/{entry.name}/test", timeout=60)
        assert said.status_code == 200, said.text
        result = said.json()
        assert result["question"] and result["answer"]
        assert result["tokens_per_second"] > 0 and 0 < result["first_seconds"] <= result["seconds"]
        assert (await model(owner, entry.name))["state"] == "ready"
        assert (await owner.delete(f"{PATH}/{entry.name}")).status_code == 200
        assert not (await model(owner, entry.name))["present"]
