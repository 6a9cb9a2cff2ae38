"""Questions made for distillation: variants by rule, and questions that a language model writes."""

import random
from dataclasses import replace

import pytest
from training_samples import CATALOG, ENTRY, QUESTIONS, needs_encoder

from docqa.models.chat.llama import Engine
from docqa.models.chat.local import available
from docqa.training.question_sets import Articles
from docqa.training.reader.question_generation import generate
from docqa.training.reader.variants import (
    Neighbours,
    question_about,
    questions_about_texts,
    splice,
    substitute,
    variants_of,
)
from passages import BELL, MILL, WELL

MODELS = CATALOG.local_models()


class FewNeighbours:
    """Stands in for the neighbours among an encoder's embeddings."""

    def of(self, word: str) -> list[str]:
        return {"well": ["pump"], "northern": ["southern"]}.get(word, [])


def test_words_are_exchanged_for_their_neighbours() -> None:
    rng = random.Random(1)
    variants = {substitute("Who built the Northern well?", FewNeighbours(), rng) for _ in range(40)}
    assert variants == {"Who built the Southern well?", "Who built the Northern pump?", "Who built the Southern pump?"}
    assert substitute("Who cast it?", FewNeighbours(), rng) is None


def test_a_spliced_question_begins_like_one_and_ends_like_the_other() -> None:
    beginning, ending = "Who repaired the pump of the well?", "When was the southern well closed?"
    for seed in range(20):
        words = str(splice(beginning, ending, random.Random(seed))).split()
        assert words[:2] == beginning.split()[:2] and words[-1] == "closed?"
    assert splice("Who built it?", ending, random.Random(1)) is None


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The bell was cast in 1702 by Jan Moer.", "When was the bell cast?"),
        ("The bell was cast in 1702 by Jan Moer.", "Who was the bell cast in 1702 by?"),
        ("The bell was hung in the chapel of Kendal.", "Where was the bell hung?"),
        ("Edith Carr (born in Ghent) became the owner of the mill.", "Who became the owner of the mill?"),
        ("The council founded a school beside the well.", "When did the council found a school beside the well?"),
    ],
)
def test_a_sentence_is_turned_into_questions(sentence: str, question: str) -> None:
    assert question in {question_about(sentence, random.Random(seed)) for seed in range(400)}


@pytest.mark.parametrize(
    "sentence",
    [
        "In spring it was raining in all of the valley.",
        "Closed.",
        "Rain, wind and snow, and the well was frozen in the end.",
    ],
)
def test_a_sentence_of_another_form_gives_no_question(sentence: str) -> None:
    assert {question_about(sentence, random.Random(seed)) for seed in range(50)} == {None}


def test_variants_are_substituted_falsified_spliced_and_paired_with_other_passages() -> None:
    same_article = [replace(question, article="All") for question in QUESTIONS]
    generated = [(f"Who paid for the well number {number}?", WELL) for number in range(50)]
    pairs = variants_of(same_article, generated, Articles(same_article), FewNeighbours(), random.Random(1))
    moved = [pair for pair in pairs if pair[0] in dict(generated)]
    assert 2 < len(moved) < 20 and {passage for _, passage in moved} <= {WELL, MILL, BELL}
    assert all((question.replace("well", "pump"), passage) in pairs for question, passage in generated), (
        "each is also asked with another word"
    )
    assert ("Who repaired the pump of the southern well?", WELL) in pairs
    passages = {question.question: question.passage for question in QUESTIONS}
    assert any(passage != passages.get(question, passage) for question, passage in pairs), (
        "some labelled questions are asked of another passage"
    )


def test_texts_give_questions_about_passages_without_any() -> None:
    texts = {"Bells": [BELL, "The bell was hung in the chapel of Kendal. It was cast in 1702."], "Mills": [MILL]}
    pairs = questions_about_texts(texts, FewNeighbours(), random.Random(1))
    assert pairs and {passage for _, passage in pairs} <= {
        passage for passages in texts.values() for passage in passages
    }
    assert all(question.endswith("?") for question, _ in pairs)


@needs_encoder
def test_neighbours_are_related_words_and_not_forms_of_the_word() -> None:
    from docqa.training.reader.network import Network

    neighbours = Neighbours(Network(CATALOG.path(ENTRY)))
    assert {"queen", "monarch"} < set(neighbours.of("king"))
    assert not {"kings", "kingdom"} & set(neighbours.of("king"))
    assert neighbours.of("zymurgical") == []


@pytest.mark.skipif(not available() or not MODELS, reason="SmolLM2 or llama-cpp-python is not installed")
def test_a_language_model_writes_more_questions_about_a_passage() -> None:
    lines: list[str] = []
    model = str(MODELS["SMOLLM2_135M"])
    first, second = (generate(Engine(model, 1024, "f16"), QUESTIONS, 6, 1, lines.append) for _ in range(2))
    assert first == second, "the same seed gives the same questions"
    assert len(first) == len(set(first)) > 9, "of eighteen attempts"
    assert {passage for _, passage in first} == {WELL, MILL, BELL}
    assert not {question for question, _ in first} & {question.question for question in QUESTIONS}
    for question, _ in first:
        assert question.endswith("?") and "\n" not in question
        assert 4 <= len(question.split()) <= 32
    assert lines == [f"{len(first)} questions about 3 of 3 passages"] * 2
