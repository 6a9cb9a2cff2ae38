"""The language of a question."""

import pytest

from docqa.questions.language import question_language


@pytest.mark.parametrize(
    ("text", "documents", "language"),
    [
        ("Kaution?", ["de"], "de"),
        ("Kaution?", ["en", "de"], "en"),
        ("Who?", ["de"], "en"),
        ("Wo?", ["en"], "de"),
        ("Who is the landlord?", ["de"], "en"),
        ("Wie hoch ist die Kaution?", ["en"], "de"),
        ("押金?", ["ja"], "ja"),
        ("押金?", ["en"], "zh"),
        ("2019", ["fr"], "fr"),
        ("2019", ["", "es"], "es"),
        ("2019", [], "en"),
        ("", ["de"], "de"),
    ],
)
def test_a_few_words_are_in_a_language_of_the_documents_if_their_script_is(
    text: str, documents: list[str], language: str
) -> None:
    assert question_language(text, "", documents) == language


def test_a_short_follow_up_is_in_the_language_of_the_conversation() -> None:
    assert question_language("Miete?", "Wie hoch ist die Kaution für das Lager?", ["en"]) == "de"


@pytest.mark.parametrize(
    ("text", "documents", "language"),
    [
        ("whats the price per person?", ["de"], "en"),
        ("bike mileage rate?", ["de"], "en"),
        ("Was kostet das?", ["en"], "de"),
        ("Was hofft CC DE?", ["de"], "de"),  # English has "was" too, but not "hofft"
        ("Was John here?", ["de"], "en"),
        ("Qual è il prezzo?", ["en"], "it"),
        ("how much", ["fr"], "en"),
        ("gracias", ["en"], "es"),
        ("thx", ["de"], "en"),
        ("谢谢", ["en"], "zh"),
    ],
)
def test_a_few_words_are_in_the_language_in_which_they_are_common(
    text: str, documents: list[str], language: str
) -> None:
    assert question_language(text, "", documents) == language
