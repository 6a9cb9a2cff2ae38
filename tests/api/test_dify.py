"""Retrieval as Dify asks for it: its request, its records, its codes of errors."""

from typing import Any

import httpx
import pytest

from conftest import upload

pytestmark = pytest.mark.anyio

LEASE = "An introduction.\fThe monthly rent of the warehouse in Bergen is 12,400 euros, due on the third working day."
MENU = "On Fridays there is fish with potatoes and dill sauce."


def body(knowledge_id: str, query: str, top_k: int = 3, score_threshold: float = 0.0) -> dict[str, Any]:
    """As Dify sends it, with all of its fields."""
    setting = {"top_k": top_k, "score_threshold": score_threshold}
    return {"knowledge_id": knowledge_id, "query": query, "retrieval_setting": setting, "metadata_condition": None}


@pytest.fixture
def dify(client: httpx.AsyncClient) -> httpx.AsyncClient:
    """A client that shows its key as Dify does."""
    client.headers["Authorization"] = f"Bearer {client.headers.pop('x-api-key')}"
    return client


async def test_a_knowledge_base_a_document_or_all_documents_are_a_knowledge(dify: httpx.AsyncClient) -> None:
    lease, menu = await upload(dify, LEASE, "lease.txt"), await upload(dify, MENU, "menu.txt")
    created = await dify.post("/v1/api/knowledge", json={"name": "All", "document_ids": [lease, menu]})
    for knowledge_id in (created.json()["knowledge_base_id"], lease, "docqa"):
        answer = await dify.post("/retrieval", json=body(knowledge_id, "How much is the rent of the warehouse?", 1))
        assert answer.status_code == 200, answer.text
        [best] = answer.json()["records"]
        assert list(best) == ["content", "score", "title", "metadata"]
        assert (best["title"], best["content"]) == ("lease.txt", LEASE.partition("\f")[2])
        assert (
            best["metadata"].pop("url").startswith(f"http://localhost/#/doc/{lease}/page/2?quote=The%20monthly%20rent")
        )
        assert best["metadata"] == {"doc_id": lease, "page_number": 2}
    assert (await dify.post("/retrieval", json=body(menu, "fish on Fridays"))).json()["records"][0][
        "title"
    ] == "menu.txt"


async def test_scores_are_shares_and_the_threshold_keeps_out_what_fits_less(dify: httpx.AsyncClient) -> None:
    lease = await upload(dify, LEASE, "lease.txt")
    fitting = (await dify.post("/retrieval", json=body(lease, "monthly rent of the warehouse"))).json()["records"]
    assert 0.6 < fitting[0]["score"] <= 1
    loose = (await dify.post("/retrieval", json=body(lease, "the Bergen chess championship"))).json()["records"]
    assert 0 < loose[0]["score"] < 0.6
    strict = await dify.post("/retrieval", json=body(lease, "the Bergen chess championship", 3, 0.6))
    assert strict.json() == {"records": []}


async def test_errors_have_the_codes_of_dify(dify: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    lease = await upload(dify, LEASE)
    for authorization, code in (("", 1001), ("Basic abc", 1001), ("Bearer wrong", 1002)):
        refused = await dify.post("/retrieval", json=body(lease, "rent"), headers={"Authorization": authorization})
        assert (refused.status_code, refused.json()["error_code"]) == (403, code)
    refused = await stranger.post("/retrieval", json=body(lease, "rent"))
    assert (refused.status_code, refused.json()["error_code"]) == (404, 2001), "another account's is unknown"


async def test_the_request_by_which_dify_tries_the_key_is_neither_refused_nor_lost(dify: httpx.AsyncClient) -> None:
    """Dify posts nothing when an endpoint is set up, and takes 403, 404 and 502 for a wrong one."""
    tried = await dify.post("/retrieval")
    assert (tried.status_code, tried.json()) == (400, {"error_code": 400, "error_msg": "Field required"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": " "}, "query: Value error, must not be blank"),
        ({"retrieval_setting": {"top_k": 0}}, "retrieval_setting.top_k: Input should be greater than or equal to 1"),
        ({"retrieval_setting": {"score_threshold": 2}}, "retrieval_setting.score_threshold: Input should be less than"),
        (
            {"metadata_condition": {"logical_operator": "and", "conditions": [{"name": ["category"]}]}},
            "metadata_condition: Passages cannot be filtered by metadata here: remove the filter in Dify",
        ),
        ({"metadata_condition": 1}, "metadata_condition: Passages cannot be filtered"),
    ],
)
async def test_a_bad_request_names_its_field(dify: httpx.AsyncClient, change: dict[str, Any], message: str) -> None:
    refused = await dify.post("/retrieval", json={**body("docqa", "rent"), **change})
    assert refused.status_code == 400
    assert message in refused.json()["error_msg"]
