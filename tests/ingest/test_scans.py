"""Text recognition in the background: large pictures beside text, languages without data, data that come later."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pymupdf
import pytest

from conftest import client_of, key_for
from docqa.api.app import create
from docqa.errors import Unreadable
from docqa.formats.pages import ExtractedPage
from docqa.formats.pictures import data
from docqa.ingest import queue, scans
from docqa.settings import Settings
from formats.test_pictures import drawn, needs_data, saved
from waiting import until

pytestmark = pytest.mark.anyio

PROSE = "The rent is 12 euros and falls due on the first day of each month, which the tenant knows."
FRENCH = "Le loyer est payable le premier jour de chaque mois et le dépôt de garantie est rendu à la fin du bail."


@pytest.fixture
def english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which languages are looked for; there is English in it, as far as its name says."""
    folder = tmp_path / "tessdata"
    folder.mkdir()
    (folder / "eng.traineddata").touch()
    monkeypatch.setenv("TESSDATA_PREFIX", str(folder))
    monkeypatch.setattr(data, "has_rapid", lambda: False)
    return folder


def document(*, pictures: int = 1, scan: bool = False) -> bytes:
    """A PDF of pages with text and a large picture, and perhaps a last page that is only a picture."""
    made = pymupdf.open()
    for number in range(pictures):
        page = made.new_page()
        page.insert_text((72, 72), PROSE)
        page.insert_image((72, 120, 522, 250), stream=saved(drawn(f"Number {number}"), "PNG"))
    if scan:
        page = made.new_page()
        page.insert_image(page.rect, stream=saved(drawn(), "PNG"))
    return bytes(made.tobytes())


async def post(client: httpx.AsyncClient, content: bytes, name: str = "a.pdf") -> str:
    response = await client.post("/v1/api/upload", files={"file": (name, content)})
    assert response.status_code == 201, response.text
    return str(response.json()["doc_id"])


async def status_of(client: httpx.AsyncClient, doc_id: str) -> dict[str, Any]:
    status: dict[str, Any] = (await client.get(f"/v1/api/documents/{doc_id}/status")).json()
    return status


async def page_of(client: httpx.AsyncClient, doc_id: str, number: int = 1) -> str:
    return str((await client.get(f"/v1/api/documents/{doc_id}/pages/{number}")).json()["text"])


async def test_what_stands_on_pictures_is_added_to_their_page_after_all_else_is_done(
    settings: Settings, english: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, let_go = asyncio.Event(), asyncio.Event()

    async def read(data: bytes, number: int, languages: str, hint: str, *, beside: bool, **_: object) -> ExtractedPage:
        assert beside
        reading.set()
        await let_go.wait()
        if number == 2:
            raise Unreadable("The picture is damaged.")
        return ExtractedPage(f"Picture: The deposit on page {number} is 300 euros.").cleaned()

    monkeypatch.setattr(queue, "recognise", read)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await post(client, document(pictures=3))
        await reading.wait()
        assert (await status_of(client, doc_id))["state"] == "ready", "the text waits for no picture"
        let_go.set()

        async def is_read() -> bool:
            return (
                "deposit" in await page_of(client, doc_id, 3) and (await status_of(client, doc_id))["state"] == "ready"
            )

        await until(is_read, "the pictures")
        pages = [await page_of(client, doc_id, number) for number in (1, 2)]
        response = await client.post("/v1/api/retrieve", json={"query": "deposit page 3", "doc_ids": [doc_id]})
        status = await status_of(client, doc_id)
    assert pages == [f"{PROSE}\n\nPicture: The deposit on page 1 is 300 euros.", PROSE]
    assert {(result["page_number"], result["source_chunk"]) for result in response.json()["results"]} >= {
        (3, "Picture: The deposit on page 3 is 300 euros.")
    }
    assert (status["pages_unread"], status["message"]) == (0, "")


async def test_data_that_come_later_are_used_without_a_restart(
    settings: Settings, english: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def read(*_: object, **__: object) -> ExtractedPage:
        return ExtractedPage(FRENCH if (english / "fra.traineddata").exists() else "")

    monkeypatch.setattr(queue, "recognise", read)
    monkeypatch.setattr(scans, "LOOK_AGAIN", 0.05)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await post(client, document(pictures=0, scan=True))

        async def is_given_up() -> bool:
            return "found nothing on them in eng" in (await status_of(client, doc_id))["message"]

        await until(is_given_up, "the note that nothing was read")
        (english / "fra.traineddata").touch()

        async def is_read() -> bool:
            status = await status_of(client, doc_id)
            return status["pages_unread"] == 0 and status["state"] == "ready"

        await until(is_read, "the page")
        assert await page_of(client, doc_id) == FRENCH


async def test_a_scan_in_a_language_without_data_says_the_command_that_adds_them(
    settings: Settings, english: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def read(*_: object, **__: object) -> ExtractedPage:
        return ExtractedPage(FRENCH)

    monkeypatch.setattr(queue, "recognise", read)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await post(client, document(pictures=0, scan=True))

        async def is_said() -> bool:
            return bool((await status_of(client, doc_id))["message"])

        await until(is_said, "the note")
        message = (await status_of(client, doc_id))["message"]
    assert message == (
        "Read without data for French, the language it seems to be in: `python run.py ocr add fr` adds them. "
        "Then delete the document and upload it again."
    )


@needs_data
async def test_a_picture_is_read_and_answers_questions_when_its_upload_is_answered(settings: Settings) -> None:
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await post(client, saved(drawn("The deposit is three hundred euros"), "JPEG"), "photo.jpg")
        response = await client.post("/v1/api/retrieve", json={"query": "deposit", "doc_ids": [doc_id]})
        blank = await client.post(
            "/v1/api/upload", files={"file": ("a.png", saved(drawn("").crop((0, 0, 20, 20)), "PNG"))}
        )
    assert "The deposit is three hundred euros" in response.json()["results"][0]["source_chunk"]
    assert blank.status_code == 422
    assert blank.json()["detail"][0]["msg"].startswith("There is no text in the picture")
