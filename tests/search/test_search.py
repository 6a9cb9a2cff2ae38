"""How the words of a question are weighed, and in which order passages come."""

import httpx
import pytest
from starlette.applications import Starlette

from conftest import upload
from docqa import store
from docqa.search.weights import bm25, rarity
from docqa.store.chunks import Chunk
from docqa.text.words import terms

pytestmark = pytest.mark.anyio

FILLER = (
    "The work went on as before, and the wardens wrote all of it down in the books that they keep in the tower by the old gate. "
    * 8
)


def paragraphs(*sentences: str) -> str:
    """A text with a chunk for each of these sentences."""
    return "\n\n".join(f"{sentence} {FILLER}" for sentence in sentences)


async def first_sentences(client: httpx.AsyncClient, doc_id: str, query: str) -> list[str]:
    """The first sentences of the passages, best first."""
    response = await client.post("/v1/api/retrieve", json={"query": query, "doc_ids": [doc_id], "top_k": 5})
    return [result["source_chunk"].partition(".")[0] for result in response.json()["results"]]


def test_rarer_words_weigh_more_and_no_weight_is_negative() -> None:
    rarities = [rarity(count, 100) for count in (0, 1, 10, 50, 99, 100)]
    assert rarities == sorted(rarities, reverse=True)
    assert rarities[-1] > 0


def test_passages_score_by_their_words_by_how_often_and_by_their_length() -> None:
    weights = {"quay": 2.0, "crane": 1.0}
    passages = [
        "the crane",
        "the quay",
        "the quay and the quay",
        "the quay " + "and nothing else " * 9,
        "",
        "and nothing",
    ]
    crane, quay, twice, long, empty, nothing = bm25(weights, [passage.split() for passage in passages])
    assert twice > quay > crane > empty == nothing == 0
    assert quay > long > 0
    assert bm25(weights, []) == []


async def test_words_are_counted_in_the_documents_that_are_asked(app: Starlette, client: httpx.AsyncClient) -> None:
    ferries = await upload(client, paragraphs("The ferry sails at dawn.", "The ferry was built in Lauterach."))
    await upload(
        client, paragraphs("The mill stands in Lauterach.", "The mill grinds rye.", "No ferry goes to the mill.")
    )
    async with app.state.services.db.read() as conn:
        ids = [row[0] for row in await conn.execute_fetchall("SELECT id FROM document WHERE doc_id = ?", (ferries,))]
        scope = await store.scopes.scope_of(conn, ids)
        assert scope.size == 2
        here = await store.full_text.occurrences(conn, scope, ["ferry", "lauterach", "mill"])
        assert here.counts == {"ferry": 2, "lauterach": 1}
        nothing = await store.scopes.scope_of(conn, [])
        assert (nothing.size, (await store.full_text.occurrences(conn, nothing, ["ferry"])).counts) == (0, {})


async def test_no_score_tells_what_another_account_stores(
    app: Starlette, client: httpx.AsyncClient, stranger: httpx.AsyncClient
) -> None:
    doc_id = await upload(client, paragraphs("The ferry sails at dawn.", "The mill grinds rye."))
    body = {"query": "Which ferry sails past the mill?", "doc_ids": [doc_id]}
    before = (await client.post("/v1/api/retrieve", json=body)).json()
    for number in range(20):
        await upload(stranger, paragraphs(f"Ferry {number} sails.", "A ferry, a ferry, a kingdom for a ferry!"))
    assert (await client.post("/v1/api/retrieve", json=body)).json() == before


async def test_passages_that_came_late_are_searched_with_their_document_and_no_others(
    app: Starlette, client: httpx.AsyncClient, stranger: httpx.AsyncClient
) -> None:
    pages = [await upload(client, "The ferry sails at dawn.\fThe mill grinds rye.")]
    await upload(stranger, "The ferry of a stranger.")
    pages.append(await upload(client, "The ferry was built in Lauterach."))
    async with app.state.services.db.write() as conn:
        [(id_,)] = await conn.execute_fetchall("SELECT id FROM document WHERE doc_id = ?", (pages[0],))
        await store.chunks.replace_page(conn, id_, 1, [(Chunk(1, 0, "A ferry."), "ferry")])
    for doc_ids, count in ((pages[:1], 1), (pages[1:], 1), (pages, 2)):
        response = await client.post("/v1/api/retrieve", json={"query": "ferry", "doc_ids": doc_ids})
        assert len(response.json()["results"]) == count


async def test_a_word_that_the_whole_document_is_about_does_not_decide_although_no_other_document_has_it(
    client: httpx.AsyncClient,
) -> None:
    for name in ("mills", "orchards", "bridges"):
        await upload(
            client, paragraphs(*(f"The {name} of valley {number} were repaired by the guild." for number in range(12)))
        )
    towers = await upload(
        client,
        paragraphs(
            *(f"The tower at mile {number} is red." for number in range(20)),
            "One was repaired by masons from the south.",
        ),
    )
    assert (await first_sentences(client, towers, "Which tower was repaired?"))[
        0
    ] == "One was repaired by masons from the south"


async def test_the_beginning_of_a_question_word_says_no_more_than_the_word(client: httpx.AsyncClient) -> None:
    gates = [
        "Welch ein Tor.",
        *(f"Das Tor {number} ist alt." for number in range(4)),
        *(f"Das Tor {number} hat einen Turm." for number in range(4, 8)),
    ]
    doc_id = await upload(client, paragraphs(*gates))
    assert "welch~" in terms(gates[0]) and "welch~" in terms("Welches")
    assert "alt" in (await first_sentences(client, doc_id, "Welches Tor ist alt?"))[0]
