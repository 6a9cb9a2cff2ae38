"""The cited place: pages as pictures with the passage marked, and where passages stand along a document."""

import asyncio
import io
from dataclasses import replace
from pathlib import Path

import httpx
import pymupdf
import pytest
from PIL import Image
from pptx import Presentation
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from docqa import store
from docqa.api.app import create
from docqa.ingest.drawing import Drawing
from docqa.ingest.drawn_pages import DrawnPages
from docqa.settings import Settings
from waiting import until

pytestmark = pytest.mark.anyio

RENT = "The monthly rent of the warehouse is 12,400 euros."
YELLOW, ORANGE = (255, 240, 150), (255, 196, 64)


def pdf(*texts: str) -> bytes:
    document = pymupdf.open()
    for text in texts:
        document.new_page().insert_textbox((72, 72, 400, 700), text)
    return bytes(document.tobytes())


async def added(client: httpx.AsyncClient, data: bytes, name: str = "lease.pdf") -> str:
    response = await client.post("/v1/api/upload", files={"file": (name, data)})
    assert response.status_code == 201, response.text
    return str(response.json()["doc_id"])


def colours(png: bytes) -> set[tuple[int, ...]]:
    return {colour for _, colour in Image.open(io.BytesIO(png)).convert("RGB").getcolors(1 << 24)}  # type: ignore[misc, union-attr]


async def test_a_page_is_shown_with_the_passage_light_and_the_quote_dark(client: httpx.AsyncClient) -> None:
    doc_id = await added(client, pdf("The first page.", f"Of the lease. {RENT} It is paid on the first day."))
    given = {"highlight": f"{RENT} It is paid on the first day.", "quote": RENT, "width": "700"}
    response = await client.get(f"/v1/api/documents/{doc_id}/pages/2.png", params=given)
    assert (response.status_code, response.headers["content-type"]) == (200, "image/png")
    assert int(response.headers["x-docqa-marked"]) > 1
    image = Image.open(io.BytesIO(response.content)).convert("RGB")
    assert image.width == 700
    dark = next(y for y in range(image.height) if ORANGE in {image.getpixel((x, y)) for x in range(0, 700, 4)})
    assert abs(float(response.headers["x-docqa-marked-at"]) - dark / image.height) < 0.01
    assert {YELLOW, ORANGE} <= colours(response.content)
    other = await client.get(f"/v1/api/documents/{doc_id}/pages/1.png", params=given)
    assert other.headers["x-docqa-marked"] == "0", "the passage is on the other page"


async def test_several_passages_are_marked_at_once(client: httpx.AsyncClient) -> None:
    doc_id = await added(client, pdf(f"{RENT}\n\nHeating is paid by the tenant.\n\nThe end is near."))
    both = {"highlight": [RENT, "The end is near."]}
    single = {"highlight": [RENT]}
    path = f"/v1/api/documents/{doc_id}/pages/1.png"
    marks = [int((await client.get(path, params=given)).headers["x-docqa-marked"]) for given in (both, single)]
    assert marks[0] > marks[1] > 0


async def test_a_picture_is_kept_and_not_sent_to_who_has_it(client: httpx.AsyncClient, app: Starlette) -> None:
    doc_id = await added(client, pdf(RENT))
    path = f"/v1/api/documents/{doc_id}/pages/1.png?highlight=rent"
    first = await client.get(path)
    kept = app.state.services.drawn_pages.size
    assert kept == len(first.content)
    again = await client.get(path)
    assert again.content == first.content and app.state.services.drawn_pages.size == kept
    assert first.headers["cache-control"] == "private, no-cache"
    unchanged = await client.get(path, headers={"if-none-match": f'"other", W/{first.headers["etag"]}'})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert (await client.get(path, headers={"if-none-match": '"other"'})).status_code == 200
    assert (await client.get(f"{path}&width=300")).headers["etag"] != first.headers["etag"]


async def test_pictures_go_with_their_document(client: httpx.AsyncClient, app: Starlette) -> None:
    doc_id = await added(client, pdf(RENT))
    path = f"/v1/api/documents/{doc_id}/pages/1.png"
    tag = (await client.get(path)).headers["etag"]
    assert app.state.services.drawn_pages.size > 0
    await client.delete(f"/v1/api/documents/{doc_id}")
    assert app.state.services.drawn_pages.size == 0
    assert (await client.get(path, headers={"if-none-match": tag})).status_code == 404


async def test_what_is_drawn_while_its_document_is_deleted_is_not_kept(
    client: httpx.AsyncClient, app: Starlette, monkeypatch: pytest.MonkeyPatch
) -> None:
    doc_id = await added(client, pdf(RENT))
    pages: DrawnPages = app.state.services.drawn_pages
    reading = app.state.services.intake.reading
    draw = reading.draw

    async def slowly(account: int, content: object, request: Drawing) -> tuple[bytes, int]:
        result = await draw(account, content, request)
        await client.delete(f"/v1/api/documents/{doc_id}")
        return result  # type: ignore[no-any-return]

    monkeypatch.setattr(reading, "draw", slowly)
    assert (await client.get(f"/v1/api/documents/{doc_id}/pages/1.png")).status_code == 200
    assert pages.size == 0


async def test_what_is_kept_is_bounded_of_each_account_and_in_all(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, app: Starlette
) -> None:
    doc_ids = [await added(client, pdf(RENT, "Two.", "Three.", "Four.")), await added(stranger, pdf("Of a stranger."))]
    services = app.state.services
    async with services.db.read() as conn:
        documents = [
            await store.documents.stored_document(conn, account, doc_id) for account, doc_id in enumerate(doc_ids, 1)
        ]
    size = len((await services.drawn_pages.picture(1, documents[0], Drawing(1, 600))).png)
    small = DrawnPages(services.intake, services.lanes.copies, most=3 * size, of_account=2 * size)
    await small.picture(2, documents[1], Drawing(1, 600))
    for number in (1, 2, 3, 4):
        await small.picture(1, documents[0], Drawing(number, 600))
        assert small.size <= 3 * size
    assert {key[0] for key in small._kept} == {1, 2}, "one account's pages do not push out another's"
    small.forget(documents[0].doc_id)
    small.forget(documents[1].doc_id)
    assert small.size == 0


async def test_a_scan_is_drawn_and_the_passage_marked_where_it_stands_in_its_text(client: httpx.AsyncClient) -> None:
    doc_id = await added(client, pdf(RENT))
    page = (await client.get(f"/v1/api/documents/{doc_id}/pages/1.png?width=1600")).content
    response = await client.post("/v1/api/upload", files={"file": ("scan.png", page)})
    if response.status_code == 422:
        pytest.skip("there are no data for text recognition")
    scan = f"/v1/api/documents/{response.json()['doc_id']}/pages/1"
    text = (await client.get(scan)).json()["text"]
    drawn = await client.get(f"{scan}.png", params={"width": 800, "highlight": text})
    assert Image.open(io.BytesIO(drawn.content)).width == 800
    assert drawn.headers["x-docqa-marked"] == "1" and YELLOW in colours(drawn.content)
    other = await client.get(f"{scan}.png", params={"width": 800, "highlight": "what stands elsewhere"})
    assert other.headers["x-docqa-marked"] == "0"


async def test_what_cannot_be_drawn_says_where_its_text_is(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, "Only text.")
    response = await client.get(f"/v1/api/documents/{doc_id}/pages/1.png")
    assert response.status_code == 404
    assert f"/v1/api/documents/{doc_id}/pages/1." in response.json()["detail"]
    assert (await client.get(f"/v1/api/documents/{doc_id}/pages")).json()["drawn"] is False


@pytest.mark.parametrize("number", ["0", "2", "-1", "x", "9" * 30, "²", "01x"])
async def test_a_page_that_is_not_there_is_404(client: httpx.AsyncClient, number: str) -> None:
    doc_id = await added(client, pdf(RENT))
    assert (await client.get(f"/v1/api/documents/{doc_id}/pages/{number}.png")).status_code == 404


@pytest.mark.parametrize(
    ("query", "loc"),
    [
        ("width=63", ["query", "width"]),
        ("width=4001", ["query", "width"]),
        ("width=wide", ["query", "width"]),
        ("&".join(["highlight=a"] * 17), ["query", "highlight"]),
        (f"quote=fine&quote={'a' * 32_769}", ["query", "quote", 1]),
    ],
)
async def test_limits_are_told(client: httpx.AsyncClient, query: str, loc: list[object]) -> None:
    response = await client.get(f"/v1/api/documents/x/pages/1.png?{query}")
    assert response.status_code == 422
    assert [fault["loc"] for fault in response.json()["detail"]] == [loc]


async def test_another_accounts_pages_do_not_exist(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    doc_id = await added(client, pdf(RENT))
    for path in (f"/v1/api/documents/{doc_id}/pages", f"/v1/api/documents/{doc_id}/pages/1.png"):
        tag = (await client.get(path)).headers.get("etag", '"x"')
        response = await stranger.get(path, headers={"if-none-match": tag})
        assert (response.status_code, response.json()) == (404, {"detail": "Document not found"})


async def test_passages_have_their_places_along_the_document(client: httpx.AsyncClient) -> None:
    text = f"The first page.\fA second one. {RENT.replace('rent of', 'rent' + chr(10) + 'of')}\fThe end."
    doc_id = await upload(client, text)
    answer = (
        await client.get(f"/v1/api/documents/{doc_id}/pages", params={"highlight": [RENT, "not there", "end"]})
    ).json()
    assert (answer["doc_id"], answer["pages"]) == (doc_id, 3)
    rent, end = answer["places"]
    page = (await client.get(f"/v1/api/documents/{doc_id}/pages/2")).json()["text"]
    assert page[rent["start"] : rent["end"]].split() == RENT.split()
    assert (rent["highlight"], rent["page_number"], end["highlight"], end["page_number"]) == (0, 2, 2, 3)
    assert 1 / 3 < rent["share"] < 2 / 3 < end["share"] < 1


async def test_one_accounts_flood_of_pages_leaves_another_its_turn(settings: Settings) -> None:
    app = create(replace(settings, extract_parallel=2, extract_queue=4))
    async with (
        app.router.lifespan_context(app),
        client_of(app, await key_for(app, "alice")) as alice,
        client_of(app, await key_for(app, "bob")) as bob,
    ):
        doc_id, other = await added(alice, pdf(*[RENT] * 12)), await added(bob, pdf("Of Bob."))
        paths = [f"/v1/api/documents/{doc_id}/pages/{number}.png" for number in range(1, 13)]
        flood = [asyncio.create_task(alice.get(path)) for path in paths]
        in_hand = app.state.services.lanes.pictures.in_hand
        await until(lambda: in_hand.total() == 6, "as many as may be are in hand")
        seen = await bob.get(f"/v1/api/documents/{other}/pages/1.png")
        assert seen.status_code == 200
        assert sum(task.done() and task.result().status_code == 200 for task in flood) < 6, "Bob did not wait for all"
        statuses = [response.status_code for response in await asyncio.gather(*flood)]
        assert statuses.count(200) == 6 and statuses.count(503) == 6
        assert not in_hand


async def test_a_page_that_crashes_its_child_is_422_and_nothing_else(
    client: httpx.AsyncClient, app: Starlette, tmp_path: Path
) -> None:
    doc_id = await added(client, pdf(RENT))
    services = app.state.services
    async with services.db.write() as conn:
        await conn.execute("UPDATE original_piece SET bytes = ?", (b"%PDF-1.7\n1 0 obj\ngarbage",))
    response = await client.get(f"/v1/api/documents/{doc_id}/pages/1.png")
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["path", "page_number"]
    assert (await client.get(f"/v1/api/documents/{doc_id}/pages/1")).status_code == 200


async def test_a_slide_is_shown_with_the_passage_marked(client: httpx.AsyncClient) -> None:
    presentation, data = Presentation(), io.BytesIO()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = RENT
    presentation.save(data)
    doc_id = await added(client, data.getvalue(), "lease.pptx")
    pages = (await client.get(f"/v1/api/documents/{doc_id}/pages")).json()
    assert pages["drawn"] is True
    response = await client.get(f"/v1/api/documents/{doc_id}/pages/1.png", params={"highlight": RENT, "width": "600"})
    assert response.status_code == 200 and YELLOW in colours(response.content)
    assert int(response.headers["x-docqa-marked"]) >= 1
