"""Chunks that were cut out of a long paragraph are completed with what stands beside them."""

from dataclasses import dataclass

import httpx
import pymupdf
import pytest

from conftest import upload
from docqa.ingest.chunking import BESIDE, TARGET, WHOLE, after, before, chunks

pytestmark = pytest.mark.anyio

STEPS = [
    f"In step {number} of that plan the masons moved the stones of wall {number} to the yard." for number in range(60)
]
LIFT = "The Havsule lift carried people from the harbour to the upper town."
CLOSED = "It was closed for good in 1987."


def cut_between(text: str, next_one: str) -> str:
    """A paragraph that is cut between these two sentences."""
    head = " ".join(STEPS)[: TARGET - len(text) - 10]
    return f"{head}. {text} {next_one} {' '.join(STEPS[30:50])}"


@dataclass(frozen=True)
class Place:
    answer: str
    sources: list[dict[str, object]]


async def ask(client: httpx.AsyncClient, doc_id: str, question: str) -> Place:
    response = await client.post(f"/v1/chat/{doc_id}?cite_source=true", json=[{"sender": "user", "message": question}])
    body = response.json()
    return Place(body["answer"]["message"], body["sources"])


def test_what_completes_a_chunk_are_whole_sentences_of_its_paragraph() -> None:
    assert before("Elsewhere.\n\nOne. Two.", " ") == "One. Two. "
    assert after("Three. Four.\n\nElsewhere.", "\n") == "\nThree. Four."
    long = "One. " + "And so on " * 60 + "end. Two."
    assert before(long, " ") == "Two. "
    assert after("Three. " + long, " ") == " Three. One."


def test_a_sentence_without_end_is_cut_at_a_space() -> None:
    words = "word " * 300
    assert before(words.strip(), " ").startswith("word ") and len(before(words.strip(), " ")) <= BESIDE + 1
    assert after(words.strip(), " ").endswith(" word") and len(after(words.strip(), " ")) <= BESIDE + 1
    assert before("x" * 1000, "") == after("x" * 1000, "") == ""


@pytest.mark.parametrize(
    ("neighbour", "gap"),
    [
        ("", ""),
        ("A paragraph.", "\n\n"),
        ("A paragraph.", " \n \n"),
        ("A row\t12\nA row\t13", "\n"),
        ("One.", " A header. "),
    ],
)
def test_nothing_is_taken_from_another_paragraph_a_table_or_across_a_header(neighbour: str, gap: str) -> None:
    assert before(neighbour, gap) == after(neighbour, gap) == ""


async def test_an_answer_whose_subject_stands_before_the_cut_is_found_and_shows_it(client: httpx.AsyncClient) -> None:
    text = cut_between(LIFT, CLOSED)
    assert [chunk.text.startswith(CLOSED) for chunk in chunks(1, text)][:2] == [False, True], (
        "the text is cut between the two sentences"
    )
    doc_id = await upload(client, text)
    place = await ask(client, doc_id, "When was the Havsule lift closed?")
    assert "1987" in place.answer
    source = next(str(source["source_chunk"]) for source in place.sources if CLOSED in str(source["source_chunk"]))
    assert f"{LIFT} {CLOSED}" in source and source in text


async def test_two_chunks_that_were_both_found_share_no_more_than_what_one_needs(client: httpx.AsyncClient) -> None:
    text = cut_between(LIFT, CLOSED)
    doc_id = await upload(client, text)
    response = await client.post(
        "/v1/api/retrieve", json={"query": "Havsule lift masons", "doc_ids": [doc_id], "top_k": 5}
    )
    passages = sorted((result["source_chunk"] for result in response.json()["results"]), key=text.index)
    assert len(passages) == len(chunks(1, text)) > 1
    assert sum(map(len, passages)) <= len(text) + BESIDE * (len(passages) - 1)
    assert all(passage in text for passage in passages)


async def test_a_paragraph_that_stays_whole_and_its_neighbours_are_shown_as_they_are(client: httpx.AsyncClient) -> None:
    paragraphs = [" ".join(STEPS[:12]), f"{LIFT} {CLOSED} " + " ".join(STEPS[20:30]), " ".join(STEPS[40:52])]
    assert all(TARGET / 2 < len(paragraph) < TARGET * WHOLE for paragraph in paragraphs)
    doc_id = await upload(client, "\n\n".join(paragraphs))
    response = await client.post("/v1/api/retrieve", json={"query": "Havsule lift", "doc_ids": [doc_id], "top_k": 1})
    assert [result["source_chunk"] for result in response.json()["results"]] == [paragraphs[1]]


async def test_a_completed_passage_of_a_pdf_is_verbatim_from_its_page(client: httpx.AsyncClient) -> None:
    text = cut_between(LIFT, CLOSED)
    with pymupdf.open() as pdf:
        pdf.new_page().insert_textbox((40, 40, 560, 800), text, fontsize=8)
        data = pdf.tobytes()
    response = await client.post("/v1/api/upload", files={"file": ("plan.pdf", data)})
    doc_id = response.json()["doc_id"]
    page = (await client.get(f"/v1/api/documents/{doc_id}/pages/1")).json()["text"]
    place = await ask(client, doc_id, "When was the Havsule lift closed?")
    source = next(str(source["source_chunk"]) for source in place.sources if "1987" in str(source["source_chunk"]))
    assert source in page
    assert f"{LIFT} {CLOSED}" in " ".join(source.split())
