"""What a name means is found where a document introduces it, however often it is used elsewhere."""

import httpx
import pytest

from conftest import upload
from docqa.questions.question import Part
from docqa.search.introductions import explains, introduces
from search.test_search import FILLER

pytestmark = pytest.mark.anyio

USED = [
    f"On day {day} HSC heard what HSC's own witnesses told HSC about the pier, and HSC believed HSC."
    for day in range(40)
]


@pytest.mark.parametrize(
    ("text", "name", "is_so"),
    [
        ("the Harbour Safety Commission (“HSC”) found", "HSC", True),
        ("Retrieval-Augmented Generation (RAG) finds", "RAG", True),
        ("the sale of the mill (the “Mill\nSale”) was", "Mill Sale", True),
        ('In this charter "Lead" refers to a person', "Lead", True),
        ("die Vermieterin (nachfolgend „Vermieterin“ genannt)", "Vermieterin", True),
        ("the HSC found", "HSC", False),
        ("the pier (which HSC owns)", "HSC", False),
        ("the (HSCX) and “HSC rules”", "HSC", False),
    ],
)
def test_a_name_is_introduced_in_quotation_marks_or_brackets(text: str, name: str, is_so: bool) -> None:
    assert introduces(text, name) is is_so


@pytest.mark.parametrize(
    ("text", "name", "is_so"),
    [
        ("• Lender – the person or firm that lends the money", "lender", True),
        ("Darlehen (Kredit) - was geliehen wird und zu zahlen ist", "Darlehen", True),
        ("3. Quiet hours: nobody plays music then", "quiet hours", True),
        ("租金：每月第一天支付", "租金", True),
        ("Lender: 40 €", "lender", False),
        ("Lender's fee - what the lender takes for it", "lender", False),
        ("The lender – a bank, mostly – lends", "lends", False),
    ],
)
def test_an_entry_of_a_glossary_explains_what_it_begins_with(text: str, name: str, is_so: bool) -> None:
    assert explains(text, name) is is_so


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What is a lender?", "lender"),
        ("Was ist ein Darlehensgeber?", "Darlehensgeber"),
        ("What does the lender of a car take?", ""),
        ("Lender", ""),
    ],
)
def test_what_a_question_asks_about_that_is_no_name(question: str, subject: str) -> None:
    assert Part(question, "de" if "Was" in question else "en").subject == subject


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the Concept Plan?", "Concept Plan"),
        ("Who is ENA?", "ENA"),
        ("What did ENA buy?", ""),
        ("Tell me more", ""),
    ],
)
def test_what_a_question_asks_about_and_nothing_besides(question: str, name: str) -> None:
    assert Part(question, "en").name == name


async def test_the_passage_that_introduces_a_name_is_found_among_many_that_use_it(client: httpx.AsyncClient) -> None:
    introduction = "The Harbour Safety Commission (“HSC”) looks after the piers of the town."
    doc_id = await upload(client, "\n\n".join(f"{text} {FILLER}" for text in [*USED[:20], introduction, *USED[20:]]))
    query = {"query": "What is HSC?", "doc_ids": [doc_id], "top_k": 5}
    results = (await client.post("/v1/api/retrieve", json=query)).json()["results"]
    assert results[0]["source_chunk"].startswith(introduction)
