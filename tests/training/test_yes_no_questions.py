"""Yes/no questions made of questions with answers and of statements."""

import random

from training_samples import labelled, needs_encoder

from passages import WELL

pytestmark = needs_encoder  # the classes are the network's


def made(question: str, *answers: str, passage: str = WELL) -> dict[str, set[tuple[int, ...]]]:
    """The questions that are made of one, with the classes that may be right."""
    from docqa.training.reader.yes_no import from_question

    questions: dict[str, set[tuple[int, ...]]] = {}
    for seed in range(40):
        result = from_question(labelled(question, *answers, passage=passage), random.Random(seed))
        if result:
            questions.setdefault(result.question, set()).add(result.classes)
    return questions


def test_a_date_becomes_yes_and_another_date_no() -> None:
    from docqa.models.reader.network import NO, YES

    passage = "The bridge was built in 1907. It was painted in 1931 and closed in 1968."
    questions = made("When was the bridge built?", "1907", passage=passage)
    assert questions["Was the bridge built in 1907?"] == {(YES,)}
    assert questions["Was the bridge built in 1931?"] == {(NO,)}
    assert all(classes == {(NO,)} for question, classes in questions.items() if "1907" not in question)


def test_subjects_objects_and_counts_have_forms_of_their_own() -> None:
    passage = "In May the council bought three barges. Edith Carr was the harbour master."
    assert "Did the council buy three barges?" in made("What did the council buy?", "three barges", passage=passage)
    assert "Was Edith Carr the harbour master?" in made("Who was the harbour master?", "Edith Carr", passage=passage)
    assert "Did the council buy three barges?" in made("How many barges did the council buy?", "three", passage=passage)


def test_what_has_no_short_answer_or_another_form_is_left_out() -> None:
    assert not made("Why was the well closed?", "2011")
    assert not made("When was the bridge built?", "1907", passage="The bridge is old.")
    assert not made("When was the southern well closed?")


def test_a_statement_is_affirmed_denied_or_negated() -> None:
    from docqa.models.reader.network import NO, YES
    from docqa.training.reader.yes_no import from_statement

    passage = "The bridge is open to bicycles."
    results = [from_statement(passage, random.Random(seed)) for seed in range(60)]
    kept = [result for result in results if result]
    assert {result.question for result in kept} == {"Is the bridge open to bicycles?"}
    for result in kept:
        assert result.classes == ((NO,) if "not open" in result.passage else (YES,))
        start, end = result.evidence
        assert result.passage[start:end] == result.passage
    assert len({result.classes for result in kept}) == 2
    denied = from_statement("The bridge is not open to bicycles.", random.Random(1))
    assert denied and denied.question == "Is the bridge open to bicycles?" and denied.classes == (NO,)
    assert from_statement("Open all day; toll free.", random.Random(1)) is None
