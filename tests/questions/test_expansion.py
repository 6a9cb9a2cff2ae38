"""What terms stand for."""

import pytest

from docqa.questions.expansion import expansions


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What was the quick ratio in 2022?", "total current liabilities"),
        ("How much capex was there?", "purchases of property, plant and equipment"),
        ("Did PP&E grow?", "property, plant and equipment"),
        ("Is the gross margin improving?", "cost of sales"),
        ("What is shown in the cash flow statement?", "statement of cash flows"),
        ("What is the EBITDA?", "depreciation and amortization"),
        ("What was the return on equity?", "total shareholders' equity"),
        ("How many employees do they have?", "people employed"),
    ],
)
def test_a_term_brings_what_it_is_made_of(question: str, words: str) -> None:
    assert words in [meaning for expansion in expansions(question, "en") for meaning in expansion.means]


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote the book?",
        "What is the current state of the ratio debate?",
        "Where do the steps lead?",
        "",
        "What is a capexe?",
        "Who married Roe?",
        "Who is it?",
    ],
)
def test_other_questions_bring_nothing(question: str) -> None:
    assert expansions(question, "en") == ()


def test_a_language_without_entries_has_no_expansions() -> None:
    assert expansions("Wie hoch ist der ROE?", "de") == ()
