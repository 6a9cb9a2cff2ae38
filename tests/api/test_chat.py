"""Chat over HTTP with extractive answers by full text alone: what is answered, cited, refused and streamed."""

import json
from collections.abc import AsyncGenerator
from dataclasses import replace

import httpx
import pytest

from conftest import client_of, key_for, upload
from docqa.answering.answer import Answer
from docqa.api.app import create
from docqa.questions.question import Kind, Part, Question
from docqa.settings import Settings

pytestmark = pytest.mark.anyio

LEASE = """The lease of the warehouse in Bergen was signed by Kari Nordmann on 3 May 2021. The end of the lease is 31 March 2027; it may be extended once.

The monthly rent is 12,400 euros, due on the third working day of each month.

The tenant insures the building against fire and flooding."""
MENU = "The canteen serves soup on Mondays. On Fridays there is fish with potatoes and dill sauce."


def ask(text: str) -> list[dict[str, str]]:
    return [{"sender": "user", "message": text}]


async def test_an_answer_has_the_documented_shape(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE)
    response = await client.post(f"/v1/chat/{doc_id}", json=ask("How much is the monthly rent?"))
    assert response.status_code == 200
    body = response.json()
    assert list(body) == ["question", "answer", "sources", "created"]
    assert body["question"] == {"sender": "user", "message": "How much is the monthly rent?", "type": "question"}
    assert body["answer"]["sender"] == "bot" and body["answer"]["type"] == "response"
    assert "12,400 euros" in body["answer"]["message"]
    assert "[1]" not in body["answer"]["message"]
    assert body["sources"] == []
    assert body["created"].endswith("Z")


async def test_sources_are_verbatim_and_numbered_as_the_marks(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, "An introduction.\f" + LEASE)
    body = (await client.post(f"/v1/chat/{doc_id}?cite_source=true", json=ask("When is the end of the lease?"))).json()
    assert "31 March 2027" in body["answer"]["message"]
    assert [source["id"] for source in body["sources"]] == list(range(1, len(body["sources"]) + 1))
    for source in body["sources"]:
        assert source["source_chunk"] in LEASE
        assert (source["doc_id"], source["page_number"]) == (doc_id, 2)
        assert f"[{source['id']}]" in body["answer"]["message"]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who won the chess championship in Reykjavik?", "The documents do not say anything about this."),
        ("Wer gewann die Schachweltmeisterschaft in Reykjavik?", "Es wurde keine Antwort gefunden."),
        ("レイキャビクのチェス選手権で誰が優勝しましたか？", "答えは見つかりませんでした。"),
    ],
)
async def test_what_the_documents_do_not_say_is_not_answered(
    client: httpx.AsyncClient, question: str, sentence: str
) -> None:
    doc_id = await upload(client, LEASE)
    body = (await client.post(f"/v1/chat/{doc_id}?cite_source=true", json=ask(question))).json()
    assert body["answer"]["message"].startswith(sentence)
    assert body["sources"] == []


async def test_the_refusal_is_in_the_language_that_was_asked_for(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE)
    body = (await client.post(f"/v1/chat/{doc_id}?language=FRENCH", json=ask("Who won the chess championship?"))).json()
    assert body["answer"]["message"].startswith("Les documents ne disent rien à ce sujet.")


async def test_a_knowledge_base_answers_from_the_right_document(client: httpx.AsyncClient) -> None:
    lease, menu = await upload(client, LEASE), await upload(client, MENU)
    id_ = (await client.post("/v1/api/knowledge", json={"name": "All", "document_ids": [lease, menu]})).json()[
        "knowledge_base_id"
    ]
    body = (
        await client.post(
            f"/v1/api/knowledge/{id_}/chat?cite_source=true",
            json={"messages": ask("What does the canteen serve on Mondays?")},
        )
    ).json()
    assert "soup" in body["answer"]["message"]
    assert body["sources"][0]["doc_id"] == menu


async def test_a_list_of_documents_answers_too(client: httpx.AsyncClient) -> None:
    lease, menu = await upload(client, LEASE), await upload(client, MENU)
    body = {"documents": [menu], "messages": ask("How much is the monthly rent?")}
    answer = (await client.post("/v1/api/knowledge_base_chat?cite_source=true", json=body)).json()
    assert answer["sources"] == [], "only the documents that were named are asked"
    body["documents"] = [menu, lease]
    answer = (await client.post("/v1/api/knowledge_base_chat?cite_source=true", json=body)).json()
    assert "12,400" in answer["answer"]["message"]


async def test_a_list_of_documents_without_messages_is_summed_up(client: httpx.AsyncClient) -> None:
    lease, menu = await upload(client, LEASE), await upload(client, MENU)
    for length in ("SHORT", "LONG"):
        answer = (
            await client.post(
                f"/v1/api/knowledge_base_chat?cite_source=true&length={length}", json={"documents": [lease, menu]}
            )
        ).json()
        assert {source["doc_id"] for source in answer["sources"]} == {lease, menu}


async def test_no_documents_say_nothing(client: httpx.AsyncClient) -> None:
    for messages in ({"messages": ask("What is the rent?")}, {}):
        response = await client.post("/v1/api/knowledge_base_chat", json={"documents": [], **messages})
        assert response.status_code == 200
        assert response.json()["answer"]["message"] == "There are no documents here to answer from."


async def test_a_summary_is_not_refused(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE)
    body = (await client.post(f"/v1/chat/{doc_id}?cite_source=true", json=ask("Please summarize this document"))).json()
    assert body["sources"]
    assert "lease" in body["answer"]["message"]


async def test_a_follow_up_is_understood_from_the_question_before_it(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE + "\n\n" + MENU * 5)
    history = [*ask("When was the lease of the warehouse signed?"), {"sender": "bot", "message": "On 3 May 2021."}]
    for agent_mode in ("true", "false"):
        body = (
            await client.post(f"/v1/chat/{doc_id}?agent_mode={agent_mode}", json=[*history, *ask("And by whom?")])
        ).json()
        assert "Kari Nordmann" in body["answer"]["message"]
        assert body["question"]["message"] == "And by whom?"


async def test_a_question_that_stands_alone_is_not_mixed_with_the_one_before(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE + "\n\n" + MENU)
    history = [*ask("What does the canteen serve on Mondays?"), {"sender": "bot", "message": "Soup."}]
    body = (
        await client.post(f"/v1/chat/{doc_id}", json=[*history, *ask("How much is the monthly rent in euros?")])
    ).json()
    assert "12,400" in body["answer"]["message"]
    assert "soup" not in body["answer"]["message"]


async def test_short_answers_are_short_and_long_ones_hold_more(client: httpx.AsyncClient) -> None:
    doc_id = await upload(
        client,
        "\n\n".join(f"The pump of type {n} needs oil every {n} months, says the pump manual." for n in range(2, 12)),
    )
    short, long = [
        (await client.post(f"/v1/chat/{doc_id}?length={length}", json=ask("How often does the pump need oil?"))).json()[
            "answer"
        ]["message"]
        for length in ("SHORT", "LONG")
    ]
    assert short.count("pump of type") <= 3 < long.count("pump of type")


async def test_senders_are_taken_in_any_case(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE)
    messages = [
        {"sender": "System", "message": "Be kind."},
        {"sender": "User", "message": "How much is the monthly rent?"},
    ]
    assert "12,400" in (await client.post(f"/v1/chat/{doc_id}", json=messages)).json()["answer"]["message"]


async def test_a_stream_is_the_same_text_as_the_answer(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE)
    question = ask("How much is the monthly rent?")
    whole = (await client.post(f"/v1/chat/{doc_id}", json=question)).json()["answer"]["message"]
    response = await client.post(f"/v1/chat/{doc_id}?stream=true", json=question)
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.text == whole


async def test_a_stream_with_sources_ends_with_them(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE, "lease.txt")
    text = (
        await client.post(f"/v1/chat/{doc_id}?stream=true&cite_source=true", json=ask("How much is the monthly rent?"))
    ).text
    answer, block = text.split("\n\nSources:\n")
    assert "[1]" in answer
    assert block.startswith("[1] lease.txt, page 1: ")


async def test_events_carry_tokens_sources_and_the_end(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE)
    question = ask("How much is the monthly rent?")
    whole = (await client.post(f"/v1/chat/{doc_id}?cite_source=true", json=question)).json()
    response = await client.post(
        f"/v1/chat/{doc_id}?stream=true&cite_source=true", json=question, headers={"Accept": "text/event-stream"}
    )
    assert response.headers["content-type"].startswith("text/event-stream")
    events = [dict(line.split(": ", 1) for line in block.split("\n")) for block in response.text.strip().split("\n\n")]
    assert [event["event"] for event in events[-2:]] == ["sources", "done"]
    assert (
        "".join(json.loads(event["data"])["text"] for event in events if event["event"] == "token")
        == whole["answer"]["message"]
    )
    assert json.loads(events[-2]["data"]) == whole["sources"]


async def test_retrieval_gives_verbatim_passages_best_first(client: httpx.AsyncClient) -> None:
    lease, menu = await upload(client, LEASE), await upload(client, MENU)
    results = (
        await client.post("/v1/api/retrieve", json={"query": "fish on Fridays", "doc_ids": [lease, menu], "top_k": 2})
    ).json()["results"]
    assert results[0]["doc_id"] == menu
    assert results[0]["source_chunk"] in MENU
    assert [result["score"] for result in results] == sorted((result["score"] for result in results), reverse=True)


@pytest.mark.parametrize("question", ['"', "* OR (", "NEAR(a b)", "😀", "\x00", "-" * 5000, "terms:rent", "a" * 32_768])
async def test_no_question_is_taken_for_query_syntax(client: httpx.AsyncClient, question: str) -> None:
    doc_id = await upload(client, LEASE)
    assert (await client.post(f"/v1/chat/{doc_id}", json=ask(question))).status_code == 200


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("东京是日本的首都。人口约一千四百万。", "日本的首都是哪里？", "东京"),
        ("東京は日本の首都です。人口は約1400万人です。", "日本の首都はどこですか？", "東京"),
        ("서울은 대한민국의 수도이다. 인구는 약 940만 명이다.", "대한민국의 수도는 어디입니까?", "서울"),
        ("القاهرة هي عاصمة مصر. يبلغ عدد سكانها عشرة ملايين.", "ما هي عاصمة مصر؟", "القاهرة"),
        ("Berlin ist die Hauptstadt von Deutschland.", "Wie heißt die Hauptstadt Deutschlands?", "Berlin"),
    ],
)
async def test_other_languages_are_answered(client: httpx.AsyncClient, text: str, question: str, expected: str) -> None:
    doc_id = await upload(client, text)
    assert expected in (await client.post(f"/v1/chat/{doc_id}", json=ask(question))).json()["answer"]["message"]


async def test_without_the_second_stage_there_are_answers_too(settings: Settings) -> None:
    app = create(replace(settings, rerank=False))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await upload(client, LEASE)
        assert (
            "12,400"
            in (await client.post(f"/v1/chat/{doc_id}", json=ask("How much is the monthly rent?"))).json()["answer"][
                "message"
            ]
        )


async def test_a_refusal_names_the_nearest_pages(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, "An introduction.\f" + LEASE, "lease.txt")
    body = (
        await client.post(
            f"/v1/chat/{doc_id}?cite_source=true",
            json=ask("Which player won the international chess championship after the third match?"),
        )
    ).json()
    assert body["answer"]["message"] == "The documents do not say anything about this. Nearest pages: lease.txt (2)."
    assert body["sources"] == []


@pytest.mark.parametrize(
    ("question", "gains"),
    [
        ("Why is the rent due on the third working day?", True),
        ("Compare the monthly rent with the insurance of the building.", True),
        ("What is the difference between the tenant and the building?", True),
        ("Summarize the document.", True),
        ("How much is the monthly rent?", False),
        ("Who won the chess championship in Reykjavik?", False),
    ],
)
async def test_an_answer_says_where_a_language_model_would_give_a_better_one(
    client: httpx.AsyncClient, question: str, gains: bool
) -> None:
    doc_id = await upload(client, LEASE)
    response = await client.post(f"/v1/chat/{doc_id}", json=ask(question))
    assert response.headers.get("X-DocQA-Gains") == ("language-model" if gains else None), response.text


@pytest.mark.parametrize("kind", ["reason", "compare", "summary", "task"])
def test_of_a_kind_that_gains_only_quotes_would_be_bettered(kind: Kind) -> None:
    async def no_tokens() -> AsyncGenerator[str, None]:
        yield ""

    question = Question("?", parts=(Part("?"), Part("?", kind=kind)))
    assert [Answer(question, no_tokens(), target).gains for target in ("quotes", "table", "local:QWEN")] == [
        True,
        False,
        False,
    ]
