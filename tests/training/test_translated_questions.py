"""Question sets in another language: a translator is a command, and answers are found again in what it makes."""

from pathlib import Path

import pytest

from docqa.errors import DocqaError
from docqa.training.__main__ import main
from docqa.training.question_sets import LabelledQuestion, load, save
from docqa.training.reader.translated import translated, translator

UPPER = "tr a-z A-Z"  # a language that everybody knows
WELL = "The well was dug by Kari Nord in 1907.\nIt is dry."


def question(text: str, *answers: str, passage: str = WELL) -> LabelledQuestion:
    return LabelledQuestion("Wells", passage, text, answers)


def test_passage_question_and_answers_are_translated_and_the_answers_stand_in_the_passage() -> None:
    [made] = translated([question("Who dug it?", "Kari Nord", "by Kari Nord")], translator(UPPER))
    assert made == LabelledQuestion(
        "Wells", "THE WELL WAS DUG BY KARI NORD IN 1907. IT IS DRY.", "WHO DUG IT?", ("KARI NORD", "BY KARI NORD")
    )


def test_an_answer_that_is_found_no_more_takes_its_question_along_and_an_unanswerable_one_stays() -> None:
    questions = [question("Who dug it?", "Kari Nord"), question("When?", "1907"), question("Who sold it?")]
    renamed = translator("sed 's/^Kari Nord$/Someone/'")
    assert translated(questions, renamed)[0].answers == ("Kari Nord",), "a name may stand there as it was"
    lost = translator("sed 's/^Kari Nord$/Someone/;s/by Kari Nord in/by K. N. in/'")
    assert [made.question for made in translated(questions, lost)] == ["When?", "Who sold it?"]
    inside = translator("sed 's/1907/x1907y/;s/^x1907y$/1907/'")
    assert "When?" not in [made.question for made in translated(questions, inside)], "part of a word is no answer"


def test_a_translator_that_joins_paragraphs_is_asked_for_each() -> None:
    joining = translator("tr -s '\\n' | tr a-z A-Z")
    questions = [question("Who dug it?", "Kari Nord"), question("Is it dry?", passage="It is dry.")]
    assert [made.passage for made in translated(questions, joining)] == [
        "THE WELL WAS DUG BY KARI NORD IN 1907. IT IS DRY.",
        "IT IS DRY.",
    ]


def test_what_the_command_writes_is_a_question_set_and_a_failing_translator_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save([question("Who dug it?", "Kari Nord"), question("Who sold it?")], tmp_path / "wells.jsonl.xz")
    out = tmp_path / "upper.jsonl.xz"
    assert main(["reader", "translate", str(tmp_path / "wells.jsonl.xz"), "--by", UPPER, "--out", str(out)]) == 0
    assert "2 of 2 questions" in capsys.readouterr().out
    assert [(made.question, made.answers) for made in load([out])] == [
        ("WHO DUG IT?", ("KARI NORD",)),
        ("WHO SOLD IT?", ()),
    ]
    with pytest.raises(DocqaError, match="`false` failed"):
        translated([question("Who dug it?", "Kari Nord")], translator("false"))
