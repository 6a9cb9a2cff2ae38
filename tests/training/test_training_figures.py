"""Figures of a reader: F1, refusals, and calibration of the reader's margin and of the verifier."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from training_samples import QUESTIONS

from docqa.models.reader import Span
from docqa.models.verifier import Adapter
from docqa.training.figures import calibrate_margin, calibrate_verifier, f1, measure, with_verifier
from docqa.training.question_sets import Articles
from passages import BELL, MILL, WELL


def test_f1_counts_words_as_the_squad_script_does() -> None:
    assert f1("The Aqua Nord", ["aqua nord"]) == 1
    assert f1("Aqua Nord of Lund", ["Aqua Nord"]) == pytest.approx(2 * 2 / (4 + 2))
    assert f1("Lund", ["Aqua Nord", "Lund."]) == 1
    assert f1("", ["Aqua Nord"]) == 0


def test_figures_tell_answers_from_refusals() -> None:
    """The reader answers every question with the same name of a passage, and is sure of it only in the mill's."""

    def read(question: str, passages: Sequence[str]) -> list[list[Span]]:
        names = {WELL: "Aqua Nord", MILL: "Edith Carr", BELL: "Jan Moer"}
        return [
            [Span(text.index(names[text]), text.index(names[text]) + len(names[text]), 1.0 if text == MILL else -1.0)]
            for text in passages
        ]

    figures = measure(read, QUESTIONS, Articles(QUESTIONS))
    assert figures.questions == 7
    assert figures.f1_given_passage == figures.f1_end_to_end == figures.exact_end_to_end == pytest.approx(3 / 6)
    assert figures.refused_answerable == pytest.approx(4 / 6)
    assert figures.refused_adversarial == 1.0
    assert 0 < figures.refused_off_topic < 1
    assert calibrate_margin(read, QUESTIONS, Articles(QUESTIONS), 0.5) == -1.0
    assert calibrate_margin(read, QUESTIONS, Articles(QUESTIONS), 0.9) == 1.0


def test_the_verifier_lowers_the_scores_of_a_reader_when_it_rejects_the_best_span() -> None:
    def read(_question: str, passages: Sequence[str]) -> list[list[Span]]:
        return [[Span(0, 3, 2.0 - index)] for index, _ in enumerate(passages)]

    def judge(question: str, excerpt: str) -> float:
        return 1.0 if "bell" in question.lower() and "bell" in excerpt else -2.0

    adapter = Adapter(Path("verifier.lora"), "", ("en",), weight=2.0, margin=0.0)
    verified = with_verifier(read, judge, adapter)
    assert verified("Who cast the bell?", [BELL, MILL]) == [[Span(0, 3, 2.0)], [Span(0, 3, 1.0)]]
    assert verified("Who cast the bell?", [MILL, BELL]) == [[Span(0, 3, -2.0)], [Span(0, 3, -2.0)]], (
        "the second passage is not tried"
    )


def test_calibration_takes_the_weight_that_separates_answerable_questions_best() -> None:
    scores = {"Who repaired": 1.0, "When was the southern": 5.0, "Who built": 3.0, "Who sold": 9.0}
    judgements = {"Who repaired": 1.0, "When was the southern": -0.5, "Who built": -1.0, "Who sold": 0.0}

    def by_prefix(question: str, values: dict[str, float]) -> float:
        return next(value for prefix, value in values.items() if question.startswith(prefix))

    def read(question: str, _passages: Sequence[str]) -> list[list[Span]]:
        return [[Span(0, 3, by_prefix(question, scores))]]

    def judge(question: str, _excerpt: str) -> float:
        return by_prefix(question, judgements)

    questions = QUESTIONS[:4]
    assert [bool(question.answers) for question in questions] == [True, True, False, True]
    # With weight 1 "Who repaired" (2) ties with the unanswerable "Who built" (2); with 2 the sums are 3, 4, 1 and 9.
    assert calibrate_verifier(read, judge, questions, Articles(questions), 0.0) == (2.0, 3.0)
    assert calibrate_verifier(read, judge, questions, Articles(questions), 0.4) == (2.0, 4.0)


def test_a_question_without_any_span_is_refused_whatever_the_margin() -> None:
    def read(question: str, passages: Sequence[str]) -> list[list[Span]]:
        return [[Span(0, 3, 1.0)] if "bell" in question.lower() else [] for _ in passages]

    def margin(refused_share: float) -> float:
        articles = Articles(QUESTIONS)
        return calibrate_verifier(read, lambda _question, _excerpt: 0.0, QUESTIONS, articles, refused_share)[1]

    assert (margin(0.5), margin(0.9)) == (-math.inf, 1.0)
