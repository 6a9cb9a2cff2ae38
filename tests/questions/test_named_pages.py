"""Pages that a question names."""

import pytest

from docqa.questions.named_pages import pages_named


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("What stands on page 4?", {4}),
        ("Compare pages 3-5.", {3, 4, 5}),
        ("Who signed on the last page?", {20}),
        ("What is the title of the first slide?", {1}),
        ("What does slide 7 show?", {7}),
        ("Was steht auf Seite 12?", {12}),
        ("Was steht auf der zweiten Seite?", {2}),
        ("Que dit la page 3 ?", {3}),
        ("¿Qué dice la página 2?", {2}),
        ("第3页说了什么？", {3}),
        ("5ページの内容は何ですか", {5}),
        ("Что написано на странице 6?", {6}),
        ("ماذا يوجد في الصفحة 4؟", {4}),
        ("What stands on page 21?", set()),
        ("How many pages does it have?", set()),
        ("Who came first, on which page is it said?", set()),
        ("What was paid in 2018?", set()),
        ("Is page 1,000 the last?", set()),
        ("Compare pages 1-99999", set(range(1, 21))),
    ],
)
def test_pages_are_named(question: str, pages: set[int]) -> None:
    assert pages_named(question, 20) == pages
