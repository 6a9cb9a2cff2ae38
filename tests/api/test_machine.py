"""The machine over HTTP: providers and whether they answer, text recognition, the disk, what `doctor` finds."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from docqa.api.app import create
from docqa.api.auth import DEFAULT_ACCOUNT
from docqa.formats.pictures.data import files
from docqa.settings import Settings
from stand_ins import NOWHERE, free_port, openai, stand_in, status, stream

pytestmark = pytest.mark.anyio

SECRET = "sk-very-secret"


@pytest.fixture
async def owner(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the account of the first key."""
    async with client_of(app, await key_for(app, DEFAULT_ACCOUNT)) as client:
        yield client


async def asked_of(settings: Settings, models: str, method: str, path: str) -> httpx.Response:
    """What a server with these lines of models.toml answers to the owner."""
    settings.models.mkdir(exist_ok=True)
    (settings.models / "models.toml").write_text(f"[models]\n{models}")
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, DEFAULT_ACCOUNT)) as owner:
        return await owner.request(method, path, timeout=60)


async def test_providers_are_listed_without_asking_them_and_without_their_keys(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCQA_OPENAI_KEY", SECRET)
    async with stand_in(stream(*openai("Paris"))) as server:
        near = f"compatible:{server.url}#tiny"
        lines = f'A = ["{near}", "quotes"]\nB = ["{near}", "anthropic:claude-x", "openai:gpt-5.2"]'
        response = await asked_of(settings, lines, "GET", "/v1/api/machine/providers")
        assert server.requests == []
    assert SECRET not in response.text
    listed = response.json()
    assert {key["provider"]: key["is_set"] for key in listed["keys"]} == {
        "openai": True,
        "anthropic": False,
        "google": False,
        "compatible": False,
    }
    assert listed["keys"][0]["variable"] == "DOCQA_OPENAI_KEY"
    assert listed["targets"] == [
        {"target": near, "names": ["A", "B"], "leaves_machine": False, "obstacle": ""},
        {
            "target": "anthropic:claude-x",
            "names": ["B"],
            "leaves_machine": True,
            "obstacle": "no key is given (DOCQA_ANTHROPIC_KEY)",
        },
        {"target": "openai:gpt-5.2", "names": ["B"], "leaves_machine": True, "obstacle": ""},
    ]


async def test_each_target_is_asked_a_question_when_somebody_wants_to_know(settings: Settings) -> None:
    settings = replace(settings, offline=True)  # servers on this machine remain allowed
    async with stand_in(stream(*openai("Pa", "ris"))) as good, stand_in(status(401, {"error": "no"})) as wrong:
        lines = (
            f'A = ["compatible:{good.url}#tiny", "compatible:{wrong.url}#tiny"]\n'
            f'B = ["compatible:http://127.0.0.1:{free_port()}/v1#gone", "compatible:http://{NOWHERE}/v1#far"]'
        )
        response = await asked_of(settings, lines, "POST", "/v1/api/machine/providers/test")
        assert [request.body["messages"][0]["content"] for request in good.requests] == [
            "What is the capital of France? Answer with one word."
        ]
    answering, refusing, gone, far = response.json()
    assert (answering["works"], answering["message"]) == (True, "Paris") and answering["seconds"] >= 0
    assert not refusing["works"] and "asks for a key (status 401)" in refusing["message"]
    assert not gone["works"] and "cannot be reached. Start its server" in gone["message"]
    assert not far["works"] and far["message"] == "Not asked: DOCQA_OFFLINE is on."


async def test_a_server_that_makes_vectors_is_among_the_targets(settings: Settings) -> None:
    async with stand_in(status(200, {"data": [{"embedding": [0.5] * 8}] * 8})) as server:
        settings = replace(settings, embedder=f"compatible:{server.url}#m")
        listed = (await asked_of(settings, "", "GET", "/v1/api/machine/providers")).json()["targets"]
        assert listed == [{"target": settings.embedder, "names": [], "leaves_machine": False, "obstacle": ""}]
        [said] = (await asked_of(settings, "", "POST", "/v1/api/machine/providers/test")).json()
        assert (said["works"], said["message"]) == (True, "vectors of 8 numbers")
        findings = (await asked_of(settings, "", "POST", "/v1/api/machine/doctor")).json()
        assert {finding["what"]: finding["state"] for finding in findings}["embedding model"] == (
            f"{settings.embedder}, of a server"
        )


async def test_the_languages_of_recognition_are_those_that_are_here(owner: httpx.AsyncClient) -> None:
    recognition = (await owner.get("/v1/api/machine/recognition")).json()
    assert {entry["code"] for entry in recognition["here"]} == set(files())
    assert not {entry["code"] for entry in recognition["available"]} & set(files())
    names = {entry["name"]: entry for entry in recognition["available"] + recognition["here"]}
    assert (names["German"]["iso"], names["German"]["code"]) == ("de", "deu") and names["German"]["size"] > 0
    assert recognition["command"] == "python run.py ocr add"


async def test_storage_is_counted_by_account_and_for_the_machine(
    settings: Settings, owner: httpx.AsyncClient, client: httpx.AsyncClient
) -> None:
    text = "The ferry leaves the harbour every forty minutes. " * 4000
    await upload(client, text)
    await upload(owner, "A short text.", "short.txt")
    mine, theirs = (await owner.get("/v1/api/storage")).json(), (await client.get("/v1/api/storage")).json()
    assert (mine["documents"], mine["bytes"]) == (1, len("A short text.")), "an account counts its own alone"
    assert (theirs["documents"], theirs["bytes"], theirs["most_documents"]) == (1, len(text), 0)
    disk = (await owner.get("/v1/api/machine/storage")).json()
    assert disk["originals"] == len(text) + len("A short text.")
    assert disk["indexes"] > len(text), "the text itself is among what is made of the file"
    assert disk["originals"] + disk["indexes"] + disk["unused"] == disk["database"]
    assert disk["database"] >= settings.database.stat().st_size and disk["free"] > 0


async def test_quotas_are_told(settings: Settings) -> None:
    app = create(replace(settings, account_documents=3, account_mb=5, account_knowledge_bases=2))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        told_of = (await client.get("/v1/api/storage")).json()
    assert [told_of[f"most_{what}"] for what in ("documents", "bytes", "knowledge_bases")] == [3, 5 << 20, 2]


async def test_doctor_tells_the_page_what_it_tells_a_terminal(settings: Settings, owner: httpx.AsyncClient) -> None:
    (settings.data / "import-broken").mkdir()
    response = await owner.post("/v1/api/machine/doctor", timeout=120)
    assert response.status_code == 200, response.text
    findings = {finding["what"]: finding for finding in response.json()}
    assert findings["embedding model"]["state"] == "none, as configured: search is by words only"
    assert str(settings.data / "import-broken") in findings["left over"]["state"]
    assert "doctor --repair" in findings["left over"]["remedy"]
    assert (settings.data / "import-broken").exists(), "a look mends nothing"
    assert findings["database"]["state"].startswith("whole, ")


async def test_doctor_that_cannot_look_says_so(settings: Settings, owner: httpx.AsyncClient, tmp_path: Path) -> None:
    settings.models.mkdir()
    (settings.models / "catalog.toml").write_text("[[model]]\nname = 'x'\n")
    response = await owner.post("/v1/api/machine/doctor", timeout=120)
    assert response.status_code == 503
    assert "catalog.toml: model 1 (x): kind must be a string" in response.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "storage"),
        ("GET", "providers"),
        ("POST", "providers/test"),
        ("GET", "recognition"),
        ("POST", "doctor"),
    ],
)
async def test_the_machine_is_shown_to_the_account_of_the_first_key_alone(
    client: httpx.AsyncClient, method: str, path: str
) -> None:
    refused = await client.request(method, f"/v1/api/machine/{path}")
    assert refused.status_code == 403
    assert "only keys of the account `default`" in refused.json()["detail"]
