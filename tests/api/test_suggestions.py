"""Questions that a document can answer: made from it, tried on it, kept with it, and gone with it."""

import asyncio
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from docqa import store
from docqa.answering.answerable import is_answered_surely
from docqa.api.app import create
from docqa.ingest.made_questions import MadeQuestion
from docqa.services import Services
from docqa.services.suggesting import SHOWN
from docqa.settings import Settings
from eval_samples import ORCHARD, QUAY
from waiting import until

pytestmark = pytest.mark.anyio

FILLER = "The weather of the coast changes quickly, and nobody writes down what it was like the day before."
WEHR = (
    "Ein Wehr ist ein Bauwerk, das einen Fluss staut.\n\nDie Brücke wurde im Jahr 1911 gebaut.\n\n"
    "Der Hof hat 340 Bäume, und die meisten davon tragen im Herbst viele Früchte."
)


async def suggested(client: httpx.AsyncClient, doc_id: str) -> list[dict[str, object]]:
    """The questions about a document, once they are made."""
    answers = []

    async def ready() -> bool:
        answers.append((await client.get(f"/v1/api/documents/{doc_id}/questions")).json())
        return answers[-1]["state"] == "ready"

    await until(ready, "questions", pause=0.2)
    return list(answers[-1]["questions"])


async def test_each_suggested_question_is_answered_from_its_page(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, f"{FILLER}\f{QUAY}")
    questions = await suggested(client, doc_id)
    assert len(questions) == SHOWN
    for suggestion in questions:
        messages = [{"sender": "user", "message": suggestion["question"]}]
        answer = (await client.post(f"/v1/chat/{doc_id}?cite_source=true", json=messages)).json()
        assert answer["sources"][0]["page_number"] == suggestion["page_number"] == 2
        assert not answer["answer"]["message"].startswith("No clear answer")


async def test_they_are_in_the_language_of_the_document(client: httpx.AsyncClient) -> None:
    questions = await suggested(client, await upload(client, WEHR))
    assert "Was ist ein Wehr?" in [suggestion["question"] for suggestion in questions]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Hei!", id="nothing can be asked"),
        pytest.param(
            "Aitta on pieni puurakennus. Talo rakennettiin vuonna 1911, ja sen pituus on 34 metriä.", id="Finnish"
        ),
    ],
)
async def test_there_are_none_where_none_can_be_made(client: httpx.AsyncClient, text: str) -> None:
    assert await suggested(client, await upload(client, text)) == []


async def test_a_question_that_is_answered_otherwise_or_elsewhere_is_not_suggested(
    app: Starlette, client: httpx.AsyncClient
) -> None:
    services: Services = app.state.services
    doc_id = await upload(client, f"{FILLER}\f{QUAY}")
    async with services.db.read() as conn:
        document = await store.documents.stored_document(conn, 1, doc_id)

    async def is_answered(page_number: int, value: str, text: str = "What is the length of the quay?") -> bool:
        question = MadeQuestion("number", text, "en", document.id, value, chunk=1, page_number=page_number)
        return await is_answered_surely(services.answering, document, question)

    assert await is_answered(2, "340")
    assert not await is_answered(1, "340"), "it stands on another page"
    assert not await is_answered(2, "341"), "another value is found"
    assert not await is_answered(2, "", "Which wood are violin bows carved from?"), "the document does not say"


async def test_they_are_made_once_and_survive_a_restart(settings: Settings) -> None:
    first, again = create(settings), create(settings)
    async with first.router.lifespan_context(first):
        key = await key_for(first, "alice")
        async with client_of(first, key) as client:
            doc_id = await upload(client, ORCHARD)
            questions = await suggested(client, doc_id)
    async with again.router.lifespan_context(again), client_of(again, key) as client:
        answer = (await client.get(f"/v1/api/documents/{doc_id}/questions")).json()
    assert questions and answer == {"doc_id": doc_id, "state": "ready", "questions": questions}


async def test_people_who_ask_come_first(app: Starlette, client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, ORCHARD)
    path = f"/v1/api/documents/{doc_id}/questions"
    with app.state.services.lanes.chats.place(7):
        await until(lambda: _is(client, path, "making"), "they are being made")
        await asyncio.sleep(1)
        assert (await client.get(path)).json()["state"] == "making"
    await until(lambda: _is(client, path, "ready"), "they are made")


async def _is(client: httpx.AsyncClient, path: str, state: str) -> bool:
    return (await client.get(path)).json()["state"] == state


async def test_they_are_told_nobody_else(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    doc_id = await upload(client, QUAY)
    await suggested(client, doc_id)
    response = await stranger.get(f"/v1/api/documents/{doc_id}/questions")
    assert (response.status_code, response.json()) == (404, {"detail": "Document not found"})


async def test_they_go_with_the_document_and_do_not_come_back(
    app: Starlette, client: httpx.AsyncClient, settings: Settings
) -> None:
    services: Services = app.state.services
    doc_id = await upload(client, QUAY)
    [question, *_] = await suggested(client, doc_id)
    async with services.db.read() as conn:
        document = await store.documents.stored_document(conn, 1, doc_id)
        made = await store.suggestions.suggestions(conn, document.id)
    await client.delete(f"/v1/api/documents/{doc_id}")
    async with services.db.write() as conn:  # as the background work does that is in the middle of it
        await store.suggestions.set_suggestions(conn, document.id, made or [])

    async def erased() -> bool:
        return not await asyncio.to_thread(_is_in, settings.data, str(question["question"]).encode())

    await until(erased, "the words are gone")


def _is_in(folder: Path, words: bytes) -> bool:
    return any(words in path.read_bytes() for path in folder.glob("docqa.sqlite*"))
