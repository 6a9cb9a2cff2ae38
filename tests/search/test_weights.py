"""How much the terms of a question weigh, with vectors and without."""

import subprocess
import sys

import httpx
import pytest
from starlette.applications import Starlette

from conftest import upload
from docqa import store
from docqa.languages import phrase
from docqa.search.weights import Query, weigh
from docqa.text.frequency import shares
from docqa.text.words import terms

pytestmark = pytest.mark.anyio

CHRONICLE = "Der Historiker Ludwig Ammann beschrieb die Mühlen von Lauterach. Im Jahr 1733 brannte die obere Mühle ab, und der Müller zog nach Hard."


def test_the_commoner_a_word_the_more_passages_hold_it() -> None:
    german = shares("de")
    assert german["und"] > 0.9 > german["stadt"] > german["historiker"] > 0
    assert "lauterach" not in german


def test_words_that_are_cut_to_the_same_are_counted_together() -> None:
    assert shares("de")["stadt~"] > shares("de")["stadt"]


@pytest.mark.parametrize("language", ["ja", "zh", "ko", "eo", ""])
def test_of_some_languages_no_words_are_known(language: str) -> None:
    assert shares(language) == {}


def test_a_list_may_go_by_another_code() -> None:
    assert shares("no")["ikke"] > 0.5


def test_a_list_is_read_when_it_is_needed_without_the_package_that_it_comes_with() -> None:
    code = """
import sys
import docqa.api.app
from docqa.text import frequency

print("msgpack" in sys.modules, len(frequency.shares("en")) > 1000, "wordfreq" in sys.modules)
"""
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["False", "True", "False"]


async def query(app: Starlette, text: str, language: str, vector: bytes | None = None) -> Query:
    async with app.state.services.db.read() as conn:
        documents = [row[0] for row in await conn.execute_fetchall("SELECT id FROM document")]
        return await weigh(conn, await store.scopes.scope_of(conn, documents), terms(text), language, vector)


async def test_a_general_word_weighs_little_although_the_file_has_it_once(
    app: Starlette, client: httpx.AsyncClient
) -> None:
    await upload(client, CHRONICLE)
    searched = await query(app, "Welcher Historiker zog im Jahr 1733 nach Lauterach?", "de")
    tells = {word.form: word.weight for word in searched.words}
    assert tells["jahr"] < tells["historiker"] < tells["lauterach"]


async def test_the_weight_of_a_word_in_a_document_does_not_depend_on_the_others(
    app: Starlette, client: httpx.AsyncClient
) -> None:
    await upload(client, CHRONICLE)
    alone = await query(app, "Wann brannte die Mühle ab?", "de")
    for number in range(20):
        await upload(client, f"Bericht {number}: die Mühle brannte.")
    beside = await query(app, "Wann brannte die Mühle ab?", "de")
    assert beside.words == alone.words
    assert beside.matching["brannte"] < alone.matching["brannte"]


async def test_with_vectors_and_where_no_words_are_known_the_file_decides(
    app: Starlette, client: httpx.AsyncClient
) -> None:
    await upload(client, CHRONICLE)
    for form in (
        await query(app, "Historiker Lauterach", "de", vector=b"\0" * 4),
        await query(app, "Historiker Lauterach", "eo"),
    ):
        assert form.weights["historiker"] == form.weights["lauterach"]


async def test_of_a_question_with_few_and_general_words_a_smaller_share_stands_in_what_has_them_all(
    app: Starlette, client: httpx.AsyncClient
) -> None:
    await upload(client, CHRONICLE)
    general, telling = (
        await query(app, "Welches Jahr?", "de"),
        await query(app, "Wer beschrieb die Mühlen von Lauterach?", "de"),
    )
    assert general.lexical_coverage(general.weights) < 0.5 < telling.lexical_coverage(telling.weights) < 1
    with_vectors = await query(app, "Welches Jahr?", "de", vector=b"\0" * 4)
    assert with_vectors.lexical_coverage(with_vectors.weights) == 1


async def test_a_word_counts_once_and_half_where_only_its_cut_form_stands(
    app: Starlette, client: httpx.AsyncClient
) -> None:
    await upload(client, CHRONICLE)
    searched = await query(app, "Lauterachs Mühlen", "de")
    assert [(word.form, word.stem) for word in searched.words] == [("lauterachs", "laute~"), ("muhlen", "muhle~")]
    twice = await query(app, "Die Mühlen und die Tore", "de")
    assert [word.form for word in twice.words].count("die") == 1
    whole, cut = searched.lexical_coverage(["lauterachs", "laute~"]), searched.lexical_coverage(["lauterach", "laute~"])
    assert cut == pytest.approx(whole / 2)
    assert searched.lexical_coverage(["muhlen", "muhle~"], frozenset({"laute~"})) > searched.lexical_coverage(
        ["muhlen", "muhle~"]
    ), "the document is named so"


async def test_a_compound_that_stands_nowhere_is_no_gap_where_words_are_all_there_is(
    app: Starlette, client: httpx.AsyncClient
) -> None:
    await upload(client, "Le pont fait 40 mètres. Le modèle AX-12 est vert.")
    weights = (await query(app, "Combien fait-il ? AX-12 AX-13", "fr")).weights
    assert "fait-il" not in weights and "ax-13" not in weights
    assert {"fait", "ax-12", "13"} < set(weights)


async def test_the_stem_of_a_question_word_weighs_as_little_unless_another_word_shares_it(
    app: Starlette, client: httpx.AsyncClient
) -> None:
    await upload(client, "Welch ein Tor. Eine Welch-Kaserne gibt es nicht.")
    alone = await query(app, "Welches Tor?", "de")
    shared = await query(app, "Welches Tor der Welchfamilie?", "de")
    assert alone.matching["welch~"] < shared.matching["welch~"]
    assert "welches" not in alone.weights, "it stands nowhere, which is no gap"


@pytest.mark.parametrize(
    ("question", "answered"),
    [("Welcher Historiker beschrieb die Mühlen?", True), ("Welcher Historiker wohnte in Karthago?", False)],
)
async def test_a_question_that_shares_general_words_only_is_not_taken_for_answered(
    client: httpx.AsyncClient, question: str, answered: bool
) -> None:
    doc_id = await upload(client, CHRONICLE)
    response = await client.post(f"/v1/chat/{doc_id}?cite_source=true", json=[{"sender": "user", "message": question}])
    doubt = phrase("phrases.unsure", "de").partition("(")[0]
    assert response.json()["answer"]["message"].startswith(doubt) is not answered
