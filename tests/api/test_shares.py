"""Knowledge bases shared read-only with another account, over HTTP."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from waiting import until

pytestmark = pytest.mark.anyio

RENT = "The monthly rent of the warehouse is 12,400 euros."
ANSWER = "Quadruply checked:"  # what only the kept answer says
SECRET = "The xylograph of the harbour is worth 90,000 euros."
MISSING = {"detail": "Knowledge base not found"}
NO_DOCUMENT = {"detail": "Document not found"}
NOTHING = {"detail": "There is nothing to take for this code: it was withdrawn, or somebody has taken it."}


async def make(client: httpx.AsyncClient, *doc_ids: str, name: str = "Rents") -> str:
    response = await client.post("/v1/api/knowledge", json={"name": name, "document_ids": doc_ids})
    return str(response.json()["knowledge_base_id"])


async def share(client: httpx.AsyncClient, base: str, **about: Any) -> dict[str, str]:
    response = await client.post(f"/v1/api/knowledge/{base}/shares", json={"name": "Kari", **about})
    assert response.status_code == 201, response.text
    return dict(response.json())


async def take(client: httpx.AsyncClient, code: str) -> httpx.Response:
    return await client.post("/v1/api/shares", json={"code": code})


def ask(question: str) -> dict[str, Any]:
    return {"messages": [{"sender": "user", "message": question}]}


@pytest.fixture
async def lent(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> dict[str, str]:
    """A knowledge base that the stranger has taken, and a document that is not in it."""
    rent, secret = await upload(client, RENT, "rent.txt"), await upload(client, SECRET, "secret.txt")
    base = await make(client, rent)
    made = await share(client, base)
    taken = await take(stranger, made["code"])
    assert (taken.status_code, taken.json()["name"], taken.json()["access"]) == (201, "Rents", "read")
    return {"rent": rent, "secret": secret, "base": base, "share": made["share_id"], "code": made["code"]}


async def test_what_was_shared_is_listed_searched_asked_and_read(
    stranger: httpx.AsyncClient, lent: dict[str, str]
) -> None:
    base, rent = lent["base"], lent["rent"]
    own = await upload(stranger, "My own notes.")
    [listed] = (await stranger.get("/v1/api/knowledge")).json()["knowledge_bases"]
    assert listed == (await stranger.get(f"/v1/api/knowledge/{base}")).json()
    assert listed["document_details"] == [{"doc_id": rent, "name": "rent.txt"}]
    assert (await stranger.get("/v1/api/search/knowledge?query=RENT")).json() == [listed]
    inside = (await stranger.get(f"/v1/api/documents?knowledge_base_id={base}")).json()["documents"]
    assert [document["name"] for document in inside] == ["rent.txt"]
    library = (await stranger.get("/v1/api/documents")).json()["documents"]
    assert [document["doc_id"] for document in library] == [own], "the library holds what is one's own"
    models = [model["id"] for model in (await stranger.get("/v1/models")).json()["data"]]
    assert any(model.startswith("kb-Rents~") for model in models)

    question = "How much is the monthly rent?"
    for path, body in (
        (f"/v1/api/knowledge/{base}/chat", ask(question)),
        (f"/v1/chat/{rent}", ask(question)["messages"]),
        ("/v1/api/knowledge_base_chat", {"documents": [rent, own], **ask(question)}),
    ):
        answer = (await stranger.post(f"{path}?cite_source=true", json=body)).json()
        assert "12,400" in answer["answer"]["message"] and answer["sources"][0]["doc_id"] == rent
    for place in ({"knowledge_base_id": base}, {"doc_ids": [rent]}):
        [passage] = (await stranger.post("/v1/api/retrieve", json={"query": "rent", **place})).json()["results"]
        assert passage["source_chunk"] == RENT
    assert (await stranger.post("/v1/api/retrieve", json={"query": "rent"})).json()["results"] == []
    assert (await stranger.get(f"/v1/api/documents/{rent}/pages/1")).json()["text"] == RENT
    places = (await stranger.get(f"/v1/api/documents/{rent}/pages", params={"highlight": RENT})).json()
    assert [place["page_number"] for place in places["places"]] == [1]
    assert (await stranger.get(f"/v1/api/documents/{rent}/status")).status_code == 200


async def test_a_shared_page_is_seen_as_a_picture(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, app: Starlette
) -> None:
    data = (Path(__file__).parents[1] / "files" / "report.pdf").read_bytes()
    added = await client.post("/v1/api/upload", files={"file": ("report.pdf", data)})
    doc_id = added.json()["doc_id"]
    picture = f"/v1/api/documents/{doc_id}/pages/1.png?width=200"
    assert (await stranger.get(picture)).json() == NO_DOCUMENT
    base = await make(client, doc_id)
    await take(stranger, (await share(client, base))["code"])
    drawn = await stranger.get(picture)
    assert (drawn.status_code, drawn.headers["content-type"]) == (200, "image/png")
    await client.delete(f"/v1/api/knowledge/{base}")
    assert (await stranger.get(picture, headers={"If-None-Match": drawn.headers["etag"]})).json() == NO_DOCUMENT


async def test_nothing_else_of_the_owner_is_seen(stranger: httpx.AsyncClient, lent: dict[str, str]) -> None:
    secret = lent["secret"]
    for part in ("", "/status", "/file", "/pages", "/pages/1", "/pages/1.png"):
        response = await stranger.get(f"/v1/api/documents/{secret}{part}")
        assert (response.status_code, response.json()) == (404, NO_DOCUMENT)
    for path, body in (
        (f"/v1/chat/{secret}", ask("xylograph")["messages"]),
        ("/v1/api/retrieve", {"query": "xylograph", "doc_ids": [lent["rent"], secret]}),
        ("/v1/api/knowledge", {"name": "x", "document_ids": [secret]}),
    ):
        assert (await stranger.post(path, json=body)).json() == NO_DOCUMENT
    answer = await stranger.post(f"/v1/api/knowledge/{lent['base']}/chat", json=ask("What is the xylograph worth?"))
    assert "90,000" not in answer.text
    assert (await stranger.get(f"/v1/api/knowledge/{lent['base']}/shares")).status_code == 403


async def test_the_reader_changes_nothing(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, lent: dict[str, str]
) -> None:
    base, rent = lent["base"], lent["rent"]
    before = (await client.get(f"/v1/api/knowledge/{base}")).json()
    own = await upload(stranger, "My own notes.")
    refused = [
        await stranger.put(f"/v1/api/knowledge/{base}", json={"document_ids": [own]}),
        await stranger.post(f"/v1/api/knowledge/{base}/shares", json={"name": "Ola"}),
        await stranger.delete(f"/v1/api/knowledge/{base}/shares/{lent['share']}"),
        await stranger.patch(f"/v1/api/documents/{rent}", json={"name": "x", "tags": ["mine"]}),
        await stranger.delete(f"/v1/api/documents/{rent}"),
        await stranger.post("/v1/api/knowledge", json={"name": "Mine", "document_ids": [own, rent]}),
    ]
    assert [response.status_code for response in refused] == [403] * 6
    assert {response.json()["detail"] for response in refused} == {
        "Rents was shared with you: you may read and ask it, and its owner alone may change it.",
        "This document belongs to somebody else, who has shared it with you: you may read and ask it.",
    }
    assert (await client.get(f"/v1/api/knowledge/{base}")).json() == before
    assert (await client.get(f"/v1/api/documents/{rent}")).json()["tags"] == []


async def test_the_files_are_downloaded_only_where_they_were_shared(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, lent: dict[str, str]
) -> None:
    file = f"/v1/api/documents/{lent['rent']}/file"
    refused = await stranger.get(file)
    assert refused.status_code == 403 and "without its file" in refused.json()["detail"]
    taken = await take(stranger, (await share(client, lent["base"], originals=True))["code"])
    assert taken.json()["access"] == "originals"
    assert (await stranger.get(file)).text == RENT
    shares = (await client.get(f"/v1/api/knowledge/{lent['base']}/shares")).json()
    assert [(each["name"], each["originals"], bool(each["taken"])) for each in shares] == [("Kari", True, True)], (
        "a reader has one share of a knowledge base, the last one taken"
    )


async def test_a_code_never_begins_like_an_option_of_a_command(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_urlsafe", lambda size: "-Jx" * size)
    made = await share(client, await make(client, await upload(client, RENT, "rent.txt")))
    assert made["code"][0].isalpha(), "`docqa kb take CODE` would take it for an option"
    assert (await take(stranger, made["code"])).status_code == 201


async def test_a_code_is_good_for_the_account_that_takes_it_first(
    app: Starlette, client: httpx.AsyncClient, stranger: httpx.AsyncClient, lent: dict[str, str]
) -> None:
    assert (await take(stranger, lent["code"])).status_code == 201, "once more does no harm"
    async with client_of(app, await key_for(app, "carol")) as third:
        for code in (lent["code"], "guessed"):
            response = await take(third, code)
            assert (response.status_code, response.json()) == (404, NOTHING)
        assert (await third.get(f"/v1/api/knowledge/{lent['base']}")).json() == MISSING
        assert (await third.get(f"/v1/api/documents/{lent['rent']}")).json() == NO_DOCUMENT
        own = await share(client, lent["base"])
        assert (await take(client, own["code"])).json()["access"] == "own", "its owner sees what the link leads to"
        assert (await take(third, own["code"])).status_code == 201, "and has not taken it"


async def kept_chat(reader: httpx.AsyncClient, lent: dict[str, str]) -> str:
    source = {"id": 1, "doc_id": lent["rent"], "source_chunk": RENT, "page_number": 1}
    answer = f"{ANSWER} {RENT} [1]"
    turn = {"question": "How much?", "answer": answer, "written_by": "quotes", "sources": [source]}
    own = {"question": "And mine?", "answer": "Nothing.", "written_by": "quotes", "sources": []}
    body = {"title": "Rent", "doc_ids": [], "knowledge_base_id": lent["base"], "turns": [turn, own]}
    response = await reader.post("/v1/api/chats", json=body)
    assert response.status_code == 201, response.text
    chat_id = response.json()["chat_id"]
    assert (await reader.get(f"/v1/api/chats/{chat_id}")).json()["turns"] == [turn, own]
    return str(chat_id)


async def withdraw(client: httpx.AsyncClient, lent: dict[str, str]) -> httpx.Response:
    return await client.delete(f"/v1/api/knowledge/{lent['base']}/shares/{lent['share']}")


async def delete_base(client: httpx.AsyncClient, lent: dict[str, str]) -> httpx.Response:
    return await client.delete(f"/v1/api/knowledge/{lent['base']}")


async def take_out(client: httpx.AsyncClient, lent: dict[str, str]) -> httpx.Response:
    return await client.put(f"/v1/api/knowledge/{lent['base']}", json={"document_ids": [lent["secret"]]})


async def delete_document(client: httpx.AsyncClient, lent: dict[str, str]) -> httpx.Response:
    return await client.delete(f"/v1/api/documents/{lent['rent']}")


def stored_bytes(app: Starlette) -> bytes:
    data: Path = app.state.services.settings.data
    return b"".join((data / name).read_bytes() for name in ("docqa.sqlite", "docqa.sqlite-wal"))


@pytest.mark.parametrize("end", [withdraw, delete_base, take_out, delete_document])
async def test_what_is_no_longer_shared_is_gone_at_once_also_from_kept_chats(
    app: Starlette, client: httpx.AsyncClient, stranger: httpx.AsyncClient, lent: dict[str, str], end: Any
) -> None:
    chat = f"/v1/api/chats/{await kept_chat(stranger, lent)}"
    mine = await client.post(
        "/v1/api/chats", json={"title": "Mine", "doc_ids": [lent["rent"]], "knowledge_base_id": None}
    )
    assert ANSWER.encode() in stored_bytes(app)
    assert (await end(client, lent)).status_code == 200
    for path in ("", "/status", "/pages/1", "/file"):
        assert (await stranger.get(f"/v1/api/documents/{lent['rent']}{path}")).json() == NO_DOCUMENT
    assert (await stranger.post(f"/v1/chat/{lent['rent']}", json=ask("rent")["messages"])).json() == NO_DOCUMENT
    kept = (await stranger.get(chat)).json()
    assert [(turn["question"], turn["answer"], turn["sources"]) for turn in kept["turns"]] == [
        ("How much?", "", []),
        ("And mine?", "Nothing.", []),
    ]
    assert (await stranger.get("/v1/api/chats?query=12,400")).json()["chats"] == []
    still = end in (take_out, delete_document)
    assert bool(kept["knowledge_base_id"]) == still
    assert bool((await stranger.get("/v1/api/knowledge")).json()["knowledge_bases"]) == still
    kept_by_owner = (await client.get(f"/v1/api/chats/{mine.json()['chat_id']}")).json()["doc_ids"]
    assert kept_by_owner == ([] if end is delete_document else [lent["rent"]])
    if end is withdraw:
        assert (await take(stranger, lent["code"])).json() == NOTHING
        async with app.state.services.db.read() as conn:
            [(left,)] = await conn.execute_fetchall("SELECT count(*) FROM turn_source")
        assert left == 0
    await until(lambda: ANSWER.encode() not in stored_bytes(app), "neither file nor log keeps a byte of the answer")


async def test_a_reader_gives_back_what_was_shared(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, lent: dict[str, str]
) -> None:
    chat = f"/v1/api/chats/{await kept_chat(stranger, lent)}"
    assert (await stranger.delete(f"/v1/api/knowledge/{lent['base']}")).status_code == 200
    assert (await stranger.get(f"/v1/api/knowledge/{lent['base']}")).json() == MISSING
    assert (await stranger.get(chat)).json()["turns"][0]["answer"] == ""
    assert (await client.get(f"/v1/api/knowledge/{lent['base']}")).json()["document_details"]
    assert (await client.get(f"/v1/api/knowledge/{lent['base']}/shares")).json() == []


async def test_a_document_in_two_shared_knowledge_bases_stays_with_one(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, lent: dict[str, str]
) -> None:
    chat = f"/v1/api/chats/{await kept_chat(stranger, lent)}"
    other = await make(client, lent["rent"], name="Others")
    await take(stranger, (await share(client, other))["code"])
    await withdraw(client, lent)
    assert (await stranger.get(f"/v1/api/documents/{lent['rent']}")).status_code == 200
    assert "12,400" in (await stranger.get(chat)).json()["turns"][0]["answer"]


async def test_shares_are_listed_and_have_a_limit(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    base = await make(client, await upload(client, RENT))
    shares = f"/v1/api/knowledge/{base}/shares"
    assert (await client.get(shares)).json() == []
    made = await share(client, base, name="Ola", originals="yes")
    [listed] = (await client.get(shares)).json()
    assert listed.pop("created").endswith("Z")
    assert listed == {"share_id": made["share_id"], "name": "Ola", "originals": True, "taken": None}
    assert (await client.delete(f"{shares}/unknown")).json() == {"detail": "Share not found"}
    assert (await client.post(shares, json={"name": " "})).status_code == 422
    for response in (await stranger.get(shares), await stranger.post(shares, json={"name": "x"})):
        assert (response.status_code, response.json()) == (404, MISSING)
    for _ in range(99):
        await share(client, base)
    full = await client.post(shares, json={"name": "x"})
    assert (full.status_code, "Withdraw some first" in full.json()["detail"]) == (413, True)
