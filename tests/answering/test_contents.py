"""Which chapters there are and where they begin, by the printed table of contents, over HTTP."""

import httpx
import pytest
from test_overview import ask

from conftest import upload

pytestmark = pytest.mark.anyio

BODY = "The harbour is deep and safe for ships of every size that sail along the northern coast in winter."
GUIDE = (
    "The seafarer's guide\fCONTENTS\n\nPreface ........ vii\n1. Harbours ........ 5\n2. Merchant ships ........ 9\n"
    f"3. Crews and Captains ........ 12\f{BODY}"
)


async def test_chapters_are_counted_and_listed_with_their_printed_pages(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, GUIDE)
    message, sources = await ask(client, [doc_id], "How many chapters are there?")
    assert message.startswith("Chapters or main parts: 3.\n- 1. Harbours, page 5 [1]\n- 2. Merchant ships, page 9 [1]")
    assert "Preface" in message
    assert [source["page_number"] for source in sources] == [2]
    assert sources[0]["source_chunk"].startswith("Preface") or "1. Harbours" in sources[0]["source_chunk"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("on what page does the crews chapter start", "“3. Crews and Captains” begins on page 12"),
        ("Where does chapter 2 begin?", "“2. Merchant ships” begins on page 9"),
        (
            "Auf welcher Seite beginnt das Kapitel Harbours?",
            "“1. Harbours” beginnt laut Inhaltsverzeichnis auf Seite 5",
        ),
        ("À quelle page commence le chapitre Harbours ?", "“1. Harbours” commence à la page 5"),
        ("¿En qué página empieza el capítulo Harbours?", "“1. Harbours” empieza en la página 5"),
    ],
)
async def test_a_chapter_begins_on_its_printed_page(client: httpx.AsyncClient, question: str, answer: str) -> None:
    message, sources = await ask(client, [await upload(client, GUIDE)], question)
    assert message.startswith(answer)
    assert sources[0]["page_number"] == 2


async def test_a_page_of_something_that_is_no_chapter_is_an_ordinary_question(client: httpx.AsyncClient) -> None:
    message, _ = await ask(client, [await upload(client, GUIDE)], "On what page is the northern coast?")
    assert "begins on page" not in message


async def test_what_the_document_labels_is_known_by_its_label(client: httpx.AsyncClient) -> None:
    text = "The lake\fCONTENTS\n\nItem 1. Boats ........ 5\nItem 2. Sails ........ 9\nItem 3. Oars ........ 12\fText."
    message, _ = await ask(client, [await upload(client, text)], "what page is item 2 on")
    assert message.startswith("“Item 2. Sails” begins on page 9 by the table of contents.")
