"""The sentences around an answer."""

from docqa.answering.phrasing import refusal


def test_a_refusal_names_the_nearest_pages_by_document() -> None:
    text = refusal([("a.pdf", 3), ("b.pdf", 1), ("a.pdf", 2)], "en")
    assert text == "The documents do not say anything about this. Nearest pages: a.pdf (2, 3), b.pdf (1)."


def test_across_languages_it_says_what_to_install_instead() -> None:
    text = refusal([("a.pdf", 3)], "de", ["en", "fr", "en"])
    assert text.startswith("Es wurde keine Antwort gefunden.")
    assert "(English, français)" in text
    assert "models pull multilingual-e5-small" in text
