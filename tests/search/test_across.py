"""A question in one language, documents in others: vectors alone compare them, in the words of the document."""

import math
import re
from collections.abc import AsyncIterator, Sequence
from struct import pack

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from docqa.api.app import create
from docqa.settings import Settings
from stand_ins import UnitByUnit
from waiting import until

pytestmark = pytest.mark.anyio

CONCEPTS = (
    "bridge bridges brücke pont", "built gebaut construit", "battery batterie akku", "hours stunden heures",
    "dogs hunde chiens", "allowed erlaubt permis", "rent miete loyer", "euros euro",
)  # fmt: skip
DIMENSION = 16
REPORT = """The old bridge was built in 1907.

A charged battery lasts for eleven hours.

Dogs are not allowed in the hall.

The rent is 900 euros. In the Brücke bar the Akku band plays songs of eleven Stunden."""


class Bilingual(UnitByUnit):
    """An embedder whose vectors are the concepts that a text names, in any language; others are one more."""

    name, sha256, dimension, state, ready, reader = "bilingual", "abc", DIMENSION, "ready", False, None
    rests, idle = False, 0.0
    languages: tuple[str, ...] = ("de", "en", "fr")

    async def load(self) -> None:
        self.ready = True

    def knows(self, language: str) -> bool:
        return language in self.languages

    def crosses(self, question: str, document: str) -> bool:
        return question != document and self.knows(question) and self.knows(document)

    def scaled(self, cosine: float, language: str = "", *, across: bool = False) -> float:
        return cosine

    async def encode(self, texts: Sequence[str], *, urgent: bool = False) -> list[bytes]:
        return list(map(vector, texts))

    async def encode_question(self, text: str) -> bytes:
        return vector(text)

    async def close(self) -> None:
        return


def vector(text: str) -> bytes:
    words = set(re.findall(r"\w+", text.lower()))
    # "Brücke" in an English text is a name: a model tells that from the text around it.
    english = {"the", "is", "a", "are"} & words
    numbers = [float(bool(words & set(c.split()[: 2 if english else None]))) for c in CONCEPTS]
    numbers += [0.0] * (DIMENSION - 1 - len(numbers)) + [0.0 if any(numbers) else 1.0]
    length = math.hypot(*numbers)
    return pack(f"<{DIMENSION}f", *(number / length for number in numbers))


@pytest.fixture
async def bilingual(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    app: Starlette = create(settings, embedder=Bilingual())
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        yield client


async def answer_to(client: httpx.AsyncClient, doc_id: str, question: str) -> tuple[str, list[str]]:
    async def indexed() -> bool:
        return bool((await client.get("/healthz")).json()["indexing"] == 0)

    await until(indexed, "the documents are indexed")
    messages = [{"sender": "user", "message": question}]
    answer = (await client.post(f"/v1/chat/{doc_id}?cite_source=true", json=messages)).json()
    return answer["answer"]["message"], [source["source_chunk"] for source in answer["sources"]]


async def test_the_sentence_that_means_the_same_answers(bilingual: httpx.AsyncClient) -> None:
    doc_id = await upload(bilingual, REPORT)
    text, [source, *_] = await answer_to(bilingual, doc_id, "Wann wurde die alte Brücke gebaut?")
    assert text.startswith("The old bridge was built in 1907.")
    assert "The old bridge" in source
    text, _ = await answer_to(bilingual, doc_id, "Wie viele Stunden hält ein Akku?")
    assert text.startswith("A charged battery lasts for eleven hours.")


async def test_yes_and_no_are_in_the_language_of_the_question(bilingual: httpx.AsyncClient) -> None:
    doc_id = await upload(bilingual, REPORT)
    text, _ = await answer_to(bilingual, doc_id, "Sind Hunde in der Halle erlaubt?")
    assert text.startswith("Nein: Dogs are not allowed in the hall.")


async def test_what_nothing_means_is_refused_in_the_language_of_the_question(bilingual: httpx.AsyncClient) -> None:
    doc_id = await upload(bilingual, REPORT)
    text, sources = await answer_to(bilingual, doc_id, "Welche Suppe kocht der Koch am Freitag?")
    assert text.startswith("Die Dokumente sagen dazu nichts.")
    assert sources == []


async def test_a_year_that_stands_nowhere_is_a_doubt(bilingual: httpx.AsyncClient) -> None:
    doc_id = await upload(
        bilingual, REPORT.replace(" is 900", ", 900").replace("old bridge", "old bridge, called gate,")
    )
    sure, _ = await answer_to(bilingual, doc_id, "Wurde die Brücke 1907 gebaut?")
    doubtful, _ = await answer_to(bilingual, doc_id, "Kam im Jahr 1650 die Brücke, im Jahr 1651 der Akku?")
    assert sure.startswith("Ja: ")
    assert not doubtful.startswith(("Ja", "Nein"))


async def test_among_documents_in_several_languages_words_do_not_outweigh_the_meaning(
    bilingual: httpx.AsyncClient,
) -> None:
    ids = [
        await upload(bilingual, REPORT),
        await upload(bilingual, "Die Stadt ist alt. Am Fluss liegt eine alte Mühle."),
    ]
    created = await bilingual.post("/v1/api/knowledge", json={"name": "Both", "document_ids": ids})
    base = created.json()["knowledge_base_id"]

    async def indexed() -> bool:
        return bool((await bilingual.get("/healthz")).json()["indexing"] == 0)

    await until(indexed, "the documents are indexed")
    body = {"messages": [{"sender": "user", "message": "Wann wurde die alte Brücke gebaut?"}]}
    answer = (await bilingual.post(f"/v1/api/knowledge/{base}/chat?cite_source=true", json=body)).json()
    assert answer["sources"][0]["doc_id"] == ids[0]
    assert "The old bridge was built in 1907." in answer["answer"]["message"]
