"""Questions about whole documents over HTTP: every page counts, counts are true, quotations are verbatim, a model sums
up in portions."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from conftest import upload
from docqa import store
from docqa.answering.by_model import Chat
from docqa.answering.mentions import places, speaks_of
from docqa.answering.model_summary import digest
from docqa.answering.prompt_layout import Layouts
from docqa.answering.prompts import sum_up_part
from docqa.errors import Unavailable
from docqa.ingest.chunking import chunks
from docqa.ingest.preparation import with_terms
from docqa.questions.question import Question
from docqa.questions.wanted import Scope
from docqa.store.chunks import StoredChunk
from waiting import until

pytestmark = pytest.mark.anyio

NAMES = ["Amber", "Birch", "Cedar", "Dune", "Ember", "Fjord", "Grove", "Heath", "Inlet", "Juniper", "Kelp", "Larch"]
PAGES = "\f".join(
    f"The {name} lighthouse stands on the coast of the province and is open to the public. The deadline for repairs of {name} is day {n}."
    for n, name in enumerate(NAMES)
)


async def ask(
    client: httpx.AsyncClient, documents: list[str], text: str, **chat: str
) -> tuple[str, list[dict[str, Any]]]:
    body = (
        {"documents": documents, "messages": [{"sender": "user", "message": text}]}
        if text
        else {"documents": documents}
    )
    response = await client.post("/v1/api/knowledge_base_chat", params={"cite_source": "true", **chat}, json=body)
    assert response.status_code == 200, response.text
    return response.json()["answer"]["message"], response.json()["sources"]


async def test_a_list_of_all_places_has_one_from_every_page(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, PAGES)
    message, sources = await ask(client, [doc_id], "List all deadlines", length="LONG")
    assert message.startswith("Sentences and rows with “deadlines”: 12, on 12 of 12 pages.")
    for number, name in enumerate(NAMES):
        assert f"\n- page {number + 1}: The deadline for repairs of {name} is day {number}. [{number + 1}]" in message
    assert [source["page_number"] for source in sources] == list(range(1, 13))


async def test_a_short_list_says_what_was_counted_and_what_is_shown(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, PAGES)
    message, _ = await ask(client, [doc_id], "How many deadlines are mentioned?")
    assert message.startswith("Sentences and rows with “deadlines”: 12, on 12 of 12 pages. Shown: the first 10.")
    assert message.count("\n- ") == 10


async def test_what_is_said_twice_is_listed_once(client: httpx.AsyncClient) -> None:
    doc_id = await upload(
        client, "The deadline is Monday.\fThe  deadline is\nMonday.\fThe deadline for appeals is Friday."
    )
    message, _ = await ask(client, [doc_id], "List all deadlines")
    assert message.count("\n- ") == 2


async def test_what_stands_nowhere_is_not_counted(client: httpx.AsyncClient) -> None:
    message, sources = await ask(client, [await upload(client, PAGES)], "List all volcanoes")
    assert message.startswith("The documents do not say anything about this.")
    assert sources == []


async def test_the_places_of_several_documents_carry_their_names(client: httpx.AsyncClient) -> None:
    first, second = (
        await upload(client, "The deadline is Monday.", "a.txt"),
        await upload(client, "A deadline passed in May.", "b.txt"),
    )
    message, sources = await ask(client, [second, first], "List all the deadlines")
    assert "\n- b.txt, page 1: A deadline passed in May. [1]\n- a.txt, page 1: The deadline is Monday. [2]" in message
    assert [source["doc_id"] for source in sources] == [second, first]


async def test_a_summary_is_verbatim_and_nothing_else(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, PAGES)
    message, sources = await ask(client, [doc_id], "Summarize this document")
    assert message.endswith("]"), "that all pages were read is not worth saying"
    assert 1 <= len(sources) <= 3
    for source in sources:
        assert source["source_chunk"] in PAGES
        assert f"[{source['id']}]" in message
    longer, more = await ask(client, [doc_id], "Summarize this document", length="LONG")
    assert len(more) >= len(sources)
    assert longer.count("\n\n") > 1, "it is in paragraphs"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Fasse die Dokumente zusammen", "Dokumente: 2."),
        ("De quoi parlent ces documents ?", "Documents : 2."),
        ("总结一下这些文档", "文档数：2。"),
        ("لخص هذه المستندات", "المستندات: 2."),
    ],
)
async def test_the_frame_is_in_the_language_of_the_question(
    client: httpx.AsyncClient, question: str, said: str
) -> None:
    documents = [await upload(client, PAGES), await upload(client, "The old mill of the village grinds corn.")]
    message, _ = await ask(client, documents, question)
    assert message.endswith(said)


async def test_sixty_documents_have_a_sentence_each(app: Starlette, client: httpx.AsyncClient) -> None:
    texts = [f"The museum of village {n} shows {n} ships in bottles and an old mill." for n in range(60)]
    async with app.state.services.db.write() as conn:
        account = await store.accounts.account_named(conn, "alice")
        for n, text in enumerate(texts):
            given = {"name": f"{n}.txt", "kind": "txt", "sha256": bytes([n]), "language": "en", "pages": 1, "notes": ""}
            row = await store.documents.add_document(conn, account, doc_id=f"d{n}", **given)
            await store.chunks.add_chunks(conn, row, with_terms(chunks(1, text)))
    documents = [f"d{n}" for n in range(60)]
    message, sources = await ask(client, documents, "")
    assert all(f"{n}.txt: {text} [{n + 1}]" in message for n, text in enumerate(texts))
    assert [source["doc_id"] for source in sources] == documents
    assert message.endswith("Documents: 60.")


async def test_a_summary_of_a_named_document_is_of_that_one(client: httpx.AsyncClient) -> None:
    mill, ship = (
        await upload(client, "The old mill of the village grinds corn.", "mill.txt"),
        await upload(client, "A ship is built of oak.", "ship.txt"),
    )
    _, sources = await ask(client, [mill, ship], "Summarize the mill document")
    assert [source["doc_id"] for source in sources] == [mill]


async def test_a_summary_of_something_that_is_no_section_is_an_ordinary_question(client: httpx.AsyncClient) -> None:
    message, _ = await ask(client, [await upload(client, PAGES)], "Summarize the repairs of Juniper")
    assert "Pages read" not in message
    assert "Juniper" in message


async def test_pages_are_counted(client: httpx.AsyncClient) -> None:
    first, second = await upload(client, PAGES, "a.txt"), await upload(client, "One page.", "b.txt")
    assert (await ask(client, [first], "How many pages does it have?"))[0] == "This document has 12 pages."
    assert (await ask(client, [first, second], "Wie viele Seiten?"))[
        0
    ] == "Zahl der Seiten: 13.\n- a.txt: 12\n- b.txt: 1"


async def test_headings_are_listed_with_their_pages(client: httpx.AsyncClient) -> None:
    text = rb"{\rtf1 {\s1\outlinelevel0 Hulls\par}Oak is used.\page {\s1\outlinelevel0 Sails\par}Linen is used.\par}"
    response = await client.post("/v1/api/upload", files={"file": ("boats.rtf", text)})
    assert response.status_code == 201, response.text
    message, _ = await ask(client, [response.json()["doc_id"]], "Show me the table of contents")
    assert message == "Section headings recognised: 2.\n- page 1: Hulls [1]\n- page 2: Sails [2]"


async def test_notes_go_with_their_document(app: Starlette, client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, PAGES)

    async def ready() -> bool:
        return (await client.get(f"/v1/api/documents/{doc_id}/status")).json()["state"] == "ready"  # type: ignore[no-any-return]

    await until(ready, "the document is ready")
    count = "SELECT count(*) FROM note"
    async with app.state.services.db.read() as conn:
        assert list(await conn.execute_fetchall(count)) > [(0,)]
    await client.delete(f"/v1/api/documents/{doc_id}")

    async def gone() -> bool:
        async with app.state.services.db.read() as conn:
            return list(await conn.execute_fetchall(count)) == [(0,)]

    await until(gone, "they are erased")


# --- places -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("companies", "The company was founded here."),
        ("fees", "A fee is due."),
        ("Fristen", "Die Frist endet im Mai."),
        ("сроки", "Нарушение сроков недопустимо."),
        ("截止日期", "申请的截止日期是五月。"),
        ("마감일", "마감일은 오월입니다."),
        ("المواعيد", "تحدد المواعيد في العقد."),
    ],
)
def test_a_word_is_found_in_its_forms(topic: str, text: str) -> None:
    assert speaks_of(Scope("mentions", (topic,)).topic_words, text)


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("companies", "A comparison was made."),
        ("directors", "The direct way is short."),
        ("fees", "They feed the hens."),
    ],
)
def test_another_word_is_not_taken_for_it(topic: str, text: str) -> None:
    assert not speaks_of(Scope("mentions", (topic,)).topic_words, text)


def test_a_row_is_named_by_its_columns_and_its_section() -> None:
    chunk = StoredChunk(1, 1, 1, "Deadlines", "Port\tDay", "Bergen\t3\nOslo\t4\n\nThe sea is deep.", "")
    assert [
        chunk.text[place.start : place.end] for place in places(Scope("mentions", ("deadlines",)).topic_words, [chunk])
    ] == [
        "Bergen\t3",
        "Oslo\t4",
    ]


# --- with a model -----------------------------------------------------------------------------------------------------


class Counting:
    """A model that answers how many passages it was given, a token a word."""

    context_tokens = 400
    is_small = False

    def __init__(self, fails: bool = False) -> None:
        self.prompts: list[str] = []
        self.fails = fails

    async def count(self, texts: list[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    async def generate(
        self, messages: list[dict[str, str]], *, temperature: float, max_tokens: int
    ) -> AsyncGenerator[str, None]:
        prompt = messages[-1]["content"]
        assert sum(len(message["content"].split()) for message in messages) + max_tokens <= self.context_tokens
        self.prompts.append(prompt)
        if self.fails and sum_up_part("en") in prompt:
            raise Unavailable("Not now.")
        yield f"summary {len(self.prompts)}"


QUESTION = Question("Summarize this")


async def written(model: Counting, notes: list[str]) -> str:
    return "".join([piece.text async for piece in digest(Chat(model, 5.0, Layouts()), QUESTION, notes)])


async def test_notes_that_fit_are_read_at_once() -> None:
    model = Counting()
    assert await written(model, ["The mill is old.", "The ship is new."]) == "summary 1"
    assert "The mill is old." in model.prompts[0]


async def test_more_notes_are_read_in_portions_and_none_is_left_out() -> None:
    model = Counting()
    notes = [f"Note{n} says that the mill of the village is old." for n in range(30)]
    assert await written(model, notes) == f"summary {len(model.prompts)}"
    assert len(model.prompts) > 3
    assert all(sum(note in prompt for prompt in model.prompts) == 1 for note in notes)
    assert all(f"summary {n}" in model.prompts[-1] for n in range(1, len(model.prompts)))


async def test_a_portion_that_cannot_be_summed_up_is_stood_for_by_its_first_note() -> None:
    model = Counting(fails=True)
    assert await written(model, [f"Note{n} says that the mill of the village is old." for n in range(30)])
    assert "Note0 says" in model.prompts[-1]
