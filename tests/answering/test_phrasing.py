"""The sentences around an answer."""

import pytest

from docqa.answering.phrasing import refusal


def test_a_refusal_names_the_nearest_pages_by_document() -> None:
    text = refusal([("a.pdf", 3), ("b.pdf", 1), ("a.pdf", 2)], "en")
    assert text == "The documents do not say anything about this. Nearest pages: a.pdf (2, 3), b.pdf (1)."


def test_across_languages_it_says_what_to_install_instead() -> None:
    text = refusal([("a.pdf", 3)], "de", ["en", "fr", "en"])
    assert text.startswith("Es wurde keine Antwort gefunden.")
    assert "(Englisch, Französisch)" in text
    assert "models pull multilingual-e5-small" in text


@pytest.mark.parametrize(
    ("language", "name"),
    [("en", "German"), ("fr", "allemand"), ("es", "alemán"), ("zh", "德语"), ("ja", "ドイツ語"), ("ar", "الألمانية")],
)
def test_a_language_is_named_in_the_language_of_the_answer(language: str, name: str) -> None:
    assert f"{name})" in refusal([], language, ["de"]).replace("）", ")")


def test_a_language_without_a_known_name_is_left_out_with_its_brackets() -> None:
    assert refusal([], "de", ["wa"]).startswith(
        "Es wurde keine Antwort gefunden. Die Dokumente sind in einer anderen Sprache."
    )
    assert "使用另一种语言。" in refusal([], "zh", ["wa"])
