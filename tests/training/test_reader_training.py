"""Training of the reader: question sets become examples, a model asks more, a teacher says what it thinks of them, a trained part comes out and is measured."""

import importlib.util
import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.errors import DocqaError
from docqa.models.chat.llama import Engine
from docqa.models.chat.local import available
from docqa.models.reader import FILE, Span, trained_part
from docqa.models.verifier import Adapter
from docqa.training.figures import calibrated, doubted, f1, margin, measure
from docqa.training.question_sets import Articles, Asked, Example, divide, examples, load, load_texts, spans
from docqa.training.reader.question_generation import write
from docqa.training.reader.variants import Neighbours, about, changed, of_known, of_texts, spliced
from passages import BELL, MILL, WELL

CATALOG = Catalog.load(ROOT / "models")
MODELS = CATALOG.local_models()
ENTRY = CATALOG.embedding("all-MiniLM-L6-v2")
needs_model = pytest.mark.skipif(
    not CATALOG.present(ENTRY) or importlib.util.find_spec("sentence_transformers") is None,
    reason="the embedding model is not installed",
)


def asked(question: str, *answers: str, passage: str = WELL, article: str = "Wells") -> Asked:
    return Asked(article, passage, question, answers)


QUESTIONS = [
    asked("Who repaired the pump of the northern well?", "Aqua Nord"),
    asked("When was the southern well closed?", "2011", "in 2011"),
    asked("Who built the northern well?"),
    asked("Who sold the stones of the mill?", "Edith Carr", passage=MILL, article="Mills"),
    asked("Until when did the mill grind oats?", "1954", passage=MILL, article="Mills"),
    asked("How heavy is the bell?", "310 kilograms", passage=BELL, article="Bells"),
    asked("Who cast the bell?", "Jan Moer", passage=BELL, article="Bells"),
]


# Question sets


def test_squad_as_published_and_lines_of_questions_are_read_alike(tmp_path: Path) -> None:
    nested, flat = tmp_path / "nested.json", tmp_path / "flat.jsonl"
    answer, nothing = asked("Who repaired it?", "Aqua Nord"), asked("Who built it?")
    items = [
        {"question": answer.question, "answers": [{"text": "Aqua Nord", "answer_start": 46}], "is_impossible": False},
        {
            "question": nothing.question,
            "answers": [],
            "plausible_answers": [{"text": "Aqua Nord"}],
            "is_impossible": True,
        },
    ]
    nested.write_text(
        json.dumps({"version": "v2.0", "data": [{"title": "Wells", "paragraphs": [{"context": WELL, "qas": items}]}]})
    )
    lines = [
        {
            "title": "Wells",
            "context": WELL,
            "question": one.question,
            "answers": one.answers,
            "answerable": bool(one.answers),
        }
        for one in (answer, nothing)
    ]
    flat.write_text("\n".join(map(json.dumps, lines)))
    assert load([nested]) == load([flat]) == [answer, nothing]


@pytest.mark.parametrize("content", ["no JSON", '{"data": [{"title": "Wells"}]}', '{"question": "Who?"}', "[1, 2]"])
def test_another_format_is_refused_with_the_name_of_its_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "other.json").write_text(content)
    with pytest.raises(DocqaError, match=r"other\.json is no question set in SQuAD format"):
        load([tmp_path / "other.json"])


def test_whole_articles_are_kept_apart_and_always_the_same_ones() -> None:
    many = [asked("Who?", "Aqua Nord", article=f"Article {number}") for number in range(12)] * 2
    division = divide(many)
    assert [len(part) for part in (division.training, division.measuring, division.calibrating)] == [5, 4, 3]
    assert not set(division.training) & {*division.measuring, *division.calibrating}
    assert divide(list(reversed(many))) == division
    with pytest.raises(DocqaError, match="more are needed"):
        divide(many[:7])


def test_an_answer_is_sought_where_the_words_of_the_question_stand() -> None:
    far = "Lorem ipsum dolor sit amet. " * 12
    passage = f"In 1702 the roof was mended. {far} The bell was cast in 1702 in Ghent."
    [(start, end)] = spans(asked("When was the bell cast?", "1702", passage=passage))
    assert passage[start:end] == "1702" and start > 200
    assert spans(asked("When?", "1703", passage=passage)) == (), (
        "an answer that was typed otherwise than it stands has no place"
    )
    assert spans(asked("When?", "170", passage=passage)) == (), "nor has a part of a word"


def test_search_brings_the_passage_that_the_question_is_about_first() -> None:
    articles = Articles([replace(one, article="All") for one in QUESTIONS])
    assert articles.search("All", "Who cast the bell of the chapel?", 2)[0] == BELL
    assert len(articles.search("All", "Who cast the bell of the chapel?", 2)) == 2


def test_a_falsified_question_differs_in_one_name_number_or_opposite() -> None:
    articles, dice = Articles([replace(one, article="All") for one in QUESTIONS]), random.Random(1)
    false = {
        articles.falsified(asked("Who from Ghent saw Kendal?", "Aqua Nord", article="All"), dice) for _ in range(40)
    }
    others = ("Aqua Nord", "Edith Carr", "Lune", "Jan Moer")
    assert false == {f"Who from {other} saw Kendal?" for other in others} | {
        f"Who from Ghent saw {other}?" for other in others
    }
    assert articles.falsified(asked("What is there in the largest well?", "a", article="All"), random.Random(0)) in {
        "What isn't there in the largest well?",
        "What is there in the smallest well?",
    }
    assert articles.falsified(asked("who mended it?", "a", article="All"), dice) is None


def test_no_example_without_spans_holds_the_answer() -> None:
    made = examples(QUESTIONS, Articles(QUESTIONS), random.Random(1), false_share=1.0, other_share=1.0)
    answered = {(one.question, one.passage): one.spans for one in made if one.spans}
    assert len(answered) == sum(bool(one.answers) for one in QUESTIONS)
    for one in QUESTIONS:
        for start, end in answered.get((one.question, one.passage), ()):
            assert one.passage[start:end] in one.answers
    for one in QUESTIONS:
        elsewhere = [
            example.passage for example in made if example.question == one.question and example.passage != one.passage
        ]
        assert not any(answer in passage for answer in one.answers for passage in elsewhere)
    assert any(one.question not in {question.question for question in QUESTIONS} for one in made), (
        "falsified ones are among them"
    )
    assert len(examples(QUESTIONS, Articles(QUESTIONS), random.Random(1), 0, 0)) == len(QUESTIONS)


# Figures


def test_overlap_is_counted_as_the_squad_script_does() -> None:
    assert f1("The Aqua Nord", ["aqua nord"]) == 1
    assert f1("Aqua Nord of Lund", ["Aqua Nord"]) == pytest.approx(2 * 2 / (4 + 2))
    assert f1("Lund", ["Aqua Nord", "Lund."]) == 1
    assert f1("", ["Aqua Nord"]) == 0


def test_figures_tell_reading_from_finding_and_silence() -> None:
    """By a reader that takes the first capitalised pair of words, and is sure of it in the text about the mill only."""

    def read(question: str, passages: list[str]) -> list[list[Span]]:
        names = {WELL: "Aqua Nord", MILL: "Edith Carr", BELL: "Jan Moer"}
        return [
            [Span(text.index(names[text]), text.index(names[text]) + len(names[text]), 1.0 if text == MILL else -1.0)]
            for text in passages
        ]

    figures = measure(read, QUESTIONS, Articles(QUESTIONS))
    assert figures.questions == 7
    assert figures.right == figures.found == figures.exact == pytest.approx(3 / 6)
    assert figures.silent == pytest.approx(4 / 6)
    assert figures.adversarial == 1.0
    assert 0 < figures.strange < 1
    assert margin(read, QUESTIONS, Articles(QUESTIONS), 0.5) == -1.0
    assert margin(read, QUESTIONS, Articles(QUESTIONS), 0.9) == 1.0


def test_a_reader_that_is_doubted_is_measured_with_the_doubts() -> None:
    def read(_question: str, passages: Sequence[str]) -> list[list[Span]]:
        return [[Span(0, 3, 2.0 - index)] for index, _ in enumerate(passages)]

    def judge(question: str, excerpt: str) -> float:
        return 1.0 if "bell" in question.lower() and "bell" in excerpt else -2.0

    adapter = Adapter(Path("verifier.lora"), "", ("en",), weight=2.0, margin=0.0)
    doubtful = doubted(read, judge, adapter)
    assert doubtful("Who cast the bell?", [BELL, MILL]) == [[Span(0, 3, 2.0)], [Span(0, 3, 1.0)]]
    assert doubtful("Who cast the bell?", [MILL, BELL]) == [[Span(0, 3, -2.0)], [Span(0, 3, -2.0)]], (
        "the second one is not looked at"
    )


def test_the_judge_counts_as_much_as_tells_best_which_questions_have_an_answer() -> None:
    scores = {"Who repaired": 1.0, "When was the southern": 5.0, "Who built": 3.0, "Who sold": 9.0}
    sure = {"Who repaired": 1.0, "When was the southern": -0.5, "Who built": -1.0, "Who sold": 0.0}

    def known(question: str, of: dict[str, float]) -> float:
        return next(value for beginning, value in of.items() if question.startswith(beginning))

    def read(question: str, _passages: Sequence[str]) -> list[list[Span]]:
        return [[Span(0, 3, known(question, scores))]]

    def judge(question: str, _excerpt: str) -> float:
        return known(question, sure)

    asked = QUESTIONS[:4]
    assert [bool(one.answers) for one in asked] == [True, True, False, True]
    # With 1 the repaired pump (2) is no better than the builder (2); with 2 it is 3 for 1, the southern well 4 and the stones 9.
    assert calibrated(read, judge, asked, Articles(asked), 0.0) == (2.0, 3.0)
    assert calibrated(read, judge, asked, Articles(asked), 0.4) == (2.0, 4.0)


def test_a_question_whose_passages_hold_nothing_is_refused_whatever_the_margin() -> None:
    def read(question: str, passages: Sequence[str]) -> list[list[Span]]:
        return [[Span(0, 3, 1.0)] if "bell" in question.lower() else [] for _ in passages]

    def calibrate(silent: float) -> float:
        return calibrated(read, lambda _question, _excerpt: 0.0, QUESTIONS, Articles(QUESTIONS), silent)[1]

    assert (calibrate(0.5), calibrate(0.9)) == (-math.inf, 1.0)


# Questions made by rule


class Words:
    """Stands in for the neighbours among an encoder's embeddings."""

    def of(self, word: str) -> list[str]:
        return {"well": ["pump"], "northern": ["southern"]}.get(word, [])


def test_a_changed_question_has_other_words_of_the_same_kin() -> None:
    dice = random.Random(1)
    found = {changed("Who built the Northern well?", Words(), dice) for _ in range(40)}
    assert found == {"Who built the Southern well?", "Who built the Northern pump?", "Who built the Southern pump?"}
    assert changed("Who cast it?", Words(), dice) is None


def test_a_spliced_question_begins_as_one_and_ends_as_the_other() -> None:
    one, other = "Who repaired the pump of the well?", "When was the southern well closed?"
    for seed in range(20):
        words = str(spliced(one, other, random.Random(seed))).split()
        assert words[:2] == one.split()[:2] and words[-1] == "closed?"
    assert spliced("Who built it?", other, random.Random(1)) is None


@pytest.mark.parametrize(
    ("sentence", "asked"),
    [
        ("The bell was cast in 1702 by Jan Moer.", "When was the bell cast?"),
        ("The bell was cast in 1702 by Jan Moer.", "Who was the bell cast in 1702 by?"),
        ("The bell was hung in the chapel of Kendal.", "Where was the bell hung?"),
        ("Edith Carr (born in Ghent) became the owner of the mill.", "Who became the owner of the mill?"),
        ("The council founded a school beside the well.", "When did The council found a school beside the well?"),
    ],
)
def test_a_sentence_is_turned_into_questions(sentence: str, asked: str) -> None:
    found = {about(sentence, random.Random(seed)) for seed in range(400)}
    assert asked.replace("The council", "the council") in found


@pytest.mark.parametrize(
    "sentence",
    [
        "In spring it was raining in all of the valley.",
        "Closed.",
        "Rain, wind and snow, and the well was frozen in the end.",
    ],
)
def test_a_sentence_of_another_form_is_left_alone(sentence: str) -> None:
    assert {about(sentence, random.Random(seed)) for seed in range(50)} == {None}


def test_made_questions_are_changed_falsified_joined_and_read_with_other_passages() -> None:
    same = [replace(one, article="All") for one in QUESTIONS]
    made = [(f"Who paid for the well number {number}?", WELL) for number in range(50)]
    pairs = of_known(same, made, Articles(same), Words(), random.Random(1))
    strayed = [pair for pair in pairs if pair[0] in dict(made)]
    assert 2 < len(strayed) < 20 and {passage for _, passage in strayed} <= {WELL, MILL, BELL}
    assert all((question.replace("well", "pump"), passage) in pairs for question, passage in made), (
        "each is asked with another word too"
    )
    assert ("Who repaired the pump of the southern well?", WELL) in pairs
    known_elsewhere = [
        (question, passage)
        for question, passage in pairs
        for one in QUESTIONS
        if question == one.question and passage != one.passage
    ]
    assert known_elsewhere


def test_texts_give_questions_about_passages_that_nobody_has_asked_about() -> None:
    texts = {"Bells": [BELL, "The bell was hung in the chapel of Kendal. It was cast in 1702."], "Mills": [MILL]}
    pairs = of_texts(texts, Words(), random.Random(1))
    assert pairs and {passage for _, passage in pairs} <= {
        passage for passages in texts.values() for passage in passages
    }
    assert all(question.endswith("?") for question, _ in pairs)


def test_texts_are_read_by_passages(tmp_path: Path) -> None:
    with pytest.raises(DocqaError, match="no texts"):
        load_texts(tmp_path)
    (tmp_path / "Bells.txt").write_text(f"{BELL}\n\n{MILL}\n")
    assert load_texts(tmp_path) == {"Bells": [BELL, MILL]}
    (tmp_path / "Mills.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DocqaError, match="cannot be read"):
        load_texts(tmp_path)


@needs_model
def test_neighbours_are_kin_and_not_forms_of_the_word() -> None:
    from docqa.models.reader.network import Network

    neighbours = Neighbours(Network(CATALOG.path(ENTRY)))
    assert {"queen", "monarch"} < set(neighbours.of("king"))
    assert not {"kings", "kingdom"} & set(neighbours.of("king"))
    assert neighbours.of("zymurgical") == []


# Questions that a model asks


@pytest.mark.skipif(not available() or not MODELS, reason="SmolLM2 or llama-cpp-python is not installed")
def test_a_model_asks_more_questions_about_a_passage() -> None:
    said: list[str] = []
    made, again = (
        write(Engine(str(MODELS["SMOLLM2_135M"]), 1024, "f16"), QUESTIONS, 6, seed=1, say=said.append) for _ in range(2)
    )
    assert made == again, "the same seed asks the same"
    assert len(made) == len(set(made)) > 9, "of eighteen that were begun"
    assert {passage for _, passage in made} == {WELL, MILL, BELL}
    assert not {question for question, _ in made} & {one.question for one in QUESTIONS}
    for question, _ in made:
        assert question.endswith("?") and "\n" not in question
        assert 4 <= len(question.split()) <= 32
    assert said == [f"{len(made)} questions about 3 of 3 passages"] * 2


# Tuning and teaching


def thin(folder: Path, hidden: int) -> Path:
    """A real encoder, but of two thin layers that know nothing."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    tokenizer = AutoTokenizer.from_pretrained(CATALOG.path(ENTRY), local_files_only=True)
    tokenizer.save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=2 * hidden,
    )
    BertModel(config).save_pretrained(folder)
    return folder


@needs_model
def test_a_reader_is_trained_written_and_read_with(tmp_path: Path) -> None:
    """A few questions again and again: it learns them by heart, and its file says the same."""
    from docqa.models.reader.network import Reader
    from docqa.training.reader.train import Recipe, train
    from docqa.training.reader.tuning import Pace

    base = thin(tmp_path / "base", 48)
    many = [replace(one, article=f"{one.article} {number}") for number in range(6) for one in QUESTIONS]
    said: list[str] = []
    recipe = Recipe(Pace(300, 2e-3, 5e-3), batch=4, falsified=0.0, elsewhere=0.0, precision="float32")
    figures = train(many, base, tmp_path / FILE, recipe, said.append)
    assert figures.right > 0.6, "they are the same questions under other titles, so that it knows them"
    assert "measured on" in said[0] and "loss" in said[-1]
    part = trained_part(tmp_path)
    assert part is not None and part.languages == ("en",)
    reader = Reader(base, part.path, "float32")
    [[best, *_]] = reader.read("Who sold the stones of the mill?", [MILL])
    assert MILL[best.start : best.end] == "Edith Carr"
    assert reader.read("Who sold \ud800 the stones?", ["\ud800 " + MILL])[0], (
        "a lone surrogate is no text to the tokenizer"
    )


@needs_model
def test_a_reader_takes_over_what_its_teacher_thinks(tmp_path: Path) -> None:
    """The teacher, another thin encoder, learns the questions by heart; the reader sees them as made ones only, and those that it is taught it then knows too."""
    import torch

    from docqa.models.reader.network import Network
    from docqa.training.reader.losses import known, taught, views
    from docqa.training.reader.teacher import opinions
    from docqa.training.reader.tuning import Pace, tune

    torch.manual_seed(1)
    pairs = [(one.question, one.passage) for one in QUESTIONS]
    learnt = [Example(one.question, one.passage, spans(one)) for one in QUESTIONS]
    teacher, reader = Network(thin(tmp_path / "teacher", 64)), Network(thin(tmp_path / "base", 48))
    teacher.load_state_dict(
        tune(teacher, lambda: known(teacher, learnt).mean(), Pace(150, 2e-3, 5e-3), lambda _: None), strict=False
    )
    said: list[str] = []
    thought = opinions(teacher, pairs, 4, random.Random(1), said.append)
    assert {(one.question, one.passage) for one in thought} == set(pairs)
    assert said == ["of 7 questions the teacher finds 1 without an answer; it is sure of 7"]
    for one in thought:
        assert float(one.first.sum()) == pytest.approx(1, abs=0.01) and len(one.first) == len(one.last)
        assert one.inside.shape[0] == 2 and one.inside.shape[1] > len(one.first), (
            "two layers, and the tokens of the question too"
        )
    seen = views(reader, thought[0])
    before = known(reader, learnt).mean().item()
    tuned = tune(reader, lambda: taught(reader, thought, seen).mean(), Pace(150, 2e-3, 5e-3), lambda _: None, seen)
    assert set(tuned) <= set(reader.state_dict()), "what turns its states into the teacher's is not kept"
    reader.load_state_dict(tuned, strict=False)
    assert known(reader.eval(), learnt).mean().item() < 0.2 * before


@needs_model
def test_an_excerpt_holds_what_the_teacher_finds_likeliest_and_all_it_thinks_of_that(tmp_path: Path) -> None:
    import torch

    from docqa.models.reader.network import Network
    from docqa.training.reader.teacher import Excerpts, Opinion, tokens_of

    network = Network(thin(tmp_path / "base", 48))
    passage = " ".join(
        f"The well number {number} was built by the mason of Kendal for the people there." for number in range(20)
    )
    asked, read = tokens_of(network.encode([("Who built it?", passage)]), 0)
    answer = len(read) // 2
    probable = torch.zeros(1 + len(read))
    probable[0], probable[1 + answer] = 0.3, 0.7
    inside = torch.arange(1.0 + len(asked) + len(read)).expand(2, -1)[..., None]
    opinion = Opinion("Who built it?", passage, probable, probable, inside)
    found = [Excerpts(network).of(opinion, random.Random(seed)) for seed in range(12)]
    assert len({one.passage for one in found}) > 1
    for one in found:
        assert one.passage in passage and (one.passage.startswith("The well") and one.passage.endswith("there."))
        question, tokens = tokens_of(network.encode([(one.question, one.passage)]), 0)
        assert len(one.first) == 1 + len(tokens) and one.inside.shape[1] == 1 + len(question) + len(tokens)
        assert float(one.first[0]) == pytest.approx(0.3) and float(one.first.sum()) == pytest.approx(1)
        place = int(one.first[1:].argmax())
        assert int(one.inside[0, 1 + len(question) + place, 0]) == 1 + len(asked) + answer
    many = torch.full((1 + len(read),), 1 / (1 + len(read)))
    assert (
        Excerpts(network).of(Opinion("Who built it?", passage, many, many, inside), random.Random(1)).passage == passage
    ), "it says less without the others"


@needs_model
def test_an_opinion_about_more_than_the_reader_can_read_is_left_out(tmp_path: Path) -> None:
    import torch

    from docqa.models.reader.network import Network
    from docqa.training.reader.losses import taught, views
    from docqa.training.reader.teacher import Opinion

    network = Network(thin(tmp_path / "base", 48))
    nothing = Opinion("Who?", WELL, torch.zeros(3), torch.zeros(3), torch.zeros(2, 5, 8))
    assert taught(network, [nothing], views(network, nothing)).tolist() == [0.0]


@needs_model
def test_made_questions_are_learnt_beside_the_known_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In rounds, of whose ends the mean is written; the articles that are kept apart are not asked about."""
    from safetensors import safe_open

    from docqa.training.reader import train as course
    from docqa.training.reader.train import Recipe, Teaching, train
    from docqa.training.reader.tuning import Pace, tune

    ends = []

    def recorded(*given: Any) -> Any:
        ends.append(tune(*given))
        return ends[-1]

    monkeypatch.setattr(course, "tune", recorded)
    asked_about: list[Asked] = []

    def ask(about: Sequence[Asked]) -> list[tuple[str, str]]:
        asked_about.extend(about)
        return [(f"Who saw {name}?", one.passage) for one in about for name in ("Kendal", "Ghent", "the council")]

    many = [replace(one, article=f"{one.article} {number}") for number in range(6) for one in QUESTIONS]
    pace, said = Pace(40, 2e-3, 5e-3), list[str]()
    recipe = Recipe(pace, pace, pace, batch=4, by_teacher=2, precision="float32")
    teaching = Teaching(
        thin(tmp_path / "teacher", 64), ask, {"Chapels": [f"The chapel was built in Kendal by the council. {BELL}"]}
    )
    figures = train(many, thin(tmp_path / "base", 48), tmp_path / FILE, recipe, said.append, teaching)
    apart = {one.article for one in many} - {one.article for one in asked_about}
    assert len(apart) == 7, "those that are measured and calibrated on are not asked about"
    assert figures.questions == sum(one.article in divide(many).measuring for one in many)
    assert [line.split()[0] for line in said[1:]] == ["step", "step", "of", "step", "step"], (
        "the reader learns, the teacher learns and thinks, the reader is taught"
    )
    part = trained_part(tmp_path)
    assert part is not None and part.path == tmp_path / FILE
    with safe_open(part.path, "pt") as file:
        written = file.get_tensor("head.weight")
    *_, one, other = (end["head.weight"] for end in ends)
    assert written.equal((one + other) / 2) and not one.equal(other)
