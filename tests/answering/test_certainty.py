"""How certain it is that what was found answers: by words, vectors, the reader, and the names and numbers of the
question."""

from dataclasses import replace

import httpx
import pytest

from conftest import upload
from docqa.answering.certainty import certainty, is_answered
from docqa.answering.phrasing import refusal
from docqa.answering.scoring import READ, sure_score, unit_score
from docqa.languages import every, phrase
from docqa.models.reader import Span
from docqa.questions.question import Part
from docqa.search.passages import Passage, ScoredUnit, Scores
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.text.detect import detect
from docqa.text.units import Unit

DOCUMENT = StoredDocument(1, "d1", "waterworks.txt", "txt", "en", 4, "")
TEXT = "The pump of the northern well was repaired in 2019 by Aqua Nord."


pytestmark = pytest.mark.anyio


def asking(question: str) -> Part:
    return Part(question, detect(question))


def passage(coverage: float, cosine: float | None = None, text: str = TEXT) -> Passage:
    chunk = StoredChunk(1, 1, 4, "", "", text, "")
    return Passage(
        chunk=chunk,
        document=DOCUMENT,
        scores=Scores(coverage=coverage, lexical_coverage=coverage),
        score=0.0,
        units=(
            ScoredUnit(
                unit=Unit(0, len(text), "paragraph", None, None, 0, len(text)),
                coverage=coverage,
                cosine=cosine,
                lexical_coverage=coverage,
            ),
        ),
    )


@pytest.mark.parametrize(
    ("coverage", "expected"), [(0.0, "none"), (0.1, "none"), (0.15, "unsure"), (0.3, "sure"), (1.0, "sure")]
)
def test_without_vectors_words_decide(coverage: float, expected: str) -> None:
    assert certainty([passage(coverage)], asking("who repaired the pump?")) == expected


@pytest.mark.parametrize(
    "question", ["Who is John Smith?", "What is Key12?", 'What does "oil" mean?', "How many in 2019?"]
)
async def test_where_nothing_is_found_nothing_is_stated(client: httpx.AsyncClient, question: str) -> None:
    """Of names, numbers and quotations, too, that no passage could state."""
    assert certainty([], asking(question)) == "none"
    doc_id = await upload(client, "Der Hafen liegt im Norden.", "hafen.txt")
    response = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": question}])
    assert response.status_code == 200 and response.json()["answer"]["message"], response.text


@pytest.mark.parametrize(
    ("question", "expected"), [("who repaired the pump?", "unsure"), ("誰がポンプを修理しましたか", "sure")]
)
def test_how_many_words_are_enough_depends_on_how_the_script_is_cut(question: str, expected: str) -> None:
    assert certainty([passage(0.2)], asking(question)) == expected


@pytest.mark.parametrize(
    ("coverage", "cosine", "expected"),
    [(0.0, 0.3, "none"), (0.0, 0.6, "unsure"), (0.0, 0.8, "sure"), (0.5, 0.5, "sure"), (0.6, 0.1, "unsure")],
)
def test_with_vectors_nearness_decides_and_words_help(coverage: float, cosine: float, expected: str) -> None:
    assert certainty([passage(coverage, cosine)], asking("who repaired the pump?")) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Who repaired the pump in 1987?",
        "Who repaired the pump for Contoso?",
        "Was the pump of Contoso repaired on 3 May 1987?",
    ],
)
def test_names_and_numbers_that_stand_nowhere_are_a_doubt(question: str) -> None:
    assert certainty([passage(0.3)], asking("Who repaired the pump in 2019?")) == "sure"
    assert certainty([passage(0.3)], asking("Who repaired the pump for Aqua Nord?")) == "sure"
    assert certainty([passage(0.3)], asking(question)) != "sure"
    assert certainty([passage(0.9)], asking(question)) == "sure", "but no proof"


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("who repaired “the northern well”?", TEXT, True),
        ("who repaired “the southern well”?", TEXT, False),
        ("who repaired the southern well?", TEXT, True),
        ("「北の井戸」は誰が直しましたか", "北の井戸は水北社が直した。", True),
        ("「南の井戸」は誰が直しましたか", "北の井戸は水北社が直した。", False),
        ("متى ولد سالم بن عبد الكريم؟", "ولد سالم بن عبد الكريم في المدينة.", True),
        ("متى ولد فارس بن عبد الكريم؟", "ولد سالم بن عبد الكريم في المدينة.", False),
    ],
)
def test_what_is_quoted_and_whose_son_somebody_is_must_stand_there(question: str, text: str, expected: bool) -> None:
    assert (certainty([passage(0.3, text=text)], asking(question)) == "sure") is expected


def test_the_name_of_the_document_counts() -> None:
    assert certainty([passage(0.3)], asking("Who repaired the pump of Waterworks?")) == "sure"


def test_the_reader_makes_sure_and_unsure() -> None:
    question = asking("who repaired the pump?")
    fair = passage(0.5, 0.5)
    assert certainty([fair], question) == "sure"
    assert certainty([replace(fair, spans=(Span(0, 8, -6.0),))], question) == "unsure"
    assert certainty([replace(fair, spans=(Span(0, 8, 6.0),))], question) == "sure"
    assert certainty([replace(passage(0.0, 0.2), spans=(Span(0, 8, -3.0),))], question) == "none"
    assert certainty([replace(passage(0.0, 0.2), spans=(Span(0, 8, 3.0),))], question) == "none"
    assert certainty([replace(passage(0.0, 0.2), spans=(Span(0, 8, 6.0),))], question) == "unsure", "in other words"


def test_the_reader_tells_more_of_whether_any_answers_than_of_which() -> None:
    question = asking("who repaired the pump?")
    doubted, likely = (replace(passage(0.6, 0.6), spans=(Span(0, 8, score),)) for score in (-2.0, 0.0))
    assert (certainty([doubted], question), certainty([likely], question)) == ("unsure", "sure")
    other = replace(passage(0.2, 0.6), spans=(Span(0, 8, 1.0),))
    fits, tells = (
        [score(each, each.units[0], READ) for each in (doubted, other)] for score in (unit_score, sure_score)
    )
    assert fits[0] > fits[1] and tells[0] < tells[1]


def test_what_a_reader_finds_in_another_language_makes_sure_and_unsure_too() -> None:
    question = asking("wer hat die Pumpe repariert?")
    fair = replace(passage(0.5, 0.5), across=True)
    assert certainty([fair], question) == "sure"
    assert certainty([replace(fair, spans=(Span(0, 8, -6.0),))], question) == "unsure"
    assert certainty([replace(fair, spans=(Span(0, 8, 6.0),))], question) == "sure"


def test_numbers_are_sought_in_the_words_of_the_language_that_they_stand_in() -> None:
    german = replace(
        passage(0.3, text="Die drei Pumpen wurden im Mai repariert."), document=replace(DOCUMENT, language="de")
    )
    assert certainty([german], asking("Who repaired the 3 pumps?")) == "sure"
    assert certainty([passage(0.1), german], asking("Who repaired the 3 pumps?")) == "sure", "beside others"
    assert certainty([german], asking("Who repaired the 4 pumps?")) != "sure"


def test_what_is_on_the_subject_is_not_passed_over_whatever_the_verifier_thinks_of_it() -> None:
    near, far = passage(0.4, 0.4), passage(0.0, 0.2)
    for doubted, expected in ((near, "unsure"), (far, "none")):
        verified = replace(doubted, units=tuple(replace(scored, verified=-12.0) for scored in doubted.units))
        assert certainty([verified], asking("who repaired the pump?")) == expected
    verified = replace(far, units=tuple(replace(scored, verified=1.0) for scored in far.units))
    assert certainty([verified], asking("who repaired the pump?")) == "unsure", "what it finds an answer in is shown"


def test_a_page_that_the_question_names_is_what_was_asked_for() -> None:
    far = passage(0.0, 0.1)
    named = replace(far, scores=replace(far.scores, on_named_page=True))
    assert certainty([named], asking("who repaired the pump?")) == "sure"


def test_nothing_found_answers_nothing() -> None:
    assert certainty([], asking("who repaired the pump?")) == "none"


def test_without_vectors_only_the_best_passages_are_judged() -> None:
    assert certainty([passage(0.0)] * 3 + [passage(1.0)], asking("who repaired the pump?")) == "none"


def test_a_refusal_names_each_page_once_in_every_language() -> None:
    nearest = [("b.pdf", 31), ("a.txt", 1), ("b.pdf", 4), ("b.pdf", 31)]
    assert (
        refusal(nearest, "en")
        == "The documents do not say anything about this. Nearest pages: b.pdf (4, 31), a.txt (1)."
    )
    assert refusal([], "en") == phrase("phrases.not_found", "en")
    for language in every("phrases.not_found"):
        text = refusal(nearest, language)
        assert text.startswith(phrase("phrases.not_found", language)) and "b.pdf (4, 31), a.txt (1)" in text


async def test_an_expansion_does_not_lift_a_refusal(client: httpx.AsyncClient) -> None:
    novel = "Anna sold the mill. Net income of the total shareholders' equity was read aloud. She never married again."
    doc_id = await upload(client, novel, "novel.txt")
    for question in ("Who married Roe?", "Who invented the ROE?"):
        body = (await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": question}])).json()
        assert body["answer"]["message"].startswith(phrase("phrases.not_found", "en")), question


async def test_a_word_about_a_german_document_is_answered_in_german(client: httpx.AsyncClient) -> None:
    lease = "Der Mietvertrag für das Lager gilt bis 2027. Die Kaution beträgt drei Monatsmieten. Die Miete ist im Voraus fällig."
    doc_id = await upload(client, lease, "vertrag.txt")
    body = (await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": "Kaution?"}])).json()
    assert "drei Monatsmieten" in body["answer"]["message"]
    body = (await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": "Hubschrauber?"}])).json()
    assert body["answer"]["message"].startswith(phrase("phrases.not_found", "de"))
    body = (await client.post("/v1/api/knowledge_base_chat", json={"documents": [doc_id]})).json()
    assert body["answer"]["message"].startswith("Der Mietvertrag für das Lager gilt bis 2027.")
    assert body["question"]["message"] == phrase("phrases.summarize", "de")


async def test_a_date_with_a_short_month_is_answered_whole(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, "The lease ends on 3 Jan. 2027. It can be renewed once.", "lease.txt")
    body = (
        await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": "When does the lease end?"}])
    ).json()
    assert "3 Jan. 2027" in body["answer"]["message"]


@pytest.mark.parametrize(
    ("question", "verified", "expected"),
    [
        ("who repaired the pump?", 1.0, True),
        ("who repaired the pump?", -1.0, False),
        ("who repaired the pump?", None, False),
        ("who repaired the pump of Contoso?", 1.0, False),
        ("who repaired pump A12?", 1.0, False),
        ("who repaired the pump in 2019?", 1.0, True),
    ],
)
def test_a_unit_that_the_verifier_believes_answers_if_it_states_the_names_and_numbers_of_the_question(
    question: str, verified: float | None, expected: bool
) -> None:
    [unit] = (read := passage(0.5, 0.5)).units
    assert is_answered([replace(read, units=(replace(unit, verified=verified),))], asking(question)) is expected
