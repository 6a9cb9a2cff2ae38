"""A message becomes a document, and so do the files it carries: together, in the same account, named after it."""

import asyncio
import io
from email.message import EmailMessage
from typing import Any

import httpx
import pymupdf
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for
from docqa.formats.mail.attached import MOST
from docqa.ingest.attachments import read_attachments
from docqa.ingest.prepared import Carried, Prepared
from docqa.ingest.spool import Spool

pytestmark = pytest.mark.anyio

BODY = "The new moorings are delivered on 14 April 2026."
DEPTHS = "The depth at the eastern quay is 6.4 metres."


def make_pdf(text: str) -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), text)
    return bytes(document.tobytes())


def message(*files: tuple[str, bytes], subject: str = "Offer") -> bytes:
    made = EmailMessage()
    made["From"], made["Subject"] = "Ada King <ada@example.org>", subject
    made.set_content(BODY)
    for name, data in files:
        made.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return bytes(made)


async def send(client: httpx.AsyncClient, data: bytes, name: str = "offer.eml") -> str:
    response = await client.post("/v1/api/upload", files={"file": (name, data)})
    assert response.status_code == 201, response.text
    return str(response.json()["doc_id"])


async def documents(client: httpx.AsyncClient) -> dict[str, str]:
    listed: list[dict[str, Any]] = (await client.get("/v1/api/documents?page_size=100")).json()["documents"]
    return {document["name"]: document["doc_id"] for document in listed}


async def answer(client: httpx.AsyncClient, doc_id: str, question: str) -> str:
    messages = [{"sender": "user", "message": question}]
    response = await client.post(f"/v1/chat/{doc_id}?cite_source=true", json=messages)
    return str(response.json()["answer"]["message"])


async def test_each_attachment_is_a_document_that_can_be_asked(client: httpx.AsyncClient) -> None:
    prices = make_pdf("An anchor of five kilos costs 89 euros.")
    doc_id = await send(
        client, message(("prices.pdf", prices), ("depths.txt", DEPTHS.encode()), ("map.png", b"\x89PNG"))
    )
    known = await documents(client)
    assert list(known) == ["offer.eml / depths.txt", "offer.eml / prices.pdf", "offer.eml"]
    assert known["offer.eml"] == doc_id
    assert "14 April 2026" in await answer(client, doc_id, "When are the moorings delivered?")
    assert "89 euros" in await answer(client, known["offer.eml / prices.pdf"], "How much does an anchor cost?")
    assert "6.4 metres" in await answer(client, known["offer.eml / depths.txt"], "How deep is the eastern quay?")
    status = (await client.get(f"/v1/api/documents/{doc_id}/status")).json()
    assert "Attachments of kinds that cannot be read: map.png." in status["message"]
    page = (await client.get(f"/v1/api/documents/{doc_id}/pages/1")).json()["text"]
    assert "Attachments: prices.pdf, depths.txt, map.png" in page
    file = await client.get(f"/v1/api/documents/{known['offer.eml / prices.pdf']}/file")
    assert (file.content, "%2F" in file.headers["content-disposition"]) == (prices, True)


async def test_a_damaged_attachment_is_said_and_keeps_nothing_else_from_being_read(client: httpx.AsyncClient) -> None:
    doc_id = await send(client, message(("a.pdf", b"%PDF-1.4\n1 0 obj <<>> endobj"), ("depths.txt", DEPTHS.encode())))
    assert list(await documents(client)) == ["offer.eml / depths.txt", "offer.eml"]
    status = (await client.get(f"/v1/api/documents/{doc_id}/status")).json()
    assert "The attachment a.pdf was not read: " in status["message"]


async def test_messages_attached_to_messages_three_deep(client: httpx.AsyncClient) -> None:
    inner = message(("deepest.txt", b"the deepest file of all"), subject="4")
    for number in (3, 2, 1):
        inner = message(
            (f"m{number}.eml", inner), (f"t{number}.txt", f"text number {number}".encode()), subject=str(number)
        )
    await send(client, inner, "top.eml")
    known = await documents(client)
    assert "top.eml / m1.eml / m2.eml / m3.eml" in known
    assert not any("deepest" in name for name in known)
    status = (await client.get(f"/v1/api/documents/{known['top.eml']}/status")).json()
    assert "m3.eml carries was not read" in status["message"]


async def test_what_the_account_has_is_not_stored_twice(client: httpx.AsyncClient, app: Starlette) -> None:
    depths = ("depths.txt", DEPTHS.encode())
    await send(client, depths[1], "depths.txt")
    offer = message(depths, ("again.txt", depths[1]))
    assert await send(client, offer) == await send(client, offer)
    assert list(await documents(client)) == ["offer.eml", "depths.txt"]
    async with client_of(app, await key_for(app, "bob")) as stranger:
        await send(stranger, message(depths))
        assert len(await documents(stranger)) == 2


def carried_file(name: str) -> Carried:
    return Carried(name, "", [], io.BytesIO())


class Queue:
    """Reads every file as a page with its name; one called `slow` takes for ever."""

    async def read(self, account: int, content: Spool, name: str, media_type: str, loc: tuple[str, ...]) -> Prepared:
        if name == "slow":
            await asyncio.sleep(60)
        return Prepared("txt", attachments=[carried_file("more")] * 30 if name.startswith("message") else [])


async def test_limits() -> None:
    def carried(*names: str) -> Prepared:
        return Prepared("eml", attachments=list(map(carried_file, names)))

    soon = asyncio.get_running_loop().time() + 0.2
    read, notes = await read_attachments(Queue(), 1, carried("a", "slow", "b"), "m", soon)  # type: ignore[arg-type]
    assert [part.name for part in read] == ["m / a"]
    assert notes == ["Attachments for which no time was left: slow, b. Upload them by themselves."]
    later = asyncio.get_running_loop().time() + 60
    read, notes = await read_attachments(Queue(), 1, carried("message 1", "message 2", "c"), "m", later)  # type: ignore[arg-type]
    assert len(read) == MOST
    assert f"{MOST} were read" in notes[0]
