"""Chats that people keep, over HTTP."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from conftest import upload
from waiting import until

pytestmark = pytest.mark.anyio

RENT = "The monthly rent of the warehouse is 12,400 euros."
FERRY = "The ferry to the island leaves every forty minutes."
MISSING = {"detail": "Chat not found"}


def turn(doc_id: str, question: str = "How much is the rent?", answer: str = f"{RENT} [1]") -> dict[str, Any]:
    source = {"id": 1, "doc_id": doc_id, "source_chunk": RENT, "page_number": 1}
    return {"question": question, "answer": answer, "written_by": "quotes", "sources": [source]}


async def keep(client: httpx.AsyncClient, title: str, doc_ids: list[str], *turns: dict[str, Any]) -> str:
    response = await client.post("/v1/api/chats", json={"title": title, "doc_ids": doc_ids, "turns": turns})
    assert response.status_code == 201, response.text
    return str(response.json()["chat_id"])


async def titles(client: httpx.AsyncClient, **query: Any) -> list[str]:
    return [chat["title"] for chat in (await client.get("/v1/api/chats", params=query)).json()["chats"]]


async def test_a_chat_is_read_as_it_was_kept_and_grows(client: httpx.AsyncClient) -> None:
    rent, ferry = await upload(client, RENT), await upload(client, FERRY)
    chat_id = await keep(client, "Rent", [ferry, rent], turn(rent))
    assert (await client.post(f"/v1/api/chats/{chat_id}/turns", json=turn(rent, "And in words?"))).status_code == 201
    chat = (await client.get(f"/v1/api/chats/{chat_id}")).json()
    assert chat.pop("date_time").endswith("Z")
    assert chat == {
        "chat_id": chat_id,
        "title": "Rent",
        "doc_ids": [ferry, rent],
        "knowledge_base_id": "",
        "turns": [turn(rent), turn(rent, "And in words?")],
    }


async def test_the_last_changed_is_listed_first_and_pages_follow_each_other(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, RENT)
    first = await keep(client, "First", [doc_id])
    await keep(client, "Second", [doc_id])
    assert await titles(client) == ["Second", "First"]
    await client.post(f"/v1/api/chats/{first}/turns", json=turn(doc_id))
    assert await titles(client) == ["First", "Second"]
    assert await titles(client, page=2, page_size=1) == ["Second"]
    assert (await client.get("/v1/api/chats", params={"page_size": 1})).json()["total_pages"] == 2


async def test_chats_are_searched_by_title_question_and_answer_in_any_case(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, RENT)
    await keep(client, "Straße", [doc_id])
    await keep(client, "Other", [doc_id], turn(doc_id))
    assert await titles(client, query="STRASSE") == ["Straße"]
    assert await titles(client, query="how MUCH") == ["Other"] == await titles(client, query="12,400 EUROS")
    assert await titles(client, query="%") == []


async def test_a_chat_is_renamed_asks_something_else_and_is_deleted(client: httpx.AsyncClient) -> None:
    rent, ferry = await upload(client, RENT), await upload(client, FERRY)
    base = {"name": "All", "document_ids": [rent, ferry]}
    base_id = (await client.post("/v1/api/knowledge", json=base)).json()["knowledge_base_id"]
    chat_id = await keep(client, "Rent", [rent], turn(rent))
    url = f"/v1/api/chats/{chat_id}"
    assert (await client.put(url, json={"title": "New", "doc_ids": [ferry]})).status_code == 200
    chat = (await client.get(url)).json()
    assert (chat["title"], chat["doc_ids"], len(chat["turns"])) == ("New", [ferry], 1)
    await client.put(url, json={"title": "New", "knowledge_base_id": base_id})
    chat = (await client.get(url)).json()
    assert (chat["knowledge_base_id"], chat["doc_ids"]) == (base_id, [])
    await client.delete(f"/v1/api/knowledge/{base_id}")
    assert (await client.get(url)).json()["knowledge_base_id"] == ""
    assert (await client.delete(url)).status_code == 200
    assert (await client.get(url)).json() == MISSING and await titles(client) == []


async def test_what_rests_on_a_deleted_document_leaves_the_chat_and_the_disk(
    client: httpx.AsyncClient, app: Starlette
) -> None:
    secret = "The combination of the safe is Quetzalcoatlus."
    safe, rent = await upload(client, secret), await upload(client, RENT)
    revealing = turn(safe, "What opens the safe?", f"{secret} [1]")
    revealing["sources"][0]["source_chunk"] = secret
    chat_id = await keep(client, "Both", [safe, rent], revealing, turn(rent))
    await client.delete(f"/v1/api/documents/{safe}")
    chat = (await client.get(f"/v1/api/chats/{chat_id}")).json()
    assert chat["doc_ids"] == [rent]
    assert chat["turns"] == [
        {"question": "What opens the safe?", "answer": "", "written_by": "quotes", "sources": []},
        turn(rent),
    ]
    assert await titles(client, query="Quetzalcoatlus") == []
    folder: Path = app.state.services.settings.data

    def is_gone() -> bool:
        return not any(b"uetzalcoatlus" in path.read_bytes() for path in folder.iterdir() if path.is_file())

    await until(is_gone, "nothing of the deleted document is in any file")


async def test_another_accounts_chats_and_documents_are_not_found(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
) -> None:
    doc_id, theirs = await upload(client, RENT), await upload(stranger, FERRY)
    chat_id = await keep(client, "Mine", [doc_id], turn(doc_id))
    url = f"/v1/api/chats/{chat_id}"
    assert await titles(stranger) == [] == await titles(stranger, query="rent")
    for response in (
        await stranger.get(url),
        await stranger.put(url, json={"title": "x"}),
        await stranger.post(f"{url}/turns", json=turn(theirs)),
        await stranger.delete(url),
    ):
        assert (response.status_code, response.json()) == (404, MISSING)
    for response in (
        await client.post(f"{url}/turns", json=turn(theirs)),
        await client.post("/v1/api/chats", json={"title": "x", "doc_ids": [theirs]}),
        await client.post("/v1/api/chats", json={"title": "x", "turns": [turn(theirs)]}),
    ):
        assert (response.status_code, response.json()) == (404, {"detail": "Document not found"})
    assert len((await client.get(url)).json()["turns"]) == 1 == len(await titles(client))


async def test_a_document_is_renamed_by_its_owner_only(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    doc_id = await upload(client, RENT, "scan0001.txt")
    url = f"/v1/api/documents/{doc_id}"
    response = await client.patch(url, json={"name": "Lease of 2021.txt"})
    assert (response.status_code, response.json()["name"]) == (200, "Lease of 2021.txt")
    assert (await client.get(url)).json() == response.json()
    assert (await stranger.patch(url, json={"name": "x"})).status_code == 404
    for name in ("", " \n", "x" * 256):
        assert (await client.patch(url, json={"name": name})).status_code == 422
    assert (await client.get(url)).json()["name"] == "Lease of 2021.txt"
