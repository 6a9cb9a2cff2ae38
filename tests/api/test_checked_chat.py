"""A language model that a test plays on loopback says what is right and what is wrong: what clients get of it."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest

from conftest import client_of, key_for, upload
from docqa.api.app import create
from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.models.chat.local import LocalModel, available
from docqa.models.chat.speeds import Speed
from docqa.settings import Settings
from stand_ins import StandIn, openai, stand_in, status, stream

pytestmark = pytest.mark.anyio

LOCAL = Catalog.load(SHIPPED.parent).local_models()
LEASE = (
    "Lease of the warehouse\n\n"
    "The warehouse in Bergen was let to Kari Nordmann. The monthly rent of the warehouse is 12,400 euros. "
    "The deposit is 30,000 euros, paid to Ola Hansen.\n\n"
    "Dogs are not allowed in the warehouse.\n\n"
    "Costs by year (in thousands)\nItem\t2021\t2022\nHeating\t18\t21\nRepairs\t7\t12\n"
)
WRONG = "These are quotes from the documents: what played wrote is not in them."


@asynccontextmanager
async def played(settings: Settings, *words: str) -> AsyncIterator[tuple[httpx.AsyncClient, StandIn, str]]:
    """A client, the server that plays the model HOUSE, which says these words, and a lease to ask."""
    async with stand_in(status(404), stream(*openai(*words))) as server:
        settings.models.mkdir(exist_ok=True)
        (settings.models / "models.toml").write_text(f'[models]\nHOUSE = ["compatible:{server.url}#played"]\n')
        app = create(settings)
        async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
            yield client, server, await upload(client, LEASE)


async def ask(client: httpx.AsyncClient, doc_id: str, question: str, **headers: str) -> httpx.Response:
    query = {"model_name": "HOUSE", "cite_source": True, "stream": bool(headers)}
    messages = [{"sender": "user", "message": question}]
    reply = await client.post(f"/v1/chat/{doc_id}", params=query, json=messages, headers=headers)
    assert reply.status_code == 200, reply.text
    return reply


def prompt_of(server: StandIn) -> tuple[str, str]:
    messages: list[dict[str, Any]] = server.requests[-1].body["messages"]
    return messages[0]["content"], messages[-1]["content"]


async def test_a_right_answer_is_the_models_own_with_the_unit_it_rests_on(settings: Settings) -> None:
    async with played(settings, "The monthly rent is 12", ",400 euros.", " The deposit went to Ola Hansen.") as (
        client,
        _,
        doc_id,
    ):
        reply = await ask(client, doc_id, "How much is the monthly rent of the warehouse?")
        assert reply.headers["X-DocQA-Target"].startswith("compatible:")
        body = reply.json()
        assert body["answer"]["message"] == "The monthly rent is 12,400 euros. [1] The deposit went to Ola Hansen. [1]"
        assert [source["id"] for source in body["sources"]] == [1]
        assert body["sources"][0]["source_chunk"] in LEASE


@pytest.mark.parametrize(
    ("question", "wrong", "never", "quoted"),
    [
        (
            "How much is the monthly rent of the warehouse?",
            "The monthly rent is 14,200 euros.",
            "14,200",
            "12,400 euros",
        ),
        (
            "Who was the warehouse in Bergen let to?",
            "The warehouse was let to Roald Amundsen.",
            "Amundsen",
            "Kari Nordmann",
        ),
        (
            "Who was the deposit paid to?",
            "The deposit was paid to Kari Nordmann.",
            "was paid to Kari",
            "paid to Ola Hansen",
        ),
        ("Are dogs allowed in the warehouse?", "Yes, dogs are allowed in the warehouse.", "Yes", "not allowed"),
        ("Are dogs allowed in the warehouse?", "Dogs are allowed in the warehouse.", "Yes", "not allowed"),
    ],
)
async def test_a_wrong_number_name_or_negation_is_never_shown(
    settings: Settings, question: str, wrong: str, never: str, quoted: str
) -> None:
    async with played(settings, *(f"{word} " for word in wrong.split()), "That is all.") as (client, _, doc_id):
        reply = await ask(client, doc_id, question)
        message = reply.json()["answer"]["message"]
        assert never not in message and quoted in message and message.endswith(WRONG)
        assert reply.headers["X-DocQA-Target"] == "quotes" and reply.json()["sources"]
        plain = await ask(client, doc_id, question, Accept="text/plain")
        assert never not in plain.text and quoted in plain.text and WRONG in plain.text
        events = await ask(client, doc_id, question, Accept="text/event-stream")
        names = [line.removeprefix("event: ") for line in events.text.splitlines() if line.startswith("event: ")]
        assert set(names[:-2]) == {"token"} and names[-2:] == ["sources", "done"]
        tokens = [
            json.loads(line.removeprefix("data: ")).get("text", "")
            for line in events.text.splitlines()
            if line.startswith('data: {"text"')
        ]
        assert "".join(tokens) == message


async def test_a_wrong_sentence_after_a_right_one_is_replaced_by_what_is_said_of_it(settings: Settings) -> None:
    words = [
        "The monthly rent of the warehouse is 12,400 euros. ",
        "The deposit is 50,000 euros. ",
        "Dogs are not allowed.",
    ]
    async with played(settings, *words) as (client, _, doc_id):
        message = (await ask(client, doc_id, "How much is the monthly rent of the warehouse?")).json()["answer"][
            "message"
        ]
        assert message == (
            "The monthly rent of the warehouse is 12,400 euros. [1] The deposit is 30,000 euros, paid to Ola Hansen. [1] "
            "Dogs are not allowed. [1]"
        )


async def test_the_model_is_given_tables_as_tables_and_told_the_kind_of_answer(settings: Settings) -> None:
    async with played(settings, "Dogs are not allowed.") as (client, server, doc_id):
        await ask(client, doc_id, "Are dogs allowed in the warehouse?")
        system, user = prompt_of(server)
        assert (
            "> | Item | 2021 | 2022 |\n> | --- | --- | --- |\n> | Heating | 18 | 21 |\n> | Repairs | 7 | 12 |" in user
        )
        assert "> Costs by year (in thousands)" in user
        assert (
            user.endswith(
                "Question: Are dogs allowed in the warehouse?\n"
                "Begin with Yes or No, then say in one sentence what the passages say about it."
            )
            or "It is not certain" in user
        )
        assert "nothing else" in system


async def test_a_task_is_done_with_what_the_documents_say_and_its_inventions_are_marked(settings: Settings) -> None:
    words = ["Wer darf ins Lager? ", "Die Miete beträgt 12.400 Euro. ", "Sie beträgt 99.000 Euro."]
    async with played(settings, *words) as (client, server, doc_id):
        reply = await ask(client, doc_id, "Translate the lease into German.")
        assert reply.headers["X-DocQA-Target"].startswith("compatible:") and "> The warehouse" in prompt_of(server)[1]
        message = reply.json()["answer"]["message"]
        assert "Wer darf ins Lager?" in message and message.endswith("99.000 Euro. (not in the documents)")


async def test_what_the_documents_say_nothing_about_reaches_no_model(settings: Settings) -> None:
    async with played(settings, "Magnus Carlsen.") as (client, server, doc_id):
        reply = await ask(client, doc_id, "Who won the chess championship in Reykjavik?")
        assert reply.headers["X-DocQA-Target"] == "refusal"
        assert server.requests == []


async def test_a_summary_is_checked_too(settings: Settings) -> None:
    words = ["The warehouse in Bergen was let to Kari Nordmann. ", "The monthly rent of the warehouse is 99,000 euros."]
    async with played(settings, *words) as (client, _, doc_id):
        message = (await ask(client, doc_id, "Summarize the document.")).json()["answer"]["message"]
        assert message.startswith("The warehouse in Bergen was let to Kari Nordmann. [1]") and "99,000" not in message


async def test_a_model_that_gives_no_answer_in_time_is_named_and_what_helps(settings: Settings) -> None:
    async def forever(*_: object) -> None:
        await asyncio.sleep(60)

    async with stand_in(status(404), forever) as server:
        settings.models.mkdir(exist_ok=True)
        (settings.models / "models.toml").write_text(
            f'[models]\nHOUSE = ["compatible:{server.url}#played", "quotes"]\n'
        )
        app = create(replace(settings, answer_seconds=1))
        async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
            doc_id = await upload(client, LEASE)
            reply = await ask(client, doc_id, "How much is the monthly rent of the warehouse?")
            message = reply.json()["answer"]["message"]
            assert reply.headers["X-DocQA-Target"] == "quotes"
            assert "12,400 euros" in message and "played gave no answer within 1 s" in message
            assert "DOCQA_ANSWER_SECONDS" in message


needs_model = pytest.mark.skipif(
    not available() or "SMOLLM2_135M" not in LOCAL, reason="SmolLM2 or llama-cpp-python is not installed"
)


@asynccontextmanager
async def with_smollm2(settings: Settings) -> AsyncIterator[tuple[httpx.AsyncClient, LocalModel, str]]:
    settings.models.mkdir()
    (settings.models / LOCAL["SMOLLM2_135M"].name).symlink_to(LOCAL["SMOLLM2_135M"])
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        model = app.state.services.chat_models.local.by_name().get("SMOLLM2_135M")
        yield client, model, await upload(client, LEASE)


@needs_model
@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_that_does_not_fit_the_time_is_known_before_the_model_is_loaded(
    settings: Settings, stream: bool
) -> None:
    async with with_smollm2(settings) as (client, model, doc_id):
        model._speeds.keep(model._path, Speed(read=2.0, written=1.0, loading=5.0))
        started = time.monotonic()
        reply = await client.post(
            f"/v1/chat/{doc_id}",
            params={"model_name": "SMOLLM2_135M", "stream": stream},
            headers={"Accept": "text/event-stream"} if stream else {},
            json=[{"sender": "user", "message": "How much is the monthly rent of the warehouse?"}],
        )
        assert time.monotonic() - started < 5 and model.state == "stopped"
        assert reply.status_code == 200 and reply.headers["X-DocQA-Target"] == "quotes"
        assert "12,400 euros" in reply.text
        assert "SMOLLM2_135M would take about 120 s to answer this here, and 50 s are allowed" in reply.text
        assert "event: done" in reply.text if stream else reply.json()["answer"]["message"]


@needs_model
async def test_the_real_model_says_nothing_that_is_not_in_the_document(settings: Settings) -> None:
    questions = [
        "How much is the monthly rent of the warehouse?",
        "Who was the deposit paid to?",
        "Are dogs allowed in the warehouse?",
    ]
    async with with_smollm2(settings) as (client, model, doc_id):
        for question in questions:
            reply = await client.post(
                f"/v1/chat/{doc_id}",
                params={"model_name": "SMOLLM2_135M", "temperature": 0.1},
                json=[{"sender": "user", "message": question}],
                timeout=100,
            )
            assert reply.headers["X-DocQA-Target"] in ("local:SMOLLM2_135M", "quotes")
            message = reply.json()["answer"]["message"].partition("\n\nThese are quotes")[0]
            assert set(re.findall(r"\d[\d,]*", message)) <= set(re.findall(r"\d[\d,]*", LEASE)), message
        assert model.prompt_speed > 0 and model.writing_speed > 0
        assert model._speeds.of(model._path), "it is known to the next start"
