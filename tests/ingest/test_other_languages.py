"""Languages that the chosen embedding model does not know: another serves beside it, from the first that needs it on."""

import asyncio
import struct
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from aiosqlite import Connection
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from docqa import store
from docqa.api.app import create
from docqa.errors import Unavailable
from docqa.search import readiness
from docqa.settings import Settings
from docqa.store.documents import StoredDocument
from docqa.store.vector_index import StoredModel
from stand_ins import UnitByUnit
from waiting import until

pytestmark = pytest.mark.anyio

LEASE = "The rent of the boathouse is 310 euros a month. The keys are with the warden. Dogs may stay in the yard."
MIETVERTRAG = (
    "Die Miete für das Bootshaus beträgt 310 Euro im Monat. Die Schlüssel hat der Hausmeister. "
    "Hunde dürfen im Hof bleiben."
)
MEANINGS = (("rent", "miete"), ("keys", "schlüssel"), ("dogs", "hunde", "pets", "haustiere"))


class Model(UnitByUnit):
    """An embedder that knows some languages, and the meanings of some words."""

    dimension, reader = 8, None
    is_remote, rests, failed, idle = False, False, False, 0.0

    def __init__(self, *languages: str, error: str = "") -> None:
        self.name = self.sha256 = "-".join(languages)
        self.languages, self.ready, self.error = languages, False, error
        self.texts: list[str] = []
        self.questions: list[str] = []
        self.may = asyncio.Event()
        self.may.set()

    def reads(self, language: str) -> bool:
        return False

    @property
    def state(self) -> str:
        return "ready" if self.ready else "stopped"

    async def load(self) -> None:
        if self.error:
            self.failed = True
            raise Unavailable(self.error)
        self.ready = True

    def knows(self, language: str) -> bool:
        return language in self.languages

    def crosses(self, question: str, document: str) -> bool:
        return document not in ("", question) and self.knows(question) and self.knows(document)

    def scaled(self, cosine: float, language: str = "", *, across: bool = False) -> float:
        return cosine

    async def encode(self, texts: Sequence[str], *, urgent: bool = False) -> list[bytes]:
        assert self.ready
        await self.may.wait()
        self.texts += texts
        return [_vector(text) for text in texts]

    async def encode_question(self, text: str) -> bytes:
        self.questions.append(text)
        return _vector(text)

    async def close(self) -> None:
        return


def _vector(text: str) -> bytes:
    held = [float(any(word in text.lower() for word in words)) for words in MEANINGS] + [0.1, *[0.0] * 4]
    length = sum(number * number for number in held) ** 0.5
    return struct.pack("<8f", *(number / length for number in held))


class Library:
    """A client of a server with both models, the application."""

    def __init__(self, client: httpx.AsyncClient, app: Starlette) -> None:
        self.client, self.services = client, app.state.services

    async def holds(self, text: str, name: str) -> str:
        doc_id = await upload(self.client, text, name)
        await self.is_done(doc_id)
        return doc_id

    async def is_done(self, doc_id: str) -> None:
        async def done() -> bool:
            status = (await self.client.get(f"/v1/api/documents/{doc_id}/status")).json()
            return bool(status["state"] == "ready")

        await until(done, f"{doc_id} is ready")

    async def finds(self, query: str, *doc_ids: str) -> list[str]:
        response = await self.client.post("/v1/api/retrieve", json={"query": query, "doc_ids": doc_ids, "top_k": 5})
        assert response.status_code == 200, response.text
        return [result["doc_id"] for result in response.json()["results"]]


@pytest.fixture
def models() -> tuple[Model, Model]:
    return Model("en"), Model("en", "de")


def serve(settings: Settings, models: tuple[Model, Model]) -> Any:
    chosen, beside = models
    return create(settings, embedder=chosen, beside=beside)  # type: ignore[arg-type]


@asynccontextmanager
async def served(settings: Settings, models: tuple[Model, Model]) -> AsyncIterator[Library]:
    app = serve(settings, models)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        yield Library(client, app)


async def test_while_all_is_in_the_language_that_the_chosen_model_knows_no_other_is_loaded(
    settings: Settings, models: tuple[Model, Model]
) -> None:
    async with served(settings, models) as library:
        lease = await library.holds(LEASE, "lease.txt")
        assert await library.finds("How much is the rent of the boathouse?", lease) == [lease]
        assert models[0].questions and not models[1].ready and not models[1].texts


async def test_a_document_in_another_language_is_embedded_by_the_other_model_and_from_then_on_all_are(
    settings: Settings, models: tuple[Model, Model]
) -> None:
    async with served(settings, models) as library:
        lease = await library.holds(LEASE, "lease.txt")
        contract = await library.holds(MIETVERTRAG, "mietvertrag.txt")
        assert "Die Schlüssel hat der Hausmeister." in models[1].texts, "each of its sentences"

        async def both() -> bool:
            return LEASE in models[1].texts

        await until(both, "the English one has vectors of both")
        await library.is_done(lease)
        assert "The keys are with the warden." not in models[1].texts, "its sentences only when one asks"
        assert set(await library.finds("Sind Haustiere erlaubt?", lease, contract)) == {contract, lease}
        assert "The keys are with the warden." in models[1].texts
        times = models[1].texts.count("The keys are with the warden.")
        assert set(await library.finds("Welche Haustiere sind erlaubt?", lease, contract)) == {contract, lease}
        assert models[1].texts.count("The keys are with the warden.") == times, "and then they are kept"


async def test_each_document_is_searched_by_the_model_that_knows_its_language_and_the_questions(
    settings: Settings, models: tuple[Model, Model]
) -> None:
    async with served(settings, models) as library:
        contract = await library.holds(MIETVERTRAG, "mietvertrag.txt")
        lease = await library.holds(LEASE, "lease.txt")
        question = "Are pets allowed?"
        assert set(await library.finds(question, lease, contract)) == {lease, contract}
        assert (models[0].questions, models[1].questions) == ([question], [question])


async def test_the_first_question_in_another_language_waits_until_the_documents_are_embedded(
    settings: Settings, models: tuple[Model, Model]
) -> None:
    async with served(settings, models) as library:
        lease = await library.holds(LEASE, "lease.txt")
        assert not models[1].texts
        assert await library.finds("Sind Haustiere erlaubt?", lease) == [lease]


async def test_small_talk_in_another_language_has_nothing_embedded(
    settings: Settings, models: tuple[Model, Model]
) -> None:
    async with served(settings, models) as library:
        lease = await library.holds(LEASE, "lease.txt")
        greeting = [{"sender": "user", "message": "Guten Morgen!"}]
        assert (await library.client.post(f"/v1/chat/{lease}", json=greeting)).status_code == 200
        assert not library.services.encoders.beside_wanted
        assert not models[1].ready


@pytest.mark.parametrize("limit", [("AWAITED_SECONDS", 0.3), ("MOST_AWAITED", 0)], ids=["not long", "not for much"])
async def test_it_does_not_wait_long_and_the_answer_says_that_they_are_being_prepared(
    settings: Settings, models: tuple[Model, Model], monkeypatch: pytest.MonkeyPatch, limit: tuple[str, float]
) -> None:
    monkeypatch.setattr(readiness, *limit)
    async with served(settings, models) as library:
        lease = await library.holds(LEASE, "lease.txt")
        models[1].may.clear()

        async def ask() -> str:
            question = [{"sender": "user", "message": "Sind Haustiere in dem Haus erlaubt?"}]
            return str((await library.client.post(f"/v1/chat/{lease}", json=question)).json()["answer"]["message"])

        began = time.monotonic()
        assert "werden gerade für Fragen in dieser Sprache vorbereitet" in await ask()
        assert time.monotonic() - began < 10, "what a wait for them would have taken"
        models[1].may.set()
        await until(lambda: LEASE in models[1].texts, "the document has vectors of both")
        await library.is_done(lease)
        assert "Dogs may stay in the yard." in await ask()


async def test_documents_that_are_queued_just_when_one_looks_are_still_to_be_embedded(
    settings: Settings, models: tuple[Model, Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded = store.vectors.embedded
    async with served(settings, models) as library:
        lease = await library.holds(LEASE, "lease.txt")
        models[1].may.clear()
        encoders, index = library.services.encoders, library.services.index

        async def meanwhile(conn: Connection, documents: Sequence[int], model: StoredModel) -> frozenset[int]:
            seen = await embedded(conn, documents, model)
            encoders.want_beside()
            await until(lambda: encoders.beside_begun, "they are queued")
            return seen

        async with index.db.write() as conn:
            account = await store.accounts.account_named(conn, "alice")
            documents = [await store.documents.stored_document(conn, account, lease)]
        monkeypatch.setattr(store.vectors, "embedded", meanwhile)
        assert await readiness.passages_left(index, documents, "de") == 1
        monkeypatch.undo()
        models[1].may.set()


async def test_a_document_that_cannot_be_embedded_is_not_waited_for(
    settings: Settings, models: tuple[Model, Model]
) -> None:
    async with served(settings, models) as library:
        contract = await library.holds(MIETVERTRAG, "mietvertrag.txt")
        async with library.services.db.write() as conn:
            await conn.execute_fetchall("DELETE FROM embedding_1")
        began = time.monotonic()
        assert await library.finds("Wer hat die Schlüssel?", contract) == [contract], "by words"
        assert time.monotonic() - began < readiness.AWAITED_SECONDS


async def test_a_question_in_another_language_may_come_just_when_a_document_is_begun(
    settings: Settings,
    models: tuple[Model, Model],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, next_indexing = serve(settings, models), store.jobs.next_indexing

    async def meanwhile(conn: Connection, wanted: Sequence[int] = ()) -> StoredDocument | None:
        document = await next_indexing(conn, wanted)
        if document:
            app.state.services.encoders.want_beside()
        return document

    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        library = Library(client, app)
        lease = await library.holds(LEASE, "lease.txt")
        monkeypatch.setattr(store.jobs, "next_indexing", meanwhile)
        services = app.state.services
        async with services.db.write() as conn:
            await store.jobs.resume_documents(conn, [1])
        services.work.set()

        async def embedded() -> bool:
            return LEASE in models[1].texts

        await until(embedded, "the document has vectors of both")
        await library.is_done(lease)
        assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_restart_loads_the_other_model_only_for_what_needs_it(
    settings: Settings, models: tuple[Model, Model]
) -> None:
    app = serve(settings, models)
    async with app.router.lifespan_context(app), client_of(app, key := await key_for(app, "alice")) as client:
        contract = await Library(client, app).holds(MIETVERTRAG, "mietvertrag.txt")
        lease = await Library(client, app).holds(LEASE, "lease.txt")
    again = Model("en"), Model("en", "de")
    app = serve(settings, again)
    async with app.router.lifespan_context(app), client_of(app, key) as client:
        library = Library(client, app)
        await until(lambda: again[0].ready, "the chosen model is loaded")
        assert await library.finds("How much is the rent?", lease) == [lease]
        assert not again[1].ready
        assert await library.finds("Wer hat die Schlüssel?", contract) == [contract]
        assert again[1].ready and not again[1].texts, "nothing is embedded twice"


async def test_where_the_other_model_cannot_be_loaded_words_are_searched_and_the_status_says_why(
    settings: Settings,
) -> None:
    app = serve(settings, (Model("en"), broken := Model("en", "de", error="Its file is cut off.")))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        library = Library(client, app)
        contract = await library.holds(MIETVERTRAG, "mietvertrag.txt")
        status = (await client.get(f"/v1/api/documents/{contract}/status")).json()
        assert status["message"] == "Found by full text only in other languages: Its file is cut off."
        assert await library.finds("Wer hat die Schlüssel?", contract) == [contract]
        assert broken.failed and not broken.questions
