"""Telling languages apart."""

import pytest

from docqa.language import detect, is_function_word


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Who signed the contract and when does it end?"),
        ("de", "Wer hat den Vertrag unterschrieben und wann endet er?"),
        ("fr", "Qui a signé le contrat et quand se termine-t-il dans le temps?"),
        ("es", "¿Quién firmó el contrato y cuándo termina?"),
        ("pt", "Quem assinou o contrato e quando ele termina? Não sei."),
        ("it", "Chi ha firmato il contratto e quando finisce?"),
        ("ar", "من وقع العقد ومتى ينتهي؟"),
        ("zh", "谁签署了合同？合同何时结束？"),
        ("ja", "誰が契約書に署名しましたか。"),
        ("ko", "누가 계약서에 서명했습니까?"),
        ("he", "מי חתם על החוזה?"),
        ("ru", "Кто подписал договор?"),
        ("zh", "苹果公司 (Apple Inc.) 的总部在哪里"),
        ("ja", "Apple Inc.の本社はどこですか"),
    ],
)
def test_the_language_of_a_question(code: str, text: str) -> None:
    assert detect(text) == code


@pytest.mark.parametrize("text", ["", "   ", "12345", "Xyzzy"])
def test_what_cannot_be_told_is_not_guessed(text: str) -> None:
    assert detect(text) == ""


def test_function_words() -> None:
    assert is_function_word("which")
    assert not is_function_word("contract")
