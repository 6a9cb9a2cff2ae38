"""The background work: vectors when the embedder fails, and scanned pages with and without text recognition."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pymupdf
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from docqa import store
from docqa.api.app import create
from docqa.errors import ChildDied, Unreadable
from docqa.formats.pages import ExtractedPage
from docqa.formats.pictures import data as tessdata
from docqa.ingest import queue, vectors
from docqa.ingest.gist import Gist
from docqa.ingest.queue import Intake
from docqa.ingest.vectors import BATCH, UNITS
from docqa.models.embedder import Encoded, Passages
from docqa.settings import Settings
from docqa.store.documents import StoredDocument
from docqa.store.sql import change
from stand_ins import UnitByUnit
from waiting import until

pytestmark = pytest.mark.anyio


class Moody(UnitByUnit):
    """An embedder that dies in the middle of `deaths` batches."""

    name, sha256, dimension, state = "moody", "abc", 384, "ready"
    rests, idle = False, 0.0

    reader = None
    languages: tuple[str, ...] = ()

    def __init__(self, deaths: int) -> None:
        self.deaths = deaths
        self.ready = False

    async def load(self) -> None:
        self.ready = True

    def knows(self, language: str) -> bool:
        return False

    def crosses(self, question: str, document: str) -> bool:
        return False

    def scaled(self, cosine: float, language: str = "", *, across: bool = False) -> float:
        return cosine

    async def encode(self, texts: Sequence[str], *, urgent: bool = False) -> list[bytes]:
        if self.deaths:
            self.deaths -= 1
            raise ChildDied("The embedding process ended in the middle of its work.")
        return [b"\0\0\x80?" + bytes(4 * 383) for _ in texts]

    async def close(self) -> None:
        return


class Attentive(Moody):
    """An embedder that knows every language and notes what questions waited for."""

    def __init__(self) -> None:
        super().__init__(0)
        self.waited_for: list[str] = []

    def knows(self, language: str) -> bool:
        return True

    async def encode(self, texts: Sequence[str], *, urgent: bool = False) -> list[bytes]:
        self.waited_for += texts if urgent else []
        return await super().encode(texts)

    async def encode_question(self, text: str) -> bytes:
        return (await self.encode([text]))[0]


async def test_questions_need_not_wait_for_the_vectors_of_sentences(settings: Settings) -> None:
    embedder = Attentive()
    app = create(settings, embedder=embedder)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await upload(client, "The rent is 12 euros. It is due in May.")
        db = app.state.services.db

        async def indexed() -> bool:
            async with db.read() as conn:
                return not await store.jobs.indexing(conn)

        await until(indexed, "the vectors of all sentences")
        for times in (0, 1, 2):
            response = await client.post("/v1/api/retrieve", json={"query": "rent", "doc_ids": [doc_id]})
            assert response.json()["results"][0]["score"] > 1, "with the sentences' cosines"
            assert embedder.waited_for == ["The rent is 12 euros.", "It is due in May."] * times
            async with db.write() as conn:
                changed = await change(
                    conn,
                    "UPDATE sentence_embedding_0 SET vectors = substr(vectors, 1, 196) WHERE length(vectors) > 196",
                )
                if not changed:  # neither vectors for another number of sentences, nor none
                    await change(conn, "DELETE FROM sentence_embedding_0")


class Waiting(Attentive):
    """An embedder that loads when it `may_load`, and goes on when it `may`."""

    def __init__(self) -> None:
        super().__init__()
        self.may_load, self.may = asyncio.Event(), asyncio.Event()

    async def load(self) -> None:
        await self.may_load.wait()
        await super().load()

    async def encode(self, texts: Sequence[str], *, urgent: bool = False) -> list[bytes]:
        await self.may.wait()
        return await super().encode(texts, urgent=urgent)


@pytest.mark.parametrize("loaded", [True, False])
async def test_a_document_is_described_while_its_vectors_are_made_or_their_model_is_loaded(
    settings: Settings, loaded: bool
) -> None:
    embedder = Waiting()
    if loaded:
        embedder.may_load.set()
    app = create(settings, embedder=embedder)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await upload(client, "The mill in Lauterach was built in 1911. It has made paper since then.")

        async def described() -> bool:
            return bool((await client.get(f"/v1/api/documents/{doc_id}")).json().get("summary"))

        await until(described, "the document has a summary")
        assert (await client.get(f"/v1/api/documents/{doc_id}/status")).json()["state"] != "ready"
        embedder.may_load.set()
        embedder.may.set()
        assert (await settled(client, doc_id))["state"] == "ready"


@pytest.mark.parametrize(("seconds", "wanted", "waits"), [(60, False, True), (0.1, False, False), (60, True, False)])
async def test_vectors_wait_for_files_that_are_read_but_not_long_nor_those_that_somebody_asks(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, seconds: float, wanted: bool, waits: bool
) -> None:
    app, prepare = create(settings, embedder=Attentive()), queue.prepare
    reading, go_on = asyncio.Event(), asyncio.Event()

    async def slow(content: Any, name: str, *others: Any, **named: Any) -> Any:
        if name == "slow.txt":
            reading.set()
            await go_on.wait()
        return await prepare(content, name, *others, **named)

    monkeypatch.setattr(queue, "prepare", slow)
    monkeypatch.setattr(vectors, "HELD_BACK", seconds)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        uploading = asyncio.create_task(upload(client, "The mill was sold.", "slow.txt"))
        try:
            async with asyncio.timeout(60):
                await reading.wait()
            if wanted:
                app.state.services.intake.want([1])
            doc_id = await upload(client, "The rent is 12 euros. It is due in May.")
            if waits:
                await asyncio.sleep(0.5)
                assert (await client.get(f"/v1/api/documents/{doc_id}/status")).json()["state"] == "indexing"
                go_on.set()
            assert (await settled(client, doc_id))["state"] == "ready"
            assert waits or not uploading.done()
        finally:
            go_on.set()  # the server does not stop before the file is read: what failed would not be told
        await uploading


async def test_a_question_wakes_nothing_where_no_document_has_work_left(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, looks, next_indexing = create(settings), [0], store.jobs.next_indexing

    async def counted(*given: Any) -> Any:
        looks[0] += 1
        return await next_indexing(*given)

    monkeypatch.setattr(store.jobs, "next_indexing", counted)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await upload(client, "The rent is 12 euros. It is due in May.")
        assert (await settled(client, doc_id))["state"] == "ready"
        await asyncio.sleep(0.1)
        before = looks[0]
        question = [{"sender": "user", "message": "How much is the rent?"}]
        (await client.post(f"/v1/chat/{doc_id}?model_name=QUOTES", json=question)).raise_for_status()
        await asyncio.sleep(0.1)
        assert looks[0] == before
        assert (await settled(client, await upload(client, "The mill was sold.")))["state"] == "ready"
        assert looks[0] > before


async def test_who_asks_the_same_documents_again_lays_nothing_aside(app: Starlette) -> None:
    intake = Intake(app.state.services.db, app.state.services.intake.reading, asyncio.Event())

    def lays_aside(*documents: int) -> bool:
        intake.work.clear()
        intake.want(documents)
        return intake.work.is_set()

    asking = [(1,), (1,), (2, 3), (2, 3), (3,), (1,), ()]
    with intake.in_hand():
        assert [lays_aside(*documents) for documents in asking] == [True, False, True, False, False, True, False]
    assert intake.wanted == [1, 3, 2]
    assert lays_aside(1), "with nothing in hand a model may be tried again that could not be loaded"


async def status_after(settings: Settings, deaths: int) -> dict[str, Any]:
    app = create(settings, embedder=Moody(deaths))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await upload(client, "The rent is 12 euros. " * 300)
        status = await settled(client, doc_id)
        assert (await client.get(f"/v1/api/documents/{doc_id}")).json()["summary"]
        response = await client.post("/v1/api/retrieve", json={"query": "rent", "doc_ids": [doc_id]})
        assert response.json()["results"], "full text finds it, whatever became of the vectors"
    return status


async def test_a_batch_that_fails_is_tried_again(settings: Settings) -> None:
    status = await status_after(settings, 2)
    assert (status["state"], status["chunks_done"]) == ("ready", status["chunks"])


async def test_what_fails_again_and_again_is_said_in_the_status_and_tried_at_the_next_start(settings: Settings) -> None:
    status = await status_after(settings, 99)
    assert status["state"] == "failed"
    assert status["message"].startswith("Found by full text only: The embedding process ended")
    app = create(settings, embedder=Moody(0))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:

        async def indexed() -> bool:
            return (await client.get("/healthz")).json()["indexing"] == 0  # type: ignore[no-any-return]

        await until(indexed, "nothing left to index")
        status = (await client.get(f"/v1/api/documents/{status['doc_id']}/status")).json()
    assert (status["state"], status["message"]) == ("ready", "")


# --- scans ------------------------------------------------------------------------------------------------------------


def scanned(*texts: str, written: str = "") -> bytes:
    """A PDF with a page for each text that shows it as a picture, and one that holds `written` as text."""
    document = pymupdf.open()
    for text in texts:
        source = pymupdf.open().new_page()
        source.insert_text((72, 150), text, fontsize=20)
        page = document.new_page()
        page.insert_image(page.rect, pixmap=source.get_pixmap(dpi=150))
    if written:
        document.new_page().insert_text((72, 72), written)
    return bytes(document.tobytes())


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the server and its children look for Tesseract's languages; there is none in it yet."""
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path / "tessdata"))
    (tmp_path / "tessdata").mkdir()
    return tmp_path / "tessdata"


def install(folder: Path) -> None:
    (folder / "eng.traineddata").touch()


async def post(client: httpx.AsyncClient, data: bytes) -> str:
    response = await client.post("/v1/api/upload", files={"file": ("scan.pdf", data)})
    assert response.status_code == 201, response.text
    return str(response.json()["doc_id"])


async def settled(client: httpx.AsyncClient, doc_id: str) -> dict[str, Any]:
    status: dict[str, Any] = {}

    async def is_settled() -> bool:
        status.update((await client.get(f"/v1/api/documents/{doc_id}/status")).json())
        return bool(status["state"] != "indexing")

    await until(is_settled, "the end of indexing")
    return status


async def test_scanned_pages_that_nothing_can_read_are_counted_in_the_status(
    settings: Settings, tesseract: Path
) -> None:
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        status = await settled(client, await post(client, scanned("one", "two", written="The rent is 12 euros.")))
    assert (status["state"], status["pages"], status["pages_unread"]) == ("ready", 3, 2)
    assert status["message"].startswith("Pages shown as pictures that were not read: 2; run `python run.py ocr add en`")


async def test_scanned_pages_are_read_once_text_recognition_is_installed(
    settings: Settings, tesseract: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await post(client, scanned("one", written="The rent is 12 euros."))
        await settled(client, doc_id)
    install(tesseract)

    async def read(data: bytes, page_number: int, languages: str, **_: object) -> ExtractedPage:
        assert (page_number, languages) == (1, "")
        return ExtractedPage("The deposit is 300 euros.")

    monkeypatch.setattr(queue, "recognise", read)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        status = await settled(client, doc_id)
        response = await client.post("/v1/api/retrieve", json={"query": "deposit", "doc_ids": [doc_id]})
        summary = (await client.get(f"/v1/api/documents/{doc_id}")).json()["summary"]
    assert (status["pages_unread"], status["message"]) == (0, "")
    assert [(result["page_number"], result["source_chunk"]) for result in response.json()["results"]] == [
        (1, "The deposit is 300 euros.")
    ]
    assert "deposit" in summary, "the summary is made anew with what was read late"


async def test_a_page_on_which_nothing_is_recognised_stays_unread(
    settings: Settings, tesseract: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tesseract)

    async def fail(data: bytes, page_number: int, languages: str, hint: str, **_: object) -> ExtractedPage:
        if page_number == 1:
            raise Unreadable("Page 1 is damaged and cannot be shown.")
        return ExtractedPage(" ")

    monkeypatch.setattr(queue, "recognise", fail)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        status = await settled(client, await post(client, scanned("one", "two")))
    assert (status["state"], status["pages_unread"]) == ("ready", 2)
    assert status["message"] == (
        "Pages shown as pictures that were not read: 2; text recognition found nothing on them in eng. "
        "`python run.py ocr list` shows the others."
    )


async def test_a_document_with_text_does_not_wait_for_a_scan(
    settings: Settings, tesseract: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tesseract)
    reading, let_go = asyncio.Event(), asyncio.Event()

    async def slow(data: bytes, page_number: int, languages: str, hint: str, **_: object) -> ExtractedPage:
        reading.set()
        await let_go.wait()
        return ExtractedPage(f"Read on page {page_number}.")

    monkeypatch.setattr(queue, "recognise", slow)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        scan = await post(client, scanned("one", "two"))
        await reading.wait()
        text = await upload(client, "The rent is 12 euros.")
        let_go.set()
        await settled(client, text)
        status = await settled(client, scan)
        pages = [(await client.get(f"/v1/api/documents/{scan}/pages/{number}")).json()["text"] for number in (1, 2)]
    assert status["pages_unread"] == 0
    assert pages == ["Read on page 1.", "Read on page 2."]


async def test_a_document_deleted_while_it_is_recognised_leaves_nothing(
    settings: Settings, tesseract: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tesseract)
    reading, let_go = asyncio.Event(), asyncio.Event()

    async def slow(*_: object, **__: object) -> ExtractedPage:
        reading.set()
        await let_go.wait()
        return ExtractedPage("Too late.")

    monkeypatch.setattr(queue, "recognise", slow)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        scan = await post(client, scanned("one"))
        await reading.wait()
        assert (await client.delete(f"/v1/api/documents/{scan}")).status_code == 200
        await until(lambda: is_erased(app), "it is erased")
        text = await upload(client, "The rent is 12 euros.")
        let_go.set()
        assert (await settled(client, text))["state"] == "ready", "the background work goes on"
        page = (await client.get(f"/v1/api/documents/{text}/pages/1")).json()["text"]
        async with app.state.services.db.read() as conn:
            [(chunks,)] = await conn.execute_fetchall("SELECT count(*) FROM chunk")
    assert page == "The rent is 12 euros.", "nor anything in the next document, which might be another account's"
    assert chunks == 1


async def test_what_is_made_of_a_document_deleted_meanwhile_is_not_said_of_the_next(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    making, let_go = asyncio.Event(), asyncio.Event()

    async def slow(document: StoredDocument, *_: object) -> Gist:
        making.set()
        await let_go.wait()
        return Gist("en", f"What {document.name} is about.")

    monkeypatch.setattr(queue, "prepare_gist", slow)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        secret = await upload(client, "The deposit is 900 euros.", "secret.txt")
        await making.wait()
        assert (await client.delete(f"/v1/api/documents/{secret}")).status_code == 200
        await until(lambda: is_erased(app), "it is erased")
        text = await upload(client, "The rent is 12 euros.", "rent.txt")
        let_go.set()
        await settled(client, text)
        assert (await client.get(f"/v1/api/documents/{text}")).json()["summary"] == "What rent.txt is about."


async def is_erased(app: Starlette) -> bool:
    """Whether nothing deleted waits to be erased."""
    async with app.state.services.db.read() as conn:
        return await store.deletion.count_deleted(conn) == 0


@pytest.mark.skipif(not tessdata.languages(), reason="Tesseract's language data are not installed")
async def test_a_scan_is_accepted_at_once_and_read_by_tesseract_in_the_background(settings: Settings) -> None:
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await post(client, scanned("The rent is due on the first day", "The deposit is three rents"))
        status = await settled(client, doc_id)
        results = (await client.post("/v1/api/retrieve", json={"query": "deposit", "doc_ids": [doc_id]})).json()[
            "results"
        ]
        document = (await client.get(f"/v1/api/documents/{doc_id}")).json()
    assert (status["state"], status["pages_unread"], status["message"]) == ("ready", 0, "")
    assert [(result["page_number"], result["source_chunk"]) for result in results] == [
        (2, "The deposit is three rents")
    ]
    assert document["language"] == "en"


class Slow(Attentive):
    """An embedder that gives vectors of passages only when it may."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = self.sha256 = name
        self.may = asyncio.Event()
        self.queries: list[str] = []
        self.closed = False

    async def encode(self, texts: Sequence[str], *, urgent: bool = False) -> list[bytes]:
        if not urgent:
            await self.may.wait()
        return await super().encode(texts, urgent=urgent)

    async def encode_question(self, text: str) -> bytes:
        self.queries.append(text)
        return (await super().encode([text]))[0]

    async def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("kept", [True, False], ids=["the old model is here", "the old model is gone"])
async def test_a_new_embedding_model_takes_over_when_all_is_embedded(settings: Settings, kept: bool) -> None:
    old, new = Slow("old"), Slow("new")
    old.may.set()
    app = create(settings, embedder=old)
    async with app.router.lifespan_context(app), client_of(app, key := await key_for(app, "alice")) as client:
        doc_id = await upload(client, "The rent is 12 euros. It is due in May.")

        async def ready() -> bool:
            return bool((await client.get(f"/v1/api/documents/{doc_id}/status")).json()["state"] == "ready")

        await until(ready, "the document is ready")

    reborn = Slow("old")
    app = create(settings, embedder=new, former=reborn if kept else None)
    async with app.router.lifespan_context(app), client_of(app, key) as client:

        async def ask(question: str) -> list[dict[str, Any]]:
            results: list[dict[str, Any]] = (
                await client.post("/v1/api/retrieve", json={"query": question, "doc_ids": [doc_id]})
            ).json()["results"]
            return results

        async def changing() -> bool:
            return "re-embedded with new" in str((await client.get("/healthz")).json()["notes"])

        await until(changing, "re-embedding has begun")

        async def waits() -> bool:
            status = (await client.get(f"/v1/api/documents/{doc_id}/status")).json()
            return (status["state"], status["chunks_done"]) == ("indexing", 0)

        await until(waits, "the document is to be embedded again")
        assert await ask("the rent"), "words find it in any case"
        assert (reborn.queries, new.queries) == (["the rent"] if kept else [], [])
        new.may.set()

        async def changed() -> bool:
            return not await changing()

        await until(changed, "the new model has taken over")
        assert (await ask("the rent now"))[0]["score"] > 1
        assert new.queries == ["the rent now"]
        assert reborn.closed == kept


# --- the order of the work --------------------------------------------------------------------------------------------


class Paced(Attentive):
    """An embedder that gives vectors of one batch at a time, when it may, and notes of which texts."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[str] = []
        self.batches = asyncio.Semaphore(0)

    async def encode_passages(self, passages: Passages) -> list[Encoded]:
        self.begun.append(passages[0][0].split()[0])
        await self.batches.acquire()
        return await super().encode_passages(passages)

    async def encode_question(self, text: str) -> bytes:
        return (await Attentive.encode(self, [text], urgent=True))[0]

    async def has_begun(self, *documents: str) -> None:
        await until(lambda: self.begun[-len(documents) :] == list(documents), f"{documents} after {self.begun}")


def large(word: str) -> str:
    """A text of many pages and of more than one batch of passages."""
    return "\n\n".join(f"{word} has a paragraph {number} that is like all others. " * 12 for number in range(80))


async def test_small_documents_do_not_wait_for_large_ones_and_those_that_are_asked_for_none(
    settings: Settings,
) -> None:
    embedder = Paced()
    app = create(settings, embedder=embedder)  # type: ignore[arg-type]
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        first = await upload(client, large("First"), "first.txt")
        await embedder.has_begun("First")
        second = await upload(client, large("Second"), "second.txt")
        small = await upload(client, "Small is this text.", "small.txt")
        embedder.batches.release()
        await embedder.has_begun("Small")
        await client.post("/v1/api/retrieve", json={"query": "paragraph", "doc_ids": [second]})
        embedder.batches.release()
        await embedder.has_begun("Small", "Second")
        for _ in range(1000):
            embedder.batches.release()
        assert [(await settled(client, doc_id))["state"] for doc_id in (second, small, first)] == ["ready"] * 3
    firsts = [number for number, word in enumerate(embedder.begun) if word == "First"]
    assert embedder.begun[: firsts[1]].count("Second") > 1, "all of what is asked comes before the rest of the first"


async def test_what_goes_on_meanwhile_does_not_keep_a_large_document_from_its_end(settings: Settings) -> None:
    embedder = Paced()
    app = create(settings, embedder=embedder)  # type: ignore[arg-type]
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await upload(client, large("First"), "first.txt")
        status: dict[str, Any] = {"state": "indexing"}
        while status["state"] == "indexing":
            await client.post("/v1/api/retrieve", json={"query": "paragraph", "doc_ids": [doc_id]})
            embedder.batches.release()
            status = (await client.get(f"/v1/api/documents/{doc_id}/status")).json()
    assert status["chunks_done"] == status["chunks"] > 16


class Counting(Attentive):
    """An embedder that notes how many texts each call has, and rings the bell of the work in each that is not urgent."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: list[int] = []
        self.ring = lambda: None

    async def encode(self, texts: Sequence[str], *, urgent: bool = False) -> list[bytes]:
        if not urgent:
            self.counts.append(len(texts))
            self.ring()
        return await super().encode(texts, urgent=urgent)


async def test_passages_of_many_sentences_are_embedded_a_few_at_a_time_and_get_on_whatever_else_is_urgent(
    settings: Settings,
) -> None:
    embedder = Counting()
    app = create(settings, embedder=embedder)  # type: ignore[arg-type]
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        services = app.state.services
        embedder.ring = services.work.set
        await upload(client, "It is so. " * 2_000, "sentences.txt")

        async def all_have_vectors() -> bool:
            async with services.db.read() as conn:
                return not await store.jobs.indexing(conn)

        await until(all_have_vectors, "the vectors of all sentences")
    assert sum(embedder.counts) > 2_000
    assert max(embedder.counts) <= BATCH + UNITS
