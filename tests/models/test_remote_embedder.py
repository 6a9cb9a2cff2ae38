"""Vectors by a server that speaks OpenAI's embeddings: a stand-in on loopback, and llama.cpp with a real model."""

import array
import asyncio
import base64
import json
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import client_of, key_for, upload
from docqa.api.app import create
from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.catalog.keys import ProviderKeys
from docqa.catalog.targets import Target
from docqa.errors import CannotStart, Unavailable
from docqa.models.chat.http import HttpClient
from docqa.models.chat.local import available
from docqa.models.cosines import dot
from docqa.models.embedder import Embedder
from docqa.models.remote_embedder import RemoteEmbedders
from docqa.settings import Settings
from stand_ins import NOWHERE, Reply, StandIn, free_port, llama_server, stand_in, status

pytestmark = pytest.mark.anyio

WIDTH = 64
FERRY = "The ferry leaves the harbour every forty minutes, and carries cars."
BREAD = "The dough rises overnight in a cool place, under a cloth."

Embed = Callable[[str], list[float]]


def by_words(text: str, width: int = WIDTH) -> list[float]:
    """A vector in which texts with the same words are alike."""
    vector = [0.1] * width
    for word in text.lower().replace(".", " ").replace(",", " ").split():
        vector[sum(word.encode()) % width] += 1.0
    return vector


def embedding_reply(server: StandIn, embed: Embed = by_words, *, as_text: bool = True) -> Reply:
    """Vectors for the texts of the last request, the last text's first, as servers may send them."""

    async def reply(writer: asyncio.StreamWriter) -> None:
        texts = server.requests[-1].body["input"]
        data = []
        for index, text in enumerate(texts):
            vector = array.array("f", embed(text))
            written: Any = base64.b64encode(vector.tobytes()).decode() if as_text else list(vector)
            data.insert(0, {"object": "embedding", "index": index, "embedding": written})
        await status(200, {"object": "list", "data": data, "model": "m"})(writer)

    return reply


@asynccontextmanager
async def embedding_server(embed: Embed = by_words, *, as_text: bool = True, port: int = 0) -> AsyncIterator[StandIn]:
    async with stand_in(port=port) as server:
        server.replies.append(embedding_reply(server, embed, as_text=as_text))
        yield server


@asynccontextmanager
async def embedders(
    environ: dict[str, str] | None = None, *, offline: bool = False, data: Path = Path("/nonexistent")
) -> AsyncIterator[RemoteEmbedders]:
    http = HttpClient()
    keys = ProviderKeys.read(environ or {}, data)
    yield RemoteEmbedders(Catalog.load(SHIPPED.parent), keys, http, offline, dict)
    await http.close()


def named(server: StandIn, model: str = "m") -> Target:
    return Target.parse(f"compatible:{server.url}#{model}")


@pytest.mark.parametrize("as_text", [True, False])
async def test_vectors_come_in_order_and_of_length_one_in_either_form(as_text: bool) -> None:
    async with embedding_server(as_text=as_text) as server, embedders() as remote:
        embedder = remote.open(named(server))
        assert (embedder.state, embedder.name) == ("stopped", str(named(server)))
        await embedder.load()
        assert (embedder.state, embedder.dimension) == ("ready", WIDTH)
        ferry, bread = await embedder.encode([FERRY, BREAD])
        question = await embedder.encode_question("When does the ferry leave the harbour?")
        assert dot(question, ferry) > dot(question, bread)
        assert all(math.isclose(dot(vector, vector), 1, abs_tol=1e-6) for vector in (ferry, bread, question))
        assert 0 < embedder.unrelated < 1, "how alike unrelated texts are is measured"
        assert server.requests[-1].body == {
            "model": "m",
            "input": ["When does the ferry leave the harbour?"],
            "encoding_format": "base64",
        }


async def test_a_key_travels_in_its_header_and_known_models_get_their_prefixes() -> None:
    async with embedding_server() as server, embedders({"DOCQA_COMPATIBLE_KEY": "sk-1"}) as remote:
        embedder = remote.open(named(server, "Multilingual-E5-Small"))
        await embedder.load()
        await embedder.encode_question("Why?")
        assert server.requests[-1].headers["authorization"] == "Bearer sk-1"
        assert server.requests[-1].body["input"] == ["query: Why?"]
        await embedder.encode(["Because."])
        assert server.requests[-1].body["input"] == ["passage: Because."]
        assert embedder.knows("de") and not embedder.knows("xx"), "its languages are the catalogue's"


async def test_a_server_that_knows_no_base64_is_asked_without() -> None:
    async with embedding_server(as_text=False) as server, embedders() as remote:
        refusal = status(422, {"error": {"message": "encoding_format: extra field", "param": "encoding_format"}})
        server.replies.insert(0, refusal)
        embedder = remote.open(named(server))
        await embedder.load()
        await embedder.encode([FERRY])
        assert ["encoding_format" in request.body for request in server.requests] == [True, False, False, False]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("not JSON", "its answer does not have the form of OpenAI's"),
        ({"data": [{"embedding": "%%%"}]}, "its answer does not have the form of OpenAI's"),
        ({"data": [{"embedding": {"x": 1}}] * 8}, "its answer does not have the form of OpenAI's"),
        ({"data": [{"embedding": [[0.1], [0.2]]}] * 8}, "a vector for each token; start it with pooling"),
        ({"data": [{"index": 0, "embedding": [1.0] * 8}]}, "1 vectors for 8 texts"),
        ({"data": [{"embedding": [0.0] * 8}] * 8}, "a vector of zeros"),
        ({"data": [{"embedding": [1e200] * 8}] * 8}, "a vector of zeros or of what is no number"),
        ({"data": [{"embedding": [0.5] * 9}] * 8}, "vectors of 9 numbers; only multiples of 8"),
    ],
)
async def test_what_is_no_vector_is_named(body: object, sentence: str) -> None:
    async with stand_in(status(200, body)) as server, embedders() as remote:
        embedder = remote.open(named(server))
        with pytest.raises(Unavailable, match=sentence):
            await embedder.load()
        assert embedder.state.startswith("failed: ") and sentence in embedder.state


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (401, r"asks for a key \(status 401\). Put a valid key into DOCQA_COMPATIBLE_KEY or provider-keys.toml"),
        (404, r"was not found \(status 404\). Correct its name or address in DOCQA_EMBEDDER"),
    ],
)
async def test_a_refusal_says_what_to_do(code: int, sentence: str) -> None:
    async with stand_in(status(code)) as server, embedders() as remote:
        with pytest.raises(Unavailable, match=sentence):
            await remote.open(named(server)).load()


async def test_a_server_that_is_busy_is_asked_again() -> None:
    async with embedding_server() as server, embedders() as remote:
        server.replies.insert(0, status(429, Retry_After="0"))
        embedder = remote.open(named(server))
        await embedder.load()
        assert embedder.ready and len(server.requests) == 3


async def test_a_text_that_is_refused_is_to_blame_and_not_the_server() -> None:
    def embed(text: str) -> list[float]:
        return [0.0] * WIDTH if "unspeakable" in text else by_words(text)

    async with embedding_server(embed) as server, embedders() as remote:
        embedder = remote.open(named(server))
        await embedder.load()
        with pytest.raises(Unavailable, match="a vector of zeros"):
            await embedder.encode(["An unspeakable text."])
        assert embedder.ready and len(await embedder.encode([BREAD])) == 1


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that cannot be reached is asked again after one second, not after five."""
    monkeypatch.setattr("docqa.models.chat.http.RETRY_PAUSE", 0.1)
    monkeypatch.setattr("docqa.models.chat.http.RETRY_AFTER", 1)


async def test_a_server_that_is_gone_counts_as_failed_until_it_is_back(soon: None) -> None:
    async with embedders() as remote:
        async with embedding_server() as server:
            embedder, port = remote.open(named(server)), server.port
            await embedder.load()
        with pytest.raises(
            Unavailable, match="cannot be reached. Start its server, or correct its address in DOCQA_EMB"
        ):
            await embedder.encode([FERRY])
        assert not embedder.ready and "cannot be reached" in embedder.state
        async with embedding_server(port=port):
            await back(embedder)
            assert len(await embedder.encode([FERRY])) == 1


async def back(embedder: Embedder) -> None:
    """Load it; for some seconds after a failure no request is sent."""
    for _ in range(100):
        try:
            return await embedder.load()
        except Unavailable:
            await asyncio.sleep(0.1)
    raise AssertionError(embedder.state)


async def test_without_key_or_offline_nothing_is_sent(settings: Settings) -> None:
    far = replace(settings, embedder=f"compatible:http://{NOWHERE}/v1#m", offline=True)
    billed = replace(settings, embedder="openai:text-embedding-3-small")
    for given, why in ((far, "DOCQA_OFFLINE is on"), (billed, "no key is given (DOCQA_OPENAI_KEY)")):
        app = create(given)
        async with app.router.lifespan_context(app), client_of(app) as client:
            health = (await client.get("/healthz")).json()
        assert health["embedding"] == "none: full-text search only"
        sentence = f"The embedding model {given.embedder} is not asked, because {why}: full-text search only."
        assert sentence in health["notes"]


@pytest.mark.parametrize(
    ("embedder", "word"), [("openai:", "openai:MODEL"), ("compatible:here#m", "is not an address")]
)
async def test_a_target_that_is_none_keeps_the_server_from_starting(
    settings: Settings, embedder: str, word: str
) -> None:
    app = create(replace(settings, embedder=embedder))
    with pytest.raises(CannotStart, match=word):
        async with app.router.lifespan_context(app):
            pass


# in the service


@asynccontextmanager
async def served(settings: Settings, embedder: str) -> AsyncIterator[tuple[Any, httpx.AsyncClient]]:
    app = create(replace(settings, embedder=embedder))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        yield app, client


async def indexed(client: httpx.AsyncClient, doc_id: str, state: str = "ready") -> dict[str, Any]:
    for _ in range(400):
        status_now = (await client.get(f"/v1/api/documents/{doc_id}/status")).json()
        if status_now["state"] == state:
            return dict(status_now)
        await asyncio.sleep(0.05)
    raise AssertionError(status_now)


async def stored(app: Any) -> tuple[str, int]:
    """Name and width of the vectors that are searched."""
    from docqa import store

    async with app.state.services.db.read() as conn:
        model = await store.vectors.serving_model(conn)
    assert model is not None
    return model.name, model.dimension


async def until_serving(app: Any, name: str, width: int) -> None:
    for _ in range(400):
        encoders = app.state.services.encoders
        if await stored(app) == (name, width) and encoders.serving is encoders.embedder:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(await stored(app))


async def test_another_model_or_another_width_of_vectors_is_made_anew_in_the_background(settings: Settings) -> None:
    widths = {"first": 16, "second": 16}
    async with stand_in() as server:

        async def reply(writer: asyncio.StreamWriter) -> None:
            body = server.requests[-1].body
            vectors = [by_words(text, widths[body["model"]]) for text in body["input"]]
            await status(200, {"data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]})(writer)

        server.replies.append(reply)
        first, second = (str(named(server, model)) for model in ("first", "second"))
        async with served(settings, first) as (app, client):
            ferry = await upload(client, FERRY)
            await indexed(client, ferry)
            assert await stored(app) == (first, 16)
        async with served(settings, second) as (app, client):
            await until_serving(app, second, 16)
        widths["second"] = 24
        async with served(settings, second) as (app, client):
            await until_serving(app, second, 24)
            key = await key_for(app, "alice")
            body = {"query": "ferry harbour", "doc_ids": [ferry]}
            response = await client.post("/v1/api/retrieve", json=body, headers={"x-api-key": key})
            assert FERRY in response.json()["results"][0]["source_chunk"]
        assert {request.body["model"] for request in server.requests} == {"first", "second"}


async def test_documents_wait_for_a_server_that_is_down_and_are_found_by_words_meanwhile(
    settings: Settings, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docqa.ingest.vectors.REMOTE_PAUSE", 0.2)
    port = free_port()
    target = f"compatible:http://127.0.0.1:{port}/v1#m"
    async with served(settings, target) as (_, client):
        doc_id = await upload(client, FERRY)
        answer = await client.post(
            f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": "How often does the ferry leave?"}]
        )
        assert "every forty minutes" in answer.json()["answer"]["message"]
        failed = await indexed(client, doc_id, "failed")
        assert failed["message"].startswith(f"Found by full text only: {target} cannot be reached.")
        async with embedding_server(port=port):
            ready = await indexed(client, doc_id)
            assert ready["chunks_done"] == ready["chunks"] == 1
            assert (await client.get("/healthz")).json()["embedding"] == "ready"


FILE = Catalog.load(SHIPPED.parent).find("SmolLM2-135M-Instruct").files[0].path


@pytest.mark.skipif(not (available() and (SHIPPED.parent / FILE).exists()), reason="needs llama-cpp-python and SmolLM2")
async def test_llama_cpp_makes_vectors_of_a_real_model(settings: Settings, tmp_path: Path) -> None:
    with llama_server(SHIPPED.parent / FILE, tmp_path / "log", embedding=True) as url:
        async with served(settings, f"compatible:{url}#smollm2") as (app, client):
            ferry, bread = await upload(client, FERRY), await upload(client, BREAD, "bread.txt")
            await indexed(client, ferry)
            await indexed(client, bread)
            assert await stored(app) == (f"compatible:{url}#smollm2", 576)
            embedder = app.state.services.encoders.embedder
            ship, boat, dough = await embedder.encode(["A ship sails.", "A boat sails away.", BREAD])
            assert dot(ship, boat) > dot(ship, dough)
            assert json.dumps((await client.get("/healthz")).json()["embedding"]) == '"ready"'
