"""Slips of the keyboard in a question are mended by the words of the texts that were found."""

import httpx
import pytest

from conftest import upload
from docqa.questions.expansion import expansions
from docqa.questions.question import Part
from docqa.questions.spelling import as_written, is_one_slip_away, possible_slips, respelled

TEXT = "Cardboard is flattened. She handed in a petition. Der Mietvertrag endet im Mai."


def mended(text: str, language: str = "en") -> str:
    """The question with its slips mended by the words of TEXT."""
    return respelled(Part(text, language, slips=possible_slips(text, language)), [TEXT]).text


@pytest.mark.parametrize(
    ("asked_as", "meant"),
    [
        ("Where does the old carboard go?", "Where does the old cardboard go?"),  # left out
        ("who signed the petitioon", "who signed the petition"),  # put in
        ("who signed the petifion", "who signed the petition"),  # exchanged
        ("Cardbaord where", "Cardboard where"),  # changed places
        ("Where does the cardboard go?", "Where does the cardboard go?"),  # as it stands there
        ("Where is the starboard side?", "Where is the starboard side?"),  # begins otherwise
        ("Is there a partition?", "Is there a partition?"),  # a word of the language
        ("what are the condtions", "what are the condtions"),  # near no word of the texts
    ],
)
def test_a_word_that_nobody_writes_so_is_the_word_of_the_texts_that_is_one_slip_away(asked_as: str, meant: str) -> None:
    assert mended(asked_as) == meant


def test_each_language_has_words_of_its_own_and_one_without_a_list_no_slips() -> None:
    assert mended("Wann endet der Mietvertag?", "de") == "Wann endet der Mietvertrag?"
    assert mended("Where is the carboard?", "xx") == "Where is the carboard?"


def test_one_slip_is_one_letter_or_two_that_changed_places() -> None:
    pairs = ["abc abd", "abc ab", "ab abc", "abcd acbd", "abcd badc", "abc abc", "abc abcde", "abcd axyd"]
    near = [is_one_slip_away(*pair.split()) for pair in pairs]
    assert near == [True, True, True, True, False, False, False, False]


@pytest.mark.anyio
async def test_a_question_with_a_slip_is_answered_as_it_was_meant(client: httpx.AsyncClient) -> None:
    text = (
        "Glass is taken on Mondays.\n\nCardboard is flattened and put in the green box.\n\nPaper goes in the blue one."
    )
    doc_id = await upload(client, text, "waste.txt")
    chat = await client.post(
        f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": "which box does carboard go in?"}]
    )
    assert "Cardboard is flattened" in chat.json()["answer"]["message"]


def test_a_name_that_is_shortened_is_spelled_out_as_the_texts_have_it() -> None:
    part = Part("Who is the CEO?", "en", expansions=expansions("Who is the CEO?", "en"))
    report = ["Signed by the Chief\nExecutive Officer of the mill."]
    assert as_written(part, report).text == "Who is the chief executive officer?"
    assert as_written(part, ["The mill has no head."]) is part
    assert as_written(part, [*report, "Our CEO thanks you."]) is part
