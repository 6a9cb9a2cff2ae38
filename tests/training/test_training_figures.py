"""Figures of a reader: F1, refusals, and calibration of its margin."""

from collections.abc import Sequence

import pytest
from training_samples import QUESTIONS

from docqa.models.reader import Span
from docqa.training.figures import calibrate_margin, f1, measure
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
