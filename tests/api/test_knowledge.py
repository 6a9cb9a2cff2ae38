"""Knowledge bases over HTTP."""

import asyncio

import httpx
import pytest

from conftest import upload

pytestmark = pytest.mark.anyio

MISSING = {"detail": "Knowledge base not found"}


async def create(client: httpx.AsyncClient, name: str, *doc_ids: str) -> str:
    response = await client.post("/v1/api/knowledge", json={"name": name, "document_ids": doc_ids})
    assert response.status_code == 201, response.text
    assert list(response.json()) == ["knowledge_base_id"]
    return str(response.json()["knowledge_base_id"])


async def test_a_knowledge_base_is_read_as_it_was_made(client: httpx.AsyncClient) -> None:
    first, two = await upload(client, "One.", "one.txt"), await upload(client, "Two.", "two.txt")
    id_ = await create(client, "Both", two, first, two)
    stored = (await client.get(f"/v1/api/knowledge/{id_}")).json()
    assert stored.pop("date_time").endswith("Z")
    details = [{"doc_id": two, "name": "two.txt"}, {"doc_id": first, "name": "one.txt"}]
    assert stored == {"knowledge_base_id": id_, "name": "Both", "document_details": details, "access": "own"}


async def test_put_replaces_the_members_and_keeps_the_name_unless_one_is_given(client: httpx.AsyncClient) -> None:
    first, two = await upload(client, "One."), await upload(client, "Two.")
    id_ = await create(client, "Name", first)
    for body, name, members in [
        ({"document_ids": [two]}, "Name", [two]),
        ({"document_ids": [first, two], "name": None}, "Name", [first, two]),
        ({"document_ids": [], "name": "New"}, "New", []),
    ]:
        response = await client.put(f"/v1/api/knowledge/{id_}", json=body)
        assert response.status_code == 200
        assert response.json() == (await client.get(f"/v1/api/knowledge/{id_}")).json()
        assert response.json()["name"] == name
        assert [member["doc_id"] for member in response.json()["document_details"]] == members


async def test_an_unknown_document_changes_nothing(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, "One.")
    id_ = await create(client, "Name", doc_id)
    response = await client.put(f"/v1/api/knowledge/{id_}", json={"name": "New", "document_ids": [doc_id, "unknown"]})
    assert (response.status_code, response.json()) == (404, {"detail": "Document not found"})
    stored = (await client.get(f"/v1/api/knowledge/{id_}")).json()
    assert (stored["name"], len(stored["document_details"])) == ("Name", 1)
    assert (await client.post("/v1/api/knowledge", json={"name": "x", "document_ids": ["unknown"]})).status_code == 404
    assert len((await client.get("/v1/api/knowledge")).json()["knowledge_bases"]) == 1


async def test_a_deleted_document_leaves_its_knowledge_bases(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, "One.")
    id_ = await create(client, "Name", doc_id)
    await client.delete(f"/v1/api/documents/{doc_id}")
    assert (await client.get(f"/v1/api/knowledge/{id_}")).json()["document_details"] == []


async def test_deleting_a_knowledge_base_keeps_its_documents(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, "One.")
    id_ = await create(client, "Name", doc_id)
    response = await client.delete(f"/v1/api/knowledge/{id_}")
    assert (response.status_code, response.json()) == (200, {"message": "Knowledge base deleted"})
    for response in (await client.get(f"/v1/api/knowledge/{id_}"), await client.delete(f"/v1/api/knowledge/{id_}")):
        assert (response.status_code, response.json()) == (404, MISSING)
    assert (await client.get(f"/v1/api/documents/{doc_id}")).status_code == 200


async def test_lists_have_pages_and_an_order(client: httpx.AsyncClient) -> None:
    ids = []
    for number in range(12):
        ids.append(await create(client, f"Number {number}"))
        await asyncio.sleep(0.002)

    async def listed(query: str) -> tuple[int, list[str]]:
        listed = (await client.get(f"/v1/api/knowledge{query}")).json()
        return listed["total_pages"], [base["knowledge_base_id"] for base in listed["knowledge_bases"]]

    assert await listed("") == (2, ids[:1:-1])
    assert await listed("?page=2") == (2, ids[1::-1])
    assert await listed("?order=asc&page_size=5") == (3, ids[:5])
    assert await listed("?order=sideways") == (2, ids[:1:-1])
    assert await listed("?page=7") == (2, [])


async def test_search_takes_any_case_and_no_wildcards(client: httpx.AsyncClient) -> None:
    for name in ("Straßenbau 2024", "100 % sure", "under_score", "Ελλάδα"):
        await create(client, name)

    async def search(query: str) -> list[str]:
        response = await client.get("/v1/api/search/knowledge", params={"query": query})
        assert response.status_code == 200
        return [base["name"] for base in response.json()]

    assert await search("STRASSE") == ["Straßenbau 2024"]
    assert await search("%") == ["100 % sure"]
    assert await search("_") == ["under_score"]
    assert await search("ελλάδΑ") == ["Ελλάδα"]
    assert await search("nothing") == []
    assert len(await search("")) == 4


async def test_another_accounts_knowledge_base_does_not_exist(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
) -> None:
    doc_id = await upload(client, "One.")
    id_ = await create(client, "Secret", doc_id)
    own = await upload(stranger, "Own.")
    question = {"messages": [{"sender": "user", "message": "What?"}]}
    for response in (
        await stranger.get(f"/v1/api/knowledge/{id_}"),
        await stranger.put(f"/v1/api/knowledge/{id_}", json={"document_ids": [own]}),
        await stranger.delete(f"/v1/api/knowledge/{id_}"),
        await stranger.post(f"/v1/api/knowledge/{id_}/chat", json=question),
        await stranger.post("/v1/api/retrieve", json={"query": "rent", "knowledge_base_id": id_}),
    ):
        assert (response.status_code, response.json()) == (404, MISSING)
    assert (await stranger.get("/v1/api/search/knowledge?query=Secret")).json() == []
    assert (await client.get(f"/v1/api/knowledge/{id_}")).json()["name"] == "Secret"
