"""Documents and pages that a question names."""

from collections.abc import AsyncIterator

import httpx
import pytest

from conftest import upload
from docqa.questions.named import MOST_PLACES, label_of, labels_named, named_by, pages_of, place_begun, places_named
from docqa.text.words import terms

NAMES = {1: "Lease_Hartmann_2021.txt", 2: "Lease Brook Street.txt", 3: "Lease-Mill.txt"}


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What is the notice period in the Hartmann lease?", {1}),
        ("Who signed the lease of 2021?", {1}),
        ("Compare Brook Street and the mill.", {2, 3}),
        ("What is the notice period in the lease?", set()),
        ("Who is the landlord?", set()),
    ],
)
def test_documents_are_named_by_the_words_in_which_their_names_differ(question: str, named: set[int]) -> None:
    assert set(named_by(terms(question), NAMES)) == named


@pytest.fixture
async def leases(client: httpx.AsyncClient) -> AsyncIterator[list[str]]:
    """Three leases that do not say whose they are."""
    text = (
        "The landlord may end this agreement with notice of {} months. The rent is due on the first day of each month."
    )
    yield [
        await upload(client, text.format(months), name)
        for months, name in zip(("three", "six", "nine"), NAMES.values(), strict=True)
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(("name", "months"), [("Hartmann", "three"), ("Brook Street", "six"), ("mill", "nine")])
async def test_the_passage_comes_from_the_document_that_is_named(
    client: httpx.AsyncClient, leases: list[str], name: str, months: str
) -> None:
    question = f"With how many months of notice may the landlord end the agreement in the {name} lease?"
    body = {"documents": leases, "messages": [{"sender": "user", "message": question}]}
    reply = (await client.post("/v1/api/knowledge_base_chat?cite_source=true", json=body)).json()
    assert f"notice of {months} months" in reply["sources"][0]["source_chunk"]


@pytest.mark.anyio
async def test_a_name_is_no_evidence(client: httpx.AsyncClient, leases: list[str]) -> None:
    body = {
        "documents": leases,
        "messages": [{"sender": "user", "message": "What is the wifi password in the Hartmann lease of 2021?"}],
    }
    reply = (await client.post("/v1/api/knowledge_base_chat?cite_source=true", json=body)).json()
    assert reply["sources"] == []


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("What stands on page 4?", {4}),
        ("Compare pages 3-5.", {3, 4, 5}),
        ("Who signed on the last page?", {20}),
        ("What is the title of the first slide?", {1}),
        ("What does slide 7 show?", {7}),
        ("Was steht auf Seite 12?", {12}),
        ("Was steht auf der zweiten Seite?", {2}),
        ("Que dit la page 3 ?", {3}),
        ("¿Qué dice la página 2?", {2}),
        ("第3页说了什么？", {3}),
        ("5ページの内容は何ですか", {5}),
        ("Что написано на странице 6?", {6}),
        ("ماذا يوجد في الصفحة 4؟", {4}),
        ("What stands on page 21?", set()),
        ("How many pages does it have?", set()),
        ("Who came first, on which page is it said?", set()),
        ("What was paid in 2018?", set()),
        ("Is page 1,000 the last?", set()),
        ("Compare pages 1-99999", set(range(1, 21))),
    ],
)
def test_pages_are_named(question: str, pages: set[int]) -> None:
    assert pages_of(places_named(question), 20) == pages


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("Chapter 3", ("chapter", (3,))),
        ("CHAPTER THREE: THE FERRY", ("chapter", (3,))),
        ("Section 3.2 Notice", ("section", (3, 2))),
        ("§ 7 Kündigung", ("section", (7,))),
        ("Third chapter", ("chapter", (3,))),
        ("3. Kapitel: Die Fähre", ("chapter", (3,))),
        ("第3章 船", ("chapter", (3,))),
        ("الفصل الثالث", ("chapter", (3,))),
        ("Chapters 3 to 5", None),
        ("As chapter 3 shows", None),
        ("Page 3", None),
        ("The third chapter", None),
        ("Parties met in section 3", None),
        ("", None),
    ],
)
def test_a_heading_begins_with_its_chapter_or_section(line: str, place: tuple[str, tuple[int, ...]] | None) -> None:
    begun = place_begun(line)
    assert (begun and (begun.kind, begun.first)) == place


@pytest.mark.parametrize(
    "question",
    [
        "In section 5" + "1," * 400,
        "pages " + ", ".join(map(str, range(1, 200))),
        "第1" + "、2" * 400,
        f"pages 3{' ' * 10_000}pump",
    ],
)
def test_long_lists_and_gaps_take_no_longer_than_others(question: str) -> None:
    """Of "1,1,1,1," each comma was once read in three ways: thirty of them took years, in which nobody was answered."""
    places_named(question, "en")


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("What is title IV about?", [4]),
        ("Compare titles II and III", [2, 3]),
        ("How many days I can stay?", []),  # who asks
        ("What is a civil case?", []),
    ],
)
def test_labels_may_have_roman_numbers(question: str, numbers: list[int]) -> None:
    assert [label.first[0] for label in labels_named(question, "en")] == numbers


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("TITLE IV: Fish", ("title", (4,))),
        ("• Step 3. Fill it", ("step", (3,))),
        ("CIVIL CASES", None),
        ("MUSIC", None),
        ("Title 3.5", None),
    ],
)
def test_a_line_may_begin_with_a_label(line: str, label: tuple[str, tuple[int, ...]] | None) -> None:
    assert label_of(line) == label


def test_a_place_is_named_once_and_a_hundred_of_them_at_most() -> None:
    assert [place.first for place in places_named("第3章と第4章、第3章")] == [(3,), (4,)]
    assert [place.first for place in places_named("chapter 3, see chapter 4 and chapter 3")] == [(3,), (4,)]
    assert len(places_named(" ".join(f"chapter {number}," for number in range(1, 400)))) == MOST_PLACES
