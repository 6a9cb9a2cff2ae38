"""Chapters, sections and page ranges that a question names are a scope of their own."""

import httpx
import pytest

from conftest import ask, upload
from docqa.answering.sections import blocks, spans_of
from docqa.questions.wanted import Place
from docqa.store.chunks import StoredChunk

pytestmark = pytest.mark.anyio

PAGES = (
    "The Harbour Book\n\nContents\n\nChapter 1 ........ 2\nChapter 2 ........ 3\nChapter 3 ........ 5\n",
    "Chapter 1\n\nThe lighthouse was built of granite in 1871. Its lamp burned whale oil for twenty years.",
    "Chapter 2\n\nThe ferry crosses the sound twice a day. It carries forty cars and the mail.",
    "The ferry crew lives on the island. Their houses are painted yellow.",
    "Chapter 3\n\nThe cannery employed ninety women from three villages. It closed in 1958 when the herring stayed away.",
)


@pytest.fixture
async def book(client: httpx.AsyncClient) -> str:
    return await upload(client, "\f".join(PAGES), "harbour.txt")


@pytest.mark.parametrize(
    ("question", "held", "missing"),
    [
        ("What is chapter 3 about?", "cannery", "ferry"),
        ("Summarize chapter 2", "ferry", "cannery"),
        ("Summarize the last chapter", "cannery", "lighthouse"),
        ("Summarize pages 3-4", "ferry", "granite"),
        ("Summarize page 2", "lighthouse", "ferry"),
        ("What happens in chapter 1?", "lighthouse", "ferry"),
        ("Summarize chapters 1 and 3", "cannery", "ferry"),
        ("Summarize chapter three", "cannery", "ferry"),
        ("Summarize the last two chapters", "ferry", "granite"),
        ("Summarize the first two pages", "lighthouse", "ferry"),
        ("لخص الصفحة ٢", "lighthouse", "ferry"),
    ],
)
async def test_a_summary_of_a_part_is_of_that_part(
    client: httpx.AsyncClient, book: str, question: str, held: str, missing: str
) -> None:
    answer = await ask(client, book, question)
    assert held in answer and missing not in answer


async def test_pages_of_a_chapter_are_counted(client: httpx.AsyncClient, book: str) -> None:
    assert await ask(client, book, "How many pages are in chapter 2?") == "Pages of chapter 2: 3 to 4, 2 in all."


async def test_each_part_of_a_question_is_sought_in_its_own_chapter(client: httpx.AsyncClient) -> None:
    text = "Chapter 1\n\nThe captain was called Ole Berg.\fChapter 2\n\nThe captain was called Nils Dahl."
    doc_id = await upload(client, text, "captains.txt")
    question = "What was the captain called in chapter 2 and what was the captain called in chapter 1?"
    answer = await ask(client, doc_id, question)
    assert answer.index("Nils Dahl") < answer.index("Ole Berg")


async def test_pages_of_several_chapters_are_counted_together(client: httpx.AsyncClient, book: str) -> None:
    answer = await ask(client, book, "How many pages are in chapters 1 and 2?")
    assert answer == "Pages of chapters 1 and 2: 2 to 4, 3 in all."


async def test_a_chapter_that_is_not_there_is_said_to_be_missing(client: httpx.AsyncClient, book: str) -> None:
    assert await ask(client, book, "What is chapter 9 about?") == "Chapter 9 was not recognised in the documents."


async def test_a_fact_is_sought_in_the_chapter_that_is_named(client: httpx.AsyncClient) -> None:
    text = "Chapter 1\n\nThe captain was called Ole Berg.\fChapter 2\n\nThe captain was called Nils Dahl."
    doc_id = await upload(client, text, "captains.txt")
    assert "Nils Dahl" in await ask(client, doc_id, "What was the captain called in chapter 2?")
    assert "Ole Berg" in await ask(client, doc_id, "What was the captain called in chapter 1?")


TRIP = """Round the island

Overview:
Day 1: Harbour
Day 2: Lighthouse
Day 3: Mill

The days in full

Day 1: HARBOUR, dinner
The ferry arrives at four. A guide waits at the quay and walks with you to the inn.

Day 2: LIGHTHOUSE, breakfast
After breakfast a bus takes you to the cape. The keeper shows the lamp.

Day 3: MILL, breakfast
The miller grinds rye before your eyes. In the evening the ferry takes you home.
"""


@pytest.fixture
async def trip(client: httpx.AsyncClient) -> str:
    return await upload(client, TRIP, "trip.txt")


@pytest.mark.parametrize(
    ("question", "held", "missing"),
    [
        ("What happens on day 2?", ["keeper", "bus"], ["miller", "quay"]),
        ("Summarise day 3", ["miller"], ["keeper", "quay"]),
        ("What happens on days 1 and 3?", ["quay", "miller"], ["keeper"]),
        ("What happens on days 2-3?", ["keeper", "miller"], ["quay"]),
    ],
)
async def test_what_stands_under_a_word_with_a_number_is_told(
    client: httpx.AsyncClient, trip: str, question: str, held: list[str], missing: list[str]
) -> None:
    answer = await ask(client, trip, question)
    assert all(word in answer for word in held) and not any(word in answer for word in missing), answer


TARIFF = (
    "# Harbour rules\n\n## 1 Berths\n\nBerths are given in the order of arrival.\n\n## 2 Fees\n\nA berth costs:\n\n"
    "| Length | Summer | Winter |\n|---|---|---|\n| up to 6 m | 20 | 12 |\n| up to 9 m | 31 | 18 |\n\n"
    "Fees are paid on arrival.\n\n## 3 Quiet\n\nEngines are off after ten.\n"
)


async def test_the_rows_of_a_section_have_the_names_of_their_columns(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, TARIFF, "harbour.md")
    message = await ask(client, doc_id, "What does section 2 say?")
    assert "\n- up to 9 m: Summer 31; Winter 18" in message
    assert "Length |" not in message and "Fees are paid on arrival." in message
    assert "Engines" not in message


async def test_a_fact_is_sought_under_the_label_that_is_named(client: httpx.AsyncClient) -> None:
    text = "\n\n".join(
        f"Step {number}: {what}\nTighten the screws of the {what} with {force} newton metres."
        for number, what, force in [(1, "base", 12), (2, "arm", 25), (3, "lamp", 7)]
    )
    doc_id = await upload(client, text, "lamp.txt")
    for number, force in [(1, 12), (2, 25), (3, 7)]:
        answer = await ask(client, doc_id, f"How tight do the screws have to be in step {number}?")
        assert f"{force} newton metres" in answer and answer.count("newton") == 1, answer


async def test_labels_may_have_roman_numbers(client: httpx.AsyncClient) -> None:
    text = (
        "TITLE I: Boats\nTitle I says who may row on the lake, and when the quay is open.\n\n"
        "TITLE II: Fish\nTitle II says who may fish, and with which nets.\n\n"
        "TITLE III: Birds\nTitle III says where birds nest, and that nobody may go there in May."
    )
    doc_id = await upload(client, text, "act.txt")
    answer = await ask(client, doc_id, "What is title II about?")
    assert "nets" in answer and "row" not in answer and "nest" not in answer, answer


async def test_a_label_that_no_document_has_changes_nothing(client: httpx.AsyncClient, trip: str) -> None:
    answer = await ask(client, trip, "Who waits at the quay in harbour 7?")
    assert "guide" in answer and "recognised" not in answer


def test_what_stands_under_labels_ends_with_the_next_or_with_the_section() -> None:
    chunks = [
        chunk(1, 1, "Task 1: Costs\nCount them.\nTask 2: Risks\nName them.", "Tasks"),
        chunk(2, 2, "Rank them.", "Tasks"),
        chunk(3, 3, "Thanks to all.", "Thanks"),
    ]
    under = blocks("tasks", chunks)
    assert {number: [[span.text for span in block] for block in of_number] for number, of_number in under.items()} == {
        (1,): [["Task 1: Costs\nCount them.\n"]],
        (2,): [["Task 2: Risks\nName them.", "Rank them."]],
    }
    assert blocks("task", chunks[1:]) == {}
    assert blocks("costs", chunks) == {}


@pytest.mark.parametrize("word", ["Chapter", "Day"])
def test_thousands_of_headings_with_the_same_numbers_take_no_longer_than_others(word: str) -> None:
    """With a span from each of them to the end it would be hundreds of millions of spans."""
    chunks = [chunk(number, number, f"{word} 1\n{word} 0\n" * 10) for number in range(1, 2001)]
    place = Place("chapter", (1,), (1,), "") if word == "Chapter" else Place("label", (1,), (1,), "", "day")
    spans = spans_of(place, chunks)
    assert spans[0].text.startswith(f"{word} 1") and len(spans) <= len(chunks)


def test_a_number_alone_is_no_label() -> None:
    assert blocks("day", [chunk(1, 1, "Day 4 was long.\nWe counted 3 of them.")]) == {}


def chunk(id_: int, page: int, text: str, section: str = "") -> StoredChunk:
    return StoredChunk(id_, 1, page, section, "", text, "")


@pytest.mark.parametrize(
    ("place", "pages"),
    [
        (Place("section", (3, 1), (3, 1), "section 3.1"), [2]),
        (Place("section", (3,), (3,), "section 3"), [2, 3]),
        (Place("chapter", (4,), (4,), "chapter 4"), [4]),
        (Place("chapter", (7,), (7,), "chapter 7"), []),
        (Place("page", (2,), (3,), "pages 2-3"), [2, 3]),
        (Place("page", (-1,), (-1,), "last page"), [4]),
    ],
)
def test_numbered_headings_bound_sections(place: Place, pages: list[int]) -> None:
    chunks = [
        chunk(1, 1, "2 Scope\nThis applies to all. 3 of them are here."),
        chunk(2, 2, "3 Terms\n3.1 Notice\nThree months."),
        chunk(3, 3, "3.2 Deposit\nTwo rents."),
        chunk(4, 4, "4 End\nSigned."),
    ]
    assert [span.chunk.page_number for span in spans_of(place, chunks)] == pages


@pytest.mark.parametrize(("number", "pages"), [(1, [1, 2]), (2, [3]), (-1, [4]), (5, [])])
def test_titles_without_numbers_are_counted(number: int, pages: list[int]) -> None:
    chunks = [
        chunk(1, 1, "The island lies far out.", "The island"),
        chunk(2, 2, "Nobody lived on it.", "The island"),
        chunk(3, 3, "A ferry came.", "The ferry"),
        chunk(4, 4, "It went again.", "The end"),
    ]
    assert [span.chunk.page_number for span in spans_of(Place("chapter", (number,), (number,), ""), chunks)] == pages


async def test_roman_numbers_count_sections_too(client: httpx.AsyncClient) -> None:
    text = "I. Scope\n\nThese rules hold for the harbour.\fIV. Fees\n\nA berth costs forty crowns a night."
    doc_id = await upload(client, text, "rules.txt")
    answer = await ask(client, doc_id, "Summarize section IV")
    assert "forty crowns" in answer and "rules hold" not in answer
