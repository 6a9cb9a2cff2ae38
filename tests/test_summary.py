"""The sentences that say most, and who asks for them."""

import pytest

from docqa.summary import asks_for_summary, key_sentences

REPORT = [
    "Table of Contents\n\nITEM 1 Business 4\n\nITEM 7 Management Discussion 17",
    "The harbour of Bergen handled more ships than in the year before. Ships pay a fee to the harbour. It rained on Tuesday in the hills.",
    "Ships and harbour fees 2018 2017 2016 12 34 56",
]


def test_the_sentences_are_verbatim_and_in_order() -> None:
    found = key_sentences(REPORT, 3)
    assert all(sentence in REPORT[index] for index, sentence in found)
    assert [index for index, _ in found] == sorted(index for index, _ in found)


def test_what_the_text_speaks_of_most_comes_first_and_tables_do_not() -> None:
    assert key_sentences(REPORT, 1) == [(1, "The harbour of Bergen handled more ships than in the year before.")]
    assert {index for index, _ in key_sentences(REPORT, 9)} == {1}


def test_dense_scripts_have_key_sentences_too() -> None:
    assert key_sentences(["東京は日本の首都であり大きな都市です。人口は約1400万人で日本で一番多いです。"], 1)


def test_a_text_without_a_sentence_gives_its_beginning() -> None:
    assert key_sentences(["Milk 2\n\nBread 1"], 1) == [(0, "Milk 2")]
    assert key_sentences([], 3) == []


def test_a_long_text_takes_no_long_time() -> None:
    assert len(key_sentences(["The pump needs oil every month, says the manual of the works. " * 20] * 2000, 4)) == 4


@pytest.mark.parametrize(
    "question",
    [
        "Summarize this",
        "Give me a summary.",
        "What is this document about?",
        "Fasse das Dokument zusammen: eine Zusammenfassung",
        "总结一下",
        "要約してください",
        "요약해 주세요",
        "لخص المستند",
    ],
)
def test_who_asks_for_a_summary(question: str) -> None:
    assert asks_for_summary(question)


@pytest.mark.parametrize("question", ["How much is the rent?", "What is the fee about which they quarrel?", "Who wrote the book?", "¿Quién firmó el contrato?"])
def test_who_does_not(question: str) -> None:
    assert not asks_for_summary(question)
