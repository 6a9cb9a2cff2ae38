"""Question sets: loading, holding out articles, answer spans, search, and unanswerable examples."""

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from training_samples import QUESTIONS, labelled

import docqa.training
from docqa.errors import DocqaError
from docqa.training.question_sets import Articles, answer_spans, load, load_texts, make_examples, split_articles
from passages import BELL, MILL, WELL

SETS = Path(docqa.training.__file__).parent / "sets"


def test_published_squad_files_and_json_lines_give_the_same_questions(tmp_path: Path) -> None:
    nested, flat = tmp_path / "nested.json", tmp_path / "flat.jsonl"
    answerable, unanswerable = labelled("Who repaired it?", "Aqua Nord"), labelled("Who built it?")
    entries = [
        {
            "question": answerable.question,
            "answers": [{"text": "Aqua Nord", "answer_start": 46}],
            "is_impossible": False,
        },
        {
            "question": unanswerable.question,
            "answers": [],
            "plausible_answers": [{"text": "Aqua Nord"}],
            "is_impossible": True,
        },
    ]
    article = {"title": "Wells", "paragraphs": [{"context": WELL, "qas": entries}]}
    nested.write_text(json.dumps({"version": "v2.0", "data": [article]}))
    lines = [
        {
            "title": "Wells",
            "context": WELL,
            "question": question.question,
            "answers": question.answers,
            "answerable": bool(question.answers),
        }
        for question in (answerable, unanswerable)
    ]
    flat.write_text("\n".join(map(json.dumps, lines)))
    assert load([nested]) == load([flat]) == [answerable, unanswerable]


@pytest.mark.parametrize("content", ["no JSON", '{"data": [{"title": "Wells"}]}', '{"question": "Who?"}', "[1, 2]"])
def test_a_file_in_another_format_is_rejected_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "other.json").write_text(content)
    with pytest.raises(DocqaError, match=r"other\.json is not a question set in SQuAD format"):
        load([tmp_path / "other.json"])


def test_whole_articles_are_held_out_and_always_the_same_ones() -> None:
    many = [labelled("Who?", "Aqua Nord", article=f"Article {number}") for number in range(12)] * 2
    split = split_articles(many)
    assert [len(titles) for titles in (split.training, split.evaluation, split.calibration)] == [5, 4, 3]
    assert not set(split.training) & {*split.evaluation, *split.calibration}
    assert split_articles(list(reversed(many))) == split
    with pytest.raises(DocqaError, match="more are needed"):
        split_articles(many[:7])


def test_an_answer_is_located_near_the_words_of_the_question() -> None:
    filler = "Lorem ipsum dolor sit amet. " * 12
    passage = f"In 1702 the roof was mended. {filler} The bell was cast in 1702 in Ghent."
    [(start, end)] = answer_spans(labelled("When was the bell cast?", "1702", passage=passage))
    assert passage[start:end] == "1702" and start > 200
    assert answer_spans(labelled("When?", "1703", passage=passage)) == (), "an answer that does not occur has no span"
    assert answer_spans(labelled("When?", "170", passage=passage)) == (), "nor does a part of a word"


def test_in_scripts_without_spaces_an_answer_stands_within_a_run_of_characters() -> None:
    passage = "退去の申し出は三十日前までに書面で行います。鍵は二本とも返します。"
    [(start, end)] = answer_spans(labelled("いつまで？", "三十日前", passage=passage))
    assert passage[start:end] == "三十日前"


def test_search_ranks_the_passage_that_the_question_is_about_first() -> None:
    articles = Articles([replace(question, article="All") for question in QUESTIONS])
    assert articles.search("All", "Who cast the bell of the chapel?", 2)[0] == BELL
    assert len(articles.search("All", "Who cast the bell of the chapel?", 2)) == 2


def test_a_falsified_question_differs_in_one_name_number_or_antonym() -> None:
    articles, rng = Articles([replace(question, article="All") for question in QUESTIONS]), random.Random(1)
    question = labelled("Who from Ghent saw Kendal?", "Aqua Nord", article="All")
    falsified = {articles.falsify(question, rng) for _ in range(40)}
    others = ("Aqua Nord", "Edith Carr", "Lune", "Jan Moer")
    assert falsified == {f"Who from {other} saw Kendal?" for other in others} | {
        f"Who from Ghent saw {other}?" for other in others
    }
    superlative = labelled("What is there in the largest well?", "a", article="All")
    assert articles.falsify(superlative, random.Random(0)) in {
        "What isn't there in the largest well?",
        "What is there in the smallest well?",
    }
    assert articles.falsify(labelled("who mended it?", "a", article="All"), rng) is None


def test_unanswerable_examples_do_not_contain_the_answer() -> None:
    examples = make_examples(
        QUESTIONS, Articles(QUESTIONS), random.Random(1), falsified_share=1.0, other_passage_share=1.0
    )
    spans = {(example.question, example.passage): example.spans for example in examples if example.spans}
    assert len(spans) == sum(bool(question.answers) for question in QUESTIONS)
    for question in QUESTIONS:
        for start, end in spans.get((question.question, question.passage), ()):
            assert question.passage[start:end] in question.answers
        elsewhere = [
            example.passage
            for example in examples
            if example.question == question.question and example.passage != question.passage
        ]
        assert not any(answer in passage for answer in question.answers for passage in elsewhere)
    known = {question.question for question in QUESTIONS}
    assert any(example.question not in known for example in examples), "some are falsified"
    assert len(make_examples(QUESTIONS, Articles(QUESTIONS), random.Random(1), 0, 0)) == len(QUESTIONS)


def test_texts_are_split_into_passages(tmp_path: Path) -> None:
    with pytest.raises(DocqaError, match="no texts"):
        load_texts(tmp_path)
    (tmp_path / "Bells.txt").write_text(f"{BELL}\n\n{MILL}\n")
    assert load_texts(tmp_path) == {"Bells": [BELL, MILL]}
    (tmp_path / "Mills.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DocqaError, match="cannot be read"):
        load_texts(tmp_path)


EVERYDAY = sorted(SETS.glob("everyday_*.jsonl.xz"))


@pytest.mark.parametrize("path", EVERYDAY, ids=lambda path: path.name)
def test_all_questions_of_the_sets_that_come_with_the_project_can_be_learned_from(path: Path) -> None:
    questions = load([path])
    assert len(questions) >= 90
    kinds = Counter(question.kind for question in questions)
    asks_whether = path.name.startswith("everyday_whether_")
    assert set(kinds) == ({"yes", "no", "neither"} if asks_whether else {"", "other", "yes", "no"})
    assert min(kinds["yes"], kinds["no"]) > 5
    for question in questions:
        assert len(answer_spans(question)) == len(question.answers), question
    assert 0.1 < sum(not question.answers for question in questions) / len(questions) < 0.4
