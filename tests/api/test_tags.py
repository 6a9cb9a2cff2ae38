"""Tags of documents, and the filters that choose documents by them and by language, kind and date, over HTTP."""

from typing import Any

import httpx
import pytest

from conftest import upload

pytestmark = pytest.mark.anyio

RENT = "The monthly rent of the warehouse is 12,400 euros."
PRICE = "The monthly rent of the boat is 61 kroner."


async def tags(client: httpx.AsyncClient, doc_id: str) -> list[str]:
    return list((await client.get(f"/v1/api/documents/{doc_id}")).json()["tags"])


async def test_a_document_is_filed_under_tags_and_keeps_its_name(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
) -> None:
    doc_id = await upload(client, RENT, "lease.txt")
    url = f"/v1/api/documents/{doc_id}"
    assert await tags(client, doc_id) == []
    response = await client.patch(url, json={"tags": [" Rent ", "Straße", "RENT", "the  ware house"]})
    assert (response.status_code, response.json()["tags"]) == (200, ["RENT", "Straße", "the ware house"])
    assert response.json() == (await client.get(url)).json() and response.json()["name"] == "lease.txt"
    assert (await stranger.patch(url, json={"tags": []})).status_code == 404
    assert (await client.patch(url, json={"name": "lease of 2021.txt"})).json()["tags"] == await tags(client, doc_id)
    assert (await client.patch(url, json={"tags": []})).json()["name"] == "lease of 2021.txt"
    assert await tags(client, doc_id) == []


@pytest.mark.parametrize(
    ("body", "msg"),
    [
        ({}, "Value error, give 'name' or 'tags', or both"),
        ({"tags": None}, "Value error, give 'name' or 'tags', or both"),
        ({"tags": ["a, b"]}, "Value error, a tag is a word or a few, without a comma"),
        ({"tags": [" "]}, "Value error, a tag is a word or a few, without a comma"),
        ({"tags": ["x" * 61]}, "String should have at most 60 characters"),
        ({"tags": [str(number) for number in range(51)]}, "Value error, a document should have at most 50 tags"),
        ({"tags": "rent"}, "Input should be a valid list"),
    ],
)
async def test_what_is_no_tag_is_refused(client: httpx.AsyncClient, body: Any, msg: str) -> None:
    doc_id = await upload(client, RENT)
    response = await client.patch(f"/v1/api/documents/{doc_id}", json=body)
    assert response.status_code == 422
    assert [fault["msg"] for fault in response.json()["detail"]] == [msg]


async def test_a_file_has_the_tags_of_its_uploads(client: httpx.AsyncClient) -> None:
    async def sent(query: str) -> httpx.Response:
        return await client.post(f"/v1/api/upload?{query}", files={"file": ("lease.txt", RENT.encode())})

    doc_id = (await sent("tag=Rent&tag=Bergen")).json()["doc_id"]
    assert await tags(client, doc_id) == ["Rent", "Bergen"]
    assert (await sent("tag=RENT&tag=2027")).json()["doc_id"] == doc_id
    assert await tags(client, doc_id) == ["RENT", "Bergen", "2027"]
    assert (await sent("tag=a,b")).json()["detail"][0]["loc"] == ["query", "tag", 0]
    full = await sent("&".join(f"tag={number}" for number in range(49)))
    assert (full.status_code, "most it may have" in full.json()["detail"]) == (413, True)
    assert await tags(client, doc_id) == ["RENT", "Bergen", "2027"]


async def test_documents_are_listed_that_fit(client: httpx.AsyncClient) -> None:
    first = await upload(client, RENT, "one.txt")
    other = await upload(client, "Die Miete der Halle beträgt 12.400 Euro im Monat.", "zwei.md")
    await client.patch(f"/v1/api/documents/{other}", json={"tags": ["Miete"]})

    async def listed(**query: str) -> list[str]:
        answer = (await client.get("/v1/api/documents", params=query)).json()
        assert answer["total_pages"] == bool(answer["documents"])
        return [document["doc_id"] for document in answer["documents"]]

    assert await listed() == [other, first]
    assert await listed(tag="MIETE") == await listed(language="GERMAN") == await listed(kind="md") == [other]
    assert await listed(date_to="2020-01-01") == await listed(tag="miete", kind="txt") == []
    day = (await client.get(f"/v1/api/documents/{first}")).json()["date"]
    assert await listed(date_from=day, date_to=day) == [other, first]
    assert (await client.get("/v1/api/documents?date_from=May")).status_code == 422


async def test_only_what_fits_answers_a_question(client: httpx.AsyncClient) -> None:
    rent, price = await upload(client, RENT, "lease.txt"), await upload(client, PRICE, "boat.txt")
    await client.patch(f"/v1/api/documents/{price}", json={"tags": ["boat"]})
    made = await client.post("/v1/api/knowledge", json={"name": "Both", "document_ids": [rent, price]})
    knowledge = f"/v1/api/knowledge/{made.json()['knowledge_base_id']}/chat"
    messages = [{"sender": "user", "message": "How much is the monthly rent?"}]
    openai = {"messages": [{"role": "user", "content": messages[0]["message"]}]}

    async def answered(path: str, **body: Any) -> str:
        response = await client.post(path, json=body)
        assert response.status_code == 200, response.text
        whole = response.json()
        return str(whole["answer"]["message"] if "answer" in whole else whole["choices"][0]["message"]["content"])

    for filters, expected in (({"tag": "Boat"}, "61 kroner"), ({"tag": "boat", "kind": "md"}, "no documents")):
        for answer in (
            await answered(knowledge, messages=messages, filters=filters),
            await answered("/v1/api/knowledge_base_chat", documents=[rent, price], messages=messages, filters=filters),
            await answered("/v1/chat/completions", model="docqa", filters=filters, **openai),
        ):
            assert expected in answer and "12,400" not in answer
    response = await client.post(knowledge, json={"messages": messages, "filters": {"kind": "zip"}})
    assert response.json()["detail"][0]["loc"] == ["body", "filters", "kind"]


async def test_a_deleted_document_keeps_no_tag(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, RENT)
    await client.patch(f"/v1/api/documents/{doc_id}", json={"tags": ["confidential"]})
    await client.delete(f"/v1/api/documents/{doc_id}")
    assert (await client.get("/v1/api/documents?tag=confidential")).json() == {"total_pages": 0, "documents": []}
    assert await tags(client, await upload(client, RENT)) == []
