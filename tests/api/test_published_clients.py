"""What clients of the paid API send is taken as it was meant."""

from typing import Any

import httpx
import pytest

from conftest import upload

pytestmark = pytest.mark.anyio

LEASE = "The monthly rent of the warehouse is 12,400 euros. The lease ends on 31 March 2027."
RENT, BLANK = {"sender": "user", "message": "How much is the rent?"}, {"sender": "user", "message": ""}


async def answered(client: httpx.AsyncClient, path: str, body: Any, **query: str) -> dict[str, Any]:
    response = await client.post(path, json=body, params=query)
    assert response.status_code == 200, response.text
    return dict(response.json())


@pytest.mark.parametrize(
    "messages",
    [
        [RENT, BLANK],
        [RENT, BLANK, {"sender": "User", "message": " \n"}],
        [RENT, {"sender": "bot", "message": "12,400 euros"}, BLANK],
        [BLANK, RENT],
    ],
)
async def test_the_last_message_of_the_user_with_words_is_the_question(
    client: httpx.AsyncClient, messages: list[dict[str, str]]
) -> None:
    doc_id = await upload(client, LEASE)
    base = (await client.post("/v1/api/knowledge", json={"name": "Leases", "document_ids": [doc_id]})).json()
    for path, body in (
        (f"/v1/chat/{doc_id}", messages),
        ("/v1/api/knowledge_base_chat", {"documents": [doc_id], "messages": messages}),
        (f"/v1/api/knowledge/{base['knowledge_base_id']}/chat", {"messages": messages}),
    ):
        answer = await answered(client, path, body)
        assert answer["question"]["message"] == RENT["message"]
        assert "12,400" in answer["answer"]["message"]


async def test_blank_messages_alone_are_no_question(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE)
    response = await client.post(f"/v1/chat/{doc_id}", json=[BLANK, BLANK])
    assert response.status_code == 422
    assert response.json()["detail"][0]["msg"] == "Value error, a message of the sender 'user' must not be blank"


async def test_an_empty_list_of_messages_is_a_summary_as_none_is(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE)
    path = "/v1/api/knowledge_base_chat"
    answers = [
        (await answered(client, path, {"documents": [doc_id], **given}))["answer"]
        for given in ({}, {"messages": None}, {"messages": []})
    ]
    assert answers[0] == answers[1] == answers[2]
    assert "12,400" in answers[0]["message"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("language", "english"),
        ("language", "UKRAINIAN"),
        ("language", "Swedish"),
        ("model_name", "gpt5_2"),
        ("model_name", "Claude2"),
        ("length", "short"),
    ],
)
async def test_names_are_taken_in_any_case(client: httpx.AsyncClient, name: str, value: str) -> None:
    doc_id = await upload(client, LEASE)
    assert "12,400" in (await answered(client, f"/v1/chat/{doc_id}", [RENT], **{name: value}))["answer"]["message"]


async def test_names_that_nobody_knows_are_still_refused(client: httpx.AsyncClient) -> None:
    for query in ({"language": "KLINGON"}, {"model_name": "GPT9"}, {"length": "medium"}):
        assert (await client.post("/v1/chat/x", json=[RENT], params=query)).status_code == 422


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("DEFAULT", "There are no documents here to answer from."), ("german", "Es gibt hier keine Dokumente")],
)
async def test_a_knowledge_base_without_members_says_so(
    client: httpx.AsyncClient, language: str, sentence: str
) -> None:
    base = (await client.post("/v1/api/knowledge", json={"name": "Empty", "document_ids": []})).json()
    path = f"/v1/api/knowledge/{base['knowledge_base_id']}/chat"
    for question in ("How much is the rent?", "Summarise the documents."):
        messages = {"messages": [{"sender": "user", "message": question}]}
        answer = await answered(client, path, messages, language=language, cite_source="true")
        assert answer["answer"]["message"].startswith(sentence) and answer["sources"] == []
