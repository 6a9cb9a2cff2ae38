"""The reader: question sets become examples, a trained part becomes a file and reads, what it finds becomes a short answer or a refusal."""

import asyncio
import importlib.util
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from docqa.catalog import Catalog
from docqa.embedding import Embedder
from docqa.errors import CannotStart, DocqaError
from docqa.queries.chunk_rows import StoredChunk
from docqa.queries.document_rows import StoredDocument
from docqa.reader import FILE, SHIPPED, Span, TrainedPart, trained_part
from docqa.reader.figures import f1, margin, measure
from docqa.reader.questions import Articles, Asked, divide, examples, load, spans
from docqa.search import Passage, Sentence
from docqa.settings import HERE
from docqa.spans import PROSE, WINDOW, asks_for_a_fact, prose, window

CATALOG = Catalog.load(HERE / "models")
ENTRY = CATALOG.embedding("all-MiniLM-L6-v2")
needs_model = pytest.mark.skipif(
    not CATALOG.present(ENTRY) or importlib.util.find_spec("sentence_transformers") is None, reason="the embedding model is not installed"
)

WELL = "The pump of the northern well was repaired by Aqua Nord in 2019. It had failed twice in 2016. The southern well was closed in 2011 by the council."
MILL = "The mill on the river Lune ground oats until 1954. Its owner, Edith Carr, sold the stones to a museum in Kendal. The building is a library now."
BELL = "The bell of the chapel weighs 310 kilograms. It was cast in Ghent by Jan Moer in 1702. A crack was welded in 1933, and the bell was hung again."


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
        {"question": nothing.question, "answers": [], "plausible_answers": [{"text": "Aqua Nord"}], "is_impossible": True},
    ]
    nested.write_text(json.dumps({"version": "v2.0", "data": [{"title": "Wells", "paragraphs": [{"context": WELL, "qas": items}]}]}))
    lines = [
        {"title": "Wells", "context": WELL, "question": one.question, "answers": one.answers, "answerable": bool(one.answers)} for one in (answer, nothing)
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
    assert spans(asked("When?", "1703", passage=passage)) == (), "an answer that was typed otherwise than it stands has no place"
    assert spans(asked("When?", "170", passage=passage)) == (), "nor has a part of a word"


def test_search_brings_the_passage_that_the_question_is_about_first() -> None:
    articles = Articles([replace(one, article="All") for one in QUESTIONS])
    assert articles.search("All", "Who cast the bell of the chapel?", 2)[0] == BELL
    assert len(articles.search("All", "Who cast the bell of the chapel?", 2)) == 2


def test_a_falsified_question_differs_in_one_name_number_or_opposite() -> None:
    articles, dice = Articles([replace(one, article="All") for one in QUESTIONS]), random.Random(1)
    false = {articles.falsified(asked("Who from Ghent saw Kendal?", "Aqua Nord", article="All"), dice) for _ in range(40)}
    others = ("Aqua Nord", "Edith Carr", "Lune", "Jan Moer")
    assert false == {f"Who from {other} saw Kendal?" for other in others} | {f"Who from Ghent saw {other}?" for other in others}
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
        elsewhere = [example.passage for example in made if example.question == one.question and example.passage != one.passage]
        assert not any(answer in passage for answer in one.answers for passage in elsewhere)
    assert any(one.question not in {question.question for question in QUESTIONS} for one in made), "falsified ones are among them"
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
        return [[Span(text.index(names[text]), text.index(names[text]) + len(names[text]), 1.0 if text == MILL else -1.0)] for text in passages]

    figures = measure(read, QUESTIONS, Articles(QUESTIONS))
    assert figures.questions == 7
    assert figures.right == figures.found == figures.exact == pytest.approx(3 / 6)
    assert figures.silent == pytest.approx(4 / 6)
    assert figures.adversarial == 1.0
    assert 0 < figures.strange < 1
    assert margin(read, QUESTIONS, Articles(QUESTIONS), 0.5) == -1.0
    assert margin(read, QUESTIONS, Articles(QUESTIONS), 0.9) == 1.0


# The file of a trained part


@pytest.mark.parametrize("content", [b"", b"\x01", b"\x08" + bytes(7) + b"not json", b"\x02" + bytes(7) + b"{}", b"\xff" * 16])
def test_a_damaged_file_keeps_the_server_from_starting_and_says_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(CannotStart, match="is not a trained part of the reader"):
        trained_part(tmp_path)


def test_a_folder_of_models_without_a_trained_part_uses_the_shipped_one(tmp_path: Path) -> None:
    part = trained_part(tmp_path)
    assert part == trained_part(HERE / "models")
    assert part is not None and part.path == SHIPPED
    assert part.base == ENTRY.weights.sha256 and part.languages == ("en",)
    assert SHIPPED.stat().st_size <= 12_000_000


@needs_model
def test_what_training_added_is_kept_within_half_a_step(tmp_path: Path) -> None:
    import torch

    from docqa.reader.weights import load as load_part
    from docqa.reader.weights import save

    torch.manual_seed(0)
    base = {"layer.weight": torch.randn(4, 8), "layer.bias": torch.randn(4)}
    trained = {"layer.weight": base["layer.weight"] + 0.02 * torch.randn(4, 8), "layer.bias": base["layer.bias"] + 1, "head.weight": torch.randn(2, 8)}
    save(tmp_path / FILE, trained, base, {"base": "ab", "languages": "en", "margin": "1.5"})
    found, known = load_part(tmp_path / FILE, base)
    assert known == {"base": "ab", "languages": "en", "margin": "1.5"}
    assert torch.equal(found["layer.bias"], trained["layer.bias"]) and torch.equal(found["head.weight"], trained["head.weight"])
    step = (trained["layer.weight"] - base["layer.weight"]).abs().amax(1, keepdim=True) / 127
    assert ((found["layer.weight"] - trained["layer.weight"]).abs() <= step / 2 + 1e-6).all()
    assert trained_part(tmp_path) == TrainedPart(tmp_path / FILE, "ab", ("en",))


@needs_model
def test_spans_of_a_passage_do_not_overlap_and_are_measured_against_no_answer() -> None:
    import torch

    from docqa.reader.network import spans_of

    offsets = [(0, 0), (0, 3), (4, 9), (10, 14), (15, 20), (0, 0)]
    first, last = (torch.tensor([1.0, *scores, -1e4]) for scores in ([3.0, 0.0, 0.0, 2.0], [0.0, 3.0, 0.0, 2.0]))
    assert spans_of(first, last, offsets)[:2] == [(0, 9, 4.0), (15, 20, 2.0)]
    assert all(end > start for start, end, _ in spans_of(first, last, offsets))


@needs_model
def test_a_reader_is_trained_written_and_read_with(tmp_path: Path) -> None:
    """A real encoder, but of two thin layers, and a few questions again and again: it learns them by heart, and its file says the same."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    from docqa.reader.network import Reader
    from docqa.reader.training import Recipe, train

    base = tmp_path / "base"
    tokenizer = AutoTokenizer.from_pretrained(CATALOG.path(ENTRY), local_files_only=True)
    tokenizer.save_pretrained(base)
    BertModel(BertConfig(vocab_size=len(tokenizer), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96)).save_pretrained(base)
    many = [replace(one, article=f"{one.article} {number}") for number in range(6) for one in QUESTIONS]
    said: list[str] = []
    recipe = Recipe(epochs=30, batch=4, rate=2e-3, head_rate=5e-3, falsified=0.0, elsewhere=0.0, precision="float32")
    figures = train(many, base, tmp_path / FILE, recipe, said.append)
    assert figures.right > 0.6, "they are the same questions under other titles, so that it knows them"
    assert "measured on" in said[0] and "loss" in said[-1]
    part = trained_part(tmp_path)
    assert part is not None and part.languages == ("en",)
    reader = Reader(base, part.path, "float32")
    [[best, *_]] = reader.read("Who sold the stones of the mill?", [MILL])
    assert MILL[best.start : best.end] == "Edith Carr"
    assert reader.read("Who sold \ud800 the stones?", ["\ud800 " + MILL])[0], "a lone surrogate is no text to the tokenizer"


# What is read at answer time


def passage(text: str, scores: list[float]) -> Passage:
    width = len(text) // len(scores)
    sentences = tuple(Sentence(at * width, (at + 1) * width, score, None) for at, score in enumerate(scores))
    return Passage(StoredChunk(1, 1, 1, "", "", text, ""), StoredDocument(1, "d1", "wells.txt", "txt", "en", 1, ""), 0.0, None, 0.0, 0.0, sentences)


def test_of_a_long_passage_the_neighbours_that_fit_best_are_read() -> None:
    assert window(passage(WELL, [0.1, 0.2, 0.3])) == (0, len(WELL))
    long = "x" * 3000
    assert window(passage(long, [0.0, 0.1, 0.9, 0.8, 0.0, 0.0])) == (1000, 2000)
    start, end = window(passage(long, [0.0, 0.9]))
    assert start == 1500 and end <= 1500 + 2 * WINDOW


def test_tables_lists_and_headings_are_no_prose() -> None:
    assert prose(WELL) > PROSE and prose(MILL) > PROSE
    assert prose("Assets\t2021\t2020\nCash\t12\t14\nInventories\t300\t280\n") == 0
    assert prose("Our plan\n\n- grow\n- hire ten people\n- open in Lund\n") == 0
    assert 0.2 < prose(f"{WELL}\n\nYear\tWells\tPumps\n" + "2011\t12\t3\n" * 20) < PROSE
    assert prose("") == 0


@pytest.mark.parametrize(
    "question",
    [
        "Who made the bell?",
        "In which town is the museum?",
        "The mill was sold by whom?",
        "What's the name of the smith",
        "Please tell me how heavy the bell is.",
        "Can you tell me when it was closed?",
        "Isabel sold what?",
        "weight of the bell",
    ],
)
def test_what_asks_for_a_fact_is_read(question: str) -> None:
    assert asks_for_a_fact(question)


@pytest.mark.parametrize(
    "question",
    [
        "Is flood damage covered?",
        "Isn't the well closed?",
        "May the tenant keep a dog, and what does it cost?",
        "Has the company reported any legal battles?",
        "Does the report say who made the bell?",
        "List all pages on which the logo stands.",
        "Please describe what happened to the mill.",
    ],
)
def test_what_asks_whether_or_what_to_make_of_a_text_is_not(question: str) -> None:
    assert not asks_for_a_fact(question), "any words would look like an answer, and their absence like none"


@pytest.fixture(scope="module")
def embedder(runner: asyncio.Runner) -> Iterator[Embedder]:
    """The real model with the shipped part, loaded once for all tests."""
    embedder = Embedder(ENTRY.name, CATALOG.path(ENTRY), ENTRY.weights.sha256, ENTRY.dimension, ENTRY.languages, reader=trained_part(HERE / "models"))
    yield embedder
    runner.run(embedder.close())


@needs_model
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who repaired the pump of the northern well?", "Aqua Nord"),
        ("When was the southern well closed?", "2011"),
        ("How heavy is the bell?", "310 kilograms"),
        ("In which town is the museum?", "Kendal"),
        ("Who made the bell?", "Jan Moer"),
    ],
)
def test_the_shipped_reader_finds_the_fact_among_several_passages(runner: asyncio.Runner, embedder: Embedder, question: str, answer: str) -> None:
    texts = [WELL, MILL, BELL]
    found = runner.run(embedder.read(question, texts))
    best, text = max(((span, text) for spans, text in zip(found, texts, strict=True) for span in spans), key=lambda one: one[0].score)
    assert answer in text[best.start : best.end] and len(text[best.start : best.end]) < 40
    assert best.score > 0


@needs_model
@pytest.mark.parametrize("question", ["What is the capital of France?", "How many goals did the striker score?", "Which medicine lowers the blood pressure?"])
def test_the_shipped_reader_finds_nothing_for_a_question_about_something_else(runner: asyncio.Runner, embedder: Embedder, question: str) -> None:
    assert all(span.score < 0 for spans in runner.run(embedder.read(question, [WELL, MILL, BELL])) for span in spans)
