"""What the terms of accounting are made of."""

import pytest

from docqa.questions.expansion import related


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What was the quick ratio in 2022?", "total current liabilities"),
        ("How much capex was there?", "purchases of property, plant and equipment"),
        ("Did PP&E grow?", "property, plant and equipment"),
        ("Is the gross margin improving?", "cost of sales"),
        ("What is shown in the cash flow statement?", "consolidated statement of cash flows"),
        ("What is the EBITDA?", "depreciation and amortization"),
        ("What was the return on equity?", "total shareholders' equity"),
    ],
)
def test_a_term_brings_what_it_is_made_of(question: str, words: str) -> None:
    assert words in related(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote the book?",
        "What is the current state of the ratio debate?",
        "Where do the steps lead?",
        "",
        "What is a capexe?",
    ],
)
def test_other_questions_bring_nothing(question: str) -> None:
    assert related(question) == ""


def test_what_two_terms_share_is_said_once() -> None:
    found = related("Compare the gross margin with the operating margin.").split(", ")
    assert len(found) == len(set(found))
