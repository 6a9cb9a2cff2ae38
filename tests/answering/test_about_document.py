"""Questions about documents themselves: what their text says of them, else what their file says; and no question at
all."""

import httpx
import pytest
from test_overview import ask

from conftest import upload
from docqa.answering.title_page import author, date
from docqa.store.chunks import StoredChunk

pytestmark = pytest.mark.anyio

REPORT = """Harbour Watch: Report on the Season

Compiled by Ingrid Solberg, harbour master
14 May 2021

The harbour received more boats than in the year before. In March 2019 a storm destroyed the old pier."""


def chunk(text: str) -> list[StoredChunk]:
    return [StoredChunk(1, 1, 1, "", "", text, "")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Tides\n\nby Mary van der Berg\n\nThe sea rises.", "Mary van der Berg"),
        ("Tides\nAuthors: Ana Lopez, John Q. Public and Li Wei\nThe sea rises.", "Ana Lopez, John Q. Public, Li Wei"),
        ("Mills\n\nPrepared for:\nThe Harbour Office\n\nPrepared by:\nH. Jason Reed (PI)\nAnne Bauer", "H. Jason Reed"),
        ("Gezeiten\nVerfasserin: Jutta Öhler\nDas Meer steigt.", "Jutta Öhler"),
        ("潮汐\n作者：王小明\n海水上涨。", "王小明"),
        ("Purchasing\nAudited: May to June. Lead auditor: Bea Lomond. Sent to: the owner.", "Bea Lomond"),
        ("Tides\nOmar Haddad <omar@tides.example>\nThe sea rises.", "Omar Haddad"),
        ("Present: Ann Lee (chair), Tom Roe (minutes)", "Tom Roe"),
        ("Before STONE and MILLER.\n\nMILLER, Circuit Judge:\n\nThe pier belongs to the town.", "MILLER"),
        (
            "On Tides\n\nYun Fang, Mia Olsen, Karl Brandt\n\nAbstract. The sea rises.",
            "Yun Fang, Mia Olsen, Karl Brandt",
        ),
        (
            "On Tides\n\nY. Fang¹, M. Olsen² and K. Brandt. Office of the Harbour, Bergen\n\nAbstract. The sea rises.",
            "Y. Fang, M. Olsen, K. Brandt",
        ),
    ],
)
def test_a_by_line_names_the_author(text: str, names: str) -> None:
    stated = author(chunk(text))
    assert stated is not None
    assert stated.value == names


@pytest.mark.parametrize(
    "text",
    [
        "The pier was destroyed by Storm and rain.",
        "Annual Report\nHarbour Office\nBergen",
        "sent by post",
        "Contents\nH. Summary of Reimbursable Resources\tN/A\nI. Detail of Permanent Positions\t14",
        "Distribution: Managing Director, Finance Director, Head Of Purchasing",
    ],
)
def test_a_line_that_is_no_byline_names_no_author(text: str) -> None:
    assert author(chunk(text)) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        (REPORT, "14 May 2021"),
        ("Pump P7 manual\n04.2018\nThe pump lifts water.", "04.2018"),
        ("Hausordnung\nStand: 3. Juni 2020\nDie Tür ist zu schließen.", "3. Juni 2020"),
        ("Notice, version 3, octobre 2022\nLe robinet est fermé.", "octobre 2022"),
        ("使用说明书\n发布日期：2023年8月1日", "2023年8月1日"),
    ],
)
def test_a_date_within_the_text_is_not_the_date_of_the_document(text: str, day: str) -> None:
    stated = date(chunk(text))
    assert stated is not None
    assert stated.value == day


def test_a_date_in_a_line_that_goes_on_is_not_that_of_the_document() -> None:
    text = "The Pier\n\nThe survey of the old pier was made between 3 and 7 May 2019 and\nit took a week.\n\nPublished 4 June 2020"
    stated = date(chunk(text))
    assert stated is not None
    assert stated.value == "4 June 2020"


async def test_the_imprint_counts_before_the_file_where_covers_stand_before_it(client: httpx.AsyncClient) -> None:
    doc_id = await upload(
        client, "Harbour Watch\fHarbour Office\fHarbour Watch\fFirst published April 2016\nBergen\fText."
    )
    message, sources = await ask(client, [doc_id], "when did this come out?")
    assert message == "It gives the date April 2016: “First published April 2016” [1]"
    assert sources[0]["page_number"] == 4


def test_a_date_in_a_sentence_is_not_that_of_the_document() -> None:
    text = "The Pier\n\n" + "The sea is wide and the wind is strong at the coast. " * 10
    assert date(chunk(text + "In the winter of the year the pier burnt down on 3 March 1911.")) is None


async def test_author_and_date_are_said_with_their_source(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, REPORT)
    message, sources = await ask(client, [doc_id], "who made this report and when?")
    assert message == (
        "It names Ingrid Solberg: “Compiled by Ingrid Solberg, harbour master” [1] It is dated 14 May 2021. [1]"
    )
    assert [source["page_number"] for source in sources] == [1]


async def test_what_only_the_file_says_is_said_to_be_so(client: httpx.AsyncClient) -> None:
    text = rb"{\rtf1{\info{\title Notes on Tides}{\author Mary Roe}{\creatim\yr2019\mo4\dy7}}The sea rises twice a day.\par}"
    response = await client.post("/v1/api/upload", files={"file": ("t.rtf", text)})
    doc_id = response.json()["doc_id"]
    message, sources = await ask(client, [doc_id], "Who is the author?")
    assert (message, sources) == ("The file's properties name Mary Roe as its author.", [])
    assert (await ask(client, [doc_id], "from when is this"))[0] == "The file's properties give the date 2019-04-07."
    assert (await ask(client, [doc_id], "What's the title?"))[0] == "Its title is “Notes on Tides”."
    assert (await ask(client, [doc_id], "Welches Dateiformat?"))[0] == "Es ist eine Datei im Format RTF."


async def test_a_document_without_an_author_is_not_silent_on_everything(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, "The sea rises twice a day.")
    assert (await ask(client, [doc_id], "who wrote it?"))[0].startswith("No author was found")
    assert (await ask(client, [doc_id], "What language is it in?"))[0] == "It is written in English."


async def test_a_letter_that_the_text_mentions_is_not_the_document(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, "By Ann Roe\n\nThe letter to the mayor was written by the miller in spring.")
    message, _ = await ask(client, [doc_id], "Who wrote the letter to the mayor?")
    assert "miller" in message


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("hello", "Hello!"),
        ("thanks, great", "You're welcome!"),
        ("what can you do?", "I can help with these documents."),
        ("Write a poem about the harbour", "That takes a language model"),
        ("Vielen Dank", "Gern geschehen!"),
        ("Übersetze das ins Englische", "Dafür braucht es ein Sprachmodell"),
        ("你好", "您好！"),
    ],
)
async def test_no_question_gets_a_helpful_sentence_in_its_language(
    client: httpx.AsyncClient, text: str, begins: str
) -> None:
    message, sources = await ask(client, [await upload(client, REPORT)], text)
    assert message.startswith(begins)
    assert sources == []


async def test_the_summary_of_a_table_says_what_its_rows_hold(client: httpx.AsyncClient) -> None:
    rows = "Boat,Port,Day,Fee\n" + "".join(
        f"Boat {n},{'Oslo' if n % 2 else 'Bergen'},2024-03-{n:02},{n * 10}\n" for n in range(1, 21)
    )
    message, _ = await ask(client, [await upload(client, rows, "boats.csv")], "What is this about?")
    assert message == (
        "A table with 20 rows and 4 columns: Boat, Port, Day, Fee. Port is one of: Bergen, Oslo. "
        "Day runs from 2024-03-01 to 2024-03-20. Fee runs from 10 to 200."
    )


HANDBOOK = """Handbook of the Ferry

Chapter 1: Tickets

A ticket costs three crowns. It is sold on board.

Chapter 2: Luggage

Each passenger may bring:
- one suitcase
- one bicycle

Chapter 3: Leaving

Wait until the ferry has stopped."""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "What does chapter 1 say?",
            "Chapter 1 is headed “Tickets”. [1] A ticket costs three crowns. [1] It is sold on board. [1]",
        ),
        (
            "what is chapter 2 about?",
            "Chapter 2 is headed “Luggage”. [1] Each passenger may bring: [1]\n- one suitcase [1]\n- one bicycle [1]",
        ),
    ],
)
async def test_a_short_chapter_is_shown_whole(client: httpx.AsyncClient, question: str, answer: str) -> None:
    message, _ = await ask(client, [await upload(client, HANDBOOK)], question)
    assert message == answer


async def test_a_summary_has_as_many_sentences_as_asked(client: httpx.AsyncClient) -> None:
    text = "The lighthouse on the cape was built of granite in two summers.\x0cFishermen sell herring and cod at the market every morning.\x0cA railway joins the harbour to the foundry behind the hills.\x0cApples and pears grow in the orchards along the wide river."
    doc_id = await upload(client, text)
    message, sources = await ask(client, [doc_id], "Summarise this in two sentences", length="LONG")
    assert len(sources) == 2, message


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            "The Pump\n\nThis guide is for anyone who owns a pump. It lifts water.",
            "who is this for?",
            "It says for whom it is: “This guide is for anyone who owns a pump.” [1]",
        ),
        (
            "Die Pumpe\n\nDiese Anleitung richtet sich an Besitzer einer Pumpe. Sie hebt Wasser.",
            "Für wen ist das?",
            "Darin steht, für wen es ist: „Diese Anleitung richtet sich an Besitzer einer Pumpe.“ [1]",
        ),
        (
            "La pompe\n\nCe guide s'adresse aux propriétaires d'une pompe. Elle monte l'eau.",
            "C'est pour qui ?",
            "Il est dit à qui il s’adresse : « Ce guide s'adresse aux propriétaires d'une pompe. » [1]",
        ),
        (
            "La bomba\n\nEsta guía está dirigida a dueños de una bomba. Sube agua.",
            "¿Para quién es?",
            "Dice para quién es: «Esta guía está dirigida a dueños de una bomba.» [1]",
        ),
    ],
)
async def test_for_whom_a_document_is(client: httpx.AsyncClient, text: str, question: str, answer: str) -> None:
    assert (await ask(client, [await upload(client, text)], question))[0] == answer


MAIL = """From: "King, Ada" <ada@harbour.example>
To: Omar Haddad <omar@tides.example>
Date: Tue, 4 Mar 2025 09:12:00 +0100
Subject: The old pier
Content-Type: text/plain; charset=utf-8

Dear Omar, the pier will be closed from 1 May. Please tell the boats.
Ingrid wrote to me that she agrees."""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who sent the message?", "It names King, Ada <ada@harbour.example> as its author."),
        ("Who wrote this email?", "It names King, Ada <ada@harbour.example> as its author."),
        ("When was it sent?", "It is dated Tue, 4 Mar 2025 09:12:00 +0100."),
        ("Who was the mail sent to?", "It says for whom it is: “Omar Haddad <omar@tides.example>”"),
        ("Wer hat die Mail geschickt?", "King, Ada <ada@harbour.example>"),
        ("An wen ging die E-Mail?", "Omar Haddad"),
        ("谁发的邮件？", "King, Ada"),
    ],
)
async def test_the_head_of_a_message_says_who_sent_it_to_whom_and_when(
    client: httpx.AsyncClient, question: str, answer: str
) -> None:
    doc_id = await upload(client, MAIL, "pier.eml")
    text, _ = await ask(client, [doc_id], question)
    assert answer in text


async def test_in_other_documents_who_sent_something_is_a_question_about_their_contents(
    client: httpx.AsyncClient,
) -> None:
    doc_id = await upload(client, "The Pier\n\nby Mary Olsen\n\nThe message was sent by Captain Haddock.")
    text, _ = await ask(client, [doc_id], "Who sent the message?")
    assert "Captain Haddock" in text
