"""What a message says of the answer is neither searched nor looked up."""

import pytest

from docqa.questions.instructions import without_instructions


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        ("en", "How many staff are there? Answer in one sentence.", "How many staff are there?"),
        (
            "en",
            "Assume that you are an analyst. Answer the following question by using the balance sheet: what is net debt?",
            "what is net debt?",
        ),
        (
            "en",
            "What drove the margin? If margin is not a useful metric, then state that and explain why.",
            "What drove the margin?",
        ),
        ("de", "Wie hoch ist die Miete? Bitte antworte kurz.", "Wie hoch ist die Miete?"),
        ("fr", "Quel est le loyer ? Répondez en une phrase.", "Quel est le loyer ?"),
        ("es", "¿Cuánto es el alquiler? Responde en una frase.", "¿Cuánto es el alquiler?"),
    ],
)
def test_only_the_question_is_left(language: str, text: str, left: str) -> None:
    assert without_instructions(text, language) == left


@pytest.mark.parametrize(
    "text",
    [
        "Round the edges of the table top.",
        "- warranty period?\n- who pays shipping?",
        "If it rains, where do we meet?",
        "What is the ratio: rent to income?",
        "Answer me.",
    ],
)
def test_what_asks_something_else_stays_as_it_is(text: str) -> None:
    assert without_instructions(text, "en") == text
