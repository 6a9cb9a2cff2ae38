"""Excerpts that the verifier learns from, and how they are packed into batches."""

import random
from typing import Any

import pytest
from verifier_samples import END, QUESTIONS, needs_transformers, tiny_model, word_tokens

from docqa.errors import DocqaError
from docqa.training.question_sets import Articles, LabelledQuestion
from docqa.training.verifier.excerpts import Excerpt, make_excerpts
from passages import BELL, MILL, WELL


def epochs(count: int) -> list[Excerpt]:
    articles = Articles(QUESTIONS)
    return [excerpt for seed in range(count) for excerpt in make_excerpts(QUESTIONS, articles, random.Random(seed))]


def test_an_excerpt_is_whole_sentences_of_a_passage() -> None:
    excerpts = epochs(30)
    for excerpt in excerpts:
        [passage] = [passage for passage in (WELL, MILL, BELL) if excerpt.text in passage]
        before, _, after = passage.partition(excerpt.text)
        assert not before or before.endswith(". ")
        assert not after or after.startswith(" ")
        assert excerpt.text.endswith(".")
    assert {excerpt.text for excerpt in excerpts} > {WELL, MILL, BELL, WELL[: WELL.index(" The southern")]}


def test_an_answer_occurs_in_the_excerpt_and_is_among_those_of_the_question_set() -> None:
    known = {question.question: question.answers for question in QUESTIONS}
    answered = [
        (question, answer, excerpt.text)
        for excerpt in epochs(30)
        for question, answer in excerpt.questions
        if answer is not None
    ]
    assert {question for question, _, _ in answered} == {
        question for question, answers in known.items() if answers and answers != ("Nobody",)
    }
    for question, answer, text in answered:
        assert answer in text and answer in known[question]


def test_a_question_whose_answer_is_not_in_the_excerpt_is_unanswerable() -> None:
    known = {question.question: question for question in QUESTIONS}
    unanswerable = [
        (known.get(question), question, excerpt.text)
        for excerpt in epochs(60)
        for question, answer in excerpt.questions
        if answer is None
    ]
    for labelled, question, text in unanswerable:
        assert labelled is None or not any(answer in text for answer in labelled.answers), (
            f"{question!r} is answered by {text!r}"
        )
    pairs = [(labelled, text) for labelled, _, text in unanswerable if labelled]
    assert any(labelled.answers and text in labelled.passage for labelled, text in pairs), (
        "some are answered by another sentence"
    )
    assert any(text not in labelled.passage for labelled, text in pairs), "some by another article"
    assert any(not labelled.answers for labelled, _ in pairs), "some by nothing"
    assert any(labelled is None for labelled, _, _ in unanswerable), "some are falsified"


def test_an_excerpt_takes_only_some_of_many_questions() -> None:
    many = [
        LabelledQuestion("Wells", WELL, f"Who repaired pump {number} of the northern well?", ("Aqua Nord",))
        for number in range(30)
    ]
    first, same, other = (make_excerpts(many, Articles(many), random.Random(seed)) for seed in (1, 1, 2))
    assert max(len(excerpt.questions) for excerpt in first) == 9
    assert first == same != other


def test_a_passage_without_sentences_is_left_out() -> None:
    blank = [LabelledQuestion("Wells", "  ", "Who?", ())]
    assert make_excerpts(blank, Articles(blank), random.Random(1)) == []


def encoded(excerpts: list[Excerpt]) -> list[Any]:
    from docqa.training.verifier.packing import encode

    return encode(excerpts, word_tokens, END)


@needs_transformers
def test_the_tokens_of_the_template_and_of_the_question_are_distinguished() -> None:
    [excerpt] = encoded([Excerpt(BELL, (("Who cast the bell?", "Jan Moer"), ("Who built it?", None)))])
    answerable, unanswerable = excerpt.questions
    assert [answerable.tokens[index] for index in answerable.own] == word_tokens("Who cast the bell?")
    assert answerable.tokens == word_tokens("\nQuestion: Who cast the bell?\nAnswer:")
    assert excerpt.tokens == word_tokens(f"Passage: {BELL}")
    assert answerable.continuation == [*word_tokens("Jan Moer"), END] and answerable.answerable
    assert unanswerable.continuation == [END] and not unanswerable.answerable
    assert unanswerable.inputs == unanswerable.tokens
    assert excerpt.length == len(excerpt.tokens) + len(answerable.tokens) + 2 + len(unanswerable.tokens)
    assert encoded([Excerpt("well " * 400, (("Who?", None),))]) == [], "a table of many columns is too long"
    [long_answer] = encoded([Excerpt(BELL, (("Who?", "well " * 40),))])
    assert len(long_answer.questions[0].continuation) == 13


@needs_transformers
def test_questions_packed_together_are_read_as_if_each_were_alone() -> None:
    import torch

    from docqa.training.verifier.packing import pack
    from docqa.training.verifier.train import hidden_states

    model = tiny_model()
    batch = encoded(make_excerpts(QUESTIONS, Articles(QUESTIONS), random.Random(1)))
    assert len({excerpt.length for excerpt in batch}) > 1 and max(len(excerpt.questions) for excerpt in batch) > 1
    packed = pack(batch)
    with torch.no_grad():
        together = hidden_states(model, packed)
        for row, excerpt in enumerate(batch):
            for question, start in zip(excerpt.questions, packed.starts[row], strict=True):
                tokens = torch.tensor([[*excerpt.tokens, *question.inputs]])
                alone = model.model(tokens).last_hidden_state[0, len(excerpt.tokens) :]
                assert torch.allclose(together[row, start : start + len(question.inputs)], alone, atol=1e-4)


@needs_transformers
def test_batches_hold_every_excerpt_once_an_epoch_within_the_token_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    from docqa.training.verifier import packing

    monkeypatch.setattr(packing, "BATCH_TOKENS", 200)
    excerpts = encoded(epochs(5))
    begun: list[list[Any]] = []

    def epoch() -> list[Any]:
        begun.append(list(excerpts))
        return begun[-1]

    batches, seen = packing.batches(epoch, random.Random(1)), []
    while len(begun) < 2:
        batch = next(batches)
        seen += batch
        assert len(batch) == 1 or len(batch) * max(excerpt.length for excerpt in batch) <= 200
    del seen[len(excerpts) :]
    assert sorted(map(repr, seen)) == sorted(map(repr, excerpts))
    with pytest.raises(DocqaError, match="nothing to learn from"):
        next(packing.batches(list, random.Random(1)))
