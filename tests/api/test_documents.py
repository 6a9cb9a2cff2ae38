"""Documents over HTTP, without models: adding, listing, reading, deleting, and whose they are."""

import asyncio
import mimetypes
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, upload
from docqa.api.app import ENDPOINTS
from docqa.ingest.spool import PIECE
from later import Later
from waiting import until

openapi_spec_validator = Later("openapi_spec_validator")
pytestmark = pytest.mark.anyio

LEASE = "The lease of the warehouse in Bergen ends on 31 March 2027.\n\nThe monthly rent is 12,400 euros."
MISSING = {"detail": "Document not found"}


async def test_without_a_key_nothing_is_said(app: Starlette) -> None:
    async with client_of(app) as nobody:
        for method, path in [
            ("GET", "/v1/api/documents"),
            ("POST", "/v1/chat/x?page=no"),
            ("POST", "/v1/api/upload"),
            ("GET", "/v1/api/models"),
        ]:
            response = await nobody.request(method, path)
            assert response.status_code == 401
            assert "x-api-key" in response.json()["detail"]
        assert (await nobody.get("/v1/api/documents", headers={"x-api-key": "wrong"})).status_code == 401
        assert (await nobody.get("/v1/nothing")).status_code == 404
        assert (await nobody.get("/healthz")).json()["status"] == "ok"


async def test_an_upload_becomes_a_document(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/api/upload", files={"file": ("lease.txt", LEASE.encode())})
    assert response.status_code == 201
    doc_id = response.json()["doc_id"]
    assert response.json() == {"doc_id": doc_id, "docId": doc_id}
    document = (await client.get(f"/v1/api/documents/{doc_id}")).json()
    assert document["name"] == "lease.txt"
    assert document["language"] == "en"
    assert document["pages"] == 1
    assert document["shareable"] is False
    assert document["date_time"].endswith("Z") and len(document["date_time"]) == 24
    listed = (await client.get("/v1/api/documents")).json()
    assert [document["doc_id"] for document in listed["documents"]] == [doc_id]
    assert listed["total_pages"] == 1


async def test_the_summary_follows_in_the_background(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE)

    async def status() -> dict[str, Any]:
        return dict((await client.get(f"/v1/api/documents/{doc_id}/status")).json())

    async def ready() -> bool:
        return (await status())["state"] == "ready"

    await until(ready, "the document is ready")
    assert await status() == {
        "doc_id": doc_id,
        "state": "ready",
        "pages": 1,
        "pages_unread": 0,
        "chunks": 1,
        "chunks_done": 0,
        "message": "",
    }
    assert "12,400" in (await client.get(f"/v1/api/documents/{doc_id}")).json()["summary"]
    assert (await client.get("/healthz")).json()["indexing"] == 0


async def test_the_same_bytes_are_the_same_document_for_one_account(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
) -> None:
    first = await upload(client, LEASE)
    assert await upload(client, LEASE, "another name.txt") == first
    assert await upload(stranger, LEASE) != first
    both = await asyncio.gather(*(upload(client, LEASE + " Twice at once.") for _ in range(4)))
    assert len(set(both)) == 1


async def test_the_original_comes_back_byte_for_byte(client: httpx.AsyncClient) -> None:
    data = "Ein Satz mit Umlauten: äöü.\r\n".encode("cp1252")
    doc_id = (await client.post("/v1/api/upload", files={"file": ("ä b.txt", data, "text/plain")})).json()["doc_id"]
    response = await client.get(f"/v1/api/documents/{doc_id}/file")
    assert response.content == data
    assert response.headers["content-disposition"] == "attachment; filename*=UTF-8''%C3%A4%20b.txt"


async def test_a_large_original_comes_back_byte_for_byte(client: httpx.AsyncClient, app: Starlette) -> None:
    data = (LEASE * 10_000).encode()
    doc_id = (await client.post("/v1/api/upload", files={"file": ("lease.txt", data)})).json()["doc_id"]
    response = await client.get(f"/v1/api/documents/{doc_id}/file")
    assert response.content == data and int(response.headers["content-length"]) == len(data) > 3 * PIECE
    async with app.state.services.db.read() as conn:
        sizes = await conn.execute_fetchall("SELECT length(bytes) FROM original_piece ORDER BY start")
    assert [size for (size,) in sizes][:-1] == [PIECE] * (len(data) // PIECE), (
        "no value of the database is a whole file"
    )


async def test_pages_are_counted_from_one(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, "First page.\fSecond page.")
    assert (await client.get(f"/v1/api/documents/{doc_id}/pages/2")).json() == {
        "doc_id": doc_id,
        "page_number": 2,
        "text": "Second page.",
    }
    for number in ("0", "3", "-1", "x", "9" * 30, "²"):
        assert (await client.get(f"/v1/api/documents/{doc_id}/pages/{number}")).status_code == 404


async def test_another_accounts_document_does_not_exist(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEASE)
    question = [{"sender": "user", "message": "How much is the rent?"}]
    for path in (
        f"/v1/api/documents/{doc_id}",
        f"/v1/api/documents/{doc_id}/status",
        f"/v1/api/documents/{doc_id}/file",
        f"/v1/api/documents/{doc_id}/pages/1",
    ):
        response = await stranger.get(path)
        assert (response.status_code, response.json()) == (404, MISSING)
    for response in (
        await stranger.delete(f"/v1/api/documents/{doc_id}"),
        await stranger.post(f"/v1/chat/{doc_id}", json=question),
        await stranger.post("/v1/api/knowledge_base_chat", json={"documents": [doc_id], "messages": question}),
        await stranger.post("/v1/api/knowledge", json={"name": "stolen", "document_ids": [doc_id]}),
        await stranger.post("/v1/api/retrieve", json={"query": "rent", "doc_ids": [doc_id]}),
        await stranger.get("/v1/api/documents/unknown"),
    ):
        assert (response.status_code, response.json()) == (404, MISSING)
    assert (await client.get(f"/v1/api/documents/{doc_id}")).status_code == 200


async def test_lists_are_newest_first_and_end(client: httpx.AsyncClient) -> None:
    ids = [await upload(client, f"Document number {number}.") for number in range(5)]
    first = (await client.get("/v1/api/documents?page_size=2")).json()
    assert first["total_pages"] == 3
    assert [document["doc_id"] for document in first["documents"]] == ids[:2:-1]
    assert [
        document["doc_id"]
        for document in (await client.get("/v1/api/documents?page=3&page_size=2")).json()["documents"]
    ] == ids[:1]
    assert (await client.get("/v1/api/documents?page=4&page_size=2")).json() == {"total_pages": 3, "documents": []}
    assert (await client.get(f"/v1/api/documents?page={'9' * 30}")).json()["documents"] == []


async def test_an_empty_account_has_no_pages(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v1/api/documents")).json() == {"total_pages": 0, "documents": []}


async def test_a_deleted_document_leaves_no_byte_of_its_text(client: httpx.AsyncClient, app: Starlette) -> None:
    doc_id = await upload(client, "The codeword is Xylophonquartett. " * 300, "Xylophonquartett.txt")
    await upload(client, "Something that stays.")
    folder: Path = app.state.services.settings.data

    def places() -> list[str]:
        return [path.name for path in folder.iterdir() if b"ylophonquartett" in path.read_bytes()]

    assert places()
    response = await client.delete(f"/v1/api/documents/{doc_id}")
    assert response.status_code == 200
    assert response.json() == {"message": "Document deleted"}
    assert (await client.get(f"/v1/api/documents/{doc_id}")).status_code == 404
    await until(lambda: places() == [], "every byte of it is erased", pause=0.1)
    assert (await client.delete(f"/v1/api/documents/{doc_id}")).status_code == 404


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.exe", b"MZ\x90\x00", "supported"),
        ("a.txt", b"", "empty"),
        ("a.txt", b" \n\t\n ", "empty"),
        ("a.pdf", b"%PDF-1.7\ngarbage", "PDF"),
        ("a.pptx", b"PK\x03\x04garbage", "damaged"),
        ("a.pdf", b"<!doctype html><html><body>Please log in</body></html>", "HTML"),
        ("a.eml", b"<!doctype html><html><body>Please log in</body></html>", "HTML"),
    ],
)
async def test_a_file_that_cannot_be_read_is_refused_with_the_reason(
    client: httpx.AsyncClient, name: str, data: bytes, sentence: str
) -> None:
    response = await client.post("/v1/api/upload", files={"file": (name, data, mimetypes.guess_type(name)[0])})
    assert response.status_code == 422
    [fault] = response.json()["detail"]
    assert fault["loc"] == ["body", "file"]
    assert sentence in fault["msg"]
    assert (await client.get("/v1/api/documents")).json()["documents"] == []


async def test_browsers_may_call_from_anywhere(app: Starlette, client: httpx.AsyncClient) -> None:
    async with client_of(app) as browser:
        requests = {
            "Origin": "https://example.org",
            "Access-Control-Request-Method": "DELETE",
            "Access-Control-Request-Headers": "x-api-key",
        }
        preflight = await browser.options("/v1/api/documents/x", headers=requests)
        assert preflight.status_code == 200
        assert preflight.headers["access-control-allow-origin"] == "*"
        refused = await browser.get("/v1/api/documents", headers={"Origin": "https://example.org"})
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, "*")
    assert (await client.get("/v1/api/documents", headers={"Origin": "https://example.org"})).headers[
        "access-control-allow-origin"
    ] == "*"


async def test_models_are_listed_by_get_and_post(client: httpx.AsyncClient) -> None:
    listed = (await client.get("/v1/api/models")).json()
    assert listed == [
        {
            "name": "QUOTES",
            "max_tokens": 2048,
            "is_paid_model": False,
            "model_provider_name": "quotes from your documents (no language model)",
        }
    ], "no GPT5_2 where none runs"
    assert (await client.post("/v1/api/models")).json() == listed


async def test_too_large_a_body_is_413(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/api/knowledge", content=b'{"name": "' + b"x" * (3 << 20) + b'"}')
    assert response.status_code == 413
    assert "2 MB" in response.json()["detail"]


async def test_the_api_describes_itself_validly_and_wholly(app: Starlette, client: httpx.AsyncClient) -> None:
    async with client_of(app) as nobody:
        described = (await nobody.get("/openapi.json")).json()
    openapi_spec_validator.OpenAPIV31SpecValidator(described).validate()
    assert {(path, method) for path, methods in described["paths"].items() for method in methods} == {
        (endpoint.path, method.lower()) for endpoint in ENDPOINTS for method in endpoint.methods
    }
    assert described["paths"]["/v1/api/knowledge_base_chat"]["post"]["deprecated"] is True


async def test_passages_are_retrieved_from_the_documents_that_fit_the_filters(client: httpx.AsyncClient) -> None:
    english = await upload(client, LEASE, "lease.txt")
    german = await upload(
        client, "Die Miete der Halle beträgt 12.400 Euro im Monat. Der Vertrag endet 2027.", "Miete.md"
    )

    async def documents(**filters: str) -> set[str]:
        body = {"query": "12,400 12.400 rent Miete", "doc_ids": [english, german], **filters}
        response = await client.post("/v1/api/retrieve", json=body)
        assert response.status_code == 200, response.text
        return {result["doc_id"] for result in response.json()["results"]}

    assert await documents() == {english, german}
    assert await documents(language="de") == await documents(language="German") == {german}
    assert await documents(kind="TXT") == {english}
    assert await documents(date_from="2020-01-01") == {english, german}
    assert await documents(date_to="2020-01-01") == set()
    await client.patch(f"/v1/api/documents/{german}", json={"tags": ["Lager"]})
    assert await documents(tag="LAGER") == {german}
