"""Knowledge bases exported as a ZIP and imported from one, over HTTP."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from docqa.api.app import create
from docqa.ingest import zipped
from docqa.settings import Settings

pytestmark = pytest.mark.anyio

RENT = "The monthly rent of the warehouse is 12,400 euros."
TABLE = "Flat;Rent\nHill;1200\nPark;1050\n"


async def make(client: httpx.AsyncClient, *doc_ids: str, name: str = "Rents / 2027") -> str:
    response = await client.post("/v1/api/knowledge", json={"name": name, "document_ids": doc_ids})
    return str(response.json()["knowledge_base_id"])


async def export(client: httpx.AsyncClient, base: str) -> bytes:
    response = await client.get(f"/v1/api/knowledge/{base}/export")
    assert (response.status_code, response.headers["content-type"]) == (200, "application/zip")
    return response.content


async def take_in(client: httpx.AsyncClient, content: bytes) -> httpx.Response:
    return await client.post("/v1/api/knowledge/import", files={"file": ("base.zip", content)})


async def documents(client: httpx.AsyncClient) -> dict[str, list[str]]:
    """The tags of the documents by their names."""
    listed = (await client.get("/v1/api/documents?page_size=100")).json()["documents"]
    return {document["name"]: document["tags"] for document in listed}


@pytest.fixture
async def base(client: httpx.AsyncClient) -> str:
    """Two documents, renamed and filed, of which one no longer tells its kind by its name."""
    rent, table = await upload(client, RENT, "lease.txt"), await upload(client, TABLE, "rents.csv")
    await client.patch(f"/v1/api/documents/{rent}", json={"name": "Lease: Bergen/Oslo.txt", "tags": ["Rent", "Æ"]})
    await client.patch(f"/v1/api/documents/{table}", json={"name": "The rents"})
    return await make(client, table, rent)


async def test_an_export_is_a_zip_of_the_files_and_a_manifest(client: httpx.AsyncClient, base: str) -> None:
    response = await client.get(f"/v1/api/knowledge/{base}/export")
    assert response.headers["content-disposition"] == "attachment; filename*=UTF-8''Rents%20%2F%202027.zip"
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["files/0001/The rents.csv", "files/0002/Lease- Bergen-Oslo.txt", "manifest.json"]
        assert archive.read("files/0002/Lease- Bergen-Oslo.txt").decode() == RENT
        manifest = json.loads(archive.read("manifest.json"))
    assert (manifest["format"], manifest["version"], manifest["name"]) == ("docqa-knowledge-base", 1, "Rents / 2027")
    assert [(each["name"], each["tags"]) for each in manifest["documents"]] == [
        ("The rents", []),
        ("Lease: Bergen/Oslo.txt", ["Rent", "Æ"]),
    ]


async def test_what_was_exported_is_the_same_in_another_account(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, base: str
) -> None:
    answer = await take_in(stranger, await export(client, base))
    assert answer.status_code == 201, answer.text
    made = answer.json()
    knowledge_base_id = made.pop("knowledge_base_id")
    assert made == {"name": "Rents / 2027", "added": 2, "present": 0, "refused": []}
    assert await documents(stranger) == await documents(client)
    stored = (await stranger.get(f"/v1/api/knowledge/{knowledge_base_id}")).json()
    assert [member["name"] for member in stored["document_details"]] == ["The rents", "Lease: Bergen/Oslo.txt"]
    question = {"messages": [{"sender": "user", "message": "How many flats have a rent above 1,100?"}]}
    counted = await stranger.post(f"/v1/api/knowledge/{knowledge_base_id}/chat", json=question)
    assert counted.headers["x-docqa-target"] == "table", "a CSV is one again"


async def test_an_import_skips_what_is_there_and_adds_to_the_knowledge_base(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, base: str
) -> None:
    own = await upload(stranger, RENT, "my lease.txt")
    await stranger.patch(f"/v1/api/documents/{own}", json={"tags": ["mine"]})
    other = await upload(stranger, "Something else.", "else.txt")
    known = await make(stranger, other)
    content = await export(client, base)
    for added, present in ((1, 1), (0, 2)):
        made = (await take_in(stranger, content)).json()
        assert (made["knowledge_base_id"], made["added"], made["present"]) == (known, added, present)
    assert await documents(stranger) == {"my lease.txt": ["mine"], "else.txt": [], "The rents": []}
    assert len((await stranger.get(f"/v1/api/knowledge/{known}")).json()["document_details"]) == 3
    assert len((await stranger.get("/v1/api/knowledge")).json()["knowledge_bases"]) == 1


def packed(files: dict[str, bytes], **manifest: Any) -> bytes:
    """A ZIP as somebody else makes it."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        listed = [{"file": name, "name": name} for name in files]
        whole = {"format": "docqa-knowledge-base", "version": 1, "name": "Made", "documents": listed, **manifest}
        archive.writestr("manifest.json", json.dumps(whole))
    return target.getvalue()


async def test_a_document_that_cannot_be_read_is_refused_and_the_others_are_added(client: httpx.AsyncClient) -> None:
    made = (await take_in(client, packed({"a.txt": RENT.encode(), "b.exe": b"MZ\x90\x00\x03" * 99}))).json()
    assert (made["added"], [refused["name"] for refused in made["refused"]]) == (1, ["b.exe"])
    assert "upload" in made["refused"][0]["reason"] or "." in made["refused"][0]["reason"]
    assert list(await documents(client)) == ["a.txt"]


def damaged() -> bytes:
    whole = bytearray(packed({"a.txt": b"x" * 50}))
    whole[40] ^= 0xFF
    return bytes(whole)


def with_bzip2() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("manifest.json", "{}")
    return target.getvalue()


def of_many() -> bytes:
    """A directory of 1.3 MB, of which zipfile would make an object for each of its entries."""
    entry = b"PK\x01\x02" + bytes(24) + (1).to_bytes(2, "little") + bytes(16) + b"a"
    directory = entry * 28_000
    end = b"PK\x05\x06" + bytes(8) + len(directory).to_bytes(4, "little") + bytes(4) + bytes(2)
    return directory + end


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no exported knowledge base"),
        (b"PK\x05\x06", "no exported knowledge base"),
        (RENT.encode() * 9, "no exported knowledge base"),
        (packed({})[:-30], "no exported knowledge base"),
        (packed({"a.txt": b"x"}, documents=[{"file": "other.txt", "name": "x"}]), "It holds no other.txt"),
        (packed({}, documents=[{"file": "manifest.json"}]), "Field required"),
        (packed({}, documents={"a": 1}), "Input should be a valid list"),
        (packed({}, format="other"), "Input should be 'docqa-knowledge-base'"),
        (packed({}, version=2), "Input should be less than or equal to 1"),
        (packed({"a": b"x"}, documents=[{"file": "a", "name": "a", "tags": ["a,b"]}]), "without a comma"),
        (with_bzip2(), "compressed in a way that is not read"),
        (of_many(), "Its directory is larger than can be read"),
    ],
)
async def test_what_is_no_export_is_refused_in_a_sentence(client: httpx.AsyncClient, content: bytes, said: str) -> None:
    response = await take_in(client, content)
    assert response.status_code == 422
    [fault, *_] = response.json()["detail"]
    assert said in fault["msg"] and fault["loc"][:2] == ["body", "file"]
    assert (await client.get("/v1/api/knowledge")).json()["knowledge_bases"] == []


async def test_a_damaged_file_in_it_is_refused_by_its_name(client: httpx.AsyncClient) -> None:
    made = (await take_in(client, damaged())).json()
    assert made["added"] == 0 and "It cannot be unpacked" in made["refused"][0]["reason"]


async def test_an_import_is_held_to_the_limits_of_uploads(tmp_path: Path) -> None:
    settings = Settings(
        data=tmp_path / "data", embedder="none", models=tmp_path / "none", upload_mb=1, account_documents=1
    )
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        bomb = await take_in(client, packed({"a.txt": bytes(3 << 20)}))
        assert (bomb.status_code, "more than 1 MB together" in bomb.json()["detail"]) == (413, True)
        assert (await take_in(client, bytes(2 << 20))).status_code == 413
        full = await take_in(client, packed({"a.txt": RENT.encode(), "b.txt": TABLE.encode()}))
        assert (full.status_code, "most it may keep" in full.json()["detail"]) == (413, True)
        assert list(await documents(client)) == ["a.txt"], "what came first stays, and is skipped the next time"


async def test_a_shared_knowledge_base_is_exported_only_with_its_originals(
    app: Starlette, client: httpx.AsyncClient, stranger: httpx.AsyncClient, base: str
) -> None:
    path = f"/v1/api/knowledge/{base}/export"
    assert (await stranger.get(path)).json() == {"detail": "Knowledge base not found"}
    for originals, status in ((False, 403), (True, 200)):
        code = (
            await client.post(f"/v1/api/knowledge/{base}/shares", json={"name": "Kari", "originals": originals})
        ).json()["code"]
        await stranger.post("/v1/api/shares", json={"code": code})
        assert (await stranger.get(path)).status_code == status


async def test_what_is_deleted_while_it_is_exported_is_left_out(client: httpx.AsyncClient, app: Starlette) -> None:
    first, other = await upload(client, RENT, "lease.txt"), await upload(client, TABLE, "rents.csv")
    services = app.state.services
    pieces = zipped.packed(services.db, services.lanes.copies, 1, "Rents", [first, other])
    content = await anext(pieces)
    await client.delete(f"/v1/api/documents/{other}")
    content += b"".join([piece async for piece in pieces])
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None and archive.namelist() == ["files/0001/lease.txt", "manifest.json"]
        assert len(json.loads(archive.read("manifest.json"))["documents"]) == 1
